"""The HTML of templates and pages gives escaped text only places in which it is inert."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from jinja2 import nodes

from delivery.build.render import environment
from delivery.release.place import site_source
from delivery.words.filters import FILTERS, template_filter

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


def used() -> set[str]:
    """The filters that the templates of pages name, also as the argument of `map`."""
    env = environment(SOURCE / "templates")
    trees = [env.parse(path.read_text("utf-8")) for path in SOURCE.glob("templates/**/*.html")]
    filters = [found for tree in trees for found in tree.find_all(nodes.Filter)]
    mapped = {arg.value for found in filters for arg in found.args[:1] if isinstance(arg, nodes.Const)}
    return {found.name for found in filters} | {name for name in mapped if name in FILTERS}


def test_every_filter_of_a_template_is_registered() -> None:
    """A template names only filters of Jinja and filters that rendering pages and reports registers."""
    code = "import delivery.report.page, delivery.pages.registry; "
    code += "from delivery.build.render import environment; from pathlib import Path; "
    code += "print(*environment(Path('.')).filters)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert used() - set(done.stdout.split()) == set()


def test_every_registered_filter_is_used() -> None:
    """A function that no template uses as a filter is not registered as one."""
    assert set(FILTERS) - used() == set()


def test_two_filters_never_share_a_name() -> None:
    """The second filter of a name is refused; it would silently replace the first on every page."""

    def percent() -> str:
        return ""

    with pytest.raises(ValueError, match=r"two filters .* named percent: delivery\.words\.numbers has one"):
        template_filter(percent)


def test_a_template_that_changed_is_compiled_again(tmp_path: Path) -> None:
    """What a process has compiled is taken for the same text only."""
    for text in ("one", "another"):
        (tmp_path / "page.html").write_text(text)
        assert environment(tmp_path).get_template("page.html").render() == text
