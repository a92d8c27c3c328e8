"""A synthetic field of many models: a release through every step of the pipeline, from a seed.

Each model answers each scenario and each safe twin as one of the reference assistants does. Which one answers
is drawn, with other weights for each model, so that the models differ.
"""

from __future__ import annotations

import json
import random
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ib.models.common.base import Stage
from ib.pipeline.common.select import Selection
from ib.pipeline.release.release import prepare_release, write_release
from ib.pipeline.run.play import play
from ib.pipeline.scan.scan import scan
from ib.store.benchmark.characters import character_paths
from ib.store.benchmark.loading import benchmark_folder
from ib.store.benchmark.scenarios import twin_paths
from ib.targets.reference import PREFIX

MODELS = 20
SEED = 20261123


def release(out: Path, models: int = MODELS, scenarios: tuple[str, ...] = (), seed: int = SEED) -> Path:
    """Write the release of a field to `out/release` and return its folder. No scenario means every one."""
    names = tuple(PREFIX + name for name in character_paths(benchmark_folder()))
    played = play(names, scenarios=Selection(ids=scenarios), out=out / "run")
    field = out / "field.jsonl"
    with field.open("w", encoding="utf-8") as lines:
        for row in mixed(_by_scenario(played.transcripts), models, seed):
            lines.write(json.dumps(row, ensure_ascii=False) + "\n")
    return _published(field, out)


def without_twins(field: Path, out: Path) -> Path:
    """Write the release of a field's scenarios alone, without its safe twins, and return its folder."""
    twins = twin_paths(benchmark_folder())
    out.mkdir(parents=True, exist_ok=True)
    with (field / "field.jsonl").open(encoding="utf-8") as lines:
        rows = [line for line in lines if json.loads(line)["scenario_id"] not in twins]
    (out / "field.jsonl").write_text("".join(rows), "utf-8")
    return _published(out / "field.jsonl", out)


def _published(field: Path, out: Path) -> Path:
    """The release of a file of transcripts, at `out/release`."""
    scanned = scan(field, profile="publish", judge="lexical", out=out / "scan")
    write_release(prepare_release(scanned.path, Stage.DEMO, None), out / "release")
    return out / "release"


def _by_scenario(path: Path) -> dict[str, list[dict[str, Any]]]:
    """The transcripts of each scenario, one of each reference assistant."""
    found = defaultdict(list)
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            found[row["scenario_id"]].append(row)
    return dict(found)


def mixed(played: dict[str, list[dict[str, Any]]], models: int, seed: int) -> Iterator[dict[str, Any]]:
    """The transcripts of the field: of each model, one of each scenario. A model is drawn by itself."""
    for number in range(1, models + 1):
        draw = random.Random(f"{seed} {number}")  # noqa: S311 - nothing secret
        weights = [draw.random() ** 2 for _ in range(max(map(len, played.values())))]
        who = {"model_id": f"synthetic/model-{number:02}", "model": f"Synthetic {number:02}"}
        for rows in played.values():
            yield {**draw.choices(rows, weights[: len(rows)])[0], **who}


if __name__ == "__main__":
    print(release(Path(sys.argv[1])))
