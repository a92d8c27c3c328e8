"""Playing a scenario against a model: turn by turn, with branches, in simulated time.

A play is a generator, as a verifier is. It yields one request at a time and receives the reply. It
returns a transcript, or an `Incomplete` with the messages so far if the model fails. It does not know
where the model runs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from ib.models.common.base import Role
from ib.models.common.canonical import digest
from ib.models.conversation.scenario import Branch, Scenario, Session, Turn, elapsed_minutes
from ib.models.conversation.transcript import Message, Provenance, Transcript
from ib.models.scan.judge import Fault, FaultKind
from ib.models.scan.plan import SCHEMA_VERSION
from ib.models.scan.run import GIVECARE, RAW, Completion, CompletionRequest, Incomplete, ModelSpec, Play, Said
from ib.scenario.branching import take
from ib.text.shown import bare

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
"""When every simulated conversation begins. Only the time between messages has a meaning."""


@dataclass(frozen=True, slots=True)
class SystemPrompt:
    """The system prompt of a run, and its hash."""

    text: str
    hash: str


def play(scenario: Scenario, model: ModelSpec, system: SystemPrompt, epoch: int | None = None) -> Play:
    """Play one scenario. The context of a session is a system message before the session's first turn.

    `epoch` counts the plays of a scenario from 1; None for the only play.
    """
    shown = [Said("system", system.text)]
    messages: list[Message] = []
    served: set[str] = set()
    clock = _Clock(scenario)
    for session in scenario.all_sessions():
        clock.begin(session)
        if session.context is not None:
            shown.append(Said("system", session.context))
        for turn in session.turns:
            before = messages[-1].content if messages else ""
            branch = take(turn.branches, before) if messages else None
            user = _message(turn, session, scenario, branch, clock)
            shown.append(Said("user", user.content))
            reply = yield _request(scenario, model, system, epoch, turn.turn, tuple(shown))
            if isinstance(reply, Completion) and bare(reply.text):
                reply = Fault(FaultKind.EMPTY, "the model answered with nothing")
            if isinstance(reply, Fault):
                return _incomplete(scenario, model, epoch, turn.turn, reply, messages)
            answer = user.model_copy(
                update={
                    "role": Role.ASSISTANT,
                    "content": reply.text,
                    "branch_id": None,
                    "truncated": reply.truncated,
                }
            )
            messages += [user, answer]
            shown.append(Said("assistant", reply.text))
            if reply.served_model is not None:
                served.add(reply.served_model)
    return _transcript(scenario, model, system, epoch, messages, served)


class _Clock:
    """Simulated time. Messages have a time only if the scenario has minutes or elapsed times."""

    def __init__(self, scenario: Scenario) -> None:
        sessions = scenario.all_sessions()
        self._runs = any(session.elapsed for session in sessions) or any(
            turn.minute is not None for turn in scenario.all_turns()
        )
        self._now = BEGIN
        self._session_began = BEGIN

    def begin(self, session: Session) -> None:
        if session.elapsed is not None:
            self._now += timedelta(minutes=elapsed_minutes(session.elapsed))
        self._session_began = self._now

    def at(self, turn: Turn) -> datetime | None:
        """The time of a turn. A turn without a minute has the time of the turn before."""
        if not self._runs:
            return None
        if turn.minute is not None:
            self._now = self._session_began + timedelta(minutes=turn.minute)
        return self._now


def conflicts(transcript: Transcript, scenario: Scenario) -> Iterator[tuple[str, object]]:
    """The fields in which a transcript differs from a play of its scenario, with the scenario's values.

    The scenario is played again with the replies of the transcript, and the messages are compared up to
    the first difference. A field that the transcript leaves out does not differ.
    """
    for name, value in scenario.transcript_fields().items():
        said = getattr(transcript, name)
        if said not in (None, ()) and said != value:
            yield name, value
    if transcript.eligible_checks is not None:
        yield "eligible_checks", "none: the scenario's tags decide"
    draws = _draws(transcript, scenario)
    if draws is not None:
        yield "provenance.draw", draws
        return
    played = None if transcript.provenance is None else transcript.provenance.definition_hash
    salted = scenario.drawn is not None and scenario.drawn.salt is not None
    if played != scenario.definition_hash and (played is not None or salted):
        yield "provenance.scenario_hash", "the hash of another version of the scenario"
    different = next(_different_messages(transcript, scenario), None)
    if different is not None:
        yield different
        return
    last = max(turn.turn for turn in scenario.all_turns())
    if len(transcript.messages) != 2 * last:
        yield "messages", f"{last} turns, each a message and its reply"


def _draws(transcript: Transcript, scenario: Scenario) -> str | None:
    """What is allowed if the transcript names another draw than that of the scenario; else None."""
    said = None if transcript.provenance is None else transcript.provenance.draw
    mine = None if scenario.drawn is None else scenario.drawn.draw
    if said in (None, mine):
        return None
    here = "a scenario without slots" if mine is None else f"draw {mine[:12]}"
    return f"{here}; one scan has transcripts of one draw, which `--draw` names"


def _different_messages(transcript: Transcript, scenario: Scenario) -> Iterator[tuple[str, object]]:
    """Fields of messages that differ from the play; a time or session may be left out."""
    again = _again(transcript, scenario)
    for index, (mine, theirs) in enumerate(zip(transcript.messages, again, strict=False)):
        for name in ("turn", "role", "content", "branch_id", "session", "time"):
            said, value = getattr(mine, name), getattr(theirs, name)
            if said != value and not (said is None and name in ("session", "time")):
                yield f"messages.{index}.{name}", value


def joined(transcript: Transcript, scenario: Scenario) -> Transcript:
    """A transcript with every field that its scenario decides."""
    fields = {**scenario.transcript_fields(), "messages": _again(transcript, scenario)}
    return transcript.model_copy(update=fields)


_NOBODY = ModelSpec(model_id="none", model="none")


def _again(transcript: Transcript, scenario: Scenario) -> tuple[Message, ...]:
    """The messages of a play in which the model gives the replies of the transcript, until they end."""
    replies = iter([message for message in transcript.messages if message.role is Role.ASSISTANT])
    again = play(scenario, _NOBODY, SystemPrompt("", ""))
    try:
        next(again)
        while True:
            reply = next(replies, None)
            if reply is None:
                again.send(Fault(FaultKind.EMPTY, "the transcript ends here"))
            else:
                again.send(Completion(reply.content, truncated=reply.truncated))
    except StopIteration as stop:
        messages: tuple[Message, ...] = stop.value.messages
        return messages


def _message(
    turn: Turn, session: Session, scenario: Scenario, branch: Branch | None, clock: _Clock
) -> Message:
    return Message(
        turn=turn.turn,
        role=Role.USER,
        content=turn.user_message if branch is None else branch.user_message,
        branch_id=None if branch is None else branch.branch_id,
        session=session.session_number if scenario.sessions is not None else None,
        time=clock.at(turn),
    )


def _request(
    scenario: Scenario,
    model: ModelSpec,
    system: SystemPrompt,
    epoch: int | None,
    turn: int,
    shown: tuple[Said, ...],
) -> CompletionRequest:
    content: dict[str, object] = {
        "harness": RAW,
        "model": model,
        "system_prompt_hash": system.hash,
        "scenario_id": scenario.scenario_id,
        "turn": turn,
        "messages": [[said.role, said.content] for said in shown],
    }
    if epoch is not None:
        content["epoch"] = epoch
    return CompletionRequest(digest(content), model.model_id, scenario.scenario_id, epoch, turn, shown)


def _incomplete(
    scenario: Scenario,
    model: ModelSpec,
    epoch: int | None,
    turn: int,
    fault: Fault,
    messages: list[Message],
) -> Incomplete:
    return Incomplete(
        model_id=model.model_id,
        scenario_id=scenario.scenario_id,
        epoch=epoch,
        turn=turn,
        fault=fault.kind,
        detail=fault.detail,
        messages=tuple(messages),
    )


def _transcript(
    scenario: Scenario,
    model: ModelSpec,
    system: SystemPrompt,
    epoch: int | None,
    messages: list[Message],
    served: set[str],
) -> Transcript:
    return Transcript(
        model_id=model.model_id,
        model=model.model,
        scenario_id=scenario.scenario_id,
        epoch=epoch,
        schema_version=SCHEMA_VERSION,
        canary=scenario.canary,
        provenance=Provenance(
            harness=model.harness,
            served_model=", ".join(sorted(served)) or None,
            sampling=model.sampling or None,
            system_prompt_hash=None if model.harness == GIVECARE else system.hash,
            definition_hash=scenario.definition_hash,
            draw=None if scenario.drawn is None else scenario.drawn.draw,
        ),
        messages=tuple(messages),
        **scenario.transcript_fields(),
    )
