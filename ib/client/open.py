"""A model over the network that is opened just before its first call. What is missing is reported then."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ib.client import transport
from ib.client.batcher import Batcher, BatchTerms, Ledger
from ib.client.batches import PROVIDERS, BatchApi
from ib.client.budget import Budget
from ib.client.calls import Call, Message, Outcome
from ib.client.client import Client, Patience
from ib.client.pace import Pace
from ib.client.rate import Attempt, rate_of
from ib.errors import UsageError, WorldError
from ib.models.common.price import Price
from ib.models.common.settings import ModelLimits, ModelSettings
from ib.models.scan.cost import Account

UNPACED = 1_000_000
"""The limit on calls that wait for a batch: none in practice."""


@dataclass
class Connection:
    """A model that is called later. Planning needs neither its key nor litellm, whose import is slow.

    Raises UsageError if the budget limits dollars and the price is unknown.
    """

    model: str
    settings: ModelSettings
    limits: ModelLimits
    budget: Budget
    price: Price | None = None
    """None if it is unknown."""
    notice: Callable[[str], None] = lambda _: None
    """Called with one sentence if the model has not answered for a while."""
    batching: tuple[Ledger, BatchTerms] | None = None
    """Where batches are written down and how they are waited for; None to answer each call at once."""
    _client: Client | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        if self.budget.usd is not None and self.price is None:
            raise UsageError(
                f"{price_unknown(self.model)}, so --max-cost-usd cannot be kept; use --max-calls"
            )

    def open(self, account: Account) -> None:
        """Open the client. `account` has the calls of earlier sessions, and gets those of this one.

        Raises UsageError if the provider is unknown, a parameter is not supported, or neither a price nor a
        limit on calls is known, and WorldError if a key is missing.
        """
        self._check_model()
        missing = transport.missing_keys(self.model, self.settings.base_url)
        if missing:
            raise WorldError(f"{self.model} needs {', '.join(missing)} in the environment; no call was made")
        if self.price is None and self.budget.calls is None:
            raise UsageError(f"{price_unknown(self.model)}; set a limit with --max-calls")
        pace = Pace(fixed=self.limits.max_connections)
        patience = Patience(retries=self.limits.max_retries)
        self.budget.go_on_from(account)
        rate = rate_of(transport.attempt, self.limits.rpm, self.limits.tpm)
        self._client = Client(patience, pace, self.budget, self.price, account, notice=self.notice, rate=rate)
        if self.batching is not None:
            live = transport.attempt if rate is None else rate.attempt
            self._client.attempt = self._batcher(*self.batching, pace, live).attempt
            self._client.pace, self._client.in_batches = Pace(fixed=UNPACED), True
            self._client.rate = None  # only what a batch leaves is asked live

    def _batcher(self, ledger: Ledger, terms: BatchTerms, pace: Pace, live: Attempt) -> Batcher:
        """Raises UsageError if litellm cannot create batches at the provider."""
        api = BatchApi(self.model, self.settings.base_url)
        if api.provider not in PROVIDERS:
            known = ", ".join(sorted(PROVIDERS))
            raise UsageError(
                f"--batch: litellm has no batches of this form at {api.provider}, but at {known}"
            )
        return Batcher(api, ledger, terms, pace, live)

    def _check_model(self) -> None:
        """Raises UsageError if litellm does not know the provider, or a parameter is not supported."""
        model, settings = self.model, self.settings
        if not transport.known_provider(model):
            own = "" if settings.base_url is None else "; for an OpenAI-compatible server, write openai/MODEL"
            raise UsageError(
                f"{model!r} has no known provider; write PROVIDER/MODEL with a provider of litellm{own}"
            )
        refused = transport.unsupported(model, settings.parameters())
        if refused:
            told = ", ".join(f"{option_of(name)} {value}" for name, value in refused.items())
            raise UsageError(f"{model} does not support {told}; omit it or choose another value")

    @property
    def client(self) -> Client:
        """The client. Raises RuntimeError before `open`."""
        if self._client is None:
            raise RuntimeError(f"{self.model} was called before it was opened")
        return self._client

    async def ask(
        self,
        key: str,
        messages: tuple[Message, ...],
        sample: int = 0,
        schema: Mapping[str, Any] | None = None,
    ) -> Outcome:
        """The model's reply to these messages, or the failure of the last attempt.

        `key` is the key of the request. `sample` counts the times that the same is asked for an opinion of
        its own, from 0. It is added to the seed: with one seed, a provider may give one reply several times.
        `schema` is the JSON schema of the reply. It is not sent if the settings have a form of their own.
        """
        parameters, base = self.settings.parameters(), self.settings.base_url
        if "seed" in parameters:
            parameters["seed"] += sample
        if schema is not None and "response_format" not in parameters:
            form = {"name": "reply", "schema": dict(schema), "strict": True}
            parameters["response_format"] = {"type": "json_schema", "json_schema": form}
        return await self.client.ask(Call(self.model, messages, parameters, base, self.limits.timeout, key))

    async def close(self) -> None:
        """Close the connections to the provider, if there are any."""
        if self._client is not None:
            await self._client.close()


def price_unknown(model: str) -> str:
    """What to say about a model without a price."""
    return f"the price of {model} is unknown: neither configs/prices.yaml nor litellm has one"


def option_of(name: str) -> str:
    """The option that sets a parameter of a request."""
    if name == "thinking":
        return "--reasoning-tokens"
    return f"--{name.replace('_', '-')}" if name in ModelSettings.model_fields else f"--extra {name}"
