"""The judge: a model of Inspect that answers the questions of `ib`."""

from __future__ import annotations

from typing import Any

from inspect_ai.model import CachePolicy, ChatMessageSystem, ChatMessageUser, GenerateConfig, Model

from ib.judges.live import REFUSED
from ib.models.scan.judge import Answer, Fault, FaultKind, JudgeReply, JudgeRequest, JudgeSpec, Refusal
from ib.text.shown import bare

CALLS = frozenset(
    {"adaptive_connections", "attempt_timeout", "batch", "cache", "max_connections", "max_retries"}
    | {"stream_idle_timeout", "timeout"}
)
"""The settings of Inspect that say how a model is called, and change no reply."""


def parameters(config: GenerateConfig) -> dict[str, Any]:
    """The settings that may change a reply, by their names in Inspect."""
    told: dict[str, Any] = config.model_dump(mode="json", exclude_none=True, exclude=set(CALLS))
    return told


def spec_of(model: Model) -> JudgeSpec:
    """Which judge this is: its name, its address and its settings are part of the key of every question."""
    return JudgeSpec(model=str(model), base=model.explicit_base_url, params=parameters(model.config))


async def ask(model: Model, request: JudgeRequest, *, cache: bool | None) -> JudgeReply:
    """The reply of the judge to one question.

    A reply from Inspect's cache answers the same repetition of the same question, and no other: else all
    votes on a question would be one. `cache` is None for what the settings of the model say. Raises what
    Inspect raises for a model that cannot be reached: the sample then ends with an error, and can be tried
    again.
    """
    wanted = bool(model.config.cache) if cache is None else cache
    output = await model.generate(
        [ChatMessageSystem(content=request.system), ChatMessageUser(content=request.user)],
        cache=_only_this(model.config, request) if wanted else False,
    )
    stop = output.stop_reason if output.choices else "unknown"
    if stop == "content_filter":
        return Refusal(REFUSED)
    if bare(output.completion):
        kind = FaultKind.TRUNCATED if stop in ("max_tokens", "model_length") else FaultKind.EMPTY
        return Fault(kind, f"no words ({stop})")
    return Answer(output.completion)


def _only_this(config: GenerateConfig, request: JudgeRequest) -> CachePolicy:
    """The policy of the settings, for one repetition and attempt of one question about one transcript."""
    policy = config.cache if isinstance(config.cache, CachePolicy) else CachePolicy(expiry=None)
    scopes = {**policy.scopes, "invisiblebench": request.key}
    return policy.model_copy(update={"scopes": scopes, "per_epoch": False})
