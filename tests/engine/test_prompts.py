"""Rendered questions: what stands around the conversation, and what is asked about it."""

from __future__ import annotations

import json
import re
from functools import cache
from itertools import product
from typing import Any

import pytest

from ib.engine.questions.prompts import Invalidated, Question, Screening, render, render_screening
from ib.engine.reading.lines import message_line
from ib.models.benchmark.benchmark import Benchmark
from ib.models.benchmark.check import RULES, Check
from ib.models.common.base import JUDGE_ROUTES, SCREENED_ROUTES, Unit, Verdict
from ib.models.conversation.transcript import Transcript
from ib.models.scan.judge import Cue, Hint, Phase, Stretch, UnitSpan
from ib.store.benchmark.loading import benchmark_folder, load_benchmark
from tests.build import PASS, benchmark, check, engine, frame, hash_of, indexed, reply, rules, run, transcript

CHECK = check()
OMISSION = check("IB-C2", failure="left_out")
SAID = transcript("u1", "a1", "u2", "a2", "u3", "a3", "u4", "a4", "u5", "a5")
CUES = (Cue(1, 1, 2, raises=True), Cue(3, 3, 3, raises=False), Cue(5, 5, 5, raises=True))
_PLACE = re.compile(r"^In (\w+)\.$", re.MULTILINE)


def span(first: int, last: int, *context: Stretch, kind: Unit = Unit.EVENT_WINDOW) -> UnitSpan:
    """The turns of a question."""
    return UnitSpan(kind, first, last, context=context)


def shown(question: Question, said: Transcript = SAID, earlier: Invalidated | None = None) -> str:
    """The user message of a question in the frame of the tests."""
    return render(frame(), question, indexed(said), earlier)[1]


def asked(last: int = 5, first: int = 1, **given: Any) -> Question:
    """A question for a verdict."""
    values = {"check": CHECK, "span": span(first, last), "phase": Phase.DECIDE, **given}
    return Question(**values)


@cache
def real() -> Benchmark:
    """The benchmark of the project."""
    return load_benchmark(benchmark_folder())


@pytest.mark.parametrize(("first", "last"), [(1, 1), (2, 3), (3, 3), (1, 5), (5, 5)])
def test_lesson_45_the_conversation_is_shown_from_its_start_to_the_end_of_the_window(
    first: int, last: int
) -> None:
    """The judge sees everything that was said before the window, and nothing that was said after it."""
    lines = shown(asked(last, first)).split("\n")
    for message in SAID.messages:
        assert (message_line(message) in lines) is (message.turn <= last)


def test_questions_of_a_conversation_share_everything_up_to_the_last_message_that_both_show() -> None:
    """A provider's cache serves the common beginning, whichever checks and windows are asked about."""
    told = indexed(SAID.model_copy(update={"country": "GB"}))
    checks = (CHECK, OMISSION, check("IB-F1-a", unit_of_analysis=Unit.TURN_LEVEL))
    questions = [
        Question(item, span(first, last), phase, hints=(Hint(first, "a1"),))
        for item, first, last, phase in product(checks, (1, 2), (2, 3, 5), (Phase.DECIDE, Phase.EXTRACT))
    ]
    texts = [(q.span.last, render(real().frame, q, told)[1]) for q in questions]
    texts.append((5, render_screening(real().frame, Screening("s", checks), told)[1]))
    assert len({render(real().frame, question, told)[0] for question in questions}) == 1
    for (one_last, one), (two_last, two) in product(texts, repeat=2):
        last = message_line(told.transcript.between(1, min(one_last, two_last))[-1])
        assert one[: one.index(last)] == two[: two.index(last)]


@pytest.mark.parametrize("check_id", [c.id for c in real().checks.values() if c.prompt is not None])
def test_the_question_contains_the_four_rules_of_the_page(check_id: str) -> None:
    """A reader of a check's page has read the rules by which the judge decides."""
    item = real().checks[check_id]
    text = render(real().frame, Question(item, span(1, 5), Phase.DECIDE), indexed(SAID))[1]
    for rule in RULES:
        assert getattr(item, rule) in text, rule


def test_the_words_of_a_check_stay_short() -> None:
    """A judge reads the words of a check with every question: at most 5,000 characters for one check."""
    lengths = {item.id: len("".join(own_words(item))) for item in real().checks.values() if item.prompt}
    assert max(lengths.values()) <= 5_000, max(lengths, key=lambda check_id: lengths[check_id])
    assert sum(lengths.values()) / len(lengths) <= 3_400


def own_words(item: Check) -> list[str]:
    """The words in a check's question that are its own, without the frame and the conversation."""
    assert item.prompt is not None
    codes = [part for v in Verdict for pair in item.rationale_codes.meanings(v).items() for part in pair]
    prompt = [item.prompt.question, item.prompt.cues, item.prompt.not_judged]
    return [item.name, *(getattr(item, rule) for rule in RULES), *prompt, *codes]


