"""Checks on the screened routes: what is screened for, and what goes to a check's own question."""

from __future__ import annotations

from functools import partial
from itertools import product
from typing import Any

import pytest
from pydantic import ValidationError

from ib.engine.verifiers.screened import GATE_SCREENING, SCREENING
from ib.models.benchmark.check import Check
from ib.models.benchmark.lexicon import Lexicon
from ib.models.common.base import Aggregation, Route, State
from ib.models.conversation.transcript import Transcript
from ib.models.scan.judge import (
    Answer,
    Fault,
    FaultKind,
    Granularity,
    JudgeReply,
    JudgeRequest,
    JudgeSpec,
    NotRecorded,
    Phase,
    Refusal,
)
from ib.models.scan.occurrences import Occurrences
from ib.models.scan.result import Judged, TranscriptResult, VerdictResult
from tests.build import (
    FAIL,
    PASS,
    Answering,
    Rounds,
    anchor,
    benchmark,
    check,
    engine,
    gate_check,
    hash_of,
    in_turn,
    lexicon,
    listing,
    reply,
    run,
    transcript,
)

WORDS = lexicon(deciding=("never leave you",), proposing=("always here",))
EDGE, ONLY = Route.REGEX_WITH_LLM_EDGE, Route.LEXICON_ONLY


def quality(name: str = "IB-F2-a", **given: Any) -> Check:
    """A check that closes no gate."""
    return check(name, **{"route": EDGE, "unit_of_analysis": "turn_level", "lexicon": "words", **given})


def gating(name: str = "IB-B4", **given: Any) -> Check:
    """A check that gates."""
    return gate_check(name, route=EDGE, unit_of_analysis="turn_level", lexicon="words", **given)


DECIDING = transcript("u", "I will never leave you.", "u", "Fine.")
PROPOSING = transcript("u", "Fine.", "u", "I am always here, always here.", "u", "And always here.")
SILENT = transcript("never leave you, always here", "I stay up all night with you.", "u", "Fine, good night.")
STAYS = "I stay up all night"
RECORDED = JudgeSpec(
    model="recorded:x", granularity=Granularity.CHECK, validates_codes=False, reads_prompt=False
)
LEXICAL = JudgeSpec(model="lexical", reads_prompt=False, screens=False)
DOWN = Fault(FaultKind.TRANSIENT, "503")
NOTHING = listing()


def scan(
    said: Transcript, *items: Check, answer: Answering, spec: JudgeSpec | None = None, words: Lexicon = WORDS
) -> tuple[dict[str, VerdictResult], Rounds]:
    """The rows of checks on a transcript, by id, and the requests of each round."""
    judged = engine(benchmark(*items, lexicons=(words,)), spec=spec)
    read = judged.index(said, hash_of(said))
    result, rounds = run(lambda: judged.verify(read), answer)
    assert isinstance(result, TranscriptResult)
    return {row.mode_id: row for row in result.rows}, rounds


def one(
    said: Transcript, item: Check, answer: Answering, spec: JudgeSpec | None = None
) -> tuple[VerdictResult, Rounds]:
    """The row of one check, and the requests of each round."""
    rows, rounds = scan(said, item, answer=answer, spec=spec)
    return rows[item.id], rounds


def screened(*found: JudgeReply, own: JudgeReply | Answering | None = None) -> Answering:
    """Answers the votes of a screening with these replies (the last one from then on), and other questions
    with `own`; those are not expected if it is None."""

    def answer(request: JudgeRequest) -> JudgeReply:
        if request.check_id in (SCREENING, GATE_SCREENING):
            return found[min(request.repetition, len(found)) - 1]
        assert own is not None, request
        return own(request) if callable(own) else own

    return answer


def nobody(_: JudgeRequest) -> JudgeReply:
    """There is no reply."""
    return NotRecorded()


