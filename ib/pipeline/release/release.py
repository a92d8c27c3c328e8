"""Making a release of a finished scan: recompute the scan, build the files, ask the gate."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TypeVar

from ib.board.evidence.items import evidence
from ib.board.evidence.leaks import LeakSearch
from ib.board.evidence.transcripts import Said, transcripts_of
from ib.board.figures.gaps import with_gaps
from ib.board.gate.decision import judge_release, released_hashes
from ib.board.gate.inputs import GateInputs
from ib.board.review.summary import compared_with_people
from ib.errors import DataError, Refused, UsageError
from ib.models.common.base import STAGE_ORDER, Carrying, Play, Stage
from ib.models.common.canonical import compact
from ib.models.release.bytes import release_bytes
from ib.models.release.held import HeldReply
from ib.models.release.leaderboard import Evidence, Leaderboard
from ib.models.release.qa import Qa, sealed
from ib.models.release.transcripts import Transcripts
from ib.pipeline.release.exams import with_exams
from ib.pipeline.release.gap import PUBLIC, Draws, with_gap
from ib.pipeline.release.replay import replay_scan, started
from ib.pipeline.release.replayed import ReplayedScan
from ib.pipeline.release.source import shown_judge
from ib.store.benchmark.loading import load_benchmark
from ib.store.files.clock import release_day, today
from ib.store.files.leaks import leaks_here, load_leak_forms
from ib.store.files.lines import Lines
from ib.store.files.signing import sign
from ib.store.files.writing import disk, replace, replacing, staging, swap_folder
from ib.store.folders import scans
from ib.store.folders.released import LEADERBOARD, QA, SCENARIOS, SIGNATURE, rows_name

EVIDENCE = "evidence"
TRANSCRIPTS = "transcripts"


Document = Leaderboard | Evidence | Transcripts
InPlay = TypeVar("InPlay", bound=Play)


@dataclass(frozen=True)
class Release:
    """The files of a release, as bytes, and the findings of the gate."""

    documents: Mapping[str, Document]
    """Every file but qa.json, by name."""
    qa: Qa
    files: Mapping[str, bytes]
    lines: Mapping[str, Lines]
    """The files of lines: the rows of each model, and the scenarios. They are the same at every stage."""

    @property
    def leaderboard(self) -> Leaderboard:
        """The leaderboard."""
        found = self.documents[LEADERBOARD]
        assert isinstance(found, Leaderboard)
        return found

    @property
    def held(self) -> tuple[tuple[str, HeldReply], ...]:
        """The replies of which the release has no word, each with its model."""
        said = (one for one in self.documents.values() if isinstance(one, Transcripts))
        return tuple((one.model_id, reply) for one in said for reply in one.held)

    @property
    def stage(self) -> Stage:
        """The stage of the release."""
        return self.leaderboard.stage

    @property
    def highest(self) -> Stage | None:
        """The highest stage that the gate granted. Returns None if it granted no stage."""
        return next((stage for stage in reversed(STAGE_ORDER) if stage in self.qa.granted), None)

    def at(self, stage: Stage) -> Release:
        """The same release at another stage: only `stage` of each file, its hash and the seal differ."""
        if stage is self.stage:
            return self
        return self._with(
            {name: document.model_copy(update={"stage": stage}) for name, document in self.documents.items()}
        )

    def because(self, reason: str | None) -> Release:
        """The same release with the reason why it is published, so that its seal holds the reason."""
        if not reason:
            return self
        return self._with({LEADERBOARD: self.leaderboard.model_copy(update={"reason": reason})})

    def _with(self, changed: Mapping[str, Document]) -> Release:
        """The same release with other documents, their hashes and another seal."""
        files = {**self.files, **{name: release_bytes(document) for name, document in changed.items()}}
        del files[QA]
        qa = sealed(self.qa.model_copy(update={"released": released_hashes(files, self.lines)}))
        return Release({**self.documents, **changed}, qa, {**files, QA: release_bytes(qa)}, self.lines)

    def signed(self, key: Path) -> Release:
        """The same release with a signature over its qa.json. Raises WorldError as `signing.sign` does."""
        return dataclasses.replace(self, files={**self.files, SIGNATURE: sign(self.files[QA], key)})


def make_release(
    replayed: ReplayedScan,
    published: Leaderboard | None = None,
    day: date | None = None,
    stored_lines: Mapping[str, str] | None = None,
    leaks: LeakSearch | None = None,
) -> Release:
    """Build the files of a release, at stage `demo`, and ask the gate. `day` is by default `release_day`.

    With `published`, the gate examines that leaderboard, at its stage and on its day, instead of the one just
    built, and `stored_lines` has the hashes of the files of lines beside it. `leaks` finds what must not be
    published (by default also the secrets of the environment).
    """
    if published is None:
        rebuilt = leaderboard_of(replayed, Stage.DEMO, day)
    else:
        rebuilt = leaderboard_of(replayed, published.stage, published.released)
        rebuilt = rebuilt.model_copy(update={"reason": published.reason})
    leaderboard = published or rebuilt
    leaks = leaks or leaks_here()
    quoted = {
        model.slug: _quoted(replayed, model.model_id, leaderboard.stage, leaks)
        for model in leaderboard.models
    }
    documents: dict[str, Document] = {LEADERBOARD: leaderboard}
    for slug, (found, said) in quoted.items():
        documents |= {f"{EVIDENCE}/{slug}.json": found, f"{TRANSCRIPTS}/{slug}.json": said}
    files = {name: release_bytes(document) for name, document in documents.items()}
    lines = _lines(replayed, leaderboard)
    qa = judge_release(
        GateInputs(
            plan=replayed.plan,
            results=replayed.results,
            leaderboard=leaderboard,
            rebuilt=rebuilt,
            benchmark=replayed.benchmark,
            benchmark_hash=replayed.benchmark_hash,
            replanned=replayed.replanned,
            required_files=scans.required(replayed.plan),
            derived=replayed.derived,
            files=replayed.files,
            manifest_files=replayed.written,
            public_bytes={**files, **replayed.source},
            lines=lines,
            stored_lines=stored_lines or {},
            today=today(),
            leaks=leaks,
            withheld={
                name: one.withheld for name, one in documents.items() if not isinstance(one, Leaderboard)
            },
            quoted=quoted,
            standing=replayed.standing,
        )
    )
    return Release(documents, qa, {**files, **replayed.source, QA: release_bytes(qa)}, lines)


def _lines(replayed: ReplayedScan, leaderboard: Leaderboard) -> dict[str, Lines]:
    """The files of lines of a release."""
    scenarios = started("scenarios", leaderboard.canary)
    for scenario in replayed.board.scenarios():
        scenarios.add(compact(scenario))
    rows = {
        rows_name(model.slug): replayed.rows[model.model_id]
        for model in leaderboard.models
        if model.model_id in replayed.rows
    }
    return {**rows, SCENARIOS: scenarios}


def _quoted(
    replayed: ReplayedScan, model_id: str, stage: Stage, leaks: LeakSearch
) -> tuple[Evidence, Transcripts]:
    """The evidence of a model, and the transcripts that it quotes."""
    canary = replayed.benchmark.canary
    items, alarms = replayed.evidence.get(model_id, ()), replayed.alarms.get(model_id, ())
    said = Said(replayed.transcripts.get(model_id, ()), items, alarms, leaks)
    left_out, held = replayed.left_out.get(model_id, ()), replayed.held.get(model_id, ())
    quoted = evidence(model_id, items, alarms, canary, said, stage)
    carried = transcripts_of(model_id, said, left_out, canary, stage, held)
    quotes, texts = replayed.withheld.get(model_id, ((), ()))
    return (
        quoted.model_copy(update={"withheld": _in_order((*quoted.withheld, *quotes), (*items, *alarms))}),
        carried.model_copy(update={"withheld": _in_order((*carried.withheld, *texts), carried.transcripts)}),
    )


def _in_order(of: Sequence[InPlay], plays: Sequence[Play]) -> tuple[InPlay, ...]:
    """What belongs to conversations, in the order of the conversations."""
    places = {(one.scenario_id, one.epoch): at for at, one in reversed([*enumerate(plays)])}
    return tuple(sorted(of, key=lambda one: places.get((one.scenario_id, one.epoch), len(plays))))


def leaderboard_of(replayed: ReplayedScan, stage: Stage, day: date | None = None) -> Leaderboard:
    """The leaderboard of a scan on a day (by default `release_day`), computed only from recomputed results.

    A judge on a private address is shown without the address, which says nothing to readers. The plan has it.
    """
    results_hash = replayed.files[scans.RESULTS]
    made = replayed.board.leaderboard(
        replayed.replanned, replayed.plan_hash, results_hash, stage, day or release_day()
    )
    leaks = LeakSearch(load_leak_forms())
    shown: dict[str, object] = {"judge": shown_judge(made.judge, leaks)}
    if replayed.draw is not None:
        shown["draw"] = replayed.draw
    if replayed.judging_usd is not None:
        shown["judging_usd"] = replayed.judging_usd
    if replayed.reviews is not None:
        shown["reviews"] = replayed.reviews
    if replayed.joined is not None:
        shown["sources"] = replayed.joined.sources
    if made.second_judge is not None:
        second = made.second_judge
        shown["second_judge"] = second.model_copy(update={"judge": shown_judge(second.judge, leaks)})
    fewest = replayed.benchmark.scoring.support.count_only_below
    board = compared_with_people(made.model_copy(update=shown), fewest)
    return board if replayed.gap is None else with_gaps(board, replayed.gap)


def prepare_release(
    scan: Path,
    stage: Stage | str | None,
    benchmark: Path | None,
    carrying: Carrying = Carrying.PLAYS,
    day: date | None = None,
    *,
    draws: Draws = PUBLIC,
) -> Release:
    """A release of a scan at a stage and on a day (by default `release_day`).

    Raises Refused, with the reasons, if the gate does not grant the stage.
    """
    refuse_rejudged(scan)
    leaks = leaks_here()
    replayed = replay_scan(scan, benchmark, carrying, leaks, draws.key)
    other = None if draws.gap is None else replay_scan(draws.gap, benchmark, key=draws.key)
    if other is not None:
        replayed = with_gap(replayed, other, str(draws.gap))
    if draws.exams:
        replayed = with_exams(replayed, draws.exams, benchmark)
    made = make_release(replayed, day=day)
    wanted = Stage(stage) if stage is not None else made.highest
    if wanted is None or wanted not in made.qa.granted:
        refused = wanted or Stage.DEMO
        message = f"the gate refuses stage {refused}; nothing was published"
        raise Refused(message, refusals(made.qa, refused))
    beside = None if other is None else make_release(other, day=day).qa
    if beside is not None and wanted not in beside.granted:
        raise Refused(f"the gate refuses stage {wanted} to {draws.gap}", refusals(beside, wanted))
    return made.at(wanted)


def refuse_rejudged(*folders: Path) -> None:
    """Raises Refused for a scan that judges the conversations of a release again: that makes no release."""
    for folder in folders:
        is_scan = (folder / scans.PLAN).is_file()  # what is no scan is named where it is read
        release = scans.ScanFolder(folder).plan().rejudges if is_scan else None
        if release is not None:
            raise Refused(
                f"{folder} judges the conversations of release {release[:8]} again, to find drift of the "
                "judge; it is never a release by itself",
                ["rejudged: scan the conversations with `ib scan`, and publish that scan"],
            )


def write_release(made: Release, out: Path) -> None:
    """Put a release in place in one step. A failed write leaves the old release unchanged."""
    with staged_release(made, out) as (staged, target):
        swap_folder(staged, target)


@contextlib.contextmanager
def staged_release(made: Release, out: Path) -> Iterator[tuple[Path, Path]]:
    """A release written beside its folder, and the folder; `swap_folder` puts it in place."""
    target = out.resolve() if out.is_symlink() else out
    with staging(target) as staged:
        write_files(staged, made.files, made.lines)
        yield staged, target


def write_files(folder: Path, files: Mapping[str, bytes], lines: Mapping[str, Lines]) -> None:
    """Write the files of a release into a folder. Files of lines are written in pieces."""
    for name, data in files.items():
        replace(folder / name, data)
    for name, one in lines.items():
        _write(folder / name, one)


def _write(path: Path, lines: Lines) -> None:
    """Write a file of lines in pieces."""
    with disk(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as file:
        for piece in lines.chunks():
            file.write(piece)


def newest_scan(root: Path, benchmark: Path | None) -> Path:
    """The newest complete scan in a folder whose profile may be published."""
    profiles = load_benchmark(benchmark).scoring.profiles
    found: list[tuple[str, Path]] = []
    for folder in sorted(root.glob("*")) if root.is_dir() else []:
        try:
            manifest = scans.ScanFolder(folder).manifest()
            is_rejudged = scans.ScanFolder(folder).plan().rejudges is not None
        except DataError:
            continue
        if is_rejudged:
            continue
        if manifest.profile in profiles and profiles[manifest.profile].may_publish:
            found.append((manifest.finished, folder))
    if not found:
        raise UsageError(
            f"{root}/ has no complete scan that may be published; name a scan, or run "
            "`ib scan --profile publish`"
        )
    return max(found)[1]


def refusals(qa: Qa, stage: Stage) -> Sequence[str]:
    """The reasons why a stage is refused: one line per rule, with the first instances."""
    lines = []
    for finding in qa.findings:
        if stage in finding.refuses:
            more = finding.count - len(finding.detail)
            tail = f" (and {more} more)" if more else ""
            lines.append(f"{finding.rule}: {finding.count}: {'; '.join(finding.detail)}{tail}")
    return lines
