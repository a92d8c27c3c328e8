"""Lexicon matching: where a pattern hits, what voids a hit, and the words as they were written."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ib.engine.reading.lexicons import Hit, Matcher, guarded_pattern
from ib.models.benchmark.lexicon import Lexicon
from ib.models.common.base import Role
from ib.store.benchmark.loading import load_benchmark
from ib.text.normalize import normalize
from ib.text.sets import PatternSet


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


LICENSED = lexicon([{"phrase": "as a licensed professional"}], [{"not_after": ["you know"]}])


def test_a_hit_says_what_found_it_and_where() -> None:
    """A hit carries its lexicon, pattern, group, whether it decides, and the words as written."""
    groups = {"strong": "s", "weak": "w"}
    patterns: list[dict[str, Any]] = [
        {"phrase": "I am here", "group": "strong", "decides": True},
        {"phrase": "here", "group": "weak"},
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
def test_lesson_14_an_exclusion_voids_the_hit_that_it_concerns(text: str, hits: int) -> None:
    """A hit beside the words of an exclusion does not count; one elsewhere in the text does."""
    assert len(match(text, LICENSED)) == hits


def test_an_exclusion_is_for_its_own_lexicon() -> None:
    """An exclusion of one lexicon does not void the hits of another."""
    one = lexicon([{"phrase": "abc"}], [{"not_before": ["xx"]}], name="one")
    two = lexicon([{"phrase": "abc"}], name="two")
    assert [hit.lexicon for hit in match("xx abc", one, two)] == ["two"]


def test_lexicons_are_of_one_speaker() -> None:
    """The user's words are matched with lexicons of users, the assistant's with theirs."""
    mine = lexicon([{"phrase": "abc"}], name="mine")
    yours = lexicon([{"phrase": "abc"}], name="yours", speaker="user")
    assert [hit.lexicon for hit in match("abc", mine, yours)] == ["mine"]
    assert [hit.lexicon for hit in match("abc", mine, yours, speaker=Role.USER)] == ["yours"]
    assert match("abc", speaker=Role.USER) == ()


def test_hits_stand_in_order_of_the_text_longest_first() -> None:
    """Two hits at one place: the longer first; ties by the names of lexicon and pattern."""
    both = [
        lexicon([{"phrase": "b c"}, {"phrase": "a b"}, {"phrase": "a b c"}], name="b"),
        lexicon([{"phrase": "a b"}], name="a"),
    ]
    places = [(hit.start, hit.end, hit.lexicon, hit.pattern) for hit in match("a b c a b", *both)]
    assert places == [
        (0, 5, "b", "p2"),
        (0, 3, "a", "p0"),
        (0, 3, "b", "p1"),
        (2, 5, "b", "p0"),
        (6, 9, "a", "p0"),
        (6, 9, "b", "p1"),
    ]


def test_every_occurrence_is_a_hit() -> None:
    """In any case, and beside any mark."""
    assert quotes("no. No! NO", lexicon([{"phrase": "no"}])) == ["no", "No", "NO"]


def test_found_names_lexicons_and_hits_takes_what_is_asked_for() -> None:
    """One pass says which lexicons have anything; places are looked for on demand."""
    matcher = Matcher(
        [lexicon([{"phrase": "aa"}, {"phrase": "bb"}], name="one"), lexicon([{"phrase": "bb"}], name="two")],
        Role.ASSISTANT,
    )
    text = normalize("bb aa")
    found = matcher.found(text)
    assert set(found) == {"one", "two"}
    assert [hit.quote for hit in matcher.hits(text, found["one"])] == ["bb", "aa"]
    assert [hit.lexicon for hit in matcher.hits(text, found["two"])] == ["two"]
    assert matcher.found(normalize("cc")) == {}
    assert matcher.hits(text, ()) == ()


COUNT = 2 * PatternSet.SIZE + 7
BIG = lexicon([{"phrase": f"w{i}"} for i in range(COUNT)], [{"not_before": ["not"]}])
BIG_MATCHER = Matcher([BIG], Role.ASSISTANT)
ALONE = [
    Matcher([lexicon([{"phrase": f"w{i}"}], [{"not_before": ["not"]}])], Role.ASSISTANT) for i in range(COUNT)
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


LEXICONS = load_benchmark().lexicons


@pytest.mark.parametrize("name", LEXICONS)
def test_one_pass_finds_what_each_pattern_of_the_benchmark_finds(name: str) -> None:
    """In the examples of a lexicon, all patterns with a hit are found by the one pass over the text."""
    one = LEXICONS[name]
    together = Matcher(LEXICONS.values(), one.speaker)
    for example in (*one.examples.hit, *one.examples.miss):
        text = normalize(example.text)
        alone = {pattern.id for pattern in one.patterns if any(guarded_pattern(one, pattern).spans(text))}
        found = {one.patterns[index].id for index in Matcher([one], one.speaker).found(text).get(name, ())}
        assert alone <= found
        mine = [hit for hit in together.match(text) if hit.lexicon == name]
        assert mine == list(Matcher([one], one.speaker).match(text))


def test_a_search_after_the_automata_were_released_finds_the_same() -> None:
    """Letting go of them costs time, and no hit."""
    matcher = Matcher([lexicon([{"phrase": "always be here"}, {"phrase": "be"}])], Role.ASSISTANT)
    text = normalize("I will always be here, and I will always be here.")
    before = matcher.match(text)
    assert len(before) == 4
    matcher.release()
    assert matcher.match(text) == before
