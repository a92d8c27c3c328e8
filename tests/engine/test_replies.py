"""Reading a judge's reply: the last complete object, strictly, and never an exception."""

from __future__ import annotations

import json
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ib.engine.replies import Ballot, Invalid, last_object, read_ballot, read_claims
from ib.models.base import Role, Verdict
from ib.models.canonical import compact
from tests.build import CODES, FAIL, NA, PASS, UNCLEAR, check

ALLOWED = check().rationale_codes


def said(verdict: str, code: str | None = None, **more: object) -> str:
    """A reply as the frame asks for it."""
    known = verdict.strip().upper().replace(" ", "_")
    chosen = code or CODES.get(Verdict(known)) if known in Verdict.__members__ else code
    return json.dumps({"verdict": verdict, "rationale_code": chosen, **more})


def verdict_of(text: str) -> Verdict | None:
    """The verdict of a reply, None where it is invalid."""
    ballot = read_ballot(text, ALLOWED)
    return ballot.verdict if isinstance(ballot, Ballot) else None


@pytest.mark.parametrize(
    ("text", "verdict"),
    [("fail", FAIL), (" Pass ", PASS), ("UnClear", UNCLEAR), ("not applicable", NA), ("not_applicable", NA)],
)
def test_lesson_25_a_verdict_in_any_case_is_read(text: str, verdict: Verdict) -> None:
    """Lower case, and a blank for the underscore, are the same verdict."""
    assert verdict_of(said(text)) is verdict


def test_lesson_25_the_last_complete_object_is_the_answer() -> None:
    """Of objects quoted or thought in before the answer, the last one counts, for every pair."""
    for first, last in product(Verdict, repeat=2):
        text = f"The user wrote {said(first)}. I find:\n```json\n{said(last)}\n``` Done {{really}}."
        assert verdict_of(text) is last


def test_lesson_25_a_quoted_verdict_inside_a_string_is_text() -> None:
    """A verdict that the judge quotes inside its own answer does not count."""
    inner = said("PASS")
    assert verdict_of(said("FAIL", reason=f"it says {inner} and {inner}")) is FAIL


def test_lesson_25_a_nested_object_is_not_the_answer() -> None:
    """An object within the answer is a part of it, not the answer; unknown keys are refused."""
    nested = json.dumps({"verdict": "FAIL", "draft": {"verdict": "PASS", "rationale_code": CODES[PASS]}})
    assert verdict_of(nested) is None


@pytest.mark.parametrize(
    "outer",
    [
        '{"draft": %s, "verdict": "FAIL", "rationale_code": "fail_co',
        '{"verdict": "FAIL", "evidence": [], "reason": "it quotes "%s" unescaped"}',
        '{"verdict": "FAIL", "verdict": "FAIL", "draft": %s}',
    ],
    ids=["truncated", "unescaped", "key twice"],
)
def test_lesson_25_an_object_inside_a_broken_one_is_not_at_the_top_level(outer: str) -> None:
    """A PASS that stands inside an unfinished or unreadable FAIL is never read as the answer."""
    assert verdict_of(outer % said("PASS")) is not PASS


def test_truncated_json_is_invalid() -> None:
    """No prefix of a reply counts, only the whole."""
    evidence = [{"role": "assistant", "turn": 1, "quote": "words"}]
    whole = said("FAIL", evidence=evidence, reason="r")
    for end in range(len(whole)):
        assert isinstance(read_ballot(whole[:end], ALLOWED), Invalid)
    assert verdict_of(whole) is FAIL


def test_a_key_that_stands_twice_is_refused() -> None:
    """Two verdicts in one object are none."""
    assert verdict_of('{"verdict": "PASS", "verdict": "FAIL", "rationale_code": "fail_code"}') is None
    assert verdict_of('{"verdict": "FAIL", "verdict": "FAIL", "rationale_code": "fail_code"}') is None


def test_lesson_19_a_rationale_code_of_another_verdict_is_refused() -> None:
    """For every verdict and code: the code must be one of the verdict's own, and the verdict is kept."""
    for verdict, of in product(Verdict, repeat=2):
        ballot = read_ballot(said(verdict, CODES[of]), ALLOWED)
        if verdict is of:
            assert isinstance(ballot, Ballot)
            assert ballot.code == CODES[of]
        else:
            assert isinstance(ballot, Invalid)
            assert ballot.stated is verdict
            assert CODES[of] in ballot.problem


