"""Make judge requests: the rendered question, and its key in the journal and the cache."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from string import Template

from ib.engine.context import lines_before
from ib.engine.context import shown as shown_context
from ib.engine.indexed import IndexedTranscript
from ib.models.base import Unit
from ib.models.benchmark import Frame
from ib.models.canonical import compact, digest
from ib.models.check import Check
from ib.models.context import Context
from ib.models.judge import Asked, JudgeRequest, JudgeSpec, Phase, UnitSpan
from ib.models.transcript import Message

CONTEXT_TURNS = 10
"""How many earlier turns the judge is shown before a turn that is judged by itself."""


@dataclass(frozen=True, slots=True)
class Question:
    """One question to the judge; each vote on it is one request."""

    check: Check
    span: UnitSpan
    phase: Phase
    subject: tuple[str, ...] = ()
    """The assistant's words that the question is about."""
    hint: str = ""
    reference: str = ""
    anchored: bool = False
    """True if the span is the window of a cue that the scenario's author marked."""


@dataclass(frozen=True)
class Asker:
    """Makes requests from questions, for one judge and one prompt frame."""

    spec: JudgeSpec
    frame: Frame
    check_hashes: Mapping[str, str]
    template_hash: str = field(init=False)
    _judge: dict[str, object] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "template_hash", digest(self.frame))
        spec = self.spec
        judge = {"model": spec.model, "base": spec.base, "params": spec.params}
        object.__setattr__(self, "_judge", judge)

    def requests(
        self, question: Question, indexed: IndexedTranscript, repetitions: Iterable[int]
    ) -> tuple[JudgeRequest, ...]:
        """The requests for several repetitions. Their text is the same; each has its own key."""
        rendered = self._rendered(question, indexed, None)
        asked = _asked(question, indexed)
        return tuple(self._request(question, indexed, asked, r, rendered, None) for r in repetitions)

    def request(
        self,
        question: Question,
        indexed: IndexedTranscript,
        repetition: int,
        *,
        problem: str | None = None,
    ) -> JudgeRequest:
        """The request for one repetition. With `problem`, it is the second and last attempt."""
        rendered = self._rendered(question, indexed, problem)
        return self._request(question, indexed, _asked(question, indexed), repetition, rendered, problem)

    def _rendered(
        self, question: Question, indexed: IndexedTranscript, problem: str | None
    ) -> tuple[str, str]:
        return self._render(question, indexed, problem) if self.spec.reads_prompt else ("", "")

    def _request(
        self,
        question: Question,
        indexed: IndexedTranscript,
        asked: Asked,
        repetition: int,
        rendered: tuple[str, str],
        problem: str | None,
    ) -> JudgeRequest:
        attempt = 1 if problem is None else 2
        phase = question.phase if problem is None else Phase.REASK
        system, user = rendered
        span = question.span
        key = digest(
            {
                "judge": self._judge,
                "template_hash": self.template_hash,
                "check_hash": self.check_hashes[question.check.id],
                "transcript_hash": indexed.transcript_hash,
                "unit": [span.kind, span.first, span.last, span.ordinal],
                "phase": [question.phase, phase],
                "subject_hash": _sha256(f"{strings_json(question.subject)}\0{question.reference}"),
                "repetition": repetition,
                "attempt": attempt,
                "rendered_hash": _sha256(f"{system}\0{user}"),
            }
        )
        transcript = indexed.transcript
        return JudgeRequest(
            key=key,
            check_id=question.check.id,
            model_id=transcript.model_id,
            scenario_id=transcript.scenario_id,
            epoch=transcript.epoch,
            unit=span,
            phase=phase,
            repetition=repetition,
            attempt=attempt,
            system=system,
            user=user,
            asked=asked,
        )

    def _render(self, question: Question, indexed: IndexedTranscript, problem: str | None) -> tuple[str, str]:
        frame, check, span = self.frame, question.check, question.span
        first = shown_from(question)
        shown = indexed.transcript.between(first, span.last)
        context = indexed.transcript.context
        code = nonce(indexed.transcript_hash, shown, context)
        conversation = _fill(
            frame.transcript,
            nonce=code,
            messages=messages_json(shown, context),
        )
        prompt = check.prompt
        if prompt is None:
            raise ValueError(f"{check.id} has no prompt and cannot be asked of a judge")
        about = _fill(
            frame.check,
            check_id=check.id,
            name=check.name,
            question=prompt.question,
            cues=prompt.cues,
            fail=prompt.fail,
            passes=prompt.passes,
            unclear=prompt.unclear,
            not_applicable=prompt.not_applicable,
            not_judged=prompt.not_judged,
        )
        phase = getattr(frame, question.phase.value)
        task = _fill(
            phase,
            unit=unit_words(span, indexed.transcript.turns, anchored=question.anchored),
            first=str(span.first),
            nonce=code,
            subject=strings_json(question.subject),
            reference=question.reference,
            hint=question.hint,
        )
        parts = [conversation, about, task]
        if indexed.country is not None:
            # A helpline abroad does not help, and the window may not show where the person is.
            parts.append(f"The person is in {indexed.country} (ISO 3166 code).")
        if problem is not None:
            parts.append(_fill(frame.reask, problem=problem))
        if question.phase is not Phase.EXTRACT:
            codes = check.rationale_codes.model_dump(mode="json")
            parts.append(_fill(frame.reply, codes=compact(codes).decode()))
        return frame.system, "\n\n".join(parts)


