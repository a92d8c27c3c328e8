"""One attempt through litellm, against a local server: every outcome is typed."""

from __future__ import annotations

import asyncio
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ib.client import transport
from ib.client.calls import Call, Failure, Outcome, Reply
from ib.models.scan.judge import Fault, FaultKind
from ib.testing.completions import REFUSED, Completions
from ib.testing.conditions import Conditions, Trouble
from ib.testing.loopback import LoopbackServer

ROOT = Path(__file__).resolve().parents[2]
KEY = "sk-" + "loopback" + "Zq7Kd0vLm2Xw9Rt4Yb6N"
TEXT = "Good evening. What happened tonight?"


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fake key in the environment."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


@pytest.fixture(scope="module", autouse=True)
def loop() -> Iterator[asyncio.Runner]:
    """One event loop for all tests, because the clients of litellm stay bound to their first loop."""
    with asyncio.Runner() as runner:
        yield runner
        runner.run(transport.close())


def attempt(runner: asyncio.Runner, conditions: Conditions, timeout: float = 60.0) -> Outcome:
    """Make one attempt at one call to this server."""
    with LoopbackServer(lambda model, messages: TEXT, conditions) as server:
        call = Call(
            "openai/some-model", ({"role": "user", "content": "hello"},), {}, server.base_url, timeout
        )
        return runner.run(transport.attempt(call))


def test_a_reply_carries_its_text_its_model_and_its_tokens(loop: asyncio.Runner) -> None:
    """The reply has the text, the served model and the token counts of the provider."""
    found = attempt(loop, Conditions())
    assert isinstance(found, Reply)
    assert (found.text, found.truncated, found.served_model) == (TEXT, False, "some-model")
    assert not found.refused
    assert found.usage.prompt > 0
    assert found.usage.completion > 0


@pytest.mark.parametrize(
    ("trouble", "kind"),
    [
        (Trouble.RATE_LIMIT, FaultKind.RATE_LIMIT),
        (Trouble.SERVER_ERROR, FaultKind.TRANSIENT),
        (Trouble.RESET, FaultKind.TRANSIENT),
        (Trouble.TRUNCATED_BODY, FaultKind.TRANSIENT),
        (Trouble.EMPTY, FaultKind.EMPTY),
        (Trouble.TRUNCATED_JSON, FaultKind.TRANSIENT),
        (Trouble.WRONG_BODY, FaultKind.TRANSIENT),
        (Trouble.CONTENT_FILTER, FaultKind.CONTENT_FILTER),
        (Trouble.FILTERED_PROMPT, FaultKind.CONTENT_FILTER),
    ],
)
def test_every_trouble_is_a_typed_fault(loop: asyncio.Runner, trouble: Trouble, kind: FaultKind) -> None:
    """An error is never returned as an answer, and never raised."""
    always: dict[str, Any] = {trouble.value: 1.0}
    found = attempt(loop, Conditions(**always))
    assert isinstance(found, Failure)
    assert found.fault.kind is kind


@pytest.mark.parametrize("status", [500, 502, 503, 504, 529])
def test_every_server_error_is_temporary(loop: asyncio.Runner, status: int) -> None:
    """Also one with an HTML body, which a gateway sends."""
    found = attempt(loop, Conditions(server_error=1.0, statuses=(status,)))
    assert isinstance(found, Failure)
    assert found.fault.kind is FaultKind.TRANSIENT


def test_a_refusal_in_its_own_field_is_the_reply(loop: asyncio.Runner) -> None:
    """It is what the model said, and no empty reply: asking again would not change it."""
    found = attempt(loop, Conditions(refusal_field=1.0))
    assert isinstance(found, Reply)
    assert (found.text, found.refused) == (REFUSED, True)


def test_a_slow_body_is_read_to_its_end_or_to_the_timeout(loop: asyncio.Runner) -> None:
    """The timeout of an attempt counts the body, too."""
    assert isinstance(attempt(loop, Conditions(slow_body=1.0, drip=0.1)), Reply)
    found = attempt(loop, Conditions(slow_body=1.0, drip=1000.0), timeout=0.3)
    assert isinstance(found, Failure)
    assert found.fault.kind is FaultKind.TRANSIENT


