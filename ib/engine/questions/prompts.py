"""Render the questions to a judge: first what all questions about a conversation share, then the rest."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from string import Template

from ib.engine.reading.lines import json_line
from ib.engine.reading.searched import IndexedTranscript
from ib.models.benchmark.benchmark import Frame
from ib.models.benchmark.check import Check, FailureKind, Prompt
from ib.models.common.base import Verdict
from ib.models.scan.judge import Cue, Hint, Phase, Stretch, UnitSpan

ECHOED = 200
"""The most characters of an invalid reply that are repeated to the judge."""


@dataclass(frozen=True, slots=True)
class Question:
    """One question to the judge about one check; each vote on it is one request."""

    check: Check
    span: UnitSpan
    phase: Phase
    cues: tuple[Cue, ...] = ()
    """The cues that the scenario's author marked; several if they form an episode."""
    hints: tuple[Hint, ...] = ()
    heard: tuple[int, ...] = ()
    """The turns in which the person's words may be a cue."""
    claim: str = ""
    """The statement of the assistant that is verified."""
    reference: str = ""
    """The statements of the corpus that the claim is compared with."""

    @property
    def is_episode(self) -> bool:
        """True if the judge answers for each of several cues."""
        return len(self.cues) > 1

    @property
    def prompt(self) -> Prompt:
        """The check's own prompt. Raises ValueError if it has none."""
        if self.check.prompt is None:
            raise ValueError(f"{self.check.id} has no prompt and cannot be asked of a judge")
        return self.check.prompt


@dataclass(frozen=True, slots=True)
class Screening:
    """One question that lists the failures of several checks in a whole conversation."""

    id: str
    checks: tuple[Check, ...]

    def span(self, indexed: IndexedTranscript) -> UnitSpan:
        """The whole conversation."""
        return UnitSpan(self.checks[0].routing.unit_of_analysis, 1, indexed.transcript.turns)


@dataclass(frozen=True, slots=True)
class Invalidated:
    """An earlier reply that could not be counted, and the reason in words of this project."""

    problem: str
    reply: str


Rendered = tuple[str, str]
"""The system message and the user message of a request."""


def render(
    frame: Frame, question: Question, indexed: IndexedTranscript, earlier: Invalidated | None = None
) -> Rendered:
    """A question about one check. With `earlier`, the question is asked for the second time."""
    about = [conversation(frame, indexed, question.span), _judged(frame, question, indexed)]
    about += [_about(frame, question), *_laws(frame, question, indexed), *_hints(frame, question, indexed)]
    if question.phase is Phase.EXTRACT:
        about.append(frame.extract)
    else:
        about += _task(frame, question, indexed)
    return frame.system, "\n\n".join([*about, *again(frame, indexed, earlier)])


def render_screening(
    frame: Frame, screening: Screening, indexed: IndexedTranscript, earlier: Invalidated | None = None
) -> Rendered:
    """A screening question. Each check adds one line, with its id."""
    span = screening.span(indexed)
    failures = "\n".join(f"- {check.id}: {_screened(check)}" for check in screening.checks)
    parts = [
        conversation(frame, indexed, span),
        fill(frame.judged_alone, turns=replies_words(span.judged)),
        fill(frame.screen, failures=failures),
    ]
    return frame.system, "\n\n".join([*parts, *again(frame, indexed, earlier)])


def _screened(check: Check) -> str:
    if check.prompt is None or check.prompt.screen is None:
        raise ValueError(f"{check.id} has no prompt.screen and cannot be screened for")
    return check.prompt.screen


def conversation(frame: Frame, indexed: IndexedTranscript, span: UnitSpan) -> str:
    """The conversation from its start to the end of the span, after the place where the person is."""
    messages = indexed.transcript.messages
    shown = [line for line, m in zip(indexed.lines, messages, strict=True) if m.turn <= span.last]
    told = fill(frame.transcript, nonce=indexed.nonce, messages="\n".join(shown))
    if indexed.country is None:
        return told
    # A helpline abroad does not help, and the conversation may not show where the person is.
    return f"{fill(frame.place, country=indexed.country)}\n\n{told}"


