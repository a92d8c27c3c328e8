"""A model whose replies come from a file."""

from __future__ import annotations

from dataclasses import dataclass

from ib.models.common.canonical import digest
from ib.models.scan.judge import Fault
from ib.models.scan.run import SCRIPTED, Completion, CompletionReply, CompletionRequest, ModelSpec, Script
from ib.targets.base import InProcess


@dataclass(frozen=True)
class ScriptedModel(InProcess):
    """A model whose replies come from a file, for tests and for trying out a scenario."""

    script: Script

    @property
    def spec(self) -> ModelSpec:
        return ModelSpec(
            model_id=self.script.model_id,
            model=self.script.model,
            revision=digest(self.script),
            priced=False,
            harness=SCRIPTED,
        )

    async def answer(self, request: CompletionRequest) -> CompletionReply:
        said = self.script.replies.get(request.scenario_id, ())
        reply = said[request.turn - 1] if request.turn <= len(said) else self.script.otherwise
        if reply.fault is not None:
            return Fault(reply.fault, reply.detail)
        return Completion(reply.text or "", reply.truncated, reply.served_model)
