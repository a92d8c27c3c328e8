"""What every format of a report shows: its sections, and each case in words."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from itertools import groupby

from delivery.conversation.moments import Part, around, last_sentences
from delivery.words.filters import template_filter
from delivery.words.numbers import NONE, fine_percent, sentence, support
from delivery.words.votes import votes_for
from ib.models.report.report import Case, CaseKind, Group, QuotedTurn, Report, ReportedCheck, WholeRate
from ib.models.scan.rates import Rate, half_decided
from ib.store.files.wording import counted

FAILURES = (CaseKind.FAILED, CaseKind.CONTESTED)
HINTS = (CaseKind.FOUND,)
HINT = "A listed phrase was found; nobody judged it."
OLDER = "The votes answer an older wording of the question."
NO_FAILURE = "No check that was asked has a failure. That does not show that there is none."
MARKED = "Words on which a verdict rests are"
CUT = "[...]"
"""Stands for words that were left out."""


@dataclass(frozen=True)
class Section:
    """The cases of one check, of which the first are shown with their words."""

    check: ReportedCheck
    cases: tuple[Case, ...]
    most: int

    @property
    def anchor(self) -> str:
        """The id of the section on a page."""
        return f"{self.cases[0].kind.value}-{self.check.check_id}"

    @property
    def shown(self) -> tuple[Case, ...]:
        """The cases that are shown with their words."""
        return self.cases[: self.most]

    @property
    def rest(self) -> tuple[Case, ...]:
        """The cases that are only listed."""
        return self.cases[self.most :]


def sections(report: Report, kinds: Collection[CaseKind], most: int) -> tuple[Section, ...]:
    """The cases of some kinds by check, gravest first. `most` of each check are shown with their words."""
    cases = sorted((case for case in report.cases if case.kind in kinds), key=_place(report))
    return tuple(
        Section(report.check(check_id), tuple(group), most)
        for check_id, group in groupby(cases, key=lambda case: case.check_id)
    )


def _place(report: Report) -> Callable[[Case], int]:
    places = {check.check_id: at for at, check in enumerate(report.checks)}
    return lambda case: places[case.check_id]


@dataclass(frozen=True)
class Passage:
    """Words of one conversation that failed several checks."""

    case: Case
    """The gravest of the failures."""
    names: tuple[str, ...]
    """The names of all checks that failed on the words."""


def passages(report: Report) -> Iterator[Passage]:
    """The passages that failed several checks, gravest first: each is one root of several failures."""
    seen: set[tuple[object, ...]] = set()
    for case in report.cases:
        checks = frozenset((case.check_id, *case.same_words))
        key = (case.model_id, case.scenario_id, case.epoch, checks)
        if case.kind in FAILURES and case.same_words and key not in seen:
            seen.add(key)
            yield Passage(case, tuple(report.check(one).name for one in (case.check_id, *case.same_words)))


@template_filter
def case_basis(case: Case) -> str:
    """Why a case is in the report: votes, a rule, or a phrase. A sentence without its full stop."""
    if case.kind is CaseKind.FOUND:
        lexicons = dict.fromkeys(phrase.partition("/")[0] for phrase in case.phrases)
        return f"a phrase of {', '.join(lexicons)} was found; nobody judged it"
    said = votes_for(case.votes_for, case.votes_asked, case.scorer)
    code = "" if case.rationale_code is None else f": {case.rationale_code.replace('_', ' ')}"
    return said + (" (contested)" if case.kind is CaseKind.CONTESTED else "") + code


@template_filter
def check_failed(check: ReportedCheck, which: str = " with a clear answer") -> str:
    """In how many conversations a check failed, with the rate: of a sample, that of all logs.

    `which` follows the noun.
    """
    if check.whole is None:
        return sentence(check.failures, "conversation", which, check.not_run)
    return f"{sampled_count(check.failures)}; of all logs {whole_words(check.whole)}"


@template_filter
def whole_support(check: ReportedCheck) -> str:
    """How far a rate can be relied on; of a sample, the interval says it."""
    return support(check.failures, check.not_run) if check.whole is None else NONE


def sampled_count(rate: Rate) -> str:
    """Failures of the cases with a clear answer, which are no rate of the logs."""
    return f"{rate.k} of {counted(rate.n, 'sampled conversation')} with a clear answer"


def whole_words(whole: WholeRate) -> str:
    """The rate of all logs, or why there is none."""
    either = "" if whole.bounds is None else f"; counting the undecided either way {_fine(*whole.bounds)}"
    if whole.rate is not None and whole.low is not None and whole.high is not None:
        said = f"an estimated {fine_percent(whole.rate)} (95% interval {_fine(whole.low, whole.high)})"
        known = whole.false_alarms
        alarms = "" if known is None else f", false alarms of the judge at most {fine_percent(known)}"
        return said + alarms + either
    most = "" if whole.at_most is None else f", at most {fine_percent(whole.at_most)} (95% interval)"
    return f"no estimate ({whole.reason}){most}{either}"


def _fine(low: float, high: float) -> str:
    return f"{fine_percent(low)} to {fine_percent(high)}"


@template_filter
def sample_sentence(report: Report) -> str:
    """What the rates of a report on a sample are; empty for other reports."""
    sample = report.sample
    if sample is None:
        return ""
    whose = "take conversations as independent" if sample.cluster is None else f"are by {sample.cluster}"
    bounds = [one.whole.false_alarms for one in report.checks if one.asked and one.whole is not None]
    unknown, alarms = bounds.count(None), ""
    if unknown:
        alarms = (
            f" How often the judge raises false alarms is not known for {counted(unknown, 'check')}: their "
            "rates are of what it calls a failure."
        )
    return (
        f"Rates are of all {sample.conversations:,} conversations, estimated from {sample.n:,} that were "
        f"drawn with known probabilities (strata: {', '.join(sample.strata)}; seed {sample.seed}). Intervals "
        f"{whose}.{alarms}"
    )


@template_filter
def section_count(section: Section) -> str:
    """How many conversations of a section failed or were found, with the rate if it may be shown."""
    check = section.check
    if section.cases[0].kind is CaseKind.FOUND:
        return f"Found in {counted(check.found, 'conversation')} of {check.searched:,} that were searched"
    contested = f"; {check.contested} of the failures contested" if check.contested else ""
    return f"Failed in {check_failed(check)}{contested}"


@template_filter
def group_failed(group: Group, report: Report) -> str:
    """In how many conversations of a group a check failed.

    With a rate only if at least half of the checks were asked: "0%" over two checks would reassure about all
    others.
    """
    asked, total = report.asked.asked, report.asked.total
    if group.whole is not None:
        checks = f" ({asked} of {total} checks were asked)"
        return f"{sampled_count(group.failed)}{checks}; of all logs {whole_words(group.whole)}"
    if half_decided(asked, total - asked):
        return sentence(group.failed, "conversation", " with an answer")
    of = counted(group.failed.n, "conversation")
    return (
        f"{group.failed.k} of {of} in which a check has a clear answer ({asked} of {total} checks were asked)"
    )


@template_filter
def conversation_name(case: Case, many: bool = False) -> str:
    """What a reader looks a conversation up by; with the model if the report has `many`."""
    run = "" if case.epoch is None else f", play {case.epoch}"
    return f"{case.log}{run}" + (f" · {case.model_id}" if many else "")


@template_filter
def meta_words(case: Case) -> str:
    """The metadata of a conversation in one line; a dash if there is none."""
    return ", ".join(f"{key} {value}" for key, value in case.meta.items()) or NONE


@template_filter
def begun(said: str) -> str:
    """The text with a capital first letter; the rest stays as it is."""
    return said[:1].upper() + said[1:]


def asked_parts(turn: QuotedTurn, most: int) -> tuple[Part, ...]:
    """What the person had said: around the words that the verdict names, else the last sentences."""
    if turn.asked is None:
        return ()
    return around(turn.asked, turn.cues, most) if turn.cues else last_sentences(turn.asked, most)


def said_parts(turn: QuotedTurn, most: int) -> tuple[Part, ...]:
    """The reply around its first quote."""
    return around(turn.reply, turn.quotes, most)


def first_turns(case: Case, most: int) -> tuple[tuple[QuotedTurn, ...], str]:
    """The first quoted turns of a case, and how many more there are in words; empty if there are none."""
    rest = len(case.turns) - most
    return case.turns[:most], f"and {counted(rest, 'more turn')}" if rest > 0 else ""


def one_line(parts: tuple[Part, ...], mark: Callable[[str], str], plain: Callable[[str], str] = str) -> str:
    """The shown parts of a message in one line, with a mark for each part that is left out.

    `mark` writes quoted words, and `plain` all others.
    """
    written = (
        CUT
        if part.folded
        else "".join((mark if piece.quoted else plain)(piece.text) for piece in part.pieces)
        for part in parts
    )
    return " ".join(" ".join(written).split())
