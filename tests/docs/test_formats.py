"""The pages of the formats and of the artifacts say what the models say, and their examples are valid."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import BaseModel

from ib.models.common.configured import ModelsFile
from ib.models.common.fields import SHARED
from ib.models.scan.run import Script
from ib.models.scan.supplement import RegardPart
from ib.models.schemas import DATA
from ib.store.files.wording import page
from tools.formats import DOCS, ELSEWHERE, MARKED, artifacts_page, with_keys
from tools.schemas import schema, schemas, shared_names

PAGES = sorted((DOCS / "formats").glob("*.md"))
EXAMPLE = re.compile(r"^## Example\n.*?```(?:yaml|json)\n(.*?)```", re.DOTALL | re.MULTILINE)
FORMS: dict[str, type[BaseModel]] = {
    **DATA,
    "script": Script,
    "models": ModelsFile,
    **ELSEWHERE,
}


def parts() -> list[dict[str, Any]]:
    """Every schema, and every part of one."""
    others = [schema(name, model, "validation") for name, model in ELSEWHERE.items()]
    whole = [json.loads(data) for data in (*schemas().values(), *others)]
    return [*whole, *(part for schema in whole for part in schema.get("$defs", {}).values())]


def test_every_field_of_every_schema_has_a_text() -> None:
    """An editor and a page can say what a key is for."""
    silent = {
        f"{part['title']}.{key}"
        for part in parts()
        for key, value in part.get("properties", {}).items()
        if "description" not in value
    }
    assert silent == set()


def test_a_shared_text_belongs_to_several_models() -> None:
    """A text that fewer than two models use stands under its field; one that none uses is removed."""
    used = shared_names(*ELSEWHERE.values())
    assert {name for name in SHARED if used[name] < 2} == set()


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_the_tables_of_a_page_are_those_of_the_models(path: Path) -> None:
    """`make generate` has written them since a model was changed last."""
    text = path.read_text(encoding="utf-8")
    assert with_keys(text) == text


def test_the_page_of_the_artifacts_is_that_of_the_models() -> None:
    """The same, for docs/artifacts.md."""
    assert artifacts_page() == (DOCS / "artifacts.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", FORMS)
def test_every_data_file_has_a_page(name: str) -> None:
    """The tables of its keys stand on one page, and the index leads there."""
    pages = [path for path in PAGES if name in [m[2] for m in MARKED.finditer(path.read_text())]]
    assert len(pages) == 1
    assert f"]({pages[0].name})" in (DOCS / "formats" / "index.md").read_text()


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_the_example_of_a_page_is_valid(path: Path) -> None:
    """What a reader copies is taken by the model; the example of a part is taken by that part."""
    text = path.read_text(encoding="utf-8")
    names = [match[2] for match in MARKED.finditer(text)]
    example = EXAMPLE.search(text)
    if len(names) == 1 and path.stem != "frame":
        assert example is not None
        value = yaml.safe_load(example[1])
        form = RegardPart if names == ["supplementary"] else FORMS[names[0]]
        for item in value if isinstance(value, list) else [value]:
            form.model_validate(item)


@pytest.mark.parametrize("module", sorted({model.__module__ for model in FORMS.values()}))
def test_a_message_about_a_data_file_names_its_page(module: str) -> None:
    """Where a message has to say "see", it names a page and not a module."""
    assert (DOCS.parent / page(module)).suffix == ".md"
    assert (DOCS.parent / page(module)).is_file()
