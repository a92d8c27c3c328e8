"""The batch API of a provider, through litellm: upload requests, create a batch, fetch what it answered.

litellm can create and list batches at the providers of PROVIDERS, whose files have OpenAI's form.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ib.client import transport
from ib.client.calls import Call, Failure, Outcome
from ib.client.secrets import scrub
from ib.client.status import WORDS, kind_of_status
from ib.models.scan.judge import Fault, FaultKind

PROVIDERS = frozenset({"openai", "azure", "hosted_vllm", "litellm_proxy"})
PRICE_SHARE = 0.5
"""What a call in a batch costs, as a share of a call that is answered at once."""
TOKEN = "ib_token"
ENDPOINT = "/v1/chat/completions"
ENDED = frozenset({"completed", "failed", "expired", "cancelled"})
ONE_REQUEST = {"Connection": "close"}
"""litellm opens a connection for each request about batches, and leaves it open."""
NO_COST = {"batch_ignore_default_logging": True}
"""Else litellm downloads the answers of a batch once more, in order to compute its cost."""
SECONDS = 120.0
"""Seconds for one request about a batch. A file of 90 MB takes a while."""
PAGE = 100
PAGES = 50
"""The most pages of batches that are searched for a token."""


class BatchFault(Exception):
    """A request about a batch failed."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(f"{fault.kind}, {fault.detail}")
        self.kind = fault.kind


@dataclass(frozen=True, slots=True)
class State:
    """A batch as the provider reports it."""

    id: str
    status: str
    created: float
    """Seconds since 1970."""
    output_files: tuple[str, ...] = ()
    error: str = ""

    @property
    def has_ended(self) -> bool:
        """True if nothing more will be answered."""
        return self.status in ENDED


@dataclass(frozen=True)
class BatchApi:
    """The batches of one model. Every method raises BatchFault if the provider does not answer."""

    model: str
    base_url: str | None

    @property
    def provider(self) -> str:
        """The name of the provider in litellm."""
        return str(transport.library().get_llm_provider(self.model)[1])

    async def upload(self, lines: bytes) -> str:
        """Upload a file of requests; returns its id."""
        sent = ("requests.jsonl", lines, "application/jsonl")
        return str((await self._call("acreate_file", file=sent, purpose="batch")).id)

    async def create(self, file: str, token: str) -> State:
        """Create a batch of the requests in a file. `token` finds it again."""
        told: dict[str, Any] = {"endpoint": ENDPOINT, "completion_window": "24h", "metadata": {TOKEN: token}}
        return _state(await self._call("acreate_batch", input_file_id=file, **told))

    async def find(self, token: str) -> State | None:
        """The batch with this token. Returns None if it was never created."""
        after: dict[str, str] = {}
        for _ in range(PAGES):
            page = await self._call("alist_batches", limit=PAGE, **after)
            await _close_client_of(page)
            for batch in page.data:
                if (batch.metadata or {}).get(TOKEN) == token:
                    return _state(batch)
            if not page.data or not getattr(page, "has_more", False):
                return None
            after = {"after": page.data[-1].id}
        return None

    async def state(self, batch: str) -> State:
        """The state of a batch."""
        return _state(await self._call("aretrieve_batch", batch_id=batch, litellm_metadata=NO_COST))

    async def cancel(self, batch: str) -> None:
        """Ask the provider to end a batch early. What is answered until then can be fetched."""
        await self._call("acancel_batch", batch_id=batch)

    async def outcomes(self, state: State) -> dict[str, Outcome]:
        """The outcomes of a batch by the id of their line. Lines without an outcome are not in it."""
        found: dict[str, Outcome] = {}
        for file in state.output_files:
            content = await self._call("afile_content", file_id=file)
            for line in content.content.splitlines():
                found.update(_outcome(json.loads(line)) if line.strip() else {})
        return found

    async def _call(self, name: str, **arguments: Any) -> Any:
        where = transport.address(self.model, self.base_url)
        try:
            return await getattr(transport.library(), name)(
                custom_llm_provider=self.provider,
                timeout=SECONDS,
                max_retries=0,
                extra_headers=ONE_REQUEST,
                **where,
                **arguments,
            )
        except Exception as error:  # litellm raises its own errors, those of openai, and plain ones
            raise BatchFault(transport.failure_of(error).fault) from error


async def _close_client_of(page: Any) -> None:
    """Close the connection of a list, for which litellm sends no header."""
    client = getattr(page, "_client", None)
    if client is not None:
        await client.close()


def line_of(call: Call, name: str) -> bytes:
    """The line of a call in a file of requests, with the id of the line."""
    line = {"custom_id": name, "method": "POST", "url": ENDPOINT, "body": transport.body_of(call)}
    return json.dumps(line, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


def _state(batch: Any) -> State:
    files = (batch.output_file_id, batch.error_file_id)
    said = [getattr(one, "message", None) for one in getattr(batch.errors, "data", None) or ()]
    words = scrub("; ".join(str(one) for one in said if one))[:WORDS]
    return State(batch.id, batch.status, float(batch.created_at or 0), tuple(f for f in files if f), words)


def _outcome(line: Mapping[str, Any]) -> dict[str, Outcome]:
    """The outcome of one line of an output file, by its id."""
    name, response, error = str(line.get("custom_id")), line.get("response"), line.get("error")
    if not isinstance(response, Mapping):
        words = scrub(str((error or {}).get("message", "no response")))[:WORDS]
        return {name: Failure(Fault(FaultKind.TRANSIENT, words))}
    status, body = response.get("status_code"), response.get("body")
    if status != 200 or not isinstance(body, dict):
        kind = kind_of_status(status) if isinstance(status, int) and status != 200 else FaultKind.TRANSIENT
        return {name: Failure(Fault(kind, scrub(f"status {status}: {body}")[:WORDS]))}
    return {name: _at_batch_price(transport.reply_of(transport.response_of(body)))}


def _at_batch_price(outcome: Outcome) -> Outcome:
    """The outcome with tokens that cost less."""
    if outcome.usage is None:
        return outcome
    usage = replace(outcome.usage, price_share=PRICE_SHARE)
    return replace(outcome, usage=usage)
