"""The judge of a scan that asks none."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Literal

from ib.models.judge import NO_JUDGE, JudgeReply, JudgeRequest, JudgeSpec, NotRecorded


@dataclass
class NoJudge:
    """No judge is configured: what only a judge could decide is not run."""

    in_process: ClassVar[Literal[True]] = True
    spec: JudgeSpec = field(
        default_factory=lambda: JudgeSpec(model=NO_JUDGE, reads_prompt=False, priced=False)
    )

    def answer(self, request: JudgeRequest) -> JudgeReply:
        return NotRecorded()
