"""The reviews of a scan as a release shows them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet

from ib.board.evidence.items import unsaid
from ib.board.review.correcting import corrected_rates
from ib.board.review.deciding import claim_of, decided_verdict, people
from ib.board.review.standing import Reviewed, pairs_of
from ib.models.benchmark.calibration import CalibrationStatus
from ib.models.common.base import Played, Verdict
from ib.models.release.leaderboard import Leaderboard
from ib.models.release.reviews import Agreed, Disputed, ReaderCount, Reversal, ReviewedCheck, ReviewSummary
from ib.models.review.batch import Purpose
from ib.models.review.reviews import RowKey
from ib.models.scan.decided import Opinion, outcome_of
from ib.stats.agreement import agreement
from ib.stats.intervals import rate_interval


def summary(reviewed: Reviewed, results_hash: str) -> ReviewSummary:
    """Who read, what was decided by check, how far people agree, each reversal, and corrected rates.

    `results_hash` is that of the results of the machine.
    """
    read = {key: people(told) for key, told in reviewed.reviews.items() if people(told)}
    now = {key: decided_verdict(told) for key, told in read.items()}
    pairs = pairs_of(reviewed.reviews)
    readers = Counter(
        (one.reader.pseudonym, one.reader.role) for told in reviewed.reviews.values() for one in told
    )
    checks = sorted({key[3] for key in read})
    return ReviewSummary(
        readers=tuple(
            ReaderCount(pseudonym=name, role=role, rows=rows)
            for (name, role), rows in sorted(readers.items())
        ),
        checks=tuple(
            _check(check_id, now, reviewed.was, pairs.get(check_id, Counter()), _drawn(reviewed))
            for check_id in checks
        ),
        reversals=tuple(
            _reversal(reviewed, key, verdict)
            for key, verdict in sorted(now.items(), key=lambda one: _sorting(one[0]))
            if verdict is not None and verdict is not reviewed.was.get(key)
        ),
        corrected=corrected_rates(reviewed, now, results_hash),
        disputes=tuple(_disputes(reviewed, now)),
        earlier=reviewed.earlier,
    )


def without_reasons(
    told: ReviewSummary, of: AbstractSet[tuple[str, str, int | None]] | None = None
) -> ReviewSummary:
    """The reviews without what people wrote, which may quote, about some conversations; None for all, as of a
    private draw."""

    def is_kept(one: Played) -> bool:
        return of is not None and (one.model_id, one.scenario_id, one.epoch) not in of

    reversals = tuple(
        one if is_kept(one) else one.model_copy(update={"reason": ""}) for one in told.reversals
    )
    disputes = tuple(
        one if is_kept(one) else one.model_copy(update={"reason": "", "claim": unsaid(one.claim)})
        for one in told.disputes
    )
    return told.model_copy(update={"reversals": reversals, "disputes": disputes})


def compared_with_people(board: Leaderboard, fewest: int) -> Leaderboard:
    """The leaderboard, with each check calibrated of which people decided at least `fewest` verdicts."""
    reviews = board.reviews
    enough = {one.check_id for one in reviews.checks if one.compared >= fewest} if reviews else set()
    checks = tuple(
        check.model_copy(update={"calibration": CalibrationStatus.VALIDATED})
        if check.check_id in enough
        else check
        for check in board.checks
    )
    return board.model_copy(update={"checks": checks})


def _sorting(key: RowKey) -> tuple[str, str, int, str]:
    return (key[0], key[1], -1 if key[2] is None else key[2], key[3])


def _check(
    check_id: str,
    now: dict[RowKey, Verdict | None],
    was: dict[RowKey, Verdict],
    pairs: Counter[tuple[Verdict, Verdict]],
    drawn: AbstractSet[RowKey],
) -> ReviewedCheck:
    mine = {key: verdict for key, verdict in now.items() if key[3] == check_id}
    changed = [verdict for key, verdict in mine.items() if verdict not in (None, was.get(key))]
    still_open = sum(verdict is None for verdict in mine.values())
    clear = {
        key: verdict
        for key, verdict in mine.items()
        if key in drawn and verdict is not None and was.get(key) in (Verdict.PASS, Verdict.FAIL)
    }
    same = sum(verdict is was[key] for key, verdict in clear.items())
    found = agreement(pairs)
    return ReviewedCheck(
        check_id=check_id,
        read=len(mine),
        upheld=len(mine) - len(changed) - still_open,
        to_fail=changed.count(Verdict.FAIL),
        to_pass=changed.count(Verdict.PASS),
        open=still_open,
        compared=len(clear),
        same=same,
        low=_ends(same, len(clear))[0],
        high=_ends(same, len(clear))[1],
        agreement=Agreed(
            n=found.n,
            agreed=found.agreed,
            low=_ends(found.agreed, found.n)[0],
            high=_ends(found.agreed, found.n)[1],
            kappa=found.kappa,
            kappa_interval=found.kappa_interval,
            ac1=found.ac1,
            ac1_interval=found.ac1_interval,
        ),
    )


def _drawn(reviewed: Reviewed) -> set[RowKey]:
    """The rows that were read because they were drawn, and not because somebody disputes a verdict."""
    return {one.key for one in reviewed.every if one.draw.purpose is not Purpose.DISPUTE}


def _disputes(reviewed: Reviewed, now: Mapping[RowKey, Verdict | None]) -> Iterator[Disputed]:
    """Each disputed verdict, with what people decided."""
    for key, verdict in sorted(now.items(), key=lambda one: _sorting(one[0])):
        claim = claim_of(reviewed.reviews[key])
        if claim is not None and key in reviewed.was:
            told = _reversal(reviewed, key, verdict or Verdict.UNCLEAR).model_dump(exclude={"now"})
            yield Disputed(**told, now=verdict, claim=claim, outcome=outcome_of(claim, verdict))


def _ends(k: int, n: int) -> tuple[float, float] | tuple[None, None]:
    return rate_interval(k, n) if n else (None, None)


def _reversal(reviewed: Reviewed, key: RowKey, verdict: Verdict) -> Reversal:
    told = people(reviewed.reviews[key])
    return Reversal(
        model_id=key[0],
        scenario_id=key[1],
        epoch=key[2],
        check_id=key[3],
        was=reviewed.was[key],
        now=verdict,
        opinions=tuple(
            Opinion(pseudonym=one.reader.pseudonym, role=one.reader.role, verdict=one.verdict) for one in told
        ),
        date=max(one.date for one in told),
        reason=" / ".join(one.note for one in told if one.note and one.verdict is verdict),
    )
