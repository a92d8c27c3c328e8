"""The phrase language: what each form matches, what is refused, and that any text is one or the other."""

from __future__ import annotations

from contextlib import suppress

import pytest
import re2
from hypothesis import given
from hypothesis import strategies as st

from ib.text.grammar import MOST_GAP, PhraseError
from ib.text.normalize import normalize
from ib.text.occurrences import REACH, guarded
from ib.text.phrases import (
    _PLAIN,
    _any_group,
    _parse_after,
    _parse_before,
    _parse_phrase,
    check_after,
    check_before,
    check_phrase,
    compile_after,
    compile_before,
    compile_phrase,
    groups_of,
    groups_used,
)
from tests.work import operations

WORDS = {"i-am": ("i'm", "i am"), "here": ("<i-am> here", "(right|just) here"), "caf\u00e9": ("caf\u00e9",)}


def found(phrase: str, text: str, before: tuple[str, ...] = (), after: tuple[str, ...] = ()) -> list[str]:
    """The words of a text that a phrase finds."""
    normal = normalize(text)
    spans = guarded(phrase, WORDS, not_before=before, not_after=after).spans(normal)
    return [normal.quote(normal.character(start), normal.character(end)) for start, end in spans]


@pytest.mark.parametrize(
    ("phrase", "hits", "misses"),
    [
        ("i am here", ["I\u00a0**am**\nhere.", 'I am, "here"', "I am \u2014 here"], ["I am hereby"]),
        ("as a person", ["as a person"], ["was a person", "as a personal"]),
        ("a nurse", ["a nurse."], ["a nurse's", "a nurse\u2019s"]),
        ("i'm here", ["I\u2019m here", "Im here"], ["I am here"]),
        ("i'll call", ["I'll call"], ["ill call"]),
        ("comfort*", ["comfort", "comforting", "comfort's"], ["discomfort"]),
        ("hi * friend", ["hi my friend", "hi, dear: friend"], ["hi friend", "hi my old friend"]),
        ("check-in", ["check-in", "check in", "checkin"], ["check your in"]),
        ("24/7", ["24/7"], ["124/7", "24/70"]),
        ("<here> now", ["I'm here now", "I am here, now", "Just here now"], ["here now"]),
        ("(any time|day or night)", ["any time", "day or night"], ["day"]),
        ("any time|day or night", ["any time", "day or night"], ["day"]),
        ("[always] here [for you]", ["here", "always here", "here for you"], ["there"]),
        ("i [will] be", ["I be", "I will be"], ["I would be"]),
        ("here .. now", ["here now", "here for you, dear: now", "here a b c d now"], ["here a b c d e now"]),
        ("here ..2 always", ["here a b always"], ["here a b c always", "here. Always", "here? a always"]),
        ("^stop it", ["Stop it", "No. Stop it", '"Stop it"', "So: stop it"], ["please stop it"]),
        ("^^stop", ["Stop it", '"Stop"'], ["No. Stop"]),
        ("i am here$", ["I am here.", "I am here", 'I am here!"'], ["I am here now"]),
        ("you safe ?", ["Are you safe?", "Are you safe tonight, too?"], ["You safe. Why?", "you safe"]),
        ("jos\u00e9 est\u00e1", ["Jos\u00e9 est\u00e1", "(Jos\u00e9 est\u00e1)"], ["jos\u00e9 est\u00e1n"]),
        ("<caf\u00e9> here", ["caf\u00e9 here"], ["caf\u00e9 hereby"]),
    ],
)  # fmt: skip
def test_what_each_form_finds(phrase: str, hits: list[str], misses: list[str]) -> None:
    """Each form of the language finds these texts and not those."""
    assert [text for text in hits if not found(phrase, text)] == []
    assert [text for text in misses if found(phrase, text)] == []


def test_marks_are_not_part_of_what_is_found() -> None:
    """The words found begin and end at the words of the phrase."""
    assert found("^i am here$", "No. I am here! No") == ["I am here"]
    assert found("are you safe ?", "Well, are you safe tonight?") == ["are you safe"]


