"""Reference assistants: how rules match, and how a reply is put together."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from ib.engine.reading.lexicons import Matcher
from ib.models.common.base import Role
from ib.models.conversation.character import Character
from ib.models.scan.run import Said
from ib.targets.reference import ReferenceAssistant, earlier, mirrored, sentences, telling
from tests.build import lexicon


def character(*slots: dict[str, Any], **given: Any) -> Character:
    values = {
        "id": "someone",
        "name": "Someone",
        "canary": "canary",
        "summary": "A script.",
        "slots": slots,
        "silence": "Nothing to say.",
        **given,
    }
    return Character.model_validate(values)


def rule(name: str, when: dict[str, Any], *say: str, **given: Any) -> dict[str, Any]:
    return {"id": name, "when": when, "say": say, **given}


def slot(name: str, *rules: dict[str, Any], otherwise: tuple[str, ...] = ()) -> dict[str, Any]:
    return {"name": name, "rules": rules, "otherwise": otherwise}


def said(*users: str) -> tuple[Said, ...]:
    """A conversation with a reply to every message except the last."""
    messages = [Said("system", "the frame")]
    for user in users:
        messages += [Said("user", user), Said("assistant", "Yes.")]
    return tuple(messages[:-1])


def reply(item: Character, *users: str) -> str:
    return ReferenceAssistant(item, Matcher((), Role.USER)).reply(said(*users))


def test_each_slot_speaks_in_order_with_its_first_matching_rule() -> None:
    """In the order of the slots, the first matching rule of each slot speaks."""
    item = character(
        slot("one", rule("a", {"pattern": "cat"}, "A."), rule("b", {"pattern": "cat|dog"}, "B.")),
        slot("two", rule("c", {"pattern": "dog"}, "C."), otherwise=("Else.",)),
    )
    assert reply(item, "a cat and a dog") == "A.\n\nC."
    assert reply(item, "a cat") == "A.\n\nElse."


def test_a_written_reply_comes_before_the_slots() -> None:
    """In its turn of its scenarios alone, with the person's words of any turn up to this one filled in."""
    say = "“$turn1”, “$turn2_2”, “$turn2_last1”: $turn3."
    given = {"scenarios": ["one", "one--said"], "turn": 2, "say": say}
    item = character(slot("s", otherwise=("Else.",)), replies=[given])
    assistant = ReferenceAssistant(item, Matcher((), Role.USER))
    talk = said('a "cat"', "a dog. Two! Three.")
    assert assistant.reply(talk, "one--said") == "“a 'cat'”, “Two”, “Three”: $turn3."
    assert {assistant.reply(talk, other) for other in ("", "one--buried")} == {"Else."}
    assert assistant.reply(talk[:2], "one") == assistant.reply(said("a", "b", "c"), "one") == "Else."
    with pytest.raises(ValidationError, match="two for turn 2 of one"):
        character(slot("s"), replies=[given, given])


def test_a_rule_marked_alone_silences_all_others() -> None:
    """If a rule marked `alone` matches, no other rule speaks, not even in earlier slots."""
    item = character(
        slot("before", otherwise=("Warm words.",)),
        slot("urgent", rule("fire", {"pattern": "fire"}, "Call now.", alone=True)),
        slot("after", otherwise=("More.",)),
    )
    assert reply(item, "there is a fire") == "Call now."
    assert reply(item, "there is none of that") == "Warm words.\n\nMore."


def test_variants_are_used_in_order_and_the_last_is_repeated() -> None:
    """Each time a rule speaks, it uses its next variant; after the last variant, it repeats the last."""
    item = character(slot("one", rule("a", {"pattern": "cat"}, "First.", "Second.")))
    assert reply(item, "cat") == "First."
    assert reply(item, "cat", "dog", "cat") == "Second."
    assert reply(item, "cat", "cat", "cat") == "Second."


def test_the_silence_text_is_used_if_no_slot_speaks() -> None:
    """A reply is never empty."""
    item = character(slot("one", rule("a", {"pattern": "cat"}, "A.")))
    assert reply(item, "dog") == "Nothing to say."


def test_a_rule_matches_only_if_all_its_conditions_hold() -> None:
    """The pattern, the pattern for earlier turns and the excluded pattern must all agree."""
    when = {"pattern": "cat", "before": "dog", "unless": "bird"}
    item = character(slot("one", rule("a", when, "Heard.")))
    assert reply(item, "dog", "cat") == "Heard."
    assert reply(item, "cat") == "Nothing to say."
    assert reply(item, "dog", "cat and bird") == "Nothing to say."


def test_earlier_turns_do_not_include_the_message_itself() -> None:
    """`before` searches only earlier turns."""
    item = character(slot("one", rule("a", {"before": "dog"}, "Heard.")))
    assert reply(item, "dog") == "Nothing to say."
    assert reply(item, "dog", "cat") == "Heard."


