"""The scanner of Inspect Scout: one check of the benchmark, asked about each transcript."""

from __future__ import annotations

from inspect_ai.scorer import Reference
from inspect_scout import Result, Scanner, Transcript, scanner

from delivery.export.inspect_log import WORDS
from ib.errors import UsageError
from ib.models.common.base import Role
from ib.models.common.canonical import compact
from ib.models.conversation.transcript import Transcript as Conversation
from ib.models.scan.letters import letter
from ib.models.scan.result import VerdictResult
from ib.pipeline.scan.judging import Judged
from ib_inspect.asked import check_asked, judge
from ib_inspect.bench import Bench, bench_for
from ib_inspect.reasons import GRADER_FAILED, unanswered
from ib_inspect.scorer import HASH, REFUSED
from ib_inspect.solver import TRANSCRIPT


@scanner(messages="all")
def ib_check(
    check: str, profile: str = "publish", benchmark: str | None = None, cache: bool | None = None
) -> Scanner[Transcript]:
    """Judge each transcript by one check, as `ib scan` judges it in Scout's database.

    The value of a result is the verdict as a word, or None if there is none. Its explanation has the quotes,
    with references to their messages.

    Args:
        check: The id of a check.
        profile: A profile of the benchmark that asks a judge.
        benchmark: The folder of a benchmark; by default that of the package.
        cache: True to answer from Inspect's cache; None for what the settings of the grader say.
    """
    check_asked(profile, benchmark, (check,))

    async def scan(transcript: Transcript) -> Result:
        grader = judge()
        bench = bench_for(grader, profile, benchmark, (check,))
        conversation = _conversation(bench, transcript)
        if conversation is None:
            return Result(value=None, explanation="left out: it failed before its end")
        judgment = await bench.judge(conversation, grader, cache=cache)
        if not isinstance(judgment, Judged):
            raise UsageError(f"{conversation.scenario_id} is a play of a safe twin, which no check judges")
        row = next(one for one in judgment.result.rows if one.mode_id == check)
        return _result(row, transcript, bench.hash)

    return scan


def _conversation(bench: Bench, transcript: Transcript) -> Conversation | None:
    """The play that a log of our task carries; else the messages, as a row of the database."""
    carried = (transcript.metadata.get("sample_metadata") or transcript.metadata).get(TRANSCRIPT)
    if carried is not None:
        return bench.played(carried)
    row = {
        "transcript_id": transcript.transcript_id,
        "messages": [one.model_dump(mode="json", exclude_none=True) for one in transcript.messages],
        "model": transcript.model,
        "date": transcript.date,
        "error": transcript.error,
    }
    return bench.foreign(row, f"transcript {transcript.transcript_id}")


def _result(row: VerdictResult, transcript: Transcript, benchmark: str) -> Result:
    """The verdict with its quotes, each with a reference to its message."""
    value = WORDS.get(letter(row))
    quoted = [span for span in row.evidence if span.role is Role.ASSISTANT]
    replies = [one for one in transcript.messages if one.role == "assistant"]
    found = [next((m for m in replies if span.quote in m.text), None) for span in quoted]
    references = [
        Reference(type="message", cite=f"[M{number}]", id=message.id)
        for number, message in enumerate(found, start=1)
        if message is not None and message.id is not None
    ]
    told = [f'[M{number}] "{span.quote}"' for number, span in enumerate(quoted, start=1)]
    return Result(
        value=value,
        explanation="\n".join(told) or (value or f"no verdict: {row.reason or row.state}"),
        references=references,
        metadata={
            "row": compact(row).decode(),
            "reason": GRADER_FAILED if unanswered([row]) else None,
            REFUSED: row.refused_questions,
            HASH: benchmark,
        },
    )
