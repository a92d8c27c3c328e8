"""How a verdict came about, as text: what the votes of the judge said, and why."""

from __future__ import annotations

from collections import Counter

from delivery.words.codes import VERDICT
from delivery.words.filters import template_filter
from delivery.words.numbers import words
from delivery.words.trust import older_item
from ib.models.common.base import Verdict
from ib.models.release.leaderboard import EvidenceItem

DECIDED = {"lexicon": "a listed phrase decided", "rule": "a rule decided"}


@template_filter
def votes_said(item: EvidenceItem) -> str:
    """How many votes of the judge said what, or what decided in place of a judge; and on what question."""
    older = older_item(item)
    return f"{_said(item)}; {older}" if older else _said(item)


def _said(item: EvidenceItem) -> str:
    if item.verdict is None:
        return f"a phrase of the lexicon {_lexicons(item)} was found, and no judge read it"
    if not item.votes_asked or item.verdict is Verdict.FAIL or not item.votes:
        said = votes_for(item.votes_for, item.votes_asked, item.scorer, item.verdict)
        return f"{said} (contested)" if item.contested else said
    counts = Counter(VERDICT[vote.verdict] for vote in item.votes if vote.verdict is not None)
    lost = len(item.votes) - counts.total()
    listed = [f"{count} said {verdict}" for verdict, count in counts.most_common()]
    listed += [f"{lost} did not count"] if lost else []
    return f"of {_votes(len(item.votes))}, {', '.join(listed)}; the verdict is {VERDICT[item.verdict]}"


def votes_for(number: int, asked: int, scorer: str, verdict: Verdict = Verdict.FAIL) -> str:
    """How many of the votes asked said the verdict, or what decided if no judge was asked."""
    if not asked:
        return DECIDED.get(scorer, f"decided by {scorer}")
    return f"{number} of {_votes(asked)} said {VERDICT[verdict]}"


def _lexicons(item: EvidenceItem) -> str:
    """The lexicons that found the quotes of an item."""
    names = (quote.pattern.partition("/")[0] for quote in item.quotes if quote.pattern is not None)
    return " and ".join(words(name) for name in dict.fromkeys(names))


def _votes(number: int) -> str:
    return "1 judge vote" if number == 1 else f"{number} judge votes"


@template_filter
def reasons(item: EvidenceItem) -> tuple[tuple[str, str], ...]:
    """The reasons that votes gave, each with the verdict and the number of votes that gave it."""
    given = Counter(
        (VERDICT[vote.verdict], vote.rationale_code)
        for vote in item.votes
        if vote.verdict is not None and vote.rationale_code is not None
    )
    if given:
        return tuple(
            (f"{verdict}, {_times(count)}", words(code)) for (verdict, code), count in given.most_common()
        )
    if item.rationale_code is None or item.verdict is None:
        return ()
    return ((VERDICT[item.verdict], words(item.rationale_code)),)


def _times(count: int) -> str:
    return "1 vote" if count == 1 else f"{count} votes"
