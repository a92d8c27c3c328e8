"""The solver that plays a scenario: its turns, sessions and branches, by the playing code of `ib`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    Model,
    ModelOutput,
    get_model,
)
from inspect_ai.solver import Generate, Solver, TaskState, solver

from ib.engine.questions.protocol import drive
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
_KINDS = {"system": ChatMessageSystem, "user": ChatMessageUser, "assistant": ChatMessageAssistant}


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
        spec = model_spec(model)

        async def answer(request: CompletionRequest) -> CompletionReply:
            state.messages = [_message(said) for said in request.messages]
            state.output = await model.generate(state.messages)
            if state.output.choices:
                state.messages.append(state.output.message)
            return _reply(state.output)

        scenario = scenarios[str(state.sample_id)]
        played = await drive(play(scenario, spec, system, state.epoch), answer)
        state.metadata.update(_said(played))
        state.completed = True
        return state

    return solve


def model_spec(model: Model) -> ModelSpec:
    """The model that is played, with the settings that may change a reply."""
    name, sampling = str(model), parameters(model.config)
    if model.explicit_base_url is not None:
        sampling["base_url"] = model.explicit_base_url
    return ModelSpec(model_id=identifier(name), model=name.rsplit("/", 1)[-1], sampling=sampling)


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


def _said(played: Transcript | Incomplete) -> dict[str, Any]:
    """The metadata of a sample for a play."""
    if isinstance(played, Incomplete):
        return {INCOMPLETE: played.model_dump(mode="json")}
    return {TRANSCRIPT: transcript_value(played)}


def transcript_value(transcript: Transcript) -> dict[str, Any]:
    """A transcript as the object of its line."""
    return transcript.model_dump(mode="json", by_alias=True, exclude_none=True, exclude_defaults=True)
