"""The product that is played through the experimental harness givecare/v2."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

from ib.client.budget import Budget
from ib.client.calls import Call, Failure
from ib.client.client import Client, Patience
from ib.client.givecare import SCENARIO, Site
from ib.client.open import price_unknown
from ib.client.pace import Pace
from ib.client.rate import rate_of
from ib.client.secrets import GIVECARE_KEY
from ib.errors import UsageError, WorldError
from ib.models.common.settings import ModelLimits, ModelSettings
from ib.models.scan.cost import Account
from ib.models.scan.run import GIVECARE, Completion, CompletionReply, CompletionRequest, ModelSpec


@dataclass
class GiveCareModel:
    """A product behind a site. Its transcripts name the harness, and are never compared with models."""

    settings: ModelSettings
    limits: ModelLimits
    budget: Budget
    model_id: str = GIVECARE
    notice: Callable[[str], None] = lambda _: None
    """Called with one sentence if the site has not answered for a while."""
    price: ClassVar[None] = None
    """What a turn costs the owner of the site is not known."""
    _account: Account | None = field(default=None, init=False)
    _healthy: bool = field(default=False, init=False)
    _asking: asyncio.Lock = field(default_factory=asyncio.Lock, init=False)

    def __post_init__(self) -> None:
        if self.budget.usd is not None:
            raise UsageError(f"{price_unknown(GIVECARE)}, so --max-cost-usd cannot be kept; use --max-calls")

    @property
    def spec(self) -> ModelSpec:
        """The harness and the address of the site."""
        return ModelSpec(
            model_id=self.model_id,
            model="GiveCare v2",
            sampling={"base_url": self.settings.base_url},
            harness=GIVECARE,
        )

    def open(self, account: Account) -> None:
        """Check the address, the key and the limits. `account` gets every call."""
        self._account = account
        if self.settings.base_url is None:
            raise UsageError(f"{GIVECARE} needs --base-url, the address of the site")
        if self.settings.parameters():
            given = ", ".join(f"`{name}`" for name in self.settings.parameters())
            raise UsageError(f"{GIVECARE} takes no sampling settings; omit {given}")
        if not os.environ.get(GIVECARE_KEY):
            raise WorldError(f"{GIVECARE} needs {GIVECARE_KEY} in the environment; no call was made")
        if self.budget.calls is None:
            raise UsageError(f"{price_unknown(GIVECARE)}; set a limit with --max-calls")
        self.budget.go_on_from(account)

    @cached_property
    def site(self) -> Site:
        """The site, with its key from the environment."""
        return Site(self.settings.base_url or "", os.environ[GIVECARE_KEY])

    @cached_property
    def client(self) -> Client:
        """The client that asks for turns."""
        return Client(
            patience=Patience(retries=self.limits.max_retries),
            pace=Pace(fixed=self.limits.max_connections),
            budget=self.budget,
            account=self._account,
            attempt=self.site.turn,
            rate=rate_of(self.site.turn, self.limits.rpm, self.limits.tpm),
            notice=self.notice,
        )

    async def answer(self, request: CompletionRequest) -> CompletionReply:
        """The product's reply to one turn, or the fault of the last attempt.

        Raises WorldError if the harness of the site is not ready.
        """
        await self._check_health()
        messages = tuple({"role": said.role, "content": said.content} for said in request.messages)
        outcome = await self.client.ask(self._call(messages, request.scenario_id, request.key))
        if isinstance(outcome, Failure):
            return outcome.fault
        return Completion(outcome.text, outcome.truncated, outcome.served_model)

    async def _check_health(self) -> None:
        """Ask once, before the first turn, whether the harness is ready. This is not counted as a call."""
        async with self._asking:
            if self._healthy:
                return
            patient = Client(patience=self.client.patience, attempt=self.site.health)
            outcome = await patient.ask(self._call((), ""))
            if isinstance(outcome, Failure):
                raise WorldError(
                    f"{GIVECARE}: the site is not ready ({outcome.fault.detail}); no turn was played"
                )
            self._healthy = True

    def _call(self, messages: tuple[dict[str, str], ...], scenario_id: str, key: str = "") -> Call:
        base, timeout = self.settings.base_url, self.limits.timeout
        return Call(GIVECARE, messages, {SCENARIO: scenario_id}, base, timeout, key)

    async def close(self) -> None:
        """Close the connections to the site."""
        if "site" in self.__dict__:
            await self.site.close()
