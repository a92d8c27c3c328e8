"""Models with settings: from a file (`--config`) or from options. No key may be among the settings."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

from ib.board.evidence.leaks import LeakSearch, secrets_of
from ib.client.secrets import keys_in_use
from ib.errors import DataError, Finding, UsageError, WorldError
from ib.models.common.base import is_identifier
from ib.models.common.configured import ConfiguredModel, ModelsFile
from ib.models.common.names import is_claude
from ib.models.common.settings import NO_ADDRESS, CallLimits, ModelSettings, is_address, with_reply_limit
from ib.store.benchmark.prices import Prices
from ib.store.files.leaks import load_leak_forms
from ib.store.files.places import lines_in
from ib.store.files.reading import decode, read_bytes
from ib.store.files.validation import build
from ib.store.files.wording import shown
from ib.store.files.yaml_json import parse_yaml

USUAL = ModelSettings()
UNLIMITED = CallLimits()
KEY_WORDS = {"apikey", "authorization", "bearer", "cookie", "credential", "credentials", "key", "keys"} | {
    "passwd", "password", "secret", "secrets", "token"
}  # fmt: skip
"""The last words of names of keys. `tokens` is none: it counts."""
NO_KEYS = {"prompt_cache_key"}
"""Parameters that are named like a key and are none."""
ADDRESSES = ("BASE_URL", "API_BASE")
"""The last parts of the environment variables with the address of a provider, such as OPENAI_BASE_URL."""
_OWN_ADDRESS = re.compile(r"@(?=[A-Za-z][A-Za-z0-9+.-]*://)")
"""What separates a model from its address in PROVIDER/MODEL@ADDRESS."""
LOCAL = ("recorded:", "reference/", "scripted:")
"""How the names of judges and models with a slash begin that are not at a provider."""
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
Place = tuple[str | int, ...]


@dataclass(frozen=True)
class Calling:
    """How the models of a run or scan are called: settings for all, or a file with settings for each."""

    settings: ModelSettings = USUAL
    """The settings of a model that is named as PROVIDER/MODEL."""
    limits: CallLimits = UNLIMITED
    """The limits of calls. A file may change those of one model."""
    config: Path | None = None
    """A file of models with their settings."""

    def checked(self) -> KnownModels:
        """The models that can be named.

        Raises DataError if the file has errors or a key is among the settings, and UsageError if settings
        are given beside a file.
        """
        if self.config is None:
            _check_no_key(self.settings)
            return KnownModels(self, None)
        if self.settings != USUAL:
            raise UsageError(
                "--config has the settings of its models; write --temperature and the like into the file"
            )
        return KnownModels(self, load_models(self.config))


DIRECT = Calling()
"""Models are named as PROVIDER/MODEL and called as their providers decide."""


@dataclass(frozen=True)
class KnownModels:
    """The models at providers that a command can name."""

    calling: Calling
    file: ModelsFile | None

    @property
    def names(self) -> tuple[str, ...]:
        """The ids of the models of the file."""
        return () if self.file is None else tuple(each.known_as for each in self.file.models)

    def find(self, name: str) -> ConfiguredModel | None:
        """The model of a name, with its settings and address. Returns None if the name has no provider.

        Raises UsageError, with the most similar names, if a file is given and does not have the model.
        """
        name, own = split_address(name)
        if self.file is None:
            if "/" not in name:
                return None
            check_model_id(name)
            settings = self.calling.settings
            if own is not None:
                settings = settings.model_copy(update={"base_url": own})
                _check_no_key(settings)
            return _at_its_address(ConfiguredModel(model=name, settings=settings))
        if own is not None:
            raise UsageError(
                f"{name}: with --config, write the address of a model into the file, as base_url"
            )
        found = self.file.find(name)
        if found is None:
            raise UsageError(f"{name!r} is not in {self.calling.config}; it has {self._nearest(name)}")
        return _at_its_address(found)

    def limits(self, model: ConfiguredModel) -> CallLimits:
        """The limits of calls to one model."""
        own = model.limits.model_dump(exclude_unset=True)
        return self.calling.limits.model_copy(update=own)

    def _nearest(self, name: str) -> str:
        return ", ".join(difflib.get_close_matches(name, self.names, n=3, cutoff=0.4) or self.names[:8])


def check_model_id(name: str) -> None:
    """Raises UsageError if a name from the command line cannot be the id of a model."""
    if not is_identifier(name):
        allowed = "at most 160 letters, digits and _.:/@+-, such as vendor/model"
        raise UsageError(f"{shown(name)} cannot be the id of a model; use {allowed}")


def check_base_url(address: str | None) -> None:
    """Raises UsageError if --base-url is not an address."""
    if address is not None and not is_address(address):
        raise UsageError(f"--base-url {NO_ADDRESS}")


def split_address(name: str) -> tuple[str, str | None]:
    """PROVIDER/MODEL@ADDRESS as a model and its address; the address is None if the name has none.

    Raises UsageError if the address is not one, without repeating it: it may hold a password.
    """
    if name.startswith(LOCAL):
        return name, None
    model, *own = _OWN_ADDRESS.split(name, maxsplit=1)
    if own and not is_address(own[0]):
        raise UsageError(f"what follows {shown(model + '@')} {NO_ADDRESS}")
    return model, own[0] if own else None


def check_one_address(names: Iterable[str], calling: Calling) -> None:
    """Raises UsageError if --base-url would send the keys of several providers to one address.

    Models of one provider have one key, so they may share the address.
    """
    if calling.settings.base_url is None:
        return
    split = (split_address(name) for name in names if "/" in name and not name.startswith(LOCAL))
    providers = sorted({model.partition("/")[0] for model, own in split if own is None})
    if len(providers) > 1:
        raise UsageError(
            f"--base-url is the address of one provider, but would get the keys of {', '.join(providers)}; "
            "name a model with an address of its own as PROVIDER/MODEL@ADDRESS, or give --config a file with "
            "the models and their addresses"
        )


def _at_its_address(model: ConfiguredModel) -> ConfiguredModel:
    """The model with the address that the environment gives its provider, if its settings have none.

    litellm would read it there as well. It has to be in the plan and in every key, because another model may
    answer at another address.
    """
    if model.settings.base_url is not None:
        return model
    provider = model.model.partition("/")[0].upper().replace("-", "_")
    named = (f"{provider}_{ending}" for ending in ADDRESSES)
    variable = next(filter(os.environ.get, named), None)
    address = None if variable is None else os.environ[variable]
    if address is not None and not is_address(address):
        raise WorldError(f"the environment variable {variable} {NO_ADDRESS}")
    settings = model.settings.model_copy(update={"base_url": address})
    return model.model_copy(update={"settings": settings})


def bounded(model: ConfiguredModel, prices: Prices) -> ConfiguredModel:
    """The model with a limit on the tokens of its replies, if it demands one and its settings have none.

    The limit is part of the plan and of every key, like one that is given.
    """
    most = prices.reply_most(model.model) if is_claude(model.model) else None
    return model.model_copy(update={"settings": with_reply_limit(model.settings, model.model, most)})


def load_models(path: Path) -> ModelsFile:
    """Load a file of models. Raises DataError with all findings; a finding never repeats a key."""
    name = str(path)
    text = decode(read_bytes(path, name), name)
    value = parse_yaml(text, name)
    line = lines_in(text)
    findings = [Finding.at(name, line(place), place, *said) for place, said in _keys_in(value, ())]
    if findings:
        raise DataError(findings)
    return build(ModelsFile, value, name=name, text=text)


def _check_no_key(settings: ModelSettings) -> None:
    """Raises DataError if a key is among settings of the command line."""
    findings = list(_keys_in(settings.model_dump(exclude_none=True), ()))
    if findings:
        raise DataError(Finding.at("model settings", None, place, *said) for place, said in findings)


def _keys_in(value: Any, place: Place) -> Iterator[tuple[Place, tuple[str, str]]]:
    """The place of each value that is named like a key or looks like one, and what to say about it."""
    texts = list(_texts(value, place))
    if not texts:  # the usual case: nothing to load
        return
    search = LeakSearch(load_leak_forms(), secrets_of(os.environ, keys_in_use()))
    for inner, text in texts:
        name = next((str(part) for part in reversed(inner) if isinstance(part, str)), "")
        if _names_a_key(name) or any(map(_names_a_key, _asked(text))):
            yield inner, ("is named like a key", "no key; keys come from the environment only")
        elif search.key(text) is not None:
            yield inner, ("looks like a key", "no key; keys come from the environment only")


def _texts(value: Any, place: Place) -> Iterator[tuple[Place, str]]:
    """Every text in a value, with its place."""
    if isinstance(value, str):
        yield place, value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _texts(inner, (*place, str(key)))
    elif isinstance(value, Sequence):
        for index, inner in enumerate(value):
            yield from _texts(inner, (*place, index))


def _asked(text: str) -> Iterator[str]:
    """The names in the query of an address, which need not be a good one."""
    yield from (name for name, _ in parse_qsl(text.partition("?")[2].partition("#")[0]))


def _names_a_key(name: str) -> bool:
    words = [word.lower() for word in _WORD.findall(name)]
    return bool(words) and words[-1] in KEY_WORDS and name not in NO_KEYS
