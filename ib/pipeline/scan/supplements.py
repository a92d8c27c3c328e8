"""Opening what is measured beside the checks, for a scan and for the release that recomputes the scan."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from ib.engine.mode_engine import ModeEngine
from ib.engine.votes.voting import Stop

if TYPE_CHECKING:
    from ib.measures.over_alarm import AlarmGrader
    from ib.measures.supplement import Supplementer
    from ib.models.scan.over_alarm import Ungraded


@dataclass(frozen=True)
class Beside:
    """The measures of a scan beside its checks."""

    engine: ModeEngine
    root: Path
    """The folder of the benchmark."""
    supplementer: Supplementer | None
    """None if the benchmark has no supplementary rules."""

    @cached_property
    def grader(self) -> AlarmGrader:
        """The grader of safe twins, opened at the first twin. Raises DataError if its question is missing."""
        # Slow to import, and needed only if there is a twin.
        from ib.measures.over_alarm import AlarmGrader
        from ib.store.benchmark.supplementary import load_over_alarm

        engine = self.engine
        rules, stop = load_over_alarm(self.root), Stop(engine.profile.stop)
        return AlarmGrader(engine.benchmark, rules, engine.spec, stop, self._not_asked)

    def _not_asked(self, checks: Sequence[str]) -> Ungraded | None:
        """Why no twin of these checks is graded; None if they are. The pair needs one of the checks."""
        from ib.models.scan.over_alarm import Ungraded

        engine = self.engine
        known = [engine.benchmark.checks[name] for name in checks if name in engine.benchmark.checks]
        if not any(engine.in_profile(check) for check in known) or engine.profile.votes == "none":
            return Ungraded.PROFILE
        if not any(engine.selects(check) for check in known):
            return Ungraded.SELECTION
        if engine.spec.absent:
            return Ungraded.NO_JUDGE
        return Ungraded.NOT_MEASURED if engine.spec.is_recording else None


def open_beside(engine: ModeEngine, root: Path, asked: Collection[str] = ()) -> Beside:
    """The measures beside the checks of a scan: those that ask no judge, and those of these names."""
    return Beside(engine, root, _open_supplementer(engine, root, asked))


def _open_supplementer(engine: ModeEngine, root: Path, asked: Collection[str]) -> Supplementer | None:
    # Imported only for a scan, because it is slow to import.
    from ib.measures.registry import chosen
    from ib.measures.supplement import Supplementer
    from ib.store.benchmark.supplementary import load_supplementary

    rules = load_supplementary(root, engine.benchmark)
    if rules is None:
        return None
    measures = chosen(asked)
    engine.search_ahead([name for measure in measures for name in measure.lexicons(rules)])
    return Supplementer(engine.benchmark, rules, engine.spec, measures)
