"""The solver that plays a scenario: its turns, sessions and branches, by the playing code of `ib`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from inspect_ai.event import ModelEvent
from inspect_ai.log import transcript
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    GenerateConfig,
    Model,
    ModelOutput,
    get_model,
)
from inspect_ai.solver import Generate, Solver, TaskState, solver

from ib.engine.questions.protocol import drive
from ib.errors import UsageError
from ib.logs.reading.conversation import WHOLE, identifier
from ib.models.conversation.transcript import Transcript
from ib.models.scan.judge import Fault, FaultKind
from ib.models.scan.run import Completion, CompletionReply, CompletionRequest, Incomplete, ModelSpec, Said
from ib.scenario.playing import play
from ib.store.benchmark.drawing import private_key
from ib.store.benchmark.loading import benchmark_folder
from ib.store.benchmark.scenarios import Scenarios
from ib.store.folders import runs
from ib.store.folders.system_prompt import load_system_prompt
from ib.text.shown import bare
from ib_inspect.grader import parameters

TRANSCRIPT = WHOLE[1]
"""Where the metadata of a sample has the transcript of a complete play; `ib import` reads it there."""
INCOMPLETE = "invisiblebench_incomplete"
"""Where the metadata of a sample has a play that a fault ended."""
_KINDS: Mapping[str, Callable[..., ChatMessage]] = {
    "system": ChatMessageSystem,
    "user": ChatMessageUser,
    "assistant": ChatMessageAssistant,
}


@solver
def play_scenario(
    benchmark: str | None = None, draw: str | None = None, system_prompt: str | None = None
) -> Solver:
    """Play the scenario that has the id of the sample.

    Args:
        benchmark: The folder of a benchmark; by default that of the package.
        draw: The file of the key of a private draw; by default the public draw.
        system_prompt: A file in place of the benchmark's own system prompt. Plays under it are not
            comparable with others.
    """
    root = benchmark_folder() if benchmark is None else Path(benchmark)
    scenarios = Scenarios(root, None if draw is None else private_key(Path(draw)))
    system = load_system_prompt(Path(system_prompt) if system_prompt else root / runs.SYSTEM_PROMPT)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        model = get_model()

        async def answer(request: CompletionRequest) -> CompletionReply:
            state.messages = [_message(said) for said in request.messages]
            state.output = await model.generate(state.messages)
            _as_written(_call().input, request.messages)
            if state.output.choices:
                state.messages.append(state.output.message)
            return _reply(state.output)

        scenario = scenarios[str(state.sample_id)]
        played = await drive(play(scenario, model_spec(model), system, _epoch(state)), answer)
        state.metadata.update(_said(played, sampling(model, _call().config)))
        state.completed = True
        return state

    return solve


def _epoch(state: TaskState) -> int | None:
    """The number of a play. The first has none, as the only play of `ib run`: a sample does not know how many
    there are. `ib import` adds the number if the log has several."""
    return None if state.epoch == 1 else state.epoch


def model_spec(model: Model) -> ModelSpec:
    """The model that is played."""
    name = str(model)
    return ModelSpec(model_id=identifier(name), model=name.rsplit("/", 1)[-1])


def sampling(model: Model, config: GenerateConfig) -> dict[str, Any]:
    """The settings of a call that may change a reply, and the address of the model if it has its own."""
    address = model.explicit_base_url
    return {**parameters(config), **({} if address is None else {"base_url": address})}


def _call() -> ModelEvent:
    """The last call of this sample. It has what was sent, whichever option of Inspect it comes from."""
    return next(event for event in reversed(transcript().events) if isinstance(event, ModelEvent))


def _as_written(sent: Sequence[ChatMessage], wanted: Sequence[Said]) -> None:
    """Raises UsageError if the model was sent other messages than those of the play: then it is no play of
    `llm/raw`. Neighbors of one role may be joined, as some providers demand."""
    if _words((one.role, one.text) for one in sent) != _words((one.role, one.content) for one in wanted):
        raise UsageError(
            "Inspect sent the model other messages than those of the scenario; omit --system-message, "
            "or name another system prompt with -T system_prompt=FILE"
        )


def _words(messages: Iterable[tuple[str, str]]) -> list[tuple[str, list[str]]]:
    return [
        (role, " ".join(text for _, text in said).split())
        for role, said in groupby(messages, key=lambda one: one[0])
    ]


def _message(said: Said) -> ChatMessage:
    return _KINDS[said.role](content=said.content)


def _reply(output: ModelOutput) -> CompletionReply:
    """The words of an output, or why there are none."""
    stop = output.stop_reason if output.choices else "unknown"
    if stop == "content_filter":
        return Fault(FaultKind.CONTENT_FILTER, "the provider filtered the reply")
    if bare(output.completion):
        cut = stop in ("max_tokens", "model_length")
        return Fault(FaultKind.TRUNCATED if cut else FaultKind.EMPTY, f"no words ({stop})")
    truncated = stop in ("max_tokens", "model_length")
    return Completion(output.completion, truncated=truncated, served_model=output.model or None)


def _said(played: Transcript | Incomplete, settings: dict[str, Any]) -> dict[str, Any]:
    """The metadata of a sample for a play with these settings."""
    if isinstance(played, Incomplete):
        return {INCOMPLETE: played.model_dump(mode="json")}
    assert played.provenance is not None
    provenance = played.provenance.model_copy(update={"sampling": settings or None})
    return {TRANSCRIPT: transcript_value(played.model_copy(update={"provenance": provenance}))}


def transcript_value(transcript: Transcript) -> dict[str, Any]:
    """A transcript as the object of its line."""
    return transcript.model_dump(mode="json", by_alias=True, exclude_none=True, exclude_defaults=True)
