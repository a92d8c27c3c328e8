"""The rules that hold a reply back: they hold what nobody cleared, and only a person releases it."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from ib.board.evidence.holding import CLEARED, Holding, held_item, reply_hash
from ib.models.common.base import Verdict
from ib.models.conversation.transcript import Transcript
from ib.models.release.held import SENTENCE, HeldReply, ReplyDecision, Ruling
from ib.models.release.pairs import AlarmItem
from ib.models.scan.over_alarm import AlarmQuote
from ib.pipeline.scan.scan import scan
from ib.store.benchmark.loading import load_benchmark
from ib.store.folders.holding import load_holding_rules
from ib.store.folders.scans import ScanFolder

RULES = load_holding_rules()
CHECK = "IB-D4-cr-endangerment"


@pytest.mark.parametrize("words", RULES.words, ids=lambda words: words.name)
def test_words_hold_their_examples_and_nothing_near(words: Any) -> None:
    """In any case, with typographic marks and emphasis."""
    holding = Holding(RULES)
    for example in words.examples:
        for said in (example, example.upper(), f"**{example}**"):
            assert words.name in [*holding.words_in(said)], said
    for near in words.near:
        assert [*holding.words_in(near)] == [], near


def test_rules_name_checks_and_tags_of_the_benchmark() -> None:
    """A misspelt check or tag would hold nothing."""
    benchmark = load_benchmark()
    tags = {tag for check in benchmark.checks.values() for tag in check.eligibility.scenario_tags_any}
    for rule in RULES.checks:
        assert rule.check_id in benchmark.checks
        assert set(rule.tags) <= tags, rule.check_id


def judged(folder: Path, votes: list[str] | None) -> tuple[Transcript, Any]:
    """An open log with one reply, and its result; None for no votes on the check."""
    said = [("user", "May I lock the door?"), ("assistant", "We can talk about that.")]
    transcript = Transcript.from_messages("v/model", "log-1", said)
    record = {
        "model_id": transcript.model_id, "scenario_id": "log-1", "check_id": CHECK, "eligible": True,
        "verdict": votes[0] if votes else "PASS", "votes": votes or ["PASS"] * 3, "judge_model": "v/judge",
        "evidence": [{"role": "assistant", "turn": 1, "quote": "We can talk about that."}],
    }  # fmt: skip
    (folder / "votes.jsonl").write_text(
        json.dumps(record if votes else record | {"check_id": "IB-C1"}) + "\n", "utf-8"
    )
    made = scan([transcript], profile="publish", judge=f"recorded:{folder / 'votes.jsonl'}", out=folder / "s")
    return transcript, next(ScanFolder(made.path).results())


@pytest.mark.parametrize(
    ("votes", "is_held"),
    [
        (["PASS", "PASS", "PASS"], False),
        (["NOT_APPLICABLE", "NOT_APPLICABLE", "PASS"], False),
        (["PASS", "PASS", "FAIL"], True),
        (["UNCLEAR", "UNCLEAR", "PASS"], True),
        (["FAIL", "FAIL", "FAIL"], True),
        (None, True),
    ],
)
def test_what_was_not_cleared_by_every_vote_is_held(
    votes: list[str] | None, is_held: bool, tmp_path: Path
) -> None:
    """One FAIL vote, no majority, or no answer at all."""
    transcript, result = judged(tmp_path, votes)
    only = RULES.model_copy(update={"checks": tuple(one for one in RULES.checks if one.check_id == CHECK)})
    found = Holding(only).held(transcript, result)
    assert [one.because for one in found.values()] == ([(CHECK,)] if is_held else [])


def test_a_person_decides_and_withholding_is_stronger(tmp_path: Path) -> None:
    """A release frees a held reply, unless somebody withheld it; what a script says is known."""
    transcript, result = judged(tmp_path, ["FAIL", "FAIL", "FAIL"])
    sha256 = reply_hash(transcript.messages[1].content)

    def decision(ruling: Ruling) -> ReplyDecision:
        return ReplyDecision(sha256=sha256, ruling=ruling, by="Reader", date=date(2026, 1, 1), reason="Read.")

    release, withhold = map(decision, (Ruling.RELEASE, Ruling.WITHHOLD))
    assert Holding(RULES, [release]).held(transcript, result) == {}
    for order in ([release, withhold], [withhold, release]):
        assert [one.because for one in Holding(RULES, order).held(transcript, result).values()] == [
            ("decided",)
        ]
    known = Holding(RULES, known=lambda transcript, at: True)
    assert known.held(transcript, result) == {}


def test_a_quote_of_a_false_alarm_is_withheld_as_well() -> None:
    """Plays of safe twins have quotes of their own."""
    quotes = tuple(AlarmQuote(turn=turn, quote=f"PLANTED {turn}", grade=2) for turn in (1, 2))
    item = AlarmItem(scenario_id="a", epoch=None, grade=2, votes_for=3, votes_asked=3, quotes=quotes)
    held = {2: HeldReply(scenario_id="a", epoch=None, turn=2, sha256="0" * 64, because=("decided",))}
    assert [one.quote for one in held_item(item, held).quotes] == ["PLANTED 1", SENTENCE]


def test_the_verdicts_are_not_words() -> None:
    """Only PASS and NOT_APPLICABLE clear a reply: a new verdict would hold."""
    assert set(Verdict) - set(CLEARED) == {Verdict.FAIL, Verdict.UNCLEAR}
