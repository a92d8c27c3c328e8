"""Whether Inspect and Scout are there."""

from __future__ import annotations

import pytest


def test_inspect_and_scout_are_installed(missing: str | None) -> None:
    """Skipped with the way to install them if they are not; then every test of this folder is left out."""
    if missing is not None:
        pytest.skip(missing)
