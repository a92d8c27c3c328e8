"""The judge of a scan without a judge."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Literal

from ib.models.scan.judge import NO_JUDGE, JudgeReply, JudgeRequest, JudgeSpec, NotRecorded


@dataclass
class NoJudge:
    """Answers `NotRecorded` to all requests, so that checks that need a judge are not run."""

    in_process: ClassVar[Literal[True]] = True
    spec: JudgeSpec = field(
        default_factory=lambda: JudgeSpec(model=NO_JUDGE, reads_prompt=False, priced=False)
    )

    def answer(self, request: JudgeRequest) -> JudgeReply:
        return NotRecorded()
