"""An OpenAI-compatible server on this machine that misbehaves on purpose.

For tests, benchmarks and rehearsals with real HTTP and real clients, but without a network. The server
listens only on the loopback address. The seed, the body of a request and the number of times that the
server has seen this body determine the fault, so that a run can be repeated.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from aiohttp import web

from ib.testing.batches import BatchConditions, Batches
from ib.testing.completions import UNFIT, Body, Completions, error, problem
from ib.testing.conditions import Conditions, Draw, Trouble
from ib.testing.faults import FAULTS, dripped
from ib.testing.serving import ServerThread

MOST_BYTES = 200 << 20
"""The largest request that the server takes, such as a file for a batch."""
ONCE = frozenset((*UNFIT, Trouble.REFUSAL_FIELD, Trouble.CONTENT_FILTER, Trouble.FILTERED_PROMPT))
"""Troubles that are the model's or a filter's, not the network's. A question gets at most one of them."""
Messages = list[dict[str, str]]
Answer = Callable[[str, Messages], str]
"""Returns the reply of the served model, given its name and the messages. Raises KeyError if there is no
reply: the client then gets status 404 with the words of the error."""


@dataclass
class Seen:
    """Statistics of the server. Read them after the last request."""

    requests: int = 0
    answered: int = 0
    troubles: Counter[Trouble] = field(default_factory=Counter)
    most_at_once: int = 0
    prompts: Counter[str] = field(default_factory=Counter)
    """How often each prompt was answered, by its hash."""
    headers: list[Mapping[str, str]] = field(default_factory=list)
    """The headers of the last few requests."""
    parameters: list[Mapping[str, Any]] = field(default_factory=list)
    """The parameters of the last few requests: everything but the messages."""


def prompt_hash(messages: Sequence[Mapping[str, str]]) -> str:
    """The hash by which `Seen.prompts` counts a prompt."""
    return hashlib.sha256(json.dumps(messages, sort_keys=True).encode()).hexdigest()


class LoopbackServer(ServerThread):
    """A server in a thread of its own. Use it as a context manager, and give `base_url` to the client.

    If `key` is given, requests without it as bearer token get status 401. If `models` is given, other
    models get status 404. Port 0 stands for any free port.
    """

    def __init__(
        self,
        answer: Answer,
        conditions: Conditions | None = None,
        *,
        key: str | None = None,
        models: tuple[str, ...] = (),
        port: int = 0,
        batches: BatchConditions | None = None,
    ) -> None:
        super().__init__(port)
        self.answer = answer
        self.conditions = conditions or Conditions()
        self.key = key
        self.models = models
        self.seen = Seen()
        self.completions = Completions()
        self.batches = Batches(batches or BatchConditions(), self._batched, self._batch_line_fails)
        self._again: Counter[str] = Counter()
        self._spoiled: set[str] = set()
        self._at_once = 0

    @property
    def base_url(self) -> str:
        """The base URL for clients."""
        return f"{self.address}/v1"

    @property
    def under_way(self) -> int:
        """The number of requests that the server works on now."""
        return self._at_once

    def application(self) -> web.Application:
        """The routes of the server."""
        app = web.Application(client_max_size=MOST_BYTES)
        app.router.add_post("/v1/chat/completions", self._chat)
        app.router.add_get("/v1/models", self._models)
        self.batches.add_routes(app)
        return app

    async def _models(self, _: web.Request) -> web.Response:
        data = [{"id": name, "object": "model"} for name in self.models or ("loopback",)]
        return web.json_response({"object": "list", "data": data})

    def _batched(self, body: Body) -> Body:
        """The completion of one line of a batch."""
        self.seen.answered += 1
        self.seen.prompts[prompt_hash(body["messages"])] += 1
        return self.completions.make(body, self.answer(body["model"], body["messages"]))

    def _batch_line_fails(self, body: Body, share: float) -> bool:
        key = prompt_hash(body["messages"])
        self._again[key] += 1
        return (
            Conditions(server_error=share, seed=self.conditions.seed).draw(key, self._again[key]).trouble
            is not None
        )

    async def _chat(self, request: web.Request) -> web.StreamResponse:
        self.seen.requests += 1
        self.seen.headers = [*self.seen.headers[-20:], dict(request.headers)]
        try:
            body = await request.json()
        except ValueError:
            body = None
        refusal = self._refusal(request, body)
        if refusal is not None:
            return refusal
        told = {name: value for name, value in body.items() if name != "messages"}
        self.seen.parameters = [*self.seen.parameters[-20:], told]
        with self._counted():
            key = prompt_hash(body["messages"])
            self._again[key] += 1
            draw = self.conditions.draw(key, self._again[key])
            await asyncio.sleep(draw.latency)
            if draw.trouble in ONCE and key in self._spoiled:
                draw = replace(draw, trouble=None)
            if draw.trouble is not None:
                self.seen.troubles[draw.trouble] += 1
            if draw.trouble in ONCE:
                self._spoiled.add(key)
            return await self._respond(request, body, key, draw)

    def _refusal(self, request: web.Request, body: Any) -> web.Response | None:
        """The response to a request that the server cannot serve, or None."""
        if self.key is not None and request.headers.get("Authorization") != f"Bearer {self.key}":
            return web.json_response(error("the key is wrong", "invalid_api_key"), status=401)
        found = problem(body)
        if found is not None:
            return web.json_response(error(found, kind="invalid_request_error"), status=400)
        if self.models and body["model"] not in self.models:
            found = f"the model {body['model']!r} does not exist"
            return web.json_response(error(found, "model_not_found"), status=404)
        return None

    @contextlib.contextmanager
    def _counted(self) -> Iterator[None]:
        self._at_once += 1
        self.seen.most_at_once = max(self.seen.most_at_once, self._at_once)
        try:
            yield
        finally:
            self._at_once -= 1

    async def _respond(self, request: web.Request, body: Body, key: str, draw: Draw) -> web.StreamResponse:
        """The response to a good request: an answer, or what this draw puts in its place."""
        if draw.trouble in FAULTS:
            return await FAULTS[draw.trouble](request, draw, partial(self.completions.make, body, "lost"))
        try:
            text = self.answer(body["model"], body["messages"])
        except KeyError as missing:
            return web.json_response(error(f"no reply: {missing}"), status=404)
        self.seen.answered += 1
        self.seen.prompts[key] += 1
        completion = self.completions.spoiled(body, text, draw.trouble)
        if draw.trouble is Trouble.SLOW_BODY:
            return await dripped(request, completion, self.conditions.drip)
        return web.json_response(completion)