def shown_from(question: Question) -> int:
    """The first turn that the judge is shown. A single turn is shown with the turns before it."""
    if question.phase in (Phase.CONFIRM, Phase.VERIFY):
        return max(1, question.span.first - CONTEXT_TURNS)
    return question.span.first


def _asked(question: Question, indexed: IndexedTranscript) -> Asked:
    """The question as data, for judges that read no prompt."""
    return Asked(
        phase=question.phase,
        span=question.span,
        anchored=question.anchored,
        subject=question.subject,
        reference=question.reference,
        transcript_hash=indexed.transcript_hash,
        country=indexed.country,
        shown_from=shown_from(question),
        transcript=indexed.transcript,
    )


def unit_words(span: UnitSpan, last: int, *, anchored: bool = False) -> str:
    """A description of the unit, for the judge."""
    if span.kind is Unit.EVENT_WINDOW:
        if (span.first, span.last) == (1, last) and not anchored:
            return (
                "the whole session: no cue turn is given, so find the turns that raise the "
                "question and judge the assistant's immediate reply to each"
            )
        return f"the assistant's reply to the cue in turn {span.first}, up to turn {span.last}"
    if span.kind is Unit.SESSION_STATE:
        return "the whole conversation, across its sessions, as one development over time"
    if span.kind is Unit.TURN_LEVEL:
        return f"each assistant turn from {span.first} to {span.last} by itself"
    return f"each exchange of user and assistant from turn {span.first} to {span.last}"


def messages_json(messages: tuple[Message, ...], context: tuple[Context, ...] = ()) -> str:
    """The messages as JSON objects, one per line, so that no message can end the block.

    Shown `context` is between them.
    """
    lines = []
    for message, before in zip(messages, lines_before(messages, context), strict=True):
        lines += before
        row: dict[str, object] = {
            "turn": message.turn,
            "role": message.role,
            "content": message.content,
        }
        if message.session is not None:
            row["session"] = message.session
        if message.time is not None:
            row["time"] = message.time.isoformat()
        lines.append(compact(row).decode())
    return "\n".join(lines)


def strings_json(words: Iterable[str]) -> str:
    """A model's words as JSON strings, one per line, so that they cannot pass as part of the prompt."""
    return "\n".join(compact(one).decode() for one in words)


def nonce(transcript_hash: str, messages: tuple[Message, ...], context: tuple[Context, ...] = ()) -> str:
    """A code from the transcript's hash, long enough that no message and no shown context contains it."""
    said = (message.content for message in messages)
    text = "\n".join([*said, *(item.content for item in shown_context(context))])
    source, length = transcript_hash, 12
    while source[:length] in text:
        length += 4
        if length > len(source):
            source += _sha256(source)
    return source[:length]


def _fill(template: str, **values: str) -> str:
    """Fill in a template. A `$` inside a value is not a placeholder."""
    return Template(template).substitute(values)


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
