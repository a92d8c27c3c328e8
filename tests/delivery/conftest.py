"""Fixtures: the sample release as projected pages and as a built site, each made once."""

from __future__ import annotations

from pathlib import Path

import pytest

from delivery.sync_web_bench import build, project
from ib.models.common.base import Stage
from tests.delivery import sample


@pytest.fixture(scope="session")
def projected() -> dict[str, str]:
    """The files of the build folder."""
    return project(*sample.release(), sample.benchmark(), sample.background(), sample.transcripts())


@pytest.fixture(scope="session")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A benchmark folder with the scenarios and the characters of the sample."""
    return sample.write_background(tmp_path_factory.mktemp("benchmark") / "root")


@pytest.fixture(scope="session")
def release_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release folder with the sample."""
    return sample.write(tmp_path_factory.mktemp("release"))


@pytest.fixture(scope="session")
def site(release_folder: Path, root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built demonstration site. Tests must not change it."""
    out = tmp_path_factory.mktemp("site") / "built"
    build(release_folder, sample.benchmark(), out, root)
    return out


@pytest.fixture(scope="session")
def research_site(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of the same release at stage research."""
    folder = tmp_path_factory.mktemp("research")
    build(sample.write(folder / "release", Stage.RESEARCH), sample.benchmark(), folder / "built", root)
    return folder / "built"
