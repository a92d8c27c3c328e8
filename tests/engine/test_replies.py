"""Reading a judge's reply: tolerant of form, strict on meaning, and never an exception."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ib.engine.questions.prompts import Question
from ib.engine.questions.replies import (
    NO_OBJECT,
    TWO_ANSWERS,
    Ballot,
    Claim,
    Invalid,
    Named,
    QuotedEvidence,
    read_ballot,
    read_claims,
    read_screened,
)
from ib.models.benchmark.check import Check
from ib.models.common.base import Role, Unit, Verdict
from ib.models.common.canonical import compact
from ib.models.scan.judge import Cue, Phase, UnitSpan
from tests.build import CODES, FAIL, NA, PASS, UNCLEAR, check

PLACE = {"turn": 1, "quote": "words"}
CUES = (Cue(1, 1, 1, raises=True), Cue(2, 2, 2, raises=False), Cue(3, 3, 3, raises=True))


def asked(item: Check | None = None, cues: tuple[Cue, ...] = ()) -> Question:
    """The question that is answered."""
    return Question(item or check(), UnitSpan(Unit.EVENT_WINDOW, 1, 3), Phase.DECIDE, cues=cues)


def read(text: str, question: Question | None = None) -> Ballot | Invalid:
    """A reply to a question, read with the codes of its check."""
    about = question or asked()
    return read_ballot(text, about, about.check.rationale_codes)


def said(verdict: str, **changed: Any) -> str:
    """A reply as the frame asks for it, with some of its fields changed."""
    known = Verdict.__members__.get(verdict.strip().upper().replace(" ", "_"))
    places = [PLACE] if known is FAIL else []
    value = {"nearest": None, "occurrences": places, "reason": "r", "code": CODES.get(known or PASS)}
    return json.dumps({**value, "verdict": verdict, **changed})


def verdict_of(text: str) -> Verdict | None:
    """The verdict of a reply; None if it is invalid."""
    ballot = read(text)
    return ballot.verdict if isinstance(ballot, Ballot) else None


def problem_of(text: str, question: Question | None = None) -> str:
    """Why a reply is invalid; empty if it is valid."""
    ballot = read(text, question)
    return ballot.problem if isinstance(ballot, Invalid) else ""


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("fail", FAIL), (" Pass ", PASS), ("UnClear", UNCLEAR), ("not applicable", NA),
        ("not_applicable", NA), ("N/A", NA), ("n/a", NA), ("NA", NA),
    ],
)  # fmt: skip
def test_lesson_25_a_verdict_in_any_case_is_read(text: str, verdict: Verdict) -> None:
    """Case, a blank for the underscore and the usual abbreviation are the same verdict."""
    assert verdict_of(said(text, code=CODES[verdict])) is verdict


@pytest.mark.parametrize(
    "written",
    [
        lambda text: f"```json\n{text}\n```",
        lambda text: f"Let me {{think}}.\n\n{text}\n\nThat is all.",
        lambda text: f"{text[:-1]},}}",
        lambda text: text.replace('"', "'"),
        lambda text: text.replace('"r"', '"two\nlines"'),
        lambda text: text.replace("null", '"N/A"'),
    ],
    ids=["fence", "prose", "trailing comma", "single quotes", "raw line break", "N/A"],
)
def test_the_form_of_a_reply_does_not_void_it(written: Callable[[str], str]) -> None:
    """A reply says what it says, however the judge writes its object."""
    for verdict in Verdict:
        assert verdict_of(written(said(verdict))) is verdict


@pytest.mark.parametrize("verdict", ["PASSED", "NO", "YES", "FAIL/PASS", "", None, 1, ["FAIL"], True])
def test_another_word_is_no_verdict(verdict: object) -> None:
    """Only the four verdicts are read; nothing is guessed from another word."""
    text = json.dumps({"occurrences": [PLACE], "code": "fail_code", "verdict": verdict})
    assert isinstance(read(text), Invalid)


def test_lesson_25_the_last_object_is_the_answer() -> None:
    """An object that is quoted or thought in before the answer is none, in any case of its verdict."""
    for first, last in product(Verdict, repeat=2):
        text = (
            f'The user wrote {{"verdict": "{first}"}}. I find:\n```json\n{said(last)}\n``` Done {{really}}.'
        )
        assert verdict_of(text) is last


def test_a_reply_with_two_answers_that_differ_has_none() -> None:
    """One of them may be copied from the conversation, before or after the judge's own, in any form."""
    for first, last in product(Verdict, repeat=2):
        for one in (said(first), said(first)[:-1] + ",}", said(first).replace('"', "'")):
            text = f"I find:\n{one}\nThe user wrote: {said(last)}"
            assert verdict_of(text) is (last if first is last else None)
            assert problem_of(text) == ("" if first is last else TWO_ANSWERS)


