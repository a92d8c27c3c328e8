"""The list of checks, and the page of each check."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from delivery.conversation.moments import Side, exchange
from delivery.figures.dots import dots
from delivery.figures.heat import heatmap
from delivery.figures.profile import blindspot
from delivery.pages.page import Page
from delivery.release.view import Release, entries, veiled
from delivery.words.measured import pilot, precision, unseen
from ib.models.benchmark.check import Check
from ib.models.common.base import BUCKET_NAMES, Bucket, Verdict
from ib.models.release.leaderboard import CheckEntry, CheckSummary, EvidenceItem, ModelEntry
from ib.models.scan.second import ComparedCheck

Result = tuple[ModelEntry, CheckEntry, tuple[EvidenceItem, ...]]
"""A model with its counts and its evidence on one check."""
Group = tuple[Bucket, str, list[tuple[Check, CheckSummary | None]]]


def pages(release: Release) -> Iterator[Page]:
    """The pages of all checks of the benchmark."""
    view: dict[str, object] = {"groups": _groups(release)}
    if not release.board.open_logs:
        view |= {"heat": heatmap(release), "dots": dots(release)}
    yield Page("checks/index.md", "checks.html", "Checks", view)
    for check in release.benchmark.checks.values():
        yield _check(release, check)


def _groups(release: Release) -> list[Group]:
    summaries = release.summaries
    groups = []
    for bucket in Bucket:
        checks = release.checks(bucket)
        groups.append((bucket, BUCKET_NAMES[bucket], [(one, summaries.get(one.id)) for one in checks]))
    return groups


def _check(release: Release, check: Check) -> Page:
    results = [
        (model, entry, release.items(model).get(check.id, ()))
        for model in release.models
        if (entry := entries(model).get(check.id))
    ]
    lexicon = release.benchmark.lexicons.get(check.routing.lexicon or "")
    summary = release.summaries.get(check.id)
    view: dict[str, object] = {
        "check": check,
        "summary": summary,
        "results": results,
        "drawn": () if release.board.open_logs else _drawn(release, check, results),
        "failure": None if release.board.open_logs or veiled(check) else _example(release, results),
        "flag": summary.flag if summary else None,
        "lexicon": lexicon,
        "precision": precision(release.benchmark, lexicon),
        "unseen": unseen(release.benchmark, check),
        "pilot": pilot(release.benchmark, check),
        "reasons": [n.reason for n in release.board.not_evaluated if n.check_id == check.id],
        "second": _second(release, check),
        "sat": [(one, row) for one in release.sittings if (row := one.of_check(check.id)) is not None],
    }
    return Page(f"checks/{check.id}.md", "check.html", f"{check.id}: {check.name}", view)


def _drawn(release: Release, check: Check, results: Sequence[Result]) -> list[tuple[object, ...]]:
    """Each model with a case of the check: its dot, and whether a page has its words."""
    return [
        (model, blindspot(release, model, check, entry), bool(quoted))
        for model, entry, quoted in results
        if entry.failures.n
    ]


@dataclass(frozen=True)
class Example:
    """One failure of a check in words."""

    model: ModelEntry
    item: EvidenceItem
    turn: int
    side: Side


def _example(release: Release, results: Sequence[Result]) -> Example | None:
    """The first failure by most votes whose transcript the release carries."""
    for model, _, items in results:
        for item in items:
            transcript = release.transcript(model, item.scenario_id, item.epoch)
            if transcript is None or item.contested or item.verdict is not Verdict.FAIL:
                continue
            if found := exchange(item, transcript):
                return Example(model, item, *found)
    return None


def _second(release: Release, check: Check) -> ComparedCheck | None:
    """What a second judge said on a check; None if it was not asked."""
    second = release.board.second_judge
    compared = () if second is None else second.checks
    return next((one for one in compared if one.check_id == check.id), None)
