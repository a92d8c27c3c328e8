"""A report as one HTML file: it loads nothing, needs no script, and can be printed."""

from __future__ import annotations

import base64
from functools import lru_cache
from pathlib import Path

from markupsafe import Markup

from delivery.conversation.moments import Part, excerpt, last_sentences, marked
from delivery.release.place import site_source
from delivery.report.shown import (
    FAILURES,
    HINT,
    HINTS,
    MARKED,
    NO_FAILURE,
    OLDER,
    passages,
    sections,
)
from delivery.words import counts, numbers, trust
from delivery.words.filters import template_filter
from delivery.words.templates import environment
from ib.models.report.report import QuotedTurn, Report
from ib.stats.intervals import RATE_METHOD
from ib.store.files.wording import counted

WITH_FILTERS = (counts, numbers, trust)
"""Modules that are imported here for their filters as well."""
template_filter(counted)
MOST = 10
"""How many conversations of a check are shown with their words."""
ASKED = 900
"""About how many characters of what a person said are shown unfolded."""


def page(report: Report) -> str:
    """The report as one HTML document."""
    templates = site_source() / "site_src" / "templates"
    env = environment(templates)
    found = tuple(passages(report))
    said = env.get_template("report.html").render(
        report=report,
        title=title(report),
        many=len(report.models) > 1,
        scripted=report.open_logs == 0,
        tokens=tokens(templates),
        serif=serif(templates),
        names={check.check_id: check.name for check in report.checks},
        failed=sections(report, FAILURES, MOST),
        hints=sections(report, HINTS, MOST),
        passages=found,
        most_passages=MOST,
        gaps=_gaps(report),
        rated=[check for check in report.checks if check.asked],
        marked=MARKED,
        hint=HINT,
        older=OLDER,
        older_failed=sum(check.older for check in report.checks),
        no_failure=NO_FAILURE,
        rate_method=RATE_METHOD,
    )
    return said.lstrip()


def title(report: Report) -> str:
    """The title of a report: whose conversations it is about."""
    whose = report.models[0] if len(report.models) == 1 else f"{len(report.models)} assistants"
    return f"Conversations of {whose}: what failed"


def _gaps(report: Report) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The checks without an answer, by why."""
    searched = tuple(check.check_id for check in report.checks if check.searched and not check.asked)
    return (
        ("Asked of nobody", report.asked.not_asked),
        ("Only searched for listed phrases", searched),
        ("Without an answer on some conversations", report.asked.partly),
        ("Due on no conversation", report.asked.not_due),
    )


@lru_cache(maxsize=1)
def tokens(templates: Path) -> Markup:
    """The colors of the site, for the light and the dark scheme, from the sheet that names them."""
    css = (templates.parent / "assets" / "base.css").read_text(encoding="utf-8")
    return Markup(css.partition(":root {")[2].partition("}")[0])  # noqa: S704 - ours


@lru_cache(maxsize=1)
def serif(templates: Path) -> Markup:
    """A rule with the serif of the site, for headings and people's words."""
    font = templates.parent / "assets" / "fonts" / "serif.woff2"
    packed = base64.b64encode(font.read_bytes()).decode("ascii")
    source = f"url(data:font/woff2;base64,{packed}) format('woff2')"
    return Markup(f"@font-face {{ font-family: 'IB Serif'; src: {source}; }}")  # noqa: S704 - ours


@template_filter
def report_asked(turn: QuotedTurn) -> tuple[Part, ...]:
    """What the person had said, with the words that the verdict names marked; a long text is folded."""
    asked = turn.asked or ""
    if turn.cues:
        return excerpt(asked, turn.cues)
    return last_sentences(asked, ASKED) if len(asked) > ASKED else (Part(marked(asked, ())),)


@template_filter
def report_reply(turn: QuotedTurn) -> tuple[Part, ...]:
    """The reply with its quotes marked; what is far from them is folded."""
    return excerpt(turn.reply, turn.quotes)
