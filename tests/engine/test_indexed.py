"""Reading ahead: transcripts searched together have the same hits as transcripts searched alone."""

from __future__ import annotations

import pytest

from ib.engine.mode_engine import READ_AHEAD, READ_AHEAD_CHARACTERS
from ib.engine.reading.lexicons import TOGETHER
from ib.models.benchmark.benchmark import Benchmark
from ib.models.common.base import Role, Route, Verdict
from ib.models.scan.judge import Granularity, JudgeSpec, NotRecorded
from ib.text.grammar import PhraseError
from ib.text.normalize import SAID_AGAIN
from tests.build import benchmark, check, corpus, engine, hash_of, in_turn, lexicon, reply, run, transcript

WORDS = lexicon(deciding=("always here",), proposing=("only me",))


def world() -> Benchmark:
    """One check with a lexicon of both kinds."""
    item = check("IB-F1-a", route=Route.REGEX_WITH_LLM_EDGE, lexicon=WORDS.name)
    return benchmark(item, lexicons=(WORDS,))


@pytest.mark.parametrize("count", [0, 1, READ_AHEAD, READ_AHEAD + 1, 2 * READ_AHEAD + 3])
def test_transcripts_read_ahead_come_in_order_with_the_hits_of_each(count: int) -> None:
    """At and around READ_AHEAD transcripts, each transcript has its own hits only."""
    judged = engine(world(), "publish")
    said = [
        transcript(
            "always here",
            "I am always here." if i % 3 == 0 else "Rest.",
            "u",
            "Only me." if i % 2 else "Rest.",
            scenario_id=f"scenario-{i}",
        )
        for i in range(count)
    ]
    read = list(judged.index_all((one, hash_of(one)) for one in said))
    assert [indexed.transcript for indexed in read] == said
    for indexed, one in zip(read, said, strict=True):
        alone = judged.index(one, hash_of(one))
        hits = indexed.hits(Role.ASSISTANT, WORDS.name, None)
        assert hits == alone.hits(Role.ASSISTANT, WORDS.name, None)
        number = int(one.scenario_id.partition("-")[2])
        assert [hit.turn for hit in hits] == [1] * (number % 3 == 0) + [2] * (number % 2)


def test_no_more_is_read_ahead_than_is_said() -> None:
    """The memory of a scan does not grow with its transcripts."""
    judged = engine(world(), "publish")
    taken: list[int] = []

    def coming() -> object:
        for number in range(3 * READ_AHEAD):
            taken.append(number)
            one = transcript("u", "Rest.", scenario_id=f"scenario-{number}")
            yield one, hash_of(one)

    indexed_all = judged.index_all(coming())  # type: ignore[arg-type]
    next(indexed_all)
    assert len(taken) == READ_AHEAD + 1  # and one, to know whether there are more


RECORDED = JudgeSpec(model="recorded:x", granularity=Granularity.CHECK, reads_prompt=False)
CANDIDATES = (Route.HYBRID_LLM, Route.EXTRACT_THEN_CORPUS)


@pytest.mark.parametrize("route", CANDIDATES)
@pytest.mark.parametrize("speaker", Role)
def test_a_lexicon_whose_hits_are_not_read_is_not_searched(route: Route, speaker: Role) -> None:
    """A recording answers whole checks: candidates and cues are searched only where it has no votes."""
    words = lexicon(proposing=("only me",), speaker=speaker)
    broken = words.patterns[0].model_copy(update={"phrase": "(only me"})
    words = words.model_copy(update={"patterns": (broken,)})
    item = check("IB-B3", severity="S5", route=route, lexicon=words.name)
    judged = engine(benchmark(item, lexicons=(words,), corpus=corpus("A fact.")), spec=RECORDED)
    said = transcript("only me", "Only me.")
    (read,) = judged.index_all([(said, hash_of(said))])
    run(lambda: judged.verify(read), in_turn(*[reply(Verdict.PASS)] * 3))
    if speaker is Role.ASSISTANT:
        with pytest.raises(PhraseError):
            run(lambda: judged.verify(read), lambda _: NotRecorded())


def test_a_lexicon_can_be_searched_for_ahead() -> None:
    """The lexicons that supplementary measures need are searched with the others, in one pass."""
    item = check("IB-B1", severity="S5", route=Route.HYBRID_LLM, lexicon=WORDS.name)
    judged = engine(benchmark(item, lexicons=(WORDS,)), spec=RECORDED)
    said = transcript("u", "Only me.")
    assert judged.index(said, hash_of(said)).assistant_matcher.group_of("words") == "words"
    judged.search_ahead([WORDS.name])
    read = judged.index(said, hash_of(said))
    assert read.assistant_matcher.group_of("words") == TOGETHER
    assert [hit.hit.quote for hit in read.hits(Role.ASSISTANT, WORDS.name, None)] == ["Only me"]


def test_only_short_words_of_users_are_kept_for_the_next_model() -> None:
    """Short user messages are cached for the next model; long ones are not, to save memory."""
    for length, same in ((SAID_AGAIN, True), (SAID_AGAIN + 1, False)):
        heard = [
            engine(world(), "publish").index(transcript("u" * length, said), "0" * 64).utterances[0].normal
            for said in ("Rest.", "Stay.")
        ]
        assert heard[0] == heard[1]
        assert (heard[0] is heard[1]) is same


def test_little_is_read_ahead_of_long_transcripts() -> None:
    """Reading ahead is also limited by the number of characters."""
    judged = engine(world(), "publish")
    long = READ_AHEAD_CHARACTERS // 2
    said = [transcript("u", "a" * long, scenario_id=f"scenario-{i}") for i in range(5)]
    taken: list[str] = []

    def coming() -> object:
        for one in said:
            taken.append(one.scenario_id)
            yield one, hash_of(one)

    next(judged.index_all(coming()))  # type: ignore[arg-type]
    assert len(taken) == 3  # two, and one to know whether there are more
