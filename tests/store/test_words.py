"""The groups of words that lexicons share: loaded into each lexicon that uses them, and missed where not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from ib.errors import DataError
from ib.models.common.canonical import digest
from ib.store.benchmark.loading import benchmark_folder, load_benchmark
from ib.text.phrases import groups_used
from tests.models.build import LEXICON, changed
from tests.store.small import only, places, write_benchmark

GROUPS = {"i-was": ["i was", "<i-am>"], "i-am": ["i am"], "other": ["x"]}


def written(folder: Path, phrase: str, groups: dict[str, list[str]] = GROUPS, **more: Any) -> Path:
    """A small benchmark with shared words, and a lexicon with one phrase."""
    lexicon = {**changed(LEXICON, "patterns.0.phrase", phrase), **more}
    return write_benchmark(folder, **{"words.yaml": {"groups": groups}, "lexicons/claims.yaml": lexicon})


def test_a_lexicon_gets_the_groups_that_it_uses(tmp_path: Path) -> None:
    """So its digest changes with a group that it uses, and with no other."""
    loaded = load_benchmark(written(tmp_path, "<i-was> a nurse", words={"nurse": ["nurse"]}))
    assert loaded.words == {name: tuple(group) for name, group in GROUPS.items()}
    lexicon = loaded.lexicons["claims"]
    assert lexicon.words == {"i-am": ("i am",), "i-was": ("i was", "<i-am>"), "nurse": ("nurse",)}
    digests = set()
    for name in ("i-am", "other", "none"):
        groups = {one: [*group, "y"] if one == name else group for one, group in GROUPS.items()}
        changed_words = written(tmp_path / name, "<i-was> a nurse", groups)
        digests.add(digest(load_benchmark(changed_words).lexicons["claims"]))
    assert len(digests) == 2


def test_an_unknown_group_is_named_with_its_place(tmp_path: Path) -> None:
    """File, line and key, and where groups are defined."""
    with pytest.raises(DataError) as error:
        load_benchmark(written(tmp_path, "<i-wsa> a nurse"))
    finding = only(error.value)
    assert places(error.value) == [("claims.yaml", 6, "patterns.0.phrase")]
    assert finding.found == "unknown group <i-wsa>"
    assert finding.hint == "a group of words.yaml or of `words` in this file"


def test_a_group_has_one_meaning(tmp_path: Path) -> None:
    """A group of a lexicon may not have the name of a shared one."""
    with pytest.raises(DataError) as error:
        load_benchmark(written(tmp_path, "<i-am> a nurse", words={"i-am": ["me"]}))
    assert only(error.value).found == "<i-am> stands in words.yaml too"


def test_a_phrase_that_is_none_is_named_with_its_place(tmp_path: Path) -> None:
    """What was found and what is allowed, in words of the language."""
    with pytest.raises(DataError) as error:
        load_benchmark(written(tmp_path, "I was (a nurse"))
    assert places(error.value)[0] == ("claims.yaml", 6, "patterns.0.phrase")
    finding = error.value.findings[0]
    assert finding.found == "`(` without `)` in 'I was (a nurse'"
    assert "(a|b)" in finding.hint


LEXICONS = load_benchmark().lexicons
FILES = sorted((benchmark_folder() / "lexicons").glob("*.yaml"))
MOST = 250_000
"""The most bytes that all lexicons may have together, so that a person can read them."""
WIDTH = 120


def test_a_person_can_read_the_lexicons() -> None:
    """All files together are small, and no line is long."""
    assert sum(path.stat().st_size for path in FILES) <= MOST
    for path in (*FILES, benchmark_folder() / "words.yaml"):
        lines = path.read_text(encoding="utf-8").splitlines()
        assert [line for line in lines if len(line) > WIDTH] == [], path.name


def test_every_shared_group_is_used() -> None:
    """A group that no file names any more goes."""
    root = benchmark_folder()
    files = [root / "words.yaml", *FILES, *(root / "listening").glob("*.yaml")]
    texts = [path.read_text(encoding="utf-8") for path in files]
    assert [name for name in load_benchmark().words if not any(f"<{name}>" in text for text in texts)] == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_group_of_a_lexicon_is_used(path: Path) -> None:
    """A group of a lexicon is named by a phrase, directly or through another group."""
    lexicon = LEXICONS[path.stem]
    own = yaml.safe_load(path.read_text(encoding="utf-8")).get("words", {})
    assert set(own) <= set(groups_used((phrase for _, phrase in lexicon.phrases()), lexicon.words))
