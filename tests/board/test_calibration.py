"""A check compared with labels: consensus, rates and agreement, computed by hand and by statsmodels."""

from __future__ import annotations

import pytest
from statsmodels.stats.inter_rater import cohens_kappa

from ib.board.calibration.consensus import consensus
from ib.board.calibration.figures import calibration_figures
from ib.board.calibration.sentences import note
from ib.models.benchmark.calibration import (
    Annotator,
    Calibration,
    CalibrationItem,
    Label,
    MeasuredCalibration,
    SourceFile,
)
from ib.models.common.base import Verdict
from ib.models.common.reader import ReaderRole

LETTERS = {"F": Verdict.FAIL, "P": Verdict.PASS, "U": Verdict.UNCLEAR, "N": Verdict.NOT_APPLICABLE}
MADE = {"ann": "FPPPFFPNPF", "ben": "FPPPFPPNPF", "cat": "FFPPFFPPPF"}
"""What three annotators said about ten conversations. Most of them say FPPPFFPNPF."""
JUDGE = "FFPPFPUNPF"
BOTH = (False, True)


def annotators(*names: str, role: ReaderRole = ReaderRole.CLINICIAN, blind: bool = True) -> list[Annotator]:
    return [Annotator(name=name, role=role, blind=blind) for name in names]


def items(
    said: dict[str, str] = MADE, judge: str = JUDGE, families: int = 10, turn: int = 2
) -> list[CalibrationItem]:
    """One item for each letter. The annotators name turn 2 for a FAIL, and the judge names `turn`."""
    return [
        CalibrationItem(
            model_id="lab/model",
            scenario_id=f"s{at}",
            check_id="IB-A1",
            family=f"family {at % families}",
            transcript_hash="0" * 64,
            row_hash="1" * 64,
            verdict=LETTERS.get(judge[at]),
            turns=(turn,) if judge[at] == "F" else (),
            labels=tuple(
                Label(by=name, verdict=LETTERS[told[at]], turns=(2,) if told[at] == "F" else ())
                for name, told in sorted(said.items())
            ),
        )
        for at in range(len(judge))
    ]


def measured(many: list[CalibrationItem], who: list[Annotator], **more: object) -> MeasuredCalibration:
    values = {"wording": "2" * 64, "judge": "lab/judge", "judge_hash": "3" * 64, **more}
    return MeasuredCalibration(
        file="calibration/IB-A1.jsonl",
        sha256="4" * 64,
        labels=(SourceFile(name="labels.jsonl", sha256="5" * 64),),
        results="6" * 64,
        annotators=tuple(who),
        figures=calibration_figures(many, who),
        **values,
    )


def test_three_annotators_by_hand() -> None:
    """4 of 10 fail. The judge finds 3 of them and one that is none, and calls one of the others UNCLEAR."""
    found = calibration_figures(items(), annotators(*MADE))
    assert (found.items, found.failures, found.families, found.open, found.basis) == (10, 4, 10, 0, "people")
    assert (found.sensitivity.k, found.sensitivity.n, found.sensitivity.unclear) == (3, 4, 0)
    assert (found.specificity.k, found.specificity.n, found.specificity.unclear) == (4, 6, 1)
    assert (found.judge.agreed, found.judge.n) == (8, 10)
    assert found.judge.kappa == pytest.approx((0.8 - 0.52) / (1 - 0.52), abs=5e-5)
    assert found.judge.ac1 == pytest.approx((0.8 - 0.48) / (1 - 0.48), abs=5e-5)
    fail, passed, none, unclear = Verdict.FAIL, Verdict.PASS, Verdict.NOT_APPLICABLE, Verdict.UNCLEAR
    assert found.table == {
        passed: {passed: 3, fail: 1, unclear: 1},
        fail: {passed: 1, fail: 3},
        none: {none: 1},
    }
    assert (found.same_turn.k, found.same_turn.n) == (3, 3)
    elsewhere = calibration_figures(items(turn=3), annotators(*MADE))
    assert (elsewhere.same_turn.k, elsewhere.same_turn.n) == (0, 3)


