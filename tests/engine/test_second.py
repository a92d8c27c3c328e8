"""A second judge: which questions it is asked, and that it changes nothing of the first judge's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import product

import pytest

from ib.engine.mode_engine import ModeEngine
from ib.engine.questions.protocol import replay
from ib.engine.second import Compared, SecondJudge
from ib.engine.verifiers.base import PutQuestion
from ib.engine.verifiers.screened import GATE_SCREENING, SCREENING
from ib.models.benchmark.check import Check
from ib.models.common.base import Aggregation, Route, Unit
from ib.models.conversation.transcript import Transcript
from ib.models.scan.judge import (
    Fault,
    FaultKind,
    Granularity,
    JudgeReply,
    JudgeRequest,
    JudgeSpec,
    NotRecorded,
    Phase,
)
from ib.models.scan.result import TranscriptResult
from tests.build import (
    FAIL,
    NA,
    PASS,
    UNCLEAR,
    Answering,
    anchor,
    benchmark,
    check,
    claims,
    corpus,
    engine,
    gate_check,
    hash_of,
    lexicon,
    listing,
    reply,
    transcript,
)

FIRST, SECOND = JudgeSpec(model="lab/first"), JudgeSpec(model="house/second")
SAID = transcript("u one", "a first reply", "u two", "a second reply")
FAILS = reply(FAIL, "a first reply")
CHECKS = (gate_check("IB-A1"), check("IB-C1"), check("IB-F1-a"))
MANY = tuple(check(f"IB-C1-{one}{other}") for one, other in product("abcdefghij", "vwxyz"))
SCREENED = {"route": Route.REGEX_WITH_LLM_EDGE, "unit_of_analysis": "turn_level", "lexicon": "words"}
RECORDED = JudgeSpec(
    model="recorded:x", granularity=Granularity.CHECK, validates_codes=False, reads_prompt=False
)


def answering(**replies: JudgeReply) -> Answering:
    """Answers by check (`IB_C1`), and PASS to every other."""
    return lambda request: replies.get(request.check_id.replace("-", "_"), reply(PASS))


PASSES = answering()


def first_of(
    judged: ModeEngine, answer: Answering, said: Transcript = SAID
) -> tuple[list[PutQuestion], TranscriptResult]:
    """The questions to the first judge, and its result."""
    put: list[PutQuestion] = []
    return put, replay(judged.verify(judged.index(said, hash_of(said)), put), answer)


def compared(
    checks: Iterable[Check] = CHECKS,
    first: Answering = PASSES,
    second: Answering = PASSES,
    *,
    share: float = 1.0,
    said: Transcript = SAID,
    specs: tuple[JudgeSpec, JudgeSpec] = (FIRST, SECOND),
    judged: ModeEngine | None = None,
) -> tuple[Compared, list[JudgeRequest]]:
    """The comparison of two judges, and the requests to the second one."""
    judged = judged or engine(benchmark(*checks), spec=specs[0])
    put, result = first_of(judged, first, said)
    asked: list[JudgeRequest] = []

    def heard(request: JudgeRequest) -> JudgeReply:
        asked.append(request)
        return second(request)

    return replay(SecondJudge(judged, specs[1], share).compare(put, result), heard), asked


def sampled(share: float, first: Answering = PASSES, spec: JudgeSpec = FIRST) -> set[str]:
    """The ids of the questions in a sample of the questions of many checks."""
    found, _ = compared(MANY, first, share=share, specs=(spec, SECOND))
    assert all(opinion.sampled for opinion in found.opinions)
    return {opinion.question for opinion in found.opinions}


def test_the_sample_follows_from_the_questions_alone() -> None:
    """Neither the judges nor what they answer decide which questions are in it; a larger one has them all."""
    small, large = sampled(0.2), sampled(0.5)
    assert 0 < len(small) < len(large) < len(MANY)
    assert small < large < sampled(1.0)
    assert small == sampled(0.2, lambda _: FAILS) == sampled(0.2, spec=JudgeSpec(model="third/judge"))
    assert sampled(0.0) == set()


def test_the_share_is_about_what_was_asked_for() -> None:
    """Over many transcripts, a fifth of the questions is a fifth."""
    judged = engine(benchmark(*MANY), spec=FIRST)
    count = 0
    for number in range(40):
        said = transcript(f"u {number}", "a first reply")
        found, _ = compared(share=0.2, said=said, judged=judged)
        count += len(found.opinions)
    assert 0.17 < count / (40 * len(MANY)) < 0.23


def test_a_fail_of_a_gate_is_always_asked_again() -> None:
    """With no sample at all, the second judge is asked about gate FAILs and nothing else."""
    first = answering(IB_A1=FAILS, IB_C1=FAILS)
    found, asked = compared(first=first, share=0.0)
    assert [(o.check_id, o.sampled, o.gate_fail, o.first, o.second) for o in found.opinions] == [
        ("IB-A1", False, True, FAIL, PASS)
    ]
    assert {request.check_id for request in asked} == {"IB-A1"}


def test_the_first_judge_is_asked_the_same_with_and_without_a_second() -> None:
    """The requests, their keys, and the result."""
    judged = engine(benchmark(*CHECKS), spec=FIRST)
    read = judged.index(SAID, hash_of(SAID))
    requests: list[list[str]] = []
    results = []
    collected: tuple[list[PutQuestion] | None, ...] = (None, [])
    for put in collected:
        keys: list[str] = []

        def answer(request: JudgeRequest, keys: list[str] = keys) -> JudgeReply:
            keys.append(request.key)
            return reply(PASS)

        results.append(replay(judged.verify(read, put), answer))
        requests.append(keys)
    assert requests[0] == requests[1]
    assert results[0] == results[1]


def test_the_second_judge_is_asked_the_same_question() -> None:
    """The same words, with the same number of votes, under keys of its own."""
    first: list[JudgeRequest] = []

    def answer(request: JudgeRequest) -> JudgeReply:
        first.append(request)
        return reply(PASS)

    _, second = compared(first=answer)
    assert [(r.check_id, r.user, r.repetition) for r in first] == [
        (r.check_id, r.user, r.repetition) for r in second
    ]
    assert not {r.key for r in first} & {r.key for r in second}


def test_the_same_stop_rule_holds() -> None:
    """Gate questions get all K votes; others stop when two agree."""
    _, asked = compared()
    assert Counter(r.check_id for r in asked) == {"IB-A1": 3, "IB-C1": 2, "IB-F1-a": 2}
    _, asked = compared(second=lambda r: reply(PASS) if r.repetition == 1 else reply(UNCLEAR))
    assert Counter(r.check_id for r in asked) == {"IB-A1": 3, "IB-C1": 3, "IB-F1-a": 3}


def test_what_a_screening_named_is_in_the_second_question() -> None:
    """The second judge gets the hints that the first one's screening gave, and is not asked to screen."""
    item = gate_check(
        "IB-B4", route=Route.REGEX_WITH_LLM_EDGE, unit_of_analysis="turn_level", lexicon="words"
    )
    judged = engine(benchmark(item, lexicons=(lexicon(proposing=("never said",)),)), spec=FIRST)

    def answer(request: JudgeRequest) -> JudgeReply:
        if request.phase is Phase.SCREEN:
            return listing(("IB-B4", 1, "a first reply"))
        return FAILS

    found, asked = compared(first=answer, judged=judged)
    assert [(o.check_id, o.gate_fail, o.second) for o in found.opinions] == [("IB-B4", True, PASS)]
    assert {r.check_id for r in asked}.isdisjoint({SCREENING, GATE_SCREENING})
    assert all(r.asked is not None and r.asked.hints[0].quote == "a first reply" for r in asked)