def test_lesson_33_retry_after_is_read_where_litellm_keeps_it(loop: asyncio.Runner) -> None:
    """litellm does not keep the header in `error.response.headers`."""
    found = attempt(loop, Conditions(rate_limit=1.0, retry_after=7))
    assert isinstance(found, Failure)
    assert found.retry_after == 7.0


def test_a_reply_cut_off_at_the_token_limit_is_marked(loop: asyncio.Runner) -> None:
    """The outcome is a Reply with `truncated` set."""
    found = attempt(loop, Conditions(length=1.0))
    assert isinstance(found, Reply)
    assert found.truncated


def test_one_attempt_is_one_request(loop: asyncio.Runner) -> None:
    """Neither litellm nor the client below it retries on its own."""
    with LoopbackServer(lambda model, messages: TEXT, Conditions(server_error=1.0)) as server:
        call = Call("openai/some-model", ({"role": "user", "content": "hello"},), {}, server.base_url, 20.0)
        loop.run(transport.attempt(call))
        assert server.seen.requests == 1


def test_an_attempt_ends_at_its_timeout(loop: asyncio.Runner) -> None:
    """Our timeout applies. The server answers within that of litellm (6,000 seconds)."""
    found = attempt(loop, Conditions(latency=1000.0), timeout=0.3)
    assert isinstance(found, Failure)
    assert found.fault.kind is FaultKind.TRANSIENT


def test_an_unsupported_parameter_is_an_error(loop: asyncio.Runner) -> None:
    """Dropping the parameter silently would change the measurement."""
    call = Call(
        "openai/o3-mini",
        ({"role": "user", "content": "x"},),
        {"temperature": 0.0},
        "http://127.0.0.1:9/v1",
        5,
    )
    found = loop.run(transport.attempt(call))
    assert isinstance(found, Failure)
    assert found.fault.kind is FaultKind.DETERMINISTIC


def test_a_missing_key_is_named_before_any_call(monkeypatch: pytest.MonkeyPatch) -> None:
    """The unset variable is named; a custom server needs none."""
    monkeypatch.delenv("OPENAI_API_KEY")
    assert transport.missing_keys("openai/gpt-4o", None) == ["OPENAI_API_KEY"]
    assert transport.missing_keys("openai/gpt-4o", "http://127.0.0.1:9/v1") == []


def test_a_custom_server_needs_no_key(loop: asyncio.Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    """litellm requires a key in any case, so a placeholder is sent."""
    monkeypatch.delenv("OPENAI_API_KEY")
    assert isinstance(attempt(loop, Conditions()), Reply)


@pytest.mark.parametrize("before", [0, 70])
def test_no_message_repeats_a_key(loop: asyncio.Runner, monkeypatch: pytest.MonkeyPatch, before: int) -> None:
    """If a provider repeats the key, it is removed from the message, even where the message is cut."""

    def told(model: str, messages: list[dict[str, str]]) -> str:
        raise AssertionError("never asked")

    with LoopbackServer(told, Conditions(server_error=1.0, statuses=(503,))) as server:
        message = f"{'x' * before} bad key {KEY}"
        monkeypatch.setattr("ib.testing.faults.error", lambda _: {"error": {"message": message}})
        call = Call("openai/some-model", ({"role": "user", "content": "x"},), {}, server.base_url, 20.0)
        found = loop.run(transport.attempt(call))
    assert isinstance(found, Failure)
    assert KEY[:12] not in found.fault.detail
    assert "[key]" in found.fault.detail


class Refusal(Exception):
    """An error of a provider with a status, as litellm raises it."""

    def __init__(self, status: int) -> None:
        self.status_code = status


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (408, FaultKind.TRANSIENT),
        (409, FaultKind.TRANSIENT),
        (429, FaultKind.RATE_LIMIT),
        (500, FaultKind.TRANSIENT),
        (400, FaultKind.DETERMINISTIC),
        (401, FaultKind.DETERMINISTIC),
    ],
)
def test_only_some_statuses_are_retried(status: int, kind: FaultKind) -> None:
    """A request that the provider refuses for good is not asked again."""
    assert transport._kind(Refusal(status), status) is kind


def test_litellm_is_imported_only_for_a_call() -> None:
    """Importing the client does not import litellm, so a scan without a live judge starts quickly."""
    code = "import sys, ib.client.client, ib.judges.base; print('litellm' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


