"""Measure scans with a judge: at a server, in the process, and resumed when finished. Prints a table."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.corpus import ROOT, transcripts, write
from benchmarks.killed import MODEL, Trial, conversations, verdict
from ib.client.calls import Message
from ib.client.transport import close, known_provider
from ib.judges.live import judge_messages
from ib.models.common.settings import CallLimits, ModelSettings
from ib.models.scan.judge import Answer, JudgeReply, JudgeRequest
from ib.pipeline.common.configured import Calling
from ib.pipeline.scan.prepare import ScanOptions, prepare_scan
from ib.pipeline.scan.scan import Work, run_scan
from ib.testing.conditions import Conditions, Latency
from ib.testing.judges import ScriptedJudge
from ib.testing.loopback import LoopbackServer

AT_ONCE = 100
LATENCY = 0.3
CALLS = 1_000
JUDGED = 63
"""Transcripts, each with every check due: 3,339 judgments."""
SERVER = "from benchmarks.live import serve; serve()"


def main() -> None:
    """Print the figures as rows of a Markdown table. With an argument, also of so many calls with kills."""
    os.environ["OPENAI_API_KEY"] = "sk-" + "benchmark"
    os.environ["IB_CACHE"] = "off"
    print("| what | measured | target |")
    print("| --- | ---: | ---: |")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        at_a_server(folder)
        in_process(folder)
        finished(folder)
    for calls in map(int, sys.argv[1:]):
        killed(calls)
        killed(calls, batch=True)


def serve() -> None:
    """A judge at a server, until the input ends. Prints the address."""
    conditions = Conditions(latency=LATENCY, distribution=Latency.CONSTANT)
    with LoopbackServer(lambda _, messages: verdict(messages[-1]["content"]), conditions) as server:
        print(server.base_url, flush=True)
        sys.stdin.read()


def at_a_server(folder: Path) -> None:
    """1,000 calls with 100 at once, through litellm alone and as a scan. The server has its own process."""
    command = [sys.executable, "-c", SERVER]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdin
        assert server.stdout
        base_url = server.stdout.readline().strip()
        prompts, path = _prompts(folder)
        known_provider(MODEL)  # the import of litellm is not measured
        asyncio.run(_bare(prompts[:AT_ONCE], base_url))
        wall, cpu = time.perf_counter(), time.process_time()
        asyncio.run(_bare(prompts, base_url))
        bare_wall, bare_cpu = time.perf_counter() - wall, time.process_time() - cpu
        calling = Calling(
            ModelSettings(base_url=base_url), CallLimits(max_connections=AT_ONCE, max_calls=10 * CALLS)
        )
        prepared = prepare_scan([path], ScanOptions(profile="publish", judge=MODEL, calling=calling))
        wall, cpu = time.perf_counter(), time.process_time()
        run_scan(prepared, folder / "live", Work())
        scan_wall, scan_cpu = time.perf_counter() - wall, time.process_time() - cpu
        prepared.spool.close()
        server.stdin.close()
    made = json.loads((folder / "live" / "cost_report.json").read_text())["answered"]
    each = scan_wall / made * len(prompts)
    row(
        f"{len(prompts):,} calls by litellm alone, {AT_ONCE} at once, {LATENCY} s each",
        f"{bare_wall:.2f} s",
        "",
    )
    row(
        f"{made:,} calls of a scan, as 1,000 calls to 1,000 of litellm alone",
        f"{each / bare_wall:.2f}",
        "1.3",
    )
    more = 1000 * (scan_cpu / made - bare_cpu / len(prompts))
    row("CPU that the scan adds to each call", f"{more:.2f} ms", "1.5 ms")


def _prompts(folder: Path) -> tuple[list[tuple[Message, ...]], Path]:
    """The prompts of a scan with at least 1,000 questions, and its transcripts."""
    asked: list[tuple[Message, ...]] = []

    def answer(request: JudgeRequest) -> JudgeReply:
        asked.append(judge_messages(request))
        return Answer(verdict(request.user))

    count = 0
    while len(asked) < CALLS:
        asked.clear()
        count += 4
        path = conversations(folder, count)
        options = ScanOptions(profile="publish", judge=ScriptedJudge(answer))
        prepared = prepare_scan([path], options)
        run_scan(prepared, folder / f"scripted-{count}")
        prepared.spool.close()
    return asked[:CALLS], path


async def _bare(prompts: Sequence[tuple[Message, ...]], base_url: str) -> None:
    """Call litellm for each prompt, without any code of ours."""
    import litellm

    gate = asyncio.Semaphore(AT_ONCE)

    async def one(messages: tuple[Message, ...]) -> None:
        told = [dict(message) for message in messages]
        async with gate:
            reply = await litellm.acompletion(
                model=MODEL, messages=told, api_base=base_url, num_retries=0, max_retries=0
            )
            assert reply.choices[0].message.content

    await asyncio.gather(*map(one, prompts))
    await close()


IN_PROCESS = """
import resource, sys, time
from pathlib import Path
from benchmarks.killed import verdict
from ib.models.scan.judge import Answer
from ib.pipeline.scan.scan import scan
from ib.testing.judges import ScriptedJudge
asked = 0
def answer(request):
    global asked
    asked += 1
    return Answer(verdict(request.user))
