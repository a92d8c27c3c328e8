from __future__ import annotations

import random
import unicodedata
from itertools import product

import markdown
import pytest
from jinja2 import Environment, StrictUndefined, UndefinedError
from markupsafe import Markup

from delivery import escape
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
    html = markdown.markdown(f"<div>\n<p>{escape.entity(text)}</p>\n</div>", extensions=EXTENSIONS)
    (paragraph,) = reading.read(html).all("p")
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
