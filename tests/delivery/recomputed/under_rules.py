"""A model under other rules for the gates, recomputed from letters and lists alone."""

from __future__ import annotations

from collections.abc import Sequence, Set

import numpy as np

from tests.delivery.recomputed.recount import Board

RULES = ("published", "contested", "unanimous", "two", "quality")


def rules(board: Board, model: Board, states: Sequence[str]) -> list[Board]:
    """The model under other rules for the gates, from letters, states and the list of split gate verdicts."""
    gates = [check["gate"] is not None for check in board["checks"]]
    split = {
        (one["scenario_id"], one["epoch"], one["check_id"])
        for one in board["open_gates"]
        if one["model_id"] == model["model_id"] and one["split"] and one["verdict"] == "FAIL"
    }
    met = zip(model["scenarios"], states, strict=True)
    made = [_Ruled(board, one, state, gates, split) for one, state in met]
    return [{"rule": rule, **_under(rule, made)} for rule in RULES]


class _Ruled:
    """What other rules need of one conversation."""

    def __init__(
        self, board: Board, met: Board, state: str, gates: Sequence[bool], split: Set[tuple[object, ...]]
    ) -> None:
        place = (met["scenario_id"], met["epoch"])
        self.state, self.quality = state, met["quality_score"]
        self.letters = met["verdicts"].replace("L", "")
        ids = [check["check_id"] for check in board["checks"]]
        at = [(one, x) for one, x, gate in zip(ids, met["verdicts"], gates, strict=True) if gate]
        self.failed = sum(letter == "F" for _, letter in at)
        self.unanimous = sum(letter == "F" and (*place, check) not in split for check, letter in at)
        self.contested = sum(letter == "C" for _, letter in at)
        self.open = sum(letter in "URLf" for _, letter in at)

    def fails(self, rule: str) -> bool | None:
        """Whether the conversation fails; None if the rule does not say."""
        if rule == "published":
            return {"failed_by_judge": True, "clear": False, "not_due": False}.get(self.state)
        surely, perhaps, least = {
            "contested": (self.failed + self.contested, self.open, 1),
            "unanimous": (self.unanimous, self.open, 1),
            "two": (self.failed, self.contested + self.open, 2),
            "quality": (0, 0, 1),
        }[rule]
        return True if surely >= least else None if surely + perhaps >= least else False

    def score(self, rule: str) -> float | None:
        """The score under a rule."""
        if rule == "quality":
            passes, fails = (sum(one in signs for one in self.letters) for signs in ("Pp", "FC"))
            open_ = sum(one in "URf" for one in self.letters)
            return passes / (passes + fails) if passes + fails and passes + fails >= open_ else None
        fails_ = self.fails(rule)
        return None if fails_ is None else 0.0 if fails_ else self.quality


def _under(rule: str, made: Sequence[_Ruled]) -> Board:
    due = [one for one in made if one.state != "not_due"]
    scores = [score for score in (one.score(rule) for one in made) if score is not None]
    failed = sum(one.fails(rule) is True for one in due)
    shown = len(scores) > failed and 2 * len(scores) >= len(made)
    return {
        "failed": failed,
        "undecided": sum(one.fails(rule) is None for one in due),
        "due": len(due),
        "n": len(scores),
        "mean": float(np.mean(scores)) if shown else None,
    }
