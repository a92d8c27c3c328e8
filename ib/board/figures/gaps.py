"""The gap between a private draw and the draw of a release, for each model of both."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence, Set

from ib.board.figures.comparisons import PairedTable, differences, failed, is_due, phrase_checks
from ib.models.release.gap import DrawGap, GapRow, GapSource
from ib.models.release.leaderboard import Leaderboard, ModelEntry
from ib.models.scan.letters import Letter

Plays = Mapping[tuple[str, int | None], str]
"""The verdicts of a model, one letter for each check, by scenario and epoch."""


def with_gaps(board: Leaderboard, other: GapSource) -> Leaderboard:
    """The leaderboard with the gap of each model that has conversations in both draws."""
    checks = [check.check_id for check in board.checks]
    family = {one.scenario_id: one.family for one in board.scenarios}
    phrases = phrase_checks(board.models, checks) | _phrases(other.rows, checks)
    theirs: dict[str, dict[tuple[str, int | None], str]] = defaultdict(dict)
    for row in other.rows:
        theirs[row.model_id][row.scenario_id, row.epoch] = row.verdicts
    pairs = {
        model.model_id: _paired(theirs[model.model_id], _plays(model), checks, phrases, family)
        for model in board.models
        if model.model_id in theirs
    }
    found = dict(zip(pairs, differences([table for _, table in pairs.values()]), strict=True))
    gaps = {name: DrawGap(shared=pairs[name][0], all_checks=one) for name, one in found.items()}
    models = tuple(model.model_copy(update={"gap": gaps.get(model.model_id)}) for model in board.models)
    return board.model_copy(update={"models": models, "gap_draw": other.draw})


def _plays(model: ModelEntry) -> Plays:
    return {(met.scenario_id, met.epoch): met.verdicts for met in model.scenarios}


def _phrases(rows: Sequence[GapRow], checks: Sequence[str]) -> Set[str]:
    """The checks for which only phrases were looked for in some conversation of the other draw."""
    return {
        check
        for row in rows
        for check, letter in zip(checks, row.verdicts, strict=False)
        if letter == Letter.NO_PHRASE
    }


def _paired(
    private: Plays, own: Plays, checks: Sequence[str], phrases: Set[str], family: Mapping[str, str]
) -> tuple[int, PairedTable]:
    """The number of shared conversations, and the table of their cases."""
    table, shared = PairedTable(), sorted(private.keys() & own.keys(), key=str)
    for play in shared:
        for check, one, other in zip(checks, private[play], own[play], strict=True):
            if check not in phrases and (is_due(one) or is_due(other)):
                table.add(family[play[0]], failed(one), failed(other))
    return len(shared), table
