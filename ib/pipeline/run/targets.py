"""Opening the models under test by name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from ib.client.budget import Budget
from ib.engine.reading.lexicons import Matcher
from ib.errors import UsageError
from ib.models.benchmark.benchmark import Benchmark
from ib.models.common.base import Role
from ib.models.common.configured import ConfiguredModel
from ib.models.common.names import moving_notice
from ib.models.common.settings import ModelLimits
from ib.models.conversation.scenario import Scenario
from ib.models.scan.cost import Account
from ib.models.scan.run import GIVECARE
from ib.pipeline.common.callbacks import SILENT, Callbacks
from ib.pipeline.common.configured import Calling, KnownModels, bounded, check_one_address
from ib.store.benchmark.characters import character_paths, load_character, load_script
from ib.store.benchmark.prices import Prices, load_prices
from ib.targets.base import Model
from ib.targets.reference import PREFIX, ReferenceAssistant
from ib.targets.scripted import ScriptedModel
from ib.text.normalize import normalize_said

SCRIPTED = "scripted:"


def open_models(
    names: Sequence[str],
    benchmark: Benchmark,
    root: Path,
    calling: Calling,
    callbacks: Callbacks = SILENT,
) -> tuple[Model, ...]:
    """Open models by name; returns them sorted by id.

    A name is `reference/NAME`, `scripted:PATH`, a model such as `openai/gpt-4o`, `givecare/v2`, or the id of
    a model in the file of `calling`. Without names, these are all models of the file. `root` is the folder
    of the benchmark, which has the reference assistants. Raises UsageError if a name is unknown or given
    twice, and DataError if a file cannot be read. Whether a model can be called is checked by its `open`.
    """
    known = calling.checked()
    names = names or known.names
    if not names:
        raise UsageError("no model is named; give -m reference/NAME, -m PROVIDER/MODEL or --config FILE")
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise UsageError(f"-m {', '.join(twice)} is given twice; name every model once")
    check_one_address(names, calling)
    heard = Matcher(benchmark.lexicons.values(), Role.USER)
    budget, prices = Budget(calling.limits.max_calls, calling.limits.max_cost_usd), load_prices(root)
    models: list[Model] = []
    for name in names:
        live = _live(name, known)
        models.append(
            _open(name, benchmark, root, heard)
            if live is None
            else _connected(live, known.limits(live), budget, prices, callbacks)
        )
    ids = [model.spec.model_id for model in models]
    if len(set(ids)) < len(ids):
        raise UsageError(
            f"two models have the same id: {', '.join(sorted(ids))}; name every model once, and give "
            "a model that is called at two addresses two ids in a file for --config"
        )
    return tuple(sorted(models, key=lambda model: model.spec.model_id))


def _live(name: str, known: KnownModels) -> ConfiguredModel | None:
    """The model of a name, if it is at a provider."""
    return None if name.startswith((SCRIPTED, PREFIX)) else known.find(name)


def _connected(
    model: ConfiguredModel, limits: ModelLimits, budget: Budget, prices: Prices, callbacks: Callbacks
) -> Model:
    if model.model == GIVECARE:
        from ib.targets.givecare import GiveCareModel

        return GiveCareModel(model.settings, limits, budget, model.known_as, callbacks.notice)
    from ib.client.open import Connection
    from ib.targets.live import LiveModel

    model, price = bounded(model, prices), prices.price(model.model)
    connection = Connection(model.model, model.settings, limits, budget, price, callbacks.notice)
    return LiveModel(connection, model.known_as)


def _open(name: str, benchmark: Benchmark, root: Path, heard: Matcher) -> Model:
    if name.startswith(SCRIPTED):
        return ScriptedModel(load_script(Path(name.removeprefix(SCRIPTED))))
    paths = character_paths(root)
    character = name.removeprefix(PREFIX)
    if not name.startswith(PREFIX) or character not in paths:
        known = ", ".join(PREFIX + known for known in paths) or "none in this benchmark"
        raise UsageError(f"unknown model -m {name!r}; choose {known}, scripted:PATH, or PROVIDER/MODEL")
    return _reference(paths[character], benchmark, heard)


def reference_assistants(benchmark: Benchmark, root: Path) -> dict[str, ReferenceAssistant]:
    """All reference assistants of a benchmark, by model id. Raises DataError if a file cannot be read."""
    heard = Matcher(benchmark.lexicons.values(), Role.USER)
    return {PREFIX + name: _reference(path, benchmark, heard) for name, path in character_paths(root).items()}


def _reference(path: Path, benchmark: Benchmark, heard: Matcher) -> ReferenceAssistant:
    return ReferenceAssistant(load_character(path, benchmark.checks, benchmark.lexicons), heard)


def hear_at_once(models: Iterable[Model], scenarios: Iterable[Scenario]) -> None:
    """Search the user turns once for all reference assistants; this takes half the time of one by one."""
    assistants = [model for model in models if isinstance(model, ReferenceAssistant)]
    if assistants:
        said = [normalize_said(turn.user_message) for s in scenarios for turn in s.all_turns()]
        assistants[0].matcher.found_each(said)


def open_all(models: Iterable[Model], account: Account) -> None:
    """Open the models. The limits of their calls go on from the calls that are listed."""
    for model in models:
        model.open(account)


def moving_notices(models: Iterable[Model]) -> Iterator[str]:
    """Why the same model might answer otherwise another time."""
    for model in models:
        name = model.spec.sampling.get("model", model.spec.model_id)
        if moving := (moving_notice(name) if model.spec.priced else None):
            yield f"model: {moving}"
