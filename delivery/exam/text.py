"""A report on a sitting of the exam, and two sittings side by side, for the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from delivery.words.numbers import NONE, between, coefficient, share
from ib.exam.rates import METHOD
from ib.models.exam.items import ExamPlan
from ib.models.exam.report import Agreement, ExamComparison, ExamRate, ExamReport, Sitting, Together
from ib.store.files.wording import counted

UNKNOWN = "Wrong labels: unknown, because no readers have judged the items; the bounds leave them out."


def text(report: ExamReport) -> str:
    """The report as lines."""
    return "\n".join(_lines(report))


def _lines(report: ExamReport) -> Iterator[str]:
    yield report.first_line
    items = f"{counted(report.items, 'item')}{arguable(report)}"
    hints = "" if report.hints else ", asked without phrase hints"
    yield f"Judge {report.judge}{hints}, seed {report.seed}, {items}; no pass mark."
    yield f"Bounds: {METHOD}."
    yield labels(report)
    yield from apart(report)
    yield ""
    yield from table(
        ("check", "sensitivity", "specificity", "right turn", "right words", "unclear"),
        (
            (one.check, rate(one.sensitivity), rate(one.specificity), rate(one.right_turn),
             rate(one.right_words), str(one.unclear))
            for one in report.checks
        ),
    )  # fmt: skip
    yield ""
    yield from table(
        ("edit", "sensitivity", "specificity", "changed by it"),
        ((one.operator, *both(one), rate(one.changed) if one.neutral else "") for one in report.operators),
    )
    yield ""
    yield f"Votes on items that must FAIL: {votes(report.misses)}."
    yield f"Votes on items that must not FAIL: {votes(report.alarms)}."
    yield f"{counted(report.refused, 'question')} refused; {paid(report)}."


def arguable(report: ExamReport) -> str:
    """How many items are in no rate."""
    return f", {report.arguable} of them arguable and in no rate" if report.arguable else ""


def labels(report: ExamReport) -> str:
    """What is known of wrong labels."""
    if report.label_error is None:
        return UNKNOWN
    why = ""
    if (read := report.readings) is not None and report.label_error == read.label_error:
        found = f"{read.disputed} of {read.read} read items disputed, upper bound"
        why = f" ({found}; readers: {'; '.join(read.readers)})"
    return f"Wrong labels: at most {share(report.label_error)} is assumed{why}, and the bounds include it."


def apart(report: ExamReport) -> Iterator[str]:
    """Disputed items and edits that are out; nothing where there are none."""
    if report.disputed.n:
        yield f"Disputed items, which are in no rate: {rate(report.disputed)} answered as built."
    out = [] if report.readings is None else [one for one in report.readings.operators if one.out]
    if out:
        named = ", ".join(f"{one.operator} in {one.bucket}" for one in out)
        yield f"Edits that are out, because readers dispute more than one of their items there: {named}."


def paid(report: ExamReport) -> str:
    """What the sitting cost."""
    unknown = report.dollars is None
    return "cost nothing, or the price is not known" if unknown else f"cost ${report.dollars:,.2f}"


def rate(one: ExamRate) -> str:
    """k of n, with the share and its bounds."""
    if one.share is None:
        return NONE
    return f"{one.k}/{one.n} {share(one.share)} ({between(one.low, one.high)})"


def both(one: Sitting) -> tuple[str, str]:
    """Sensitivity and specificity."""
    return rate(one.sensitivity), rate(one.specificity)


def votes(one: Agreement) -> str:
    """How often votes were wrong, and whether together."""
    return (
        f"{one.wrong_votes} of {one.votes} wrong, correlation within an item {coefficient(one.correlation)}"
    )


def comparison(found: ExamComparison) -> str:
    """Two judges side by side, as lines."""
    first, second = (
        name if hints else f"{name} without hints"
        for name, hints in zip(found.judges, found.hints, strict=True)
    )
    cost = " and ".join("not known" if one is None else f"${one:,.2f}" for one in found.dollars)
    return "\n".join(
        [
            found.first_line,
            f"{first} (A) and {second} (B), cost {cost}; error left: of the items on which both agree, "
            "those that both got wrong.",
            "",
            *table(
                (
                    "check",
                    "wrong A",
                    "wrong B",
                    "both",
                    "alarms A",
                    "alarms B",
                    "correlation",
                    "agreed",
                    "error left",
                ),
                map(_together, found.checks),
            ),
            *_hinted(found),
        ]
    )


def _together(one: Together) -> tuple[str, ...]:
    numbers = (*(f"{k}/{one.items}" for k in one.wrong), str(one.both_wrong))
    alarms = tuple(f"{k}/{one.must_not_fail}" for k in one.alarms)
    return (
        one.check or "all",
        *numbers,
        *alarms,
        coefficient(one.correlation),
        rate(one.agreed),
        rate(one.left),
    )


def _hinted(found: ExamComparison) -> Iterator[str]:
    """Where phrase hints raise false alarms, if the sittings differ in them alone."""
    if found.judges[0] != found.judges[1] or found.hints[0] is found.hints[1]:
        return
    first = 0 if found.hints[0] else 1
    yield ""
    for one in found.hinted:
        told = f"{one.alarms[first]} with hints, {one.alarms[1 - first]} without"
        yield f"Phrase hints raise false alarms in {one.check}: {told}, of {one.must_not_fail}."
    if not found.hinted:
        yield "Phrase hints raise false alarms in no check."


def planned(plan: ExamPlan) -> str:
    """How many items each check has."""
    rows = (
        (one.check, "gate" if one.gate else "", str(one.must_fail), str(one.must_not_fail), str(one.arguable),
         str(one.disputed), str(one.bases), f"{one.wanted}")
        for one in plan.checks
    )  # fmt: skip
    heads = ("check", "", "must fail", "must not", "arguable", "disputed", "base texts", "wanted")
    return "\n".join(table(heads, rows))


def sittings(reports: Sequence[tuple[str, ExamReport]]) -> str:
    """Every sitting in one line each."""
    rows = (
        (name, one.judge, one.seed, one.items_hash[:8], str(one.items), paid(one)) for name, one in reports
    )
    return "\n".join(table(("folder", "judge", "seed", "items", "number", "cost"), rows))


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Columns that are as wide as their widest cell."""
    every = [heads, *rows]
    widths = [max(len(row[column]) for row in every) for column in range(len(heads))]
    for row in every:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