@pytest.mark.parametrize(
    ("phrase", "problem"),
    [
        ("", "no word that must be there"),
        ("[a]", "no word that must be there"),
        ("(a|)", "no word that must be there"),
        ("a ..", "a gap that is not between two words"),
        (".. a", "a gap that is not between two words"),
        ("a .. .. b", "a gap that is not between two words"),
        ("a ..0 b", "`..0`"),
        (f"a ..{MOST_GAP + 1} b", f"`..{MOST_GAP + 1}`"),
        ("a ... b", "`...`"),
        ("(a", "`(` without `)`"),
        ("[a", "`[` without `]`"),
        ("a)", "`)` without an opening one"),
        ("a ^ b", "`^`"),
        ("a, b", "`,`"),
        (r"\bword", "`\\`"),
        ("((((((((( a )))))))))", "parentheses 9 deep"),
    ],
)
def test_what_is_no_phrase_is_named(phrase: str, problem: str) -> None:
    """The message names what was found, in which phrase, and what is allowed."""
    with pytest.raises(PhraseError) as error:
        check_phrase(phrase)
    assert error.value.found == f"{problem} in {phrase!r}"
    assert error.value.allowed


def test_groups_that_do_not_exist_or_turn_in_a_circle_are_named() -> None:
    """Neither is silently ignored, and neither runs forever."""
    with pytest.raises(PhraseError, match="unknown group <there>; allowed: <caf\u00e9>, <here>, <i-am>"):
        compile_phrase("<there>", WORDS)
    with pytest.raises(PhraseError, match="<a> in <b> in <a>; allowed: no group inside itself"):
        compile_phrase("<a>", {"a": ("x <b>",), "b": ("<a>",)})
    wide = {f"g{i}": (f"<g{i + 1}> x <g{i + 1}>",) * 4 for i in range(7)} | {"g7": ("word",)}
    with pytest.raises(PhraseError, match="characters when its groups are put in"):
        compile_phrase("<g0>", wide)


def test_the_groups_that_phrases_use() -> None:
    """Groups are found through other groups; an own group stands for a shared one."""
    assert groups_of("<a> b [<c>]") == ("a", "c")
    shared = {"a": ("<b>",), "b": ("x",), "c": ("y",)}
    assert groups_used(["so <a>", "<none>"], shared) == {"a": ("<b>",), "b": ("x",)}
    assert groups_used(["<a>"], shared, {"a": ("<c>",)}) == {"a": ("<c>",), "c": ("y",)}


@pytest.mark.parametrize(
    ("before", "after", "text", "hits"),
    [
        (["not"], [], "I'm not here. I'm here.", 1),
        (["if"], [], "If so, here", 1),
        (["if .."], [], "If so, here", 0),
        (["if ..1"], [], "if it so here", 1),
        (["if ..."], [], "if a b c d e f g h, here", 0),
        (["if ..."], [], "if so. here", 1),
        (["if ..."], [], "3.5 if at 2.5 here", 0),
        (["^if ..."], [], "only if so, here", 1),
        (["^if ..."], [], "No. If so, here", 0),
        ([], ["with her"], "here with her", 0),
        ([], ["with her"], "here now with her", 1),
        ([], [".. with her"], "here now with her", 0),
        ([], ["... her"], "here a b c d e f with her", 0),
        ([], ["... her"], "here. With her", 1),
        ([], ["?"], "Am I here? I am here.", 1),
        ([], ["now $"], "here now", 0),
        ([], ["now $"], "here now, too", 1),
        (["<i-am>", "not"], [], "i'm here", 0),
    ],
)
def test_an_exclusion_voids_a_phrase_in_its_sentence(
    before: list[str], after: list[str], text: str, hits: int
) -> None:
    """Directly beside the phrase or at the far end of a gap; never from another sentence."""
    assert len(found("here", text, tuple(before), tuple(after))) == hits


def test_a_sentence_without_an_end_is_searched_as_far_as_a_bound() -> None:
    """Else many phrases in a long text without marks would take quadratic time."""
    assert found("here", f"if {'x ' * (REACH // 2 - 10)}here", ("if ...",)) == []
    assert found("here", f"if {'x ' * REACH}here", ("if ...",)) == ["here"]


