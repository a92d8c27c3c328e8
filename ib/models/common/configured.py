"""A file of models with their settings, for `--config`."""

from __future__ import annotations

from collections import Counter
from typing import Annotated, Literal

from pydantic import Field, model_validator

from ib.models.common.base import Identifier, Name, Record, is_identifier
from ib.models.common.settings import ModelLimits, ModelSettings

USUAL_LIMITS = ModelLimits()
TAKEN = ("none", "lexical", "scripts", "recorded:", "reference/", "scripted:")
"""How the names of judges and models begin that are not at a provider."""


class ConfiguredModel(Record):
    """One model, how it is called, and the name that commands and results have for it."""

    model: Name
    """The name that litellm knows, such as `openai/gpt-4o`."""
    id: Identifier | None = None
    """The model's id in commands and transcripts; `model` if it is left out. It is needed if a file has one
    model twice, with other settings. The name of a judge in a plan is always `model`."""
    settings: ModelSettings = Field(default_factory=ModelSettings)
    """The parameters of its requests. They are part of the plan and of every key."""
    limits: ModelLimits = USUAL_LIMITS
    """How it is called. A limit that is left out is the one of the command line."""

    @model_validator(mode="after")
    def _can_be_known(self) -> ConfiguredModel:
        if not is_identifier(self.known_as):
            raise ValueError(f"{self.model!r} cannot be an id of a model; give it an `id` that can")
        return self

    @property
    def known_as(self) -> str:
        """Its id in commands and transcripts."""
        return self.id or self.model


class ModelsFile(Record):
    """Models with their settings. A run plays all of them, or those that `-m` names; a scan asks the one that
    `--judge` names. A file holds no key: keys come from the environment."""

    schema_version: Literal[1] = 1
    models: Annotated[tuple[ConfiguredModel, ...], Field(min_length=1)]
    """The models, each with an id of its own."""

    @model_validator(mode="after")
    def _one_of_each(self) -> ModelsFile:
        twice = [name for name, count in Counter(each.known_as for each in self.models).items() if count > 1]
        if twice:
            raise ValueError(f"two models have the id {twice[0]!r}; give each an `id` of its own")
        taken = [name for each in self.models if (name := each.known_as).startswith(TAKEN)]
        if taken:
            raise ValueError(f"the id {taken[0]!r} begins like a name that `ib` gives: {', '.join(TAKEN)}")
        return self

    def find(self, name: str) -> ConfiguredModel | None:
        """The model of an id, or the only one with this `model`; None if there is none."""
        by_id = [each for each in self.models if each.known_as == name]
        by_model = [each for each in self.models if each.model == name]
        return next(iter(by_id), None) or (by_model[0] if len(by_model) == 1 else None)