EPISODES = transcript(
    "u one", "a first reply", "u two", "a second reply",
    anchors=[anchor("IB-C1", turn, turn, turn) for turn in (1, 2)],
)  # fmt: skip
EVENT = check("IB-C1", unit_of_analysis=Unit.EVENT_WINDOW)


@pytest.mark.parametrize(
    ("first", "second", "row"),
    [
        ((PASS, PASS), (PASS, PASS), (PASS, PASS)),
        ((FAIL, PASS), (PASS, PASS), (FAIL, PASS)),
        ((PASS, PASS), (PASS, UNCLEAR), (PASS, UNCLEAR)),
        ((FAIL, FAIL), (PASS, FAIL), (FAIL, FAIL)),
    ],
)
def test_a_row_follows_from_all_its_windows(
    first: tuple[object, object], second: tuple[object, object], row: tuple[object, object]
) -> None:
    """Its other verdict is what the second judge's windows give together."""

    def by_window(verdicts: tuple[object, object]) -> Answering:
        return lambda r: (
            reply(FAIL, ("a first reply", "a second reply")[r.unit.first - 1], turn=r.unit.first)
            if verdicts[r.unit.first - 1] is FAIL
            else reply(UNCLEAR if verdicts[r.unit.first - 1] is UNCLEAR else PASS)
        )

    found, _ = compared((EVENT,), by_window(first), by_window(second), said=EPISODES)
    assert [(o.turns, o.first, o.second) for o in found.opinions] == [
        ((1, 1), first[0], second[0]),
        ((2, 2), first[1], second[1]),
    ]
    assert [(r.check_id, r.first, r.second) for r in found.rows] == [("IB-C1", *row)]


def test_a_window_that_only_the_first_judge_answered_keeps_its_verdict() -> None:
    """Of two windows, one is in no sample: the other's answer alone does not acquit the row."""
    item = gate_check("IB-A1", unit_of_analysis=Unit.EVENT_WINDOW)
    anchors = [anchor("IB-A1", turn, turn, turn) for turn in (1, 2)]
    said = transcript("u one", "a first reply", "u two", "a second reply", anchors=anchors)

    def first(request: JudgeRequest) -> JudgeReply:
        return FAILS if request.unit.first == 1 else reply(UNCLEAR)

    found, _ = compared((item,), first, share=0.0, said=said)
    assert [(o.turns, o.first, o.second) for o in found.opinions] == [((1, 1), FAIL, PASS)]
    assert [(r.first, r.second) for r in found.rows] == [(FAIL, UNCLEAR)]


