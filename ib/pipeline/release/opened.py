"""What the key of a private draw, and the scans that were made in it, prove about a release.

A release of a private draw has no word of it. With the key, the words of each scenario follow from the
benchmark that the release carries. With the scan, everything is computed again as `ib publish` did.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import orjson

from ib.board.evidence.leaks import LeakSearch
from ib.board.gate.differences import differences
from ib.errors import DataError
from ib.models.draw.keyed_slot import DrawKind
from ib.models.release.gap import GapSource
from ib.models.release.leaderboard import Leaderboard
from ib.models.release.source import CONVERSATIONS, EXAMS, GAP, PLAN
from ib.models.release.verified import Difference
from ib.models.scan.plan import ScanPlan
from ib.pipeline.release.gap import gap_of
from ib.pipeline.release.release import make_release
from ib.pipeline.release.replay import replay_scan
from ib.pipeline.release.sourced import SourceReading
from ib.scenario.drawing import DrawKey
from ib.store.benchmark.drawing import key_of
from ib.store.benchmark.scenarios import Scenarios
from ib.store.files.leaks import load_leak_forms
from ib.store.files.reading import read_bytes
from ib.store.files.wording import counted
from ib.store.folders import scans


@dataclass(frozen=True)
class Opened:
    """What somebody has of private draws, besides a release."""

    key: DrawKey | None = None
    """The key of a private draw."""
    scans: tuple[Path, ...] = ()
    """Scans of the release, or of its gap."""


NOTHING = Opened()
_CLOSED = (
    "draw {} is private until its key is opened: that the conversations were played in its words is as "
    "stated. `--draw KEYFILE` computes the words, and `--scan SCAN` everything"
)
_DRAWN = (
    "the words of the draw follow from its key, and every conversation of the plan is of a scenario in these "
    "words. What the models replied to them is as stated; `--scan SCAN` computes everything"
)
_OF_GAP = (
    "the verdicts on {} of draw {} are as stated, and each gap was computed from them and from the verdicts "
    "of the release. `--draw KEYFILE --scan SCAN` computes them"
)


@dataclass
class Proof:
    """Holds a release against the key and the scans of its private draw."""

    folder: Path
    installed: Path
    """The benchmark that scans are computed again with."""
    board: Leaderboard
    reading: SourceReading
    opened: Opened

    def __post_init__(self) -> None:
        plans = {one: scans.ScanFolder(one).plan_hash() for one in self.opened.scans}
        self.proven = set(plans.values())
        """The plans of the scans that are at hand."""
        known = {self.board.plan_hash, *(() if self._gap is None else (self._gap.plan_hash,))}
        for path, plan_hash in plans.items():
            if plan_hash not in known:
                found = f"is plan {plan_hash[:12]}, and the release was made of another scan"
                hint = f"a scan with plan {' or '.join(sorted(one[:12] for one in known))}"
                raise DataError.one(path / scans.PLAN, None, "", found, hint)
        self._plans = plans

    @property
    def _gap(self) -> GapSource | None:
        return self.reading.gap

    @property
    def is_private(self) -> bool:
        """True if the release is of a private draw."""
        return self.board.draw is not None and self.board.draw.kind is DrawKind.PRIVATE

    def differences(self) -> Iterator[Difference]:
        """What does not follow from the key and the scans."""
        key, plan, gap = self.opened.key, self.reading.plan, self._gap
        fits = gap is None or gap.comparability_key == plan.comparability_key
        if not fits or (gap is not None and gap.draw.key_hash == plan.draw):
            yield _of_file(GAP, "is of a scan that cannot be compared with the release")
        if key is not None:
            draw = plan.draw if self.is_private or gap is None else gap.draw.key_hash
            key_of(str(self.folder / PLAN), self.reading.root, draw, key)
            if self.is_private:
                yield from _words(plan, self.reading.root, key)
        for path, plan_hash in self._plans.items():
            if plan_hash == self.board.plan_hash:
                yield from self._of_release(path)
            elif gap is not None:
                yield from self._of_gap(path, gap)

    def _of_release(self, path: Path) -> Iterator[Difference]:
        """How the files differ from those that the scan gives."""
        leaks = LeakSearch(load_leak_forms())
        replayed = replay_scan(path, self.installed, leaks=leaks, key=self.opened.key)
        packed = {name: data for name, data in self.reading.packed.items() if name in (GAP, EXAMS)}
        replayed = replace(replayed, gap=self._gap, source={**replayed.source, **packed})
        made = make_release(replayed, day=self.board.released, leaks=leaks).at(self.board.stage)
        for name, data in made.files.items():
            yield from self._between(name, data)
        for name, lines in made.lines.items():
            there = self.folder / name
            if not there.exists() or hashlib.sha256(there.read_bytes()).hexdigest() != lines.sha256:
                yield _of_file(name, "is not what the scan gives")

    def _between(self, name: str, data: bytes) -> Iterator[Difference]:
        there = self.folder / name
        stated = read_bytes(there) if there.exists() else b""
        if stated == data:
            return
        found: list[Difference] = []
        if name.endswith(".json") and stated:
            found += differences(name, orjson.loads(stated), orjson.loads(data))
        yield from found or [_of_file(name, "is not what the scan gives")]

    def _of_gap(self, path: Path, stated: GapSource) -> Iterator[Difference]:
        """How the stated verdicts of the private draw differ from those that the scan gives."""
        found = gap_of(replay_scan(path, self.installed, key=self.opened.key))
        told = found.model_copy(update={"draw": stated.draw})
        yield from differences(GAP, stated.model_dump(mode="json"), told.model_dump(mode="json"))

    def unproven(self) -> Iterator[str]:
        """What the release cannot show without its key and its scans, in sentences."""
        draw, gap = self.board.draw, self._gap
        if self.is_private and draw is not None and self.board.plan_hash not in self.proven:
            yield _CLOSED.format(draw.key_hash[:12]) if self.opened.key is None else _DRAWN
        if gap is not None and gap.plan_hash not in self.proven:
            said = counted(len(gap.rows), "conversation")
            yield _OF_GAP.format(said, gap.draw.key_hash[:12])


def _words(plan: ScanPlan, root: Path, key: DrawKey) -> Iterator[Difference]:
    """The conversations of a plan that are of other words than those that the key draws."""
    scenarios = Scenarios(root, key)
    for one in plan.transcripts:
        scenario = scenarios.get(one.scenario_id)
        if scenario is None or scenario.drawn is None:
            continue
        drawn = (scenario.drawn.template_hash, scenario.played_hash)
        if (one.template_hash, one.scenario_hash) != drawn:
            where = f"{one.model_id} on {one.scenario_id}"
            yield _of_file(CONVERSATIONS, f"{where} was not played in the words that the key draws")


def _of_file(name: str, words: str) -> Difference:
    return Difference(file=name, figure="", words=f"{name}: {words}")
