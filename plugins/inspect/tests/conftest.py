"""These tests need Inspect and Scout (`make inspect`). Elsewhere, test_environment.py starts them there."""

from __future__ import annotations

import os
from functools import cache
from importlib.metadata import packages_distributions
from importlib.util import find_spec
from pathlib import Path

import pytest

os.environ["IB_CACHE"] = "off"
os.environ.setdefault("INSPECT_DISPLAY", "none")
HERE = Path(__file__).parent
NEEDED = ("inspect_ai", "inspect_scout", "ib_inspect", "mlcroissant")
MISSING = tuple(name for name in NEEDED if find_spec(name) is None)


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Without Inspect, leave out the modules that import it."""
    needs = collection_path.parent == HERE and collection_path.name.startswith("test_")
    return True if MISSING and needs and collection_path.name != "test_environment.py" else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All tests of this folder are tests of the gate, and the warnings of Inspect are not ours."""
    for item in items:
        if item.path.parent == HERE:
            item.add_marker(pytest.mark.gate)
            item.add_marker(pytest.mark.filterwarnings("ignore"))


@pytest.fixture(scope="session")
def missing() -> tuple[str, ...]:
    """The packages that are not installed in the environment of this process."""
    return MISSING


@pytest.fixture(autouse=True, scope="session")
def _no_download() -> None:
    """Let mockllm count every text as one token: to count tokens, it would download a table."""
    if MISSING:
        return
    from inspect_ai.model._providers.mockllm import MockLLM

    async def one(*_: object) -> int:
        return 1

    for name in ("count_tokens", "count_text_tokens"):
        setattr(MockLLM, name, one)


@pytest.fixture(autouse=True, scope="session")
def _distributions_read_once() -> None:
    """Inspect lists the files of every installed package whenever a task starts: a second of CPU."""
    if MISSING:
        return
    from inspect_ai._util import package

    setattr(package, "packages_distributions", cache(packages_distributions))  # noqa: B010 - not exported
