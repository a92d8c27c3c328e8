"""A check that is ambiguous, incomplete or contradicts itself does not construct."""

from __future__ import annotations

from typing import Any, get_args

import pytest
from pydantic import TypeAdapter, ValidationError

from ib.models.benchmark.calibration import Calibration
from ib.models.benchmark.check import Check, CheckId, RationaleCodes, Routing
from ib.models.benchmark.example import Example
from ib.models.common.base import BUCKET_NAMES, Bucket, Role, Route, Severity, Verdict
from ib.models.common.canonical import digest
from tests.models.build import ABSENT, CHECK, PROMPT, changed, example

UNSCREENED = {key: text for key, text in PROMPT.items() if key != "screen"}


def refused(path: str, new: Any = ABSENT) -> str:
    with pytest.raises(ValidationError) as caught:
        Check.model_validate(changed(CHECK, path, new))
    return str(caught.value)


def test_the_starting_point_is_valid() -> None:
    """The check that the other tests change is valid."""
    assert Check.model_validate(CHECK).gate is None


def test_what_would_have_counted_is_in_no_digest_and_only_of_what_is_left_out() -> None:
    """No judge reads the sentence, so verdicts stay valid if it changes."""
    left_out = Check.model_validate(changed(CHECK, "failure", "left_out"))
    told = Check.model_validate({**changed(CHECK, "failure", "left_out"), "enough": "One question."})
    assert digest(told) == digest(left_out)
    assert told.asked == left_out.asked
    assert "only for a check with `failure: left_out`" in refused("enough", "One question.")


@pytest.mark.parametrize("key", sorted(set(CHECK)))
def test_every_part_is_needed(key: str) -> None:
    """A check without one of its parts is no check."""
    told = {"sources": "at least", "examples": "at least", "prompt": "so the check needs a prompt"}
    assert told.get(key, "Field required") in refused(key)


@pytest.mark.parametrize(
    "path", ["extra", "routing.extra", "sources.0.extra", "examples.extra", "examples.fail.0.extra"]
)
def test_an_unknown_key_is_refused_at_every_depth(path: str) -> None:
    """A misspelled key is an error at every level."""
    assert "Extra inputs are not permitted" in refused(path, 1)


@pytest.mark.parametrize(
    ("path", "new"),
    [
        ("id", "F1-test"),
        ("id", "IB-G1"),
        ("id", "IB-F1-Test"),
        ("id", "IB-F1-test\n"),
        ("id", "../IB-F1"),
        ("name", "  "),
        ("bucket", "E"),
        ("severity", "S6"),
        ("scope", "some"),
        ("eligibility.scenario_tags_any", []),
        ("eligibility.scenario_tags_any", ["Not A Slug"]),
        ("sources", []),
        ("sources.0.url", "http://example.org"),
        ("routing.route", "guess"),
        ("routing.unit_of_analysis", "page"),
        ("routing.repetitions", 2),
        ("routing.aggregation", "median"),
        ("routing.lexicon", "../claims"),
        ("failure", "forgotten"),
        ("routing.recovery", "sometimes"),
        ("rationale_codes.FAIL", {}),
        ("rationale_codes.FAIL", ["claim_made"]),
        ("rationale_codes.FAIL", {"No Code": "it was claimed"}),
        ("rationale_codes.FAIL.claim_made", ""),
        ("rationale_codes.FAIL.claim_made", "x" * 81),
        ("prompt.screen", " "),
        ("prompt.screen", "x" * 201),
        ("examples.pass", [example("p1"), example("p2")]),
        ("examples.fail", [example("f1", quote="nurse")] * 2),
        ("examples.edge", [example("e1", expected="PASS")]),
        ("examples.fail.0.messages", [{"assistant": "alone"}]),
        ("calibration.gold_n", -1),
    ],
)
def test_a_value_outside_its_vocabulary_is_refused(path: str, new: Any) -> None:
    """Closed vocabularies are closed, ids are ids, and lists that must not be empty are not."""
    assert path.split(".", maxsplit=1)[0] in refused(path, new)


def test_a_code_belongs_to_one_verdict() -> None:
    """The same reason cannot explain a PASS and a FAIL."""
    assert "listed twice: nothing_found" in refused(
        "rationale_codes.FAIL", {"nothing_found": "nothing of it"}
    )


def test_lesson_19_each_verdict_has_its_own_codes() -> None:
    """The closed list of a verdict is that of the verdict, for all four."""
    codes = RationaleCodes.model_validate(CHECK["rationale_codes"])
    assert [codes.of(verdict) for verdict in Verdict] == [
        ("nothing_found",),
        ("claim_made",),
        ("text_cut",),
        ("no_reply",),
    ]
    assert codes.meanings(Verdict.FAIL) == {"claim_made": "it was claimed"}


@pytest.mark.parametrize("message", [{}, {"user": "a", "assistant": "b"}, {"minute": 3}])
def test_a_message_has_one_speaker(message: dict[str, Any]) -> None:
    """A message has exactly one speaker."""
    assert "exactly one of" in refused("examples.pass.0.messages.0", message)


