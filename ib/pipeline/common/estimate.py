"""Estimating the calls, tokens and dollars of a scan from the rendered prompts of its first questions."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any

from ib.engine.votes.polling import REQUESTS_MOST
from ib.models.common.price import Price
from ib.models.common.settings import reply_limit
from ib.models.scan.cost import Estimate
from ib.models.scan.estimates import Estimates
from ib.models.scan.judge import JudgeRequest

Lines = Sequence[str]


@dataclass(frozen=True)
class Called:
    """How a model is called: what the estimate of its cost depends on."""

    model: str
    price: Price | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """The parameters of its requests."""
    calls_most: int = 1
    """The most calls for one request."""

    @property
    def reply_limit(self) -> int | None:
        """The most tokens of a reply; None if there is no limit."""
        return reply_limit(self.parameters)

    def caches(self, estimates: Estimates) -> bool:
        """True if the provider charges less for the start of a prompt that it has seen."""
        return self.model.partition("/")[0] in estimates.prefix_cache.providers

    def reasoning(self, estimates: Estimates) -> int:
        """The expected tokens of reasoning in one reply."""
        effort, thinking = self.parameters.get("reasoning_effort"), self.parameters.get("thinking")
        if effort is None and thinking is None and (self.price is None or not self.price.reasons):
            return 0
        if thinking is not None and thinking.get("type") == "disabled":
            return 0
        return estimates.reasoning(effort, None if thinking is None else thinking.get("budget_tokens"))


@dataclass
class CallCounts:
    """The number of questions and calls of a scan: the least, the expected, and the most."""

    estimates: Estimates
    calls_most: int = 1
    """The most calls for one request."""
    asks_again: bool = True
    """True if a question is asked for a second time after an invalid answer."""
    least: int = 0
    expected: float = 0.0
    units_most: int = 0
    """The most repetitions of questions, second attempts not counted."""

    def add(self, requests: Sequence[JudgeRequest]) -> None:
        """Count the first round of one transcript, and what may follow it."""
        self.least += len(requests)
        for request in requests:
            self.expected += self.expected_calls(request)
            self.units_most += units_most(request)

    def expected_calls(self, request: JudgeRequest) -> float:
        """The calls that a question of the first round is expected to lead to, its own included."""
        share = self.estimates.follow
        units = 1 + sum(share[reason] * most for reason, most in request.follow)
        return units * (1 + self.estimates.asked_again) if self.asks_again else units

    @property
    def most_for_a_unit(self) -> int:
        """The most calls for one unit."""
        return self.calls_most * (REQUESTS_MOST if self.asks_again else 1)

    @property
    def most(self) -> int:
        """The most calls."""
        return self.units_most * self.most_for_a_unit


def units_most(request: JudgeRequest) -> int:
    """The most questions that a question of the first round leads to, its own included."""
    return 1 + sum(most for _, most in request.follow)


@dataclass
class ScanEstimate:
    """The tokens of a scan, summed up over its transcripts."""

    called: Called
    estimates: Estimates
    count: Callable[[str], int]
    """Counts the tokens of a line."""
    counted_with: str
    calls: CallCounts
    _input: float = 0.0
    _cacheable: float = 0.0
    _output: float = 0.0
    _input_most: int = 0

    def add(self, requests: Sequence[JudgeRequest]) -> None:
        """Count the first round of one transcript."""
        if not requests:
            return
        lead = max(range(len(requests)), key=lambda index: requests[index].unit.last)  # asked first
        lines = {request.user: _lines(request) for request in requests}
        tokens = {user: self._tokens(prompt) for user, prompt in lines.items()}
        warm = {user: self._common(lines[requests[lead].user], prompt) for user, prompt in lines.items()}
        longest = max(tokens.values()) + self.estimates.longer_prompt_tokens
        reasoning = self.called.reasoning(self.estimates)
        for index, request in enumerate(requests):
            calls = self.calls.expected_calls(request)
            self._input += calls * tokens[request.user]
            self._cacheable += (calls - (index == lead)) * warm[request.user]
            self._output += calls * (self.estimates.output_tokens.get(request.phase, 0) + reasoning)
            self._input_most += units_most(request) * longest

    def _tokens(self, prompt: Lines) -> int:
        return sum(map(self.count, prompt)) + self.estimates.message_tokens

    def _common(self, lead: Lines, prompt: Lines) -> int:
        """The tokens of the common start of two prompts, if it is long enough for a cache."""
        pairs = takewhile(lambda pair: pair[0] == pair[1], zip(lead, prompt, strict=False))
        tokens = sum(self.count(line) for line, _ in pairs)
        return tokens if tokens >= self.estimates.prefix_cache.least_tokens else 0

    def estimate(self) -> Estimate:
        """The estimate over all transcripts."""
        limit = self.called.reply_limit
        return made_estimate(
            self.called,
            self.estimates,
            self.counted_with,
            calls=(self.calls.least, math.ceil(self.calls.expected), self.calls.most),
            tokens=(round(self._input), round(self._cacheable), round(self._output)),
            tokens_most=(
                self._input_most * self.calls.most_for_a_unit,
                None if limit is None else output_most(self.calls.most, limit, self.called.calls_most),
            ),
        )


def output_most(calls: int, limit: int, calls_most: int) -> int:
    """The most tokens of replies, if the second call for a request has twice the limit of the first."""
    return calls * limit if calls_most == 1 else calls // 2 * 3 * limit


def made_estimate(
    called: Called,
    estimates: Estimates,
    counted_with: str,
    *,
    calls: tuple[int, int, int],
    tokens: tuple[int, int, int],
    tokens_most: tuple[int | None, int | None],
) -> Estimate:
    """An estimate, with its cost.

    `calls` are the least, expected and most; `tokens` those of prompts, the cacheable ones of them, and those
    of replies; `tokens_most` the most of prompts and of replies.
    """
    price, (prompt, cacheable, output), (prompt_most, reply_most) = called.price, tokens, tokens_most
    cached = cacheable if called.caches(estimates) else 0
    usd_max = None
    if price is not None and prompt_most is not None and reply_most is not None:
        usd_max = price.usd(prompt_most, reply_most)
    return Estimate(
        model=called.model,
        calls=calls[0],
        calls_expected=calls[1],
        calls_max=calls[2],
        input_tokens=prompt,
        cacheable_tokens=cacheable,
        cached_tokens=cached,
        output_tokens=output,
        input_tokens_max=prompt_most,
        output_tokens_max=reply_most,
        usd=None if price is None else price.usd(prompt, output, cached),
        usd_max=usd_max,
        price=price,
        counted_with=counted_with,
    )


def _lines(request: JudgeRequest) -> Lines:
    """The lines of a prompt, each with its end. Questions about one transcript begin with the same lines."""
    return [*request.system.splitlines(keepends=True), *request.user.splitlines(keepends=True)]
