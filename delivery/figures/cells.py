"""Records as cells of a table: every field of a release, under a plain name."""

from __future__ import annotations

from ib.models.common.base import Record
from ib.models.release.leaderboard import ModelEntry
from ib.models.scan.occurrences import OccurrenceRate
from ib.models.scan.rates import Coverage, MeanScore, Rate

Cell = str | int | float | None
Cells = dict[str, Cell]
"""One row of a table."""


def every_field(record: Record, prefix: str = "") -> dict[str, Cell]:
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
            cells |= turn_cells(prefix + name, value)
        elif isinstance(value, dict):
            for key, part in value.items():
                cells |= every_field(part, f"{prefix}{name}_{key}_")
        elif isinstance(value, Record):
            cells |= every_field(value, "" if isinstance(value, Coverage) else f"{prefix}{name}_")
        elif name == "tied":
            for number, part in enumerate(value, 1):
                cells |= every_field(part, f"{prefix}{name}_{number}_")
        else:
            cells[prefix + name] = " ".join(value) if isinstance(value, tuple) else value
    return cells


def who(model: ModelEntry) -> dict[str, Cell]:
    return {"model_id": model.model_id, "model": model.model}


def turn_cells(name: str, found: OccurrenceRate | None) -> dict[str, Cell]:
    """The fields of occurrences over chances; all are empty if these were not measured."""
    if found is not None:
        return every_field(found, f"{name}_")
    return dict.fromkeys(f"{name}_{field}" for field in OccurrenceRate.model_fields)


def rate_cells(name: str, rate: Rate | None) -> dict[str, Cell]:
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


def mean_cells(name: str, mean: MeanScore | None) -> dict[str, Cell]:
    return {
        f"{name}_mean": mean.mean if mean else None,
        f"{name}_n": mean.n if mean else None,
        f"{name}_nulls": mean.nulls if mean else None,
        f"{name}_low": mean.low if mean else None,
        f"{name}_high": mean.high if mean else None,
        f"{name}_lower_bound": mean.bounds[0] if mean and mean.bounds else None,
        f"{name}_upper_bound": mean.bounds[1] if mean and mean.bounds else None,
    }
