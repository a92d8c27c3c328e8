"""Which figures moved between two releases, which verdicts flipped, and why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ib.board.history.causes import changed_checks, in_order, is_changed, of_row, of_verdict, pairs
from ib.board.history.told import Key, Told
from ib.models.release.ledger import Cause
from ib.models.release.moved import FigureValue, MovedFigure, ReleaseDiff, VerdictFlip
from ib.models.scan.letters import Letter

WORDS: Mapping[str, str] = {
    Letter.FAIL: "fail",
    Letter.CONTESTED: "contested fail",
    Letter.PASS: "pass",
    Letter.NO_PHRASE: "pass (no phrase found)",
    Letter.UNCLEAR: "unclear",
    Letter.NOT_APPLICABLE: "not applicable",
    Letter.FOUND: "phrase found, not judged",
    Letter.NOT_RUN: "not run",
    Letter.SUPPRESSED: "suppressed",
    Letter.INELIGIBLE: "not due",
}
LISTS = {"blindspots": "checks", "checks": "checks"}
"""The lists of a board that have figures, by the name of their figures. Their rows have a check id."""


def moved(before: Told, after: Told, names: tuple[str, str]) -> ReleaseDiff:
    """What two releases differ in. `names` are what they are called."""
    shared = [model for model in before.rows if model in after.rows]
    order = {check: place for place, check in enumerate({**before.checks, **after.checks})}
    flips = tuple(
        flip
        for model in shared
        for flip in sorted(_flips(before, after, model), key=lambda one: order.get(one.check_id, 0))
    )
    diff = _Diff(before, after, flips, frozenset(before.rows) != frozenset(after.rows))
    figures = (*diff.over_all(), *(one for model in shared for one in diff.of_model(model)))
    causes = [*(c for one in figures for c in one.causes), *(c for flip in flips for c in flip.causes)]
    return ReleaseDiff(
        before=names[0],
        after=names[1],
        causes=in_order(causes),
        added=tuple(model for model in after.rows if model not in before.rows),
        lost=tuple(model for model in before.rows if model not in after.rows),
        changed_checks=changed_checks(before, after),
        figures=figures,
        flips=flips,
    )


def _flips(before: Told, after: Told, model_id: str) -> Iterator[VerdictFlip]:
    """The verdicts of a model that differ, on the conversations that both releases have."""
    one, other = before.items(model_id), after.items(model_id)
    for key, pair in pairs(before, after, model_id).items():
        mine, theirs = pair
        if mine is None or theirs is None:
            continue
        for check_id in {**mine.letters, **theirs.letters}:
            letters = (mine.letters.get(check_id, "."), theirs.letters.get(check_id, "."))
            if letters[0] == letters[1]:
                continue
            items = (one.get((check_id, key)), other.get((check_id, key)))
            decided = _decided(items[0]) != _decided(items[1])
            yield VerdictFlip(
                model_id=model_id,
                scenario_id=key[0],
                epoch=key[1],
                check_id=check_id,
                before=WORDS.get(letters[0], letters[0]),
                after=WORDS.get(letters[1], letters[1]),
                causes=of_verdict(before, after, check_id, key, pair, decided=decided),
                quotes_before=before.quotes(items[0]),
                quotes_after=after.quotes(items[1]),
            )


def _decided(item: Mapping[str, Any] | None) -> Any:
    return None if item is None else item.get("decided")


@dataclass(frozen=True)
class _Diff:
    """Two releases with the verdicts that flipped between them."""

    before: Told
    after: Told
    flips: tuple[VerdictFlip, ...]
    other_models: bool

    def over_all(self) -> Iterator[MovedFigure]:
        """The figures of checks over all models that moved."""
        further = (Cause.MODELS,) if self.other_models else ()
        boards = ({"checks": told.board.get("checks", ())} for told in (self.before, self.after))
        one, other = map(figures_of, boards)
        yield from self._moved(None, one, other, further)

    def of_model(self, model_id: str) -> Iterator[MovedFigure]:
        """The figures of a model that moved."""
        rows = (told.models[model_id] for told in (self.before, self.after))
        one, other = map(figures_of, rows)
        yield from self._moved(model_id, one, other, ())

    def _moved(
        self,
        model_id: str | None,
        one: Mapping[str, FigureValue],
        other: Mapping[str, FigureValue],
        further: tuple[Cause, ...],
    ) -> Iterator[MovedFigure]:
        for figure in {**one, **other}:
            values = (one.get(figure), other.get(figure))
            if values[0] != values[1]:
                causes = in_order((*further, *self._causes(model_id, figure)))
                yield MovedFigure(
                    model_id=model_id, figure=figure, before=values[0], after=values[1],
                    causes=causes or self._of_rows(model_id),
                )  # fmt: skip

    def _causes(self, model_id: str | None, figure: str) -> Iterator[Cause]:
        """Why a figure moved: its verdicts that flipped, and conversations that only one release has."""
        of_figure = _checks_of(figure, self.after)
        for flip in self.flips:
            if model_id in (None, flip.model_id) and (of_figure is None or flip.check_id in of_figure):
                yield from flip.causes
        for model in self._models(model_id):
            for key, (mine, theirs) in pairs(self.before, self.after, model).items():
                if mine is None or theirs is None:
                    yield self._of_missing(key)
        if of_figure is not None and any(is_changed(self.before, self.after, name) for name in of_figure):
            yield Cause.PROMPTS

    def _of_missing(self, key: Key) -> Cause:
        """Why only one release has a conversation: another corpus, or other transcripts."""
        same = self.before.scenarios.get(key[0]) == self.after.scenarios.get(key[0])
        return Cause.TRANSCRIPTS if same else Cause.CORPUS

    def _models(self, model_id: str | None) -> Iterable[str]:
        if model_id is not None:
            return (model_id,)
        return [model for model in self.before.rows if model in self.after.rows]

    def _of_rows(self, model_id: str | None) -> tuple[Cause, ...]:
        """What differs at all, for a figure that no verdict explains."""
        causes = (one for model in self._models(model_id) for one in of_row(self.before, self.after, model))
        return in_order(causes) or (Cause.VOTES,)


def _checks_of(figure: str, told: Told) -> frozenset[str] | None:
    """The checks that a figure is made of. Returns None if it is made of all or of none."""
    kind, _, name = figure.partition(" ")
    name = name.split(" ")[0]
    if kind == "checks":
        return frozenset({name})
    key = {"gates": "gate", "dimensions": "bucket"}.get(kind)
    if key is None:
        return None
    return frozenset(check for check, row in told.checks.items() if row.get(key) == name)


def figures_of(row: Mapping[str, Any]) -> dict[str, FigureValue]:
    """The figures of a row of a board by their places, in the order of the row."""
    return dict(_figures(row, ()))


def _figures(value: Any, place: tuple[str, ...]) -> Iterator[tuple[str, FigureValue]]:
    if not isinstance(value, dict):
        return
    found = _value(value)
    if found is not None:
        yield " ".join(place), found
    for key, inner in value.items():
        if key in LISTS and isinstance(inner, list):
            for one in inner:
                yield from _figures(one, (*place, LISTS[key], str(one.get("check_id"))))
        else:
            yield from _figures(inner, (*place, key.replace("_", " ")))


def _value(value: Mapping[str, Any]) -> FigureValue | None:
    """The figure that a mapping is: a rate, a gate, a mean or coverage. Returns None for another mapping.

    A mapping whose keys are names from elsewhere may have the keys of a figure by chance.
    """
    if isinstance(value.get("failed_by_judge"), int) and isinstance(value.get("due"), int):
        failed = value["failed_by_judge"] + value.get("failed_by_person", 0)
        return FigureValue(k=failed, n=value["due"], value=value.get("rate"))
    if "mean" in value and not isinstance(value["mean"], dict):
        return FigureValue(n=value.get("n"), value=value["mean"])
    if isinstance(value.get("k"), int) and isinstance(value.get("n"), int):
        return FigureValue(k=value["k"], n=value["n"], value=value.get("rate"))
    if "covered" in value and isinstance(value.get("eligible"), int):
        return FigureValue(n=value["eligible"], value=value["covered"])
    return None
