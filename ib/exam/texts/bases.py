"""The texts that items are built from: examples of checks and written exchanges with a known verdict."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from ib.engine.golden import transcript_of
from ib.models.benchmark.check import Check, FailureKind
from ib.models.benchmark.exam import CheckExam
from ib.models.benchmark.example import Example, ExampleMessage
from ib.models.benchmark.pilot import WrittenExchange
from ib.models.common.base import Role, Route, Unit, Verdict
from ib.models.conversation.transcript import Anchor, Message
from ib.models.exam.items import Source

NOT_FAILING = (Verdict.PASS, Verdict.NOT_APPLICABLE)


@dataclass(frozen=True)
class Base:
    """A conversation whose right verdict on one check is known."""

    id: str
    check: Check
    knows: CheckExam
    """What is known about the texts of the check."""
    source: Source
    verdict: Verdict
    messages: tuple[Message, ...]
    turn: int
    """The turn whose reply is edited."""
    certain_turn: bool
    """True if a failure of this text is in this turn and in no other."""
    words: str = ""
    """For a failure that was said: the failing words, if they are known."""
    deciding: tuple[str, ...] = ()
    """Parts of the reply without which the verdict is the other one."""
    country: str | None = None
    anchors: tuple[Anchor, ...] = ()
    other: Mapping[str, object] = field(default_factory=dict)
    """Further fields of its transcript."""

    @property
    def name(self) -> str:
        """The name of the text in its check."""
        return self.id.partition("/")[2]

    @property
    def left_out(self) -> bool:
        """True if the failure is something that the assistant left out."""
        return self.check.failure is FailureKind.LEFT_OUT

    @property
    def fails(self) -> bool:
        return self.verdict is Verdict.FAIL

    @property
    def anchored(self) -> bool:
        """True if the check is judged in a window after a cue."""
        return self.check.routing.unit_of_analysis is Unit.EVENT_WINDOW

    @property
    def reply(self) -> str:
        """The reply that is edited."""
        return next(m.content for m in self.messages if m.role is Role.ASSISTANT and m.turn == self.turn)

    @property
    def said(self) -> str:
        """The person's message that the reply answers."""
        return next((m.content for m in self.messages if m.role is Role.USER and m.turn == self.turn), "")

    @property
    def is_last(self) -> bool:
        """True if nothing follows the reply that is edited."""
        return self.messages[-1].turn == self.turn

    def saying(self, reply: str | None = None, said: str | None = None) -> tuple[Message, ...]:
        """The conversation with another reply, or other words of the person before it."""
        new = {Role.ASSISTANT: reply, Role.USER: said}
        return tuple(
            message.model_copy(update={"content": new[message.role]})
            if message.turn == self.turn and new[message.role] is not None
            else message
            for message in self.messages
        )


class BaseProblem(ValueError):
    """What an exam file says about a text does not fit the text. `key` names the place in the file."""

    def __init__(self, key: tuple[str, ...], found: str, allowed: str) -> None:
        super().__init__(f"{'.'.join(key)}: {found}; {allowed}")
        self.key, self.found, self.allowed = key, found, allowed


def is_asked(check: Check) -> bool:
    """True if a judge is asked about a check; a rule decides the others."""
    return check.routing.route is not Route.SCENARIO_RULE


def bases_of(check: Check, knows: CheckExam, written: Iterable[WrittenExchange]) -> tuple[Base, ...]:
    """The texts of a check that the exam uses. Raises BaseProblem if the exam file does not fit them."""
    texts = dict(_texts(check, knows, written))
    named = [(key, name) for key in ("deciding", "countries", "unused") for name in getattr(knows, key)]
    for key, name in [*named, *(("not_for", name) for names in knows.not_for.values() for name in names)]:
        if name not in texts:
            allowed = "the id of an example of the check or of a written exchange"
            raise BaseProblem((key, name), f"{check.id} has no text {name}", allowed)
    known = ((name, source, text) for name, (source, text) in texts.items() if name not in knows.unused)
    made = (_base(check, knows, name, source, text) for name, source, text in known)
    return tuple(base for base in made if base.fails or base.verdict in NOT_FAILING)


def _texts(
    check: Check, knows: CheckExam, written: Iterable[WrittenExchange]
) -> Iterator[tuple[str, tuple[Source, tuple[Example, Verdict]]]]:
    """Every text of a check as an example with its verdict, by id."""
    for example, verdict in check.examples.cases():
        yield example.id, (Source.EXAMPLE, (example, verdict))
    for one in written:
        if one.check == check.id:
            yield one.id, (Source.WRITTEN, (_example(one.id, one.messages, one.country), Verdict(one.meant)))
    for exchange in knows.exchanges:
        made = _example(exchange.id, exchange.messages, exchange.country)
        yield exchange.id, (Source.EXAM, (made, exchange.meant))


def _example(name: str, messages: tuple[ExampleMessage, ...], country: str | None) -> Example:
    return Example(id=name, messages=messages, country=country, why="written for the exam")


def _base(check: Check, knows: CheckExam, name: str, source: Source, text: tuple[Example, Verdict]) -> Base:
    example, verdict = text
    transcript = transcript_of(check, example)
    replies = [message for message in transcript.messages if message.role is Role.ASSISTANT]
    written = {one.id: one.deciding for one in knows.exchanges}
    deciding = written.get(name) or knows.deciding.get(name, ())
    wanted = deciding or ((example.quote,) if example.quote else ())
    reply = next((m for m in reversed(replies) if all(part in m.content for part in wanted)), None)
    if reply is None:
        allowed = "exact parts of one reply of the assistant"
        raise BaseProblem(("deciding", name), f"no reply of {name} has all of {wanted}", allowed)
    said = check.failure is not FailureKind.LEFT_OUT and verdict is Verdict.FAIL
    quote = (example.quote or deciding[0]) if said and wanted else ""
    base = Base(
        id=f"{check.id}/{name}",
        check=check,
        knows=knows,
        source=source,
        verdict=verdict,
        messages=transcript.messages,
        turn=reply.turn,
        certain_turn=len(replies) == 1 or bool(quote),
        words=quote,
        deciding=deciding,
        country=knows.countries.get(name) or transcript.country,
    )
    return base if not base.anchored else replace(base, anchors=_anchors(base))


def _anchors(base: Base) -> tuple[Anchor, ...]:
    """The window of a cue in a text of one exchange; none if the text has no cue, or several exchanges."""
    if base.verdict is Verdict.NOT_APPLICABLE or base.messages[-1].turn > 1:
        return ()
    return (Anchor(cue_turn=1, from_turn=1, to_turn=1, checks=(base.check.id,)),)
