"""A report in Markdown, short enough for the summary of a build.

Model text stands in blocks of HTML, where Markdown finds no syntax, and is escaped.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

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
    said_parts,
    sample_sentence,
    section_count,
    sections,
)
from delivery.words.counts import severity
from delivery.words.escape import entity
from delivery.words.trust import report_trust
from ib.models.report.report import Case, Grouping, Report
from ib.models.report.threshold import Outcome
from ib.store.files.wording import counted

MOST = 2
"""How many conversations of a check are shown with their words."""
TURNS = 2
"""How many quoted turns of a case are shown."""
LISTED = 20
ASKED, SAID = 200, 300


def markdown(report: Report, outcomes: Sequence[Outcome] = ()) -> str:
    """The report in Markdown. Its size grows with the number of checks, not with that of conversations."""
    return "\n".join(_lines(report, outcomes)) + "\n"


def _lines(report: Report, outcomes: Sequence[Outcome]) -> Iterator[str]:
    yield from ("## InvisibleBench report", "", f"*{entity(begun(report_trust(report)))}.*", "")
    if outcomes:
        yield from (*outcome_lines(outcomes), "")
    for one in report.opening:
        yield from (entity(one), "")
    many = len(report.models) > 1
    contested = f", {report.contested} contested" if report.contested else ""
    told = f"{counted(report.failures, 'failure')} in {counted(report.roots, 'passage')}{contested}"
    yield from (f"### Failures: {told}", "")
    failed = sections(report, FAILURES, MOST)
    if failed:
        yield from (f"{MARKED} in bold.", "", *_sections(failed, many))
    else:
        yield from (NO_FAILURE, "")
    hints = sections(report, HINTS, MOST)
    if hints:
        yield from (f"### Hints: {counted(report.found, 'hint')}", "", HINT, "", *_sections(hints, many))
    if report.grouping is not None:
        yield from _grouping(report.grouping, report)
    yield from ("### Not asked", "", entity(report.asked.sentence), "")
    yield from _rates(report)


def outcome_lines(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """What each threshold of the gate for builds came to, as a list."""
    failed = any(one.tripped or one.not_asked for one in outcomes)
    yield from (f"**The build {'fails' if failed else 'passes'}.**", "")
    for one in outcomes:
        yield f"- {'**fails:** ' if one.tripped or one.not_asked else ''}{entity(one.said)}"


def _sections(found: Sequence[Section], many: bool) -> Iterator[str]:
    for section in found:
        check = section.check
        yield f"#### {entity(check.name)}"
        yield from ("", f"{severity(check.severity)} · `{check.check_id}` · {section_count(section)}.", "")
        for case in section.shown:
            yield from (*case_block(case, many=many), "")
        if section.rest:
            named = ", ".join(conversation_name(case, many) for case in section.rest[:LISTED])
            more = "" if len(section.rest) <= LISTED else ", ..."
            yield from (f"And {len(section.rest)} more: {entity(named)}{more}", "")


def case_block(case: Case, *, many: bool = False) -> Iterator[str]:
    """One case as a block of HTML, without an empty line, so that nothing in it is read as Markdown."""
    older = f" {OLDER}" if case.older_question else ""
    yield f"<p><b>{entity(conversation_name(case, many))}</b>: {entity(case_basis(case))}.{older}</p>"
    turns, more = first_turns(case, TURNS)
    for turn in turns:
        if turn.asked is not None:
            asked = one_line(asked_parts(turn, ASKED), _bold, entity)
            yield f"<blockquote>Person, turn {turn.turn}: {asked}</blockquote>"
        said = one_line(said_parts(turn, SAID), _bold, entity)
        yield f"<blockquote>Assistant, turn {turn.turn}: {said}</blockquote>"
    if more:
        yield f"<p>{more}</p>"


def _bold(quote: str) -> str:
    return f"<b>{entity(quote)}</b>"


def _grouping(grouping: Grouping, report: Report) -> Iterator[str]:
    yield from (f"### By {entity(grouping.key)}", "")
    yield "| value | conversations | failed | hints | gravest |"
    yield "| --- | ---: | --- | ---: | --- |"
    for group in grouping.groups:
        value = "(none)" if group.value is None else entity(group.value)
        failed = group_failed(group, report)
        gravest = entity(report.check(group.checks[0].check_id).name) if group.checks else "–"
        yield f"| {value} | {group.conversations} | {failed} | {group.found} | {gravest} |"
    yield ""


def _rates(report: Report) -> Iterator[str]:
    asked = [check for check in report.checks if check.asked]
    if not asked:
        return
    yield from ("### Rates of the checks that were asked", "")
    if report.sample is not None:
        yield from (entity(sample_sentence(report)), "")
    yield "| check | failed | contested | unclear | not applicable | not run |"
    yield "| --- | --- | ---: | ---: | ---: | ---: |"
    for check in asked:
        counts = (check.contested, check.unclear, check.not_applicable, check.not_run)
        yield f"| {entity(check.name)} | {check_failed(check)} | {' | '.join(map(str, counts))} |"
