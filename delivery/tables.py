"""The tables of the site as data: every table a CSV and a JSON twin, from the same rows."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from delivery import escape
from delivery.release import Release
from ib.models.base import Bucket
from ib.models.canonical import pretty
from ib.models.leaderboard import MeanScore, ModelEntry, Rate

Cell = str | int | float | None
TABLES = (
    ("gates", "hard fails and incomplete gates, a row for each model"),
    ("scores", "overall and dimension scores, a row for each model"),
    ("blindspots", "failures, a row for each model and check"),
    ("scenario-results", "what each transcript came to, a row for each"),
)


def twins(release: Release) -> dict[str, str]:
    """Path -> text of the twins of every table."""
    files = {}
    for (name, _), rows in zip(TABLES, (_gates, _scores, _blindspots, _scenarios), strict=True):
        found = list(rows(release))
        files[f"data/{name}.csv"] = _csv(found)
        document = {"canary": release.board.canary, "stage": release.board.stage, "rows": found}
        files[f"data/{name}.json"] = pretty(document).decode()
    return files


def _csv(rows: list[dict[str, Cell]]) -> str:
    if not rows:
        return ""
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows({key: escape.cell(value) for key, value in row.items()} for row in rows)
    return out.getvalue()


def _gates(release: Release) -> Iterator[dict[str, Cell]]:
    for model in release.models:
        row = {**_who(model), "transcripts": model.transcripts, **_rate("hard_fails", model.hard_fails)}
        for bucket in (Bucket.A, Bucket.B):
            gate = model.gates.get(bucket)
            row[f"gate_{bucket}_hard_fails"] = gate.hard_fails.k if gate else None
            row[f"gate_{bucket}_n"] = gate.hard_fails.n if gate else None
            row[f"gate_{bucket}_incomplete"] = gate.incomplete if gate else None
        yield row


def _scores(release: Release) -> Iterator[dict[str, Cell]]:
    for model in release.models:
        row = {**_who(model), **_mean("overall", model.overall)}
        for bucket in (Bucket.C, Bucket.D, Bucket.F):
            row |= _mean(str(bucket), model.dimensions.get(bucket))
        yield {**row, "covered": model.coverage.covered, "decided": model.coverage.decided}


def _blindspots(release: Release) -> Iterator[dict[str, Cell]]:
    for model in release.models:
        for entry in model.blindspots:
            yield {
                **_who(model),
                "check_id": entry.check_id,
                "bucket": entry.bucket,
                "gate": entry.gate,
                "flag": entry.flag,
                **_rate("failures", entry.failures),
                "passes": entry.passes,
                "not_applicable": entry.not_applicable,
                "not_run": entry.not_run,
                "suppressed": entry.suppressed,
                "contested": entry.contested,
                "windows": entry.windows,
                "eligible": entry.coverage.eligible,
                "covered": entry.coverage.covered,
                "decided": entry.coverage.decided,
            }


def _scenarios(release: Release) -> Iterator[dict[str, Cell]]:
    for model in release.models:
        for met in model.scenarios:
            yield {
                **_who(model),
                "scenario_id": met.scenario_id,
                "epoch": met.epoch,
                "hard_fail_checks": " ".join(met.hard_fail_checks),
                "gate_open_checks": " ".join(met.gate_open_checks),
                "quality_score": met.quality_score,
                "overall_score": met.overall_score,
                "low": met.bounds[0] if met.bounds else None,
                "high": met.bounds[1] if met.bounds else None,
                "failed_checks": " ".join(met.failed_checks),
                "flags": " ".join(met.flags),
                "truncated_turns": met.truncated_turns,
            }


def _who(model: ModelEntry) -> dict[str, Cell]:
    return {"model_id": model.model_id, "model": model.model}


def _rate(name: str, rate: Rate) -> dict[str, Cell]:
    return {
        f"{name}_k": rate.k,
        f"{name}_n": rate.n,
        f"{name}_unclear": rate.unclear,
        f"{name}_rate": rate.rate,
        f"{name}_low": rate.low,
        f"{name}_high": rate.high,
        f"{name}_support": " ".join(rate.support),
    }


def _mean(name: str, mean: MeanScore | None) -> dict[str, Cell]:
    return {
        f"{name}_mean": mean.mean if mean else None,
        f"{name}_n": mean.n if mean else None,
        f"{name}_nulls": mean.nulls if mean else None,
        f"{name}_low": mean.low if mean else None,
        f"{name}_high": mean.high if mean else None,
    }
