"""Tables of what compares models, checks and scenarios: findings, pairs, contrasts, the heatmap."""

from __future__ import annotations

from collections.abc import Iterator

from delivery.figures.cells import Cells, every_field, rate_cells, who
from delivery.figures.heat import step
from delivery.release.view import Release
from ib.models.common.base import GATE_BUCKETS
from ib.models.release.comparisons import PairedDifference


def findings(release: Release) -> Iterator[Cells]:
    """Every number of every finding, one row per number."""
    for number, one in enumerate(release.board.findings, 1):
        for name, value in every_field(one).items():
            if name != "kind":
                yield {"finding": number, "kind": one.kind, "name": name, "value": value}


def heatmap(release: Release) -> Iterator[Cells]:
    """The heatmap in long form; `step` is the step of the color, from 0 to 5."""
    checks = release.benchmark.checks
    for model in release.by_name:
        for entry in model.blindspots:
            rate, check = entry.failures, checks[entry.check_id]
            yield {
                **who(model),
                "check_id": check.id,
                "check": check.name,
                "dimension": check.bucket,
                "severity": check.severity,
                "gate": check.gate,
                **rate_cells("failures", rate),
                "not_run": entry.not_run,
                "contested": entry.contested,
                "no_phrase_found": entry.no_phrase_found,
                "found": entry.found,
                "searched": entry.searched,
                "older_questions": entry.older_questions,
                "step": step(rate.k / rate.n) if rate.n else None,
            }


_OF_INDEPENDENT_CASES = ("low", "high", "exact_low", "exact_high", "upper_if_zero", "support")


def checks(release: Release) -> Iterator[Cells]:
    """Every check over all models.

    The interval of a rate of one model is not given for all together: it takes cases as independent.
    """
    for summary in release.board.checks:
        told = every_field(summary.model_copy(update={"split_votes": None}))
        for left_out in ("split_votes", *(f"failures_{name}" for name in _OF_INDEPENDENT_CASES)):
            del told[left_out]
        votes = summary.split_votes
        told["split_votes_k"] = None if votes is None else votes.k
        told["split_votes_n"] = None if votes is None else votes.n
        yield told


def alarms(release: Release) -> Iterator[Cells]:
    """Dangers caught, false alarms and over-cautious plays of every model."""
    for model in release.by_name:
        found = model.dangers_and_alarms
        if found is not None:
            yield {
                **who(model),
                "pairs": len(found.pairs),
                "not_measured": found.not_measured,
                **rate_cells("caught", found.caught),
                **rate_cells("false_alarms", found.false_alarms),
                **rate_cells("over_cautious", found.over_cautious),
            }


def twins(release: Release) -> Iterator[Cells]:
    """Every pair of a scenario and its safe twin, over all models."""
    for twin in release.board.twins:
        yield {
            "parent": twin.parent,
            "twin": twin.scenario_id,
            "family": twin.family,
            "checks": " ".join(twin.checks),
            "caught": twin.caught,
            "missed": twin.missed,
            "undecided": twin.undecided,
            **{f"grade_{grade}": count for grade, count in enumerate(twin.grades)},
        }


def comparisons(release: Release) -> Iterator[Cells]:
    """Every pair of models, one row per measure: each gate, and all checks together."""
    for one in release.board.comparisons:
        measures: list[tuple[str, PairedDifference]] = [(f"gate_{g}", one.gates[g]) for g in GATE_BUCKETS]
        for measure, found in (*measures, ("all_checks", one.all_checks)):
            told: Cells = {"first": one.first, "second": one.second, "shared": one.shared}
            told["measure"] = measure
            yield told | every_field(found)


def comparisons_by_check(release: Release) -> Iterator[Cells]:
    """Every pair of models, one row per check that at least one of them failed."""
    for one in release.board.comparisons:
        for row in one.checks:
            yield {"first": one.first, "second": one.second, **every_field(row)}


def contrasts(release: Release) -> Iterator[Cells]:
    """Every variant of a contrast set, with the safety gate of the original and of the variant."""
    for one in release.board.contrasts:
        original = every_field(one.safety, "original_")
        for variant in one.variants:
            yield {"group": one.group, "original": one.original, **original, **every_field(variant)}
