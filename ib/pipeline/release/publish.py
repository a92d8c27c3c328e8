"""Publishing: from scans to a release in its place, with its history."""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from ib.errors import Refused, UsageError
from ib.models.common.base import Carrying, Stage
from ib.models.release.ledger import ScanSource
from ib.pipeline.common.folders import RESULTS, AnyPath, path_of
from ib.pipeline.release.gap import PUBLIC, Draws
from ib.pipeline.release.history import (
    Recorded,
    Why,
    history_of,
    recorded,
    releases_folder,
    write_recorded,
)
from ib.pipeline.release.joined import Given, join, parts_of, sources_of
from ib.pipeline.release.release import Release, newest_scan, prepare_release
from ib.pipeline.release.replaced import held
from ib.store.benchmark.drawing import private_key
from ib.store.files.together import finish
from ib.store.folders import scans


@dataclass(frozen=True)
class Wanted:
    """What a release should be."""

    stage: Stage | str | None = None
    """None for the highest that the gate grants."""
    benchmark: Path | None = None
    carrying: Carrying = Carrying.PLAYS
    day: date | None = None
    key: Path | None = None
    """The key of ssh that signs the release; None for an unsigned one. Its path is written nowhere."""
    draws: Draws = PUBLIC


def release(
    scan: AnyPath | scans.ScanFolder | None = None,
    *,
    out: AnyPath,
    stage: Stage | str | None = None,
    benchmark: AnyPath | None = None,
    replace_existing: bool = False,
    transcripts: Carrying | str = Carrying.PLAYS,
    day: date | None = None,
    add: Iterable[AnyPath] = (),
    withdraw: Iterable[str] = (),
    reason: str | None = None,
    releases: AnyPath | None = None,
    sign: AnyPath | None = None,
    draw: AnyPath | None = None,
    gap: AnyPath | None = None,
    exams: Iterable[AnyPath] = (),
) -> Release:
    """Publish a finished scan: build a release, pass the gate, then replace the old release.

    `scan` is the folder of a finished scan (by default the newest one in `results/` that may be
    published), `stage` the stage of the release (by default the highest that the gate grants). A
    release of the same or a higher stage at `out`, or with models, conversations or judged rows that the new
    one lacks, is replaced only with `replace_existing`. `transcripts`
    says which conversations the release carries in full: `plays` of scenarios, `all` (open logs too, which
    real people may have written), or `none`. `day` is the day of the release in UTC (by default that of
    SOURCE_DATE_EPOCH, else today): the same scan and the same day give the same bytes.

    `add` are scans of the same comparability key, whose models join the release. `withdraw` are models that
    leave the board, for `reason`. With one of them, and without `scan`, the scans of the newest release are
    published again. `releases` is the folder of all releases and their ledger (by default `releases` beside
    `out`; a demonstration is recorded only if the folder is named). `sign` is the key of ssh that signs the
    release.

    `draw` is the file of the key of a private draw. A release of a private draw has verdicts, figures and
    hashes, and no word of a conversation. `gap` is a finished scan of a private draw, and gives each model
    its gap: how much more often it failed there than in this scan. `exams` are finished sittings of the exam
    for judges, which the release carries and its site shows.

    Raises Refused, with the reasons, if the gate does not grant the stage, or if a recorded model would be
    lost that `withdraw` does not name; `out` is then unchanged. Raises UsageError if `out` holds files of no
    release, and WorldError if ssh-keygen cannot sign.
    """
    root, target = path_of(benchmark), Path(out)
    finish(target)
    draws = Draws(
        None if draw is None else private_key(Path(draw)), path_of(gap), tuple(Path(one) for one in exams)
    )
    wanted = Wanted(stage, root, Carrying(transcripts), day, path_of(sign), draws)
    first = scan.path if isinstance(scan, scans.ScanFolder) else path_of(scan)
    why, named = Why(tuple(withdraw), reason), path_of(releases)
    given = scans_of(first, [Path(one) for one in add], why, target, named, root)
    made, one = planned_release(given, target, wanted, why, named)
    asked = held(target, made, why.withdrawn)
    if asked is not None and not replace_existing:
        raise Refused(f"{asked[0]}; pass replace_existing=True to replace it", asked[1])
    write_recorded(one)
    return made


def planned_release(
    given: Sequence[Given], out: Path, wanted: Wanted, why: Why, releases: Path | None
) -> tuple[Release, Recorded]:
    """The release of some scans, and what its history will be. Nothing is written.

    Raises Refused if the gate does not grant the stage, or if a model would be lost that `why` does not
    withdraw.
    """
    reason = why.words
    made, sources = made_of(given, why.withdrawn, wanted)
    made = made.because(reason)
    made = made if wanted.key is None else made.signed(wanted.key)
    return made, recorded(made, out, history_of(out, releases, made.stage), sources, why)


def made_of(
    given: Sequence[Given], without: Collection[str], wanted: Wanted
) -> tuple[Release, Mapping[str, ScanSource]]:
    """A release of the models of several scans, and the scan of each row.

    Each model comes from the last scan that gives it. Raises Refused if the keys of two scans differ, or if
    the gate does not grant the stage.
    """
    parts = parts_of(given, without)
    if len(parts) == 1 and parts[0].is_whole:
        return _prepared(parts[0].folder.path, wanted), sources_of(parts)
    with tempfile.TemporaryDirectory(prefix="ib-joined-") as folder:
        join(parts, Path(folder), wanted.benchmark, wanted.draws.key)
        return _prepared(Path(folder), wanted), sources_of(parts)


def _prepared(scan: Path, wanted: Wanted) -> Release:
    return prepare_release(
        scan, wanted.stage, wanted.benchmark, wanted.carrying, wanted.day, draws=wanted.draws
    )


def scans_of(
    scan: Path | None, add: Sequence[Path], why: Why, out: Path, releases: Path | None, benchmark: Path | None
) -> list[Given]:
    """The scans that a release is made of.

    Without `scan`, these are the scans of the newest recorded release if models are added or withdrawn, else
    the newest scan in `results/`. Raises UsageError if a scan of the newest release is not found.
    """
    if scan is not None:
        return [Given(scan), *map(Given, add)]
    if not add and not why.withdrawn:
        return [Given(newest_scan(RESULTS, benchmark))]
    ledger = releases_folder(out, releases).ledger()
    if not ledger.lines:
        raise UsageError(f"no ledger beside {out}, so the scans of its release are unknown; name a scan")
    left = {m: line.scan for m, line in ledger.rows.items() if line.scan and m not in why.withdrawn}
    return [*_found(left), *map(Given, add)]


def _found(sources: Mapping[str, ScanSource]) -> list[Given]:
    """The folders in `results/` of the scans of some models, each with its models, in a fixed order."""
    known: dict[str | None, Path] = {
        scans.file_hash(manifest): manifest.parent for manifest in RESULTS.glob(f"*/{scans.MANIFEST}")
    }
    missing = {model: one for model, one in sources.items() if one.manifest_hash not in known}
    if missing:
        named = "; ".join(f"{m}: plan {one.plan_hash[:12]}" for m, one in sorted(missing.items()))
        raise UsageError(
            f"{RESULTS}/ lacks scans of the newest release ({named}); name them: ib publish SCAN --add SCAN"
        )
    models: defaultdict[Path, set[str]] = defaultdict(set)
    for model, one in sources.items():
        models[known[one.manifest_hash]].add(model)
    return [Given(path, frozenset(models[path])) for path in sorted(models)]
