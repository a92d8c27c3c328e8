"""These tests need Inspect and Scout, which this project does not lock; without them they are skipped."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path

import pytest

os.environ["IB_CACHE"] = "off"
os.environ.setdefault("INSPECT_DISPLAY", "none")
HERE = Path(__file__).parent
MISSING = [name for name in ("inspect_ai", "inspect_scout", "ib_inspect") if find_spec(name) is None]
HOW = (
    f"{', '.join(MISSING)} missing; in an environment of its own: "
    "pip install -e . -e 'plugins/inspect[scout]' pytest pyarrow mlcroissant, then "
    "python -m pytest plugins/inspect/tests"
)


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Without Inspect, leave out the modules that import it; `test_environment.py` says so."""
    needs = collection_path.parent == HERE and collection_path.name.startswith("test_")
    return True if MISSING and needs and collection_path.name != "test_environment.py" else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All tests of this folder are tests of the gate, and the warnings of Inspect are not ours."""
    for item in items:
        if item.path.parent == HERE:
            item.add_marker(pytest.mark.gate)
            item.add_marker(pytest.mark.filterwarnings("ignore"))


@pytest.fixture(scope="session")
def missing() -> str | None:
    """What is missing, and how to install it; None if nothing is."""
    return HOW if MISSING else None


@pytest.fixture(autouse=True, scope="session")
def _no_download() -> None:
    """Let mockllm count every text as one token: to count tokens, it would download a table."""
    if MISSING:
        return
    from inspect_ai.model._providers.mockllm import MockLLM

    async def one(*_: object) -> int:
        return 1

    MockLLM.count_tokens = MockLLM.count_text_tokens = one
