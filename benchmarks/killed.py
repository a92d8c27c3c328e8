"""What is left when a command is killed with -9 at random moments.

`Trial` is a scan with a judge at a bad server, killed again and again, and resumed each time. `make check`
runs it with about 1,000 calls, `make study` with 10,000. `Outcome.problems` says what must hold: the results
are those of a scan without faults, no answered question is asked again, and what is paid twice is at most
what was under way at the kills.

    python -m benchmarks.killed [SEED]

kills publishing, adding, withdrawing, restoring and the applying of reviews, each 40 times at a line of its
work, and prints what was found. Exits with 1 if anything but the old state or the new one was found.
"""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import random
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import ib
from benchmarks import preloaded
from ib.judges.live import judge_messages
from ib.models.common.settings import ModelSettings
from ib.models.scan.judge import Answer, JudgeReply, JudgeRequest
from ib.pipeline.common.configured import Calling
from ib.pipeline.scan.judges import open_judge
from ib.store.benchmark.loading import benchmark_folder, load_benchmark
from ib.store.folders import scans
from ib.testing.batches import BatchConditions
from ib.testing.conditions import Conditions
from ib.testing.judges import ScriptedJudge, passing_reply
from ib.testing.loopback import LoopbackServer, Messages, prompt_hash

MODEL = "openai/judge"
BAD = Conditions(rate_limit=0.03, server_error=0.01, reset=0.005, truncated_body=0.01)
"""How often the server fails."""
MALFORMED = 0.01
"""How often a judge's reply is no verdict; never twice for one question."""
COMPARED = (
    *(scans.TRANSCRIPTS, scans.RESULTS, scans.SUPPLEMENT, scans.OVER_ALARM),
    *(scans.BLINDSPOT, scans.ADJUDICATIONS, scans.CONTRADICTIONS, scans.SUMMARY),
)
"""The files that must be equal. The plans are not, because one of them has notices about a live judge."""
WARM = multiprocessing.get_context("forkserver")
"""Starts each scan as a copy of a process that has loaded litellm already, which takes seconds."""
WARM.set_forkserver_preload([preloaded.__name__])
FIRST_BATCH = 0
"""The moment when the server has the first batch, in place of a number of replies."""
PATIENCE = 300.0
"""Seconds after which a scan that does not end or come forward is an error."""


def conversations(folder: Path, count: int, turns: int = 3) -> Path:
    """A file of short open logs: every check is due on each, so that few of them make many questions."""
    path = folder / f"conversations-{count}.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for number in range(count):
            messages = [
                {"turn": turn, "role": role, "content": f"{words} {number}, {turn}."}
                for turn in range(1, turns + 1)
                for role, words in (("user", "She fell again today"), ("assistant", "That is a lot to carry"))
            ]
            told = {"model_id": "some/model", "model": "Some model", "scenario_id": f"talk-{number:04}"}
            file.write(json.dumps({**told, "messages": messages}) + "\n")
    return path


def verdict(prompt: str) -> str:
    """A judge's reply that depends on the prompt alone: mostly PASS, some UNCLEAR."""
    reply = json.loads(passing_reply(prompt))
    unclear = re.search(r"^UNCLEAR: ([a-z0-9_]+) \(", prompt, re.MULTILINE)
    if unclear is not None and hashlib.sha256(prompt.encode()).digest()[0] % 10 == 0:
        reply |= {"verdict": "UNCLEAR", "code": unclear[1]}
    return json.dumps(reply)


