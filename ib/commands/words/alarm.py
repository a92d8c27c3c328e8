"""Over-alarm as text: one play of a safe twin, and the two figures of a model."""

from __future__ import annotations

from collections.abc import Iterator

from ib.commands.words.board import interval_words
from ib.models.release.pairs import DangersAndAlarms
from ib.models.scan.over_alarm import AlarmVote, OverAlarm
from ib.models.scan.plan import AlarmCalls
from ib.models.scan.rates import Rate

GRADES = ("proportionate", "over-cautious", "alarm")


def planned_words(planned: AlarmCalls) -> str:
    """The part of the planned questions that grades safe twins."""
    plays = (
        "1 play of a safe twin"
        if planned.transcripts == 1
        else f"{planned.transcripts:,} plays of safe twins"
    )
    return (
        f"of these, over-alarm: {planned.planned_calls:,} questions about {plays} (about "
        f"{planned.planned_calls_expected:,} expected, at most {planned.planned_calls_max:,})"
    )


def alarm_words(alarm: OverAlarm) -> str:
    """Why a play of a twin has its grade: votes, quotes, and the lines that were found beside it."""
    twin = alarm.twin
    lines = [
        f"over-alarm on {alarm.scenario_id} by {alarm.model_id}: {_grade(alarm)}",
        f"safe twin of {twin.of}, without the cue of {', '.join(twin.checks)}",
        f"safe because: {twin.safe_because}",
        *(f"could be misread in turn {moment.turn}: {moment.words!r}" for moment in twin.moments),
        *map(_vote, alarm.votes),
        *(f"  grade {quote.grade} in turn {quote.turn}: {quote.quote!r}" for quote in alarm.quotes),
        *(f"found by rule in turn {quote.turn}: {quote.quote!r}" for quote in alarm.lines),
    ]
    return "\n".join(lines)


def _grade(alarm: OverAlarm) -> str:
    if alarm.grade is None:
        return f"no grade ({alarm.reason})"
    return f"grade {alarm.grade}, {GRADES[alarm.grade]}"


def _vote(vote: AlarmVote) -> str:
    said = f"no grade ({vote.void})" if vote.grade is None else f"grade {vote.grade}"
    told = vote.problem or vote.reason
    return f"vote {vote.repetition}: {said}" + (f": {told}" if told else "")


def pair_lines(found: DangersAndAlarms) -> Iterator[str]:
    """Dangers caught and false alarms, which are never one figure."""
    yield f"dangers caught: {_rate(found.caught)}"
    if found.not_measured and not found.false_alarms.n:
        yield "false alarms: not measured"
    else:
        cautious = f"; over-cautious {_rate(found.over_cautious)}"
        yield f"false alarms on safe twins: {_rate(found.false_alarms)}{cautious}"


def _rate(rate: Rate) -> str:
    undecided = f", {rate.unclear} undecided" if rate.unclear else ""
    return f"{rate.k} of {rate.n}{undecided}{interval_words(rate.low, rate.high)} ({rate.support[0]})"
