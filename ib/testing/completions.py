"""Bodies of the loopback server: chat completions and errors in the form of OpenAI's API."""

from __future__ import annotations

import hashlib
import math
import time
from dataclasses import dataclass, field
from typing import Any

from ib.testing.conditions import Trouble

BLOCK = 4 * 1024
"""Block size of the simulated prompt cache, in characters: about 1,024 tokens."""
REFUSED = "I cannot help with that."
UNFIT = {
    Trouble.MALFORMED: 'Well. {"verdict": "FA',
    Trouble.REFUSAL: REFUSED,
    Trouble.WRONG_SCHEMA: '{"answer": 42, "confidence": "high"}',
}
"""Replies in place of the model's, for troubles that are in the words of a reply."""
Body = dict[str, Any]


@dataclass
class Completions:
    """Makes chat completions, and counts the tokens of a prompt that a prompt cache would serve.

    A token is taken to have four characters.
    """

    _cached: set[str] = field(default_factory=set)

    def make(self, request: Body, text: str, finish: str = "stop") -> Body:
        """The completion of a request with this reply, in the form of OpenAI's API."""
        prompt = "".join(text_of(message) for message in request["messages"])
        asked, said = math.ceil(len(prompt) / 4), math.ceil(len(text) / 4)
        usage = {
            "prompt_tokens": asked,
            "completion_tokens": said,
            "total_tokens": asked + said,
            "prompt_tokens_details": {"cached_tokens": self._cached_tokens(prompt)},
        }
        choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": finish}
        made = {"id": "chatcmpl-loopback", "object": "chat.completion", "created": int(time.time())}
        return {**made, "model": request["model"], "choices": [choice], "usage": usage}

    def spoiled(self, request: Body, text: str, trouble: Trouble | None) -> Body:
        """The completion with this reply, or what a trouble makes of it."""
        if trouble is Trouble.LENGTH:
            return self.make(request, text[:20], "length")
        if trouble is Trouble.CONTENT_FILTER:
            return self.make(request, "", "content_filter")
        made = self.make(request, UNFIT.get(trouble, text) if trouble else text)
        if trouble is Trouble.REFUSAL_FIELD:
            said = {"role": "assistant", "content": None, "refusal": REFUSED}
            made["choices"][0]["message"] = said
        return made

    def _cached_tokens(self, prompt: str) -> int:
        """The prompt tokens that are already cached, in whole blocks. Then caches this prompt."""
        cached, prefix = 0, hashlib.sha256()
        for end in range(BLOCK, len(prompt) + 1, BLOCK):
            prefix.update(prompt[end - BLOCK : end].encode())
            if prefix.hexdigest() in self._cached:
                cached = end // 4
            self._cached.add(prefix.hexdigest())
        return cached


def text_of(message: Body) -> str:
    """The text of a message, whose content is a string, a list of parts, or null."""
    content = message.get("content") or ""
    if isinstance(content, str):
        return content
    return "".join(part.get("text", "") for part in content)


def error(message: str, code: str | None = None, kind: str = "loopback") -> Body:
    """The body of an error."""
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


def problem(request: object) -> str | None:
    """What is wrong with the body of a request, or None."""
    if not isinstance(request, dict):
        return "the body is not a JSON object"
    if not isinstance(request.get("model"), str):
        return "`model` is missing or is not a string"
    messages = request.get("messages")
    if not isinstance(messages, list) or not messages:
        return "`messages` is missing, empty or not a list"
    if not all(isinstance(message, dict) and "role" in message for message in messages):
        return "every element of `messages` needs a `role`"
    return "`stream` is not supported by this server" if request.get("stream") else None