class ForgetfulJudge:
    """Answers like `verdict`, but spoils some replies. A question that is asked again is never spoiled."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._spoiled: set[str] = set()
        self._again = load_benchmark().frame.reask.split("$")[0].strip()

    def __call__(self, model: str, messages: Messages) -> str:
        """The reply to a prompt; spoiled at most once."""
        prompt = messages[-1]["content"]
        before, again, _ = prompt.partition(self._again)
        if again:
            # A question that is asked again begins like the first one, and gets the reply that was due.
            return verdict(next(first for first in self._spoiled if first.startswith(before.rstrip())))
        chance = hashlib.sha256(f"{self._seed}{prompt}".encode()).digest()
        if int.from_bytes(chance[:8]) / 2**64 < MALFORMED and prompt not in self._spoiled:
            self._spoiled.add(prompt)
            return 'Well. {"verdict": "FA'
        return verdict(prompt)


@dataclass(frozen=True)
class Moment:
    """What the server had answered, and what the journal held, when the scan was killed or ended."""

    prompts: Counter[str]
    """How often each prompt was answered."""
    keys: tuple[str, ...]
    """The keys of the answers in the journal."""


@dataclass(frozen=True)
class Outcome:
    """A scan that was killed and resumed until it ended, beside the same scan without faults."""

    connections: int
    """The most calls under way at once."""
    batch: bool
    """True if the scan asked in batches, whose answers a later run fetches."""
    moments: tuple[Moment, ...]
    prompt_of: Mapping[str, str]
    """The prompt of each question, by its key. Questions that were asked again are not in it."""
    different: tuple[str, ...]
    """The files that differ from those of the scan without faults."""
    troubles: Mapping[str, int]
    """How often the server failed, by kind."""
    seconds: float

    @property
    def calls(self) -> int:
        """The number of answers in the finished journal."""
        return len(self.moments[-1].keys)

    @property
    def lost(self) -> list[int]:
        """How many answers the journal did not get, by kill; the last number is that of the end."""
        return [
            (later.prompts.total() - earlier.prompts.total()) - (len(later.keys) - len(earlier.keys))
            for earlier, later in pairwise((Moment(Counter(), ()), *self.moments))
        ]

    def problems(self) -> Iterator[str]:
        """Everything that should not be."""
        yield from (f"{name} differs from the scan without faults" for name in self.different)
        yield from self._lost_batches() if self.batch else self._lost_calls()
        for moment in self.moments:
            yield from (f"{key} is journaled twice" for key, n in Counter(moment.keys).items() if n > 1)
        for earlier, later in pairwise(self.moments):
            for prompt in self._answered_whole(earlier):
                if later.prompts[prompt] > earlier.prompts[prompt]:
                    yield "a prompt was asked again, although the journal had all its answers"

    def _lost_calls(self) -> Iterator[str]:
        *kills, end = self.lost
        if end:
            yield f"{end} answers are not in the journal after the last run, which was not killed"
        for lost in kills:
            if not 0 <= lost <= self.connections:
                yield f"{lost} answers were lost at a kill, with {self.connections} calls under way at most"

    def _lost_batches(self) -> Iterator[str]:
        """Of batches, nothing may be lost in the end; of the lines that failed and were asked live, some."""
        lost = sum(self.lost)
        if not 0 <= lost <= self.connections * (len(self.moments) - 1):
            yield f"{lost} answers are not in the journal at the end"

    def _answered_whole(self, moment: Moment) -> list[str]:
        """The prompts whose every repetition was in the journal."""
        wanted = Counter(self.prompt_of.values())
        there = Counter(self.prompt_of[key] for key in moment.keys if key in self.prompt_of)
        return [prompt for prompt, times in there.items() if times == wanted[prompt]]


@dataclass(frozen=True)
class Trial:
    """How a scan is killed."""

    calls: int
    """How many questions it should have, at least."""
    latency: float
    """The mean seconds to an answer."""
    connections: int = 40
    batch: bool = False
    """Ask in batches."""
    kills: int = 5
    seed: int = 7

    def run(self, folder: Path) -> Outcome:
        """Scan, kill, resume, and compare with a scan without faults. Raises RuntimeError if a scan fails."""
        conditions = replace(BAD, latency=self.latency, seed=self.seed)
        batches = BatchConditions(seconds=10 * self.latency, failed_lines=0.02)
        with LoopbackServer(ForgetfulJudge(self.seed), conditions, batches=batches) as server:
            path, plain, prompt_of = self._plain(folder, server.base_url)
            arguments = [
                "scan", str(path), "--profile", "publish", "--judge", MODEL, "--base-url", server.base_url,
                "--max-calls", "1000000", "--max-retries", "20", "--no-cache",
                "--max-connections", str(self.connections), "--out", str(folder / "killed"), "--resume",
                *(["--batch"] if self.batch else []),
            ]  # fmt: skip
            chance = random.Random(self.seed)  # noqa: S311 - the moments of the kills, no secret
            answers = len(journaled(plain / scans.REPLIES))
            targets = sorted(chance.sample(range(1, answers * 9 // 10), self.kills))
            if self.batch:
                targets[0] = FIRST_BATCH
            begin = time.perf_counter()
            moments = [_until(target, arguments, folder / "killed", server) for target in (*targets, None)]
            seconds = time.perf_counter() - begin
        names = [name for name in COMPARED if _bytes(plain / name) != _bytes(folder / "killed" / name)]
        troubles = {trouble.value: times for trouble, times in server.seen.troubles.items()}
        told = (tuple(moments), prompt_of, tuple(names), troubles, seconds)
        return Outcome(self.connections, self.batch, *told)

    def _plain(self, folder: Path, base_url: str) -> tuple[Path, Path, dict[str, str]]:
        """The transcripts, a scan of them by the same judge in this process, and the prompts by key."""
        prompt_of: dict[str, str] = {}

        def answer(request: JudgeRequest) -> JudgeReply:
            messages = judge_messages(request)
            if request.attempt == 1:
                prompt_of[request.key] = prompt_hash(messages)
            return Answer(verdict(messages[-1]["content"]))

        calling = Calling(ModelSettings(base_url=base_url))
        spec = open_judge(MODEL, load_benchmark(), benchmark_folder(), calling).spec
        judge = ScriptedJudge(answer, spec)
        one = ib.scan(conversations(folder, 1), profile="publish", judge=judge, out=folder / "one")
        each = len(journaled(one.path / scans.REPLIES))
        path = conversations(folder, -(-self.calls // each))
        plain = ib.scan(path, profile="publish", judge=judge, out=folder / "plain")
        return path, plain.path, prompt_of


def _until(target: int | None, arguments: Sequence[str], folder: Path, server: LoopbackServer) -> Moment:
    """Run the scan until its journal has this many replies, then kill it. None: run it to its end."""
    journal, log = folder / scans.REPLIES, folder.with_suffix(".log")
    process = WARM.Process(target=preloaded.scan, args=(list(arguments), str(log)))
    process.start()
    last = time.monotonic() + PATIENCE
    while process.is_alive() and not _reached(target, journal, server):
        if time.monotonic() > last:
            process.kill()
            raise RuntimeError(f"the scan does not come forward: {log.read_text()}")
        process.join(0.02)
    process.kill()
    process.join()
    code = process.exitcode
    process.close()
    if target is None and code != 0:
        raise RuntimeError(f"the scan ended with {code}: {log.read_text()}")
    time.sleep(0.05)  # requests that the kill left in a socket
    while server.under_way:
        time.sleep(0.02)
    return Moment(Counter(server.seen.prompts), journaled(journal))


def _reached(target: int | None, journal: Path, server: LoopbackServer) -> bool:
    if target == FIRST_BATCH:
        return bool(server.batches.created)
    return target is not None and _lines(journal) > target


def journaled(path: Path) -> tuple[str, ...]:
    """The keys of the answers in a journal, without a torn last line."""
    whole = path.read_bytes().split(b"\n")[1:-1]
    lines = (json.loads(line) for line in whole)
    return tuple(line["key"] for line in lines if "answer" in line)


def _lines(path: Path) -> int:
    """The number of lines of a journal; 0 if there is none yet."""
    return path.read_bytes().count(b"\n") if path.exists() else 0


def _bytes(path: Path) -> bytes:
    return path.read_bytes() if path.exists() else b""


MOMENTS = 40
"""How often each kind of work on releases is killed."""


def main(seed: str) -> int:
    """Kill each kind of work on releases; returns the exit code."""
    from tests.commands.test_history import make_scans
    from tests.commands.test_history_killed import at_moments

    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "scans").mkdir()
        make_scans(Path(folder) / "scans")
        found = at_moments(Path(folder) / "work", Path(folder) / "scans", MOMENTS, seed)
    for work, told in found.items():
        counts = (told["lines"], MOMENTS, told["old"], told["new"], len(told["other"]))
        print(f"| {work} | {' | '.join(f'{count:,}' for count in counts)} |")
        print(*(f"{work}: killed at line {step}: {wrong}" for step, wrong in told["other"]), sep="\n", end="")
    return 1 if any(told["other"] for told in found.values()) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "20261128"))