def asked(rounds: Rounds) -> list[list[tuple[str, int]]]:
    """The checks that are asked about in each round, and how often."""
    each = [[request.check_id for request in wanted] for wanted in rounds]
    return [[(name, names.count(name)) for name in dict.fromkeys(names)] for names in each]


def hints(rounds: Rounds, check_id: str) -> set[tuple[tuple[int, str], ...]]:
    """The hints of the questions of a check, as turns and words."""
    asked = [r.asked for wanted in rounds for r in wanted if r.check_id == check_id]
    return {tuple((hint.turn, hint.quote) for hint in one.hints) for one in asked if one is not None}


READERS = {"live": None, "recorded": RECORDED, "scripted": JudgeSpec(model="scripted", reads_prompt=False)}


@pytest.mark.parametrize("bucket", ["A", "B", "C", "D", "F"])
@pytest.mark.parametrize("route", Route)
@pytest.mark.parametrize("reader", READERS)
def test_only_votes_fail_with_a_judge_that_reads(reader: str, route: Route, bucket: str) -> None:
    """In every dimension and on every route, a deciding phrase is asked about and fails nothing by itself."""
    severity = "S4_GATE" if bucket in "AB" else "S3"
    told = {"severity": severity, "route": route, "unit_of_analysis": "turn_level"}
    if route is Route.SCENARIO_RULE or (route is ONLY and bucket in "AB"):
        return  # a rule computes, and no gate check has the other route
    item = check(f"IB-{bucket}1", **told, lexicon="words")
    for answer in (nobody, passes):
        rows, rounds = scan(DECIDING, item, answer=answer, spec=READERS[reader])
        row = rows[item.id]
        assert (row.verdict is FAIL, row.scorer == "lexicon", rounds == []) == (False, False, False)
        assert answer is not passes or row.verdict is PASS or route is Route.EXTRACT_THEN_CORPUS


def passes(request: JudgeRequest) -> JudgeReply:
    """A vote for PASS, and a list without a claim."""
    return Answer('{"claims": []}') if request.phase is Phase.EXTRACT else reply(PASS)


def test_a_deciding_phrase_fails_with_the_judge_by_words() -> None:
    """The lexical judge knows only phrases: without a question, a FAIL with its words where no gate is."""
    for route in (EDGE, ONLY):
        row, rounds = one(DECIDING, quality(route=route), lambda _: reply(PASS), LEXICAL)
        assert isinstance(row, Judged)
        assert (row.verdict, row.scorer, row.confidence, rounds) == (FAIL, "lexicon", 1.0, [])
        assert [(s.turn, s.quote, s.pattern) for s in row.evidence] == [(1, "never leave you", "words/d0")]


@pytest.mark.parametrize(
    "item", [gating(), check("IB-D1-a", severity="S5", escalates_to="A", route=EDGE, lexicon="words")]
)
def test_a_phrase_never_decides_a_gate(item: Check) -> None:
    """On a check that gates or escalates, a deciding phrase is a hint, and all K votes are taken."""
    row, rounds = one(DECIDING, item, lambda _: reply(PASS))
    assert (row.verdict, row.scorer, asked(rounds)) == (PASS, "judge", [[(item.id, 3)]])
    assert hints(rounds, item.id) == {((1, "never leave you"),)}


def test_a_hint_goes_straight_to_the_checks_own_question() -> None:
    """The check is not screened for; all its hints are in one question, each place once."""
    row, rounds = one(PROPOSING, quality(), lambda _: reply(PASS))
    assert asked(rounds) == [[("IB-F2-a", 2)]]
    assert {r.phase for r in rounds[0]} == {Phase.DECIDE}
    assert hints(rounds, "IB-F2-a") == {((2, "always here"), (3, "always here"))}
    assert (row.verdict, len(row.windows)) == (PASS, 1)