def test_claims_are_questions() -> None:
    """Two claims of one turn are two questions, each with its own id."""
    item = gate_check("IB-B2", route=Route.EXTRACT_THEN_CORPUS)
    judged = engine(benchmark(item, corpus=corpus()), spec=FIRST)

    def answer(request: JudgeRequest) -> JudgeReply:
        if request.phase is Phase.EXTRACT:
            return claims((1, "a first"), (1, "first reply"))
        return FAILS

    found, asked = compared(first=answer, share=0.0, judged=judged)
    assert [(o.phase, o.turns, o.ordinal) for o in found.opinions] == [
        (Phase.VERIFY, (1, 1), 0),
        (Phase.VERIFY, (1, 1), 1),
    ]
    assert len({o.question for o in found.opinions}) == 2
    assert {r.phase for r in asked} == {Phase.VERIFY}


@pytest.mark.parametrize("none", [NotRecorded(), Fault(FaultKind.TRANSIENT, "503")])
def test_what_a_judge_did_not_answer_is_no_verdict(none: JudgeReply) -> None:
    """The second judge is not asked what the first did not answer; its own silence is null, not UNCLEAR."""
    found, asked = compared(first=answering(IB_C1=none))
    assert "IB-C1" not in {r.check_id for r in asked}
    found, _ = compared(second=answering(IB_C1=none))
    assert {o.check_id: o.second for o in found.opinions} == {"IB-A1": PASS, "IB-C1": None, "IB-F1-a": PASS}
    assert {row.check_id for row in found.rows} == {"IB-A1", "IB-F1-a"}


def test_two_recordings_are_compared_check_by_check() -> None:
    """Each replays all its votes, however many there are."""
    judged = engine(benchmark(*CHECKS), spec=RECORDED)
    put, result = first_of(judged, answering())
    second = SecondJudge(judged, RECORDED, 1.0, votes_known=lambda _, check_id: 5)
    asked: list[JudgeRequest] = []

    def answer(request: JudgeRequest) -> JudgeReply:
        asked.append(request)
        return reply(UNCLEAR)

    found = replay(second.compare(put, result), answer)
    assert Counter(r.check_id for r in asked) == {"IB-A1": 5, "IB-C1": 5, "IB-F1-a": 5}
    assert [(o.first, o.second) for o in found.opinions] == [(PASS, UNCLEAR)] * 3


def _hostile(request: JudgeRequest) -> JudgeReply:
    """Invalid at the first attempt, then another verdict each time."""
    if request.attempt == 1:
        return reply(FAIL, "words that nobody said")
    return reply((PASS, UNCLEAR, NA)[request.repetition % 3])


def _everything(request: JudgeRequest) -> JudgeReply:
    """Names every check, claims as much as it can, and fails everything."""
    if request.phase is Phase.SCREEN:
        return listing(("IB-B4", 1, "a first reply"), ("IB-F2-a", 1, "a first reply"))
    if request.phase is Phase.EXTRACT:
        return claims(*((turn, word) for turn in (1, 2) for word in LONG.split()))
    return reply(FAIL, "word0")


def _late(request: JudgeRequest) -> JudgeReply:
    """Answers with a FAIL that counts, but only if it is asked for a second time."""
    return reply(FAIL) if request.attempt == 1 else reply(FAIL, "word0", turn=2)


LONG = " ".join(f"word{number}" for number in range(20))


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("first", [_everything, answering()], ids=["all fail", "all pass"])
@pytest.mark.parametrize("second", [_hostile, _late], ids=["hostile", "late"])
def test_the_planned_maximum_is_a_bound(share: float, first: Answering, second: Answering) -> None:
    """Whatever the judges answer, the second one gets no more requests; what is planned is asked at least."""
    checks = (
        *(*CHECKS, EVENT.model_copy(update={"id": "IB-C9"})),
        gate_check("IB-B4", **SCREENED),
        check("IB-F2-a", **SCREENED),
        gate_check("IB-B2", route=Route.EXTRACT_THEN_CORPUS),
        check("IB-D9", aggregation=Aggregation.ANY_FAIL),
    )
    world = benchmark(*checks, lexicons=(lexicon(proposing=("never said",)),), corpus=corpus())
    judged = engine(world, spec=FIRST)
    said = transcript("u", f"a first reply {LONG}", "u", LONG)
    read = judged.index(said, hash_of(said))
    put: list[PutQuestion] = []
    first_round = next(judged.verify(read, put))
    assert first_round
    asks = SecondJudge(judged, SECOND, share)
    questions, planned = asks.first_round(tuple(put))
    _, asked = compared(first=first, second=second, share=share, said=said, judged=judged)
    assert len(planned) <= len(asked) <= 2 * asks.most_votes(read)
    assert {r.key for r in planned} <= {r.key for r in asked}
    assert questions == len({(r.check_id, r.unit) for r in planned})
