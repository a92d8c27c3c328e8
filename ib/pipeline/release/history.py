"""The history of releases: each release in a folder of its own, and the ledger that says what became of it.

`data/leaderboard` holds the newest release, `data/releases/<id>/` every release, and
`data/releases/ledger.jsonl` the ledger. All three change in one step.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path

from ib.board.history.ledger import Change, Entry, Ledger, changes, lines_of
from ib.board.history.told import Told
from ib.errors import DataError, Refused, UsageError
from ib.models.common.base import Stage
from ib.models.release.ledger import ADOPTED, MOST_REASON, Action, LedgerLine, ScanSource, release_id
from ib.pipeline.release.release import Release, write_files
from ib.store.files.lines import Lines
from ib.store.files.together import swap_together
from ib.store.files.writing import clear_left, only_writer, staging, staging_file
from ib.store.folders.ledger import (
    RELEASES,
    MadeFiles,
    ReleasesFolder,
    check_history,
    ledger_bytes,
    same_files,
    told,
)
from ib.store.folders.released import LEADERBOARD, QA, qa_of_any, stage_of_any

AGAIN = "The same release was published again."


@dataclass(frozen=True)
class Recorded:
    """A release that is about to become the newest, and what its history will be."""

    out: Path
    """The folder of the newest release."""
    files: Mapping[str, bytes]
    """The files of the release, without its files of lines."""
    lines_files: Mapping[str, Lines] = field(default_factory=dict)
    """The files of lines, which may be too long for memory."""
    history: ReleasesFolder | None = None
    """None for a release that is not recorded: a demonstration."""
    release: str = ""
    """The id of the release."""
    before: Ledger = field(default_factory=Ledger)
    after: Ledger = field(default_factory=Ledger)
    changes: tuple[Change, ...] = ()
    """What becomes of each row of the board that does not stay as it is."""
    adopted: Entry | None = None
    """The release that is replaced, if it was published before there was a ledger. It is recorded first."""

    @property
    def told(self) -> Told:
        """The files of the release as its history reads them, one at a time."""
        return Told(MadeFiles(self.files, self.lines_files))

    @property
    def lines(self) -> tuple[LedgerLine, ...]:
        """The lines that are added to the ledger."""
        return self.after.lines[len(self.before.lines) :]


@dataclass(frozen=True)
class Why:
    """What the publisher says about a release."""

    withdrawn: Sequence[str] = ()
    """The models that leave the board."""
    reason: str | None = None

    @property
    def words(self) -> str | None:
        """The reason as files have it. Raises UsageError if it is too long."""
        words = (self.reason or "").strip()
        if len(words) > MOST_REASON:
            raise UsageError(f"the reason has {len(words):,} characters; it may have {MOST_REASON:,}")
        return words or None


def history_of(out: Path, releases: Path | None, stage: Stage) -> ReleasesFolder | None:
    """The folder of releases of a release at `out`. Returns None if the release is not recorded.

    `releases` is the folder that was named; by default it is `releases` beside `out`. A demonstration is
    recorded only if the folder is named, or if it replaces a recorded release.
    """
    history = releases_folder(out, releases)
    if releases is not None or stage is not Stage.DEMO:
        return history
    newest = history.ledger().newest
    return history if newest is not None and seal_at(out) == newest.seal else None


def releases_folder(out: Path, releases: Path | None) -> ReleasesFolder:
    """The folder of all releases: `releases`, or by default the folder of this name beside `out`."""
    target = out.resolve() if out.is_symlink() else out
    history = ReleasesFolder(releases or target.with_name(RELEASES))
    if history.path.resolve() == target.resolve():
        raise UsageError(f"{out} is the folder of all releases; choose another folder for the newest one")
    return history


def seal_at(folder: Path) -> str | None:
    """The seal of the release in a folder. Returns None if there is no qa.json."""
    path = folder / QA
    return qa_of_any(path).get("seal") if path.is_file() else None


def recorded(
    made: Release,
    out: Path,
    history: ReleasesFolder | None,
    sources: Mapping[str, ScanSource],
    why: Why = Why(),
) -> Recorded:
    """What becomes of the history with a release. `sources` are the scans of its rows.

    Raises Refused if the release would lose a model that `why` does not withdraw, or if the history is not as
    it was written.
    """
    if history is None:
        if why.withdrawn:
            raise UsageError(
                "a demonstration has no ledger to say why a model leaves; name one with --releases"
            )
        return Recorded(out, made.files, made.lines)
    check_history(history, out)
    entry = Entry(
        release=release_id(made.leaderboard.released, made.qa.seal),
        seal=made.qa.seal,
        stage=made.stage,
        day=made.leaderboard.released,
        told=Recorded(out, made.files, made.lines).told,
        sources=sources,
        reason=why.words,
    )
    return planned(Recorded(out, made.files, made.lines, history), entry, why)


def planned(one: Recorded, entry: Entry, why: Why) -> Recorded:
    """A release with the lines that it adds to the ledger.

    Raises Refused if a model would be lost without a reason.
    """
    history = one.history
    assert history is not None
    stored = history.ledger()
    adopted = None if stored.lines else _unrecorded(one.out)
    ledger = stored
    if adopted is not None:
        ledger = stored.with_lines(tuple(lines_of(stored, Told({}), adopted, {})))
    _refuse_losses(ledger, entry, why)
    newest = ledger.newest
    if newest is not None and newest.release == entry.release:
        return replace(one, release=entry.release, before=stored, after=ledger)
    if entry.release in ledger.releases and entry.action is Action.RELEASED:
        entry = _again(entry)
    before = Told({})
    if newest is not None:
        before = history.told(newest.release) if adopted is None else adopted.told
    reasons = dict.fromkeys(why.withdrawn, why.words or "")
    if entry.action is Action.REINSTATED:
        reasons = dict.fromkeys(ledger.rows, entry.reason or "")
    after = ledger.with_lines(tuple(lines_of(ledger, before, entry, reasons)))
    told_changes = tuple(changes(ledger, entry))
    made = replace(one, release=entry.release, before=stored, after=after, changes=told_changes)
    return replace(made, adopted=adopted)


def _unrecorded(out: Path) -> Entry | None:
    """The release at `out` that was published before there was a ledger. Returns None for a demonstration.

    Raises DataError if the release has no day, as releases of early versions.
    """
    if not (out / QA).is_file() or stage_of_any(out / LEADERBOARD) is Stage.DEMO:
        return None
    found, seal = told(out), str(seal_at(out))
    day, plan = found.board.get("released"), found.board.get("plan_hash")
    if day is None or plan is None:
        raise DataError.one(out / LEADERBOARD, None, "released", "is missing", "publish to another folder")
    released = date.fromisoformat(str(day))
    source = ScanSource(plan_hash=str(plan), manifest_hash=None)
    return Entry(
        release_id(released, seal), seal, Stage(found.board["stage"]), released, found,
        dict.fromkeys(found.rows, source), reason=ADOPTED,
    )  # fmt: skip


def _again(entry: Entry) -> Entry:
    return Entry(
        entry.release, entry.seal, entry.stage, entry.day, entry.told, entry.sources,
        Action.REINSTATED, entry.reason or AGAIN,
    )  # fmt: skip


def _refuse_losses(ledger: Ledger, entry: Entry, why: Why) -> None:
    here = ledger.rows
    unknown = [model for model in why.withdrawn if model not in here and model not in ledger.withdrawn]
    if unknown:
        known = ", ".join(here) or "none"
        raise UsageError(f"{', '.join(unknown)} is not on the board, so it cannot leave it; known: {known}")
    if why.withdrawn and not why.words:
        raise UsageError("a withdrawal needs --reason TEXT, which stands in the ledger")
    lost = [model for model in here if model not in entry.told.rows and model not in why.withdrawn]
    if lost and entry.action is not Action.REINSTATED:
        raise Refused(
            f"the new release would lose {len(lost)} of {len(here)} models; nothing was published",
            [f"{m}: keep it with --add SCAN, or pass --withdraw {m} --reason TEXT" for m in lost],
        )


@contextlib.contextmanager
def staged(one: Recorded) -> Iterator[tuple[tuple[Path, Path], ...]]:
    """The new folders and files of a release and its history, each beside its place, for `swap_together`."""
    target = one.out.resolve() if one.out.is_symlink() else one.out
    with contextlib.ExitStack() as opened:
        pairs = [(_written(opened, target, one), target)]
        if one.history is not None:
            pairs += _history_pairs(opened, one, one.history)
        yield tuple(pairs)


def _written(opened: contextlib.ExitStack, target: Path, one: Recorded) -> Path:
    folder = opened.enter_context(staging(target))
    write_files(folder, one.files, one.lines_files)
    return folder


def _history_pairs(
    opened: contextlib.ExitStack, one: Recorded, history: ReleasesFolder
) -> Iterator[tuple[Path, Path]]:
    """The folder of the release, if it is new, and the ledger."""
    history.path.mkdir(parents=True, exist_ok=True)
    opened.enter_context(only_writer(history.path))
    clear_left(history.path)
    if history.ledger() != one.before:
        raise Refused(f"{history.ledger_path} was changed in the meantime; publish again")
    own = history.folder(one.release)
    if not own.exists():
        yield _written(opened, own, one), own
    elif not same_files(told(own).files, one.told.files):
        raise Refused(f"{own} holds another release with this id; a release never changes")
    if one.adopted is not None:
        old = history.folder(one.adopted.release)
        yield _written(opened, old, Recorded(old, dict(one.adopted.told.files))), old
    if one.lines:
        data = ledger_bytes(one.after.lines)
        yield opened.enter_context(staging_file(history.ledger_path, data)), history.ledger_path


def write_recorded(one: Recorded) -> None:
    """Put a release and its history in place: all of it, or nothing."""
    with staged(one) as pairs:
        swap_together(*pairs)


def reinstated(history: ReleasesFolder, out: Path, release: str, day: date, reason: str) -> Recorded:
    """An older release that becomes the newest again.

    Raises UsageError for an unknown release, or the one that is the newest already.
    """
    check_history(history, out)
    ledger = history.ledger()
    known = ledger.releases
    if release not in known:
        raise UsageError(f"no release {release!r}; the ledger has {', '.join(known) or 'none'}")
    if ledger.newest is not None and ledger.newest.release == release:
        raise UsageError(f"{release} is the newest release already")
    found, line, why = history.told(release), known[release], Why(reason=reason)
    sources = {m: s for m in found.rows if (s := ledger.source(release, m)) is not None}
    assert line.seal is not None
    assert line.stage is not None
    entry = Entry(release, line.seal, line.stage, day, found, sources, Action.REINSTATED, why.words)
    return planned(Recorded(out, found.files, history=history), entry, why)