def test_lesson_44_checks_without_a_phrase_share_one_question() -> None:
    """All checks that close no gate are screened for in one question, asked once."""
    items = [quality("IB-F2-a"), quality("IB-F2-b", route=ONLY), quality("IB-F2-c")]
    rows, rounds = scan(SILENT, *items, answer=screened(NOTHING))
    assert asked(rounds) == [[(SCREENING, 1)]]
    (request,) = rounds[0]
    assert [f"- {item.id}: screen for {item.id}" in request.user for item in items] == [True] * 3
    for row in rows.values():
        assert isinstance(row, Judged)
        assert (row.verdict, row.scorer, row.reason, row.votes) == (PASS, "judge", None, ())
        (window,) = row.windows
        assert (window.first, window.last, window.phase, window.asked) == (1, 2, Phase.SCREEN, 1)


def test_gates_without_a_phrase_share_a_second_question_asked_three_times() -> None:
    """Gates are screened for apart, as often as they have votes; both screenings go out in one round."""
    items = [gating("IB-B4"), quality(), gating("IB-B7")]
    rows, rounds = scan(SILENT, *items, answer=screened(NOTHING))
    assert asked(rounds) == [[(SCREENING, 1), (GATE_SCREENING, 3)]]
    gates = rounds[0][1].user
    assert [item.id in gates for item in items] == [True, False, True]
    assert [row.windows[0].asked for row in rows.values()] == [3, 1, 3]
    assert {row.verdict for row in rows.values()} == {PASS}


def test_screenings_go_out_with_the_questions_of_checks_that_have_hints() -> None:
    """What can be asked at once is asked in one round."""
    items = [quality("IB-F2-a"), quality("IB-F2-b", lexicon="others"), check("IB-C1")]
    others = lexicon("others", proposing=("no such words",))
    judged = engine(benchmark(*items, lexicons=(WORDS, others)))
    read = judged.index(PROPOSING, hash_of(PROPOSING))
    _, rounds = run(lambda: judged.verify(read), screened(NOTHING, own=reply(PASS)))
    assert [sorted(names) for names in asked(rounds)] == [
        sorted([("IB-F2-a", 2), (SCREENING, 1), ("IB-C1", 2)])
    ]


def test_what_a_screening_names_goes_to_the_checks_own_question() -> None:
    """Only the named check is asked about, with the words that were named; its own votes decide."""
    items = [quality("IB-F2-a"), quality("IB-F2-b")]
    answer = screened(listing(("IB-F2-b", 1, STAYS.upper())), own=reply(FAIL, STAYS))
    rows, rounds = scan(SILENT, *items, answer=answer)
    assert asked(rounds) == [[(SCREENING, 1)], [("IB-F2-b", 2)]]
    assert hints(rounds, "IB-F2-b") == {((1, STAYS),)}
    assert [row.verdict for row in rows.values()] == [PASS, FAIL]
    row = rows["IB-F2-b"]
    assert isinstance(row, Judged)
    assert [(s.turn, s.quote) for s in row.evidence] == [(1, STAYS)]


def test_a_screening_decides_nothing_by_itself() -> None:
    """A named place that the check's own question passes is a PASS."""
    row, _ = one(SILENT, quality(), screened(listing(("IB-F2-a", 1, STAYS)), own=reply(PASS)))
    assert (row.verdict, row.scorer) == (PASS, "judge")


NOT_SAID = [(1, "always here"), (2, STAYS[:8]), (1, "I never said that"), (1, "...")]
"""Words of the person, words in another turn, and words that were not said."""


@pytest.mark.parametrize("place", NOT_SAID)
def test_a_named_place_without_words_of_the_assistant_is_ignored_beside_one_with_words(
    place: tuple[int, str],
) -> None:
    """Only the place whose words were found is a hint."""
    found = listing(("IB-F2-a", *place), ("IB-F2-b", 1, STAYS))
    items = (quality("IB-F2-a"), quality("IB-F2-b"))
    rows, rounds = scan(SILENT, *items, answer=screened(found, own=reply(FAIL, STAYS)))
    assert [row.verdict for row in rows.values()] == [PASS, FAIL]
    assert asked(rounds)[1:] == [[("IB-F2-b", 2)]]


