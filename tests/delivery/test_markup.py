"""The fast reading of tags agrees with `html.parser`, and gives up rather than guess."""

from __future__ import annotations

from pathlib import Path

import pytest

from delivery.build import links

PLAIN = [
    "",
    "text only",
    "<!doctype html><html><p id=a>x</p></html>",
    '<a href="x.html" class="b">x</a><br/><img src=\'y.png\' alt="" hidden>',
    '<A HREF="x">x</A>',
    '<a href="?a=1&amp;b=2" title="a > b, c < d">x</a>',
    '<p\n  id="a"\n>x</p>',
    '<script>if (a < b && "</p>") { document.write("<a href=no>"); }</script><a href="yes">x</a>',
    "<style>a > b { color: red }</style><p>x</p>",
]
STRANGE = [
    "<!-- a comment --><p>x</p>",
    "<![foo[ <a href=x> ]]>",
    "a < b <p>x</p>",
    "<a href=x",
    '<a href="x>',
    "<script>never closed",
    "<a b=\"c\"d='e'>x</a>",
    "<?php ?>",
]


@pytest.mark.parametrize("text", PLAIN)
def test_plain_html_is_read_fast_and_right(text: str) -> None:
    """On HTML as pages have it, the fast reading finds the tags that `html.parser` finds."""
    assert links._fast(text) == links._slow(text)[0]


@pytest.mark.parametrize("text", STRANGE)
def test_other_html_is_left_to_the_parser(text: str) -> None:
    """HTML that the pattern does not explain to the last character is read by `html.parser`."""
    assert links._fast(text) is None
    assert links.tags(text) == links._slow(text)


def test_the_first_attribute_of_a_name_counts() -> None:
    """As in a browser, a second attribute of the same name is ignored by both readings."""
    text = '<a href="one" HREF="two">x</a>'
    assert links._fast(text) == links._slow(text)[0] == [("a", {"href": "one"})]


def test_every_page_of_the_site_is_read_fast(site: Path) -> None:
    """On every built page, the fast reading does not give up, and finds what `html.parser` finds."""
    for page in site.rglob("*.html"):
        text = page.read_text("utf-8")
        assert links._fast(text) == links._slow(text)[0], page
