"""The loopback server as a plain HTTP client sees it, without litellm between."""

from __future__ import annotations

import gc
import http.client
import json
import time
from collections.abc import Mapping
from typing import Any

import pytest

import ib.testing
from ib.testing import Conditions, Latency, LoopbackServer, Trouble
from ib.testing.completions import BLOCK, REFUSED
from ib.testing.loopback import ONCE
from ib.testing.serving import HOST

SAID = "Who could take one night?"
ASKED: dict[str, Any] = {"model": "some-model", "messages": [{"role": "user", "content": "Mum is up again."}]}


def says(model: str, messages: list[dict[str, str]]) -> str:
    """A model with one reply."""
    return SAID


def post(
    server: LoopbackServer, body: object = None, headers: Mapping[str, str] | None = None
) -> tuple[int, Mapping[str, str], bytes]:
    """Status, headers and body of the response to a request."""
    connection = http.client.HTTPConnection(HOST, server.port, timeout=60)
    data = body if isinstance(body, bytes) else json.dumps(body or ASKED).encode()
    connection.request("POST", "/v1/chat/completions", data, dict(headers or {}))
    response = connection.getresponse()
    try:
        return response.status, dict(response.getheaders()), response.read()
    finally:
        connection.close()


def always(trouble: Trouble, **more: Any) -> Conditions:
    """A server on which every request has this trouble."""
    shares: dict[str, Any] = {trouble.value: 1.0}
    return Conditions(**shares, **more)


def choice(body: bytes) -> dict[str, Any]:
    """The only choice of a completion."""
    found: dict[str, Any] = json.loads(body)["choices"][0]
    return found


def test_a_good_answer_has_the_form_of_openai() -> None:
    """The reply, the model that was asked, the reason of the end and the tokens."""
    with LoopbackServer(says) as server:
        status, _, body = post(server)
    made = json.loads(body)
    assert (status, made["model"], made["object"]) == (200, "some-model", "chat.completion")
    assert choice(body)["message"] == {"role": "assistant", "content": SAID}
    assert choice(body)["finish_reason"] == "stop"
    assert (
        made["usage"]["total_tokens"] == made["usage"]["prompt_tokens"] + made["usage"]["completion_tokens"]
    )


def test_parts_of_a_message_are_counted_like_a_string() -> None:
    """A content may be a list of parts, and may be null."""
    parts = [{"role": "user", "content": [{"type": "text", "text": "12345678"}]}, {"role": "assistant"}]
    with LoopbackServer(says) as server:
        _, _, body = post(server, {**ASKED, "messages": parts})
    assert json.loads(body)["usage"]["prompt_tokens"] == 2


