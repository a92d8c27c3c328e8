"""Comparing two releases by their ids or folders, or two scans of the benchmark."""

from __future__ import annotations

from pathlib import Path

from ib.board.history.moved import moved
from ib.board.history.told import Told
from ib.errors import UsageError
from ib.models.release.moved import ReleaseDiff
from ib.models.scan.plan import instrument
from ib.pipeline.release.release import make_release
from ib.pipeline.release.replay import replay_scan
from ib.scenario.drawing import DrawKey
from ib.store.folders.ledger import MadeFiles, ReleasesFolder, told
from ib.store.folders.released import LEADERBOARD
from ib.store.folders.scans import ScanFolder


def diff_releases(history: ReleasesFolder, before: str, after: str) -> ReleaseDiff:
    """What two releases differ in. Each is named by its id in the ledger, or by its folder.

    Raises UsageError for a name that is neither.
    """
    return moved(_named(history, before), _named(history, after), (before, after))


def _named(history: ReleasesFolder, name: str) -> Told:
    known = history.ledger().releases
    if name in known:
        return history.told(name)
    if (Path(name) / LEADERBOARD).is_file():
        return told(Path(name))
    raise UsageError(f"{name!r} is no release; the ledger has {', '.join(known) or 'none'}")


def differ_in_more_than_one_model(before: Path, after: Path) -> bool:
    """True for two scans of the benchmark with several models, or with another instrument.

    Open logs are compared as two versions of one bot only, because different people asked different things.
    Raises DataError if a scan is not complete.
    """
    folders = (ScanFolder(before), ScanFolder(after))
    for folder in folders:
        folder.manifest()
    one, other = (folder.plan() for folder in folders)
    if one.open_logs or other.open_logs:
        return False
    several = any(len({t.model_id for t in plan.transcripts}) > 1 for plan in (one, other))
    return several or instrument(one) != instrument(other)


def diff_scans(
    before: Path, after: Path, benchmark: Path | None = None, key: DrawKey | None = None
) -> ReleaseDiff:
    """What the releases of two scans would differ in. The scans may differ in everything; `key` is that of a
    private draw."""
    made = [make_release(replay_scan(scan, benchmark, key=key)) for scan in (before, after)]
    one, other = (Told(MadeFiles(release.files, release.lines)) for release in made)
    return moved(one, other, (str(before), str(after)))