def test_an_example_needs_the_assistant_and_quotes_it() -> None:
    """A quote must be an exact part of an assistant message, not of a user message."""
    user = {"user": "I was a nurse"}
    assert "needs an assistant message" in refused("examples.pass.0.messages", [user, user])
    for quote in ("I am tired.", "i was a nurse", "I was  a nurse"):
        assert "an exact part of" in refused("examples.fail.0.quote", quote)
    found = Example.model_validate(example("x", quote="a nurse"))
    assert [(m.role, m.content) for m in found.messages] == [
        (Role.USER, "I am tired."),
        (Role.ASSISTANT, "I was a nurse for years."),
    ]


def test_examples_say_what_they_expect() -> None:
    """A fail example has its quote, an edge example its verdict, the others none; ids are unique."""
    assert "needs a `quote`" in refused("examples.fail.0.quote")
    assert "edge examples only" in refused("examples.pass.0.expected", "PASS")
    assert "edge examples only" in refused("examples.fail.0.expected", "FAIL")
    assert "needs an `expected` verdict" in refused("examples.edge.0.expected")
    assert "expects FAIL, so it needs a `quote`" in refused("examples.edge.0.expected", "FAIL")
    assert "twice: f1" in refused("examples.edge.0.id", "f1")


def test_cases_are_every_example_with_its_verdict() -> None:
    """Golden cases: pass is PASS, fail is FAIL, edge is what it says."""
    cases = Check.model_validate(CHECK).examples.cases()
    assert [(case.id, verdict.value) for case, verdict in cases] == [
        ("p1", "PASS"),
        ("p2", "PASS"),
        ("p3", "PASS"),
        ("f0", "FAIL"),
        ("f1", "FAIL"),
        ("f2", "FAIL"),
        ("e1", "PASS"),
        ("e2", "UNCLEAR"),
    ]


def test_validated_needs_a_gold_set() -> None:
    """A check without a gold set cannot be called validated."""
    with pytest.raises(ValidationError, match="gold_n"):
        Calibration.model_validate({"status": "validated", "note": "n"})
    for value in ({"status": "validated", "gold_n": 1}, {"status": "provisional"}):
        Calibration.model_validate({"note": "n", **value})


@pytest.mark.parametrize("route", list(Route))
@pytest.mark.parametrize("prompt", [None, PROMPT, UNSCREENED], ids=["none", "whole", "no screen"])
@pytest.mark.parametrize("lexicon", [None, "claims"])
@pytest.mark.parametrize("rule", [None, "disclosure_cadence"])
def test_a_route_has_what_it_needs(
    route: Route, prompt: dict[str, str] | None, lexicon: str | None, rule: str | None
) -> None:
    """Of all routes with and without prompt, lexicon and rule, the sound ones construct, no other."""
    screened = route in (Route.LEXICON_ONLY, Route.REGEX_WITH_LLM_EDGE)
    lexical = screened or route is Route.HYBRID_LLM
    sound = prompt is not None or route is Route.SCENARIO_RULE
    sound = sound and not (screened and prompt is UNSCREENED) and (lexicon is not None or not lexical)
    sound = sound and (rule is not None) == (route is Route.SCENARIO_RULE)
    routing = {"route": route, "unit_of_analysis": "turn_level", "lexicon": lexicon, "rule": rule}
    value = {**CHECK, "routing": routing, "prompt": prompt}
    if sound:
        assert Check.model_validate(value).routing.route is route
    else:
        with pytest.raises(ValidationError, match=r"needs|is required on route scenario_rule"):
            Check.model_validate(value)


def test_a_group_is_of_a_lexicon() -> None:
    """A group without the lexicon that it is a group of means nothing."""
    routing = {"route": "llm_primary", "unit_of_analysis": "turn_level", "lexicon_group": "some"}
    with pytest.raises(ValidationError, match="lexicon_group needs"):
        Check.model_validate({**CHECK, "routing": routing, "prompt": PROMPT})


@pytest.mark.parametrize("escalates_to", [None, *Bucket])
@pytest.mark.parametrize("severity", list(Severity))
@pytest.mark.parametrize("bucket", list(Bucket))
def test_gates(bucket: Bucket, severity: Severity, escalates_to: Bucket | None) -> None:
    """In every combination: what closes a gate is a gate severity in A or B, or carried into one."""
    routing = {"route": "llm_primary", "unit_of_analysis": "turn_level"}
    gate = {"bucket": bucket, "severity": severity, "escalates_to": escalates_to}
    value = {**CHECK, "routing": routing, "prompt": PROMPT, **gate}
    grave = severity in (Severity.S5, Severity.S4_GATE)
    gates = (Bucket.A, Bucket.B)
    sound = escalates_to is None or (escalates_to in gates and bucket not in gates and grave)
    if not sound:
        with pytest.raises(ValidationError, match=r"gate|escalates"):
            Check.model_validate(value)
        return
    own = bucket if bucket in gates and grave else None
    assert Check.model_validate(value).gate == (escalates_to or own)


def test_a_check_does_not_change() -> None:
    """Records are frozen."""
    check = Check.model_validate(CHECK)
    with pytest.raises(ValidationError, match="frozen"):
        check.name = "Other"  # type: ignore[misc]


def test_vocabularies_fit_together() -> None:
    """Every bucket has a name; votes are asked for in odd numbers."""
    assert set(BUCKET_NAMES) == set(Bucket)
    assert get_args(Routing.model_fields["repetitions"].annotation) == (1, 3, 5)
    for good in ("IB-A1", "IB-A3b", "IB-C-guilt-loop", "IB-F1-human-identity", "IB-C2-othering"):
        assert TypeAdapter(CheckId).validate_python(good) == good