scan(sys.argv[1], profile="full", judge=ScriptedJudge(answer), out=sys.argv[2])
status = Path("/proc/self/status").read_text()  # `ru_maxrss` counts the memory of the parent, too
print(asked, time.process_time(), int(status.partition("VmHWM:")[2].split()[0]) // 1024)
"""


def in_process(folder: Path) -> None:
    """Every check on 63 transcripts, once each, by a judge that answers at once."""
    path = write([_open_log(row) for row in transcripts()[0][:JUDGED]], folder / "open.jsonl")
    command = [sys.executable, "-c", IN_PROCESS, str(path), str(folder / "in-process")]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    asked, seconds, megabytes = done.stdout.split()
    judged = 53 * JUDGED
    what = f"{judged:,} judgments ({int(asked):,} questions) by a judge in the process, start included"
    row(what, f"{float(seconds):.1f} s of CPU, {megabytes} MB", "10 s, 300 MB")


def _open_log(transcript: dict[str, Any]) -> dict[str, Any]:
    """The same conversation without tags and scenario, so that every check is due."""
    kept = ("model_id", "model", "messages")
    return {**{key: transcript[key] for key in kept}, "scenario_id": f"open-{transcript['scenario_id']}"}


def finished(folder: Path) -> None:
    """The command line on a finished scan of 63 transcripts, resumed."""
    path = write(transcripts()[0][:JUDGED], folder / "small.jsonl")
    command = [
        sys.executable, "-m", "ib", "scan", str(path), "--profile", "publish", "--judge", "lexical",
        "--out", str(folder / "finished"), "--resume",
    ]  # fmt: skip
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    begin = time.perf_counter()
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    row(f"a finished scan of {JUDGED} transcripts, resumed", f"{time.perf_counter() - begin:.2f} s", "1.5 s")


def killed(calls: int, *, batch: bool = False) -> None:
    """A scan through a bad server, killed five times. Raises RuntimeError if anything was lost."""
    with tempfile.TemporaryDirectory() as name:
        outcome = Trial(calls, LATENCY, connections=AT_ONCE, batch=batch).run(Path(name))
    problems = list(outcome.problems())
    if problems:
        raise RuntimeError("; ".join(problems[:9]))
    way = "lines of batches" if batch else "calls"
    what = f"{outcome.calls:,} {way}, killed 5 times: the bytes of a scan without faults; paid twice"
    row(what, f"{sum(outcome.lost)} calls, {outcome.seconds:.0f} s", f"{5 * AT_ONCE} calls")


def row(what: str, measured: str, target: str) -> None:
    """A row of the table."""
    print(f"| {what} | {measured} | {target} |", flush=True)


if __name__ == "__main__":
    main()
