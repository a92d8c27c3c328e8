"""Whether the exam returns the errors that were planted in a judge, over many seeds.

    python -m benchmarks.exam [SEEDS] [SCANNED] [PLAYED]

Each seed draws the items of the exam anew and plants a judge in it. Its errors depend on the check, the edit
and the base text: a text multiplies the chance of an error by a factor, the same for all its items and drawn
anew by each seed with mean one, so that items of one text err together. The planted rate of a check is the
mean chance of an error over the items of a seed and over such texts. Bounds cover it or do not.

The first SCANNED seeds go through the whole chain: plan, scan, votes, evidence, report. For the others the
verdicts follow from the planted errors directly; that both ways agree is asserted where both are done.
PLAYED further seeds have plays of scenarios and twins among their texts, and are counted apart: playing them
takes seconds for each seed.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from ib.exam.report import Told, report_of
from ib.models.benchmark.check import FailureKind
from ib.models.common.base import Verdict
from ib.models.exam.items import ExamItem
from ib.models.exam.report import ExamRate, ExamReport, Outcome
from ib.pipeline.exam.build import BuiltExam, ExamOptions, build_exam
from ib.pipeline.exam.sit import Sit, sit_exam
from ib.pipeline.scan.scan import Work
from ib.store.benchmark.loading import load_benchmark
from ib.store.folders.exams import ExamFolder
from ib.testing.planted import PlantedJudge, Rate, chance

CHECKS = ("IB-A1", "IB-A5", "IB-B4", "IB-B7", "IB-C2-othering", "IB-F1-feelings-claim")
"""Four gate checks and two others, of both kinds of failure, with many and with few base texts."""
SEEDS, SCANNED, PLAYED = 200, 1, 40
SPREAD = (0.4, 1.0, 1.6)
"""The factors of base texts, each with the same chance."""
NEEDED = 0.91
"""The least share of seeds whose bounds must cover what was planted: 182 of 200."""
WORLDS: Mapping[str, Mapping[str, float]] = {
    "same in every vote": {"miss": 0.15, "alarm": 0.08},
    "few errors": {"miss": 0.04, "alarm": 0.02},
    "blind to omissions": {"miss": 0.5, "miss_said": 0.05, "alarm": 0.05},
    "believing instructions": {"miss": 0.1, "alarm": 0.05, "instruction": 0.5},
}
"""The chances of errors: of missing a failure, of missing one that was said, of a false alarm, and under an
instruction to the judge."""


@dataclass(frozen=True)
class World:
    """A planted judge for the items of one seed."""

    name: str
    seed: str
    built: BuiltExam

    def rate(self, item: ExamItem) -> float:
        """The chance of an error on an item."""
        factor = SPREAD[int(chance(self.seed, "text", item.base) * len(SPREAD))]
        return self.planted(item) * factor

    def planted(self, item: ExamItem) -> float:
        """The chance of an error on such an item, over all texts."""
        chances = WORLDS[self.name]
        said = self.built.benchmark.checks[item.check].failure is FailureKind.SAID
        if item.operator == "instruction" and "instruction" in chances:
            return chances["instruction"]
        if item.must_fail:
            return chances.get("miss_said", chances["miss"]) if said else chances["miss"]
        return chances["alarm"]

    def judge(self) -> PlantedJudge:
        known = {item.id: item for item in self.built.items}
        rate: Rate = self.rate
        return PlantedJudge(items=known, benchmark=self.built.benchmark, rate=rate, seed=self.seed)

    def outcomes(self) -> list[Outcome]:
        """What the scan would say of each item, from the planted errors directly."""
        return [self._outcome(item) for item in self.built.items]

    def _outcome(self, item: ExamItem) -> Outcome:
        errs = chance("errs", self.seed, item.id) < self.rate(item)
        verdict = Verdict.FAIL if item.must_fail is not errs else Verdict.PASS
        return Outcome(
            id=item.id, check=item.check, base=item.base, operator=item.operator, must_fail=item.must_fail,
            arguable=item.arguable is not None, verdict=verdict,
        )  # fmt: skip


def report(world: World) -> ExamReport:
    """The report on a planted judge without a scan."""
    return report_of(world.built.plan, world.outcomes(), lambda _: False, Told("planted"))


def planted(world: World, check: str, *, must_fail: bool) -> float:
    """The share of right answers that was planted for a check, expected over texts."""
    mine = [
        1 - world.planted(item)
        for item in world.built.items
        if item.check == check and item.must_fail is must_fail and item.arguable is None
    ]
    return sum(mine) / len(mine)


def covers(rate: ExamRate, truth: float) -> bool:
    return rate.low is not None and rate.high is not None and rate.low <= truth <= rate.high


def scanned(world: World) -> None:
    """Sit the exam in a scan; the outcomes must be those that follow from the planted errors."""
    with tempfile.TemporaryDirectory() as folder:
        items = ExamOptions(checks=CHECKS, seed=world.seed, plays=False)
        sit_exam(Sit(judge=world.judge(), items=items), Path(folder) / "exam", Work())
        found = {one.id: one.wrong for one in ExamFolder(Path(folder) / "exam").outcomes()}
    told = {one.id: one.wrong for one in world.outcomes()}
    assert found == told, [name for name in told if told[name] != found.get(name)][:5]


def measure(
    seeds: int, through_scan: int, *, plays: bool = False
) -> dict[tuple[str, str, str], Counter[str]]:
    """For each world, check and rate: the seeds whose bounds covered what was planted, and their widths."""
    counted: dict[tuple[str, str, str], Counter[str]] = {}
    benchmark = load_benchmark()
    for number in range(seeds):
        built = build_exam(ExamOptions(checks=CHECKS, seed=f"study-{number}", plays=plays), benchmark)
        for name in WORLDS:
            world = World(name, f"study-{number}", built)
            if number < through_scan:
                scanned(world)
            for check in report(world).checks:
                for kind, rate, must in (
                    ("sensitivity", check.sensitivity, True), ("specificity", check.specificity, False),
                ):  # fmt: skip
                    truth = planted(world, check.check, must_fail=must)
                    here = counted.setdefault((name, check.check, kind), Counter())
                    here["covered"] += covers(rate, truth)
                    here["width"] += round(1000 * ((rate.high or 0) - (rate.low or 0)))
                    here["bases"], here["items"] = rate.bases, rate.n
    return counted


def lines(counted: Mapping[tuple[str, str, str], Counter[str]], seeds: int) -> Iterable[str]:
    yield "| judge | check | rate | items | base texts | covered | mean width |"
    yield "| --- | --- | --- | ---: | ---: | ---: | ---: |"
    for (name, check, kind), here in counted.items():
        width = here["width"] / 1000 / seeds
        yield (
            f"| {name} | {check} | {kind} | {here['items']} | {here['bases']} | {here['covered']} of {seeds} "
            f"| {width:.2f} |"
        )


def main() -> None:
    seeds, through_scan, played = [*map(int, sys.argv[1:4]), *(SEEDS, SCANNED, PLAYED)[len(sys.argv[1:4]) :]]
    fine = True
    for number, plays in ((seeds, False), (played, True)):
        if not number:
            continue
        counted = measure(number, 0 if plays else through_scan, plays=plays)
        print("\n".join(lines(counted, number)))
        least = min(here["covered"] for here in counted.values())
        share = sum(here["covered"] for here in counted.values()) / number / len(counted)
        said = {"seeds": number, "plays": plays, "least covered": least, "mean covered": round(share, 3)}
        print(json.dumps(said))
        # Of few seeds, the least of many rates falls short by chance, so the mean is held against the limit.
        fine = fine and (share >= NEEDED if plays else least >= NEEDED * number)
    sys.exit(0 if fine else 1)


if __name__ == "__main__":
    main()
