"""A system prompt that is not the benchmark's own is named wherever the results of a model are read."""

from __future__ import annotations

import pytest

from delivery.sync_web_bench import project
from tests.delivery import sample
from tests.delivery.reading import body, read

NOTE = "The models were given a system prompt that is not the benchmark's own (SHA-256 of its file: abc123)."


@pytest.mark.parametrize("notes", [(NOTE,), ()])
def test_another_system_prompt_is_named_on_its_pages(notes: tuple[str, ...]) -> None:
    """The page of each model and the methodology name its hash; nothing is said of the own one."""
    board, evidence = sample.release()
    told = board.model_copy(update={"notes": notes})
    pages = project(told, evidence, sample.benchmark(), sample.background())
    models = [f"models/{model.slug}.md" for model in board.models]
    for path in (*models, "methodology.md"):
        found = [name for name in pages if name in (path, path.replace(".md", "/index.md"))]
        assert ("abc123" in read(body(pages[found[0]])).text) is bool(notes), path
