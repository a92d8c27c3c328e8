"""A reply that shows nothing is not a reply. The same rule decides what is matched."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ib.text.normalize import normalize
from ib.text.shown import bare, blank
from tests.text.test_normalize import TEXTS

PROBES = Path(__file__).resolve().parents[3] / "shared" / "cases" / "shown.jsonl"
"""Cases written by others, where they are at hand."""

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
HIDDEN = [
    *(
        "<script>let a = 1</script>",
        "<SCRIPT src=a>b",
        "<style>\nb { color: red }\n</style>",
        "<!DOCTYPE html>",
    ),
    *("[](https://a.org/b)", "[ ](a 'b')", "[**](<a b>)"),
    *("![](b.jpg)", "<img src=b.jpg>", "[7]", "[12][13]", "[^3]", "\u00b2\u00b3"),
    *("<my-box></my-box>", "<think>\n</think>", "<box/>", "<ruby></ruby>", "> [](a)", "# <i></i>", "<!-->"),
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
        "$",
        "= =",
    ),
    *("> a", "# b", "---\nc", "\u200b.", "<me@you.org>"),
    *("<her name>", "<name>", "<script-writer>", "4 > 3", "[2] Ask the ward.", "[123]", "[ ]", "[a](b)"),
    *("`y`", "`<br>`", "```html\n<script>b</script>\n```", r"\***", "&#42;", "<!-->c", "![a](b)"),
    *("<http://a.org>", "<script>a</script>b"),
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


@pytest.mark.parametrize("text", HIDDEN)
def test_hidden_text_is_no_reply(text: str) -> None:
    """Scripts, empty links and pictures, numbers of notes and empty tags show nothing, and match nothing."""
    assert bare(text)
    assert not any(map(str.isalnum, normalize(text).text))


@pytest.mark.parametrize("text", VISIBLE)
def test_what_can_be_seen_is_an_answer(text: str) -> None:
    """One emoji, one mark of punctuation, one letter of any script is enough."""
    assert not bare(text)
    assert not blank(text)


@pytest.mark.skipif(not PROBES.is_file(), reason="the shared cases are not here")
def test_shared_cases() -> None:
    """Every shared case is decided as it says."""
    cases = [json.loads(line) for line in PROBES.read_text(encoding="utf-8").splitlines()]
    assert cases
    assert [case for case in cases if bare(case["text"]) is case["shows_something"]] == []


@given(TEXTS)
def test_what_is_matched_is_what_is_shown(text: str) -> None:
    """The normal form of a reply that shows nothing holds marks of layout at most."""
    matched = normalize(text).text
    if bare(text):
        assert set(matched) <= set(">#+-_~ ")


@given(st.text(), st.sampled_from("aZ9\u00e9\u4f60\U0001f600.!"))
def test_nothing_around_a_word_makes_it_unseen(text: str, seen: str) -> None:
    """A character that shows makes a reply, whatever stands around it, except tags and links."""
    text = "".join(character for character in text if character not in "<&[]")
    assert not bare(f"{text}{seen}{text}")


@pytest.mark.parametrize(
    "text",
    [
        *("<!--", "<a ", "<a b=", "&", "> ", "-  ", "<", "\u3164", "<a b='"),
        *("[", "](", "`a ", "``\n`", "<x", "</x>"),
    ],
)
def test_the_beginnings_of_layout_are_the_same_however_many(text: str) -> None:
    """A message of nothing but the beginnings of layout. `benchmarks.texts` measures how long it takes."""
    assert bare(text * (1_000_000 // len(text))) is bare(text * 10)