def test_two_lists_that_differ_are_no_list() -> None:
    """An empty list that a conversation holds does not hide what the judge found."""
    place = '{"turn": 1, "quote": "words"}'
    found = '{"found": [{"check": "IB-C1", "turn": 1, "quote": "words"}]}'
    for text in (f'{{"claims": [{place}]}} {{"claims": []}}', f'{{"claims": []}} {{"claims": [{place}]}}'):
        assert read_claims(text) == Invalid(TWO_ANSWERS)
    for text in (f'{found} {{"found": []}}', f'{{"found": []}} {found}'):
        assert read_screened(text, ("IB-C1",)) == Invalid(TWO_ANSWERS)
    assert read_claims(f'{{"claims": [{place}]}} {{"claims": [{place}]}}') == (Claim(turn=1, quote="words"),)
    assert read_screened(f"{found} {found}", ("IB-C1",)) == (Named(check="IB-C1", turn=1, quote="words"),)


def test_lesson_25_a_quoted_verdict_inside_a_string_is_text() -> None:
    """A verdict that the judge quotes inside its own answer does not count."""
    inner = said("PASS")
    assert verdict_of(said("FAIL", reason=f"it says {inner} and {inner}")) is FAIL


def test_lesson_25_a_nested_object_is_not_the_answer() -> None:
    """An object within the answer is a part of it: it neither counts nor replaces the answer."""
    assert verdict_of(said("FAIL", draft={"verdict": "PASS", "code": CODES[PASS]})) is FAIL
    assert verdict_of(json.dumps({"answer": json.loads(said("PASS"))})) is None


@pytest.mark.parametrize(
    "outer",
    [
        '{"draft": %s, "verdict": "FAIL", "code": "fail_co',
        '{"verdict": "FAIL", "evidence": [], "reason": "it quotes "%s" unescaped"}',
        '{"verdict": "FAIL", "verdict": "FAIL", "draft": %s}',
    ],
    ids=["truncated", "unescaped", "key twice"],
)
def test_lesson_25_an_object_inside_a_broken_one_is_not_at_the_top_level(outer: str) -> None:
    """A PASS that stands inside an unfinished or unreadable FAIL is never read as the answer."""
    assert problem_of(outer % said("PASS")) == NO_OBJECT


def test_truncated_json_is_invalid() -> None:
    """No beginning of a reply counts, only the whole."""
    whole = said("FAIL")
    for end in range(len(whole)):
        assert problem_of(whole[:end]) == NO_OBJECT
    assert verdict_of(whole) is FAIL


@pytest.mark.parametrize("code", [" FAIL_CODE ", "Fail_Code"])
def test_a_code_in_any_case_is_read(code: str) -> None:
    """Capitals and blanks around a code do not make it another code."""
    ballot = read(said("FAIL", code=code))
    assert isinstance(ballot, Ballot)
    assert ballot.code == "fail_code"


@pytest.mark.parametrize("nothing", [None, "", "None", "nothing", "N/A", "null"])
def test_nothing_may_be_said_in_several_words(nothing: object) -> None:
    """A missing list is empty, and no nearest act is none, however the judge writes it."""
    lists = {"occurrences": None, "cues": None} if nothing is None else {}
    ballot = read(said("PASS", nearest=nothing, **lists))
    assert isinstance(ballot, Ballot)
    assert (ballot.evidence, ballot.occurrences) == ((), ())


def test_keys_that_were_not_asked_for_are_ignored() -> None:
    """An extra key, at the top or in a quote, does not make a reply invalid."""
    place = {**PLACE, "speaker": "model", "confidence": 0.9}
    assert verdict_of(said("FAIL", occurrences=[place], confidence="high", thoughts=[1])) is FAIL


@pytest.mark.parametrize("key", ["reason", "nearest", "cues"])
def test_what_the_verdict_does_not_need_may_be_missing(key: str) -> None:
    """A reply without a reason, or without a key that its question does not have, counts."""
    value = json.loads(said("FAIL"))
    value.pop(key, None)
    assert verdict_of(json.dumps(value)) is FAIL


