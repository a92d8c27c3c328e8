"""The names of reference assistants: pages say that they are scripts, files keep the names of the release."""

from __future__ import annotations

from delivery.figures.tables import TABLES
from delivery.release.view import Release
from tests.delivery import reading, sample

SCRIPT = "Birch 2"


def test_pages_say_that_a_script_is_a_script(projected: dict[str, str]) -> None:
    """Wherever a row or a heading names a reference assistant, it says so; a model keeps its bare name."""
    for path in ("leaderboard.md", "models/index.md", "models/birch.md", "compare/alder--birch.md"):
        tree = reading.read(reading.body(projected[path]))
        named = [one.text for tag in ("h1", "th") for one in tree.all(tag) if SCRIPT in one.text]
        assert named, path
        assert all(f"{SCRIPT} (script)" in text for text in named), path
        assert "Alder 1 (script)" not in tree.text


def test_files_keep_the_name_of_the_release() -> None:
    """A table of data has the name that the leaderboard has."""
    release = Release(*sample.release(), sample.benchmark(), sample.background())
    (rows,) = (rows for name, _, rows in TABLES if name == "gates")
    names = {row["model"] for row in rows(release)}
    assert SCRIPT in names
    assert SCRIPT not in {model.model for model in release.models}