def test_lesson_26_the_code_of_the_markers_is_the_same_for_all_windows() -> None:
    """A longer window does not change the marker at the begin of the prompt, also if a later message
    contains the code that an earlier window could have had."""
    code = indexed(SAID).nonce
    read = indexed(transcript("u", "a", "u", f"later: {code}"))
    object.__setattr__(read, "transcript_hash", read.transcript_hash.replace(read.nonce, code))
    begins = {render(frame(), asked(last), read)[1].split("\n")[0] for last in (1, 2)}
    assert begins == {f"<<<BEGIN {read.nonce}>>>"}
    assert read.nonce != code


@pytest.mark.parametrize(
    ("judged", "sentence"),
    [
        (span(3, 3), "Judge the reply in turn 3 of more."),
        (span(2, 4), "Judge the replies in turns 2 to 4 of more."),
        (span(2, 5, (4, 4)), "Judge the replies in turns 2 to 3 and 5 of more."),
        (span(1, 5, (2, 2), (4, 4)), "Judge the replies in turns 1, 3 and 5 of more."),
        (span(1, 5), "Judge the replies in turns 1 to 5."),
        (span(1, 1), "Judge the reply in turn 1."),
    ],
)
def test_the_judge_is_told_which_replies_it_judges(judged: UnitSpan, sentence: str) -> None:
    """One turn, a range and several stretches are named in words; the whole has no rest of context."""
    assert sentence in shown(asked(span=judged)).split("\n")


def test_a_marked_cue_takes_the_place_of_the_unit() -> None:
    """With a cue the judge is told its turn; without one, how the turns are read. A claim needs neither."""
    cued = shown(asked(cues=(Cue(3, 3, 4, raises=True),)))
    assert "Cue in turn 3." in cued
    assert "Unit " not in cued
    assert "Unit " not in shown(asked(phase=Phase.VERIFY, claim="c"))
    for unit in Unit:
        told = shown(asked(span=span(1, 5, kind=unit)))
        assert [other for other in Unit if f"Unit {other.value}." in told] == [unit]
        assert "Cue" not in told


def test_an_episode_names_all_its_cues_and_those_that_decide() -> None:
    """The judge answers for each cue, and knows which of them decide the verdict."""
    told = shown(asked(span=span(1, 5, (4, 4)), cues=CUES))
    assert "Cues in turns 1, 3 and 5, deciding turns 1 or 5." in told
    assert 'Form:\n"occurrences",\n"cues",\n"reason",\n"code",\n"verdict"\n' in told
    assert "Cues in turns 1 and 3, deciding turn 1." in shown(asked(cues=CUES[:2]))
    assert '"cues"' not in shown(asked(cues=CUES[:1]))


@pytest.mark.parametrize(
    ("recovery", "told"), [("counts", "Later counts."), ("does_not_count", "Later does not count.")]
)
def test_the_judge_is_told_whether_a_later_reply_counts(recovery: str, told: str) -> None:
    """The check says it; an episode and a single claim have rules of their own."""
    item = check(recovery=recovery)
    assert told in shown(asked(check=item)).split("\n")
    for other in (asked(check=item, cues=CUES), asked(check=item, phase=Phase.VERIFY, claim="c")):
        assert "Later" not in shown(other)


def test_lesson_58_the_nearest_act_is_quoted_before_a_verdict_on_something_left_out() -> None:
    """For an omission the form begins with what the assistant did instead; for words it does not."""
    told = shown(asked(check=OMISSION))
    assert "Quote the nearest." in told
    assert 'Form:\n"nearest",\n"occurrences",\n"reason",\n"code",\n"verdict"\n' in told
    assert "nearest" not in shown(asked())


def test_every_code_has_its_meaning_and_its_verdict() -> None:
    """The codes of each verdict stand on its line, each with what it means."""
    codes: dict[str, dict[str, str]] = {verdict.value: {f"{verdict.lower()}_x": "one"} for verdict in Verdict}
    codes["FAIL"]["fail_y"] = "another"
    told = shown(asked(check=check(rationale_codes=codes))).partition("Codes:\n")[2].split("\n")
    assert told == [
        "PASS: pass_x (one)",
        "FAIL: fail_x (one); fail_y (another)",
        "UNCLEAR: unclear_x (one)",
        "NOT_APPLICABLE: not_applicable_x (one)",
    ]


def test_an_extraction_asks_for_no_verdict() -> None:
    """It has no form of a verdict, no codes and no rule about later replies."""
    told = shown(asked(check=OMISSION, phase=Phase.EXTRACT))
    assert told.endswith("\n\nExtract.")
    assert not {"Form:", "Codes:", "Later", "nearest"} & set(re.findall(r"\w+:?", told))


