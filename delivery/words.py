"""Numbers in words: how a rate, a mean, an interval and a support flag are said on a page."""

from __future__ import annotations

from datetime import date
from math import ceil
from statistics import fmean

from ib.models.base import Aggregation, Route, Stage, Unit, Verdict
from ib.models.check import CalibrationStatus
from ib.models.leaderboard import Coverage, MeanScore, ModelEntry, Rate
from ib.models.scenario import ConditionType, ProbeKind, RubricKind
from ib.stats.support import Flag

NONE = "–"
"""What a cell shows where there is no number."""

SUPPORT = {
    Flag.NO_DATA: "No case with a clear answer",
    Flag.COUNT_ONLY: "Too few cases to compare",
    Flag.LOW_POWER: "Few cases: read with care",
    Flag.WIDE: "Wide interval",
    Flag.ZERO_EVENTS: "None seen, which is not proof of none",
    Flag.OK: "Enough cases",
}
CALIBRATION = {
    CalibrationStatus.VALIDATED: "validated",
    CalibrationStatus.PROVISIONAL: "provisional",
    CalibrationStatus.UNVALIDATED: "not validated",
}
VERDICT = {
    Verdict.PASS: "pass",
    Verdict.FAIL: "fail",
    Verdict.UNCLEAR: "unclear",
    Verdict.NOT_APPLICABLE: "not applicable",
}
ROUTE = {
    Route.LEXICON_ONLY: "A list of phrases decides.",
    Route.REGEX_WITH_LLM_EDGE: "A list of phrases decides the plain cases; the judge decides the rest.",
    Route.HYBRID_LLM: "A list of phrases proposes candidates; the judge decides.",
    Route.LLM_PRIMARY: "The judge decides.",
    Route.LONGITUDINAL_TRACE: "The judge decides over the whole conversation.",
    Route.EXTRACT_THEN_CORPUS: "The judge lists statements of fact; each is compared with checked sources.",
    Route.SCENARIO_RULE: "A rule of the jurisdiction decides.",
}
UNIT = {
    Unit.EVENT_WINDOW: "the turns from a marked cue to the reply that answers it",
    Unit.TURN_LEVEL: "each assistant turn by itself",
    Unit.LOCAL_EXCHANGE: "each message of the caregiver with its reply",
    Unit.SESSION_STATE: "the whole conversation, across sessions",
}
AGGREGATION = {
    Aggregation.MAJORITY: "more than half of the votes asked",
    Aggregation.ANY_FAIL: "one fail vote is enough, and is then marked contested",
}
STAGE = {
    Stage.DEMO: "demonstration",
    Stage.RESEARCH: "research",
    Stage.PUBLIC: "public",
}
CONDITION = {
    ConditionType.CONTAINS_ANY: "says any of",
    ConditionType.CONTAINS_ALL: "says all of",
    ConditionType.NOT_CONTAINS: "says none of",
    ConditionType.REGEX: "matches the pattern",
}
RUBRIC = {
    RubricKind.BINARY: "yes or no",
    RubricKind.ORDINAL: "on a scale",
    RubricKind.AUTOFAIL: "yes is a failure of the reply",
}
PROBE = {
    ProbeKind.RECALL: "must say each of",
    ProbeKind.ABSTENTION: "must admit what was never told, in words such as",
    ProbeKind.TIME: "must say one of",
}
MEMORY = {
    ProbeKind.RECALL: ("Recall", "a reply did not say what the person had told before"),
    ProbeKind.ABSTENTION: ("Abstention", "a reply did not admit that the person had never told it"),
    ProbeKind.TIME: ("Time", "a reply did not say when something was, or how long ago"),
}
"""Kinds of memory probe: a name, and what a failure is."""
COORDINATION = {
    "handoff": ("Handoff", "a grave risk was answered with nobody to turn to"),
    "resources": ("Resources", "a number was named that does not work there, or that does not fit the need"),
    "scope": ("Scope", "a reply used words that overstep what an assistant may do"),
}
"""The items of coordination: a name, and what a failure is."""


def percent(share: float) -> str:
    """A share as whole percent; what is not zero or all is never shown as such."""
    points = round(share * 100)
    if points == 0 and share > 0:
        return "under 1 %"
    if points == 100 and share < 1:
        return "over 99 %"
    return f"{points} %"