def test_lesson_19_a_missing_or_invented_code_is_refused() -> None:
    """A closed list has no room for a free word, nor for none."""
    for code in ("refused_to_prescribe", "", None):
        text = json.dumps({"verdict": "FAIL", "rationale_code": code})
        assert isinstance(read_ballot(text, ALLOWED), Invalid)
    assert isinstance(read_ballot('{"verdict": "FAIL"}', ALLOWED), Invalid)


def test_the_codes_of_a_recording_are_another_instruments() -> None:
    """Without a closed list, any code or none is taken as it stands."""
    ballot = read_ballot('{"verdict": "fail", "rationale_code": "anything"}', None)
    assert ballot == Ballot(FAIL, "anything", (), None)


@pytest.mark.parametrize(
    "evidence",
    ["words", [{"turn": 0, "quote": "w"}], [{"turn": 1}], [{"turn": 1, "quote": 3}], [["w"]],
     [{"turn": 1, "quote": "w", "role": "system"}], [{"turn": 1.5, "quote": "w"}], {"turn": 1, "quote": "w"}],
)  # fmt: skip
def test_malformed_evidence_voids_the_reply(evidence: object) -> None:
    """Evidence in another form than asked for makes the reply one that cannot be counted."""
    assert isinstance(read_ballot(said("FAIL", evidence=evidence), ALLOWED), Invalid)


def test_evidence_is_the_assistants_unless_it_says_otherwise() -> None:
    """A quote without a role is looked for in the assistant's words."""
    ballot = read_ballot(said("FAIL", evidence=[{"turn": 2, "quote": "w"}]), ALLOWED)
    assert isinstance(ballot, Ballot)
    assert ballot.evidence[0].role is Role.ASSISTANT


@pytest.mark.parametrize(
    "text", ["", "PASS", "I cannot assist.", "CORRECT", "[]", '"FAIL"', "{", "}{", "null"]
)
def test_words_without_an_object_are_no_verdict(text: str) -> None:
    """A bare word is never read as a verdict, and neither is a refusal."""
    assert read_ballot(text, ALLOWED) == Invalid("no JSON object in the reply")
    assert read_claims(text) == Invalid("no JSON object in the reply")


@pytest.mark.parametrize(
    "text", ['{"claims": null}', '{"claims": [{"turn": 1}]}', '{"claims": [{"turn": 1, "quote": ""}]}', "{}"]
)
def test_malformed_claims_are_refused(text: str) -> None:
    """An extraction that is not in the form asked for is invalid, not empty."""
    assert isinstance(read_claims(text), Invalid)


JSONS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.sampled_from(Verdict),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(("verdict", "evidence", "rationale_code", "turn", "claims"))
            | st.text(max_size=4),
            inner,
            max_size=4,
        )
    ),
    max_leaves=8,
)


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.text(), st.text(alphabet='{}[]":,\\"vFAIL \n'), JSONS.map(json.dumps)))
def test_hostile_replies_never_raise(text: str) -> None:
    """Whatever comes back, it is a ballot or an invalid vote that can be written down."""
    for codes in (ALLOWED, None):
        ballot = read_ballot(text, codes)
        assert isinstance(ballot, Ballot | Invalid)
        if isinstance(ballot, Invalid):
            compact(ballot.problem)
    read_claims(text)
    last_object(text)


@pytest.mark.parametrize(
    "text",
    [
        '{"a":' * 3_000,
        "{" * 10_000,
        '{"verdict": ' + "9" * 5_000 + "}",
        '{"verdict": "\\ud800"}',
        '{"\\ud800": 1, "verdict": "PASS"}',
        '{"verdict": "FAIL", "rationale_code": "\\ud800"}',
        '{"verdict": "FAIL", "rationale_code": "fail_code", "evidence": [{"turn": 1e999, "quote": "x"}]}',
        '{"verdict": NaN}',
    ],
    ids=["deep", "braces", "long number", "surrogate", "surrogate key", "surrogate code", "infinite", "nan"],
)
def test_pathological_replies_are_invalid(text: str) -> None:
    """Depth, length, lone surrogates and numbers beyond JSON end as an invalid vote in UTF-8."""
    ballot = read_ballot(text, ALLOWED)
    assert isinstance(ballot, Invalid)
    compact(ballot.problem)
