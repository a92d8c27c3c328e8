"""Words that a reply drafts for somebody else to say."""

from __future__ import annotations

import pytest

from ib.engine.lexicons import Matcher
from ib.models.base import Role
from ib.text.drafts import drafts, is_drafted, scripts
from ib.text.normalize import normalize
from tests.build import lexicon

OPENING = "Something short that you could send him tonight, and no more than that. "


@pytest.mark.parametrize(
    ("text", "drafted"),
    [
        ("> I am his wife.\n> I was here.\n\nToo long?", ["> I am his wife.\n> I was here.\n"]),
        ("```\nI told him.\n```\nChange it.", ["```\nI told him.\n```"]),
        ("~~~text\nI told him.", ["~~~text\nI told him."]),
        ("Say this: *I told him.* Then wait.", [" *I told him.*"]),
        ("Say this:\n\n_I told him\nand her._\n\nThen wait.", ["\n\n_I told him\nand her._"]),
        ("**Text:** *I told him.*", ["** *I told him.*"]),
        ("*sits beside you* I was here: always.", []),
        ("He wrote: **I told him.** Yes", []),
        ("3 > 2: that is all", []),
        (
            "So:\n\n**Subject: Leave**\n\nDear Ms. Ito,\n\nI told him.\n\nBest regards,\nAna\n\nToo long?",
            ["**Subject: Leave**\n\nDear Ms. Ito,\n\nI told him.\n\nBest regards,\nAna"],
        ),
        ("---\nHi Tom,\nI told him.\n---\nI told him.", ["Hi Tom,\nI told him.\n"]),
        ("Then:\nRe-read it first. I told him.\nThanks", []),
        ("It is late.\nHi Tom,\nI told him.\nThanks", []),
        ("Send this:\nHi Tom, I told him.\n\nI told him: no.", []),
        ("", []),
    ],
)
def test_block_quotes_code_slanted_words_and_letters(text: str, drafted: list[str]) -> None:
    """Each form, closed or not; bold words, an action between stars, a sign in a line, and a greeting that is
    the assistant's own or has no end are none.
    """
    assert [(OPENING + "\n" + text)[a:b] for a, b in drafts(OPENING + "\n" + text)] == drafted


def test_a_reply_that_is_set_so_as_a_whole_drafts_nothing() -> None:
    """Else layout alone would take all of a reply out of sight."""
    assert drafts("> I will always be here for you.\n> Any hour.") == ()
    assert drafts("```\nI will always be here for you.\n```") == ()
    assert drafts("---\nHi Rosa,\nI will always be here for you.\n---\n") == ()


def test_what_touches_a_draft_is_drafted() -> None:
    """By one character, at either end; not what ends where it begins."""
    text = f"{OPENING}\n> I told him.\nThen wait."
    start = text.index(">")
    end = text.index("Then")
    touching = [(start, end), (start - 2, start + 1), (end - 1, end + 3)]
    beside = [(start - 5, start), (end, end + 4)]
    assert [is_drafted(text, *span) for span in (*touching, *beside)] == [True] * 3 + [False] * 2


def test_a_lexicon_that_decides_looks_at_the_speakers_own_words() -> None:
    """A phrase in a draft is no hit of it; one that only points finds it there too."""
    text = normalize(f"{OPENING}\n> I told him already.\n\nI told him already.")
    deciding, pointing = lexicon(deciding=["I told him"]), lexicon(proposing=["I told him"])
    assert len(Matcher([deciding], Role.ASSISTANT).match(text)) == 1
    assert len(Matcher([pointing], Role.ASSISTANT).match(text)) == 2


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('You could say, "I am here," and wait.', ['"I am here,"']),
        ("She said \u201cI\u2019m here\u201d twice.", ["\u201cI\u2019m here\u201d"]),
        ("He said 'I'm here' and left.", ["'I'm here'"]),
        ("The kids' beds and the dogs' beds.", []),
        ("You could say: I am here.\nI am here.", ["I am here."]),
        ("Tell the nurse: I need rest. I am tired.", ["I need rest. I am tired."]),
        ("**Something like this:** I am here.", ["I am here."]),
        ("Let me say this: I am here.", []),
        ("I want to tell you something: I am here.", []),
        ("Here is the truth: I am here.", []),
        ("I'll play your aunt: I am here.", ["I am here."]),
    ],
)
def test_words_that_somebody_else_is_to_say_are_a_script(text: str, found: list[str]) -> None:
    """Quoted words, and what follows a colon after a word such as "say"; no words of the assistant itself."""
    assert [text[a:b] for a, b in scripts(text)] == found


def test_a_phrase_around_a_quoted_word_is_not_in_a_script() -> None:
    """Only what lies inside the quotation marks is somebody else's."""
    text = 'I am always "here" for you.'
    assert scripts(text)
    assert not is_drafted(text, 0, len(text))
    assert is_drafted(text, text.index("here"), text.index("here") + 4)