@pytest.mark.parametrize("phase", [Phase.DECIDE, Phase.EXTRACT, Phase.VERIFY])
def test_no_prompt_names_a_check_by_its_id(phase: Phase) -> None:
    """The judge knows no ids: neither the check's own nor those of other checks mean anything to it."""
    world = real()
    asking = [item for item in world.checks.values() if item.routing.route in JUDGE_ROUTES]
    assert len(asking) > 40
    for item in asking:
        cues = CUES if item.routing.unit_of_analysis is Unit.EVENT_WINDOW else ()
        question = Question(item, span(1, 5), phase, cues=cues, claim="words", reference="- fact")
        system, user = render(world.frame, question, indexed(SAID), Invalidated("a problem", "words"))
        assert [other for other in world.checks if other in system + user] == [], item.id


def test_a_screening_lists_its_checks_by_id() -> None:
    """The judge answers by id, so each check is one line with its id and what to look for."""
    items = [item for item in real().checks.values() if item.routing.route in SCREENED_ROUTES]
    _, user = render_screening(real().frame, Screening("s", tuple(items)), indexed(SAID))
    for item in items:
        assert item.prompt is not None
        assert f"\n- {item.id}: {item.prompt.screen}\n" in user
    told = render_screening(frame(), Screening("s", (CHECK,)), indexed(SAID))[1]
    assert told.endswith("\n\nJudge the replies in turns 1 to 5.\n\nScreen:\n- IB-C1: screen for IB-C1")


def test_the_turns_in_which_a_cue_may_have_been_heard_are_named() -> None:
    """Words of the person that a lexicon found point the judge to turns, and are not repeated."""
    assert "Heard in turns 2 and 4." in shown(asked(heard=(2, 4)))
    assert "Heard" not in shown(asked())


def test_the_judge_is_told_where_the_person_is() -> None:
    """The country stands before the conversation, because help from elsewhere is no help."""
    told = indexed(SAID.model_copy(update={"country": "GB"}))
    assert render(frame(), asked(), told)[1].startswith("In GB.\n\n<<<BEGIN ")
    assert shown(asked()).startswith("<<<BEGIN ")


@pytest.mark.parametrize(
    ("jurisdiction", "own", "told"),
    [("on", None, "CA"), ("on", "GB", "GB"), (None, "GB", "GB"), (None, None, None)],
)
def test_the_country_of_a_rule_set_is_where_its_people_are(
    jurisdiction: str | None, own: str | None, told: str | None
) -> None:
    """A person who names no country is in that of their jurisdiction, in all questions alike."""
    sets = {"base": rules(), "on": rules(id="on", country="CA")}
    judged = engine(benchmark(CHECK, rules=sets))
    said = SAID.model_copy(update={"jurisdiction": jurisdiction, "country": own})
    read = judged.index(said, hash_of(said))
    _, rounds = run(lambda: judged.verify(read), lambda _: reply(PASS))
    users = [request.user for requests in rounds for request in requests]
    assert users
    assert {tuple(_PLACE.findall(user)) for user in users} == {() if told is None else (told,)}


@pytest.mark.parametrize("words", ["$5 a day, $nonce and ${messages}", "$$", "$", "100 $ %s {0}"])
def test_a_dollar_in_the_words_of_a_model_is_untouched(words: str) -> None:
    """What is filled in is not read as a template, wherever it is filled in."""
    said, line = transcript("u", words), json.dumps(words)
    verified = asked(1, phase=Phase.VERIFY, claim=words, reference=words)
    assert f'"content":{line}' in shown(asked(1), said)
    assert f"said:\n<<<BEGIN {indexed(said).nonce}>>>\n{line}\n" in shown(verified, said)
    assert f"Reference:\n{words}\n" in shown(verified, said)
    assert f'{{"turn":1,"quote":{line}}}' in shown(asked(1, hints=(Hint(1, words),)), said)
    again = shown(asked(1), said, Invalidated(words, words))
    assert f"Not counted: {words}\n" in again
    assert f"\n{line}\n" in again.partition("Not counted")[2]


def test_the_frame_of_the_benchmark_renders_every_kind_of_question() -> None:
    """No placeholder is left, and the question and the form stand after the conversation."""
    world = real()
    for item in (item for item in world.checks.values() if item.routing.route in JUDGE_ROUTES):
        assert item.prompt is not None
        _, user = render(world.frame, asked(check=item, cues=CUES), indexed(SAID))
        places = [user.index(part) for part in ("a5", item.prompt.question, '"occurrences"', '"cues"')]
        assert places == sorted(places)
        assert "$" not in user
