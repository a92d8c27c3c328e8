"""The judge of a scan that asks none."""

from __future__ import annotations

from dataclasses import dataclass, field

from ib.models.judge import JudgeReply, JudgeRequest, JudgeSpec, NotRecorded


@dataclass
class NoJudge:
    """There is no judge: what only a judge could decide is not run."""

    spec: JudgeSpec = field(default_factory=lambda: JudgeSpec(model="none", reads_prompt=False, priced=False))

    def answer(self, request: JudgeRequest) -> JudgeReply:
        return NotRecorded()
