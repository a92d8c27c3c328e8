from __future__ import annotations

import html
import random
import unicodedata
from itertools import product

import markdown
import pytest
from jinja2 import Environment, StrictUndefined, UndefinedError
from markupsafe import Markup

from delivery.words import escape
from tests.delivery import reading, sample

EXTENSIONS = ["fenced_code", "attr_list", "md_in_html", "tables", "footnotes", "abbr", "admonition", "toc"]
"""More extensions than the site uses, so that the test is stricter than the site."""


def shown(text: str) -> str:
    """The text as a page should show it: unchanged, but invisible control characters become marks."""
    marks = {"Cc", "Cf", "Zl", "Zp"}
    return (
        "".join(
            f"[U+{ord(char):04X}]" if unicodedata.category(char) in marks and char not in "\n\r\t" else char
            for char in text.replace("\u200d\U0001f469", "\ue000").replace("\u200d\U0001f467", "\ue001")
        )
        .replace("\ue000", "\u200d\U0001f469")
        .replace("\ue001", "\u200d\U0001f467")
    )


def through_markdown(text: str) -> str:
    """The text of an element after Markdown processing."""
    page = markdown.markdown(f"<div>\n<p>{escape.entity(text)}</p>\n</div>", extensions=EXTENSIONS)
    (paragraph,) = reading.read(page).all("p")
    assert paragraph.all() == []
    return paragraph.text


@pytest.mark.parametrize("text", sample.HOSTILE)
def test_hostile_text_survives_markdown_as_text(text: str) -> None:
    """With all Markdown extensions on, a text stays the same text, without elements."""
    assert through_markdown(text) == shown(text)


def test_random_mixtures_survive_markdown_as_text() -> None:
    """Pieces of hostile texts in any order stay harmless too."""
    random_ = random.Random(20)  # noqa: S311 - a fixed sequence is wanted
    for _ in range(150):
        text = "".join(random_.sample(sample.HOSTILE, 3))
        cut = random_.randrange(len(text))
        mixed = (text[cut:] + text[:cut]).replace("\u200d", "")
        assert through_markdown(mixed) == shown(mixed)


def test_only_listed_characters_stay_plain_ascii() -> None:
    """Letters, digits, spaces and the listed punctuation; every other ASCII character is a numeric entity."""
    for code in range(128):
        char = chr(code)
        written = str(escape.entity(char))
        plain = char.isalnum() or char == " " or char in escape.PLAIN
        assert written == char if plain else written.startswith("&#")


def test_listed_punctuation_is_inert_in_html() -> None:
    """Every sequence of three, alone or beside other characters, reads as it was written, in both places."""
    signs = [*escape.PLAIN, " ", "x", "&", "<", '"']
    said = ["".join(three) for three in product(signs, repeat=3)]
    page = "".join(f'<p title="{escape.entity(text)}">{escape.entity(text)}</p>' for text in said)
    found = reading.read(page).parts
    assert [(one.attrs, one.parts) for one in found if isinstance(one, reading.Element)] == [
        ({"title": text}, [text]) for text in said
    ]


@pytest.mark.parametrize("sign", escape.PLAIN)
def test_listed_punctuation_is_inert_in_markdown(sign: str) -> None:
    """At the start of a text or line, alone, repeated, or before other punctuation."""
    for other in ["", "x", *escape.PLAIN]:
        text = f"{sign}{sign}{sign} x\n{sign} x\n\n{sign}{other}x{other}{sign}\n{sign * 4}\n1{sign} x"
        assert through_markdown(text) == text


@pytest.mark.parametrize(
    "char",
    ["\u034f", "\u115f", "\u1160", "\u17b4", "\u180b", "\u2065", "\u2800", "\u3164", "\ufe00", "\uffa0",
     "\U0001d159", "\U000e0100", "\u200b", "\u00ad", "\u202e", "\x07"],
)  # fmt: skip
def test_a_character_that_shows_nothing_becomes_a_mark(char: str) -> None:
    """Whatever its category: Unicode has letters, accents and symbols without a shape."""
    code = f"[U+{ord(char):04X}]"
    assert html.unescape(escape.entity(f"a{char}b")) == f"a{code}b"
    assert html.unescape(escape.entity(f"\u2764{char}")) == f"\u2764{code}"
    assert not escape.title(char * 5 + "a" + char * 200).startswith(char)
    assert escape.title(char) == "Untitled"


