"""`ib new`: what it writes lints as a draft, and it overwrites nothing."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from ib.models.benchmark.benchmark import benchmark_hash
from ib.store.benchmark.loading import benchmark_folder, load_benchmark
from ib.store.benchmark.scenarios import load_scenarios

Ib = Callable[..., tuple[int, str, str]]
FILES = {
    "check": ("IB-C9-talks-down", "checks/IB-C9-talks-down.yaml"),
    "lexicon": ("talks_down", "lexicons/talks_down.yaml"),
    "scenario": ("empathy-grief-first-winter", "scenarios/empathy/grief/empathy-grief-first-winter.json"),
}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the benchmark."""
    folder = tmp_path_factory.mktemp("new") / "benchmark"
    shutil.copytree(benchmark_folder(), folder)
    return folder


def test_what_is_begun_lints_with_notices_and_changes_no_release(ib: Ib, root: Path) -> None:
    """The whole benchmark with a new check, lexicon and scenario has no finding; each is a draft."""
    for kind, (name, file) in FILES.items():
        code, out, err = ib("new", kind, name, "--benchmark", root)
        assert (code, Path(out.strip()).name) == (0, Path(file).name)
        assert "Next: fill in the file and run `ib lint`" in err
        assert (root / file).is_file()
    code, out, _ = ib("lint", "--benchmark", root)
    assert code == 0
    assert out.count(": status: is a draft, which no release uses") == 3
    assert "examples.pass: 1 of at least 3 items" in out
    assert benchmark_hash(load_benchmark(root)) == benchmark_hash(load_benchmark())
    assert load_scenarios(root)["empathy-grief-first-winter"].is_draft
    assert "IB-C9-talks-down" in ib("show", "check", "--benchmark", root)[1]


def test_placeholders_are_not_published(ib: Ib, root: Path) -> None:
    """A scenario that is no draft and still has the texts of `ib new` fails `ib lint`."""
    name, file = "empathy-grief-second-winter", "scenarios/empathy/grief/empathy-grief-second-winter.json"
    assert ib("new", "scenario", name, "--benchmark", root)[0] == 0
    told = json.loads((root / file).read_text())
    del told["status"]
    (root / file).write_text(json.dumps({**told, "published": True, "unpublished_reason": None}))
    for where in ((), (root / file,)):
        code, out, _ = ib("lint", *where, "--benchmark", root)
        assert (code, "title: has the placeholder '(say it here)'" in out) == (1, True)
        assert "has the placeholder '(What the person says in turn 1.)'" in out
    assert "as `counts` in configs/scenarios.yaml says" in ib("lint", "--benchmark", root)[1]
    (root / file).unlink()


@pytest.mark.parametrize("kind", FILES)
def test_nothing_is_overwritten(ib: Ib, root: Path, kind: str) -> None:
    """A file that is there stays as it is."""
    name, file = FILES[kind]
    ib("new", kind, name, "--benchmark", root)
    (root / file).write_text("written by hand")
    code, _, err = ib("new", kind, name, "--benchmark", root)
    assert code == 2
    assert "exists; choose another id" in err
    assert (root / file).read_text() == "written by hand"
    (root / file).unlink()


@pytest.mark.parametrize(
    ("kind", "name", "words"),
    [
        ("check", "C9-talks-down-", "cannot be the id of a check"),
        ("check", "IB-E9-talks-down", "unknown dimension 'E'"),
        ("check", "../x", "cannot be the id of a check"),
        ("lexicon", "Talks Down", "cannot be the name of a lexicon"),
        ("lexicon", "../x", "cannot be the name of a lexicon"),
        ("scenario", "../x", "cannot be the id of a scenario"),
        ("scenario", "winter", "does not start with a category and a theme; choose from context-cultural-"),
        ("scenario", "work-grief-winter", "does not start with a category and a theme"),
        ("scenario", "empathy-griefs-x", "did you mean empathy-grief-...? choose from context-cultural-"),
        ("scenario", "empathy-..-..-winter", "does not start with a category and a theme"),
    ],
)
def test_an_id_that_nothing_may_have(ib: Ib, root: Path, kind: str, name: str, words: str) -> None:
    """The message says what an id looks like, and nothing is written."""
    before = sorted(root.rglob("*"))
    code, _, err = ib("new", kind, name, "--benchmark", root)
    assert code == 2
    assert words in err
    assert sorted(root.rglob("*")) == before


def test_a_benchmark_that_is_not_there(ib: Ib, tmp_path: Path) -> None:
    """No folder is made by mistake."""
    code, _, err = ib("new", "lexicon", "talks_down", "--benchmark", tmp_path / "none")
    assert code == 2
    assert "no such folder" in err
    assert not (tmp_path / "none").exists()