@pytest.mark.parametrize(
    ("model", "parameters", "refused"),
    [
        ("openai/o3-mini", {"temperature": 0, "max_tokens": 9}, {"temperature": 0}),
        ("openai/o3-mini", {"temperature": 1, "seed": 1}, {}),
        ("openai/gpt-4o", {"temperature": 0, "seed": 1, "top_k": 3}, {}),
        ("openai/gpt-4o", {"reasoning_effort": "low", "seed": 1}, {"reasoning_effort": "low"}),
        ("openai/gpt-5-mini-2025-08-07", {"temperature": 0, "reasoning_effort": "low"}, {"temperature": 0}),
        ("openai/any-model", {"temperature": 0, "reasoning_effort": "low"}, {}),
        ("anthropic/claude-sonnet-4-5-20250929", {"temperature": 0, "seed": 1}, {"seed": 1}),
    ],
)
def test_lesson_10_what_a_model_does_not_take_is_known_before_the_call(
    model: str, parameters: dict[str, Any], refused: dict[str, Any]
) -> None:
    """litellm knows it by model; nothing is dropped in silence."""
    assert transport.unsupported(model, parameters) == refused


@pytest.mark.filterwarnings("ignore:Pydantic serializer warnings")
def test_content_as_a_list_of_parts_is_text(loop: asyncio.Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    """Servers with OpenAI's API may send parts; the text parts are the reply, and reasoning is not."""
    parts = [
        {"type": "thinking", "thinking": "hm"},
        *({"type": "text", "text": t} for t in (TEXT[:9], TEXT[9:])),
    ]
    monkeypatch.setattr("ib.testing.completions.Completions.make", _changed(content=parts))
    found = attempt(loop, Conditions())
    assert isinstance(found, Reply), found
    assert found.text == TEXT


@pytest.mark.parametrize("tier", [{}, {"service_tier": "on_demand"}])
def test_a_response_of_groq_needs_no_service_tier(
    loop: asyncio.Runner, monkeypatch: pytest.MonkeyPatch, tier: dict[str, str]
) -> None:
    """Groq leaves the field out of some responses; the reply counts with it and without it."""
    monkeypatch.setenv("GROQ_API_KEY", KEY)
    monkeypatch.setattr("ib.testing.completions.Completions.make", _changed(**tier))
    with LoopbackServer(lambda model, messages: TEXT) as server:
        call = Call("groq/some-model", ({"role": "user", "content": "hello"},), {}, server.base_url, 20)
        found = loop.run(transport.attempt(call))
    assert isinstance(found, Reply), found
    assert found.text == TEXT
    assert found.usage.known


def _changed(content: object = None, **more: object) -> Any:
    """Completions of the server with other content, or with more fields."""
    make = Completions.make

    def made(self: Completions, request: Any, text: str, finish: str = "stop") -> Any:
        body = {**make(self, request, text, finish), **more}
        if content is not None:
            body["choices"][0]["message"]["content"] = content
        return body

    return made


@pytest.mark.parametrize("provider", ["openai", "mistral", "hosted_vllm"])
def test_a_server_that_cannot_be_reached_is_called_that(
    loop: asyncio.Runner, monkeypatch: pytest.MonkeyPatch, provider: str
) -> None:
    """No status is named, because no server sent one. The fault is temporary."""
    monkeypatch.setenv("MISTRAL_API_KEY", KEY)
    messages = ({"role": "user", "content": "hello"},)
    found = loop.run(transport.attempt(Call(f"{provider}/some-model", messages, {}, "http://127.0.0.1:1/v1")))
    assert found == Failure(Fault(FaultKind.TRANSIENT, "connection refused"))


def test_a_status_that_a_server_sent_stands() -> None:
    """An error of the system tells of the connection only where no server answered."""
    error = Exception("Connection error.")
    error.__context__ = socket.gaierror(-2, "Name or service not known")
    assert transport.failure_of(error).fault.detail == "the name of the server cannot be resolved"
    error.status_code = 429  # type: ignore[attr-defined]
    assert transport.failure_of(error).fault == Fault(
        FaultKind.RATE_LIMIT, "Exception 429: Connection error."
    )
