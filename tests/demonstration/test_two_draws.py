"""Two draws of the whole corpus: every reference assistant gets equal verdicts, but for the words of slots.

The known answers, known grades of over-alarm and known scores are of the public draw. What is equal here is
therefore known in another draw, too: branches, listenings, phrases, memory probes and contrast variants.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from ib.cli import run
from ib.models.draw.keyed_slot import forms_of
from ib.scenario.drawing import DrawKey
from ib.store.benchmark.characters import character_paths
from ib.store.benchmark.loading import benchmark_folder
from ib.store.benchmark.scenarios import load_played
from tests.once import once

KEY = "5e" * 32
WORDLESS = frozenset({"transcript_hash", "scenario_hash", "start", "end", "row_hash"})
"""Keys whose values follow from the words: hashes, and places in a text."""
SAID = frozenset({"quote", "words", "missing", "made_up", "safe_because"})
"""Keys whose values are in the words of a conversation or of its scenario."""
COMPARED = 120
"""How many characters of a text are compared: a judge cuts long quotes by their length."""
END = r"(?=(?:s|lbs?|kg|cm|am|pm)?(?!\w))"
"""What may follow a value: the end of the word, an ending or a unit."""
Mapped = Callable[[str, str], str]
"""A scenario and a text give the text with the slots in place of their words."""


@pytest.fixture(scope="session")
def other(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a scan of every reference assistant in a private draw, by the judge of the scripts."""

    def make(folder: Path) -> None:
        (folder / "key").write_text(KEY)
        draw = ("--draw", str(folder / "key"))
        models = [f"--model=reference/{name}" for name in character_paths(benchmark_folder())]
        assert run(["run", *models, *draw, "--out", str(folder / "run")]) == 0
        played = str(folder / "run" / "transcripts.jsonl")
        asked = ("--profile", "publish", "--judge", "scripts", *draw)
        assert run(["scan", played, *asked, "--out", str(folder / "scan")]) == 0

    return once(tmp_path_factory, "two-draws", make) / "scan"


def mapped_in(key: DrawKey | None) -> Mapped:
    """Puts slots in place of the words of a draw."""
    played = load_played(benchmark_folder(), key)

    @cache
    def words(scenario_id: str) -> Mapping[str, str]:
        drawn = played[scenario_id].drawn
        assert drawn is not None
        return {
            said.casefold(): f"{{{slot}}}"
            for slot, value in drawn.chosen.items()
            for said in forms_of(value).values()
        }

    @cache
    def pattern(scenario_id: str) -> re.Pattern[str]:
        longest = sorted(words(scenario_id), key=len, reverse=True)
        return re.compile(rf"(?<![^\W0])(?:{'|'.join(map(re.escape, longest))}){END}", re.IGNORECASE)

    return lambda scenario_id, text: pattern(scenario_id).sub(
        lambda match: words(scenario_id)[match[0].casefold()], text
    )


def told(value: Any, scenario_id: str, mapped: Mapped, key: str = "") -> Any:
    """A result with the slots in place of their words, and without what follows from the words."""
    if isinstance(value, dict):
        return {k: told(one, scenario_id, mapped, k) for k, one in value.items() if k not in WORDLESS}
    if isinstance(value, list):
        return [told(one, scenario_id, mapped, key) for one in value]
    return mapped(scenario_id, value)[:COMPARED] if isinstance(value, str) and key in SAID else value


def lines(path: Path, mapped: Mapped) -> Iterator[tuple[str, Any]]:
    """Each line with its place."""
    for text in path.read_text().splitlines():
        line = json.loads(text)
        yield f"{line['model_id']} on {line['scenario_id']}", told(line, line["scenario_id"], mapped)


def differences(one: Any, other: Any, at: str = "") -> Iterator[str]:
    """Where two values differ."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key in sorted(one.keys() | other.keys()):
            yield from differences(one.get(key), other.get(key), f"{at}.{key}")
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for number, (mine, theirs) in enumerate(zip(one, other, strict=True)):
            yield from differences(mine, theirs, f"{at}.{number}")
    elif one != other:
        yield f"{at}: {str(one)[:200]!r}, and in the other draw {str(other)[:200]!r}"


@pytest.mark.gate
@pytest.mark.parametrize("name", ["results.jsonl", "supplement.jsonl", "over_alarm.jsonl"])
def test_two_draws_give_equal_verdicts(demo: Path, other: Path, name: str) -> None:
    """Verdicts, votes, windows, branches, scores, probes and grades are equal, and quotes but for slots."""
    public = dict(lines(demo / "scan" / name, mapped_in(None)))
    private = dict(lines(other / name, mapped_in(DrawKey(bytes.fromhex(KEY)))))
    assert public.keys() == private.keys()
    found = [f"{place}{one}" for place in public for one in differences(public[place], private[place])]
    assert not found, f"{len(found)} differences, the first: " + "\n".join(found[:20])


@pytest.mark.gate
def test_two_draws_take_the_same_branches(demo: Path, other: Path) -> None:
    """Every message is the same but for slots, in every play of every reference assistant."""
    both = (demo / "run" / "transcripts.jsonl", other.parent / "run" / "transcripts.jsonl")
    keys = (None, DrawKey(bytes.fromhex(KEY)))
    public, private = (
        {
            (row["model_id"], row["scenario_id"]): [
                (each.get("branch_id"), mapped(row["scenario_id"], each["content"]))
                for each in row["messages"]
                if each["role"] == "user"
            ]
            for row in map(json.loads, path.read_text().splitlines())
        }
        for path, mapped in zip(both, map(mapped_in, keys), strict=True)
    )
    assert public.keys() == private.keys()
    assert [place for place in public if public[place] != private[place]] == []
