"""Open a client for a model over the network. What is missing is reported before the first paid call."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from ib.client import transport
from ib.client.calls import Call, Message, Outcome
from ib.client.client import Budget, Client, Patience
from ib.client.pace import Pace
from ib.errors import UsageError, WorldError
from ib.models.settings import CallLimits, ModelSettings


@dataclass
class Connection:
    """A model that is called later. Planning needs neither its key nor litellm, whose import is slow."""

    model: str
    settings: ModelSettings
    limits: CallLimits
    budget: Budget

    @cached_property
    def client(self) -> Client:
        """The client, opened at the first use. Raises what `open_client` raises."""
        return open_client(self.model, self.settings, self.limits, self.budget)

    async def ask(self, messages: tuple[Message, ...], sample: int = 0) -> Outcome:
        """The model's reply to these messages, or the failure of the last attempt.

        `sample` counts the times that the same is asked for an opinion of its own, from 0. It is added to the
        seed: with one seed, a provider may give one reply several times.
        """
        parameters, base = self.settings.parameters(), self.settings.base_url
        if "seed" in parameters:
            parameters["seed"] += sample
        return await self.client.ask(Call(self.model, messages, parameters, base, self.limits.timeout))

    async def close(self) -> None:
        """Close the connections to the provider, if there are any."""
        if "client" in self.__dict__:
            await self.client.close()


def open_client(model: str, settings: ModelSettings, limits: CallLimits, budget: Budget) -> Client:
    """Open a client for a model.

    Raises UsageError if the provider is unknown, a parameter is not supported, or the budget has no limit on
    calls, and WorldError if a key is missing.
    """
    if not transport.known_provider(model):
        own = "" if settings.base_url is None else "; for an OpenAI-compatible server, write openai/MODEL"
        raise UsageError(
            f"{model!r} has no known provider; write PROVIDER/MODEL with a provider of litellm{own}"
        )
    refused = transport.unsupported(model, settings.parameters())
    if refused:
        told = ", ".join(f"{option_of(name)} {value}" for name, value in refused.items())
        raise UsageError(f"{model} does not support {told}; omit it or choose another value")
    missing = transport.missing_keys(model, settings.base_url)
    if missing:
        raise WorldError(f"{model} needs {', '.join(missing)} in the environment; no call was made")
    if budget.calls is None:
        raise UsageError(f"calls to {model} may cost money; set a limit with --max-calls")
    return Client(
        patience=Patience(retries=limits.max_retries),
        pace=Pace(fixed=limits.max_connections),
        budget=budget,
    )


def option_of(name: str) -> str:
    """The option that sets a parameter of a request."""
    if name == "thinking":
        return "--reasoning-tokens"
    return f"--{name.replace('_', '-')}" if name in ModelSettings.model_fields else f"--extra {name}"