@pytest.mark.parametrize(
    "char", [" ", "\u00a0", "\u3000", "\n", "\t", "\u4e2d", "\u0301", "\u0f0b", "\u0300"]
)
def test_spaces_letters_and_accents_stay(char: str) -> None:
    """A space beyond ASCII is a space, and an accent is a part of its letter."""
    assert html.unescape(escape.entity(f"a{char}b")) == f"a{char}b"


@pytest.mark.parametrize(
    "emoji",
    ["\u2764\ufe0f", "\u2764\ufe0e", "1\ufe0f\u20e3", "#\ufe0f\u20e3", "\u2139\ufe0f", "\u203c\ufe0f",
     "\u2194\ufe0f", "\U0001f469\u200d\U0001f469\u200d\U0001f467", "\U0001f3f3\ufe0f\u200d\U0001f308",
     "\U0001f642\u200d\u2194\ufe0f", "\U0001f469\U0001f3fd\u200d\u2695\ufe0f"],
)  # fmt: skip
def test_parts_of_an_emoji_get_no_mark(emoji: str) -> None:
    """A joiner, and the choice of a picture, belong to the emoji; a second choice hides something."""
    assert html.unescape(escape.entity(f"a {emoji} b")) == f"a {emoji} b"
    assert "[U+FE0F]" in html.unescape(escape.entity(f"\u2764\ufe0f\ufe0f {emoji}"))


@pytest.mark.parametrize(
    "text", ["a\ufe0fb", "a\u200db", "\u4e2d\ufe0f", "^\u200d^", "\ufe0f\u200d\u2764", "\ufe0f"]
)
def test_parts_of_an_emoji_get_a_mark_elsewhere(text: str) -> None:
    """Without a picture before it, and after it if it joins, such a character hides in a word."""
    said = html.unescape(escape.entity(text))
    assert "\u200d" not in said
    assert "\ufe0f" not in said


@pytest.mark.parametrize("value", [0.5, None, True, ["x"], b"x"])
def test_an_unformatted_value_is_refused(value: object) -> None:
    """A float, None, a bool or a container never reaches a page by accident."""
    with pytest.raises(TypeError, match="format it first"):
        escape.written(value)


def test_a_template_cannot_output_markup_or_miss_a_value() -> None:
    """Every expression is escaped, and an unknown name stops the build."""
    env = Environment(autoescape=True, undefined=StrictUndefined, finalize=escape.written)
    assert env.from_string("{{ x }}").render(x="<b>") == "&#60;b&#62;"
    assert env.from_string("{{ x }}").render(x=Markup("<b>")) == "<b>"
    with pytest.raises(UndefinedError):
        env.from_string("{{ y }}").render(x=1)


@pytest.mark.parametrize("value", ["//example.org", "/x", "javascript:x", "https://x", "a b", 'a"b', "a#b#c"])
def test_addresses_stay_inside_the_site(value: str) -> None:
    """Only an address inside the site is accepted."""
    with pytest.raises(ValueError, match="cannot be an address"):
        escape.address(value)


@pytest.mark.parametrize("text", sample.HOSTILE)
def test_titles_need_no_escaping(text: str) -> None:
    """The theme does not escape titles, so a title contains no character of markup."""
    assert not set(escape.title(text)) & set("<>&\"'{}[]`#;\n\x00\x02")


@pytest.mark.parametrize("text", ["=1", "+1", "-1", "@x", "\tx", "\rx", "\n=1", "\uff1d1", "\uff20x"])
def test_cells_are_never_formulas(text: str) -> None:
    """Text that a spreadsheet would run gets a prefix; numbers and other text stay unchanged."""
    assert escape.cell(text) == f"'{text}"
    assert (escape.cell(-1), escape.cell("x=1"), escape.cell(None)) == (-1, "x=1", None)
