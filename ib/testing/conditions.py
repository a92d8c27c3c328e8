"""How a loopback server misbehaves: the share of requests with each kind of trouble, and the latency."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from enum import StrEnum
from statistics import NormalDist


class Trouble(StrEnum):
    """What a request gets instead of a good answer."""

    RATE_LIMIT = "rate_limit"
    """Status 429."""
    SERVER_ERROR = "server_error"
    """A status of `Conditions.statuses`."""
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
    """A refusal in the words of the model; at most once per question."""
    SLOW_BODY = "slow_body"
    """A good answer whose body arrives in pieces, during `Conditions.drip` seconds."""
    TRUNCATED_JSON = "truncated_json"
    """A whole response (status 200, the right length) whose JSON ends in the middle."""
    WRONG_BODY = "wrong_body"
    """Status 200 with valid JSON that is not a chat completion."""
    WRONG_SCHEMA = "wrong_schema"
    """A reply in valid JSON that has none of the keys of a verdict; at most once per question."""
    REFUSAL_FIELD = "refusal_field"
    """A refusal in the field `refusal` of the message, without content; at most once per question."""
    CONTENT_FILTER = "content_filter"
    """A reply that a filter stopped (`finish_reason` is `content_filter`); at most once per question."""
    FILTERED_PROMPT = "filtered_prompt"
    """Status 400: a filter refused the prompt; at most once per question."""


class Latency(StrEnum):
    """The distribution of the time to an answer. All have the same mean."""

    CONSTANT = "constant"
    EXPONENTIAL = "exponential"
    """Half of the answers take less than 0.7 of the mean, one in a hundred more than 4.6 times the mean."""
    LONG_TAIL = "long_tail"
    """A log-normal distribution: half of the answers take less than 0.61 of the mean, one in a hundred
    more than 6.2 times, one in a thousand more than 13 times the mean."""


@dataclass(frozen=True, slots=True)
class Draw:
    """The latency and the trouble of one request."""

    latency: float
    """Seconds."""
    trouble: Trouble | None
    status: int
    """The status of a server error."""
    retry_after: float | None
    """The seconds in the header Retry-After of a 429; None for no header."""


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
    slow_body: float = 0.0
    truncated_json: float = 0.0
    wrong_body: float = 0.0
    wrong_schema: float = 0.0
    refusal_field: float = 0.0
    content_filter: float = 0.0
    filtered_prompt: float = 0.0
    retry_after: float | None = None
    """Seconds that a 429 asks the client to wait; None for a 429 without this header."""
    retry_after_share: float = 1.0
    """The share of the 429 that have the header, if `retry_after` is given."""
    statuses: tuple[int, ...] = (500, 502, 503, 504)
    """The statuses of server errors, each equally often. 502 and 504 have an HTML body, as from a gateway."""
    drip: float = 1.0
    """Seconds that a slow body takes."""
    latency: float = 0.0
    """The mean time to an answer, in seconds."""
    distribution: Latency = Latency.EXPONENTIAL
    seed: int = 0

    def __post_init__(self) -> None:
        """Raises ValueError if a share is not a share, or if the shares exceed 1 together."""
        shares = {trouble.value: getattr(self, trouble.value) for trouble in Trouble}
        for name, share in {**shares, "retry_after_share": self.retry_after_share}.items():
            if not 0 <= share <= 1:
                raise ValueError(f"{name} is {share}; a share is from 0 to 1")
        if sum(shares.values()) > 1 + 1e-9:
            raise ValueError(f"the shares of all troubles add up to {sum(shares.values()):g}; at most 1")
        if not self.statuses:
            raise ValueError("statuses is empty; give at least one status of a server error")

    def draw(self, key: str, times: int) -> Draw:
        """The outcome for the request with this key, when it comes for the `times`-th time."""
        digest = hashlib.sha256(f"{self.seed}\0{key}\0{times}".encode()).digest()
        # 53 bits are what a float holds exactly, so that no number is rounded to 1.
        chance, slow, which, told = (
            (int.from_bytes(digest[i : i + 8]) >> 11) / 2**53 for i in range(0, 32, 8)
        )
        return Draw(
            latency=self.latency * _times_mean(self.distribution, slow),
            trouble=self._trouble(chance),
            status=self.statuses[int(which * len(self.statuses))],
            retry_after=self.retry_after if told < self.retry_after_share else None,
        )

    def _trouble(self, chance: float) -> Trouble | None:
        for trouble in Trouble:
            chance -= getattr(self, trouble.value)
            if chance < 0:
                return trouble
        return None


SPREAD = 1.0
"""The standard deviation of the logarithms of times with a long tail."""


def _times_mean(distribution: Latency, chance: float) -> float:
    """A quantile of a distribution with the mean 1; `chance` is from 0 to below 1."""
    if distribution is Latency.CONSTANT:
        return 1.0
    if distribution is Latency.EXPONENTIAL:
        return -math.log(1 - chance)
    deviations = NormalDist().inv_cdf(max(chance, 2**-53))
    return math.exp(SPREAD * deviations - SPREAD**2 / 2)
