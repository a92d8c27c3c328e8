"""The files that a release was made from, as the page about its data names them."""

from __future__ import annotations

from delivery.release.view import Release
from ib.models.release.source import BENCHMARK, CONTRADICTIONS, CONVERSATIONS, EXAMS, GAP, PLAN, REVIEWS

SOURCE = {
    PLAN: "the plan of the scan, packed",
    BENCHMARK: "the benchmark that the release was judged by, packed",
    CONVERSATIONS: "every conversation with every reply of the judges, or votes alone where words are "
    "withheld, packed; with these three files, ib verify computes the whole release again",
    CONTRADICTIONS: "recorded verdicts that their own votes do not give, packed",
    GAP: "the verdicts of a private draw, to which the gap of each model was computed, packed",
    EXAMS: "what judges answered in the exam, item by item, packed",
    REVIEWS: "what people said of verdicts, packed",
}
"""What is in each file that a release was made from."""


def source(release: Release) -> list[tuple[str, str]]:
    """The files that the release was made from, each with what is in it."""
    return [(name, SOURCE[name]) for name in release.source]
