"""The pages whose figures are recomputed, each with the plain data of its release."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from delivery.build.render import render
from delivery.figures.tables import twins
from delivery.pages.registry import pages
from delivery.release.background import load_background
from delivery.release.place import Place, site_source
from delivery.release.view import Release
from delivery.sync_web_bench import project
from ib.models.release.bytes import release_bytes
from ib.models.release.leaderboard import Evidence, Leaderboard
from ib.models.release.transcripts import Transcripts
from ib.store.benchmark.loading import benchmark_folder, load_benchmark
from ib.store.folders.released import load_joined
from tests.browser.kinds import kinds_of
from tests.delivery import reading, sample
from tests.delivery.recomputed.claims import Here
from tests.delivery.recomputed.data import Source, board_of
from tests.delivery.test_open_logs import logs as open_logs
from tests.delivery.test_second import SECOND

Shown = list[Here]
"""Pages, each with its data."""
FOLDER = Path(__file__).resolve().parents[3] / "data" / "leaderboard"
MANY = {"transcript.html": 16, "quotes.html": 16, "scenario.html": 8, "check.html": 8, "pair.html": 6}
"""Of so many pages of a kind of the demonstration, one is read; of any other kind, every page."""


@pytest.fixture(scope="session")
def board() -> dict[str, Any]:
    """leaderboard.json as it is, with the lines of the release."""
    return board_of(FOLDER)


@pytest.fixture(scope="session")
def release() -> Release:
    """The demonstration as the site reads it."""
    leaderboard = load_joined(FOLDER)
    evidence = {path.stem: Evidence.model_validate_json(path.read_bytes()) for path in _files("evidence")}
    said = {path.stem: Transcripts.model_validate_json(path.read_bytes()) for path in _files("transcripts")}
    benchmark = load_benchmark()
    return Release(leaderboard, evidence, benchmark, load_background(benchmark_folder(), benchmark), said)


def _files(name: str) -> list[Path]:
    return sorted((FOLDER / name).iterdir())


@pytest.fixture(scope="session")
def demonstration(release: Release) -> Shown:
    """The pages of the demonstration; of kinds with many pages, some."""
    seen: Counter[str] = Counter()
    wanted = []
    for page in pages(release):
        if seen[page.template] % MANY.get(page.template, 1) == 0:
            wanted.append(page)
        seen[page.template] += 1
    texts = render(release, wanted, site_source() / "site_src" / "templates", Place())
    return read(texts, Source(FOLDER, benchmark_folder(), benchmark_folder()))


@pytest.fixture(scope="session")
def files(release: Release) -> dict[str, str]:
    """The data files of the demonstration."""
    return twins(release)


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Shown:
    """Every page of the sample, with a second judge."""
    folder = tmp_path_factory.mktemp("recomputed")
    made, evidence = sample.release()
    leaderboard = made.model_copy(update={"second_judge": SECOND})
    return _of_sample(folder, leaderboard, evidence, sample.transcripts())


@pytest.fixture(scope="session")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Shown:
    """Every page of the sample as open logs, which carry no transcripts."""
    return _of_sample(tmp_path_factory.mktemp("logs"), open_logs(), sample.release()[1], None)


def _of_sample(
    folder: Path,
    leaderboard: Leaderboard,
    evidence: dict[str, Evidence],
    said: dict[str, Transcripts] | None,
) -> Shown:
    leaderboard, evidence = sample.with_older_questions(leaderboard, evidence)
    sample.write(folder / "release", board=leaderboard)
    for slug, one in evidence.items():
        (folder / "release" / "evidence" / f"{slug}.json").write_bytes(release_bytes(one))
    sample.write_background(folder / "benchmark")
    if said is None:
        shutil.rmtree(folder / "release" / "transcripts")
    exams = sample.exams()
    texts = project(leaderboard, evidence, sample.benchmark(), sample.background(), said, exams=exams)
    return read(texts.items(), Source(folder / "release", _with_a_draft(folder), folder / "benchmark"))


def _with_a_draft(folder: Path) -> Path:
    """The benchmark with a draft check, which no page shows or counts."""
    root = shutil.copytree(benchmark_folder(), folder / "checks of the sample")
    text = (root / "checks" / "IB-C2-minimizing.yaml").read_text("utf-8")
    draft = text.replace("id: IB-C2-minimizing", "id: IB-C9-draft") + "status: draft\n"
    (root / "checks" / "IB-C9-draft.yaml").write_text(draft, "utf-8")
    return root


def read(texts: Iterable[tuple[str, str]], source: Source) -> Shown:
    """The pages with their trees."""
    found = []
    for path, text in texts:
        if path.endswith(".md"):
            address = f"{path.removesuffix('.md')}/".removesuffix("index/")
            (kind,) = kinds_of(address)
            if kind == "part of a model":
                kind = f"{address.split('/')[2]} of a model"
            elif source.board["open_logs"]:
                kind = kind.replace("scenario", "conversation")
            found.append(Here(source, kind, address, reading.read(reading.body(text))))
    return found
