"""The tables of the site as data: each table as CSV and as JSON, from the same rows."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator

from delivery.conversation.scenarios import stories
from delivery.figures import compared_tables as compared
from delivery.figures.cells import Cells, every_field, mean_cells, rate_cells, turn_cells, who
from delivery.figures.ladder import ladder_rows
from delivery.release.frame import STAGE_IN_FILES
from delivery.release.transcripts import plays
from delivery.release.view import Release
from delivery.words import escape
from ib.measures.registry import MEASURES
from ib.models.common.base import BUCKET_NAMES, Bucket
from ib.models.common.canonical import by_row
from ib.models.conversation.scenario import CueSeverity
from ib.models.release.supplement import SupplementEntry
from ib.models.scan.rates import MeanScore, Rate

Table = tuple[str, str, Callable[[Release], Iterator[Cells]]]


def _csv(rows: list[Cells]) -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows({key: escape.cell(value) for key, value in row.items()} for row in rows)
    return out.getvalue()


def _gates(release: Release) -> Iterator[Cells]:
    for model in release.by_name:
        row = {
            **who(model),
            "transcripts": model.transcripts,
            "refused_questions": model.refused_questions,
        }
        for bucket, gate in model.gates.items():
            row |= every_field(gate, f"{BUCKET_NAMES[bucket].lower()}_")
        yield row | every_field(model.both_gates, "both_gates_")


def _scores(release: Release) -> Iterator[Cells]:
    for model in release.by_name:
        row = {**who(model), **mean_cells("overall", model.overall)}
        for bucket in (Bucket.C, Bucket.D, Bucket.F):
            row |= mean_cells(str(bucket), model.dimensions.get(bucket))
            row |= turn_cells(f"{bucket}_turns", model.occurrences.get(bucket))
        row |= every_field(model.roots)
        row["older_questions"] = model.older_questions
        yield {**row, "covered": model.coverage.covered, "decided": model.coverage.decided}


def _gate_rules(release: Release) -> Iterator[Cells]:
    for model in release.by_name:
        yield from ({**who(model), **every_field(one)} for one in model.gate_rules)


def _blindspots(release: Release) -> Iterator[Cells]:
    for model in release.by_name:
        yield from ({**who(model), **every_field(entry)} for entry in model.blindspots)


def _results(release: Release) -> Iterator[Cells]:
    for model in release.by_name:
        yield from ({**who(model), **every_field(met)} for met in model.scenarios)


def _scenarios(release: Release) -> Iterator[Cells]:
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


def _supplement(release: Release) -> Iterator[Cells]:
    for model in release.by_name:
        for measure, rate, mean in _measures(model.supplement):
            yield {
                **who(model),
                "measure": measure,
                **rate_cells("failures", rate),
                **mean_cells("share", mean),
            }


def _pairs(release: Release) -> Iterator[Cells]:
    for model in release.by_name:
        found = model.dangers_and_alarms
        for pair in () if found is None else found.pairs:
            grades = {f"grade_{grade}": count for grade, count in enumerate(pair.grades)}
            told = {"twin": pair.twin, "parent": pair.parent, "family": pair.family}
            dangers = {"caught": pair.caught, "missed": pair.missed, "undecided": pair.undecided}
            yield {**who(model), **told, **dangers, **grades, "ungraded": sum(pair.ungraded.values())}


def _transcripts(release: Release) -> Iterator[Cells]:
    for model in release.by_name:
        for play in plays(release, model):
            one = play.transcript
            yield {
                **who(model),
                "scenario_id": one.scenario_id,
                "epoch": one.epoch,
                "safe_twin": play.failed is None,
                "turns": play.turns,
                "failed_checks": play.failed,
                "over_alarm_grade": play.grade,
                "transcript_hash": one.transcript_hash,
                "address": play.path,
            }


def _measures(found: SupplementEntry | None) -> Iterator[tuple[str, Rate | None, MeanScore | None]]:
    if found is None:
        return
    for measure in MEASURES:
        yield from ((measure.row(item), None, mean) for item, mean in found.means(measure.name).items())
        yield from ((measure.row(item), rate, None) for item, rate in found.rates(measure.name).items())


TABLES: tuple[Table, ...] = (
    ("findings", "the numbers of the findings, one row per number", compared.findings),
    (
        "gates",
        "hard fails by the judge, contested hard fails and incomplete gates, one row per model",
        _gates,
    ),
    ("scores", "overall and dimension scores, one row per model", _scores),
    ("gate-rules", "results under other rules for the gates, one row per model and rule", _gate_rules),
    ("heatmap", "failures with their intervals, one row per model and check", compared.heatmap),
    ("blindspots", "everything about a check on a model, one row per model and check", _blindspots),
    ("checks", "failures and split votes of all models, one row per check", compared.checks),
    ("scenario-results", "results of each transcript, one row per transcript", _results),
    ("transcripts", "every transcript that the release carries, one row per transcript", _transcripts),
    ("scenarios", "contents of each scenario, one row per scenario", _scenarios),
    (
        "supplement",
        "supplementary measures, which enter no score, by model and measure",
        _supplement,
    ),
    ("alarms", "dangers caught and false alarms, one row per model", compared.alarms),
    ("pairs", "dangers caught and false alarms, one row per model and pair", _pairs),
    ("twins", "dangers caught and false alarms of all models, one row per pair", compared.twins),
    ("comparisons", "two models compared, one row per pair of models and measure", compared.comparisons),
    (
        "comparisons-by-check",
        "two models compared, by pair and check",
        compared.comparisons_by_check,
    ),
    ("contrasts", "contrast sets over all models, one row per variant", compared.contrasts),
)
"""Every table: its name, what it has, and its rows."""
LADDERS: Table = (
    "ladders",
    "stories told at three levels, one row per model and level",
    ladder_rows,
)
"""The table of a release that has such stories."""


def tables_of(release: Release) -> tuple[Table, ...]:
    """The tables of a release."""
    return (*TABLES, LADDERS) if release.board.ladders else TABLES


def twins(release: Release) -> dict[str, str]:
    """The CSV and JSON text of every table, by path.

    Every row of a CSV, and every JSON document, has the stage and the day of the release. The stage of a
    demonstration is the word DEMONSTRATION, as on the pages. The canary, a
    sentence for those who search texts for it, stands once in each file: in the first row of a CSV.
    """
    files = {}
    board = release.board
    mark: Cells = {"stage": STAGE_IN_FILES[board.stage], "released": board.released.isoformat()}
    for name, _, rows in tables_of(release):
        found = list(rows(release))
        marked = [row | mark | {"canary": None} for row in found or [{}]]
        files[f"data/{name}.csv"] = _csv([marked[0] | {"canary": board.canary}, *marked[1:]])
        document = {**mark, "canary": board.canary, "rows": found}
        files[f"data/{name}.json"] = by_row(document, {"rows"}).decode()
    return files
