"""The identity of a conversation (model, scenario, epoch) is one type."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator

import ib.models
from ib.models.common.base import Play, Played, Record


def models(root: type[Record]) -> Iterator[type[Record]]:
    """Every model of `ib.models`."""
    for package in pkgutil.walk_packages(ib.models.__path__, "ib.models."):
        importlib.import_module(package.name)
    for model in root.__subclasses__():
        yield model
        yield from models(model)


def test_the_identity_of_a_conversation_is_one_type() -> None:
    """A model that names a play is a `Play`, and a `Played` if it names the assistant, too."""
    for model in models(Record):
        if {"scenario_id", "epoch"} <= model.model_fields.keys():
            assert issubclass(model, Play), model
            assert issubclass(model, Played) is ("model_id" in model.model_fields), model
