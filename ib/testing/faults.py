"""Responses of the loopback server that hold no answer, and bodies that arrive slowly."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

from aiohttp import web

from ib.testing.completions import Body, error
from ib.testing.conditions import Draw, Trouble

PIECES = 20
"""The number of pieces of a slow body."""
GATEWAYS = frozenset((502, 504))
"""Statuses that a gateway in front of the provider sends, with an HTML body."""
FILTERED = "Your request was rejected as a result of the safety system."
Make = Callable[[], Body]
"""Makes a good completion, which a fault spoils."""
Fault = Callable[[web.Request, Draw, Make], Awaitable[web.StreamResponse]]
"""Makes a response, given the request and its draw."""


async def _rate_limit(_: web.Request, draw: Draw, __: Make) -> web.StreamResponse:
    headers = {} if draw.retry_after is None else {"Retry-After": f"{draw.retry_after:g}"}
    return web.json_response(error("rate limit reached", "rate_limit_exceeded"), status=429, headers=headers)


async def _server_error(_: web.Request, draw: Draw, __: Make) -> web.StreamResponse:
    if draw.status in GATEWAYS:
        page = f"<html><body><h1>{draw.status}: the gateway had a fault</h1></body></html>"
        return web.Response(text=page, content_type="text/html", status=draw.status)
    return web.json_response(error("the server had a fault"), status=draw.status)


async def _reset(request: web.Request, _: Draw, __: Make) -> web.StreamResponse:
    _abort(request)
    return web.Response()


async def _truncated_body(request: web.Request, _: Draw, make: Make) -> web.StreamResponse:
    """A body shorter than its declared length: the connection breaks in the middle."""
    data = json.dumps(make()).encode()
    response = await _begun(request, len(data))
    await response.write(data[: len(data) // 2])
    _abort(request)
    return response


async def _truncated_json(_: web.Request, __: Draw, make: Make) -> web.StreamResponse:
    text = json.dumps(make())
    return web.Response(text=text[: len(text) // 2], content_type="application/json")


async def _empty(_: web.Request, __: Draw, make: Make) -> web.StreamResponse:
    return web.json_response({**make(), "choices": []})


async def _wrong_body(_: web.Request, __: Draw, ___: Make) -> web.StreamResponse:
    return web.json_response({"status": "ok", "result": ["this is not a chat completion"]})


async def _filtered_prompt(_: web.Request, __: Draw, ___: Make) -> web.StreamResponse:
    found = error(FILTERED, "content_policy_violation", "invalid_request_error")
    return web.json_response(found, status=400)


FAULTS: dict[Trouble, Fault] = {
    Trouble.RATE_LIMIT: _rate_limit,
    Trouble.SERVER_ERROR: _server_error,
    Trouble.RESET: _reset,
    Trouble.TRUNCATED_BODY: _truncated_body,
    Trouble.TRUNCATED_JSON: _truncated_json,
    Trouble.EMPTY: _empty,
    Trouble.WRONG_BODY: _wrong_body,
    Trouble.FILTERED_PROMPT: _filtered_prompt,
}
"""The response for each trouble in which the model is not asked."""


async def dripped(request: web.Request, completion: Any, seconds: float) -> web.StreamResponse:
    """A good body that takes this many seconds to arrive."""
    data = json.dumps(completion).encode()
    response = await _begun(request, len(data))
    size = -(-len(data) // PIECES)
    for start in range(0, len(data), size):
        await asyncio.sleep(seconds / PIECES)
        await response.write(data[start : start + size])
    await response.write_eof()
    return response


async def _begun(request: web.Request, length: int) -> web.StreamResponse:
    """A response whose headers are sent and whose body follows."""
    response = web.StreamResponse(headers={"Content-Length": str(length)})
    response.content_type = "application/json"
    await response.prepare(request)
    return response


def _abort(request: web.Request) -> None:
    """Break the connection."""
    if request.transport is not None:  # None if the client has gone
        request.transport.abort()