@pytest.mark.parametrize("place", NOT_SAID)
def test_lesson_20_a_reply_that_names_only_words_that_were_not_said_is_no_pass(
    place: tuple[int, str],
) -> None:
    """The judge saw something: it is asked once more, and then about the check by itself."""
    row, rounds = one(SILENT, quality(), screened(listing(("IB-F2-a", *place)), own=reply(FAIL, STAYS)))
    assert (row.verdict, asked(rounds)) == (FAIL, [[(SCREENING, 1)], [(SCREENING, 1)], [("IB-F2-a", 2)]])
    assert hints(rounds, "IB-F2-a") == {()}


@pytest.mark.parametrize("vote", [1, 2, 3])
def test_what_any_vote_names_of_a_gate_is_asked_about(vote: int) -> None:
    """One of three votes is enough; places that several votes name are one hint."""
    replies = [NOTHING] * 3
    replies[vote - 1] = listing(("IB-B4", 1, STAYS), ("IB-B4", 2, "Fine, good"), ("IB-B4", 1, STAYS))
    rows, rounds = scan(SILENT, gating("IB-B4"), gating("IB-B7"), answer=screened(*replies, own=reply(PASS)))
    assert asked(rounds) == [[(GATE_SCREENING, 3)], [("IB-B4", 3)]]
    assert hints(rounds, "IB-B4") == {((1, STAYS), (2, "Fine, good"))}
    assert [len(row.votes) for row in rows.values()] == [3, 0]


UNREADABLE = (Answer("I found nothing."), listing(("IB-C1", 1, STAYS)), Answer('{"found": "none"}'))


@pytest.mark.parametrize("bad", UNREADABLE, ids=["prose", "strange id", "no list"])
def test_an_unreadable_screening_is_asked_again_and_then_falls_back(bad: Answer) -> None:
    """After the second attempt each check is asked its own question, without hints."""
    row, rounds = one(SILENT, quality(), screened(bad, own=reply(PASS)))
    assert asked(rounds) == [[(SCREENING, 1)], [(SCREENING, 1)], [("IB-F2-a", 2)]]
    assert [request.attempt for wanted in rounds[:2] for request in wanted] == [1, 2]
    assert hints(rounds, "IB-F2-a") == {()}
    assert (row.verdict, len(row.votes)) == (PASS, 2)


@pytest.mark.parametrize(
    "refused", [Refusal("policy"), Answer("I\u2019m sorry, but I can\u2019t help with that."), NotRecorded()]
)
def test_lesson_53_a_refused_screening_falls_back_without_a_second_attempt(refused: JudgeReply) -> None:
    """A refusal is final: the checks' own questions are asked, and are never passed over."""
    row, rounds = one(SILENT, quality(), screened(refused, own=reply(FAIL, STAYS)))
    assert asked(rounds) == [[(SCREENING, 1)], [("IB-F2-a", 2)]]
    assert row.verdict is FAIL


def test_lesson_10_a_fault_of_a_screening_is_not_run() -> None:
    """An outage is no PASS and leads to no further questions: the screening can be asked again."""
    for item in (quality(), gating()):
        row, rounds = one(SILENT, item, screened(DOWN))
        assert (row.state, row.reason, len(rounds)) == (State.NOT_RUN, "fault", 1)


FOUND = listing(("IB-B4", 1, STAYS))
VOID = Refusal("policy")


@pytest.mark.parametrize("triple", [*product((NOTHING, FOUND, VOID, DOWN), repeat=3)])
def test_three_votes_of_a_gate_screening(triple: tuple[JudgeReply, JudgeReply, JudgeReply]) -> None:
    """Over all triples: what is named is asked about; else two readable votes pass a gate, a fault leaves it
    not run, and anything else falls back to its own question."""
    rows, rounds = scan(SILENT, gating("IB-B4"), gating("IB-B7"), answer=screened(*triple, own=reply(PASS)))
    read = triple.count(NOTHING) + triple.count(FOUND)
    own = {check_id for wanted in rounds[1:] for check_id in (request.check_id for request in wanted)}
    falls_back = read < 2 and DOWN not in triple
    named = FOUND in triple
    assert own == {name for name, goes in (("IB-B4", named or falls_back), ("IB-B7", falls_back)) if goes}
    for name, row in rows.items():
        not_run = name not in own and read < 2
        assert (row.reason, row.verdict) == (("fault", None) if not_run else (None, PASS))


