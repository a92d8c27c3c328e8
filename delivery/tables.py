"""The tables of the site as data: each table as CSV and as JSON, from the same rows."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from delivery import escape
from delivery.release import Release
from delivery.scenarios import stories
from ib.models.base import BUCKET_NAMES, Bucket, Record
from ib.models.canonical import pretty
from ib.models.leaderboard import ModelEntry, SupplementEntry
from ib.models.occurrences import OccurrenceRate
from ib.models.rates import Coverage, MeanScore, Rate
from ib.models.scenario import CueSeverity

Cell = str | int | float | None
TABLES = (
    ("gates", "confirmed and contested hard fails and incomplete gates, one row per model"),
    ("scores", "overall and dimension scores, one row per model"),
    ("blindspots", "failures, one row per model and check"),
    ("scenario-results", "results of each transcript, one row per transcript"),
    ("scenarios", "contents of each scenario, one row per scenario"),
    (
        "supplement",
        "supplementary measures, which enter no score, one row per model and measure",
    ),
    ("pairs", "dangers caught and false alarms, one row per model and pair"),
)


def twins(release: Release) -> dict[str, str]:
    """The CSV and JSON text of every table, by path."""
    files = {}
    makers = (_gates, _scores, _blindspots, _results, _scenarios, _supplement, _pairs)
    for (name, _), rows in zip(TABLES, makers, strict=True):
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
        row = {
            **_who(model),
            "transcripts": model.transcripts,
            "refused_questions": model.refused_questions,
        }
        for bucket, gate in model.gates.items():
            row |= _every_field(gate, f"{BUCKET_NAMES[bucket].lower()}_")
        yield row | _every_field(model.both_gates, "both_gates_")


def _scores(release: Release) -> Iterator[dict[str, Cell]]:
    for model in release.models:
        row = {**_who(model), **_mean("overall", model.overall)}
        for bucket in (Bucket.C, Bucket.D, Bucket.F):
            row |= _mean(str(bucket), model.dimensions.get(bucket))
            row |= _turns(f"{bucket}_turns", model.occurrences.get(bucket))
        row |= _every_field(model.roots)
        yield {**row, "covered": model.coverage.covered, "decided": model.coverage.decided}


def _blindspots(release: Release) -> Iterator[dict[str, Cell]]:
    for model in release.models:
        yield from ({**_who(model), **_every_field(entry)} for entry in model.blindspots)


def _results(release: Release) -> Iterator[dict[str, Cell]]:
    for model in release.models:
        yield from ({**_who(model), **_every_field(met)} for met in model.scenarios)


def _every_field(record: Record, prefix: str = "") -> dict[str, Cell]:
    """Every field of a record as cells, so that the data files have everything that a page shows.

    A list becomes one cell, and bounds become two. The fields of a part get the name of the part as a prefix.
    """
    cells: dict[str, Cell] = {}
    for name in type(record).model_fields:
        value = getattr(record, name)
        if name == "bounds":
            cells[f"{prefix}lower_bound"], cells[f"{prefix}upper_bound"] = value or (None, None)
        elif name == "joined":
            cells[prefix + name] = " ".join("+".join(group) for group in value)
        elif name == "occurrences":
            cells |= _turns(prefix + name, value)
        elif isinstance(value, dict):
            for key, part in value.items():
                cells |= _every_field(part, f"{prefix}{name}_{key}_")
        elif isinstance(value, Record):
            cells |= _every_field(value, "" if isinstance(value, Coverage) else f"{prefix}{name}_")
        else:
            cells[prefix + name] = " ".join(value) if isinstance(value, tuple) else value
    return cells


def _scenarios(release: Release) -> Iterator[dict[str, Cell]]:
    for story in stories(release):
        scenario = story.scenario
        yield {
            "scenario_id": story.scenario_id,
            "title": scenario.title if scenario else None,
            "category": story.category,
            "theme": story.theme,
            "jurisdiction": story.jurisdiction,
            "country": scenario.country if scenario else None,
            "published": scenario.published if scenario else None,
            "turns": story.turns if scenario else None,
            "sessions": story.sessions if scenario else None,
            **{f"cues_{severity}": story.cues[severity] if scenario else None for severity in CueSeverity},
            "checks_due": len(story.due) if scenario else None,
            "models": story.models,
        }


def _supplement(release: Release) -> Iterator[dict[str, Cell]]:
    for model in release.models:
        for measure, rate, mean in _measures(model.supplement):
            yield {
                **_who(model),
                "measure": measure,
                **_rate("failures", rate),
                **_mean("share", mean),
            }


def _pairs(release: Release) -> Iterator[dict[str, Cell]]:
    for model in release.models:
        found = model.dangers_and_alarms
        for pair in () if found is None else found.pairs:
            grades = {f"grade_{grade}": count for grade, count in enumerate(pair.grades)}
            told = {"twin": pair.twin, "parent": pair.parent, "family": pair.family}
            dangers = {"caught": pair.caught, "missed": pair.missed, "undecided": pair.undecided}
            yield {**_who(model), **told, **dangers, **grades, "ungraded": sum(pair.ungraded.values())}


def _measures(found: SupplementEntry | None) -> Iterator[tuple[str, Rate | None, MeanScore | None]]:
    if found is None:
        return
    yield from ((f"memory.{name}", rate, None) for name, rate in sorted(found.memory.items()))
    yield from ((f"coordination.{name}", rate, None) for name, rate in sorted(found.coordination.items()))
    yield from ((f"regard.{name}", None, mean) for name, mean in sorted(found.regard.items()))
    if found.rubric is not None:
        yield "rubric", None, found.rubric
    if found.autofails is not None:
        yield "autofails", found.autofails, None


def _who(model: ModelEntry) -> dict[str, Cell]:
    return {"model_id": model.model_id, "model": model.model}


def _turns(name: str, found: OccurrenceRate | None) -> dict[str, Cell]:
    """The fields of occurrences over chances; all are empty if these were not measured."""
    if found is not None:
        return _every_field(found, f"{name}_")
    return dict.fromkeys(f"{name}_{field}" for field in OccurrenceRate.model_fields)


def _rate(name: str, rate: Rate | None) -> dict[str, Cell]:
    return {
        f"{name}_k": rate.k if rate else None,
        f"{name}_n": rate.n if rate else None,
        f"{name}_unclear": rate.unclear if rate else None,
        f"{name}_rate": rate.rate if rate else None,
        f"{name}_low": rate.low if rate else None,
        f"{name}_high": rate.high if rate else None,
        f"{name}_lower_bound": rate.bounds[0] if rate and rate.bounds else None,
        f"{name}_upper_bound": rate.bounds[1] if rate and rate.bounds else None,
        f"{name}_n_families": rate.n_families if rate else None,
        f"{name}_support": " ".join(rate.support) if rate else None,
    }


def _mean(name: str, mean: MeanScore | None) -> dict[str, Cell]:
    return {
        f"{name}_mean": mean.mean if mean else None,
        f"{name}_n": mean.n if mean else None,
        f"{name}_nulls": mean.nulls if mean else None,
        f"{name}_low": mean.low if mean else None,
        f"{name}_high": mean.high if mean else None,
    }
