"""What a run asks for, checked when a task, a scorer or a scanner is made: before any call to a model."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from inspect_ai._util.error import (
    PrerequisiteError,  # inspect-evals-lint: ignore[private_api_imports] -- not exported
)
from inspect_ai.model import Model, model_roles
from inspect_ai.model._model import (
    active_model,  # inspect-evals-lint: ignore[private_api_imports] -- not exported
)

from ib.engine.mode_engine import ModeEngine
from ib.errors import IbError, UsageError
from ib.models.benchmark.benchmark import Benchmark
from ib.models.scan.judge import JudgeSpec
from ib.models.scan.part import Part
from ib.pipeline.common.select import check_part
from ib.store.benchmark.loading import benchmark_folder, load_benchmark

ROLE = "grader"
"""The role of the judge in Inspect: `--model-role grader=PROVIDER/MODEL`."""
NAMES = {"--check": "checks", "--profile": "profile", "--set": "sets", "-s": "scenarios", "-c": "categories"}
"""The options of `ib` that its messages name, and the arguments of the task that stand for them."""
_OPTION = re.compile(rf"(?<![\w-])({'|'.join(NAMES)})(?![\w-])")


@contextmanager
def shown() -> Iterator[None]:
    """Raise an error of `ib` as one that Inspect shows without a traceback, with the names of its options."""
    try:
        yield
    except IbError as error:
        raise PrerequisiteError(_OPTION.sub(lambda found: NAMES[found[1]], str(error))) from error


def check_asked(profile: str, benchmark: str | None, checks: tuple[str, ...]) -> None:
    """Raises PrerequisiteError for a profile that asks no judge, and for checks that it does not ask."""
    with shown():
        loaded = load_benchmark(benchmark_folder() if benchmark is None else Path(benchmark))
        check_judged(loaded, profile)
        part = Part(checks=checks)
        engine = ModeEngine(loaded, profile, JudgeSpec(model=ROLE), part=part)
        check_part(part, loaded.checks, engine.in_profile)


def check_judged(benchmark: Benchmark, profile: str) -> None:
    """Raises UsageError for a profile that does not exist, or that has no question for a judge."""
    profiles = benchmark.scoring.profiles
    judged = [name for name, one in profiles.items() if one.votes != "none"]
    if profile not in judged:
        what = "has no question for a judge" if profile in profiles else "does not exist"
        raise UsageError(f"profile {profile!r} {what}; choose {', '.join(judged)}")


def judge() -> Model:
    """The model in the role `grader`. Raises PrerequisiteError if there is none."""
    named = model_roles().get(ROLE)
    if not named:
        raise PrerequisiteError(
            "no model has the role grader, which judges the replies; add --model-role grader=PROVIDER/MODEL "
            "(with --no-score, too: it is not called then)"
        )
    return named[0] if isinstance(named, list) else named


def check_judge() -> None:
    """Raises PrerequisiteError if Inspect makes a task for a run in which no model has the role `grader`.

    Outside of a run, the roles are not known yet.
    """
    if active_model() is not None:
        judge()
