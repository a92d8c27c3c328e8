"""The judged hits are all the hits: every one on the real text, and no other."""

from __future__ import annotations

import gzip
import hashlib
import json
from pathlib import Path

import pytest

from ib.engine.reading.lexicons import Matcher
from ib.models.benchmark.lexicon import Lexicon
from ib.models.common.base import Role
from ib.store.benchmark.loading import load_benchmark
from ib.text.normalize import normalize
from tests.real.conftest import ROOT, TRANSCRIPTS

pytestmark = pytest.mark.real

BENCHMARK = load_benchmark()
DECIDING = [name for name, lexicon in BENCHMARK.lexicons.items() if lexicon.decides]
PRECISION, OF_EACH = 0.97, 0.95


def hits(lexicon: Lexicon) -> set[tuple[object, ...]]:
    """Every hit on the real text; a user message that stands in both files counts once."""
    matcher = Matcher([lexicon], lexicon.speaker)
    found: set[tuple[object, ...]] = set()
    heard: set[str] = set()
    for path in TRANSCRIPTS:
        with gzip.open(path, "rt") as file:
            transcripts = [json.loads(line) for line in file]
        for transcript in transcripts:
            for message in transcript["messages"]:
                content = message["content"]
                if message["role"] != lexicon.speaker or (lexicon.speaker is Role.USER and content in heard):
                    continue
                heard.add(content)
                for hit in matcher.match(normalize(content)):
                    digest = hashlib.sha256(hit.quote.encode()).hexdigest()
                    where = (path.name, transcript["scenario_id"], message["turn"])
                    found.add((*where, hit.start, hit.end, hit.pattern, digest, hit.decides))
    return found


def judged(name: str) -> list[dict[str, object]]:
    path: Path = ROOT / "benchmark" / "precision" / f"{name}.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.mark.parametrize("name", DECIDING)
def test_every_hit_is_judged(name: str, real: Path) -> None:
    """File, scenario, turn, place and hash of every hit stand in the list, and nothing else does."""
    listed = {
        (
            r["file"],
            r["scenario_id"],
            r["turn"],
            r["start"],
            r["end"],
            r["pattern"],
            r["sha256"],
            r["decides"],
        )
        for r in judged(name)
    }
    assert hits(BENCHMARK.lexicons[name]) == listed


def test_deciding_lexicons_are_precise(real: Path) -> None:
    """Of the hits that decide, at least 0.97 are judged right over all, and 0.95 for each lexicon."""
    total: list[bool] = []
    for name in DECIDING:
        deciding = [bool(r["correct"]) for r in judged(name) if r["decides"]]
        total += deciding
        if deciding:
            assert sum(deciding) / len(deciding) >= OF_EACH, name
    assert sum(total) / len(total) >= PRECISION
