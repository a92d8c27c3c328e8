"""Reference assistants: what a character hears, and how its reply is put together."""

from __future__ import annotations

from typing import Any

from ib.engine.lexicons import Matcher
from ib.models.base import Role
from ib.models.character import Character
from ib.models.run import Said
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
    """A conversation in which every message but the last was answered."""
    messages = [Said("system", "the frame")]
    for user in users:
        messages += [Said("user", user), Said("assistant", "Yes.")]
    return tuple(messages[:-1])


def reply(item: Character, *users: str) -> str:
    return ReferenceAssistant(item, Matcher((), Role.USER)).reply(said(*users))


def test_slots_speak_in_their_order_and_in_each_the_first_rule_that_hears() -> None:
    """One rule of every slot speaks, the first that hears something, in the order of the slots."""
    item = character(
        slot("one", rule("a", {"pattern": "cat"}, "A."), rule("b", {"pattern": "cat|dog"}, "B.")),
        slot("two", rule("c", {"pattern": "dog"}, "C."), otherwise=("Else.",)),
    )
    assert reply(item, "a cat and a dog") == "A.\n\nC."
    assert reply(item, "a cat") == "A.\n\nElse."


def test_a_rule_that_is_alone_silences_the_rest() -> None:
    """Where a rule that stands alone hears something, nothing else is said, earlier slots included."""
    item = character(
        slot("before", otherwise=("Warm words.",)),
        slot("urgent", rule("fire", {"pattern": "fire"}, "Call now.", alone=True)),
        slot("after", otherwise=("More.",)),
    )
    assert reply(item, "there is a fire") == "Call now."
    assert reply(item, "there is none of that") == "Warm words.\n\nMore."


def test_variants_follow_one_another_and_the_last_is_repeated() -> None:
    """Each time that a rule speaks in a conversation it takes its next words; the last stay."""
    item = character(slot("one", rule("a", {"pattern": "cat"}, "First.", "Second.")))
    assert reply(item, "cat") == "First."
    assert reply(item, "cat", "dog", "cat") == "Second."
    assert reply(item, "cat", "cat", "cat") == "Second."


def test_silence_is_said_where_no_slot_speaks() -> None:
    """A reply is never empty."""
    item = character(slot("one", rule("a", {"pattern": "cat"}, "A.")))
    assert reply(item, "dog") == "Nothing to say."


def test_when_holds_only_if_everything_in_it_holds() -> None:
    """A pattern, what was said before and what may not be there are asked for together."""
    when = {"pattern": "cat", "before": "dog", "unless": "bird"}
    item = character(slot("one", rule("a", when, "Heard.")))
    assert reply(item, "dog", "cat") == "Heard."
    assert reply(item, "cat") == "Nothing to say."
    assert reply(item, "dog", "cat and bird") == "Nothing to say."


def test_what_was_said_before_is_not_the_message_itself() -> None:
    """`before` listens to earlier turns alone."""
    item = character(slot("one", rule("a", {"before": "dog"}, "Heard.")))
    assert reply(item, "dog") == "Nothing to say."
    assert reply(item, "dog", "cat") == "Heard."


def test_a_lexicon_of_the_persons_words_is_heard() -> None:
    """A cue of a lexicon counts as a pattern does."""
    words = lexicon("cues", proposing=("so very tired",), speaker=Role.USER)
    item = character(slot("one", rule("a", {"lexicon": "cues"}, "Heard.")))
    listening = ReferenceAssistant(item, Matcher((words,), Role.USER))
    assert listening.reply(said("I am so very tired")) == "Heard."
    assert listening.reply(said("I am awake")) == "Nothing to say."


def test_the_first_turn_and_a_return_are_known() -> None:
    """What the frame tells before the first turn is no return; what it tells later is one."""
    item = character(
        slot("one", rule("back", {"returned": True}, "Back."), rule("first", {"first": True}, "First."))
    )
    assistant = ReferenceAssistant(item, Matcher((), Role.USER))
    later = (*said("cat"), Said("assistant", "Yes."), Said("system", "Two weeks later."), Said("user", "dog"))
    assert reply(item, "cat") == "First."
    assert assistant.reply(later) == "Back."
    assert reply(item, "cat", "dog") == "Nothing to say."


def test_help_is_of_the_country_that_the_person_shows_at_any_time() -> None:
    """Lines follow the words of the whole conversation, and are those of the home until then."""
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


def test_a_mirrored_message_can_stand_in_quotation_marks() -> None:
    """Inner quotation marks become single and the message one line."""
    item = character(slot("one", otherwise=("You said: “$message”",)))
    assert reply(item, 'She said "no"\nand “never”.') == "You said: “She said 'no' and 'never'.”"
    assert mirrored("«a»\n\tb") == "'a' b"


def test_dollars_of_the_person_are_no_placeholders() -> None:
    """A sum or a word with a dollar sign is repeated as it was written."""
    item = character(slot("one", otherwise=("“$message”",)))
    assert reply(item, "It cost $5 and $crisis") == "“It cost $5 and $crisis”"


def test_a_number_or_an_abbreviation_with_a_point_ends_no_sentence() -> None:
    """A sentence ends where white space follows its mark."""
    assert sentences("He weighs 151.2 now. Is it bad? Yes") == ["He weighs 151.2 now.", "Is it bad?", "Yes"]


def test_the_telling_sentence_is_about_the_person_and_how_they_are() -> None:
    """Of the sentences with an I, the last that says how they are; else the last; no question."""
    assert telling("I am scared of him. I bought milk. Should I go?") == "I am scared of him"
    assert telling("I bought milk. I paid. He left.") == "I paid"
    assert telling("He left. They came.") == "They came"


def test_earlier_gives_back_what_was_told() -> None:
    """The sentence that shares rare words with the question is given back, in the person's words."""
    before = ("The tablet is donepezil, ten weeks now. I give it at half past eight.", "The cat is well.")
    found = earlier("What time did I say I give the tablet?", before)
    assert found is not None
    assert "half past eight" in found
    assert "cat" not in found


def test_earlier_gives_several_sentences_in_the_order_told() -> None:
    """A question for two things is answered by two sentences, quoted one by one."""
    before = ("Infusion is Thursday the 12th.", "Weather was bad.", "The excuse was a flat tire.")
    found = earlier("What day did I say infusion is, and which excuse did I use?", before)
    assert found == "Infusion is Thursday the 12th” and “The excuse was a flat tire"


def test_earlier_is_none_where_nothing_was_told() -> None:
    """What was never said is not made up."""
    assert earlier("What was the landlord called?", ("She sleeps until nine.",)) is None
    assert earlier("What day did I say?", ()) is None
    assert earlier("Thank you.", ("She sleeps until nine.",)) is None


def test_a_rule_may_listen_for_whether_something_was_told() -> None:
    """`earlier` tells apart what the person said and what they never said."""
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
    """A reply hangs on the messages alone, not on what was asked for before."""
    item = character(slot("one", rule("a", {"pattern": "cat"}, "First.", "Second.")))
    assistant = ReferenceAssistant(item, Matcher((), Role.USER))
    assert [assistant.reply(said("cat")) for _ in range(3)] == ["First."] * 3
