"""Scans with a limit of dollars at a server with short and long replies, some killed and resumed.

`python -m benchmarks.limits` makes 50 scans and 10 that are killed, and prints a table. The tests make a few.
The server keeps its own account: what a provider would charge, with calls that a kill took from the scan.
"""

from __future__ import annotations

import json
import os
import random
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import ib
from benchmarks.killed import PATIENCE, WARM, conversations, verdict
from benchmarks.preloaded import scan
from ib.errors import WorldError
from ib.models.common.price import Price
from ib.models.common.settings import CallLimits, ModelSettings
from ib.store.benchmark.loading import benchmark_folder
from ib.store.benchmark.prices import load_prices
from ib.store.folders import scans
from ib.testing.completions import Body, Completions
from ib.testing.conditions import Conditions
from ib.testing.loopback import LoopbackServer, Messages

MODELS = ("openai/gpt-4o", "openai/gpt-4o-mini", "openai/gpt-5-mini")
"""Their largest replies cost 16, 1 and 26 cents."""
SHORTEST, LONGEST = 10, 16_000
"""Tokens of a reply."""
CHEAPEST, DEAREST = 0.01, 1.0
"""Limits in US dollars."""
SCANS, KILLED = 50, 10
LIMIT_REACHED = 4
"""The exit code of a scan that a limit stopped."""


class Billing(Completions):
    """Completions that are charged for: the dollars of each, by the tokens that it says."""

    def __init__(self, price: Price) -> None:
        super().__init__()
        self.price = price
        self.bills: list[float] = []

    def make(self, request: Body, text: str, finish: str = "stop") -> Body:
        """The completion, with its bill."""
        made = super().make(request, text, finish)
        usage = made["usage"]
        cached = usage["prompt_tokens_details"]["cached_tokens"]
        self.bills.append(self.price.usd(usage["prompt_tokens"], usage["completion_tokens"], cached))
        return made


@dataclass(frozen=True)
class LongWinded:
    """A judge whose replies are filled up to any number of tokens with blanks, which JSON allows."""

    chance: random.Random

    def __call__(self, model: str, messages: Messages) -> str:
        """The reply to a prompt."""
        text = verdict(messages[-1]["content"])
        tokens = round(SHORTEST * (LONGEST / SHORTEST) ** self.chance.random())
        return text.replace("{", "{" + " " * max(0, 4 * tokens - len(text)), 1)


@dataclass(frozen=True)
class Outcome:
    """What a scan spent, by the server's account and by its own report."""

    model: str
    limit: float
    connections: int
    stopped: bool
    """True if the limit stopped it; False if it answered every question."""
    bills: tuple[float, ...]
    spending: Body
    """The row of the model in the cost report."""

    @property
    def charged(self) -> float:
        """What the provider charges, in US dollars."""
        return sum(self.bills)

    @property
    def over(self) -> float:
        """How much more than the limit was charged, as a share of the dearest call. At most 1 is right."""
        return max(0.0, self.charged - self.limit) / max(self.bills)

    def problems(self) -> Iterator[str]:
        """Everything that should not be."""
        if self.over > 1:
            dearest = max(self.bills)
            yield f"${self.charged:.4f} charged of ${self.limit:.4f}; no call cost more than ${dearest:.4f}"
        known, most = self.spending["usd"], self.spending["usd"] + self.spending["usd_lost_max"]
        if not known - 1e-9 <= self.charged <= most + 1e-9:
            yield f"the report says ${known:.4f} to ${most:.4f}, and the provider ${self.charged:.4f}"
        calls, lost = self.spending["calls"], self.spending["calls_lost"]
        if not calls <= len(self.bills) <= calls + lost:
            yield f"the report counts {calls} calls and {lost} lost ones, and the provider {len(self.bills)}"
        if self.stopped and most < self.limit:
            yield f"stopped at ${most:.4f} of ${self.limit:.4f}"


@dataclass(frozen=True)
class Trial:
    """A scan with a limit. The seed decides everything but the order in which replies arrive."""

    seed: int
    kills: int = 0

    def run(self, folder: Path) -> Outcome:
        """Scan until the limit or the end. Raises RuntimeError if something else stops the scan."""
        chance = random.Random(self.seed)  # noqa: S311 - sizes and limits, no secret
        model = chance.choice(MODELS)
        limit = round(CHEAPEST * (DEAREST / CHEAPEST) ** chance.random(), 4)
        price = load_prices(benchmark_folder()).price(model)
        assert price is not None
        conditions = Conditions(latency=0.01, rate_limit=0.02, server_error=0.01, seed=self.seed)
        with LoopbackServer(LongWinded(chance), conditions) as server:
            billing = server.completions = Billing(price)
            one = _Scan(conversations(folder, 6), model, limit, chance.choice((5, 20, 100)), server)
            stopped = one.killed(chance, self.kills) if self.kills else one.twice()
        (spending,) = json.loads((one.out / scans.COST).read_text())["spending"]
        return Outcome(model, limit, one.connections, stopped, tuple(billing.bills), spending)


