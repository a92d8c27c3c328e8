"""A small site with the HTTP contract of givecare/v2, on this machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from aiohttp import web

from ib.testing.serving import ServerThread

Body = dict[str, Any]
Respond = Callable[[Body, int], web.Response]
"""The response to a request for a turn, and how many of them came before it."""


def replies(body: Body, before: int) -> web.Response:
    """A product that says how many messages it was given."""
    said = f"I hear you, after {len(body['previousMessages'])} messages."
    return web.json_response({"ok": True, "result": {"replyText": said}})


def ready(body: Body, before: int) -> web.Response:
    """A harness that is ready."""
    return web.json_response({"result": {"status": "ok"}})


def status(number: int, times: int = 1000, headers: dict[str, str] | None = None) -> Respond:
    """A site that fails this many times with a status, and then replies."""

    def respond(body: Body, before: int) -> web.Response:
        if before >= times:
            return replies(body, before)
        return web.json_response({"error": "not now"}, status=number, headers=headers)

    return respond


class Site(ServerThread):
    """The site: checks the key, answers whether it is healthy, and keeps every request."""

    def __init__(self, key: str, respond: Respond = replies, health: Respond = ready) -> None:
        super().__init__()
        self.key = key
        self.respond = respond
        self.health = health
        self.asked: list[Body] = []

    def application(self) -> web.Application:
        app = web.Application()
        app.router.add_post("/api/admin", self._admin)
        return app

    async def _admin(self, request: web.Request) -> web.Response:
        body = await request.json()
        before = sum(one["action"] == body["action"] for one in self.asked)
        self.asked.append(body)
        if request.headers.get("Authorization") != f"Bearer {self.key}":
            return web.json_response(
                {"error": f"{request.headers.get('Authorization')} is wrong"}, status=401
            )
        if body["action"] == "harnessHealth":
            return self.health(body, before)
        return self.respond(body, before)