def test_each_pair_of_annotators_is_that_of_statsmodels() -> None:
    """Kappa on FAIL or not, for all three pairs."""
    found = {
        (one.one, one.other): one.on_fail for one in calibration_figures(items(), annotators(*MADE)).pairs
    }
    assert len(found) == 3
    for (one, other), told in found.items():
        pairs = list(zip(MADE[one], MADE[other], strict=True))
        table = [[sum((a == "F") is x and (b == "F") is y for a, b in pairs) for y in BOTH] for x in BOTH]
        assert told.kappa == pytest.approx(cohens_kappa(table).kappa, abs=5e-5)


def test_items_of_one_family_count_for_less() -> None:
    """The same counts in two families and in ten: a wider interval."""
    apart = calibration_figures(items(), annotators(*MADE)).judge
    together = calibration_figures(items(families=2), annotators(*MADE)).judge
    assert apart.kappa == together.kappa
    assert apart.kappa_low is not None
    assert together.kappa_low is not None
    assert together.kappa_low < apart.kappa_low


@pytest.mark.parametrize(
    ("said", "wanted"),
    [("F", "F"), ("U", None), ("FP", None), ("FF", "F"), ("FFP", "F"), ("FPN", None), ("UUF", None)],
)
def test_who_makes_a_consensus(said: str, wanted: str | None) -> None:
    """One alone, two who agree, most of three or more; UNCLEAR is no consensus."""
    assert consensus([LETTERS[one] for one in said]) is (None if wanted is None else LETTERS[wanted])


def test_language_models_beside_people_decide_nothing() -> None:
    """Their labels are compared, and the consensus is that of the people."""
    who = annotators("ann") + annotators("ben", "cat", role=ReaderRole.LANGUAGE_MODEL)
    beside = calibration_figures(items({**MADE, "ann": "P" * 10}), who)
    assert (beside.basis, beside.failures, len(beside.pairs)) == ("people", 0, 3)
    unread = [item.model_copy(update={"labels": item.labels[1:]}) for item in items()[:3]]
    assert calibration_figures([*unread, *items()[3:]], who).items == 7  # no person labeled the first three
    alone = measured(items(), annotators(*MADE, role=ReaderRole.LANGUAGE_MODEL))
    assert (alone.figures.basis, alone.status, alone.figures.blind_items) == (
        "language_models",
        "unvalidated",
        0,
    )
    assert "3 language models" in note(alone)
    assert "people on" not in note(alone)


MANY = "F" * 15 + "P" * 35


def test_validated_needs_people_blind_and_enough() -> None:
    """50 items, 15 failures, 15 families, two blind people: one less of anything is not validated."""
    said = {"ann": MANY, "ben": MANY}
    who = annotators("ann", "ben")
    good = measured(items(said, "P" * 50, 15), who)
    assert (good.status, good.lacks) == ("validated", ())  # a judge that finds nothing: figures are printed
    assert "sensitivity 0 of 15" in note(good)
    few = measured(items({name: one[1:] for name, one in said.items()}, "P" * 49, 15), who)
    failures = measured(items({name: "P" + one[1:] for name, one in said.items()}, "P" * 50, 15), who)
    families = measured(items(said, "P" * 50, 14), who)
    seeing = measured(items(said, "P" * 50, 15), annotators("ann") + annotators("ben", blind=False))
    alone = measured(items({"ann": MANY}, "P" * 50, 15), annotators("ann"))
    for one in (few, failures, families, seeing, alone):
        assert (one.status, bool(one.lacks)) == ("provisional", True), one.lacks
    older = measured(items(said, "P" * 50, 15), who, wording=None)
    assert (older.status, older.lacks) == (
        "unvalidated",
        ("the judge answered another wording of the question",),
    )


def test_a_comparison_counts_for_its_judge_alone() -> None:
    """The status for verdicts of another judge is `unvalidated`; a status that the figures do not give is
    refused."""
    good = measured(items({"ann": MANY, "ben": MANY}, "P" * 50, 15), annotators("ann", "ben"))
    told = Calibration(status=good.status, note=note(good), measured=good)
    assert (told.shown, told.of("3" * 64), told.of("7" * 64)) == ("validated", "validated", "unvalidated")
    with pytest.raises(ValueError, match="`status` is provisional, and the figures give validated"):
        Calibration.model_validate({**dict(told), "status": "provisional"})
