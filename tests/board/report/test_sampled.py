"""The bound of a judge's false alarms, from labels of people."""

from __future__ import annotations

import pytest

from ib.board.report.sampled import measured_bounds
from ib.models.benchmark.calibration import Calibration
from ib.models.common.reader import ReaderRole
from tests.board.test_calibration import MANY, annotators, items, measured
from tests.build import gate_check


def test_only_labels_of_people_on_this_judge_bound_its_false_alarms() -> None:
    """1 less the lower end of specificity; labels on another judge or of language models bound nothing."""
    labels = items({"ann": MANY, "ben": MANY}, "P" * 50, 15)
    people, models = annotators("ann", "ben"), annotators("ann", "ben", role=ReaderRole.LANGUAGE_MODEL)
    told = [
        measured(labels, people, judge_hash="a" * 64),
        measured(labels, people, judge_hash="b" * 64),
        measured(labels, models, judge_hash="a" * 64),
    ]
    checks = [
        gate_check(f"IB-A{n}").model_copy(
            update={"calibration": Calibration(status=one.status, note="n", measured=one)}
        )
        for n, one in enumerate(told, start=1)
    ]
    low = told[0].figures.specificity.low
    assert low is not None
    assert measured_bounds([*checks, gate_check("IB-A4")], "a" * 64) == {"IB-A1": pytest.approx(1 - low)}