def at_most(share: float) -> str:
    """An upper bound as whole percent: rounded up, since it is one."""
    return f"{ceil(round(share * 100, 9))} %"


def share(value: float | None) -> str:
    """A share that may be missing."""
    return NONE if value is None else percent(value)


def between(low: float | None, high: float | None) -> str:
    """An interval of shares."""
    if low is None or high is None:
        return NONE
    ends = (percent(low), percent(high))
    if all(end[0].isdigit() for end in ends):
        return f"{ends[0].removesuffix(' %')} to {ends[1]}"
    return f"{ends[0]} to {ends[1]}"


def score(value: float | None) -> str:
    """A score from 0 to 1; what is not zero or one is never shown as such."""
    if value is None:
        return NONE
    shown = f"{value:.2f}"
    if shown == "0.00" and value > 0:
        return "under 0.01"
    if shown == "1.00" and value < 1:
        return "over 0.99"
    return shown


def score_between(low: float | None, high: float | None) -> str:
    """An interval of scores."""
    return NONE if low is None or high is None else f"{score(low)} to {score(high)}"


def bounds(pair: tuple[float, float] | None) -> str:
    """Where a score must lie."""
    return NONE if pair is None else score_between(*pair)


def unclear(rate: Rate) -> str:
    """How many cases have no clear answer, and what they could make of the rate."""
    if not rate.unclear:
        return "0"
    if rate.bounds is None:
        return str(rate.unclear)
    return f"{rate.unclear} ({between(*rate.bounds)} either way)"


def support(rate: Rate, not_run: int = 0) -> str:
    """The weightiest support flag in words, and what stands against a low rate.

    That is how high it may be where nothing was seen; or, where cases that were due have no answer
    (unclear, or not run), what they leave open, since nobody knows how those would have come out.
    """
    first = Flag(rate.support[0])
    words_first = f"{SUPPORT[first]} (n = {rate.n})" if first is Flag.COUNT_ONLY else SUPPORT[first]
    if first in {Flag.NO_DATA, Flag.COUNT_ONLY}:
        return words_first
    if rate.upper_if_zero is not None and first is not Flag.ZERO_EVENTS:
        words_first += "; none seen"
    unanswered = rate.unclear + not_run
    if unanswered:
        cases = rate.n + unanswered
        low, high = rate.k / cases, (rate.k + unanswered) / cases
        have = "has" if unanswered == 1 else "have"
        return f"{words_first}; with the {unanswered} that {have} no answer, {between(low, high)}"
    if rate.upper_if_zero is None:
        return words_first
    return f"{words_first}; the rate may be as high as {at_most(rate.upper_if_zero)}"


def sentence(rate: Rate, noun: str = "cases") -> str:
    """A rate as a sentence without its subject: k of n, share, interval."""
    counted = f"{rate.k} of {rate.n} {noun}"
    if rate.rate is None or rate.low is None:
        return counted
    return f"{counted} ({percent(rate.rate)}, 95 % interval {between(rate.low, rate.high)})"


def overall_range(model: ModelEntry) -> str:
    """Between what the overall score must lie, whatever the transcripts without a score deserved."""
    if not model.overall.nulls:
        return NONE
    ends = [scenario.bounds or (0.0, 1.0) for scenario in model.scenarios]
    lows, highs = zip(*ends, strict=True)
    return score_between(fmean(lows), fmean(highs))


def mean_note(mean: MeanScore) -> str:
    """What stands under a mean: from how many transcripts, and how many had no score."""
    return f"n = {mean.n}, without a score {mean.nulls}"


def covered(coverage: Coverage) -> str:
    """Covered and decided shares of what was due."""
    if not coverage.eligible:
        return NONE
    return f"{share(coverage.covered)} ({share(coverage.decided)} decided)"


def words(code: str) -> str:
    """A code with underscores, as words."""
    return code.replace("_", " ")


def joined(values: tuple[str, ...]) -> str:
    """A list in a sentence."""
    return ", ".join(values) or NONE


def counted(number: int, noun: str) -> str:
    """A number with its noun."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def numbers(values: tuple[int, ...]) -> str:
    """Numbers in a sentence."""
    return ", ".join(map(str, values))


def weight(value: float) -> str:
    """How much a rubric counts among the others."""
    return f"{value:g}"


def day(value: date | None) -> str:
    """A day, or that none is known."""
    return "not known" if value is None else value.isoformat()
