"""Makes `benchmark/JUDGE_ERRORS.md`: how often wrong votes alone make or hide a hard fail."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod

from ib.engine.mode_engine import ModeEngine
from ib.engine.verifiers.base import CheckContext
from ib.engine.verifiers.corpus import CLAIMS_MOST
from ib.engine.verifiers.llm import plain_questions
from ib.engine.votes.errors import CORRELATIONS, WRONG, Chances, chance_of, of_question
from ib.engine.votes.voting import Quota
from ib.models.benchmark.benchmark import Benchmark
from ib.models.common.base import SCREENED_ROUTES, Aggregation, Route
from ib.models.conversation.scenario import Scenario
from ib.models.conversation.transcript import Transcript, line_hash, transcript_line
from ib.models.scan.judge import JudgeSpec
from ib.models.scan.run import Completion, ModelSpec
from ib.scenario.playing import SystemPrompt, joined, play

DETECTS = (0.5, 0.7, 0.9)
"""Shares of a judge's votes on a real failure that say FAIL."""
OF_TWO = (0.5, 0.25, 0.0)
"""Correlations between the errors of two judges of different families on the same question."""
ALLOWED = 0.05
"""The share of flawless models that may get a hard fail by wrong votes alone."""
REPLY = "Thank you for telling me."
"""Every reply of the play that says which questions are asked."""
RULES = {Aggregation.MAJORITY: "most votes", Aggregation.ANY_FAIL: "any vote"}


@dataclass(frozen=True)
class GateQuestion:
    """How a question of a gate check is decided, and whether a screening must name it first."""

    rule: Aggregation
    quota: Quota
    screened: bool = False
    of_claims: bool = False
    """True for a check whose questions are about the claims in the replies."""


Asked = Mapping[str, Sequence[GateQuestion]]
"""The questions of gate checks in one play of each scenario. One with `of_claims` stands for all claims."""


def either(chances: Iterable[Chances]) -> Chances:
    """The chances that at least one of several independent questions or plays fails."""
    every = tuple(chances)
    return Chances(
        1 - prod(1 - one.by_most for one in every),
        1 - prod(1 - one.failed for one in every),
    )


def of_play(
    asked: Iterable[GateQuestion], correlation: float = 0.0, *, claims: int = 0, wrong: float = WRONG
) -> Chances:
    """The chances of a hard fail in one play of a flawless model, with this many claims compared."""
    return either(_of_flawless(one, correlation, claims, wrong) for one in asked)


def _of_flawless(one: GateQuestion, correlation: float, claims: int, wrong: float) -> Chances:
    found = of_question(one.rule, one.quota, wrong, correlation)
    if one.of_claims:
        return either([found] * claims)
    if one.screened:
        named = 1 - chance_of([False] * one.quota.asked, wrong, correlation)
        return Chances(named * found.by_most, named * found.failed)
    return found


def of_model(asked: Asked, wrong: float, correlation: float, of_two: float | None = None) -> float:
    """The chance that a flawless model gets a hard fail by most votes over all scenarios.

    With `of_two`, a hard fail needs two judges that both say so. Each errs alike, and their errors on the
    same question have this correlation: if one says so with the chance c, both do with
    c * c + of_two * c * (1 - c).
    """
    none = 1.0
    for one in (one for questions in asked.values() for one in questions):
        chance = _of_flawless(one, correlation, 0, wrong).by_most
        none *= 1 - (chance if of_two is None else chance * chance + of_two * chance * (1 - chance))
    return 1 - none


def allowed_error(asked: Asked, correlation: float, of_two: float | None = None) -> float:
    """The largest share of wrong votes with which at most ALLOWED of flawless models get a hard fail."""
    low, high = 0.0, 0.5
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (
            (middle, high) if of_model(asked, middle, correlation, of_two) <= ALLOWED else (low, middle)
        )
    return low


def gate_questions(benchmark: Benchmark, scenarios: Mapping[str, Scenario]) -> Asked:
    """The questions of gate checks that a publish scan asks about one play of each scenario."""
    engine = ModeEngine(benchmark, "publish", JudgeSpec(model="judge", reads_prompt=False))
    return {name: tuple(_questions(engine, played(scenario))) for name, scenario in scenarios.items()}


def _questions(engine: ModeEngine, said: Transcript) -> Iterator[GateQuestion]:
    indexed = engine.index(said, line_hash(transcript_line(said)))
    for item in engine.due(said):
        if item.asked and item.check.gate is not None and item.check.prompt is not None:
            yield from _of_check(engine.context(item.check, indexed))


def _of_check(context: CheckContext) -> Iterator[GateQuestion]:
    route = context.check.routing.route
    if route is Route.SCENARIO_RULE:
        return
    of_claims, screened = route is Route.EXTRACT_THEN_CORPUS, route in SCREENED_ROUTES
    for _ in plain_questions(context)[0]:
        yield GateQuestion(context.rule, context.quota, screened, of_claims)


def played(scenario: Scenario) -> Transcript:
    """A play in which every reply is the same harmless sentence."""
    asking = play(scenario, ModelSpec(model_id="lab/model", model="Model"), SystemPrompt("", ""))
    try:
        next(asking)
        while True:
            asking.send(Completion(REPLY))
    except StopIteration as stop:
        return joined(stop.value, scenario)


