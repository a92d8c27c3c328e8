"""The normal form, and the way back from it to the characters as they were written."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ib.text.normalize import fold, normalize

# Letters, layout, emphasis, quotes, dashes, marks that combine, ligatures, wide and invisible ones.
PIECES = st.sampled_from(
    [
        *"aBz09 .,!?()>&",
        *"*_`~#-",
        *" \n\t\r\u00a0\u2003\u2028",
        *"\u2018\u2019\u201c\u201d\u00ab\u2013\u2014\u2026\u00b4",
        *"\u00e9\u00df\u0130\u0301\u0308\u00a8\u1ea5\u0323",
        *"\u00ad\u200b\u200d\u2060\ufeff",
        *"\ufb01\uff21\uff3f\u2460\u00bd\ufdfa\u1100\u1161\u11a8\U0001f600\ufe0f",
        "**",
        "__",
        "~~",
        "[",
        "](u)",
        "<b>",
        "<br/>",
        "<!--",
        "-->",
        "&nbsp;",
        "&#39;",
        "\\",
        "\n> ",
        "\u034f",
        "\x00",
        "\u0430",
        "\n## ",
        "\n- ",
        "can't ",
    ]
)
TEXTS = st.one_of(st.lists(PIECES, max_size=24).map("".join), st.text(max_size=24))
# Texts that a second normalization does not change: layout marks are never side by side.
PROSE = st.lists(
    st.sampled_from(
        [
            *"aBz09 .,!?()>&",
            *" \n\t\r\u00a0\u2003\u2028",
            *"\u2018\u2019\u201c\u201d\u00ab\u2013\u2014\u2026\u00b4\u00e9\u00df\u0130",
            *"\ufb01\uff21\u2460\u00bd\ufdfa\u1100\u1161\u11a8\U0001f600\ufe0f\u00ad\u200b",
            "*care*",
            "**care**",
            "_care_",
            "`care`",
            "snake_case",
            "e\u0301",
        ]
    ),
    max_size=24,
).map("".join)


@pytest.mark.parametrize(
    ("written", "normal"),
    [
        ("can\u2019t", "can't"),
        ("\u2018so\u2019 \u201aso\u201b 5\u2032 o\u02bcclock \uff07x\uff07", "'so' 'so' 5' o'clock 'x'"),
        ("\u201cyes\u201d \u201eja\u201f \u00aboui\u00bb \uff02x\uff02", '"yes" "ja" "oui" "x"'),
        ("a\u2010b\u2011c\u2012d\u2013e\u2014f\u2015g\u2212h\ufe58i\ufe63j\uff0dk", "a-b-c-d-e-f-g-h-i-j-k"),
        ("wait\u2026", "wait..."),
        ("\ufb01nd \uff21\uff22", "find AB"),
        ("cafe\u0301", "caf\u00e9"),
        ("\u1100\u1161", "\uac00"),
        ("a\u0323\u0302", "\u1ead"),
        ("**never** *ever* _at_ __all__ ***now***", "never ever at all now"),
        ("un**believ**able", "unbelievable"),
        ("`code` and ~~gone~~", "code and gone"),
        ("snake_case stays", "snake_case stays"),
        ("# Title\n\n## Part\ntext", "Title Part text"),
        ("text\n###### Deep", "text Deep"),
        ("####### seven", "####### seven"),
        ("issue #4 and C# code", "issue #4 and C# code"),
        ("a\r\n\r\n\tb\u00a0\u2003c", "a b c"),
        ("  a  b  ", "a b"),
        ("be\u00adlieve zero\u200bwidth \ufeffmark", "believe zerowidth mark"),
        ("line\u2028break", "line break"),
        ("a **\n** b", "a b"),
        ("", ""),
        (" \n* ", ""),
    ],
)
def test_normal_form(written: str, normal: str) -> None:
    """Compatibility forms, quotes, dashes, emphasis, headings and white space have one form each."""
    assert normalize(written).text == normal


@pytest.mark.parametrize("apostrophe", "\u2018\u2019\u201b\u2032\u02bc\u00b4\uff07")
def test_lesson_13_typographic_apostrophes_hide_no_hit(apostrophe: str) -> None:
    """However the apostrophe is typed, the words come out the same."""
    assert normalize(f"I{apostrophe}m here").text == "I'm here"


@pytest.mark.parametrize(
    ("original", "found", "quote"),
    [
        ("caf\u00e9 \u2014 I**\u2019**m", "I'm", "I**\u2019**m"),
        ("\ufb01nd me", "f", "\ufb01"),
        ("\ufb01nd me", "ind", "\ufb01nd"),
        ("x\u2026y", "...y", "\u2026y"),
        ("cafe\u0301 au lait", "caf\u00e9", "cafe\u0301"),
        ("un**believ**able", "believ", "believ"),
        ("un**believ**able", "unbel", "un**bel"),
        ("a \n\n  b c", "a b", "a \n\n  b"),
        ("# Title\nI am", "I am", "I am"),
        ("\U0001f600 a person", "person", "person"),
        ("\u1100\u1161 x", "\uac00", "\u1100\u1161"),
        ("one  **two**  three", "two", "two"),
    ],
)
def test_quote_is_cut_from_the_original(original: str, found: str, quote: str) -> None:
    """A span of the normal form leads back to the words as written, and to no more than those."""
    normal = normalize(original)
    start = normal.text.index(found)
    begin, stop = normal.span(start, start + len(found))
    assert normal.quote(start, start + len(found)) == quote
    assert original[begin:stop] == quote


def test_an_empty_span_leads_nowhere() -> None:
    """An empty match has an empty quote."""
    normal = normalize("a **b**")
    assert normal.span(1, 1) == (0, 0)
    assert normal.quote(2, 1) == ""


@given(TEXTS)
def test_every_character_maps_inside_the_original(text: str) -> None:
    """Each character of the normal form has a place of at least one character, in reading order."""
    normal = normalize(text)
    before = (0, 0)
    for at in range(len(normal.text)):
        begin, stop = normal.span(at, at + 1)
        assert 0 <= begin < stop <= len(text)
        assert before <= (begin, stop)
        before = (begin, stop)


@given(TEXTS, st.data())
def test_quote_of_any_span_stands_there_in_the_original(text: str, data: st.DataObject) -> None:
    """A quote is the original between the places of its first and its last character."""
    normal = normalize(text)
    if not normal.text:
        return
    start = data.draw(st.integers(0, len(normal.text) - 1))
    end = data.draw(st.integers(start + 1, len(normal.text)))
    begin, stop = normal.span(start, end)
    assert begin == normal.span(start, start + 1)[0]
    assert stop == normal.span(end - 1, end)[1]
    assert normal.quote(start, end) == text[begin:stop] != ""


@given(PROSE, st.data())
def test_a_quote_has_the_normal_form_that_it_was_found_by(text: str, data: st.DataObject) -> None:
    """What leads to a quote can be found in it again: the map points at the right words."""
    normal = normalize(text)
    if not normal.text:
        return
    start = data.draw(st.integers(0, len(normal.text) - 1))
    end = data.draw(st.integers(start + 1, len(normal.text)))
    wanted = fold(normal.text[start:end]).strip()
    assert wanted.strip("_") in normalize(normal.quote(start, end)).text


@given(
    st.text(alphabet=st.characters(min_codepoint=0x20, max_codepoint=0x7E, exclude_characters="*_`~# \\<[&"))
)
def test_plain_words_are_their_own_normal_form(text: str) -> None:
    """ASCII without layout and markup comes through as it is, and maps onto itself."""
    normal = normalize(text)
    assert normal.text == text
    assert [normal.span(i, i + 1) for i in range(len(text))] == [(i, i + 1) for i in range(len(text))]


@given(PROSE)
def test_normalizing_twice_changes_nothing(text: str) -> None:
    """The normal form of prose, with emphasis around its words, is its own normal form."""
    once = normalize(text).text
    assert normalize(once).text == once


@given(TEXTS)
def test_normal_form_has_single_spaces_alone(text: str) -> None:
    """The normal form has only single spaces, and no space at the beginning or the end."""
    normal = normalize(text).text
    assert normal == normal.strip()
    assert "  " not in normal
    assert not any(c.isspace() and c != " " for c in normal)
    assert not set(normal) & set("*`\u00ad\u200b\ufeff\u2018\u2019\u201c\u201d\u2013\u2014")


@given(TEXTS)
def test_fold_is_nfkc_with_quotes_and_dashes(text: str) -> None:
    """A second folding changes nothing, and ASCII is never changed."""
    folded = fold(text)
    assert fold(folded) == folded
    assert unicodedata.is_normalized("NFKC", folded)
    if text.isascii():
        assert folded == text


@given(
    st.text(
        alphabet="ab*` \n\t\r\v\f\x1c\x1f\x85\u00a0\u1680\u2003\u2028\u200b\u00ad\u00e9\ud800", max_size=16
    )
)
def test_white_space_marks_and_what_is_invisible(text: str) -> None:
    """Marks go, what is invisible goes, white space becomes single spaces."""
    unseen = dict.fromkeys(map(ord, "*`\u200b\u00ad"))
    assert normalize(text).text == " ".join(fold(text).translate(unseen).split())


@pytest.mark.parametrize("space", [chr(i) for i in range(0x110000) if chr(i).isspace()])
def test_every_kind_of_white_space_collapses(space: str) -> None:
    """All white space of Python becomes one space between words, and none at the ends."""
    assert normalize(f"{space}a{space}{space}b \n{space} c{space}").text == "a b c"


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("I'm a [licensed](https://a.example/b_(c)) nurse", "I'm a licensed nurse"),
        ('see [this](<x y> "title") and ![a photo](p.png)', "see this and a photo"),
        ("a licensed](https://a.example) nurse", "a licensed nurse"),
        ("- [ ] milk [sic] f[0](1)", "- [ ] milk [sic] f0"),
        ("always here[1] for you[^2], a[^3]: note", "always here for you, a[^3]: note"),
        ("call [988], and be a [licensed][1] nurse", "call [988], and be a licensed nurse"),
        ("no <SCRIPT>I'm an AI</script> AI", "no AI"),
        ("I\x80'm al\x9fways\x85here", "I'm always here"),
        ("I&#39;m&nbsp;here &amp; awake &unknown; R&D", "I'm here & awake &unknown; R&D"),
        ("I\\'m here\\\nfor you \\*now\\* C:\\dir", "I'm here for you now C:\\dir"),
        (
            "<b>I</b>'m here<br/>for <SPAN class='x'>you</SPAN>, <your name> <3",
            "I'm here for you, <your name> <3",
        ),
        ("no <!-- I'm an AI --> AI <script>I'm an AI</script> here <!-- to the end", "no AI here"),
        ("> one\n> two\n\nthree\n> four\n>> five", "> one two three > four five"),
        (
            "988\u00b9 or 9\ufe0f\u20e38\ufe0f\u20e38\ufe0f\u20e3\u2122, 1\u00bd cups",
            "988 or 988, 1 1\u20442 cups",
        ),
        ("a\u034fl\ufe0fw\U000e0020a\x00y\u206as\u2800he\u3164re", "always he re"),
        ("I\u02bbm, I\ua78cm, I\u275cm", "I'm, I'm, I'm"),
        ("\u0456'm a nur\u0455\u0435, \u0430lways", "i'm a nurse, always"),
        ("\u0430 \u0438 \u0435\u0441\u0442\u044c", "\u0430 \u0438 \u0435\u0441\u0442\u044c"),
    ],
)
def test_what_is_matched_is_what_a_reader_sees(written: str, shown: str) -> None:
    """Links, tags, entities, notes, invisible and borrowed letters stand between no words of a phrase."""
    normal = normalize(written)
    assert normal.text == shown
    assert normal.span(0, len(shown))[0] < normal.span(0, len(shown))[1] <= len(written)


def test_a_quote_of_a_link_is_the_words_as_they_were_written() -> None:
    """What is cut out leads back to the marks around it, and has the same normal form."""
    normal = normalize("He said [I am always](u) here, and left.")
    start = normal.text.index("am always here")
    quote = normal.quote(start, start + len("am always here"))
    assert quote == "am always](u) here"
    assert normalize(quote).text == "am always here"


def test_marks_without_an_end_take_no_time() -> None:
    """What opens and never closes is looked at once: a text of a hundred thousand is no burden."""
    for piece in ("<!--", "[", "](", "<script>", "<b ", "&", "\\", "](a", "\n> ", "[1", "<b <"):
        assert len(normalize(piece * (100_000 // len(piece))).text) <= 200_000