@dataclass(frozen=True)
class _Scan:
    """One scan of a file of transcripts."""

    transcripts: Path
    model: str
    limit: float
    connections: int
    server: LoopbackServer

    @property
    def out(self) -> Path:
        """The folder of the scan."""
        return self.transcripts.parent / "scan"

    def twice(self) -> bool:
        """True if the limit stopped the scan, which has two sessions: the first with a third of the limit."""
        for part in (self.limit / 3, self.limit):
            limits = CallLimits(max_cost_usd=part, max_connections=self.connections, max_retries=20)
            settings = ModelSettings(base_url=self.server.base_url)
            try:
                ib.scan(
                    self.transcripts, profile="publish", judge=self.model, settings=settings, limits=limits,
                    cache=False, out=self.out, resume=True,
                )  # fmt: skip
            except WorldError as error:
                if "--max-cost-usd" not in str(error):
                    raise RuntimeError(str(error)) from error
            else:
                return False
        return True

    def killed(self, chance: random.Random, kills: int) -> bool:
        """True if the limit stopped the scan, which was killed so often after some answers."""
        arguments = [
            "scan", str(self.transcripts), "--profile", "publish", "--judge", self.model,
            "--base-url", self.server.base_url, "--max-cost-usd", str(self.limit),
            "--max-connections", str(self.connections), "--max-retries", "20", "--no-cache",
            "--out", str(self.out), "--resume",
        ]  # fmt: skip
        log = self.out.with_suffix(".log")
        for _ in range(kills):
            code = _session(arguments, log, self.server, self.server.seen.answered + chance.randint(1, 12))
            if code is not None:
                break
        else:
            code = _session(arguments, log, self.server, None)
        if code not in (0, LIMIT_REACHED):
            raise RuntimeError(f"the scan ended with {code}: {log.read_text()}")
        return code == LIMIT_REACHED


def _session(arguments: list[str], log: Path, server: LoopbackServer, target: int | None) -> int | None:
    """The exit code of a session, or None if it was killed, after so many answers of the server."""
    process = WARM.Process(target=scan, args=(arguments, str(log)))
    process.start()
    last = time.monotonic() + PATIENCE
    while process.is_alive() and (target is None or server.seen.answered < target):
        if time.monotonic() > last:
            process.kill()
            raise RuntimeError(f"the scan does not come forward: {log.read_text()}")
        process.join(0.005)
    killed = process.is_alive()
    process.kill()
    process.join()
    code = None if killed else process.exitcode
    process.close()
    time.sleep(0.05)  # requests that the kill left in a socket
    while server.under_way:
        time.sleep(0.02)
    return code


def main() -> None:
    """Make the scans, and print a table of them and everything that should not be."""
    os.environ["OPENAI_API_KEY"] = "sk-" + "benchmark"
    print("| scans with replies of 10 to 16,000 tokens | measured | target |")
    print("| --- | ---: | ---: |")
    for count, kills in ((SCANS, 0), (KILLED, 3)):
        begin, outcomes = time.perf_counter(), []
        for seed in range(count):
            with tempfile.TemporaryDirectory() as name:
                outcomes.append(Trial(seed, kills).run(Path(name)))
        seconds = time.perf_counter() - begin
        what = f"{count} scans killed {kills} times" if kills else f"{count} scans in two sessions"
        worst = max(outcome.over for outcome in outcomes)
        calls = sum(len(outcome.bills) for outcome in outcomes)
        stopped = sum(outcome.stopped for outcome in outcomes)
        print(f"| {what}: calls in {seconds:.0f} s | {calls:,} | |")
        print(f"| stopped by the limit, of $0.01 to $1 | {stopped} | |")
        print(f"| most charged over a limit, in calls | {worst:.2f} | 1 |")
        problems = [(outcome.model, problem) for outcome in outcomes for problem in outcome.problems()]
        print(f"| problems | {len(problems)} | 0 |")
        for problem in problems:
            print(problem)


if __name__ == "__main__":
    main()
