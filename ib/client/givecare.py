"""The HTTP contract of the experimental harness givecare/v2.

Every request is a POST to `{site}/api/admin` with a bearer key and a JSON object with an `action`:

    harnessHealth                                                      asked first; any JSON object is fine
    runBenchmarkTurn  scenarioId, userMessage, previousMessages[]      the reply is in `result.replyText`

A message of `previousMessages` has a `role` and a `text`. The product has its own system prompt: system
messages are not sent.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import aiohttp

from ib.client.calls import Call, Failure, Outcome, Reply, Usage, timed_out
from ib.client.secrets import scrub
from ib.client.status import WORDS, connection_words, kind_of_status, retry_after
from ib.models.scan.judge import Fault, FaultKind

PATH = "/api/admin"
HEALTH = "harnessHealth"
TURN = "runBenchmarkTurn"
SCENARIO = "scenarioId"
"""The parameter of a call that names its scenario."""


@dataclass
class Site:
    """One site of the product. A session of HTTP belongs to the event loop of the first call."""

    url: str
    key: str = field(repr=False)
    _session: aiohttp.ClientSession | None = field(default=None, repr=False)

    async def health(self, call: Call) -> Outcome:
        """Ask whether the harness is ready. The reply has no text. Errors are returned, never raised."""
        found = await self._post({"action": HEALTH}, call.timeout)
        return found if isinstance(found, Failure) else Reply("", False, None, Usage())

    async def turn(self, call: Call) -> Outcome:
        """Ask for the reply to the last message. Errors are returned, never raised."""
        said = [
            {"role": message["role"], "text": message["content"]}
            for message in call.messages
            if message["role"] != "system"
        ]
        asked = {
            "action": TURN,
            SCENARIO: call.parameters[SCENARIO],
            "userMessage": said[-1]["text"],
            "previousMessages": said[:-1],
        }
        found = await self._post(asked, call.timeout)
        return found if isinstance(found, Failure) else _reply(found.get("result"))

    async def _post(self, body: Mapping[str, Any], timeout: float) -> Mapping[str, Any] | Failure:
        """The JSON object of a response with status 200, or what went wrong."""
        if self._session is None:
            self._session = aiohttp.ClientSession(trust_env=True)
        headers = {"Authorization": f"Bearer {self.key}"}
        address = self.url.rstrip("/") + PATH
        try:
            async with (
                asyncio.timeout(timeout),
                # A redirect could carry the key to another host.
                self._session.post(address, json=body, headers=headers, allow_redirects=False) as response,
            ):
                data = await response.read()
        except TimeoutError:
            return timed_out(timeout)
        except aiohttp.InvalidURL:
            return _failure(FaultKind.DETERMINISTIC, "the address of the site is not a URL")
        except (aiohttp.ClientError, OSError) as error:
            return _failure(
                FaultKind.TRANSIENT, connection_words(error) or f"{type(error).__name__}: {error}"
            )
        if response.status != 200:
            words = f"status {response.status}: {data.decode(errors='replace')}"
            return _failure(kind_of_status(response.status), words, retry_after(response.headers))
        return _object(data)

    async def close(self) -> None:
        """Close the connections to the site."""
        if self._session is not None:
            await self._session.close()
            self._session = None


def _object(data: bytes) -> Mapping[str, Any] | Failure:
    """The JSON object in a body. `ok: false` in it is an error, whatever the status said."""
    try:
        value = json.loads(data)
    except ValueError:
        return _failure(FaultKind.TRANSIENT, "status 200 and a body that is not JSON")
    if not isinstance(value, dict):
        return _failure(FaultKind.DETERMINISTIC, "status 200 and a body that is not a JSON object")
    if value.get("ok") is False:
        return _failure(FaultKind.DETERMINISTIC, f"the site says that it failed: {value.get('error')}")
    return value


def _reply(result: Any) -> Outcome:
    """The reply in the result of a turn."""
    text = result.get("replyText") if isinstance(result, dict) else None
    if not isinstance(text, str):
        return _failure(FaultKind.DETERMINISTIC, "the response has no text in `result.replyText`")
    if not text.strip():
        words = "`result.replyText` is empty"
        return Failure(Fault(FaultKind.EMPTY, words), usage=Usage())  # the site answered: this is a call
    return Reply(text, False, None, Usage())


def _failure(kind: FaultKind, words: str, wait: float | None = None) -> Failure:
    return Failure(Fault(kind, scrub(words)[:WORDS]), wait)  # a cut could leave half a key
