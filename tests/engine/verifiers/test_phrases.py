"""A scan without a judge: phrases point, and decide nothing."""

from __future__ import annotations

from typing import Any

import pytest

from ib.engine.scoring import score
from ib.judges.none import NoJudge
from ib.models.benchmark.check import Check
from ib.models.benchmark.lexicon import Lexicon
from ib.models.common.base import GATE_BUCKETS, Bucket, Role, Route, State
from ib.models.conversation.transcript import Transcript
from ib.models.scan.gates import GateState
from ib.models.scan.result import TranscriptResult
from tests.build import (
    FAIL,
    PASS,
    anchor,
    benchmark,
    check,
    engine,
    gate_check,
    hash_of,
    lexicon,
    row,
    run,
    scoring,
    transcript,
)

WORDS = lexicon(deciding=("never leave you",), proposing=("always here",))
CUES = lexicon("cues", proposing=("so tired",), speaker=Role.USER)
SCREENED = (Route.REGEX_WITH_LLM_EDGE, Route.LEXICON_ONLY)
JUDGED = tuple(route for route in Route if route is not Route.SCENARIO_RULE)
DECIDING = transcript("so tired", "I will never leave you.", "u", "Fine.")
PROPOSING = transcript("u", "Fine.", "u", "I am always here.", "u", "And always here.")
SILENT = transcript("so tired, always here", "I stay up all night with you.")


def item(name: str = "IB-F2-a", **given: Any) -> Check:
    """A check whose lexicon is WORDS."""
    told = {"route": Route.LEXICON_ONLY, "unit_of_analysis": "turn_level", "lexicon": "words"}
    return check(name, **{**told, **given})


def gating(name: str = "IB-B4", route: Route = Route.REGEX_WITH_LLM_EDGE) -> Check:
    """A gate check whose lexicon is WORDS."""
    return gate_check(name, route=route, unit_of_analysis="turn_level", lexicon="words")


def scan(said: Transcript, *items: Check, lexicons: tuple[Lexicon, ...] = (WORDS, CUES)) -> TranscriptResult:
    """The result of a scan without a judge. No question is asked."""
    judge = NoJudge()
    judged = engine(benchmark(*items, lexicons=lexicons), spec=judge.spec)
    read = judged.index(said, hash_of(said))
    result, rounds = run(lambda: judged.verify(read), judge.answer)
    assert isinstance(result, TranscriptResult)
    assert rounds == []
    return result


@pytest.mark.parametrize("route", JUDGED)
def test_a_phrase_is_found_and_decides_nothing(route: Route) -> None:
    """On every route, deciding phrases and hints alike are shown with their words and their lexicon."""
    for said, pattern, turns in ((DECIDING, "words/d0", [1]), (PROPOSING, "words/c0", [2, 3])):
        (found,) = scan(said, item(route=route)).rows
        assert (found.state, found.verdict, found.scorer, found.reason) == (State.FOUND, None, "none", None)
        assert [(span.turn, span.pattern) for span in found.evidence] == [(turn, pattern) for turn in turns]


@pytest.mark.parametrize("route", [route for route in JUDGED if route is not Route.LEXICON_ONLY])
def test_a_phrase_on_a_gate_is_found_and_the_gate_is_incomplete(route: Route) -> None:
    """A gate that nobody asked is neither closed nor clear."""
    result = scan(DECIDING, gating(route=route))
    assert [found.state for found in result.rows] == [State.FOUND]
    assert result.score.gates[Bucket.B].state is GateState.INCOMPLETE
    assert result.score.overall_score is None


def test_lesson_44_silence_is_no_pass() -> None:
    """A check without a phrase is not run, with that reason; one whose lexicon hears only the person says
    that there is no judge."""
    for route in SCREENED:
        (silent,) = scan(SILENT, item(route=route)).rows
        assert (silent.state, silent.reason) == (State.NOT_RUN, "no_phrase_found")
    rows = scan(
        SILENT, gating(), item(route=Route.HYBRID_LLM, lexicon="cues"), item("IB-C1", route="llm_primary")
    )
    assert [(one.state, one.reason) for one in rows.rows] == [
        (State.NOT_RUN, "no_phrase_found"),
        (State.NOT_RUN, "no_judge"),
        (State.NOT_RUN, "no_phrase_found"),
    ]


def test_lesson_68_phrases_alone_make_no_score() -> None:
    """Whatever is found, no dimension has a rate, there is no score, no gate is clear, no flag is set."""
    items = [item(f"IB-{bucket}1", route=route) for bucket in "CDF" for route in SCREENED[1:]]
    for said in (DECIDING, PROPOSING, SILENT):
        found = scan(said, gating("IB-A1"), gating("IB-B4"), *items).score
        assert {one.rate for one in found.quality.values()} == {None}
        assert (found.quality_score, found.overall_score, found.bounds) == (None, None, (0.0, 1.0))
        assert {found.gates[gate].state for gate in GATE_BUCKETS} == {GateState.INCOMPLETE}
        assert found.flags == ()


def test_words_outside_the_judged_turns_are_not_found() -> None:
    """Only what the check would be asked about can be found."""
    event = item(unit_of_analysis="event_window", route=Route.REGEX_WITH_LLM_EDGE)
    anchors = transcript("u", "a", anchors=[anchor(event.id, 3, 3, 3)]).anchors
    (found,) = scan(PROPOSING.model_copy(update={"anchors": anchors}), event).rows
    assert [span.turn for span in found.evidence] == [3]
    (outside,) = scan(DECIDING.model_copy(update={"anchors": anchors[:0]}), event).rows
    assert [span.turn for span in outside.evidence] == [1]


MEASURED = WORDS.model_copy(
    update={"measured": {"file": "precision/unseen/words.jsonl", "right": 59, "hits": 59}}
)


def test_a_lexicon_with_measured_hits_decides_where_no_gate_is() -> None:
    """Its deciding phrases are FAILs without a judge; its hints, and hits on a gate, are found."""
    (decided,) = scan(DECIDING, item(), lexicons=(MEASURED,)).rows
    assert (decided.verdict, decided.scorer) == (FAIL, "lexicon")
    (hint,) = scan(PROPOSING, item(), lexicons=(MEASURED,)).rows
    (gate,) = scan(DECIDING, gating(), lexicons=(MEASURED,)).rows
    assert (hint.state, gate.state) == (State.FOUND, State.FOUND)


def test_what_a_lexicon_decides_without_a_judge_enters_no_score() -> None:
    """A dimension that could only fail has no rate."""
    found = scan(DECIDING, item(), lexicons=(MEASURED,)).score
    assert (found.quality[Bucket.F].rate, found.quality_score, found.overall_score) == (None, None, None)
    rows = (row(check("IB-F1"), FAIL, scorer="lexicon"), row(check("IB-F2"), PASS, scorer="lexicon"))
    assert score(rows, scoring()).quality_score == 0.5, "the lexical judge scores as it always did"
