"""The text with which a reader disputes a verdict, ready to be sent: nothing is sent by the page."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import quote

from markupsafe import Markup

from delivery.release.frame import release_id
from delivery.release.place import Place
from delivery.release.view import Release, veiled
from delivery.words.numbers import words
from delivery.words.votes import votes_said
from ib.board.figures.slugs import quotes_path
from ib.models.common.base import Role
from ib.models.release.leaderboard import EvidenceItem, ModelEntry

LONGEST = 600
"""How many characters of a quote are repeated; the rest stands under the permalink."""
OPENING = "I think that this verdict is wrong."
CLOSING = "Why, and which words of the conversation show it:"


def permalink(release: Release, place: Place, model: ModelEntry, item: EvidenceItem) -> str:
    """The address of a verdict, `models/MODEL/CHECK/#CASE`; absolute if the address of the site is known."""
    address = quotes_path(model.slug, item.check_id)
    return place.absolute(f"{address}#{release.case_id(item)}")


def dispute(release: Release, place: Place, model: ModelEntry, item: EvidenceItem) -> str:
    """The text of a dispute: which verdict, with its quotes, and a place for the reader's reason.

    Quotes that a page shows only when a reader opens them are not repeated. Each line of a quote begins with
    `> `, so that no quote can pass for another line of the text.
    """
    return "\n".join((OPENING, "", *_facts(release, place, model, item), "", CLOSING, ""))


def _facts(release: Release, place: Place, model: ModelEntry, item: EvidenceItem) -> Iterator[str]:
    check, board = release.benchmark.checks[item.check_id], release.board
    title = release.background.title(item.scenario_id) or words(item.scenario_id)
    run = "" if item.epoch is None else f", run {item.epoch}"
    yield f"Permalink: {permalink(release, place, model, item)}"
    yield f"Check: {check.id} ({_line(check.name)})"
    yield f"Model: {_line(model.model)} ({_line(model.model_id)})"
    yield f"Conversation: {_line(title)} ({_line(item.scenario_id)}{run})"
    yield f"Release: {release_id(board)} of {board.released.isoformat()}"
    yield f"Verdict: {votes_said(item)}"
    quotes = [one for one in item.quotes if one.role is Role.ASSISTANT]
    if veiled(check):
        yield "Quotes: not repeated here; they stand under the permalink."
        return
    for one in quotes:
        yield f"Quote from turn {one.turn}:"
        yield from (f"> {line}" for line in _short(one.quote).split("\n"))


def _line(text: str) -> str:
    """A text on one line."""
    return " ".join(text.split())


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]} […]"


def by_mail(address: str, subject: str, text: str) -> Markup:
    """A link that opens a mail with the text. What it is made of is encoded, so that it ends nowhere."""
    body = quote(text.replace("\n", "\r\n"), safe="", errors="replace")
    return Markup("mailto:{}?subject={}&amp;body={}").format(
        quote(address, safe="@"), quote(subject, safe="", errors="replace"), body
    )
