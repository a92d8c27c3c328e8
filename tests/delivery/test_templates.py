"""The HTML of templates and pages gives escaped text only places in which it is inert."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from delivery.release.place import site_source

SOURCE = site_source() / "site_src"
TEMPLATES = sorted([*SOURCE.glob("templates/**/*.html"), *SOURCE.glob("theme/**/*.html")])
TAG = re.compile(r"<(?=[a-zA-Z/!?])[^<>]*>")
FORM = re.compile(r"""</?[a-zA-Z][a-zA-Z0-9-]*(?:\s+[^\s"'<>/=]+(?:="[^"]*")?)*\s*/?>|<!doctype html>""")
"""A tag whose attributes are all in double quotes."""


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: path.relative_to(SOURCE).as_posix())
def test_a_template_writes_attributes_in_double_quotes(template: Path) -> None:
    """No attribute is in single quotes or without quotes, and no expression stands in a tag outside them."""
    text = re.sub(r"\{#.*?#\}|\{%.*?%\}", " ", template.read_text("utf-8"), flags=re.DOTALL)
    tags = TAG.findall(re.sub(r"\{\{.*?\}\}", "'", text, flags=re.DOTALL))
    assert [tag for tag in tags if not FORM.fullmatch(tag)] == []


def test_a_page_writes_attributes_in_double_quotes(site: Path) -> None:
    """The same for each finished page, because Python code writes some of its elements."""
    for page in site.rglob("*.html"):
        text = re.sub(r"(<script\b[^>]*>).*?</script>", r"\1", page.read_text("utf-8"), flags=re.DOTALL)
        assert [tag for tag in TAG.findall(text) if not FORM.fullmatch(tag)] == [], page
        assert text.count("<") == len(TAG.findall(text)), page
