"""The long lists for auditors: a page for each, folded by model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from delivery.pages.page import Page
from delivery.release.view import Release
from ib.models.release.leaderboard import RecordContradiction, VoidedVote
from ib.models.scan.gates import OpenGate

Item = OpenGate | RecordContradiction | VoidedVote


@dataclass(frozen=True)
class AuditList:
    """One list, which may be empty."""

    name: str
    """The last part of the address of its page."""
    title: str
    what: str
    heads: tuple[str, ...]
    """The names of the columns after scenario and check."""
    items: Sequence[Item]
    names: dict[str, str]
    """The name of each model by its id."""

    @property
    def by_model(self) -> list[tuple[str, list[Item]]]:
        """The items of each model, in the order of names; a model without items is left out."""
        found: dict[str, list[Item]] = {}
        for item in self.items:
            found.setdefault(self.names.get(item.model_id, item.model_id), []).append(item)
        return sorted(found.items(), key=lambda one: one[0].casefold())


def lists(release: Release) -> tuple[AuditList, ...]:
    """Every list, the empty ones too."""
    board = release.board
    names = {model.model_id: model.model for model in release.models}
    return (
        AuditList(
            "open-gates",
            "Open gate questions",
            "Gate verdicts that are still open. Do not treat them as settled.",
            ("Verdict", "Votes", "Why it is open"),
            board.open_gates,
            names,
        ),
        AuditList(
            "contradictions",
            "Records that contradict their own votes",
            "In each case, the votes were used.",
            ("Recorded", "Votes", "Votes say", "Published"),
            board.record_contradictions,
            names,
        ),
        AuditList(
            "voided-votes",
            "Fail votes that do not count",
            "The quotes of these votes were not found in the transcript.",
            ("Votes not counted", "Published"),
            board.voided_votes,
            names,
        ),
    )


REVIEWS = "methodology/reviews.md"


def pages(release: Release) -> Iterator[Page]:
    """A page for each list that is not empty, and one for reviews by people. The search finds each by its
    title."""
    if release.board.reviews is not None:
        names = {model.model_id: model.model for model in release.models}
        reviewed = {"reviews": release.board.reviews, "names": names}
        yield Page(REVIEWS, "reviews.html", "What people reviewed", reviewed, search=False, by_title=True)
    for one in lists(release):
        if one.items:
            view = {"list": one}
            yield Page(
                f"methodology/{one.name}.md", "audit.html", one.title, view, search=False, by_title=True
            )
