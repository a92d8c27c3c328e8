"""Agreement of two judges: published and cross-checked figures, and the cases without one."""

from __future__ import annotations

import numpy as np
import pytest
from statsmodels.stats.inter_rater import aggregate_raters, cohens_kappa, fleiss_kappa

from ib.stats.agreement import agreement, alpha, clustered_agreement

P, F = "PASS", "FAIL"
TABLES = {
    "the second judge always says PASS": ((37, 0, 3, 0), 0.925, 0.0, 0.9191647019198383),
    "most cases pass": ((36, 1, 1, 2), 0.95, 0.6396396396396391, 0.9419448476052249),
    "as many fail as pass": ((19, 1, 1, 19), 0.95, 0.8999999999999999, 0.8999999999999999),
    "as many cases as a gate has": ((46, 4, 4, 26), 0.90, 0.7866666666666667, 0.8117647058823529),
    "one of seven is found": ((14, 0, 6, 1), 0.7142857142857143, 0.18181818181818207, 0.5868852459016394),
    "one failure is missed": ((18, 0, 1, 5), 0.9583333333333334, 0.8823529411764707, 0.9355704697986578),
    "a published table of low kappa": ((130, 56, 9, 5), 0.675, 0.02196810111345195, 0.5325842696629214),
}  # fmt: skip


@pytest.mark.parametrize("name", TABLES)
def test_figures_of_two_verdicts(name: str) -> None:
    """Equal to the figures of other implementations."""
    (pp, pf, fp, ff), observed, kappa, ac1 = TABLES[name]
    found = agreement({(P, P): pp, (P, F): pf, (F, P): fp, (F, F): ff})
    assert found.agreed / found.n == pytest.approx(observed, abs=1e-9)
    assert found.kappa == pytest.approx(kappa, abs=1e-9)
    assert found.ac1 == pytest.approx(ac1, abs=1e-9)


def test_figures_of_three_verdicts() -> None:
    """Computed by hand: chance for kappa is 666/1600, and for AC1 3722/12800."""
    found = agreement({(P, P): 20, (F, F): 5, ("N", "N"): 10, (P, F): 3, ("N", P): 2})
    assert found.kappa == pytest.approx((0.875 - 666 / 1600) / (1 - 666 / 1600), abs=1e-12)
    assert found.ac1 == pytest.approx((0.875 - 3722 / 12800) / (1 - 3722 / 12800), abs=1e-12)


def test_the_judges_may_change_places() -> None:
    """Which of them is called the first does not matter."""
    pairs = {(P, P): 5, (P, F): 2, (F, F): 3, (F, "UNCLEAR"): 1}
    assert agreement(pairs) == agreement({(b, a): n for (a, b), n in pairs.items()})


def test_lesson_27_one_verdict_everywhere_has_no_kappa() -> None:
    """Agreement by chance would be complete as well; and without a case there is nothing at all."""
    one = agreement({(P, P): 40})
    assert (one.n, one.agreed, one.kappa, one.ac1) == (40, 40, None, None)
    none = agreement({})
    assert (none.n, none.agreed, none.kappa, none.ac1) == (0, 0, None, None)


def test_complete_agreement_on_two_verdicts_is_one() -> None:
    """A verdict that nobody gave changes nothing."""
    found = agreement({(P, P): 3, (F, F): 2, ("UNCLEAR", "UNCLEAR"): 0})
    assert (found.kappa, found.ac1) == (1.0, 1.0)


def test_complete_agreement_on_few_cases_is_not_certain() -> None:
    """Computed by hand: Wilson of 20/20 begins at .8389; chance is .5 for kappa and for AC1 here."""
    found = agreement({(P, P): 10, (F, F): 10})
    for interval in (found.kappa_interval, found.ac1_interval):
        assert interval == pytest.approx((2 * 0.8388750 - 1, 1.0), abs=1e-6)
    assert agreement({(P, P): 20}).kappa_interval is None
    assert agreement({}).ac1_interval is None


THREE = ("FPPPFFPNPF", "FPPPFPPNPF", "FFPPFFPPPF")
"""What three judges said about ten cases."""


def test_three_judges_agree_as_statsmodels_says() -> None:
    """Kappa of each pair; and alpha, which without gaps follows from the kappa of Fleiss and 30 verdicts."""
    for one, other in ((0, 1), (0, 2), (1, 2)):
        pairs = list(zip(THREE[one], THREE[other], strict=True))
        table = [[pairs.count((a, b)) for b in "FPN"] for a in "FPN"]
        found = clustered_agreement((str(at), *pair) for at, pair in enumerate(pairs))
        assert found.kappa == pytest.approx(cohens_kappa(table).kappa, abs=1e-12)
    cases = list(zip(*THREE, strict=True))
    fleiss = fleiss_kappa(aggregate_raters(np.array(cases))[0])
    assert alpha(cases) == pytest.approx(1 - (1 - fleiss) * 29 / 30, abs=1e-12)


def test_published_alphas() -> None:
    """Krippendorff (2011): four judges of twelve cases, with gaps. One verdict alone has no alpha."""
    twelve = (
        [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
        [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
    )
    cases = [[said for said in case if said is not None] for case in zip(*twelve, strict=True)]
    assert alpha(cases) == pytest.approx(0.743421052631579, abs=1e-12)
    assert alpha([["P", "P"], ["P", "P"], ["F"]]) is None


def test_cases_of_one_cluster_count_for_less() -> None:
    """Ten cases of ten conversations and the same ten of two: the same kappa, and a wider interval."""
    pairs = list(zip(THREE[0], THREE[2], strict=True))
    apart = clustered_agreement((str(at), *pair) for at, pair in enumerate(pairs))
    together = clustered_agreement((str(at // 5), *pair) for at, pair in enumerate(pairs))
    assert (apart.kappa, apart.ac1) == (together.kappa, together.ac1)
    assert apart.kappa_interval is not None
    assert together.kappa_interval is not None
    assert together.kappa_interval[0] < apart.kappa_interval[0] < apart.kappa_interval[1]
    assert clustered_agreement([]).kappa is None
