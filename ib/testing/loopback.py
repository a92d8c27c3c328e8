"""An OpenAI-compatible server on this machine that misbehaves on purpose.

For tests and benchmarks with real HTTP and real clients, but without a network. The server listens only on
the loopback address. The seed, the body of a request and the number of times that the server has seen this
body determine the fault, so that a run can be repeated.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import math
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from ib.testing.conditions import Conditions, Trouble

HOST = "127.0.0.1"
BLOCK = 4 * 1024
"""Block size of the simulated prompt cache, in characters: about 1,024 tokens."""
Messages = list[dict[str, str]]
Answer = Callable[[str, Messages], str]
"""Returns the reply of the served model, given its name and the messages."""


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


class LoopbackServer:
    """A server in its own thread. Use it as a context manager, and give `base_url` to the client."""

    def __init__(self, answer: Answer, conditions: Conditions | None = None) -> None:
        self.answer = answer
        self.conditions = conditions or Conditions()
        self.seen = Seen()
        self.port = 0
        self._again: Counter[str] = Counter()
        self._spoiled: set[str] = set()
        self._cached: set[str] = set()
        self._at_once = 0
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._serve, name="loopback", daemon=True)

    @property
    def base_url(self) -> str:
        """The base URL for clients."""
        return f"http://{HOST}:{self.port}/v1"

    def __enter__(self) -> LoopbackServer:
        self._thread.start()
        self._ready.wait()
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        runner = web.AppRunner(
            self.application(), access_log=None, handle_signals=False, shutdown_timeout=0.1
        )
        self._loop.run_until_complete(runner.setup())
        site = web.TCPSite(runner, HOST, 0)
        self._loop.run_until_complete(site.start())
        self.port = runner.addresses[0][1]
        self._ready.set()
        self._loop.run_forever()
        self._loop.run_until_complete(runner.cleanup())

    def application(self) -> web.Application:
        """The routes of the server."""
        app = web.Application(client_max_size=64 << 20)
        app.router.add_post("/v1/chat/completions", self._chat)
        app.router.add_get("/v1/models", self._models)
        return app

    async def _models(self, _: web.Request) -> web.Response:
        return web.json_response({"object": "list", "data": [{"id": "loopback", "object": "model"}]})

    async def _chat(self, request: web.Request) -> web.StreamResponse:
        self.seen.requests += 1
        self.seen.headers = [*self.seen.headers[-20:], dict(request.headers)]
        body = await request.json()
        with self._counted():
            key = hashlib.sha256(json.dumps(body["messages"], sort_keys=True).encode()).hexdigest()
            self._again[key] += 1
            draw = self.conditions.draw(key, self._again[key])
            await asyncio.sleep(draw.latency)
            trouble = draw.trouble
            if trouble in (Trouble.MALFORMED, Trouble.REFUSAL) and key in self._spoiled:
                trouble = None  # at most once per question
            if trouble is not None:
                self.seen.troubles[trouble] += 1
                return await self._troubled(request, body, key, trouble)
            return self._answered(body, key, self.answer(body["model"], body["messages"]))

    @contextlib.contextmanager
    def _counted(self) -> Iterator[None]:
        self._at_once += 1
        self.seen.most_at_once = max(self.seen.most_at_once, self._at_once)
        try:
            yield
        finally:
            self._at_once -= 1

    def _answered(self, body: dict[str, Any], key: str, text: str, finish: str = "stop") -> web.Response:
        self.seen.answered += 1
        self.seen.prompts[key] += 1
        return web.json_response(self.completion(body, text, finish))

    def completion(self, body: dict[str, Any], text: str, finish: str = "stop") -> dict[str, Any]:
        """A chat completion in the form of OpenAI's API, with the number of cached prompt tokens."""
        prompt = "".join(message["content"] for message in body["messages"])
        usage = {
            "prompt_tokens": math.ceil(len(prompt) / 4),
            "completion_tokens": math.ceil(len(text) / 4),
            "total_tokens": math.ceil(len(prompt) / 4) + math.ceil(len(text) / 4),
            "prompt_tokens_details": {"cached_tokens": self._cached_tokens(prompt)},
        }
        choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": finish}
        made = {"id": "chatcmpl-loopback", "object": "chat.completion", "created": int(time.time())}
        return {**made, "model": body["model"], "choices": [choice], "usage": usage}

    def _cached_tokens(self, prompt: str) -> int:
        """The prompt tokens that are already cached, in whole blocks. Then caches this prompt."""
        cached = 0
        for end in range(BLOCK, len(prompt) + 1, BLOCK):
            block = hashlib.sha256(prompt[:end].encode()).hexdigest()
            if block in self._cached:
                cached = end // 4
            self._cached.add(block)
        return cached

    async def _troubled(
        self, request: web.Request, body: dict[str, Any], key: str, trouble: Trouble
    ) -> web.StreamResponse:
        """The faulty response for a kind of trouble."""
        if trouble is Trouble.RATE_LIMIT:
            after = self.conditions.retry_after
            headers = {} if after is None else {"Retry-After": str(after)}
            return web.json_response(_error("rate limit reached"), status=429, headers=headers)
        if trouble is Trouble.SERVER_ERROR:
            return web.json_response(_error("the server had a fault"), status=503)
        if trouble is Trouble.RESET:
            assert request.transport is not None
            request.transport.abort()
            return web.Response()
        if trouble is Trouble.TRUNCATED_BODY:
            return await self._cut(request, json.dumps(self.completion(body, "cut off")).encode())
        if trouble is Trouble.EMPTY:
            empty = {**self.completion(body, ""), "choices": []}
            return web.json_response(empty)
        if trouble is Trouble.LENGTH:
            return self._answered(body, key, self.answer(body["model"], body["messages"])[:20], "length")
        self._spoiled.add(key)
        text = "I cannot help with that." if trouble is Trouble.REFUSAL else 'Well. {"verdict": "FA'
        return self._answered(body, key, text)

    @staticmethod
    async def _cut(request: web.Request, data: bytes) -> web.StreamResponse:
        """A body shorter than its declared length: the connection breaks in the middle."""
        response = web.StreamResponse(headers={"Content-Length": str(len(data))})
        response.content_type = "application/json"
        await response.prepare(request)
        await response.write(data[: len(data) // 2])
        assert request.transport is not None
        request.transport.abort()
        return response


def _error(message: str) -> dict[str, Any]:
    return {"error": {"message": message, "type": "loopback", "code": None}}
