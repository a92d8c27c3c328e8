"""A request to the judge, made from a question: its key, and where it belongs."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ib.engine.questions.prompts import Rendered
from ib.engine.reading.searched import IndexedTranscript
from ib.models.common.canonical import digest
from ib.models.scan.judge import Asked, Cue, Hint, JudgeRequest, JudgeSpec, Phase, UnitSpan

NOTHING: Rendered = ("", "")
"""What is rendered for a judge that reads no prompt."""


def judge_of(spec: JudgeSpec) -> dict[str, object]:
    """The part of a key that says which judge is asked."""
    return {"model": spec.model, "base": spec.base, "params": spec.params}


@dataclass(frozen=True, slots=True)
class About:
    """What all repetitions of a question have in common."""

    id: str
    span: UnitSpan
    rendered: Rendered
    told: Mapping[str, object]
    """What identifies the question in the key, beside the words, the transcript and the judge."""
    schema: Mapping[str, Any] | None = None
    asked: Asked | None = None
    rendered_hash: str = field(init=False)

    def __post_init__(self) -> None:
        system, user = self.rendered
        hashed = hashlib.sha256(f"{system}\0{user}".encode()).hexdigest()
        object.__setattr__(self, "rendered_hash", hashed)


def asked_of(
    indexed: IndexedTranscript,
    phase: Phase,
    span: UnitSpan,
    *,
    cues: tuple[Cue, ...] = (),
    hints: tuple[Hint, ...] = (),
    claim: str = "",
) -> Asked:
    """A question about a transcript as data, for judges that read no prompt."""
    return Asked(
        phase=phase,
        span=span,
        cues=cues,
        hints=hints,
        claim=claim,
        transcript_hash=indexed.transcript_hash,
        country=indexed.country,
        transcript=indexed.transcript,
    )


def request(
    about: About,
    indexed: IndexedTranscript,
    judge: Mapping[str, object],
    *,
    phase: Phase,
    repetition: int,
    attempt: int,
) -> JudgeRequest:
    """One repetition of a question. `judge` is `judge_of` the judge."""
    system, user = about.rendered
    key = digest(
        {
            "judge": judge,
            "transcript_hash": indexed.transcript_hash,
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
        unit=about.span,
        phase=phase,
        repetition=repetition,
        attempt=attempt,
        system=system,
        user=user,
        asked=about.asked,
        schema=about.schema,
    )
