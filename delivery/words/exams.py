"""Figures of sittings of the exam for judges, in words."""

from __future__ import annotations

from delivery.words.filters import template_filter
from delivery.words.numbers import NONE, between, coefficient, share
from ib.models.exam.report import Agreement, ExamRate, ExamReport


@template_filter
def exam_rate(one: ExamRate) -> str:
    """k of n."""
    return f"{one.k} of {one.n}" if one.n else NONE


@template_filter
def exam_bounds(one: ExamRate) -> str:
    """The share with its bounds."""
    return f"{share(one.share)} ({between(one.low, one.high)})"


@template_filter
def exam_in_words(one: ExamRate) -> str:
    """k of n with the share and its bounds."""
    return f"{exam_rate(one)}, {exam_bounds(one)}" if one.n else "no item"


@template_filter
def exam_cost(report: ExamReport) -> str:
    """What a sitting cost."""
    return "not known, or $0.00" if report.dollars is None else f"${report.dollars:,.2f}"


@template_filter
def exam_votes(one: Agreement) -> str:
    """How often votes were wrong, and whether together."""
    told = f"{one.wrong_votes} of {one.votes} wrong"
    return f"{told}, correlation within an item {coefficient(one.correlation)}"


@template_filter
def exam_labels(report: ExamReport) -> str:
    """What is known of items with a wrong label."""
    if report.label_error is None:
        return "How many items have a wrong label is unknown, because no readers have judged them."
    read = report.readings
    if read is None or report.label_error != read.label_error:
        return f"At most {share(report.label_error)} of the items are taken to have a wrong label."
    return (
        f"Readers ({'; '.join(read.readers)}) dispute {read.disputed} of {read.read} items that they judged. "
        f"The upper bound, {share(report.label_error)}, is the share of wrong labels that widens all bounds."
    )


@template_filter
def exam_apart(report: ExamReport) -> str:
    """Items that are in no rate, and edits that are out."""
    told = [f"{report.arguable} items can be argued about and are in no rate."] if report.arguable else []
    if report.disputed.n:
        told.append(f"Of {report.disputed.n} disputed items, {report.disputed.k} were answered as built.")
    out = [] if report.readings is None else [one for one in report.readings.operators if one.out]
    if out:
        named = ", ".join(f"{one.operator} in {one.bucket}" for one in out)
        told.append(f"Edits that are out, because readers dispute several of their items: {named}.")
    return " ".join(told)


@template_filter
def exam_moved(report: ExamReport) -> str:
    """The edits that should change nothing, and changed an answer."""
    moved = [one for one in report.operators if one.neutral and one.changed.k]
    if not moved:
        return "No edit that should change nothing changed an answer."
    named = "; ".join(f"{one.operator} {exam_rate(one.changed)}" for one in moved)
    return f"Edits that should change nothing, and did: {named}."
