"""Make judge requests: the rendered question, its key, and the schema of its reply."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ib.engine.indexed import IndexedTranscript
from ib.engine.prompts import Invalidated, Question, Rendered, Screening, render, render_screening
from ib.engine.replies import ballot_schema, claims_schema, screened_schema
from ib.models.benchmark import Frame
from ib.models.canonical import digest
from ib.models.judge import Asked, JudgeRequest, JudgeSpec, Phase, UnitSpan

NOTHING: Rendered = ("", "")
"""What is rendered for a judge that reads no prompt."""


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
        told = {
            "check_hash": self.check_hashes[question.check.id],
            "subject_hash": digest(
                [
                    [[cue.turn, cue.first, cue.last, cue.raises] for cue in question.cues],
                    [[hint.turn, hint.quote] for hint in question.hints],
                    [question.claim, question.reference],
                ]
            ),
        }
        asked = _asked(question, indexed)
        about = _About(question.check.id, question.span, question.phase, rendered, told, schema, asked)
        return tuple(self._request(about, indexed, r, again=earlier is not None) for r in repetitions)

    def screenings(
        self,
        screening: Screening,
        indexed: IndexedTranscript,
        repetitions: Iterable[int],
        earlier: Invalidated | None = None,
    ) -> tuple[JudgeRequest, ...]:
        """The requests of a screening question, one for each repetition."""
        rendered = render_screening(self.frame, screening, indexed, earlier)
        told = {"check_hash": [self.check_hashes[check.id] for check in screening.checks]}
        schema = screened_schema(screening)
        about = _About(screening.id, screening.span(indexed), Phase.SCREEN, rendered, told, schema, None)
        return tuple(self._request(about, indexed, r, again=earlier is not None) for r in repetitions)

    def _request(
        self, about: _About, indexed: IndexedTranscript, repetition: int, *, again: bool
    ) -> JudgeRequest:
        attempt, phase = (2, Phase.REASK) if again else (1, about.phase)
        span, (system, user) = about.span, about.rendered
        key = digest(
            {
                "judge": self._judge,
                "template_hash": self.template_hash,
                "transcript_hash": indexed.transcript_hash,
                "country": indexed.country,
                "unit": [span.kind, span.first, span.last, span.ordinal, span.context],
                "phase": [about.phase, phase],
                "repetition": repetition,
                "attempt": attempt,
                "rendered_hash": about.rendered_hash,
                **about.told,
            }
        )
        transcript = indexed.transcript
        return JudgeRequest(
            key=key,
            check_id=about.id,
            model_id=transcript.model_id,
            scenario_id=transcript.scenario_id,
            epoch=transcript.epoch,
            unit=span,
            phase=phase,
            repetition=repetition,
            attempt=attempt,
            system=system,
            user=user,
            asked=about.asked,
            schema=about.schema,
        )


@dataclass(frozen=True, slots=True)
class _About:
    """What all repetitions of a question have in common."""

    id: str
    span: UnitSpan
    phase: Phase
    rendered: Rendered
    told: Mapping[str, object]
    """Further parts of the key."""
    schema: Mapping[str, Any] | None
    asked: Asked | None
    rendered_hash: str = field(init=False)

    def __post_init__(self) -> None:
        system, user = self.rendered
        hashed = hashlib.sha256(f"{system}\0{user}".encode()).hexdigest()
        object.__setattr__(self, "rendered_hash", hashed)


def _asked(question: Question, indexed: IndexedTranscript) -> Asked:
    """The question as data, for judges that read no prompt."""
    return Asked(
        phase=question.phase,
        span=question.span,
        cues=question.cues,
        hints=question.hints,
        claim=question.claim,
        transcript_hash=indexed.transcript_hash,
        country=indexed.country,
        transcript=indexed.transcript,
    )