@pytest.mark.parametrize("wrong", ["..", "a |", ".. a"])
def test_an_exclusion_before_a_phrase_is_checked(wrong: str) -> None:
    """A gap may stand only toward the phrase."""
    with pytest.raises(PhraseError):
        check_before(wrong)


@pytest.mark.parametrize("wrong", ["..", "a ..", "^ a"])
def test_an_exclusion_after_a_phrase_is_checked(wrong: str) -> None:
    """A gap may stand only toward the phrase."""
    with pytest.raises(PhraseError):
        check_after(wrong)


SIGNS = (*"()[]|^$?'\\-", "a", "b*", "<here>", "<none>", "..", "..3", "...", "..99", "^^", "\u00e9", "1.5")
PIECES = st.lists(
    st.sampled_from(SIGNS),
    max_size=9,
).map(" ".join)


@given(PIECES | st.text(max_size=20))
def test_a_text_is_a_phrase_or_a_clear_error(phrase: str) -> None:
    """Whatever compiles is valid RE2, and what does not is a PhraseError."""
    for compiled in (compile_phrase, compile_before, compile_after):
        with suppress(PhraseError):
            re2.compile(compiled(phrase, WORDS))


@given(
    st.lists(st.sampled_from([*SIGNS, "Word", "<in-law>", "<a b>", "<A>", "<>"]), max_size=6).map(" ".join)
)
def test_words_and_groups_alone_are_checked_without_parsing(phrase: str) -> None:
    """What is recognized as plain text is a phrase of every kind, as the parser would find."""
    if _PLAIN.fullmatch(phrase):
        for parse in (_parse_phrase, _parse_before, _parse_after):
            parse(phrase, _any_group)


@given(st.lists(st.sampled_from(["a", "bc", "it's", "24/7", "jos\u00e9", "x-y"]), min_size=1, max_size=6))
def test_words_are_found_as_they_stand(words: list[str]) -> None:
    """Plain words, also beyond ASCII, are found in any text that has them side by side."""
    phrase = " ".join(words)
    for text in (phrase, f"so {phrase}, yes", f'"{phrase}."', phrase.upper() if phrase.isascii() else phrase):
        assert found(phrase, text), text


def test_a_phrase_is_compiled_once_with_its_groups() -> None:
    """The second time is cheap, and neither other groups nor another use get the pattern of the first."""
    phrase, words = "she <said> so [again] (today|yesterday)", {"said": ("says", "said")}
    first = operations(lambda: compile_phrase(phrase, words))
    assert operations(lambda: compile_phrase(phrase, {"said": ["says", "said"]})) < first / 5
    others = [compile_phrase(phrase, {"said": ("told",)}), compile_before(phrase, words)]
    assert len({compile_phrase(phrase, words), compile_after(phrase, words), *others}) == 4
    for _ in range(2):
        with pytest.raises(PhraseError):
            compile_phrase(phrase, {})


def test_phrases_that_know_the_same_groups_do_not_stand_in_each_others_way() -> None:
    """What a group is does not depend on which phrase was compiled before, or was refused."""
    chain = {f"g{i}": (f"a <g{i + 1}>",) for i in range(9)} | {"g9": ("word",), "broken": ("(a",)}
    for first in ("<g3>", "<g0>", "<broken>", "<g3>"):
        with suppress(PhraseError):
            compile_phrase(f"{first} first", chain)
        with pytest.raises(PhraseError, match="at most 8 in one another"):
            compile_phrase(f"<g0> {first[1:-1]}", chain)
        with pytest.raises(PhraseError, match="at most 8 in one another"):
            compile_phrase(f"<g1> {first[1:-1]}", chain)
        assert "word" in compile_phrase(f"<g2> {first[1:-1]}", chain)


def test_groups_are_put_together_once_for_all_phrases() -> None:
    """The second phrase of a lexicon costs little, however large the groups that it shares."""
    words = {"many": tuple(f"word number {letter}" for letter in "abcdefghijklmnopqrstuvwxyz")}
    first = operations(lambda: compile_phrase("<many> first", words))
    assert operations(lambda: compile_phrase("<many> second", words)) < first / 4
