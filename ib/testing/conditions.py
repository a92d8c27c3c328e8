"""How a loopback server misbehaves: which share of requests meets which trouble, and how slow it is."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from enum import StrEnum


class Trouble(StrEnum):
    """What a request meets in place of a good answer."""

    RATE_LIMIT = "rate_limit"
    """Status 429."""
    SERVER_ERROR = "server_error"
    """Status 503."""
    RESET = "reset"
    """The connection breaks before there is an answer."""
    TRUNCATED_BODY = "truncated_body"
    """The connection breaks in the middle of the answer."""
    EMPTY = "empty"
    """An answer without a choice."""
    LENGTH = "length"
    """An answer that ended for its length."""
    MALFORMED = "malformed"
    """A text that is no verdict; never twice for one question."""
    REFUSAL = "refusal"
    """The model declines; never twice for one question."""


@dataclass(frozen=True, slots=True)
class Draw:
    """What one request meets."""

    latency: float
    """Seconds."""
    trouble: Trouble | None


@dataclass(frozen=True)
class Conditions:
    """Shares of requests, from 0 to 1, drawn by a seed. The default is a server without a fault."""

    rate_limit: float = 0.0
    server_error: float = 0.0
    reset: float = 0.0
    truncated_body: float = 0.0
    empty: float = 0.0
    length: float = 0.0
    malformed: float = 0.0
    refusal: float = 0.0
    retry_after: float | None = None
    """Seconds that a 429 asks the client to wait; None for a 429 that does not say."""
    latency: float = 0.0
    """The mean time to an answer, in seconds; times are distributed exponentially around it."""
    seed: int = 0

    def draw(self, key: str, times: int) -> Draw:
        """What the request with this key meets, the `times`-th time that it comes."""
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
