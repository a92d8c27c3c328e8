"""What a screen reader finds its way by, on every page: title, headings, landmarks, names and references."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.delivery import reading
from tests.delivery.reading import Element

LANDMARKS = frozenset({"banner", "main", "contentinfo", "navigation", "complementary", "search", "region"})
ONCE = ("banner", "main", "contentinfo")
OF_TAGS = {
    "header": "banner",
    "main": "main",
    "footer": "contentinfo",
    "nav": "navigation",
    "aside": "complementary",
    "search": "search",
}
"""The role of a landmark's element. A header or footer inside the content would have none; there is none."""
REFERENCES = (
    "aria-labelledby",
    "aria-describedby",
    "aria-controls",
    "aria-owns",
    "for",
    "headers",
    "popovertarget",
)


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[str, Element]:
    """Every built page, parsed."""
    return {
        path.relative_to(site).as_posix(): reading.read(
            re.sub("^<!doctype html>", "", path.read_text("utf-8"))
        )
        for path in sorted(site.rglob("*.html"))
    }


def test_every_page_has_a_title_of_its_own(pages: dict[str, Element]) -> None:
    """In a list of tabs or of results, no two pages have the same name."""
    titles = {path: page.all("head")[0].all("title") for path, page in pages.items()}
    assert {len(found) for found in titles.values()} == {1}
    shared = Counter(found[0].text for found in titles.values())
    assert [title for title, count in shared.items() if count > 1 or not title.strip()] == []


def test_headings_are_in_order(pages: dict[str, Element]) -> None:
    """A page has one heading of the first level, it comes first, and no level is left out on the way down."""
    for path, page in pages.items():
        levels = [int(one.tag[1]) for one in page.all() if re.fullmatch("h[1-6]", one.tag)]
        assert levels.count(1) == 1, path
        assert all(down <= up + 1 for up, down in zip([0, *levels], levels, strict=False)), (path, levels)
        assert all(one.text.strip() for one in page.all() if re.fullmatch("h[1-6]", one.tag)), path


def test_landmarks_are_told_apart(pages: dict[str, Element]) -> None:
    """Header, content and footer are there once; landmarks of one role have different names."""
    for path, page in pages.items():
        found = list(_landmarks(page))
        roles = Counter(role for role, _ in found)
        assert {role: roles[role] for role in ONCE} == dict.fromkeys(ONCE, 1), path
        twice = [(role, name) for (role, name), count in Counter(found).items() if count > 1]
        assert twice == [], path
        assert [name for role, name in found if role in {"region", "navigation"} and not name] == [], path


def test_names_refer_to_what_is_there(pages: dict[str, Element]) -> None:
    """Every id is there once, and every reference finds one."""
    for path, page in pages.items():
        ids = Counter(one.attrs["id"] for one in page.all() if "id" in one.attrs)
        assert [name for name, count in ids.items() if count > 1] == [], path
        wanted = {name for one in page.all() for key in REFERENCES for name in one.attrs.get(key, "").split()}
        assert wanted - set(ids) == set(), path


def test_a_label_says_what_is_shown(pages: dict[str, Element]) -> None:
    """The name of a link or button contains its text, so that it can be reached by speech (WCAG 2.5.3)."""
    for path, page in pages.items():
        labeled = [
            one for one in page.all() if one.tag in {"a", "button", "summary"} and "aria-label" in one.attrs
        ]
        other = [
            one.attrs["aria-label"]
            for one in labeled
            if _words(one.text) not in _words(one.attrs["aria-label"])
        ]
        assert other == [], path


def _words(text: str) -> str:
    """The letters and digits of a text, as they are spoken."""
    return " ".join(re.findall(r"\w+", text.lower()))


def _landmarks(page: Element) -> Iterator[tuple[str, str]]:
    """The role and the name of each landmark of a page."""
    for one in page.all():
        role = one.attrs.get("role") or OF_TAGS.get(one.tag)
        if role in LANDMARKS:
            yield role, one.attrs.get("aria-label", one.attrs.get("aria-labelledby", ""))
