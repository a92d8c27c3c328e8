"""Rates corrected by people, from a batch with known probabilities that people read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from ib.board.review.deciding import people
from ib.board.review.population import Case
from ib.board.review.standing import Reviewed
from ib.models.common.base import Bucket, Verdict
from ib.models.release.reviews import CorrectedRate, CorrectedRates
from ib.models.review.batch import Draw, Purpose
from ib.models.review.reviews import RowKey
from ib.stats.corrected import METHOD, Sampled, corrected
from ib.stats.design import Estimate, NotEstimable

Of = tuple[Bucket, str | None, str | None]
"""What a rate is about: the dimension, the model or all, the check or all."""


def corrected_rates(
    reviewed: Reviewed, now: Mapping[RowKey, Verdict | None], results_hash: str
) -> CorrectedRates | None:
    """The rates of each dimension, of each model in it, and of each check that was drawn.

    `now` has what people decided. The rates come from the sample of which people read most. Without a sample,
    they come from the draw for the gate, and are about gate checks only. None if no person read a draw.
    """
    found = _batch(reviewed)
    if found is None:
        return None
    batch = reviewed.asked(*found, results_hash)
    population = [(case, stratum) for stratum, cases in batch.strata.items() for case in cases]
    families = reviewed.families.names()
    asked = {key: now.get(key) for key in batch.keys}
    rates = [
        _rate(of, [one for one in population if _is_about(one[0], of)], asked, families)
        for of in _every(case for case, _ in population)
        if of[2] is None or any(key[3] == of[2] for key in batch.keys)
    ]
    models = {case.key[0] for case in reviewed.cases}
    if batch.models < models:
        reason = f"the sample was drawn from {len(batch.models)} of {len(models)} models"
        rates = [_withheld(one, reason) if one.model_id is None else one for one in rates]
    return CorrectedRates(draw=batch.draw, method=METHOD, rates=tuple(rates))


def _withheld(rate: CorrectedRate, reason: str) -> CorrectedRate:
    """The counts of a rate, with a reason in place of the rate: other models were not drawn from."""
    return rate.model_copy(update={"rate": None, "low": None, "high": None, "reason": reason})


def _batch(reviewed: Reviewed) -> tuple[str, Draw] | None:
    """The batch that rates come from: a sample before the gate, then the one with the most verdicts read."""
    told = [one for one in people(reviewed.every) if one.draw.purpose is not Purpose.DISPUTE]
    read = Counter(of for of, _ in {((one.batch, one.draw), one.key) for one in told})
    return max(
        read,
        key=lambda of: (of[1].purpose is Purpose.SAMPLE, read[of], of[1].seed, str(of[1].design), of[0]),
        default=None,
    )


def _every(cases: Iterator[Case]) -> list[Of]:
    """What there are rates of, dimension by dimension."""
    found: set[Of] = set()
    for case in cases:
        found |= {
            (case.bucket, None, None),
            (case.bucket, case.key[0], None),
            (case.bucket, None, case.key[3]),
        }
    return sorted(found, key=lambda of: (of[0], of[2] is not None, of[1] or "", of[2] or ""))


def _is_about(case: Case, of: Of) -> bool:
    bucket, model_id, check_id = of
    return case.bucket == bucket and model_id in (None, case.key[0]) and check_id in (None, case.key[3])


def _rate(
    of: Of,
    population: Sequence[tuple[Case, str]],
    asked: Mapping[RowKey, Verdict | None],
    families: Mapping[str, str],
) -> CorrectedRate:
    """The rate of some verdicts. `asked` has what people decided on each verdict that was drawn."""
    verdicts = [_sampled(case, stratum, asked.get(case.key), families) for case, stratum in population]
    found = corrected(verdicts)
    read = [one.people for one in verdicts if one.people is not None]
    return CorrectedRate(
        bucket=of[0],
        model_id=of[1],
        check_id=of[2],
        verdicts=len(verdicts),
        machine_failures=sum(one.machine for one in verdicts),
        machine_open=sum(case.pattern.verdict is None for case, _ in population),
        drawn=sum(case.key in asked for case, _ in population),
        decided=len(read),
        failures=sum(read),
        n_families=len({one.family for one in verdicts}),
        **_told(found),
    )


def _told(found: Estimate | NotEstimable) -> dict[str, float | str | None]:
    if isinstance(found, NotEstimable):
        return {"rate": None, "low": None, "high": None, "reason": found.reason}
    return {"rate": found.rate, "low": found.low, "high": found.high, "reason": None}


def _sampled(case: Case, stratum: str, decided: Verdict | None, families: Mapping[str, str]) -> Sampled:
    return Sampled(
        stratum=stratum,
        family=families[case.key[1]],
        machine=case.pattern.verdict is Verdict.FAIL,
        people=None if decided is None else decided is Verdict.FAIL,
    )
