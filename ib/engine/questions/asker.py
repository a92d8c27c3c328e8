"""Make judge requests: the rendered question, its key, and the schema of its reply."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from ib.engine.questions.prompts import Invalidated, Question, Screening, render, render_screening
from ib.engine.questions.replies import ballot_schema, claims_schema, screened_schema
from ib.engine.questions.requests import NOTHING, About, asked_of, judge_of, request
from ib.engine.reading.searched import IndexedTranscript
from ib.models.benchmark.benchmark import Frame
from ib.models.common.canonical import digest
from ib.models.scan.judge import JudgeRequest, JudgeSpec, Phase, UnitSpan


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
        object.__setattr__(self, "_judge", judge_of(self.spec))

    def requests(
        self,
        question: Question,
        indexed: IndexedTranscript,
        repetitions: Iterable[int],
        earlier: Invalidated | None = None,
    ) -> tuple[JudgeRequest, ...]:
        """The requests for several repetitions. Their text is the same; each has its own key.

        With `earlier`, they are the second and last attempt.
        """
        rendered = render(self.frame, question, indexed, earlier) if self.spec.reads_prompt else NOTHING
        schema = None
        if self.spec.reads_prompt:
            schema = claims_schema() if question.phase is Phase.EXTRACT else ballot_schema(question)
        told: dict[str, object] = {
            "check_hash": self.check_hashes[question.check.id],
            "subject_hash": digest(
                [
                    [[cue.turn, cue.first, cue.last, cue.raises] for cue in question.cues],
                    [[hint.turn, hint.quote] for hint in question.hints],
                    [question.claim, question.reference],
                ]
            ),
        }
        told |= self._told(question.span, question.phase, indexed, earlier)
        asked = asked_of(
            indexed,
            question.phase,
            question.span,
            cues=question.cues,
            hints=question.hints,
            claim=question.claim,
        )
        about = About(question.check.id, question.span, rendered, told, schema, asked)
        return self._each(about, question.phase, indexed, repetitions, earlier)

    def screenings(
        self,
        screening: Screening,
        indexed: IndexedTranscript,
        repetitions: Iterable[int],
        earlier: Invalidated | None = None,
    ) -> tuple[JudgeRequest, ...]:
        """The requests of a screening question, one for each repetition."""
        rendered = render_screening(self.frame, screening, indexed, earlier)
        span = screening.span(indexed)
        told = self._told(span, Phase.SCREEN, indexed, earlier)
        told |= {"check_hash": [self.check_hashes[check.id] for check in screening.checks]}
        asked = replace(
            asked_of(indexed, Phase.SCREEN, span), screened=tuple(check.id for check in screening.checks)
        )
        about = About(screening.id, span, rendered, told, screened_schema(screening), asked)
        return self._each(about, Phase.SCREEN, indexed, repetitions, earlier)

    def _told(
        self, span: UnitSpan, phase: Phase, indexed: IndexedTranscript, earlier: Invalidated | None
    ) -> dict[str, object]:
        """What identifies every question of a check or a screening in the key."""
        return {
            "template_hash": self.template_hash,
            "country": indexed.country,
            "unit": [span.kind, span.first, span.last, span.ordinal, span.context],
            "phase": [phase, phase if earlier is None else Phase.REASK],
        }

    def _each(
        self,
        about: About,
        phase: Phase,
        indexed: IndexedTranscript,
        repetitions: Iterable[int],
        earlier: Invalidated | None,
    ) -> tuple[JudgeRequest, ...]:
        attempt, phase = (1, phase) if earlier is None else (2, Phase.REASK)
        return tuple(
            request(about, indexed, self._judge, phase=phase, repetition=r, attempt=attempt)
            for r in repetitions
        )
