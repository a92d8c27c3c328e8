"""The blindspot profile of a scan: k and n of every check, and flags."""

from __future__ import annotations

from itertools import product
from typing import Any

from ib.board.figures.blindspot import Profile
from ib.engine.scoring import score
from ib.models.common.base import State, Verdict
from ib.models.scan.judge import Answer, JudgeReply, JudgeRequest, Refusal
from ib.models.scan.occurrences import Occurrences
from ib.models.scan.result import TranscriptResult
from tests.board.world import MODELS, WORLD, scan_of
from tests.build import FAIL, NA, PASS, UNCLEAR, benchmark, check, gate_check, reply, row, scoring

GATE, QUALITY = gate_check("IB-A1"), check("IB-C1")
FLAGGED = benchmark(GATE, QUALITY, scoring=scoring(flags=[{"flag": "cold", "check": "IB-C1"}]))
OUTCOMES = (*Verdict, *(state for state in State if state is not State.JUDGED))


def result(one: Verdict | State, two: Verdict | State, **given: Any) -> TranscriptResult:
    """The result of a transcript with an outcome for each of the two checks."""
    rows = tuple(
        row(item, o, **given) if isinstance(o, Verdict) else row(item, None, o)
        for item, o in ((GATE, one), (QUALITY, two))
    )
    (base, *_) = scan_of()[1]
    return base.model_copy(update={"rows": rows, "score": score(rows, FLAGGED.scoring)})


def test_every_outcome_is_counted_once() -> None:
    """For all pairs of outcomes, each row is in exactly one count, and k/n has only decided rows."""
    profile = Profile(FLAGGED)
    for one, two in product(OUTCOMES, repeat=2):
        profile.add(result(one, two))
    found = profile.document()["models"][MODELS[0]]
    for check_id in ("IB-A1", "IB-C1"):
        counts = found["checks"][check_id]
        assert counts == {
            "k": 8, "n": 16, "unclear": 8, "not_applicable": 8, "found": 8, "searched": 8, "not_run": 8,
            "suppressed": 8, "ineligible": 8, "no_phrase_found": 0, "contested": 0, "split": 0,
            "older_question": 0,
            "occurrences": 0, "chances": 0, "not_measured": 16,
        }  # fmt: skip
    assert found["flags"] == {"cold": 8}
    safety = {"due": 48, "failed_by_judge": 8, "contested": 0, "incomplete": 24, "clear": 16}
    assert found["gates"] == {"A": safety, "B": dict.fromkeys(safety, 0)}
    assert (found["transcripts"], found["both_gates"]) == (64, safety)


def test_split_and_contested_rows_are_also_counted_apart() -> None:
    """A row with split votes is counted with its verdict and as split; only a FAIL can be contested."""
    profile = Profile(FLAGGED)
    profile.add(result(PASS, FAIL, split=True, confidence=1 / 3))
    counts = profile.document()["models"][MODELS[0]]["checks"]
    names = ("k", "n", "split", "contested")
    assert [[counts[check_id][name] for name in names] for check_id in ("IB-A1", "IB-C1")] == [
        [0, 1, 1, 0],
        [1, 1, 1, 1],
    ]


def test_occurrences_are_added_up() -> None:
    """Turns and chances of rows that have them; rows with PASS or FAIL that have none are counted."""
    profile = Profile(FLAGGED)
    profile.add(result(FAIL, PASS, occurrences=Occurrences(turns=(1, 3), chances=4)))
    profile.add(result(FAIL, UNCLEAR))
    counts = profile.document()["models"][MODELS[0]]["checks"]
    names = ("occurrences", "chances", "not_measured")
    assert [[counts[check_id][name] for name in names] for check_id in ("IB-A1", "IB-C1")] == [
        [2, 4, 1],
        [2, 4, 0],
    ]


def test_parts_of_a_scan_add_up() -> None:
    """Two profiles merged are the profile of all results."""
    whole, first, second = Profile(FLAGGED), Profile(FLAGGED), Profile(FLAGGED)
    for number, (one, two) in enumerate(product(OUTCOMES, repeat=2)):
        found = result(one, two)
        whole.add(found)
        (first if number % 2 else second).add(found)
    first.merge(second)
    assert (first.document(), first.summary()) == (whole.document(), whole.summary())


def test_refused_questions_are_counted_by_model() -> None:
    """A question counts once if the judge refuses it, however many of its votes are refused."""

    def answer(request: JudgeRequest) -> JudgeReply:
        refused = request.check_id == "IB-A1" and request.repetition < 3
        return Refusal("content_filter") if refused else reply(PASS)

    results = scan_of(answer)[1]
    profile, other = Profile(WORLD), Profile(WORLD)
    for number, found in enumerate(results):
        (profile if number % 2 else other).add(found)
    profile.merge(other)
    models = {model: profile.document()["models"][model] for model in MODELS}
    assert [models[model]["refused_questions"] for model in MODELS] == [2, 2]
    assert [models[model]["gates"]["A"]["incomplete"] for model in MODELS] == [2, 2]


def test_unreadable_questions_are_counted_by_model() -> None:
    """A question counts once if a reply of the judge to it, also when asked again, has another form."""

    def answer(request: JudgeRequest) -> JudgeReply:
        return Answer("no") if request.check_id == "IB-A1" and request.repetition < 3 else reply(PASS)

    results = scan_of(answer)[1]
    profile, other = Profile(WORLD), Profile(WORLD)
    for number, found in enumerate(results):
        (profile if number % 2 else other).add(found)
    profile.merge(other)
    models = profile.document()["models"]
    assert [models[model]["unreadable_questions"] for model in MODELS] == [2, 2]
    assert [models[model]["refused_questions"] for model in MODELS] == [0, 0]
    assert profile.summary().count("questions that it did not answer in the form asked for: 2\n") == 2


def test_lesson_15_every_active_check_has_a_line_for_every_model() -> None:
    """A check without any verdict is in the document and in the summary too."""
    _, results = scan_of(lambda _: reply(NA))
    profile = Profile(WORLD)
    for found in results:
        profile.add(found)
    document = profile.document()
    summary = profile.summary()
    assert list(document["models"]) == list(MODELS)
    for model in MODELS:
        assert list(document["models"][model]["checks"]) == list(WORLD.checks)
        assert f"## `{model}`" in summary
    for check_id in WORLD.checks:
        assert summary.count(f"| `{check_id}` | 0 | 0 | 0 | 2 | 0 | 0 | 0 |") == len(MODELS)


def test_an_open_gate_is_not_a_pass() -> None:
    """A transcript with an unclear gate verdict counts as incomplete."""
    profile = Profile(FLAGGED)
    profile.add(result(UNCLEAR, PASS))
    assert (
        "- transcripts: 1\n"
        "- safety hard fails: 0 of 1 due failed by the judge; 0 contested, 1 incomplete\n"
        "- compliance hard fails: not due on any transcript\n"
        "- questions that the judge refused: 0\n"
        "- questions that it did not answer in the form asked for: 0\n"
    ) in profile.summary()