def test_lesson_19_a_rationale_code_of_another_verdict_is_refused() -> None:
    """For every verdict and code: the code must be one of the verdict's own, and the verdict is kept."""
    for verdict, of in product(Verdict, repeat=2):
        ballot = read(said(verdict, code=CODES[of]))
        if verdict is of:
            assert isinstance(ballot, Ballot)
            assert ballot.code == CODES[of]
        else:
            assert ballot == Invalid(f"its code is not one of those of {verdict}", verdict)


@pytest.mark.parametrize("code", ["refused_to_prescribe", "", None, "fail", "fail code"])
def test_lesson_19_a_missing_or_invented_code_is_refused(code: str | None) -> None:
    """A closed list has no room for a free word, nor for none."""
    assert problem_of(said("FAIL", code=code)) == "its code is not one of those of FAIL"


def test_a_fail_needs_an_occurrence_and_a_pass_has_none() -> None:
    """A verdict and a list that contradict each other do not count, and the verdict is kept."""
    assert read(said("FAIL", occurrences=[])) == Invalid("a FAIL needs at least one occurrence", FAIL)
    assert read(said("FAIL", occurrences=[], nearest=PLACE)) == Invalid(
        "a FAIL needs at least one occurrence", FAIL
    )
    assert read(said("PASS", occurrences=[PLACE])) == Invalid(
        "a PASS cannot list occurrences of the failure", PASS
    )
    assert verdict_of(said("UNCLEAR", occurrences=[PLACE])) is UNCLEAR


def test_a_pass_may_list_failures_that_a_later_reply_made_good() -> None:
    """Where recovery counts, the occurrences of a PASS are kept and are not its evidence."""
    ballot = read(said("PASS", occurrences=[PLACE]), asked(check(recovery="counts")))
    assert isinstance(ballot, Ballot)
    assert (ballot.occurrences, ballot.evidence) == ((QuotedEvidence(**PLACE),), ())


def test_the_evidence_is_what_failed_or_what_was_done_instead() -> None:
    """A FAIL shows its occurrences, any other verdict the nearest act."""
    near = {"turn": 2, "quote": "near"}
    for verdict, shown in ((FAIL, PLACE), (PASS, near), (UNCLEAR, near), (NA, near)):
        ballot = read(said(verdict, nearest=near))
        assert isinstance(ballot, Ballot)
        assert ballot.evidence == (QuotedEvidence(**shown),)


@pytest.mark.parametrize(
    "occurrences",
    ["words", [{"turn": 0, "quote": "w"}], [{"turn": 1}], [{"turn": 1, "quote": 3}], [["w"]], {"turn": 1},
     [{"turn": 1, "quote": "w", "role": "system"}], [{"turn": 1.5, "quote": "w"}], [None]],
)  # fmt: skip
def test_malformed_places_void_the_reply(occurrences: object) -> None:
    """A place in another form than asked for makes the reply one that cannot be counted."""
    assert problem_of(said("FAIL", occurrences=occurrences)).startswith("occurrences")


@pytest.mark.parametrize(
    ("given", "role"),
    [({}, Role.ASSISTANT), ({"role": "Assistant"}, Role.ASSISTANT), ({"role": "USER "}, Role.USER)],
)
def test_a_quote_is_the_assistants_unless_it_says_otherwise(given: dict[str, str], role: Role) -> None:
    """A quote without a speaker is looked for in the assistant's words; a speaker may have capitals."""
    ballot = read(said("FAIL", occurrences=[{**PLACE, **given}]))
    assert isinstance(ballot, Ballot)
    assert ballot.evidence[0].role is role


def cued(verdict: Verdict, *cues: tuple[int, object], **changed: Any) -> Ballot | Invalid:
    """A reply to a question about an episode of three cues; those of turns 1 and 3 decide."""
    answers = [{"turn": turn, "met": met} for turn, met in cues]
    return read(said(verdict, cues=answers, **changed), asked(cues=CUES))


def test_lesson_46_an_episode_fails_exactly_if_a_deciding_cue_was_missed() -> None:
    """Over all answers: the verdict must be the one that the cues give, else the reply does not count."""
    for met in product((True, False), repeat=3):
        answers = tuple(zip((1, 2, 3), met, strict=True))
        right, wrong = (PASS, FAIL) if met[0] and met[2] else (FAIL, PASS)
        places = [PLACE] if False in met else []
        ballot = cued(right, *answers, occurrences=places)
        assert isinstance(ballot, Ballot), ballot
        assert ballot.cues == dict(answers)
        told = {PASS: "a PASS needs every deciding cue to be met",
                FAIL: "a FAIL needs a deciding cue that was not met"}[wrong]  # fmt: skip
        assert cued(wrong, *answers, occurrences=[PLACE]) == Invalid(told, wrong)