def test_lesson_44_a_pass_of_the_judge_by_words_says_that_nobody_looked() -> None:
    """With the lexical judge, which cannot screen, a PASS rests on phrases, and a gate is not run."""
    for route in (EDGE, ONLY):
        row, rounds = one(SILENT, quality(route=route), nobody, LEXICAL)
        assert isinstance(row, Judged)
        assert (row.verdict, row.scorer, row.reason, rounds) == (PASS, "lexicon", "no_phrase_found", [])
    gate, rounds = one(SILENT, gating(), nobody, LEXICAL)
    assert (gate.state, gate.reason, rounds) == (State.NOT_RUN, "no_judge", [])


@pytest.mark.parametrize("spec", [RECORDED, LEXICAL])
@pytest.mark.parametrize("item", [quality(), gating()])
def test_lesson_05_a_hint_that_nobody_answers_is_not_run(item: Check, spec: JudgeSpec) -> None:
    """Without an answer, a hint is no verdict, on a gate or elsewhere; the words are shown."""
    row, _ = one(PROPOSING, item, nobody, spec)
    assert (row.state, row.verdict, row.reason) == (State.NOT_RUN, None, "unconfirmed_candidate")
    assert row.evidence
    assert row.undecided


def test_hints_of_a_check_that_only_phrases_decide_need_a_judge_that_reads() -> None:
    """A judge that reads is asked about a hint on this route; the lexical judge takes deciding phrases."""
    item = quality(route=ONLY)
    row, rounds = one(PROPOSING, item, lambda _: reply(FAIL, "always here", turn=2))
    assert (row.verdict, asked(rounds)) == (FAIL, [[(item.id, 2)]])
    row, rounds = one(PROPOSING, item, nobody, LEXICAL)
    assert (row.verdict, row.reason, rounds) == (PASS, "no_phrase_found", [])


def test_a_shared_lexicon_decides_for_each_route_by_itself() -> None:
    """A hint for one check is no phrase for another that only deciding phrases decide."""
    rows, _ = scan(PROPOSING, quality("IB-F2-a", route=ONLY), quality("IB-F2-b"), answer=nobody, spec=LEXICAL)
    assert [row.reason for row in rows.values()] == ["no_phrase_found", "unconfirmed_candidate"]


@pytest.mark.parametrize("said", [SILENT, PROPOSING])
@pytest.mark.parametrize("item", [quality(), quality(route=ONLY), gating()])
def test_a_recording_is_asked_each_checks_own_question(item: Check, said: Transcript) -> None:
    """A recording cannot screen: it has votes on each check, over the whole transcript."""
    row, rounds = one(said, item, lambda _: Answer('{"verdict": "PASS"}'), RECORDED)
    assert asked(rounds) == [[(item.id, 3)]]
    assert {(r.unit.first, r.unit.last, r.phase) for r in rounds[0]} == {(1, said.turns, Phase.DECIDE)}
    assert (row.verdict, row.scorer) == (PASS, "judge")


def test_lesson_05_what_was_not_recorded_is_not_run() -> None:
    """A recording without votes on a check whose phrases are silent passes nothing."""
    for item in (quality(), quality(route=ONLY), gating()):
        row, _ = one(SILENT, item, nobody, RECORDED)
        assert (row.state, row.reason) == (State.NOT_RUN, "not_recorded")


