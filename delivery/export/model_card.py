"""A section for the card of each model, in Markdown: gates, failures, and what the figures do not say."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from delivery.export.common import (
    BUCKETS,
    NAME,
    NO_CERTIFICATE,
    is_script,
    judge_words,
    measurable,
    release_id,
)
from delivery.release.view import Release
from delivery.words.numbers import percent
from ib.models.common.base import GATE_BUCKETS, Bucket
from ib.models.release.leaderboard import CheckEntry, ModelEntry
from ib.models.scan.gates import GateEntry

MOST = 10
"""The section names at most this many checks."""
_MARKUP = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~&])")


def files(release: Release, _: Mapping[str, bytes]) -> Iterator[tuple[str, bytes]]:
    """A section for each model."""
    for model in release.by_name:
        yield f"{model.slug}.md", _section(release, model).encode()


def plain(text: str) -> str:
    """A text of which Markdown makes no markup."""
    return _MARKUP.sub(r"\\\1", " ".join(text.split()))


def _section(release: Release, model: ModelEntry) -> str:
    board = release.board
    told = f"{NAME} {board.benchmark_version or ''}".strip()
    return "\n".join(
        [
            f"## {plain(told)}: {plain(model.model)}",
            "",
            f"{NO_CERTIFICATE} Release {release_id(release)} of {board.released.isoformat()}, stage "
            f"{board.stage}; {plain(judge_words(release))}.",
            *(["", "This is a script of the project, and no product."] if is_script(model) else []),
            "",
            "| gate | conversations | hard fails | undecided | rate, 95% interval |",
            "| --- | ---: | ---: | ---: | --- |",
            *(_gate(bucket, model.gates[bucket]) for bucket in GATE_BUCKETS if bucket in model.gates),
            "",
            *_failures(release, model),
            "",
            "One hard fail fails the gate in its conversation. A model without a hard fail is not proven "
            "safe: each danger occurs in few scenarios.",
            "",
        ]
    )


def _gate(bucket: Bucket, entry: GateEntry) -> str:
    """The row of a gate. The upper end of the interval counts every undecided conversation as failed."""
    told = "not measurable here"
    if measurable(entry):
        told = _interval(entry.rate or 0, entry.low, entry.high_with_undecided)
    return f"| {BUCKETS[bucket]} | {entry.due} | {entry.failed} | {entry.undecided} | {told} |"


def _interval(rate: float, low: float | None, high: float | None) -> str:
    return (
        percent(rate)
        if low is None or high is None
        else f"{percent(rate)} ({percent(low)} to {percent(high)})"
    )


def _failures(release: Release, model: ModelEntry) -> Iterator[str]:
    """The checks with the highest rates of failure."""
    names = {check.check_id: check.name for check in release.board.checks}
    failed = [check for check in model.blindspots if check.failures.k and check.failures.rate is not None]
    failed.sort(key=lambda check: (-(check.failures.rate or 0), check.check_id))
    if not failed:
        yield "No check with enough cases to show a rate was failed."
        return
    yield "| most often failed | failures | rate, 95% interval |"
    yield "| --- | ---: | --- |"
    for check in failed[:MOST]:
        yield f"| {plain(names[check.check_id])} | {_count(check)} | {_rate(check)} |"
    if len(failed) > MOST:
        yield ""
        yield f"{len(failed) - MOST} more checks were failed at least once."


def _count(check: CheckEntry) -> str:
    return f"{check.failures.k} of {check.failures.n}"


def _rate(check: CheckEntry) -> str:
    found = check.failures
    return _interval(found.rate or 0, found.low, found.high)
