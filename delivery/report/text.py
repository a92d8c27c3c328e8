"""A report for the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import fill

from delivery.report.shown import (
    FAILURES,
    HINT,
    HINTS,
    MARKED,
    NO_FAILURE,
    OLDER,
    Section,
    asked_parts,
    begun,
    case_basis,
    check_failed,
    conversation_name,
    first_turns,
    group_failed,
    one_line,
    passages,
    said_parts,
    sample_sentence,
    section_count,
    sections,
)
from delivery.words.counts import severity
from delivery.words.trust import report_trust
from ib.models.report.report import Case, Grouping, Report
from ib.store.files.wording import counted

MOST = 3
"""How many conversations of a check are shown with their words, and how many passages."""
TURNS = 2
"""How many quoted turns of a case are shown."""
LISTED = 12
"""How many further conversations of a check are named."""
WIDTH, ASKED, SAID = 100, 160, 240


def text(report: Report) -> str:
    """The report as lines of at most about 100 characters."""
    return "\n".join(_lines(report))


def case_lines(case: Case, *, many: bool = False) -> Iterator[str]:
    """One case: the conversation, why, and the words."""
    yield wrapped(f"{conversation_name(case, many)}: {case_basis(case)}", "  ")
    if case.older_question:
        yield wrapped(OLDER, "    ")
    turns, more = first_turns(case, TURNS)
    for turn in turns:
        if turn.asked is not None:
            yield wrapped(f"turn {turn.turn}, person: {one_line(asked_parts(turn, ASKED), _mark)}", "    ")
        yield wrapped(f"turn {turn.turn}, assistant: {one_line(said_parts(turn, SAID), _mark)}", "    ")
    if more:
        yield f"    {more}"


def _lines(report: Report) -> Iterator[str]:
    yield wrapped(f"{begun(report_trust(report))}.")
    yield from (wrapped(one) for one in report.opening)
    many = len(report.models) > 1
    told = counted(report.failures, "failure") + f" in {counted(report.roots, 'passage')}"
    if report.contested:
        told += f", {report.contested} contested"
    yield from ("", f"FAILURES: {told}. {MARKED} between » and «.", "")
    failed = sections(report, FAILURES, MOST)
    yield from _sections(failed, many) if failed else (NO_FAILURE, "")
    hints = sections(report, HINTS, MOST)
    if hints:
        yield from (f"HINTS: {counted(report.found, 'hint')}. {HINT}", "")
        yield from _sections(hints, many)
    yield from _passages(report)
    if report.grouping is not None:
        yield from _grouping(report.grouping, report)
    yield from ("NOT ASKED", "", wrapped(report.asked.sentence), "")
    yield from _rates(report)


def _sections(found: Sequence[Section], many: bool) -> Iterator[str]:
    for section in found:
        check = section.check
        yield f"{check.name} · {severity(check.severity)} · {check.check_id}"
        yield wrapped(section_count(section), "  ")
        for case in section.shown:
            yield from case_lines(case, many=many)
        if section.rest:
            named = ", ".join(conversation_name(case, many) for case in section.rest[:LISTED])
            more = "" if len(section.rest) <= LISTED else ", ..."
            yield wrapped(f"and {len(section.rest)} more: {named}{more}", "  ")
        yield ""


def _passages(report: Report) -> Iterator[str]:
    found = tuple(passages(report))
    if not found:
        return
    yield from (f"ONE PASSAGE, SEVERAL CHECKS: {len(found)}", "")
    for passage in found[:MOST]:
        yield wrapped(f"{conversation_name(passage.case)}: {'; '.join(passage.names)}", "  ")
        for turn in passage.case.turns[:1]:
            yield wrapped(f"turn {turn.turn}: {one_line(said_parts(turn, SAID), _mark)}", "    ")
    yield ""


def _grouping(grouping: Grouping, report: Report) -> Iterator[str]:
    yield from (f"BY {grouping.key}", "")
    for group in grouping.groups:
        value = "(none)" if group.value is None else group.value
        yield f"{value}: {counted(group.conversations, 'conversation')}"
        yield wrapped(f"failed in {group_failed(group, report)}", "  ")
        if group.found:
            yield f"  {counted(group.found, 'conversation')} with a hint"
        for one in group.checks[:LISTED]:
            told = f"{one.failed} failed" + (f", {one.contested} contested" if one.contested else "")
            yield f"  {report.check(one.check_id).name}: {f'{one.found} found' if one.found else told}"
    yield ""


def _rates(report: Report) -> Iterator[str]:
    yield from ("RATES of the checks that were asked", "")
    if report.sample is not None:
        yield from (wrapped(sample_sentence(report)), "")
    for check in report.checks:
        if check.asked:
            rest = f"{check.unclear} unclear, {check.not_applicable} not applicable, {check.not_run} not run"
            yield wrapped(f"{check.check_id} failed in {check_failed(check)}; {rest}")


def _mark(quote: str) -> str:
    return f"»{quote}«"


def wrapped(said: str, indent: str = "") -> str:
    """A paragraph in lines of WIDTH characters; further lines of an indented one are indented more."""
    further = f"{indent}  " if indent else ""
    return fill(
        said,
        WIDTH,
        initial_indent=indent,
        subsequent_indent=further,
        break_long_words=False,
        break_on_hyphens=False,
    )