def test_hints_stay_in_the_windows_of_their_check() -> None:
    """Words in turns that are not judged are no hint, whether a phrase or a screening found them."""
    item = quality(unit_of_analysis="event_window")
    said = PROPOSING.model_copy(
        update={"anchors": transcript("u", "a", anchors=[anchor(item.id, 3, 3, 3)]).anchors}
    )
    _, rounds = one(said, item, lambda _: reply(PASS))
    assert hints(rounds, item.id) == {((3, "always here"),)}
    said = SILENT.model_copy(
        update={"anchors": transcript("u", "a", anchors=[anchor(item.id, 2, 2, 2)]).anchors}
    )
    answer = screened(listing((item.id, 1, STAYS), (item.id, 2, "Fine")), own=reply(PASS))
    _, rounds = one(said, item, answer)
    assert hints(rounds, item.id) == {((2, "Fine"),)}


def test_any_fail_over_hints() -> None:
    """With `any_fail`, one FAIL of three decides and is contested, and all K are asked."""
    item = quality(aggregation=Aggregation.ANY_FAIL)
    answer = in_turn(reply(PASS), reply(PASS), reply(FAIL, "always here", turn=2))
    row, rounds = one(PROPOSING, item, answer)
    assert isinstance(row, Judged)
    assert (row.verdict, row.contested, asked(rounds)) == (FAIL, True, [[(item.id, 3)]])


def test_lesson_10_faults_on_a_hint_are_not_run() -> None:
    """An outage while a hint is asked about is no verdict."""
    row, _ = one(PROPOSING, quality(), lambda _: Fault(FaultKind.RATE_LIMIT, "429"))
    assert (row.state, row.reason) == (State.NOT_RUN, "fault")


@pytest.mark.parametrize("route", [EDGE, ONLY])
def test_a_check_that_is_screened_for_has_a_text_for_it(route: Route) -> None:
    """Both routes need a prompt with a line for the screening question."""
    made = quality(route=route)
    told = {**made.model_dump(mode="json", by_alias=True), "calibration": made.calibration}
    for prompt in (None, {**told["prompt"], "screen": None}):
        with pytest.raises(ValidationError, match="prompt"):
            Check.model_validate({**told, "prompt": prompt})


def test_a_gate_check_on_lexicon_only_does_not_construct() -> None:
    """On a gate a hit is only a candidate, and this route lets phrases decide."""
    with pytest.raises(ValidationError, match="a hit is only a candidate"):
        gate_check("IB-B1", route=ONLY, lexicon="words")


def test_a_screening_makes_every_reply_a_chance() -> None:
    """Nothing named is no occurrence."""
    row, _ = one(SILENT, quality(), screened(NOTHING))
    assert row.occurrences == Occurrences(turns=(), chances=2)
    alone = transcript("u", "Fine.")
    rows, _ = scan(alone, quality("IB-F2-a"), gating(), answer=screened(NOTHING))
    assert {row.occurrences for row in rows.values()} == {Occurrences(turns=(), chances=1)}


@pytest.mark.parametrize("spec", [RECORDED, LEXICAL], ids=lambda spec: spec.model)
def test_phrases_alone_measure_no_occurrences(spec: JudgeSpec) -> None:
    """If no judge looks for what phrases miss, or if it is a recording, a phrase counts in no turn."""
    for said in (DECIDING, SILENT):
        row, _ = one(said, quality(), nobody, spec=spec)
        assert row.occurrences is None


def test_replies_of_transcripts_of_one_length_are_counted_apart() -> None:
    """The PASS of a screening is shared by transcripts with as many turns and as many replies."""
    judged = engine(benchmark(quality(), lexicons=(WORDS,)))
    messages = SILENT.messages
    for said, chances in (
        (SILENT, 2),
        (SILENT.model_copy(update={"messages": (messages[0], *messages[2:])}), 1),
    ):
        read = judged.index(said, hash_of(said))
        result, _ = run(partial(judged.verify, read), screened(NOTHING))
        assert result.rows[0].occurrences == Occurrences(turns=(), chances=chances)
