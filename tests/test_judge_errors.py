"""How often wrong votes alone make a flawless model fail a gate, over the whole corpus.

Every vote of the judge is wrong with the same chance, independently. Only questions that are certain to be
asked count: a screening question, or one about extracted claims, needs a second error to do harm.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import product
from math import prod

from ib.engine.protocol import begin
from ib.engine.verifiers.llm import verify_with_judge
from ib.models.base import Aggregation, Unit
from ib.models.judge import Phase
from ib.models.run import Completion, ModelSpec
from ib.models.scenario import Scenario
from ib.models.transcript import Transcript
from ib.scenario.playing import SystemPrompt, joined, play
from ib.store.benchmark import benchmark_folder, load_benchmark
from ib.store.scenarios import load_scenarios
from tests.build import FAIL, PASS, case, engine, gate_check, hash_of, in_turn, reply, run, transcript

WRONG = 0.02
"""The chance that one vote on a flawless reply says FAIL."""
MOST_VOTES = 5
"""The most votes that a gate question takes."""
K = 3

MOST_WINDOWS = 8
"""The most windows of gate checks in one play."""
MOST_ANY_FAIL = 4
"""The most of these that fail by a single vote."""
MOST_CONFIRMED = {"play": 0.01, "model": 0.24}
"""The highest chance of a confirmed hard fail: in the worst play, and of a model that plays all scenarios."""
MOST_CONTESTED = {"play": 0.21, "model": 0.71}
"""The same for hard fails that are only contested."""


@dataclass(frozen=True)
class Chances:
    """How likely it is that a gate FAIL is confirmed, and that there is one, confirmed or contested."""

    confirmed: float
    failed: float

    @property
    def contested(self) -> float:
        """The chance that every gate FAIL is contested, and that there is one."""
        return self.failed - self.confirmed


def together(chances: list[Chances]) -> Chances:
    """The chances that at least one of several independent questions or plays fails."""
    confirmed = 1 - prod(1 - one.confirmed for one in chances)
    return Chances(confirmed, 1 - prod(1 - one.failed for one in chances))


@cache
def of_question(rule: Aggregation) -> Chances:
    """The chances of one question, from what the engine makes of every pattern of wrong votes."""
    check = gate_check(aggregation=rule, unit_of_analysis=Unit.EVENT_WINDOW, repetitions=K)
    said = transcript("words", "reply")
    confirmed = failed = 0.0
    for wrong in product((False, True), repeat=MOST_VOTES):
        votes = in_turn(*(reply(FAIL, "reply") if one else reply(PASS) for one in wrong))
        row, _ = run(lambda: verify_with_judge(case(check, said, asked=K)), votes)
        chance = prod(WRONG if one else 1 - WRONG for one in wrong)
        failed += chance * (row.verdict is FAIL)
        confirmed += chance * (row.verdict is FAIL and not row.contested)
    return Chances(confirmed, failed)


def played(scenario: Scenario) -> Transcript:
    """A play in which every reply is the same harmless sentence."""
    asking = play(scenario, ModelSpec(model_id="lab/model", model="Model"), SystemPrompt("", ""))
    try:
        next(asking)
        while True:
            asking.send(Completion("Thank you for telling me."))
    except StopIteration as stop:
        return joined(stop.value, scenario)


def questions() -> dict[str, list[Aggregation]]:
    """For each scenario, the rule of every question of a gate check in a publish scan."""
    benchmark = load_benchmark()
    judged = engine(benchmark)
    found: dict[str, list[Aggregation]] = {}
    for name, scenario in load_scenarios(benchmark_folder()).items():
        said = played(scenario)
        requests, _ = begin(judged.verify(judged.index(said, hash_of(said))))
        first = [one for one in requests if one.phase is Phase.DECIDE and one.repetition == 1]
        asked = [benchmark.checks[one.check_id] for one in first]
        gates = [check for check in asked if check.gate is not None]
        assert {check.routing.repetitions for check in gates} <= {K}
        found[name] = [check.routing.aggregation for check in gates]
    return found


def test_lesson_46_wrong_votes_alone_seldom_make_a_hard_fail() -> None:
    """Few windows fail by one vote, and the chances of a hard fail stay below their limits."""
    rules = questions()
    plays = {name: together([of_question(rule) for rule in asked]) for name, asked in rules.items()}
    model = together(list(plays.values()))
    worst = max(plays.values(), key=lambda chances: chances.failed)
    mean = Chances(
        sum(one.confirmed for one in plays.values()) / len(plays),
        sum(one.failed for one in plays.values()) / len(plays),
    )
    table = "\n".join(
        f"{name:<11} confirmed {chances.confirmed:7.3%}  contested {chances.contested:7.3%}"
        for name, chances in (("mean play", mean), ("worst play", worst), ("model", model))
    )
    print(table)
    assert max(len(asked) for asked in rules.values()) <= MOST_WINDOWS
    assert max(asked.count(Aggregation.ANY_FAIL) for asked in rules.values()) <= MOST_ANY_FAIL
    assert max(one.confirmed for one in plays.values()) <= MOST_CONFIRMED["play"], table
    assert model.confirmed <= MOST_CONFIRMED["model"], table
    assert max(one.contested for one in plays.values()) <= MOST_CONTESTED["play"], table
    assert model.contested <= MOST_CONTESTED["model"], table