def test_a_rule_can_match_a_lexicon_for_caregiver_text() -> None:
    """A match of a lexicon counts like a match of a pattern."""
    words = lexicon("cues", proposing=("so very tired",), speaker=Role.USER)
    item = character(slot("one", rule("a", {"lexicon": "cues"}, "Heard.")))
    listening = ReferenceAssistant(item, Matcher((words,), Role.USER))
    assert listening.reply(said("I am so very tired")) == "Heard."
    assert listening.reply(said("I am awake")) == "Nothing to say."


def test_the_first_turn_and_a_return_are_recognized() -> None:
    """A system message before the first turn is not a return; a later system message is a return."""
    item = character(
        slot("one", rule("back", {"returned": True}, "Back."), rule("first", {"first": True}, "First."))
    )
    assistant = ReferenceAssistant(item, Matcher((), Role.USER))
    later = (*said("cat"), Said("assistant", "Yes."), Said("system", "Two weeks later."), Said("user", "dog"))
    assert reply(item, "cat") == "First."
    assert assistant.reply(later) == "Back."
    assert reply(item, "cat", "dog") == "Nothing to say."


def test_help_lines_are_those_of_the_country_that_the_person_mentions() -> None:
    """The help lines follow the country named anywhere in the conversation, else the home country."""
    lines = {
        "US": {"crisis": "call 988", "emergency": "call 911"},
        "GB": {"crisis": "call 116 123", "emergency": "call 999"},
    }
    item = character(
        slot("one", otherwise=("Please $emergency, or $crisis.",)),
        places=({"country": "GB", "pattern": r"\bmum\b"},),
        lines=lines,
    )
    assert reply(item, "my mother") == "Please call 911, or call 988."
    assert reply(item, "my mum", "she fell") == "Please call 999, or call 116 123."


def test_a_mirrored_message_can_be_quoted() -> None:
    """Inner quotation marks become single, and the message becomes one line."""
    item = character(slot("one", otherwise=("You said: “$message”",)))
    assert reply(item, 'She said "no"\nand “never”.') == "You said: “She said 'no' and 'never'.”"
    assert mirrored("«a»\n\tb") == "'a' b"


def test_dollar_signs_of_the_person_are_not_placeholders() -> None:
    """A sum or a word with a dollar sign is repeated unchanged."""
    item = character(slot("one", otherwise=("“$message”",)))
    assert reply(item, "It cost $5 and $crisis") == "“It cost $5 and $crisis”"


def test_a_period_inside_a_number_or_abbreviation_does_not_end_a_sentence() -> None:
    """A sentence ends only if white space follows the punctuation mark."""
    assert sentences("He weighs 151.2 now. Is it bad? Yes") == ["He weighs 151.2 now.", "Is it bad?", "Yes"]


def test_the_telling_sentence_is_about_the_person_and_how_they_are() -> None:
    """Of the statements with an "I", the last one with a feeling word is used, else the last one."""
    assert telling("I am scared of him. I bought milk. Should I go?") == "I am scared of him"
    assert telling("I bought milk. I paid. He left.") == "I paid"
    assert telling("He left. They came.") == "They came"


def test_earlier_returns_the_sentence_that_answers_a_question() -> None:
    """The sentence that shares rare words with the question is returned in the person's words."""
    before = ("The tablet is donepezil, ten weeks now. I give it at half past eight.", "The cat is well.")
    found = earlier("What time did I say I give the tablet?", before)
    assert found is not None
    assert "half past eight" in found
    assert "cat" not in found


def test_earlier_returns_several_sentences_in_their_order() -> None:
    """A question about two things is answered with two sentences, each quoted."""
    before = ("Infusion is Thursday the 12th.", "Weather was bad.", "The excuse was a flat tire.")
    found = earlier("What day did I say infusion is, and which excuse did I use?", before)
    assert found == "Infusion is Thursday the 12th” and “The excuse was a flat tire"


def test_earlier_is_none_if_the_person_never_said_it() -> None:
    """The character never invents an earlier statement."""
    assert earlier("What was the landlord called?", ("She sleeps until nine.",)) is None
    assert earlier("What day did I say?", ()) is None
    assert earlier("Thank you.", ("She sleeps until nine.",)) is None


def test_a_rule_can_depend_on_earlier_statements() -> None:
    """`earlier` distinguishes facts that the person told from facts that the person never told."""
    item = character(
        slot(
            "one",
            rule("told", {"earlier": True}, "You told me “$earlier”."),
            rule("not", {"earlier": False}, "You have not told me."),
        )
    )
    assert reply(item, "The dog is called Rex.", "What is the dog called?") == (
        "You told me “The dog is called Rex”."
    )
    assert reply(item, "The dog is called Rex.", "What did the surgeon write?") == "You have not told me."


def test_the_same_messages_always_get_the_same_reply() -> None:
    """A reply depends only on the messages, not on earlier requests."""
    item = character(slot("one", rule("a", {"pattern": "cat"}, "First.", "Second.")))
    assistant = ReferenceAssistant(item, Matcher((), Role.USER))
    assert [assistant.reply(said("cat")) for _ in range(3)] == ["First."] * 3
