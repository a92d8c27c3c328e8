"""The releases before this one, as the pages need them: the ledger, and the files of each release."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

from ib.board.evidence.leaks import LeakSearch
from ib.board.history.ledger import Ledger
from ib.board.history.moved import moved
from ib.board.history.told import LEADERBOARD, Key, Told
from ib.errors import Refused
from ib.models.common.base import Stage
from ib.models.common.canonical import pretty
from ib.models.release.ledger import Action
from ib.models.release.moved import ReleaseDiff
from ib.store.folders.ledger import (
    LEDGER,
    RELEASES,
    ReleasesFolder,
    check_history,
    ledger_bytes,
    same_files,
    told,
)
from ib.store.folders.released import stage_of_any
from ib.store.folders.sources import lines

FOLDER = "r"
"""The folder of the site with a folder for each release. Its addresses never change."""
DIFF = "diff.json"


@dataclass(frozen=True)
class Verdict:
    """A verdict of an older release with its words. Its page never changes."""

    check_id: str
    name: str
    """The name of the check in that release."""
    scenario_id: str
    epoch: int | None
    place: str
    """The id of the verdict on its page."""
    verdict: str
    votes: tuple[int, int]
    """How many votes agree, of how many."""
    quotes: tuple[str, ...]


@dataclass(frozen=True)
class History:
    """The ledger and every release, oldest first. The last one in the ledger is the newest."""

    ledger: Ledger
    releases: Mapping[str, Told]
    """The files of each release, by its id."""

    @property
    def newest(self) -> str:
        """The id of the newest release."""
        line = self.ledger.newest
        return "" if line is None else line.release

    @cached_property
    def diffs(self) -> Mapping[str, ReleaseDiff]:
        """For each release but the first: what differs from the one that was first published before it."""
        names = list(self.releases)
        return {
            name: moved(self.releases[before], self.releases[name], (before, name))
            for before, name in pairwise(names)
        }

    def verdicts(self, release: str, model_id: str) -> tuple[Verdict, ...]:
        """The verdicts of a model with evidence, in the order of its release."""
        found = self.releases[release]
        return tuple(
            _verdict(found, check_id, key, item) for (check_id, key), item in found.items(model_id).items()
        )

    @property
    def last_of(self) -> dict[str, str]:
        """For each model that is off the board: the last release that has it."""
        gone = self.ledger.withdrawn
        return {model: name for name, one in self.releases.items() for model in one.rows if model in gone}

    def files(self) -> Iterator[tuple[str, bytes]]:
        """What the site publishes of the history as it is: the ledger, each release, and each difference."""
        yield f"{FOLDER}/{LEDGER}", ledger_bytes(self.ledger.lines)
        for name, one in self.releases.items():
            for file, data in one.files.items():
                yield f"{FOLDER}/{name}/data/{file}", data
        for name, diff in self.diffs.items():
            yield f"{FOLDER}/{name}/{DIFF}", pretty(diff)


def _verdict(found: Told, check_id: str, key: Key, item: Mapping[str, Any]) -> Verdict:
    scenario, epoch = key
    run = "" if epoch is None else f"-run-{epoch}"
    said = item.get("verdict")
    kind = "not judged" if said is None else str(said).lower().replace("_", " ")
    return Verdict(
        check_id=check_id,
        name=str(found.checks.get(check_id, {}).get("name", check_id)),
        scenario_id=scenario,
        epoch=epoch,
        place=f"{check_id}--{found.scenario_slugs.get(scenario, scenario)}{run}",
        verdict=f"contested {kind}" if item.get("contested") else kind,
        votes=(int(item.get("votes_for", 0)), int(item.get("votes_asked", 0))),
        quotes=found.quotes(item),
    )


def load_history(folder: Path, newest: Path | None = None) -> History:
    """The history in a folder of releases. `newest` is the folder of the newest release.

    Raises DataError or Refused if the releases and the ledger do not agree.
    """
    kept = ReleasesFolder(folder)
    return history_of(check_history(kept, newest), kept)


def history_beside(release: Path, folder: Path | None = None) -> History | None:
    """The history of a release: that in `folder`, or by default in `releases` beside the release.

    Returns None if no folder is named, and there is none or the release is a demonstration that it does not
    have. Raises DataError or Refused if the releases and the ledger do not agree, or if the newest release of
    the ledger is another.
    """
    if folder is not None:
        return load_history(folder, release)
    kept = ReleasesFolder(release.resolve().with_name(RELEASES))
    newest = kept.ledger().newest
    if newest is None:
        return None
    is_same = same_files(told(release).files, kept.told(newest.release).files)
    if not is_same and stage_of_any(release / LEADERBOARD) is Stage.DEMO:
        return None
    return load_history(kept.path, release)


def check_ledger(release: Path) -> str | None:
    """Compare a release with the ledger in the folder above it, or in `releases` beside it.

    Returns what was compared, or None if there is no ledger or it is not about this release. Raises DataError
    or Refused as `history_beside` does.
    """
    kept = ReleasesFolder(release.resolve().parent)
    if kept.ledger_path.exists():
        return f"{release.name} is as the ledger above it says{_alone(check_history(kept))}"
    found = history_beside(release)
    if found is None:
        return None
    return f"it is {found.newest}, the newest release of the ledger beside it{_alone(found.ledger)}"


def _alone(ledger: Ledger) -> str:
    """What no file holds but the end of the ledger, in words; empty if there is no such thing."""
    if ledger.newest is None or ledger.newest.action is not Action.REINSTATED:
        return ""
    return (
        ". Not proven: why and on which day it was reinstated is in the last lines of the ledger alone; a "
        "copy of the ledger elsewhere shows an edit"
    )


def history_of(ledger: Ledger, kept: ReleasesFolder, further: Mapping[str, Told] | None = None) -> History:
    """The history of a ledger. `further` are releases that are not in the folder yet."""
    new = dict(further or {})
    return History(ledger, {name: new.get(name) or kept.told(name) for name in ledger.releases})


def _found_in(name: str, data: bytes, leaks: LeakSearch) -> Iterator[str]:
    """The keys in a file of a release, which may be packed."""
    if name.endswith(".gz"):
        return chain.from_iterable(map(leaks.in_file, lines(data, name)))
    return leaks.in_lines(data.splitlines()) if name.endswith(".jsonl") else leaks.in_file(data)


def refuse_keys(history: History, leaks: LeakSearch) -> None:
    """Raise Refused if a file of an older release contains a key that is known today."""
    wrong: Sequence[str] = [
        f"{name}: {found}"
        for name, data in history.files()
        if name.endswith((LEADERBOARD, LEDGER)) or "/data/" in name
        for found in _found_in(name, data, leaks)
    ]
    if wrong:
        raise Refused("an older release contains text that must not be published", wrong)
