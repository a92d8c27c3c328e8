"""The HTTP contract of givecare/v2: every response is a reply or a typed fault."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable

import pytest
from aiohttp import web

from ib.client.calls import Call, Failure, Outcome, Reply, Usage
from ib.client.givecare import SCENARIO, Site
from ib.models.scan.judge import FaultKind
from tests.targets import site

KEY = "bench-" + "key"
SAID = (
    {"role": "system", "content": "Be kind."},
    {"role": "user", "content": "Mum fell."},
    {"role": "assistant", "content": "Is she hurt?"},
    {"role": "user", "content": "No."},
)


def turn(address: str, key: str = KEY, timeout: float = 60.0) -> Outcome:
    """One attempt at one turn."""

    async def once() -> Outcome:
        there = Site(address, key)
        try:
            return await there.turn(Call("givecare/v2", SAID, {SCENARIO: "night"}, address, timeout))
        finally:
            await there.close()

    return asyncio.run(once())


def always(response: Callable[[], web.Response]) -> site.Respond:
    """A site with one response."""
    return lambda body, before: response()


def says(value: object) -> site.Respond:
    """A site that answers every turn with this JSON."""
    return always(lambda: web.json_response(value))


def test_a_turn_is_sent_in_the_form_of_the_contract() -> None:
    """The last message by itself, the others before it, and no system prompt."""
    with site.Site(KEY) as there:
        found = turn(f"{there.address}/")
    assert there.asked == [
        {
            "action": "runBenchmarkTurn",
            "scenarioId": "night",
            "userMessage": "No.",
            "previousMessages": [
                {"role": "user", "text": "Mum fell."},
                {"role": "assistant", "text": "Is she hurt?"},
            ],
        }
    ]
    assert isinstance(found, Reply)
    assert found == Reply("I hear you, after 2 messages.", False, None, found.usage)


@pytest.mark.parametrize(
    ("respond", "kind", "words"),
    [
        (site.status(429), FaultKind.RATE_LIMIT, "status 429"),
        (site.status(500), FaultKind.TRANSIENT, "status 500"),
        (site.status(403), FaultKind.DETERMINISTIC, "status 403"),
        (site.status(204), FaultKind.DETERMINISTIC, "status 204"),
        (site.status(307, headers={"Location": "/api/admin"}), FaultKind.DETERMINISTIC, "status 307"),
        (always(lambda: web.Response(text="<html>")), FaultKind.TRANSIENT, "not JSON"),
        (says({"result": {"replyText": " "}}), FaultKind.EMPTY, "empty"),
        (says([1]), FaultKind.DETERMINISTIC, "not a JSON object"),
        (says({"result": {}}), FaultKind.DETERMINISTIC, "replyText"),
        (says({"result": None}), FaultKind.DETERMINISTIC, "replyText"),
        (says({"result": {"replyText": 7}}), FaultKind.DETERMINISTIC, "replyText"),
        (says({"ok": False, "error": "no such scenario"}), FaultKind.DETERMINISTIC, "no such scenario"),
    ],
)
def test_a_fault_is_typed(respond: site.Respond, kind: FaultKind, words: str) -> None:
    """Whatever the site answers: its kind decides whether the turn is asked again."""
    with site.Site(KEY, respond) as there:
        found = turn(there.address)
    assert isinstance(found, Failure)
    assert (found.fault.kind, words in found.fault.detail) == (kind, True), found.fault


def test_lesson_33_retry_after_is_read() -> None:
    """As for other models."""
    with site.Site(KEY, site.status(429, headers={"Retry-After": "7"})) as there:
        found = turn(there.address)
    assert isinstance(found, Failure)
    assert found.retry_after == 7.0


def test_a_redirect_does_not_carry_the_key_elsewhere() -> None:
    """The other host gets no request at all."""
    with site.Site(KEY) as other:
        moved = site.status(307, headers={"Location": f"{other.address}/api/admin"})
        with site.Site(KEY, moved) as there:
            turn(there.address)
    assert other.asked == []


def test_an_attempt_ends_at_its_timeout() -> None:
    """A site that does not answer is a temporary fault."""

    class Silent(site.Site):
        async def _admin(self, request: web.Request) -> web.Response:
            await asyncio.sleep(1000)
            raise AssertionError

    with Silent(KEY) as there:
        found = turn(there.address, timeout=0.2)
    assert isinstance(found, Failure)
    assert (found.fault.kind, found.fault.detail) == (FaultKind.TRANSIENT, "no answer within 0.2 s")
    assert found.timed_out


def test_an_empty_reply_is_a_call() -> None:
    """The site answered, and may have paid for the answer: it counts, and is asked for once more."""
    with site.Site(KEY, says({"result": {"replyText": " "}})) as there:
        found = turn(there.address)
    assert isinstance(found, Failure)
    assert (found.fault.kind, found.usage) == (FaultKind.EMPTY, Usage())


@pytest.mark.parametrize(
    ("address", "kind"),
    [("http://127.0.0.1:9", FaultKind.TRANSIENT), ("no address", FaultKind.DETERMINISTIC)],
)
def test_a_site_that_is_not_there_is_a_fault(address: str, kind: FaultKind) -> None:
    """A server that is down may come back; an address that is none will not."""
    found = turn(address)
    assert isinstance(found, Failure)
    assert found.fault.kind is kind


def test_no_message_repeats_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """A site may repeat the header of the request in its error."""
    wrong = "another-" + "key"
    monkeypatch.setenv("GIVECARE_BENCH_KEY", wrong)
    with site.Site(KEY) as there:
        found = turn(there.address, wrong)
    assert isinstance(found, Failure)
    assert "status 401" in found.fault.detail
    assert wrong not in json.dumps(found.fault.detail) + repr(Site(there.address, wrong))
