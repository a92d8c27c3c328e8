"""What shows nothing is no answer; whatever shows something is one."""

from __future__ import annotations

from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ib.text.shown import bare, blank

INVISIBLE = [
    *("", " ", " \n\t", "\u00a0\u3000", "\u200b\u2060", "\u00ad", "\x00\x1b"),
    *("\ufe0f", "\u034f", "\u115f\u1160", "\u17b4\u17b5", "\u3164", "\uffa0", "\u2800 \u2800", "\u180b"),
    *("\U000e0041\U000e007f", "\U000e0100", "\U0001d173", "\ufff9"),
]
LAYOUT = [
    *(
        "---",
        "***",
        "___",
        "- - -",
        "** **",
        "****",
        "``",
        "```\n\n```",
        "~~ ~~",
        "# ",
        "> ",
        "> ---",
        "-",
        "-\n-\n",
    ),
    *(
        "<br>",
        "<br/>\n<br />",
        "<p> </p>",
        '<div class="a" id=b>\n</div>',
        "<BR>",
        "<!-- -->",
        "<!-- call 911 -->",
    ),
    *("<!-- no end", "&nbsp;", "&#8203;&#x3164;", "<b>**</b>", "**\u200b**"),
]
VISIBLE = [
    *(
        "a",
        "\U0001f600",
        "\u2764\ufe0f",
        "...",
        "?",
        "\u4f60\u597d",
        "\u00e9",
        "1.",
        "--",
        "\u2014",
        "-_-",
        "**a**",
    ),
    *(
        "<3",
        "</3",
        "<br>a",
        "a<br>",
        "< br",
        "a < b",
        "<!-- a --> b",
        "&lt;",
        "&",
        "&#72;",
        "<img src=a>",
        "$",
        "= =",
    ),
    *("> a", "# b", "---\nc", "\u200b.", "<me@you.org>"),
]


@pytest.mark.parametrize("text", INVISIBLE)
def test_characters_without_a_shape_are_blank(text: str) -> None:
    """White space, controls and what Unicode says to draw nothing for: no text, and no reply."""
    assert blank(text)
    assert bare(text)


@pytest.mark.parametrize("text", LAYOUT)
def test_layout_round_nothing_is_no_reply(text: str) -> None:
    """Rules, emphasis, comments and tags round no word show nothing; a person may say them all the same."""
    assert bare(text)
    assert not blank(text)


@pytest.mark.parametrize("text", VISIBLE)
def test_what_can_be_seen_is_an_answer(text: str) -> None:
    """One emoji, one mark of punctuation, one letter of any script is enough."""
    assert not bare(text)
    assert not blank(text)


@given(st.text(), st.sampled_from("aZ9\u00e9\u4f60\U0001f600.!"))
def test_nothing_around_a_word_makes_it_unseen(text: str, seen: str) -> None:
    """Whatever stands around a character that shows, but for an HTML tag, it is a reply."""
    text = text.replace("<", "").replace("&", "")
    assert not bare(f"{text}{seen}{text}")


@pytest.mark.parametrize("text", ["<!--", "<a ", "<a b=", "&", "> ", "-  ", "<", "\u3164", "<a b='"])
def test_no_text_takes_long(text: str) -> None:
    """A message that is nothing but the beginnings of layout is read once."""
    began = process_time()
    bare(text * (1_000_000 // len(text)))
    assert process_time() - began < 5
