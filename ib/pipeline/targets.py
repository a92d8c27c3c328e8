"""Opening the models under test by name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from ib.client.client import Budget
from ib.engine.lexicons import Matcher
from ib.errors import UsageError
from ib.models.base import Role
from ib.models.benchmark import Benchmark
from ib.models.scenario import Scenario
from ib.models.settings import CallLimits, ModelSettings
from ib.store.characters import character_paths, load_character, load_script
from ib.targets.base import Model
from ib.targets.reference import PREFIX, ReferenceAssistant
from ib.targets.scripted import ScriptedModel
from ib.text.normalize import normalize_said

SCRIPTED = "scripted:"
USUAL = ModelSettings()
UNLIMITED = CallLimits()


def open_models(
    names: Sequence[str],
    benchmark: Benchmark,
    root: Path,
    settings: ModelSettings = USUAL,
    limits: CallLimits = UNLIMITED,
) -> tuple[Model, ...]:
    """Open models by name; returns them sorted by id.

    A name is `reference/NAME`, `scripted:PATH`, or a model such as `openai/gpt-4o`, which is called with
    `settings` within `limits`. `root` is the folder of the benchmark, which has the reference assistants.
    Raises UsageError if a name is unknown or given twice, and DataError if a file cannot be read. Whether
    a model can be called is checked by its `open`.
    """
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise UsageError(f"-m {', '.join(twice)} is given twice; name every model once")
    heard = Matcher(benchmark.lexicons.values(), Role.USER)
    budget = Budget(limits.max_calls)
    models = [
        _live(name, settings, limits, budget) if _is_live(name) else _open(name, benchmark, root, heard)
        for name in names
    ]
    ids = [model.spec.model_id for model in models]
    if len(set(ids)) < len(ids):
        raise UsageError(f"two models have the same id: {', '.join(sorted(ids))}; name every model once")
    return tuple(sorted(models, key=lambda model: model.spec.model_id))


def _is_live(name: str) -> bool:
    """True for the name of a model at a provider: PROVIDER/MODEL."""
    return "/" in name and not name.startswith((SCRIPTED, PREFIX))


def _live(name: str, settings: ModelSettings, limits: CallLimits, budget: Budget) -> Model:
    from ib.client.open import Connection
    from ib.targets.live import LiveModel

    return LiveModel(Connection(name, settings, limits, budget))


def _open(name: str, benchmark: Benchmark, root: Path, heard: Matcher) -> Model:
    if name.startswith(SCRIPTED):
        return ScriptedModel(load_script(Path(name.removeprefix(SCRIPTED))))
    paths = character_paths(root)
    character = name.removeprefix(PREFIX)
    if not name.startswith(PREFIX) or character not in paths:
        known = ", ".join(PREFIX + known for known in paths) or "none in this benchmark"
        raise UsageError(f"unknown model -m {name!r}; choose {known}, scripted:PATH, or PROVIDER/MODEL")
    loaded = load_character(paths[character], benchmark.checks, benchmark.lexicons)
    return ReferenceAssistant(loaded, heard)


def hear_at_once(models: Iterable[Model], scenarios: Iterable[Scenario]) -> None:
    """Search the user turns once for all reference assistants; this takes half the time of one by one."""
    assistants = [model for model in models if isinstance(model, ReferenceAssistant)]
    if assistants:
        said = [normalize_said(turn.user_message) for s in scenarios for turn in s.all_turns()]
        assistants[0].matcher.found_each(said)