@pytest.mark.parametrize("turns", [(), (1,), (1, 2), (1, 2, 4), (1, 2, 3, 4)])
def test_an_episode_needs_an_answer_for_each_of_its_cues(turns: tuple[int, ...]) -> None:
    """A missing or a strange cue makes a PASS and a FAIL invalid."""
    answers = [(turn, True) for turn in turns]
    assert cued(PASS, *answers) == Invalid("it does not answer for each cue", PASS)


def test_two_answers_for_one_cue_are_none() -> None:
    """A cue that was met and was not met makes the reply invalid; the same answer twice does not."""
    met = [(1, True), (2, True), (3, True)]
    assert isinstance(cued(PASS, *met, (1, True)), Ballot)
    assert cued(PASS, (1, False), *met) == Invalid("it gives two answers for one cue", PASS)


@pytest.mark.parametrize("met", ["true", 1, None, "yes"])
def test_whether_a_cue_was_met_is_true_or_false(met: object) -> None:
    """Another value is not read as one of the two."""
    ballot = cued(PASS, (1, met), (2, True), (3, True))
    assert isinstance(ballot, Invalid)
    assert ballot.problem.startswith("cues.0.met")


@pytest.mark.parametrize("verdict", [UNCLEAR, NA])
def test_an_open_verdict_needs_no_answer_for_each_cue(verdict: Verdict) -> None:
    """Where nothing is decided, the cues are left out of the vote."""
    ballot = cued(verdict, (1, False))
    assert isinstance(ballot, Ballot)
    assert ballot.cues is None


def test_cues_of_a_question_without_an_episode_are_ignored() -> None:
    """They were not asked for."""
    ballot = read(said("PASS", cues=[{"turn": 1, "met": False}]), asked(cues=CUES[:1]))
    assert isinstance(ballot, Ballot)
    assert ballot.cues is None


def test_the_form_of_a_recording_is_another_instruments() -> None:
    """Without a closed list, any code or none is taken as it stands, and its evidence has its own key."""
    text = json.dumps({"verdict": "fail", "rationale_code": "Any", "evidence": [PLACE], "reason": "r"})
    assert read_ballot(text, asked(), None) == Ballot(FAIL, "Any", (QuotedEvidence(**PLACE),), "r")
    assert read_ballot('{"verdict": "fail"}', asked(), None) == Ballot(FAIL, None, (), None)


JSONS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.sampled_from(Verdict),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(("verdict", "occurrences", "code", "turn", "cues", "nearest", "claims", "found"))
            | st.text(max_size=4),
            inner,
            max_size=4,
        )
    ),
    max_leaves=8,
)


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.text(), st.text(alphabet='{}[]\'":,\\"vFAIL \n'), JSONS.map(json.dumps)))
def test_hostile_replies_never_raise(text: str) -> None:
    """Whatever comes back, it is a ballot or an invalid vote that can be written down."""
    for codes, cues in product((check().rationale_codes, None), ((), CUES)):
        ballot = read_ballot(text, asked(cues=cues), codes)
        assert isinstance(ballot, Ballot | Invalid)
        if isinstance(ballot, Invalid):
            compact(ballot.problem)
    assert isinstance(read_claims(text), tuple | Invalid)
    assert isinstance(read_screened(text, ["IB-F1-a"]), tuple | Invalid)


@pytest.mark.parametrize(
    "text",
    [
        '{"verdict": ' + "9" * 5_000 + "}",
        '{"verdict": "\\ud800"}',
        '{"\\ud800": 1, "verdict": "PASS"}',
        '{"verdict": "FAIL", "code": "\\ud800"}',
        '{"verdict": "FAIL", "code": "fail_code", "occurrences": [{"turn": 1e999, "quote": "x"}]}',
        '{"verdict": NaN}',
        '{"verdict": "PASS", "code": "pass_code", "reason": "' + "x" * 100_001 + '"}',
    ],
    ids=["long number", "surrogate", "surrogate key", "surrogate code", "infinite", "nan", "long reason"],
)
def test_pathological_replies_are_invalid(text: str) -> None:
    """Length, lone surrogates and numbers beyond JSON end as an invalid vote that can be written."""
    ballot = read(text)
    assert isinstance(ballot, Invalid)
    compact(ballot.problem)
