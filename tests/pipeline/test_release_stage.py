"""A release at another stage: its list of hashes follows, so that the site can open it."""

from __future__ import annotations

import hashlib
from pathlib import Path

import orjson
import pytest

from delivery.release.sealed import open_sealed
from ib.board.evidence.leaks import LeakSearch
from ib.models.common.base import Stage
from ib.models.release.qa import Qa
from ib.pipeline.release.release import (
    EVIDENCE,
    TRANSCRIPTS,
    Document,
    Release,
    write_release,
)
from ib.store.files.leaks import load_leak_forms
from ib.store.files.lines import Lines
from ib.store.folders.released import LEADERBOARD, QA
from tests.delivery import sample


@pytest.mark.parametrize("stage", list(Stage))
def test_a_release_is_written_at_the_stage_that_was_granted(tmp_path: Path, stage: Stage) -> None:
    """Every file says the stage, and qa.json lists its new hash."""
    folder = sample.write(tmp_path / "demo")
    qa = Qa.model_validate_json((folder / QA).read_bytes())
    files = {name: (folder / name).read_bytes() for name in (QA, *qa.released)}
    board, evidence = sample.release()
    documents: dict[str, Document] = {LEADERBOARD: board}
    documents |= {f"{EVIDENCE}/{slug}.json": one for slug, one in evidence.items()}
    documents |= {f"{TRANSCRIPTS}/{slug}.json": one for slug, one in sample.transcripts().items()}
    lines = {}
    for name in [name for name in files if name.endswith(".jsonl")]:
        lines[name] = Lines()
        for line in files.pop(name).splitlines():
            lines[name].add(line)
    made = Release(documents, qa, files, lines).at(stage)
    assert (made.stage, made.leaderboard.stage) == (stage, stage)
    written = {**made.files, **{name: b"".join(found) for name, found in made.lines.items()}}
    assert made.qa.released == {
        name: hashlib.sha256(data).hexdigest() for name, data in written.items() if name != QA
    }
    assert made.files.keys() == files.keys()
    assert all(orjson.loads(made.files[name])["stage"] == stage for name in documents)
    write_release(made, tmp_path / "release")
    opened = open_sealed(tmp_path / "release", sample.benchmark(), LeakSearch(load_leak_forms()))
    assert (opened.leaderboard, dict(opened.files)) == (made.leaderboard, written)
