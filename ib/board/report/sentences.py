"""The sentences of a report: what was read, what is wrong, and what was not asked.

They never give a score, and say of nothing that it is fine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from ib.models.common.base import Bucket
from ib.models.report.report import Asked, ReportedCheck
from ib.models.scan.judge import JudgeSpec
from ib.models.scan.plan import ScanPlan

NAMED = 3
"""How many checks a sentence names at most."""
BY_WORDS = {
    "lexical": "a judge that knows only listed phrases (lexical), which is for demonstrations",
    "scripts": "a judge that knows only the scripts of the reference assistants, which is for demonstrations",
}


def asked_of(checks: Sequence[ReportedCheck]) -> Asked:
    """What was asked of all conversations, and what was not."""
    answered = [check for check in checks if check.asked]
    searched = [check for check in checks if check.searched and not check.asked]
    missing = [check for check in checks if check.due and not check.asked and not check.searched]
    return Asked(
        total=len(checks),
        asked=len(answered),
        searched=len(searched),
        not_asked=tuple(check.check_id for check in missing),
        partly=tuple(check.check_id for check in answered if check.not_run),
        not_due=tuple(check.check_id for check in checks if not check.due),
        sentence=_asked_sentence(checks, searched, missing),
    )


def _asked_sentence(
    checks: Sequence[ReportedCheck], searched: Sequence[ReportedCheck], missing: Sequence[ReportedCheck]
) -> str:
    """What the report says nothing about."""
    silent = [*missing, *searched]
    unclear = number_of(sum(check.unclear for check in checks), "answer is unclear", "answers are unclear")
    if silent:
        what = f"{len(silent)} of {len(checks)} checks" + _of_safety(silent, checks)
        hints = f"; for {len(searched)} of them only listed phrases were looked for" if searched else ""
        said = f"Nobody was asked about {what}{hints}: this report says nothing of whether they occurred"
        return f"{said}; {unclear}."
    partly = [check for check in checks if check.not_run]
    if partly:
        gaps = number_of(sum(check.not_run for check in partly), "question")
        some = number_of(len(partly), "check")
        return f"{some} had no answer on some conversations ({gaps}), of which nothing is known; {unclear}."
    return f"Every check was asked of every conversation on which it was due; {unclear}."


def _of_safety(silent: Iterable[ReportedCheck], checks: Iterable[ReportedCheck]) -> str:
    """How many of the silent checks concern safety."""
    every = sum(concerns(check, Bucket.A) for check in checks)
    missing = sum(concerns(check, Bucket.A) for check in silent)
    if not missing:
        return ""
    return f", all {every} of safety among them" if missing == every else f", {missing} of safety among them"


def concerns(check: ReportedCheck, dimension: Bucket) -> bool:
    """True if a check is of a dimension, or closes its gate."""
    return dimension in (check.bucket, check.gate)


def opening(
    plan: ScanPlan, conversations: int, failed: int, checks: Sequence[ReportedCheck], asked: Asked
) -> tuple[str, str, str]:
    """What was read, what is wrong, and what was not asked: one sentence each."""
    which = "conversation" if plan.sample is None else "sampled conversation"
    return _read(plan, conversations, asked), _wrong(conversations, failed, checks, which), asked.sentence


def _read(plan: ScanPlan, conversations: int, asked: Asked) -> str:
    models = sorted({planned.model_id for planned in plan.transcripts})
    whose = models[0] if len(models) == 1 else f"{len(models)} assistants"
    done = "searched" if plan.judge.absent else "read"
    who = f"{number_of(conversations, 'conversation was', 'conversations were')} {done}, of {whose}"
    if plan.sample is not None:
        every = f"{plan.sample.conversations:,} conversations"
        who = f"{conversations:,} of {every} were drawn and {done}, of {whose}"
    said = f"{asked.asked} of {asked.total} checks have an answer, given by {_judge(plan.judge)}"
    if not asked.asked:
        return f"{who} without a judge, and no check has an answer."
    return f"{who}; {said}."


def _judge(judge: JudgeSpec) -> str:
    if judge.absent:
        return "rules alone, without a judge"
    if judge.model in BY_WORDS:
        return BY_WORDS[judge.model]
    return f"one AI judge ({judge.model})"


def _wrong(conversations: int, failed: int, checks: Sequence[ReportedCheck], which: str) -> str:
    """The failures in one sentence, the gravest named first; else the contested ones; else the hints."""
    hints = _named(checks, lambda check: check.found)
    told = f" Listed phrases, which nobody judged, point to {hints}." if hints else ""
    older = sum(check.older for check in checks)
    if older:
        told += f" Not counted: {number_of(older, 'failure')} by votes on an older wording of the question."
    if failed:
        named = _named(checks, lambda check: check.failed - check.older)
        return f"{failed:,} of {number_of(conversations, which)} failed: {named}.{told}"
    contested = _named(checks, lambda check: check.contested)
    if contested:
        return f"No failure has most of the votes; contested are {contested}.{told}"
    if older:
        return f"No failure rests on votes on the questions as they are now.{told}"
    if hints:
        return f"Whether anything failed is not known, because nobody judged it.{told}"
    return "No failure was found in what was asked, which does not show that there is none."


def _named(checks: Iterable[ReportedCheck], count: Callable[[ReportedCheck], int]) -> str:
    """The gate checks with a count and the most frequent others, and how many more; empty without any."""
    having = [check for check in checks if count(check)]
    having.sort(key=lambda check: (check.gate is None, 0 if check.gate is not None else -count(check)))
    named = [f"“{check.name}” ({count(check):,})" for check in having[:NAMED]]
    rest = len(having) - NAMED
    if rest > 0:
        return f"{', '.join(named)} and {number_of(rest, 'more check')}"
    return " and ".join([", ".join(named[:-1]), named[-1]] if len(named) > 1 else named)


def number_of(number: int, noun: str, plural: str = "") -> str:
    """A number with its noun, with commas between thousands."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {plural or noun + 's'}"
