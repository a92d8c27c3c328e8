"""Making requests: the key, the repetitions, the schema, and the question as data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from ib.engine.questions.asker import Asker
from ib.engine.questions.prompts import Invalidated, Question, Screening
from ib.models.common.base import Unit
from ib.models.common.canonical import digest
from ib.models.conversation.transcript import Transcript
from ib.models.scan.judge import Cue, Granularity, Hint, JudgeRequest, JudgeSpec, Phase, UnitSpan
from tests.build import check, frame, indexed, transcript

CHECK = check()
SAID = transcript("My mother fell.", "Is she awake?", "Yes.", "Then sit with her.", "I will.", "Good.")
SPEC = JudgeSpec(model="judge", base="https://one", params={"temperature": 0, "seed": 1})
SILENT = SPEC.model_copy(update={"reads_prompt": False})
SPAN = UnitSpan(Unit.EVENT_WINDOW, 1, 3)
QUESTION = Question(CHECK, SPAN, Phase.DECIDE)
SPEC_FIELDS = ("screens", "priced", "validates_codes", "granularity")


def ask(
    spec: JudgeSpec = SPEC,
    repetition: int = 1,
    *,
    said: Transcript = SAID,
    country: str | None = None,
    words: dict[str, str] | None = None,
    hashed: str = "a",
    earlier: Invalidated | None = None,
    **changed: Any,
) -> JudgeRequest:
    """One request, with one thing changed; `changed` are fields of the question."""
    asker = Asker(spec, frame(**(words or {})), {CHECK.id: digest(hashed)})
    read = replace(indexed(said), country=country)
    (request,) = asker.requests(replace(QUESTION, **changed), read, (repetition,), earlier)
    return request


def spanning(**changed: Any) -> UnitSpan:
    """The span of the question with something changed."""
    return replace(SPAN, **changed)


CUE, HINT = Cue(2, 2, 3, raises=True), Hint(1, "Is she awake?")
ELSEWHERE = transcript("My mother fell.", "Is she awake?", "Yes.", "Then sit with her.", "I will.", "Bad.")
CHANGES: dict[str, Callable[[JudgeSpec], JudgeRequest]] = {
    "repetition": lambda spec: ask(spec, 2),
    "attempt": lambda spec: ask(spec, earlier=Invalidated("unreadable", "words")),
    "judge model": lambda spec: ask(spec.model_copy(update={"model": "other"})),
    "base": lambda spec: ask(spec.model_copy(update={"base": "https://two"})),
    "params": lambda spec: ask(spec.model_copy(update={"params": {"temperature": 1, "seed": 1}})),
    "frame": lambda spec: ask(spec, words={"screen": "Look for: $failures"}),
    "check": lambda spec: ask(spec, hashed="b"),
    "transcript": lambda spec: ask(spec, said=ELSEWHERE),
    "model of the transcript": lambda spec: ask(spec, said=SAID.model_copy(update={"model_id": "lab/b"})),
    "epoch": lambda spec: ask(spec, said=SAID.model_copy(update={"epoch": 2})),
    "country": lambda spec: ask(spec, country="GB"),
    "first turn": lambda spec: ask(spec, span=spanning(first=2)),
    "last turn": lambda spec: ask(spec, span=spanning(last=2)),
    "unit": lambda spec: ask(spec, span=spanning(kind=Unit.TURN_LEVEL)),
    "ordinal": lambda spec: ask(spec, span=spanning(ordinal=1)),
    "context": lambda spec: ask(spec, span=spanning(context=((2, 2),))),
    "phase": lambda spec: ask(spec, phase=Phase.EXTRACT),
    "cue": lambda spec: ask(spec, cues=(CUE,)),
    "turn of a cue": lambda spec: ask(spec, cues=(replace(CUE, turn=1),)),
    "begin of a response": lambda spec: ask(spec, cues=(replace(CUE, first=1),)),
    "end of a response": lambda spec: ask(spec, cues=(replace(CUE, last=2),)),
    "cue that decides": lambda spec: ask(spec, cues=(replace(CUE, raises=False),)),
    "second cue": lambda spec: ask(spec, cues=(CUE, CUE)),
    "hint": lambda spec: ask(spec, hints=(HINT,)),
    "turn of a hint": lambda spec: ask(spec, hints=(replace(HINT, turn=2),)),
    "claim": lambda spec: ask(spec, claim="words"),
    "reference": lambda spec: ask(spec, reference="words"),
}


@pytest.mark.parametrize("spec", [SPEC, SILENT], ids=["reads prompts", "reads data"])
def test_lesson_22_the_key_changes_with_everything_that_can_change_an_answer(spec: JudgeSpec) -> None:
    """No two questions share a key, for a judge that reads prompts and for one that reads data."""
    made = {name: make(spec).key for name, make in CHANGES.items()}
    keys = {"unchanged": ask(spec).key, **made}
    by_key = {key: name for name, key in keys.items()}
    assert [(name, by_key[key]) for name, key in keys.items() if by_key[key] != name] == []


@pytest.mark.parametrize("name", CHANGES)
def test_the_same_question_has_the_same_key(name: str) -> None:
    """A key is found again in a later process: it depends on values alone."""
    assert CHANGES[name](SPEC).key == CHANGES[name](SPEC).key


def test_turns_that_the_person_may_have_given_a_cue_in_are_part_of_the_key() -> None:
    """They are part of the text that the judge reads."""
    assert ask(heard=(2,)).key != ask().key


def test_second_attempts_of_two_kinds_of_questions_have_two_keys() -> None:
    """The second attempt has a phase of its own, and its key knows what was asked first."""
    earlier = Invalidated("unreadable", "words")
    assert ask(SILENT, earlier=earlier).key != ask(SILENT, earlier=earlier, phase=Phase.EXTRACT).key


@pytest.mark.parametrize("field", SPEC_FIELDS)
def test_what_cannot_change_an_answer_is_not_in_the_key(field: str) -> None:
    """How a judge is used is not part of what it is asked."""
    changed = Granularity.CHECK if field == "granularity" else not getattr(SPEC, field)
    assert ask(SPEC.model_copy(update={field: changed})).key == ask().key


def test_the_order_of_parameters_is_not_in_the_key() -> None:
    """The same parameters are the same judge, in whatever order they were written."""
    assert ask(SPEC.model_copy(update={"params": {"seed": 1, "temperature": 0}})).key == ask().key


def test_another_reply_that_did_not_count_is_another_question() -> None:
    """The second asking repeats the reply and its problem, so its key depends on both."""
    again = [("one", "a"), ("two", "a"), ("one", "b")]
    keys = {ask(earlier=Invalidated(problem, reply)).key for problem, reply in again}
    assert len(keys) == 3


SCREENED = (check("IB-F1-a"), check("IB-F1-b"))


def screen(spec: JudgeSpec = SPEC, **given: Any) -> JudgeRequest:
    """A screening request, with one thing changed."""
    checks, said = given.get("checks", SCREENED), given.get("said", SAID)
    hashes = {item.id: digest(given.get("hashed", "a") + item.id) for item in SCREENED}
    asker = Asker(spec, frame(), hashes)
    screening, earlier = Screening("screening", checks), given.get("earlier")
    (request,) = asker.screenings(screening, indexed(said), (given.get("repetition", 1),), earlier)
    return request


def test_lesson_22_the_key_of_a_screening_changes_with_what_it_asks() -> None:
    """Judge, checks, their definitions, transcript, repetition and attempt each give another key."""
    keys = {
        screen().key,
        screen(SPEC.model_copy(update={"model": "other"})).key,
        screen(checks=SCREENED[:1]).key,
        screen(checks=SCREENED[::-1]).key,
        screen(hashed="b").key,
        screen(said=ELSEWHERE).key,
        screen(repetition=2).key,
        screen(earlier=Invalidated("unreadable", "words")).key,
    }
    assert len(keys) == 8
    assert screen().key == screen().key


def test_a_screening_asks_about_the_whole_conversation() -> None:
    """Its request names the screening in place of a check, and the checks that it screens."""
    request = screen()
    assert (request.check_id, request.phase) == ("screening", Phase.SCREEN)
    assert (request.unit.first, request.unit.last) == (1, 3)
    assert request.asked is not None
    assert request.asked.screened == ("IB-F1-a", "IB-F1-b")
    assert screen(earlier=Invalidated("p", "r")).phase is Phase.REASK


def test_repetitions_have_one_text_and_their_own_keys() -> None:
    """The votes on a question are requests with the same text, so that a cache can serve it."""
    requests = Asker(SPEC, frame(), {CHECK.id: "h"}).requests(QUESTION, indexed(SAID), (1, 2, 3))
    assert len({(request.system, request.user) for request in requests}) == 1
    assert len({request.key for request in requests}) == 3
    assert [(request.repetition, request.attempt) for request in requests] == [(1, 1), (2, 1), (3, 1)]


def test_the_second_attempt_keeps_its_repetition() -> None:
    """The second attempt has its own phase and says so."""
    again = ask(repetition=2, earlier=Invalidated("it is not JSON", "words"))
    assert (again.attempt, again.phase, again.repetition) == (2, Phase.REASK, 2)
    assert "Not counted: it is not JSON" in again.user


def test_the_question_goes_with_the_request_as_data() -> None:
    """A judge that reads no prompt gets the question as data, and an empty prompt without a schema."""
    request = ask(SILENT, cues=(CUE,), hints=(HINT,), claim="words", country="GB")
    asked = request.asked
    assert asked is not None
    assert (asked.phase, asked.span, asked.claim, asked.country) == (Phase.DECIDE, SPAN, "words", "GB")
    assert (asked.cues, asked.hints, asked.transcript) == ((CUE,), (HINT,), SAID)
    assert (request.system, request.user, request.schema) == ("", "", None)
    assert "asked" not in repr(request)


@pytest.mark.parametrize(
    ("phase", "fields"),
    [
        (Phase.DECIDE, ["occurrences", "reason", "code", "verdict"]),
        (Phase.VERIFY, ["occurrences", "reason", "code", "verdict"]),
        (Phase.EXTRACT, ["claims"]),
    ],
)
def test_the_schema_of_the_reply_goes_with_the_request(phase: Phase, fields: list[str]) -> None:
    """Each kind of question has the schema of its own reply."""
    schema = ask(phase=phase).schema
    assert schema is not None
    assert list(schema["properties"]) == fields
    screened = screen().schema
    assert screened is not None
    assert list(screened["properties"]) == ["found"]


@pytest.mark.parametrize("prompt", ["prompt", "screen"])
def test_a_check_without_a_prompt_cannot_be_asked(prompt: str) -> None:
    """If there is no text to render, asking is an error and not an empty question."""
    if prompt == "prompt":
        bare = check(route="scenario_rule", rule="disclosure_on_asking", prompt=None)
        with pytest.raises(ValueError, match="has no prompt and cannot be asked"):
            ask(check=bare)
    else:
        told = SCREENED[0].prompt
        assert told is not None
        bare = SCREENED[0].model_copy(update={"prompt": told.model_copy(update={"screen": None})})
        with pytest.raises(ValueError, match=r"has no prompt\.screen and cannot be screened for"):
            screen(checks=(bare,))
