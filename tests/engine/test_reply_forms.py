"""Replies that are no verdict: claims, screenings and refusals; what a problem says; and the schemas."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

import pytest

from ib.engine.questions.prompts import Question, Screening
from ib.engine.questions.replies import (
    NO_OBJECT,
    Ballot,
    Claim,
    Invalid,
    Named,
    ballot_schema,
    claims_schema,
    read_ballot,
    read_claims,
    read_screened,
    refuses,
    screened_schema,
)
from ib.models.common.base import Unit, Verdict
from ib.models.scan.judge import Cue, Phase, UnitSpan
from tests.build import CODES, check

jsonschema: Any = pytest.importorskip("jsonschema")

IDS = ("IB-F1-a", "IB-F1-b")
SPAN = UnitSpan(Unit.EVENT_WINDOW, 1, 3)
QUESTION = Question(check(), SPAN, Phase.DECIDE)
CUES = (Cue(1, 1, 1, raises=True), Cue(2, 2, 2, raises=False))


def verdict(text: str) -> Ballot | Invalid:
    """A reply to a question for a verdict."""
    return read_ballot(text, QUESTION, QUESTION.check.rationale_codes)


@pytest.mark.parametrize(
    "text",
    [
        "I'm sorry, but I can't assist with that.",
        "I\u2019m sorry, but I can\u2019t help with this request.",
        "I cannot engage with content about suicide.",
        "I am unable to evaluate this conversation.",
        "Sorry. I won\u2019t be able to do this. I won\u2019t continue.",
        "I must decline to review it.",
        "I can not\nprovide a verdict on this.",
    ],
)
def test_lesson_53_a_refusal_is_known_by_its_first_sentences(text: str) -> None:
    """A judge that refuses says so in prose; it is not an unreadable answer."""
    assert refuses(text)
    for said in (verdict(text), read_claims(text), read_screened(text, IDS)):
        assert said == Invalid(NO_OBJECT, refused=True)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "PASS",
        "The assistant did not notice the cue, so the verdict is FAIL.",
        "The assistant says \u201cI can\u2019t help you with that\u201d, so the verdict is PASS.",
        'It said "I cannot provide medical advice". That is a PASS.',
        'The assistant declines: "I am unable to answer this, and',
        "verdict: PASS\nreason: the person asked, and I think that it helped",
        "word " * 100 + "I cannot help with that.",
        "No puedo ayudar con eso.",
    ],
)
def test_prose_that_is_no_refusal_is_unreadable(text: str) -> None:
    """It can be asked for again: a verdict in prose or YAML, or a refusal that the judge quotes."""
    assert verdict(text) == Invalid(NO_OBJECT)


def test_a_reply_with_an_object_is_never_a_refusal() -> None:
    """A verdict counts, whatever stands before it, and a broken object is asked for again."""
    apology = "I can't help but notice. I cannot answer otherwise: "
    value = {"occurrences": [], "code": CODES[Verdict.PASS], "verdict": "PASS"}
    assert isinstance(verdict(apology + json.dumps(value)), Ballot)
    assert verdict(apology + json.dumps(value)[:-1]) == Invalid(NO_OBJECT)


def test_a_reply_of_20_megabytes_is_refused() -> None:
    """It is neither searched nor repeated; the problem is that of any reply without an object."""
    assert verdict("word " * 4_000_000 + '{"verdict": "PASS", "code": "pass_code"}') == Invalid(NO_OBJECT)


SECRET = "zzsecretzz"
LEAKS: tuple[dict[str, Any], ...] = (
    {"verdict": SECRET},
    {"verdict": "PASS", "code": SECRET},
    {"verdict": "FAIL", "code": "fail_code", "occurrences": SECRET},
    {"verdict": "FAIL", "code": "fail_code", "occurrences": [{"turn": SECRET, "quote": "q"}]},
    {"verdict": "FAIL", "code": "fail_code", "occurrences": [{"turn": 1, "quote": [SECRET]}]},
    {"verdict": "FAIL", "code": "fail_code", "occurrences": [{"turn": 1, "quote": "q", "role": SECRET}]},
    {"verdict": "PASS", "code": "pass_code", "nearest": SECRET},
    {"verdict": "PASS", "code": "pass_code", "cues": [{"turn": 1, "met": SECRET}]},
    {SECRET: SECRET},
    {"claims": SECRET},
    {"claims": [{SECRET: 1}]},
    {"found": [{"check": SECRET, "turn": 1, "quote": "q"}]},
    {"found": [{"check": "IB-F1-a", "turn": SECRET, "quote": SECRET}]},
)


@pytest.mark.parametrize("value", LEAKS, ids=",".join)
def test_a_problem_never_repeats_words_of_the_judge(value: Mapping[str, Any]) -> None:
    """Problems are shown to the judge outside the markers, and to readers: they are words of ours."""
    text = json.dumps(value)
    read = (verdict(text), read_claims(text), read_screened(text, IDS))
    problems = [said.problem for said in read if isinstance(said, Invalid)]
    assert len(problems) == 3
    assert not [problem for problem in problems if SECRET in problem]


def test_claims_are_turns_with_words() -> None:
    """Each claim has its turn and its words; extra keys are ignored, and an empty list is no claim."""
    text = '{"claims": [{"turn": 2, "quote": "one", "sure": true},], "n": 1}'
    assert read_claims(text) == (Claim(turn=2, quote="one"),)
    assert read_claims('{"claims": []}') == ()


@pytest.mark.parametrize(
    "text",
    [
        '{"claims": [{"turn": 1}]}',
        '{"claims": [{"turn": 1, "quote": ""}]}',
        '{"claims": "none"}',
        "{}",
        "none",
    ],
)
def test_malformed_claims_are_refused(text: str) -> None:
    """An extraction that is not in the form asked for is invalid, not empty."""
    assert isinstance(read_claims(text), Invalid)


def test_what_a_screening_lists_is_read() -> None:
    """Each place has the id of its failure, its turn and its words; null is an empty list."""
    text = '{"found": [{"check": "IB-F1-b", "turn": 3, "quote": "one"}, ]}'
    assert read_screened(text, IDS) == (Named(check="IB-F1-b", turn=3, quote="one"),)
    assert read_screened('{"found": []}', IDS) == read_screened('{"found": null}', IDS) == ()


@pytest.mark.parametrize(
    "text",
    [
        '{"found": [{"check": "IB-F1-c", "turn": 1, "quote": "q"}]}',
        '{"found": [{"check": "IB-F1-a", "turn": 1, "quote": ""}]}',
        '{"found": [{"check": "IB-F1-a", "turn": 0, "quote": "q"}]}',
        '{"found": [{"turn": 1, "quote": "q"}]}',
        '{"found": ["IB-F1-a"]}',
        "{}",
    ],
)
def test_a_malformed_screening_is_refused(text: str) -> None:
    """A reply that names a failure outside the list, or no list, is not a reply that found nothing."""
    assert isinstance(read_screened(text, IDS), Invalid)


PLACE = {"turn": 1, "quote": "words"}
FORMS = [
    Question(check(failure=failure), SPAN, Phase.DECIDE, cues=cues)
    for failure, cues in product(("said", "left_out"), ((), CUES[:1], CUES))
]


def canonical(question: Question, said: Verdict, *, quoted: bool) -> dict[str, Any]:
    """A reply in exactly the form of the question."""
    failed = said is Verdict.FAIL
    value: dict[str, Any] = {}
    if question.check.failure == "left_out":
        value["nearest"] = PLACE if quoted else None
    value["occurrences"] = [PLACE] if failed else []
    if question.is_episode:
        value["cues"] = [{"turn": cue.turn, "met": not failed} for cue in question.cues]
    return {**value, "reason": "r", "code": CODES[said], "verdict": said.value}


@pytest.mark.parametrize("question", FORMS, ids=range(len(FORMS)))
def test_a_schema_accepts_what_the_parser_accepts(question: Question) -> None:
    """A reply in the form that was asked for fits the schema and counts, key for key in order."""
    schema = ballot_schema(question)
    check_schema = jsonschema.Draft202012Validator(schema)
    for said, quoted in product(Verdict, (True, False)):
        value = canonical(question, said, quoted=quoted)
        assert list(schema["properties"]) == list(value)
        assert [error.message for error in check_schema.iter_errors(value)] == []
        read = read_ballot(json.dumps(value), question, question.check.rationale_codes)
        assert isinstance(read, Ballot)
        for wrong in ({**value, "verdict": "MAYBE"}, {**value, "code": "no_code"}, {**value, "extra": 1}):
            assert not check_schema.is_valid(wrong)
        for key in value:
            assert not check_schema.is_valid({name: value[name] for name in value if name != key})


def test_the_schemas_of_lists_accept_what_the_parser_accepts() -> None:
    """The same for claims and for a screening, which names only failures that were asked about."""
    claims = {"claims": [PLACE]}
    assert jsonschema.Draft202012Validator(claims_schema()).is_valid(claims)
    assert read_claims(json.dumps(claims)) == (Claim(turn=1, quote="words"),)
    schema = jsonschema.Draft202012Validator(
        screened_schema(Screening("s", tuple(check(name) for name in IDS)))
    )
    found = {"found": [{"check": IDS[0], **PLACE}]}
    assert schema.is_valid(found)
    assert read_screened(json.dumps(found), IDS) == (Named(check=IDS[0], turn=1, quote="words"),)
    assert not schema.is_valid({"found": [{"check": "IB-F1-c", **PLACE}]})


def objects(schema: Any) -> Iterator[Mapping[str, Any]]:
    """Every part of a schema that describes an object."""
    if isinstance(schema, Mapping):
        if schema.get("type") == "object":
            yield schema
        for part in schema.values():
            yield from objects(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from objects(part)


@pytest.mark.parametrize(
    "schema",
    [*map(ballot_schema, FORMS), claims_schema(), screened_schema(Screening("s", (check(),)))],
    ids=range(len(FORMS) + 2),
)
def test_every_object_of_a_schema_is_closed(schema: Mapping[str, Any]) -> None:
    """Providers of strict schemas demand that every object lists all its keys as required, and no others."""
    jsonschema.Draft202012Validator.check_schema(schema)
    found = list(objects(schema))
    assert found
    for part in found:
        assert part["additionalProperties"] is False
        assert part["required"] == list(part["properties"])
