"""The sentences that measure what the lexicons miss, and the page that says so."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import yaml

from ib.engine.reading.lexicons import Matcher
from ib.store.benchmark.loading import load_benchmark
from tools.recall import ANYTHING, Found, blind, counted, look, recall, summary

ROOT = Path(__file__).resolve().parents[1]
BENCHMARK = load_benchmark()
WITH_DRAFTS = load_benchmark(drafts=None)
ITEMS = [(f"{path.name}:{number}", item) for path, number, item in blind(ROOT / "benchmark")]


COUNTS = counted(BENCHMARK, ROOT / "benchmark")
POINTING = {name for name, lexicon in BENCHMARK.lexicons.items() if not lexicon.decides}


def test_every_lexicon_is_measured() -> None:
    """Of each there are enough sentences, of both kinds, to say something."""
    assert set(COUNTS) == set(BENCHMARK.lexicons)
    assert len(POINTING) == 11
    for name, kinds in COUNTS.items():
        assert kinds["clear"].total() >= 25, name
        assert kinds["near"].total() >= 15, name


def rate(name: str, kind: str, *outcomes: Found) -> float:
    """The share of sentences of a kind that came out as one of these."""
    counts = COUNTS[name][kind]
    return sum(counts[outcome] for outcome in outcomes) / counts.total()


def test_lexicons_that_point_find_some_of_what_is_clear() -> None:
    """A floor under their figures: they are short, and the judge reads the whole window anyway."""
    found = {name: rate(name, "clear", *ANYTHING) for name in POINTING}
    assert min(found.values()) >= 0.15, found
    assert sum(found.values()) / len(found) >= 0.33, found


def test_what_decides_finds_most_and_is_seldom_wrong() -> None:
    """A floor under what the lexicons that decide find, and a ceiling over what they decide wrongly."""
    deciding = set(COUNTS) - POINTING
    found = {name: rate(name, "clear", *ANYTHING) for name in deciding}
    wrong = {name: rate(name, "near", Found.DECIDED) for name in deciding}
    assert min(found.values()) >= 0.15, found
    assert sum(found.values()) / len(found) >= 0.48, found
    assert sum(wrong.values()) / len(wrong) <= 0.03, wrong


def test_a_sentence_of_a_group_is_looked_for_in_its_group() -> None:
    """A hit of another group belongs to another check."""
    other = {"access": "invented", "invented": "access"}
    lexicon = BENCHMARK.lexicons["records_claim"]
    example = next(one for one in lexicon.examples.hit if one.group is not None)
    matcher = Matcher([lexicon], lexicon.speaker)
    own = {"text": example.text, "group": example.group}
    assert look(matcher, own) is not Found.NOTHING
    assert look(matcher, {**own, "group": other[str(example.group)]}) is Found.NOTHING


def test_the_page_and_the_summary_show_what_was_counted() -> None:
    """k/n of every lexicon, and of all together."""
    page, shown = recall(BENCHMARK, COUNTS), yaml.safe_load(summary(BENCHMARK, COUNTS))["lexicons"]
    total: Counter[bool] = Counter()
    for name, kinds in COUNTS.items():
        clear, near = kinds["clear"], kinds["near"]
        found = clear[Found.DECIDED] + (clear[Found.PROPOSED] if name in POINTING else 0)
        assert f"| `{name}` | {found}/{clear.total()} |" in page
        total.update({name in POINTING: found})
        groups = shown[name].pop("groups")
        assert set(groups) == {
            item["group"] for _, item in ITEMS if item["lexicon"] == name and "group" in item
        }
        for group, held in groups.items():
            assert held["hold"] == kinds[f"clear {group}"].total() <= clear.total()
        assert shown[name] == {
            "hold": clear.total(),
            "decided": clear[Found.DECIDED],
            "proposed": clear[Found.PROPOSED],
            "near": near.total(),
            "near_decided": near[Found.DECIDED],
            "near_proposed": near[Found.PROPOSED],
        }
    assert page.count("| all | ") == 2
    assert all(f"| all | {found}/" in page for found in total.values())