def test_the_prompt_cache_serves_a_common_beginning_in_whole_blocks() -> None:
    """The first request fills the cache; a prompt that differs at its end is served up to the difference."""
    prompts = ["x" * BLOCK * 2 + end for end in ("a", "b")] + ["y" * BLOCK]
    with LoopbackServer(says) as server:
        bodies = [
            post(server, {**ASKED, "messages": [{"role": "user", "content": prompt}]})[2]
            for prompt in prompts
        ]
    details = [json.loads(body)["usage"]["prompt_tokens_details"]["cached_tokens"] for body in bodies]
    assert details == [0, 2 * BLOCK // 4, 0]


@pytest.mark.parametrize("after", [None, 7.0, 0.5])
def test_a_429_says_how_long_to_wait_or_not(after: float | None) -> None:
    """With and without the header Retry-After."""
    with LoopbackServer(says, always(Trouble.RATE_LIMIT, retry_after=after)) as server:
        status, headers, _ = post(server)
    assert (status, headers.get("Retry-After")) == (429, None if after is None else f"{after:g}")


@pytest.mark.parametrize(("status", "kind"), [(500, "json"), (502, "html"), (504, "html"), (529, "json")])
def test_a_gateway_answers_with_html(status: int, kind: str) -> None:
    """Other server errors have the JSON of the provider."""
    with LoopbackServer(says, always(Trouble.SERVER_ERROR, statuses=(status,))) as server:
        found, headers, _ = post(server)
    assert (found, kind in headers["Content-Type"]) == (status, True)


def test_a_reset_breaks_the_connection() -> None:
    """No status comes."""
    with LoopbackServer(says, always(Trouble.RESET)) as server, pytest.raises(ConnectionError):
        post(server)


def test_a_truncated_body_is_shorter_than_its_length() -> None:
    """The connection breaks in the middle."""
    with (
        LoopbackServer(says, always(Trouble.TRUNCATED_BODY)) as server,
        pytest.raises((http.client.IncompleteRead, ConnectionError)),
    ):
        post(server)


def test_truncated_json_is_a_whole_response() -> None:
    """Its length is right, and its JSON ends in the middle."""
    with LoopbackServer(says, always(Trouble.TRUNCATED_JSON)) as server:
        status, headers, body = post(server)
    assert (status, int(headers["Content-Length"])) == (200, len(body))
    with pytest.raises(json.JSONDecodeError):
        json.loads(body)


def test_a_wrong_body_is_valid_json_without_choices() -> None:
    """The status is 200."""
    with LoopbackServer(says, always(Trouble.WRONG_BODY)) as server:
        status, _, body = post(server)
    assert status == 200
    assert "choices" not in json.loads(body)


def test_a_slow_body_is_whole() -> None:
    """It takes its time, and is counted as an answer."""
    with LoopbackServer(says, always(Trouble.SLOW_BODY, drip=0.02)) as server:
        assert choice(post(server)[2])["message"]["content"] == SAID
        assert server.seen.answered == 1


@pytest.mark.parametrize(
    ("trouble", "message", "finish"),
    [
        (Trouble.LENGTH, {"content": SAID[:20]}, "length"),
        (Trouble.REFUSAL, {"content": REFUSED}, "stop"),
        (Trouble.REFUSAL_FIELD, {"content": None, "refusal": REFUSED}, "stop"),
        (Trouble.CONTENT_FILTER, {"content": ""}, "content_filter"),
    ],
)
def test_a_reply_is_cut_off_or_refused(trouble: Trouble, message: dict[str, Any], finish: str) -> None:
    """In the form in which OpenAI's API says so."""
    with LoopbackServer(says, always(trouble)) as server:
        found = choice(post(server)[2])
    assert found["message"] == {"role": "assistant", **message}
    assert found["finish_reason"] == finish


def test_unfit_replies_are_json_of_another_form_or_broken() -> None:
    """WRONG_SCHEMA can be read as JSON and has no verdict; MALFORMED cannot be read."""
    with LoopbackServer(says, always(Trouble.WRONG_SCHEMA)) as server:
        assert "verdict" not in json.loads(choice(post(server)[2])["message"]["content"])
    with LoopbackServer(says, always(Trouble.MALFORMED)) as server:
        said = choice(post(server)[2])["message"]["content"]
    with pytest.raises(json.JSONDecodeError):
        json.loads(said)


@pytest.mark.parametrize("trouble", sorted(ONCE))
def test_a_question_is_spoiled_at_most_once(trouble: Trouble) -> None:
    """The second time, the model answers; another question has its own trouble."""
    with LoopbackServer(says, always(trouble)) as server:
        post(server)
        assert choice(post(server)[2])["message"]["content"] == SAID
        assert server.seen.troubles == {trouble: 1}
        post(server, {**ASKED, "messages": [{"role": "user", "content": "Another question."}]})
        assert server.seen.troubles == {trouble: 2}


def test_a_key_may_be_asked_for() -> None:
    """Without it, or with another one: 401."""
    with LoopbackServer(says, key="right") as server:
        found = [post(server, headers={"Authorization": f"Bearer {key}"})[0] for key in ("right", "wrong")]
        assert [*found, post(server)[0]] == [200, 401, 401]


def test_a_model_that_is_not_served_is_not_found() -> None:
    """404, and the message names it."""
    with LoopbackServer(says, models=("another",)) as server:
        status, _, body = post(server)
    assert (status, "some-model" in json.loads(body)["error"]["message"]) == (404, True)


def test_a_model_without_a_reply_is_not_found() -> None:
    """An answer function that has no reply raises KeyError: the client gets its words."""

    def silent(model: str, messages: list[dict[str, str]]) -> str:
        raise KeyError("turn 7")

    with LoopbackServer(silent) as server:
        status, _, body = post(server)
    assert (status, "turn 7" in json.loads(body)["error"]["message"]) == (404, True)
    assert server.seen.answered == 0


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"{", "not a JSON object"),
        (b"[1]", "not a JSON object"),
        ({"messages": ASKED["messages"]}, "`model`"),
        ({"model": "x"}, "`messages`"),
        ({"model": "x", "messages": []}, "`messages`"),
        ({"model": "x", "messages": ["hello"]}, "`role`"),
        ({**ASKED, "stream": True}, "`stream`"),
    ],
)
def test_a_wrong_request_is_refused_with_its_reason(body: object, said: str) -> None:
    """Status 400, in the form of OpenAI's errors."""
    with LoopbackServer(says) as server:
        status, _, found = post(server, body)
    assert (status, said in json.loads(found)["error"]["message"]) == (400, True)


def test_the_server_ends_while_a_request_waits(caplog: pytest.LogCaptureFixture) -> None:
    """Its client is gone; no task is left in a loop that is closed, which asyncio would report."""
    with LoopbackServer(says, Conditions(latency=1000.0, distribution=Latency.CONSTANT)) as server:
        connection = http.client.HTTPConnection(HOST, server.port, timeout=60)
        connection.request("POST", "/v1/chat/completions", json.dumps(ASKED).encode())
        while not server.seen.requests:
            time.sleep(0.01)
        connection.close()
        time.sleep(0.1)  # until the server knows
    del server
    gc.collect()
    assert "destroyed" not in caplog.text


def test_a_port_that_is_taken_is_an_error() -> None:
    """Where a port is asked for, and another server listens there."""
    with LoopbackServer(says) as one, pytest.raises(OSError, match="in use"):
        LoopbackServer(says, port=one.port).__enter__()


@pytest.mark.parametrize("name", ib.testing.__all__)
def test_every_exported_name_is_there(name: str) -> None:
    """What `ib.testing` lists can be imported from it."""
    assert getattr(ib.testing, name) is not None


def test_an_unknown_name_is_an_attribute_error() -> None:
    """The message lists what there is."""
    with pytest.raises(AttributeError, match="LoopbackServer"):
        _ = ib.testing.nothing
