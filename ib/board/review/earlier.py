"""What a batch asked of the verdicts of a scan, also if it was drawn from another scan with other models.

A draw takes the verdicts of each stratum in the order of hashes that depend on nothing but the verdict and
the draw. Of the verdicts of some models, those that were drawn therefore come first, too: their number by
stratum is all that must be kept when models leave a scan or others join it. Given these numbers, the drawn
verdicts of a stratum are a simple random sample of those that stay, so that probabilities and rates are
conditional on the models that stay.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ib.board.review.drawing import drawn, is_disputed, passes_of, strata_of, wanted_of
from ib.board.review.population import Case, shuffled
from ib.models.review.batch import Draw, Purpose
from ib.models.review.reviews import EarlierDraw, KeptStratum, RowKey


@dataclass(frozen=True)
class Asked:
    """What a batch asked of the verdicts of a scan."""

    draw: Draw
    results_hash: str
    """The hash of the results that the batch was drawn from."""
    strata: Mapping[str, Sequence[Case]]
    """The verdicts that could be drawn, by stratum."""
    keys: frozenset[RowKey]
    """The rows that were drawn."""
    models: frozenset[str]
    """The models of the scan that the batch was drawn from."""


def asked(cases: Sequence[Case], draw: Draw, results_hash: str, earlier: EarlierDraw | None = None) -> Asked:
    """What a batch asked. Without `earlier`, it was drawn from these cases, with these results."""
    if earlier is None:
        strata = strata_of(cases, draw, results_hash)
        keys = frozenset(drawn(cases, draw, results_hash).keys)
        return Asked(draw, results_hash, strata, keys, frozenset(case.key[0] for case in cases))
    models, theirs = frozenset(earlier.models), earlier.results_hash
    mine = [case for case in cases if case.key[0] in models]
    strata = strata_of(mine, earlier.draw, theirs, earlier.check_id)
    kept = {one.name: one.kept for one in earlier.strata}
    chosen = (
        case
        for name, found in strata.items()
        for case in shuffled(found, earlier.draw.seed, theirs, "pick")[: kept.get(name, 0)]
    )
    return Asked(earlier.draw, theirs, strata, frozenset(case.key for case in chosen), models)


def drawn_earlier(batch: str, of: Asked, check_id: str | None, models: Collection[str]) -> EarlierDraw:
    """A batch that was drawn from a scan, for a scan with some models of it."""
    sizes = {name: len(found) for name, found in of.strata.items()}
    strata = {
        name: KeptStratum(
            name=name,
            population=sizes[name],
            drawn=sum(case.key in of.keys for case in found),
            kept=sum(case.key in of.keys and case.key[0] in models for case in found),
        )
        for name, found in of.strata.items()
    }
    return EarlierDraw(
        batch=batch,
        draw=of.draw,
        results_hash=of.results_hash,
        models=tuple(sorted(of.models & set(models))),
        whole=of.models <= set(models),
        check_id=check_id,
        strata=tuple(strata[name] for name in sorted(strata)),
    )


def kept_further(earlier: EarlierDraw, of: Asked, models: Collection[str]) -> EarlierDraw:
    """An earlier draw for a scan with some of the models that were left."""
    now = {one.name: one for one in drawn_earlier(earlier.batch, of, earlier.check_id, models).strata}
    strata = tuple(
        one.model_copy(update={"kept": now[one.name].kept if one.name in now else 0})
        for one in earlier.strata
    )
    left = tuple(model for model in earlier.models if model in models)
    whole = earlier.whole and len(left) == len(earlier.models)
    return earlier.model_copy(update={"models": left, "whole": whole, "strata": strata})


def check_of_dispute(draw: Draw, cases: Iterable[Case], results_hash: str) -> str | None:
    """The check of the row that a draw for a dispute is about; None for other draws."""
    if draw.purpose is not Purpose.DISPUTE:
        return None
    return next((case.key[3] for case in cases if is_disputed(case.key, draw, results_hash)), None)


def contradictions(earlier: EarlierDraw, of: Asked) -> Iterator[str]:
    """How the numbers of an earlier draw contradict each other, or the verdicts that are left of it."""
    where = f"batch {earlier.batch[:12]}"
    known = {one.name: one for one in earlier.strata}
    own = {passes_of(model) for model in earlier.models}  # strata of one model, which is here
    if wanted_of({name: one.population for name, one in known.items()}, earlier.draw) != {
        name: one.drawn for name, one in known.items()
    }:
        yield f"{where}: the draw does not give these numbers"
    for name in sorted(of.strata.keys() - known.keys()):
        yield f"{where}: no stratum {name} was drawn from"
    for name, one in known.items():
        here = of.strata.get(name, ())
        gone, not_kept = one.population - len(here), one.drawn - one.kept
        if one.kept > len(here) or not_kept > gone or (gone and (earlier.whole or name in own)):
            yield f"{where}: the verdicts of {name} are not those that were drawn from"
