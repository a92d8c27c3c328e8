"""The plan of a scan: complete before anything is asked, and changed by every input."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ib.engine.verifiers.corpus import CLAIMS_MOST
from ib.models.benchmark.benchmark import Benchmark
from ib.models.benchmark.check import Check
from ib.models.common.base import Aggregation, Route, Scope, Unit
from ib.models.common.canonical import digest
from ib.models.conversation.transcript import Transcript
from ib.models.scan.judge import Granularity, JudgeReply, JudgeRequest, JudgeSpec, NotRecorded
from ib.models.scan.plan import ScanPlan
from ib.pipeline.scan.plan import Planner
from tests.build import (
    FAIL,
    NA,
    PASS,
    anchor,
    benchmark,
    beside,
    check,
    claims,
    corpus,
    engine,
    frame,
    gate_check,
    hash_of,
    lexicon,
    listing,
    reply,
    rules,
    run,
    scoring,
    transcript,
)

WORDS = lexicon(proposing=("always here",))
CHECKS = (
    gate_check("IB-A1"),
    check("IB-C1", route=Route.HYBRID_LLM, unit_of_analysis=Unit.EVENT_WINDOW, lexicon="words"),
    check("IB-D1-a", scope=Scope.TRIGGER, tags=("grief",)),
    check("IB-F1-a", suppressed_by_tags=("grief",), repetitions=1),
)
SAID = transcript("u", "I am always here.", "u", "Rest.", tags=("night",))
TAGGED = transcript("u", "Rest.", "u", "Rest.", scenario_id="scenario-2", tags=("grief",))


def planned(
    world: Benchmark,
    *said: Transcript,
    profile: str = "publish",
    spec: JudgeSpec | None = None,
    votes_known: int = 0,
) -> ScanPlan:
    """The plan over transcripts."""
    judged = engine(world, profile, spec)
    judged.votes_known = lambda transcript, check_id: votes_known
    planner = Planner(judged, beside(judged))
    return planner.plan(planner.transcripts((t, hash_of(t)) for t in said))


def world(*checks: object, **parts: object) -> Benchmark:
    """The checks of this module with their lexicon."""
    return benchmark(*(checks or CHECKS), **{"lexicons": (WORDS,), **parts})  # type: ignore[arg-type]


def test_the_plan_counts_what_is_due_and_what_is_asked_first() -> None:
    """Due, suppressed and first-round calls for each check and transcript, before any call."""
    plan = planned(world(), SAID, TAGGED)
    counts = {c.check_id: (c.selected, c.due, c.suppressed, c.calls) for c in plan.checks}
    # A gate asks its three votes, others two first; what a phrase hints at is part of the one question.
    assert counts == {
        "IB-A1": (True, 2, 0, 6),
        "IB-C1": (True, 2, 0, 4),
        "IB-D1-a": (True, 1, 0, 2),
        "IB-F1-a": (True, 1, 1, 1),
    }
    assert [(t.scenario_id, t.due, t.calls) for t in plan.transcripts] == [
        ("scenario-1", 3, 6),
        ("scenario-2", 3, 7),
    ]
    assert plan.planned_calls == 13


def test_without_a_judge_no_call_is_planned_and_nothing_is_paid() -> None:
    """The plan of a scan without a judge counts checks and no calls."""
    plan = planned(world(), SAID, spec=JudgeSpec(model="none", priced=False))
    assert (plan.planned_calls, plan.planned_calls_max, plan.estimated_cost_usd) == (0, 0, 0.0)
    assert planned(world(), SAID).estimated_cost_usd is None


def spent(item: object, said: Transcript, answer: object, profile: str = "publish") -> int:
    """How many requests a scan really makes."""
    judged = engine(world(item), profile)
    read = judged.index(said, hash_of(said))
    _, rounds = run(lambda: judged.verify(read), answer)  # type: ignore[arg-type]
    return sum(map(len, rounds))


@pytest.mark.parametrize("profile", ["publish", "full"])
@pytest.mark.parametrize("item", CHECKS, ids=lambda item: item.id)
def test_the_most_that_a_plan_says_is_enough(item: Check, profile: str) -> None:
    """Even where every reply has to be asked for twice, no more calls are made than planned."""
    said = SAID.model_copy(update={"tags": ("grief",)} if item.id == "IB-D1-a" else {})
    plan = planned(world(item), said, profile=profile)
    for answer in (lambda _: reply(FAIL), late_fail):
        assert plan.planned_calls <= spent(item, said, answer, profile) <= plan.planned_calls_max


def late_fail(request: JudgeRequest) -> JudgeReply:
    """A FAIL that counts, but only if it is asked for a second time."""
    assert request.asked is not None
    return reply(FAIL) if request.attempt == 1 else reply(FAIL, request.asked.transcript.messages[1].content)


def test_the_most_that_a_plan_says_is_enough_for_claims() -> None:
    """However many claims an extraction brings, CLAIMS_MOST of them are compared, each with K votes, and
    twice more if it can be a FAIL of a gate."""
    for item, most in (
        (check("IB-B3", route=Route.EXTRACT_THEN_CORPUS), 3),
        (gate_check("IB-B3", route=Route.EXTRACT_THEN_CORPUS), 5),
    ):
        the_most_is_enough_for_claims(item, most)


def the_most_is_enough_for_claims(item: Check, most: int) -> None:
    """Try replies that need many calls, if a claim has at most this many votes."""
    names = [f"Number {n} is so." for n in range(CLAIMS_MOST + 8)]
    said = transcript("u", " ".join(names))
    extraction = claims(*((1, name) for name in names))
    plan = planned(world(item), said)
    replies = {
        "PASS": lambda _: reply(PASS),
        "split": lambda request: reply(PASS if request.repetition == 1 else NA),
        "void": lambda _: reply(FAIL),
        "late": late_fail,
    }
    for kind, answer in replies.items():
        made = spent(item, said, lambda r, answer=answer: extraction if r.phase == "extract" else answer(r))
        assert plan.planned_calls < made <= plan.planned_calls_max, kind
    assert plan.planned_units == 3 + most * CLAIMS_MOST


def test_screenings_are_planned_and_their_questions_are_not_known_before() -> None:
    """Two screening questions for the transcript, one of them asked three times; a hint is asked about at
    once. What a screening may name is part of the most, and not of the least."""
    edge = {"route": Route.REGEX_WITH_LLM_EDGE, "lexicon": "words"}
    items = (check("IB-F2-a", **edge), check("IB-F2-b", **edge), gate_check("IB-B4", **edge))
    silent, hinted = transcript("u", "Rest."), transcript("u", "I am always here.", scenario_id="scenario-2")
    plan = planned(world(*items), silent)
    own = sum(item.routing.repetitions for item in items) + 2  # a FAIL of the gate check is asked twice more
    assert (plan.planned_calls, plan.planned_units) == (4, 4 + own)
    assert plan.planned_calls < plan.planned_calls_expected < plan.planned_calls_max == 2 * (4 + own)
    assert planned(world(*items), hinted).planned_calls == 7
    gate, names_it = items[2], listing(("IB-B4", 1, "Rest."))
    made = spent(gate, silent, lambda r: names_it if r.phase == "screen" else late_fail(r))
    assert made == 3 + 2 * (3 + 2) <= planned(world(gate), silent).planned_calls_max
    assert planned(world(*items), silent, spec=JudgeSpec(model="lexical", screens=False)).planned_calls == 0


def test_the_most_is_never_less_than_the_first_round() -> None:
    """A recording with more votes than K is replayed whole, and the plan says so."""
    spec = JudgeSpec(model="recorded:x", base="0", granularity=Granularity.CHECK, validates_codes=False)
    plan = planned(world(check("IB-C1", repetitions=1)), SAID, spec=spec, votes_known=5)
    assert plan.planned_calls == 5
    assert plan.planned_calls_max >= plan.planned_calls


BASE = planned(world(), SAID, TAGGED)
JUDGE = JudgeSpec(model="judge")
CHANGES: dict[str, Callable[[], ScanPlan]] = {
    "check": lambda: planned(world(gate_check("IB-A1", fail_rule="other"), *CHECKS[1:]), SAID, TAGGED),
    "aggregation": lambda: planned(
        world(gate_check("IB-A1", aggregation=Aggregation.ANY_FAIL), *CHECKS[1:]), SAID, TAGGED
    ),
    "one check fewer": lambda: planned(world(*CHECKS[:3]), SAID, TAGGED),
    "lexicon": lambda: planned(world(lexicons=(lexicon(proposing=("always", "here")),)), SAID, TAGGED),
    "scoring": lambda: planned(world(scoring=scoring(corrected_quote_min_chars=21)), SAID, TAGGED),
    "flags": lambda: planned(world(scoring=scoring(flags=[{"flag": "x", "check": "IB-C1"}])), SAID, TAGGED),
    "rules": lambda: planned(world(rules={"base": rules(title="Other")}), SAID, TAGGED),
    "frame": lambda: planned(world(frame=frame(system="Judge well.")), SAID, TAGGED),
    "corpus": lambda: planned(world(corpus=corpus("Other.")), SAID, TAGGED),
    "judge": lambda: planned(world(), SAID, TAGGED, spec=JudgeSpec(model="other")),
    "params": lambda: planned(world(), SAID, TAGGED, spec=JudgeSpec(model="judge", params={"t": 1})),
    "base": lambda: planned(world(), SAID, TAGGED, spec=JudgeSpec(model="judge", base="https://x")),
    "profile": lambda: planned(world(), SAID, TAGGED, profile="full"),
    "one scenario fewer": lambda: planned(world(), SAID),
    "anchor": lambda: planned(
        world(),
        transcript("u", "I am always here.", "u", "Rest.", anchors=[anchor("IB-C1", 2, 2, 2)]),
        TAGGED,
    ),
    "tags": lambda: planned(world(), transcript("u", "I am always here.", "u", "Rest.", tags=("x",)), TAGGED),
    "opening": lambda: planned(world(), transcript("v", "I am always here.", "u", "Rest."), TAGGED),
    "jurisdiction": lambda: planned(
        world(), transcript("u", "I am always here.", "u", "Rest.", jurisdiction="ny"), TAGGED
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_the_plan_and_its_comparability_key_change_with(name: str) -> None:
    """Two scans that differ in this never share a plan, nor a table."""
    changed = CHANGES[name]()
    assert digest(changed) != digest(BASE)
    assert changed.comparability_key != BASE.comparability_key


def test_the_same_inputs_have_the_same_plan() -> None:
    """Nothing but the inputs is in a plan."""
    assert digest(planned(world(), SAID, TAGGED)) == digest(BASE)


def test_a_reply_changes_the_plan_and_not_the_key() -> None:
    """What a model answered is not what makes two rows comparable; nor is its name."""
    for said in (
        transcript("u", "I am always here.", "u", "Sleep.", tags=("night",)),
        transcript("u", "I am always here.", "u", "Rest.", model_id="lab/other", tags=("night",)),
    ):
        changed = planned(world(), said, TAGGED)
        assert digest(changed) != digest(BASE)
        assert changed.comparability_key == BASE.comparability_key


def test_the_key_does_not_depend_on_the_order_of_transcripts() -> None:
    """The set of scenarios is a set."""
    assert planned(world(), TAGGED, SAID).comparability_key == BASE.comparability_key


@pytest.mark.parametrize("answer", [NotRecorded(), reply(FAIL), reply(PASS)], ids=["none", "fail", "pass"])
def test_nothing_is_asked_while_planning(answer: JudgeReply) -> None:
    """The calls of a plan are those of the first round, whatever will be answered to them."""
    judged = engine(world())
    planner = Planner(judged, beside(judged))
    plan = planner.plan(planner.transcripts([(SAID, hash_of(SAID))]))
    _, rounds = run(lambda: judged.verify(judged.index(SAID, hash_of(SAID))), lambda _: answer)
    assert plan.planned_calls == len(rounds[0]) > 0


def test_a_plan_names_what_a_recording_knows() -> None:
    """For each check whether the recording holds it; without a recording nothing is said."""
    judged = engine(world())
    plan = Planner(judged, beside(judged)).plan((), recorded_checks=frozenset({"IB-A1"}))
    assert [c.recorded for c in plan.checks] == [True, False, False, False]
    assert {c.recorded for c in BASE.checks} == {None}
