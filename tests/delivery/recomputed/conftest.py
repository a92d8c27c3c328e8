"""The release of this repository: its leaderboard as plain JSON, and the pages with figures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from delivery.background import load_background
from delivery.pages.registry import pages
from delivery.place import Place
from delivery.release import Release
from delivery.render import render
from delivery.source import site_source
from delivery.tables import twins
from ib.models.leaderboard import Evidence, Leaderboard
from ib.store.benchmark import benchmark_folder, load_benchmark

FOLDER = Path(__file__).resolve().parents[3] / "data" / "leaderboard"
FIGURES = ("index.md", "leaderboard.md", "checks/index.md", "contrast/index.md", "compare/", "models/")


@pytest.fixture(scope="session")
def board() -> dict[str, Any]:
    """leaderboard.json as it is."""
    found: dict[str, Any] = json.loads((FOLDER / "leaderboard.json").read_bytes())
    return found


@pytest.fixture(scope="session")
def release() -> Release:
    """The release as the site reads it, without its transcripts."""
    leaderboard = Leaderboard.model_validate_json((FOLDER / "leaderboard.json").read_bytes())
    evidence = {
        path.stem: Evidence.model_validate_json(path.read_bytes()) for path in (FOLDER / "evidence").iterdir()
    }
    benchmark = load_benchmark()
    return Release(leaderboard, evidence, benchmark, load_background(benchmark_folder(), benchmark))


@pytest.fixture(scope="session")
def shown(release: Release) -> dict[str, str]:
    """The pages that have figures, and the data files."""
    wanted = (
        page
        for page in pages(release)
        if page.path.startswith(FIGURES) and page.template not in ("quotes.html", "counts.html")
    )
    templates = site_source() / "site_src" / "templates"
    return dict(render(release, wanted, templates, Place())) | twins(release)
