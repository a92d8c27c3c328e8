"""Playing a scenario: turns in order, branches on the real reply, sessions as sessions."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from ib.models.conversation.scenario import Scenario
from ib.models.conversation.transcript import Transcript
from ib.models.scan.judge import Fault, FaultKind
from ib.models.scan.run import Completion, CompletionReply, CompletionRequest, Incomplete, ModelSpec
from ib.scenario.playing import BEGIN, SystemPrompt, conflicts, joined, play
from tests.scenario import branch, scenario, turn

MODEL = ModelSpec(model_id="test/model", model="Model")
SYSTEM = SystemPrompt("Be yourself.", "0" * 64)


def played(
    what: Scenario, answer: Callable[[CompletionRequest], CompletionReply]
) -> tuple[Transcript | Incomplete, list[CompletionRequest]]:
    """What a play ends in, and everything that it asked."""
    asked: list[CompletionRequest] = []
    generator = play(what, MODEL, SYSTEM)
    try:
        request = next(generator)
        while True:
            asked.append(request)
            request = generator.send(answer(request))
    except StopIteration as stop:
        return stop.value, asked


def whole(what: Scenario, answer: Callable[[CompletionRequest], CompletionReply]) -> Transcript:
    outcome, _ = played(what, answer)
    assert isinstance(outcome, Transcript)
    return outcome


def test_every_turn_is_asked_with_everything_that_was_said_before() -> None:
    """The model sees the system prompt, and all turns and its own replies in order."""
    outcome, asked = played(scenario(), lambda r: Completion(f"reply {r.turn}"))
    assert isinstance(outcome, Transcript)
    assert [said.content for said in asked[1].messages] == [
        "Be yourself.",
        "This is what I say in turn 1.",
        "reply 1",
        "This is what I say in turn 2.",
    ]
    assert [(m.turn, m.role.value) for m in outcome.messages[:4]] == [
        (1, "user"),
        (1, "assistant"),
        (2, "user"),
        (2, "assistant"),
    ]
    assert len(asked) == 4


def test_the_branch_is_chosen_by_what_the_model_really_said() -> None:
    """A reply that meets a branch's condition changes what the person says next, and only that."""
    turns = [
        turn(1),
        turn(2, branches=[branch("heard", {"type": "contains_any", "values": ["988"]})]),
        turn(3),
    ]
    what = scenario(turns=turns)
    heard = whole(what, lambda r: Completion("**988** is there." if r.turn == 1 else "Yes."))
    deaf = whole(what, lambda r: Completion("Rest."))
    assert heard.messages[2].content == "So we are in heard."
    assert (heard.messages[2].branch_id, heard.messages[3].branch_id) == ("heard", None)
    assert (deaf.messages[2].content, deaf.messages[2].branch_id) == ("This is what I say in turn 2.", None)
    assert heard.messages[4].content == deaf.messages[4].content


def third(reply: CompletionReply) -> Callable[[CompletionRequest], CompletionReply]:
    """A model that gives this reply in turn 3, and says yes in the others."""
    return lambda request: reply if request.turn == 3 else Completion("Yes.")


def test_lesson_07_an_error_is_never_the_models_answer() -> None:
    """A fault, or an empty answer, ends the play as incomplete with what was said before it."""
    for reply in (Fault(FaultKind.TRANSIENT, "503"), Completion("  \n"), Completion("<script>a()</script>")):
        outcome, asked = played(scenario(), third(reply))
        assert isinstance(outcome, Incomplete)
        assert (outcome.turn, len(outcome.messages), len(asked)) == (3, 4, 3)
        assert outcome.fault in ("transient", "empty")


def test_sessions_are_told_in_the_words_of_the_scenario() -> None:
    """The context of a session stands before its first turn; time passes between sessions; history stays."""
    sessions = [
        {"session_number": 1, "turns": [turn(1), turn(2)]},
        {
            "session_number": 2,
            "elapsed": "2 months",
            "context": "Two months have passed.",
            "turns": [turn(3), turn(4)],
        },
    ]
    what = scenario(turns=None, sessions=sessions)
    outcome, asked = played(what, lambda r: Completion("Yes."))
    assert isinstance(outcome, Transcript)
    assert [s.role for s in asked[2].messages] == [
        "system",
        "user",
        "assistant",
        "user",
        "assistant",
        "system",
        "user",
    ]
    assert asked[2].messages[-2].content == "Two months have passed."
    assert [m.session for m in outcome.messages] == [1, 1, 1, 1, 2, 2, 2, 2]
    assert outcome.messages[4].time == BEGIN + timedelta(days=60)


def test_minutes_are_simulated_time() -> None:
    """Where a scenario gives minutes, every message carries its time; else none does."""
    timed = whole(scenario(turns=[turn(1, minute=0), turn(2, minute=190)]), lambda r: Completion("Yes."))
    assert [m.time for m in timed.messages] == [BEGIN, BEGIN, *[BEGIN + timedelta(minutes=190)] * 2]
    assert all(m.time is None for m in whole(scenario(), lambda r: Completion("Yes.")).messages)


def test_what_the_model_was_is_recorded() -> None:
    """Truncation, who answered, and the hashes of system prompt and scenario stand in the transcript."""
    made = whole(scenario(), lambda r: Completion("Yes", truncated=r.turn == 2, served_model="served-1"))
    assert made.provenance is not None
    assert (made.provenance.harness, made.provenance.served_model) == ("llm/raw", "served-1")
    assert made.provenance.system_prompt_hash == "0" * 64
    assert [m.turn for m in made.messages if m.truncated] == [2]
    assert all(m.role.value == "assistant" for m in made.messages if m.truncated)


def test_a_request_is_known_by_everything_that_could_change_its_answer() -> None:
    """Another model, system prompt or history is another key; the same play asks the same keys again."""

    def keys(model: ModelSpec = MODEL, system: SystemPrompt = SYSTEM, said: str = "Yes.") -> list[str]:
        generator = play(scenario(), model, system)
        first = next(generator)
        return [first.key, generator.send(Completion(said)).key]

    assert keys() == keys()
    other = ModelSpec(model_id="test/model", model="Model", sampling={"temperature": 1})
    assert keys()[0] != keys(model=other)[0]
    assert keys()[0] != keys(system=SystemPrompt("Be brief.", "1" * 64))[0]
    assert keys()[1] != keys(said="No.")[1]


def test_a_transcript_agrees_with_its_scenario_or_says_where_not() -> None:
    """What a transcript leaves out the scenario fills in; what it says otherwise is named."""
    what = scenario(tags=["emotional_disclosure", "direct_ideation"])
    made = whole(what, lambda r: Completion("Yes."))
    bare = made.model_copy(update={"tags": (), "category": None, "provenance": None})
    assert not list(conflicts(made, what))
    assert not list(conflicts(bare, what))
    assert joined(bare, what).tags == made.tags
    changed = scenario(tags=["emotional_disclosure"])
    assert dict(conflicts(made, changed)).keys() == {"tags", "provenance.scenario_hash"}
    shorter: dict[str, Any] = {"turns": [turn(1), turn(2)]}
    assert "messages" in dict(conflicts(made, scenario(**shorter)))
