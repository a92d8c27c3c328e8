"""Whether what a source states of a withheld conversation fits together.

Verdicts must follow from votes, the score from verdicts, and the published evidence from both.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, zip_longest
from typing import Any

from ib.board.evidence.withheld import code
from ib.engine.scoring import score
from ib.engine.votes.voting import combine, tally
from ib.models.benchmark.benchmark import Benchmark
from ib.models.common.base import State
from ib.models.release.leaderboard import EvidenceItem
from ib.models.release.pairs import AlarmItem
from ib.models.scan.result import Judged, TranscriptResult


def problems(result: TranscriptResult, benchmark: Benchmark, *, judged: bool) -> Iterator[str]:
    """What does not follow. `judged` is False for a scan without a judge."""
    if tuple(row.mode_id for row in result.rows) != tuple(benchmark.checks):
        yield "there is not one row for each check"
        return
    for row in result.rows:
        if row.state is State.JUDGED:
            yield from _of_row(row, benchmark)
    if score(result.rows, benchmark.scoring, result.category, judged=judged) != result.score:
        yield "the score does not follow from the verdicts"


def _of_row(row: Judged, benchmark: Benchmark) -> Iterator[str]:
    """What does not follow in one row. What people decided stands for what the votes say."""
    check = benchmark.checks[row.mode_id]
    if (row.severity, row.primary_bucket, row.gate) != (check.severity, check.bucket, check.gate):
        yield f"{row.mode_id}: severity, dimension or gate is not that of the check"
    cast = [tuple(votes) for _, votes in groupby(row.votes, key=lambda vote: (vote.phase, vote.window))]
    if not cast:
        return
    for window, votes in zip_longest(row.windows, cast):
        if window is None or votes is None or len(votes) > window.asked:
            yield f"{row.mode_id}: the votes do not fit the windows"
            return
        said = tally([vote.verdict for vote in votes], window.asked, check.routing.aggregation)
        if said.verdict is not window.verdict:
            yield f"{row.mode_id}: the votes on turns {window.first} to {window.last} say {said.verdict}"
    verdict = row.verdict if row.decided is None else row.decided.was.verdict
    if combine([window.verdict for window in row.windows]) is not verdict:
        yield f"{row.mode_id}: {verdict} does not follow from its windows"


def same_evidence(
    published: Iterable[EvidenceItem | AlarmItem], stated: Iterable[EvidenceItem | AlarmItem]
) -> bool:
    """True if the evidence of a conversation is that of its stated results, whatever the words are."""
    return [_bare(one) for one in published] == [_bare(one) for one in stated]


def _bare(item: EvidenceItem | AlarmItem) -> dict[str, Any]:
    """An item without its words and their places, which move if a word is withheld."""
    document = item.model_dump(mode="json")
    quotes: Sequence[dict[str, Any]] = document.pop("quotes")
    document["quotes"] = [(quote.get("role"), quote["turn"], quote.get("pattern")) for quote in quotes]
    for one in (document, *document.get("votes", ())):
        if "rationale_code" in one:
            one["rationale_code"] = code(one["rationale_code"])
    if document.get("decided"):
        document["decided"]["reason"] = ""
        if document["decided"].get("dispute"):
            document["decided"]["dispute"]["reason"] = ""
    return document
