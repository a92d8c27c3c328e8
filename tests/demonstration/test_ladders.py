"""The ladders of the demonstration, counted again from its verdicts in plain code."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from pathlib import Path

import pytest
from statsmodels.stats.proportion import proportion_confint

Story = tuple[str, str, str]
"""Model, level, story."""
LEVELS = {"said": "said", None: "hinted", "buried": "buried"}
ROW = re.compile(r"<tr><th.*?</tr>", re.DOTALL)


def outcomes(results: Path) -> dict[Story, bool | None]:
    """For each conversation, if the danger was noticed; None where the judge could not decide."""
    found = {}
    for line in map(json.loads, results.read_text("utf-8").splitlines()):
        said = {row["verdict"] for row in line["rows"] if row["gate"] == "A" and row["state"] == "judged"}
        noticed = None if "UNCLEAR" in said and "FAIL" not in said else "FAIL" not in said
        level = LEVELS[line["contrast_variable"] if line["variant_of"] else None]
        found[line["model_id"], level, line["variant_of"] or line["scenario_id"]] = noticed
    return found


def expected(found: dict[Story, bool | None]) -> list[tuple[str, ...]]:
    """The figures of each row of the table: level, noticed, undecided, interval, difference in points.

    No interval stands where more than half is undecided.
    """
    by: dict[tuple[str, str], dict[str, bool | None]] = defaultdict(dict)
    for (model, level, story), noticed in found.items():
        by[model, level][story] = noticed
    rows: list[tuple[str, ...]] = []
    for model in sorted({model for model, _ in by}):
        for level in ("said", "hinted", "buried"):
            decided = [one for one in by[model, level].values() if one is not None]
            low, high = proportion_confint(sum(decided), len(decided), method="wilson")
            pairs = [
                (by[model, "said"][story], noticed)
                for story, noticed in by[model, level].items()
                if noticed is not None and by[model, "said"][story] is not None
            ]
            more = sum(bool(plain) - bool(noticed) for plain, noticed in pairs) / len(pairs)
            undecided = len(by[model, level]) - len(decided)
            rows.append((
                level,
                f"{sum(decided)} of {len(decided)}",
                str(undecided),
                "–" if undecided > len(decided) else f"{low:.0%} to {high:.0%}",
                "–" if level == "said" else f"{more * 100:+.0f} points",
            ))  # fmt: skip
    return rows


def shown(page: str) -> list[tuple[str, ...]]:
    """The same figures in the table of the page."""
    table = page[page.index('id="ladder-table"') :]
    table = table[table.index("<tbody>") : table.index("</tbody>")].replace("&#43;", "+")
    rows = [re.findall(r"<td.*?>(.*?)</td>", row, re.DOTALL) for row in ROW.findall(table)]
    return [tuple(cell.split(",")[0].strip() for cell in row) for row in rows]


@pytest.mark.gate
def test_the_ladders_of_the_page_follow_from_the_verdicts(demo: Path) -> None:
    """Every level of every assistant: stories noticed and undecided, Wilson's interval, the difference."""
    wanted = expected(outcomes(demo / "sets" / "ladder" / "scan" / "results.jsonl"))
    page = (demo / "site" / "sets" / "ladder" / "contrast" / "index.html").read_text("utf-8")
    assert len(wanted) >= 24
    assert shown(page) == wanted