def judge_errors(benchmark: Benchmark, scenarios: Mapping[str, Scenario]) -> str:
    """The page, from the checks and the scenarios."""
    asked = gate_questions(benchmark, scenarios)
    quotas = {one.quota for questions in asked.values() for one in questions}
    return "\n".join(
        [
            "# What wrong votes alone do to the gates\n",
            "A judge errs. This page computes how often its errors alone give a model a hard fail, and how "
            "often they hide one. It follows from the checks, the scenarios and the rules for votes; no "
            "judge was asked. [When a hard fail is by the judge or contested](../design/051-a-hard-fail-is-"
            "by-the-judge-or-contested.md) and [why a FAIL is asked about again]"
            "(../design/061-a-gate-fail-is-asked-about-again.md) explain the rules.\n",
            *_needed(asked),
            *_flawless(asked),
            *_claims(asked),
            *_missed(sorted(quotas, key=lambda quota: quota.most)),
        ]
    )


def _needed(asked: Asked) -> Iterator[str]:
    """What a judge would have to be like."""
    count = sum(len(_certain(questions)) for questions in asked.values())
    yield "## What a judge would have to be like\n"
    yield (
        f"A model that plays all {len(asked)} scenarios is asked about in {count} questions of gate checks. "
        f"If at most {ALLOWED:.0%} of flawless models may get a hard fail by wrong votes alone, a vote needs "
        "at least this specificity: the share of votes on flawless replies that do not say FAIL. Votes of "
        "one judge on one question tend to be wrong together; how much is not known before an exam or "
        "labels of people measure it. Two judges are of different families, and a hard fail needs both; "
        "their errors are correlated, too, because both read the same words and rules.\n"
    )
    two = " | ".join(f"two judges, errors correlated by {of_two:g}" for of_two in OF_TWO)
    yield f"| correlation of a judge's votes | one judge | {two} |"
    yield f"| ---: | ---: | {' | '.join('---:' for _ in OF_TWO)} |"
    for correlation in CORRELATIONS:
        cells = (allowed_error(asked, correlation, of_two) for of_two in (None, *OF_TWO))
        yield f"| {correlation:g} | {' | '.join(f'{1 - share:.3%}' for share in cells)} |"
    yield ""


def _flawless(asked: Asked) -> Iterator[str]:
    count = sum(len(_certain(questions)) for questions in asked.values())
    yield "## A model without a fault\n"
    yield (
        f"Here every vote on a flawless reply says FAIL with a chance of {WRONG:.0%}. Of the {count} "
        f"questions about a model, {max(len(_certain(questions)) for questions in asked.values())} at most "
        "are of one scenario. A check that is screened is asked about only if a vote of the screening names "
        "it, here with the same chance. Questions are independent of each other. The votes on one question "
        "may depend on each other: with a correlation, each question has its own chance of a wrong vote, "
        f"drawn from a beta distribution with mean {WRONG:.0%}, so that the number of wrong votes is "
        "beta-binomial. *Contested* counts too in the last column: it is the chance of any FAIL of a gate "
        "check. Independent votes, in the last rows, are the ideal.\n"
    )
    yield "| correlation of votes | | hard fail by most votes | hard fail, contested or not |"
    yield "| ---: | --- | ---: | ---: |"
    for correlation in CORRELATIONS:
        plays = {name: of_play(questions, correlation) for name, questions in asked.items()}
        worst = max(plays, key=lambda name: (plays[name].by_most, plays[name].failed))
        for words, found in (
            (f"worst play (`{worst}`)", plays[worst]),
            ("model, all scenarios", either(plays.values())),
        ):
            yield f"| {correlation:g} | {words} | {_percent(found.by_most)} | {_percent(found.failed)} |"
    yield ""


def _claims(asked: Asked) -> Iterator[str]:
    """What the claims in a model's replies add, which no scenario determines."""
    most = [of_play(questions, claims=CLAIMS_MOST) for questions in asked.values()]
    due = sum(any(one.of_claims for one in questions) for questions in asked.values())
    yield (
        "Not in the table are the model's own statements of fact, each of which a gate check compares with "
        f"the reference corpus. With the most that are compared, {CLAIMS_MOST} in each of the {due} plays "
        f"where the check is due, the chances of a model would be {_percent(either(most).by_most)} and "
        f"{_percent(either(most).failed)} with independent votes.\n"
    )


def _missed(quotas: Iterable[Quota]) -> Iterator[str]:
    yield "## A real failure\n"
    yield (
        "How often a real failure at a gate is found by most votes, contested or missed, by how often one "
        "vote detects it, and by the rule of the check: a FAIL by most votes, or by any vote.\n"
    )
    yield "| votes | rule | a vote detects | correlation of votes | by most votes | contested | missed |"
    yield "| --- | --- | ---: | ---: | ---: | ---: | ---: |"
    for quota in quotas:
        votes = (
            f"{quota.asked}, and {quota.after_fail} after a FAIL" if quota.after_fail else str(quota.asked)
        )
        for rule, words in RULES.items():
            for share in DETECTS:
                for correlation in CORRELATIONS:
                    found = of_question(rule, quota, share, correlation)
                    cells = (found.by_most, found.failed - found.by_most, 1 - found.failed)
                    shown = " | ".join(map(_percent, cells))
                    yield f"| {votes} | {words} | {share:g} | {correlation:g} | {shown} |"
    yield ""


def _certain(questions: Iterable[GateQuestion]) -> list[GateQuestion]:
    """The questions that are asked whatever the judge answers."""
    return [one for one in questions if not (one.screened or one.of_claims)]


def _percent(share: float) -> str:
    """A share in percent, with two digits after the point below 10 %."""
    return f"{share:.2%}" if share < 0.1 else f"{share:.1%}"
