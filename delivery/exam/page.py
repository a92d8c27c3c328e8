"""A report on a sitting of the exam as one HTML file: it loads nothing and needs no script."""

from __future__ import annotations

from collections.abc import Sequence

from delivery.exam.text import apart, arguable, labels, paid, rate, votes
from delivery.release.place import site_source
from delivery.report.page import tokens
from delivery.words.templates import environment
from ib.exam.rates import METHOD
from ib.models.exam.report import ExamReport


def page(report: ExamReport, others: Sequence[tuple[str, ExamReport]] = ()) -> str:
    """The report as one HTML document. `others` are all sittings beside it, by the names of their folders."""
    templates = site_source() / "site_src" / "templates"
    said = (
        environment(templates)
        .get_template("exam.html")
        .render(
            report=report,
            others=others,
            tokens=tokens(templates),
            method=METHOD,
            arguable=arguable(report),
            labels=labels(report),
            apart=" ".join(apart(report)),
            paid=paid,
            rate=rate,
            votes=votes,
        )
    )
    return said.lstrip()
