"""Fixtures: the sample release as projected pages and as a built site, each made once."""

from __future__ import annotations

from pathlib import Path

import pytest

from delivery.sync_web_bench import build, project
from ib.models.common.base import Stage
from tests.delivery import sample
from tests.once import once


@pytest.fixture(scope="session")
def projected() -> dict[str, str]:
    """The files of the build folder."""
    exams = sample.exams()
    return project(
        *sample.release(), sample.benchmark(), sample.background(), sample.transcripts(), exams=exams
    )


@pytest.fixture(scope="session")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A benchmark folder with the scenarios and the characters of the sample."""
    at = once(tmp_path_factory, "benchmark", lambda folder: sample.write_background(folder / "root"))
    return at / "root"


@pytest.fixture(scope="session")
def release_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release folder with the sample."""
    return once(tmp_path_factory, "release", sample.write)


@pytest.fixture(scope="session")
def site(release_folder: Path, root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built demonstration site. Tests must not change it."""

    def make(folder: Path) -> None:
        build(release_folder, sample.benchmark(), folder / "built", root)

    return once(tmp_path_factory, "site", make) / "built"


@pytest.fixture(scope="session")
def research_site(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of the same release at stage research."""

    def make(folder: Path) -> None:
        release = sample.write(folder / "release", Stage.RESEARCH)
        build(release, sample.benchmark(), folder / "built", root)

    return once(tmp_path_factory, "research", make) / "built"
