"""How sure a reader can be, in words: who judged, with how many votes, and of which wording."""

from __future__ import annotations

from collections.abc import Iterable

from delivery.words.filters import template_filter
from ib.board.gate.origin import stands_in
from ib.models.benchmark.calibration import CalibrationStatus
from ib.models.release.leaderboard import (
    CheckEntry,
    EvidenceItem,
    Leaderboard,
    ModelEntry,
    ScenarioOfModel,
)
from ib.models.report.report import Report
from ib.models.scan.gates import GateEntry
from ib.models.scan.judge import JudgeSpec
from ib.store.files.wording import counted

_STAND_INS = {
    "none": "no judge",
    "lexical": "a program that matches phrases, no AI",
    "scripts": "a program that knows the scripts, no AI",
}
_JUDGED = frozenset("FCPpUN")
"""The letters of a verdict."""
OLDER = "older wording"
"""The mark of a verdict whose votes answer another wording of the question."""


@template_filter
def trust(board: Leaderboard) -> str:
    """Four facts: who judged, how many votes, of which wording, and what people have compared."""
    compared = sum(check.calibration == CalibrationStatus.VALIDATED for check in board.checks)
    return _facts(judges(board.judge), board, compared)


@template_filter
def report_trust(report: Report) -> str:
    """The same four facts of a report on one scan."""
    who = counted(report.judges, "AI judge") if report.judges else _stand_in(report.judge)
    return _facts(who, report, report.compared)


def _facts(who: str, of: Leaderboard | Report, compared: int) -> str:
    by_people = f"{compared} of {counted(len(of.checks), 'check')} compared with people"
    return ", ".join((who, _votes(of), _wording(of), by_people))


def _stand_in(name: str) -> str:
    return _STAND_INS.get(name, "a judge that is not known or not real")


def judges(judge: JudgeSpec) -> str:
    """What judged, and how many of it."""
    if stands_in(judge):
        return _stand_in(judge.model)
    return counted(max(1, len(judge.judges)), "AI judge")


def by_judge(judge: JudgeSpec) -> str:
    """Who says that a conversation failed."""
    if stands_in(judge):
        return "by the judge"
    return "by one AI judge" if len(judge.judges) <= 1 else "by several AI judges"


def _votes(board: Leaderboard | Report) -> str:
    if board.votes_per_question is None:
        return "no votes"
    least, most = board.votes_per_question
    return counted(most, "vote") if least == most else f"{least} to {most} votes"


def _wording(board: Leaderboard | Report) -> str:
    if not board.voted_rows:
        return "no question to a judge"
    if not board.older_questions:
        return "questions as worded today"
    if board.older_questions == board.voted_rows:
        return "an older wording of the questions"
    return f"an older wording in {board.older_questions} of {board.voted_rows} verdicts"


@template_filter
def no_headline(board: Leaderboard) -> str:
    """Why a release whose votes answer an older wording states no finding."""
    of = counted(board.voted_rows, "verdict")
    which = "the votes" if board.older_questions == board.voted_rows else f"{board.older_questions} of {of}"
    return f"No headline: {which} answer older questions"


def older(count: int, of: int) -> str:
    """The mark of a figure of which so many verdicts or conversations rest on an older wording; or empty."""
    if not count:
        return ""
    return OLDER if count >= of else f"partly {OLDER}"


def older_check(entry: CheckEntry) -> str:
    """The mark of a check on a model; empty if no verdict rests on an older wording."""
    return older(entry.older_questions, entry.failures.n + entry.failures.unclear + entry.not_applicable)


@template_filter
def older_item(item: EvidenceItem) -> str:
    """The mark of one verdict; empty if its votes answer the question of today."""
    return OLDER if item.older_question else ""


@template_filter
def older_met(met: ScenarioOfModel) -> str:
    """The mark of the results of one transcript; empty if no verdict rests on an older wording."""
    return older(met.older_questions.count("o"), sum(letter in _JUDGED for letter in met.verdicts))


@template_filter
def asked_of(models: Iterable[ModelEntry]) -> str:
    """How many questions were asked about a conversation on average, and how many say pass or fail."""
    found = tuple(models)
    entries = [entry for model in found for entry in model.blindspots]
    answered = sum(entry.failures.n for entry in entries)
    asked = answered + sum(entry.failures.unclear + entry.not_applicable for entry in entries)
    many = sum(model.transcripts for model in found)
    told = (f"{count / many:.1f}" for count in (asked, answered))
    return "on average {} questions about each, {} answered,".format(*told)


@template_filter
def older_gate(entry: GateEntry) -> str:
    """The mark of a gate of a model; empty if no conversation has a verdict on an older wording there."""
    return older(entry.older_questions, entry.due)
