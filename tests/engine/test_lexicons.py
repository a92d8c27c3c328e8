"""Lexicon matching: where a pattern hits, what voids a hit, and the words as they were written."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ib.engine.lexicons import LONG, NEAR, Hit, Matcher, _Places, pattern_regex
from ib.models.base import Role
from ib.models.lexicon import Lexicon
from ib.text.normalize import normalize
from ib.text.patterns import compile_pattern
from ib.text.sets import PatternSet

MANY = 19
"""Enough hits that they share searches for exclusions."""


def lexicon(
    patterns: list[dict[str, Any]],
    exclusions: list[dict[str, Any]] | None = None,
    *,
    name: str = "claims",
    speaker: str = "assistant",
    groups: dict[str, str] | None = None,
) -> Lexicon:
    ten = [{"text": f"example {i}"} for i in range(10)]
    return Lexicon.model_validate(
        {
            "name": name,
            "speaker": speaker,
            "purpose": "a test",
            "groups": groups or {},
            "patterns": [{"id": f"p{i}", **pattern} for i, pattern in enumerate(patterns)],
            "exclusions": [{"why": "harmless", **exclusion} for exclusion in exclusions or []],
            "examples": {"hit": ten, "miss": ten},
        }
    )


def match(text: str, *lexicons: Lexicon, speaker: Role = Role.ASSISTANT) -> tuple[Hit, ...]:
    return Matcher(lexicons, speaker).match(normalize(text))


def quotes(text: str, *lexicons: Lexicon) -> list[str]:
    return [hit.quote for hit in match(text, *lexicons)]


LICENSED = lexicon([{"phrase": "as a licensed professional"}], [{"regex": "professional,? you know"}])


def test_a_hit_says_what_found_it_and_where() -> None:
    """A hit carries its lexicon, pattern, group, whether it decides, and the words as written."""
    groups = {"strong": "s", "weak": "w"}
    patterns: list[dict[str, Any]] = [
        {"phrase": "I am here", "group": "strong", "decides": True},
        {"regex": "here\\b", "group": "weak"},
    ]
    text = "Caf\u00e9! **I am** here."
    assert match(text, lexicon(patterns, groups=groups)) == (
        Hit(8, 19, "claims", "p0", "strong", True, "I am** here"),
        Hit(15, 19, "claims", "p1", "weak", False, "here"),
    )


@pytest.mark.parametrize(
    "before",
    [
        "",
        "\u2014 ",
        "\U0001f600\U0001f600 ",
        "cafe\u0301 ",
        "\ufb01ne \u4f60\u597d ",
        "**\u00e9**\n\n# \u00dc\n",
        "\u2026\u200b ",
    ],
)
def test_offsets_are_those_of_the_original(before: str) -> None:
    """Offsets are correct after any text before the hit, whatever its length in bytes."""
    text = f"{before}I\u2019m **a nurse**\u2014truly"
    (hit,) = match(text, lexicon([{"phrase": "I'm a nurse"}]))
    assert hit.quote == "I\u2019m **a nurse"
    assert text[hit.start : hit.end] == hit.quote
    assert hit.start == len(before)


@pytest.mark.parametrize(
    ("text", "hits"),
    [
        ("As a licensed professional I advise", 1),
        ("As a licensed professional, you know the rules", 0),
        ("As a licensed professional you know it. As a licensed professional I do too.", 1),
        ("Professional, you know: as a licensed professional I say so", 1),
    ],
)
def test_lesson_14_an_exclusion_voids_the_hit_that_it_touches(text: str, hits: int) -> None:
    """A hit that overlaps an exclusion does not count; one elsewhere in the text does."""
    assert len(match(text, LICENSED)) == hits


@pytest.mark.parametrize(
    ("exclusion", "hits"),
    [("x abc", 0), ("abc y", 0), ("[b]", 0), ("x abc y", 0), ("x ", 1), (" y", 1), ("c y", 0), ("x a", 0)],
)
@pytest.mark.parametrize("times", [1, MANY])
def test_touching_is_sharing_a_character(exclusion: str, hits: int, times: int) -> None:
    """An exclusion that shares one character with a hit voids it; an adjacent exclusion does not."""
    text = "x abc y. " * times
    assert len(match(text, lexicon([{"regex": "abc"}], [{"regex": exclusion}]))) == hits * times


def test_an_exclusion_beyond_ascii_voids_its_hit() -> None:
    """Exclusions are compared in the same offsets as hits, accents or not."""
    only = lexicon([{"phrase": "my d\u00e9j\u00e0 vu"}], [{"regex": "\u00e9\u00e9 my"}])
    assert quotes("\u00e9\u00e9\u00e9 MY D\u00c9J\u00c0 VU", lexicon([{"regex": "my d\u00e9j\u00e0"}])) == [
        "MY D\u00c9J\u00c0"
    ]
    assert quotes("\u00e9\u00e9 my d\u00e9j\u00e0 vu", only) == []


LEADS = lexicon([{"regex": "i am here"}], [{"regex": r"\bscript: ?[^\"!]{0,200}"}])


@pytest.mark.parametrize(
    ("between", "hits"),
    [
        ("", 0),
        ("a, b. c? ", 0),
        ("\u00e9" * 198 + " ", 0),
        ("\u00e9" * 199 + " ", 1),
        ("x" * 200, 1),
        ('"', 1),
        ("no! ", 1),
    ],
)
@pytest.mark.parametrize("far", ["", "Far away. " * (LONG // 10 + 1)])
def test_a_head_voids_what_follows_it_up_to_a_mark(between: str, hits: int, far: str) -> None:
    """A pattern that ends in a long gap: its head, and what lies between the head and the hit."""
    assert len(match(f"{far}script: {between}i am here. {far}", LEADS)) == hits


def test_a_long_text_is_not_searched_as_a_whole_for_an_exclusion() -> None:
    """In a long text an exclusion is searched near the hit, and each part of the text only once."""
    searched: list[int] = []

    text = normalize("Rest now. " * LONG + "I am here. " * 50)
    places = _Places(text)
    search = places._search

    def counted(regex: str, begin: int, stop: int) -> tuple[tuple[int, int], ...]:
        searched.append(stop - begin)
        return search(regex, begin, stop)

    places._search = counted  # type: ignore[method-assign]
    starts = range(10 * LONG, len(text.text) - 9, 11)
    assert not any(places.touching("never. said", start, start + 9) for start in starts)
    assert sum(searched) < 10 * NEAR


def test_an_exclusion_of_a_group_voids_that_group_alone() -> None:
    """With a group, an exclusion is for the hits of the group; without one, for all."""
    groups = {"one": "1", "two": "2"}
    patterns = [{"regex": "abc", "group": "one"}, {"regex": "abcd", "group": "two"}]
    for exclusion, left in [
        ({"regex": "xx abc", "group": "one"}, ["p1"]),
        ({"regex": "xx abc", "group": "two"}, ["p0"]),
        ({"regex": "xx abc"}, []),
    ]:
        hits = match("xx abcd", lexicon(patterns, [exclusion], groups=groups))
        assert [hit.pattern for hit in hits] == left


def test_an_exclusion_is_for_its_own_lexicon() -> None:
    """An exclusion of one lexicon does not void the hits of another."""
    one = lexicon([{"regex": "abc"}], [{"regex": "xx abc"}], name="one")
    two = lexicon([{"regex": "abc"}], name="two")
    assert [hit.lexicon for hit in match("xx abc", one, two)] == ["two"]


def test_lexicons_are_of_one_speaker() -> None:
    """The user's words are matched with lexicons of users, the assistant's with theirs."""
    mine = lexicon([{"regex": "abc"}], name="mine")
    yours = lexicon([{"regex": "abc"}], name="yours", speaker="user")
    assert [hit.lexicon for hit in match("abc", mine, yours)] == ["mine"]
    assert [hit.lexicon for hit in match("abc", mine, yours, speaker=Role.USER)] == ["yours"]
    assert match("abc", speaker=Role.USER) == ()


def test_hits_stand_in_order_of_the_text_longest_first() -> None:
    """Two hits at one place: the longer first; ties by the names of lexicon and pattern."""
    both = [
        lexicon([{"regex": "bc"}, {"regex": "ab"}, {"regex": "abc"}], name="b"),
        lexicon([{"regex": "ab"}], name="a"),
    ]
    places = [(hit.start, hit.end, hit.lexicon, hit.pattern) for hit in match("abc ab", *both)]
    assert places == [
        (0, 3, "b", "p2"),
        (0, 2, "a", "p0"),
        (0, 2, "b", "p1"),
        (1, 3, "b", "p0"),
        (4, 6, "a", "p0"),
        (4, 6, "b", "p1"),
    ]


def test_every_occurrence_is_a_hit_and_no_empty_one_is() -> None:
    """Every occurrence of a pattern is a hit, except empty matches."""
    assert quotes("no. No! NO", lexicon([{"phrase": "no"}])) == ["no", "No", "NO"]
    assert quotes("abc", lexicon([{"regex": "x*"}])) == []


def test_found_names_lexicons_and_hits_takes_what_is_asked_for() -> None:
    """One pass says which lexicons have anything; places are looked for on demand."""
    matcher = Matcher(
        [lexicon([{"regex": "aa"}, {"regex": "bb"}], name="one"), lexicon([{"regex": "bb"}], name="two")],
        Role.ASSISTANT,
    )
    text = normalize("bb aa")
    found = matcher.found(text)
    assert set(found) == {"one", "two"}
    assert [hit.quote for hit in matcher.hits(text, found["one"])] == ["bb", "aa"]
    assert [hit.lexicon for hit in matcher.hits(text, found["two"])] == ["two"]
    assert matcher.found(normalize("cc")) == {}
    assert matcher.hits(text, ()) == ()


def test_pattern_regex_of_a_phrase_is_whole_words() -> None:
    """A phrase is matched whole; a regular expression is used as it stands."""
    one, two = lexicon([{"phrase": "as a person"}, {"regex": "s a p"}]).patterns
    assert quotes("was a person", lexicon([{"phrase": "as a person"}])) == []
    assert pattern_regex(two) == "s a p"
    assert compile_pattern(pattern_regex(one)).search(b"as a person")


COUNT = 2 * PatternSet.SIZE + 7
BIG = lexicon([{"regex": f"\\bw{i}\\b"} for i in range(COUNT)], [{"regex": "not w\\d+"}])
BIG_MATCHER = Matcher([BIG], Role.ASSISTANT)
ALONE = [
    Matcher([lexicon([{"regex": f"\\bw{i}\\b"}], [{"regex": "not w\\d+"}])], Role.ASSISTANT)
    for i in range(COUNT)
]


@given(
    st.lists(
        st.one_of(
            st.integers(0, COUNT - 1).map(lambda i: f"w{i}"),
            st.sampled_from(["not", "\u00e9", "**", "\u2014", "\ufb01"]),
        ),
        max_size=10,
    )
)
def test_lesson_36_one_pass_over_many_patterns_is_the_same_as_one_by_one(words: list[str]) -> None:
    """Over more patterns than one automaton holds, the hits are those of each pattern alone."""
    text = normalize(" ".join(words))
    together = [(hit.start, hit.end, hit.quote) for hit in BIG_MATCHER.match(text)]
    alone = [(hit.start, hit.end, hit.quote) for one in ALONE for hit in one.match(text)]
    assert together == sorted(alone, key=lambda place: (place[0], -place[1]))


SENTENCES = lexicon(
    [{"regex": r"\bi am here\b"}, {"regex": "here. i"}],
    [{"regex": r"\bsay\b[^.!?]*\bhere\b"}, {"regex": '"[^"]*"'}, {"regex": r"^if\b[^.!?]*"}],
)


@given(
    st.lists(st.sampled_from(["i", "am", "here", ".", "!", '"', "say", "if", "é"]), max_size=14),
    st.sampled_from([1, MANY]),
)
def test_an_exclusion_is_the_same_in_its_sentence_as_in_the_whole_text(words: list[str], times: int) -> None:
    """An exclusion that cannot leave a sentence voids the same hits when only the sentence is searched."""
    text = normalize(" ".join(words * times).replace(" .", "."))
    encoded = text.encoded
    found = [(hit.start, hit.end) for hit in Matcher([SENTENCES], Role.ASSISTANT).match(text)]
    spoilt = [m.span() for x in SENTENCES.exclusions for m in compile_pattern(x.regex).finditer(encoded)]
    wanted = sorted(
        (len(encoded[:start].decode()), len(encoded[:end].decode()))
        for pattern in SENTENCES.patterns
        for start, end in (m.span() for m in compile_pattern(pattern_regex(pattern)).finditer(encoded))
        if not any(start < stop and begin < end for begin, stop in spoilt)
    )
    assert sorted(found) == wanted


def test_a_search_after_the_automata_were_released_finds_the_same() -> None:
    """Letting go of them costs time, and no hit."""
    matcher = Matcher([lexicon([{"phrase": "always be here"}, {"regex": "b[a-z]"}])], Role.ASSISTANT)
    text = normalize("I will always be here, and I will always be here.")
    before = matcher.match(text)
    assert len(before) == 4
    matcher.release()
    assert matcher.match(text) == before
