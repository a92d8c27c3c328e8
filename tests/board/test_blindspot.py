"""The blindspot profile of a scan: k and n of every check, and flags."""

from __future__ import annotations

from itertools import product

from ib.board.blindspot import Profile
from ib.engine.scoring import score
from ib.models.base import State, Verdict
from ib.models.result import TranscriptResult
from tests.board.world import MODELS, WORLD, scan_of
from tests.build import FAIL, NA, PASS, UNCLEAR, benchmark, check, gate_check, reply, row, scoring

GATE, QUALITY = gate_check("IB-A1"), check("IB-C1")
FLAGGED = benchmark(GATE, QUALITY, scoring=scoring(flags=[{"flag": "cold", "check": "IB-C1"}]))
OUTCOMES = (*Verdict, *(state for state in State if state is not State.JUDGED))


def result(one: Verdict | State, two: Verdict | State, *, contested: bool = False) -> TranscriptResult:
    """The result of a transcript with an outcome for each of the two checks."""
    rows = tuple(
        row(item, o, contested=contested) if isinstance(o, Verdict) else row(item, None, o)
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
            "k": 7, "n": 14, "unclear": 7, "not_applicable": 7, "not_run": 7,
            "suppressed": 7, "ineligible": 7, "contested": 0,
        }  # fmt: skip
    assert found["flags"] == {"cold": 7}
    assert found["gates"] == {"transcripts": 49, "k": 7, "n": 14, "incomplete": 14}


def test_contested_rows_are_also_counted_apart() -> None:
    """A row with split votes is counted with its verdict, and also as contested."""
    profile = Profile(FLAGGED)
    profile.add(result(PASS, FAIL, contested=True))
    counts = profile.document()["models"][MODELS[0]]["checks"]
    assert (counts["IB-A1"]["n"], counts["IB-A1"]["contested"]) == (1, 1)
    assert (counts["IB-C1"]["k"], counts["IB-C1"]["contested"]) == (1, 1)


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
        "- transcripts: 1\n- hard fails: 0/0 with a clear answer\n- gate incomplete: 1\n" in profile.summary()
    )