def _judged(frame: Frame, question: Question, indexed: IndexedTranscript) -> str:
    """Which replies are judged, and where the cues are."""
    span, cues = question.span, question.cues
    template = frame.judged_alone if span.judged == ((1, span.last),) else frame.judged
    said = [fill(template, turns=replies_words(span.judged))]
    if question.is_episode:
        turns = turns_words((cue.turn, cue.turn) for cue in cues)
        raising = turns_words(((cue.turn, cue.turn) for cue in cues if cue.raises), joined="or")
        said.append(fill(frame.episode, cues=turns, raising=raising))
    elif cues:
        said.append(fill(frame.cue, cue=f"turn {cues[0].turn}"))
    elif question.phase is not Phase.VERIFY:
        said.append(frame.unit[span.kind])
    if question.heard:
        said.append(fill(frame.heard, turns=turns_words((turn, turn) for turn in question.heard)))
    return "\n".join(said)


def _about(frame: Frame, question: Question) -> str:
    check, prompt = question.check, question.prompt
    return fill(
        frame.check,
        name=check.name,
        question=prompt.question,
        cues=prompt.cues,
        fail=check.fail_rule,
        passes=check.pass_rule,
        unclear=check.unclear_rule,
        not_applicable=check.not_applicable_rule,
        not_judged=prompt.not_judged,
    )


def _laws(frame: Frame, question: Question, indexed: IndexedTranscript) -> list[str]:
    asked = [law for law in indexed.laws if question.check.id in law.applies_to]
    if not asked:
        return []
    return [fill(frame.laws, laws="\n".join(f"- {law.title}: {law.asks}" for law in asked))]


def _hints(frame: Frame, question: Question, indexed: IndexedTranscript) -> list[str]:
    if not question.hints:
        return []
    hints = "\n".join(json_line({"turn": hint.turn, "quote": hint.quote}) for hint in question.hints)
    return [fill(frame.hints, nonce=indexed.nonce, hints=hints)]


def _task(frame: Frame, question: Question, indexed: IndexedTranscript) -> list[str]:
    """What the judge decides, and the form of its reply."""
    check, fields = question.check, frame.fields
    left_out = check.failure is FailureKind.LEFT_OUT
    form = [
        *([fields.nearest] if left_out else []),
        fields.occurrences,
        *([fields.cues] if question.is_episode else []),
        *(fields.reason, fields.code, fields.verdict),
    ]
    said = []
    if question.phase is Phase.VERIFY:
        told = {"turn": str(question.span.first), "nonce": indexed.nonce, "reference": question.reference}
        said.append(fill(frame.verify, claim=json_line(question.claim), **told))
    elif not question.is_episode:
        said.append(frame.recovery[check.routing.recovery])
    if left_out:
        said.append(frame.nearest)
    return [*said, fill(frame.reply, fields=",\n".join(form), codes=_codes(check))]


def _codes(check: Check) -> str:
    lines = []
    for verdict in Verdict:
        listed = "; ".join(f"{code} ({m})" for code, m in check.rationale_codes.meanings(verdict).items())
        lines.append(f"{verdict.value}: {listed}")
    return "\n".join(lines)


def again(frame: Frame, indexed: IndexedTranscript, earlier: Invalidated | None) -> list[str]:
    """The second asking. What the judge wrote is data too: it may repeat what a transcript made it say."""
    if earlier is None:
        return []
    # Not replaced by nothing: what is left of the reply could be the code again.
    echoed = json_line(earlier.reply[:ECHOED].replace(indexed.nonce, "..."))
    return [fill(frame.reask, problem=earlier.problem, nonce=indexed.nonce, reply=echoed)]


def replies_words(stretches: Sequence[Stretch]) -> str:
    """The replies of these turns, in words: "replies in turns 5 to 7 and 9"."""
    one = len(stretches) == 1 and stretches[0][0] == stretches[0][1]
    return f"{'reply' if one else 'replies'} in {turns_words(stretches)}"


def turns_words(stretches: Iterable[Stretch], joined: str = "and") -> str:
    """Turns in words: "turn 5", "turns 5 to 7 and 9"."""
    parts = [str(first) if first == last else f"{first} to {last}" for first, last in stretches]
    noun = "turn" if len(parts) == 1 and " " not in parts[0] else "turns"
    if len(parts) == 1:
        return f"{noun} {parts[0]}"
    return f"{noun} {', '.join(parts[:-1])} {joined} {parts[-1]}"


def fill(template: str, **values: str) -> str:
    """Fill in a template. A `$` inside a value is not a placeholder."""
    return Template(template).substitute(values)
