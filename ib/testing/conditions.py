"""How a loopback server misbehaves: the share of requests with each kind of trouble, and the latency."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from enum import StrEnum


class Trouble(StrEnum):
    """What a request gets instead of a good answer."""

    RATE_LIMIT = "rate_limit"
    """Status 429."""
    SERVER_ERROR = "server_error"
    """Status 503."""
    RESET = "reset"
    """The connection breaks before the answer."""
    TRUNCATED_BODY = "truncated_body"
    """The connection breaks in the middle of the answer."""
    EMPTY = "empty"
    """An answer with an empty list of choices."""
    LENGTH = "length"
    """An answer that was cut off at the token limit."""
    MALFORMED = "malformed"
    """A text that is not a verdict; at most once per question."""
    REFUSAL = "refusal"
    """A refusal of the model; at most once per question."""


@dataclass(frozen=True, slots=True)
class Draw:
    """The latency and the trouble of one request."""

    latency: float
    """Seconds."""
    trouble: Trouble | None


@dataclass(frozen=True)
class Conditions:
    """The share of requests with each trouble, from 0 to 1. The default is a server without faults."""

    rate_limit: float = 0.0
    server_error: float = 0.0
    reset: float = 0.0
    truncated_body: float = 0.0
    empty: float = 0.0
    length: float = 0.0
    malformed: float = 0.0
    refusal: float = 0.0
    retry_after: float | None = None
    """Seconds that a 429 asks the client to wait; None for a 429 without this header."""
    latency: float = 0.0
    """The mean time to an answer, in seconds. Times have an exponential distribution."""
    seed: int = 0

    def draw(self, key: str, times: int) -> Draw:
        """The outcome for the request with this key, when it comes for the `times`-th time."""
        digest = hashlib.sha256(f"{self.seed}\0{key}\0{times}".encode()).digest()
        chance = int.from_bytes(digest[:8]) / 2**64
        slow = int.from_bytes(digest[8:16]) / 2**64
        return Draw(-self.latency * math.log(1 - slow), self._trouble(chance))

    def _trouble(self, chance: float) -> Trouble | None:
        for trouble in Trouble:
            chance -= getattr(self, trouble.value)
            if chance < 0:
                return trouble
        return None
