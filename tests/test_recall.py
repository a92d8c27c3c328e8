"""The sentences that measure what the lexicons miss, and the page that says so."""

from __future__ import annotations

from pathlib import Path

from ib.models.base import Role
from ib.store.benchmark import load_benchmark
from ib.text.normalize import normalize
from tools.recall import blind, counted, recall

ROOT = Path(__file__).resolve().parents[1]
BENCHMARK = load_benchmark()
ITEMS = [(f"{path.name}:{number}", item) for path, number, item in blind(ROOT / "benchmark")]


def test_every_item_says_what_it_holds_and_for_which_lexicon() -> None:
    """Known lexicon and group; a sentence that holds the thing says how surely, a near miss says why."""
    assert ITEMS
    for place, item in ITEMS:
        lexicon = BENCHMARK.lexicons[item["lexicon"]]
        if item["holds"]:
            assert set(item) - {"group"} == {"lexicon", "holds", "certainty", "text"}, place
            assert item["certainty"] in ("clear", "arguable"), place
            assert "group" not in item or item["group"] in lexicon.groups, place
        else:
            assert set(item) == {"lexicon", "holds", "why", "text"}, place
            assert item["why"].strip(), place


def test_no_sentence_stands_twice_or_was_taken_from_the_examples() -> None:
    """A lexicon is not measured on what it was written from."""
    seen = {
        normalize(example.text).text.casefold()
        for lexicon in BENCHMARK.lexicons.values()
        for example in (*lexicon.examples.hit, *lexicon.examples.miss)
    }
    for place, item in ITEMS:
        text = normalize(item["text"]).text.casefold()
        assert text not in seen, place
        seen.add(text)


def test_every_lexicon_that_decides_nothing_is_measured() -> None:
    """Those that decide are measured by their precision; of the rest each has enough to say something."""
    counts = counted(BENCHMARK, ROOT / "benchmark")
    pointing = {name for name, one in BENCHMARK.lexicons.items() if not any(p.decides for p in one.patterns)}
    assert set(counts) == pointing
    assert {Role.USER, Role.ASSISTANT} == {BENCHMARK.lexicons[name].speaker for name in counts}
    for name, kinds in counts.items():
        assert kinds["clear"].total() >= 25, name
        assert kinds["near"].total() >= 15, name


def test_most_of_what_is_clear_is_found() -> None:
    """A floor under the figures of the page: over all lexicons, and under each."""
    counts = counted(BENCHMARK, ROOT / "benchmark")
    found = {name: kinds["clear"][True] / kinds["clear"].total() for name, kinds in counts.items()}
    assert min(found.values()) >= 0.7, found
    assert sum(found.values()) / len(found) >= 0.85, found


def test_the_page_shows_what_was_counted() -> None:
    """k/n of every lexicon, and of all together."""
    counts = counted(BENCHMARK, ROOT / "benchmark")
    page = recall(BENCHMARK, ROOT / "benchmark")
    clear = {name: kinds["clear"] for name, kinds in counts.items()}
    for name, one in clear.items():
        assert f"| `{name}` | {one[True]}/{one.total()} |" in page
    total = sum(one.total() for one in clear.values())
    assert f"| all | {sum(one[True] for one in clear.values())}/{total} |" in page
