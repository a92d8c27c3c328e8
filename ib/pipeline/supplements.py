"""Opening the supplementary scorers, for a scan and for the release that recomputes the scan."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ib.engine.engine import ModeEngine

if TYPE_CHECKING:
    from ib.measures.supplement import Supplementer


def open_supplementer(engine: ModeEngine, root: Path, *, regard: bool, rubrics: bool) -> Supplementer | None:
    """The supplementary scorers. Returns None if the profile asks no judge or the benchmark has none."""
    if engine.profile.votes == "none":
        return None
    # Slow to import, and needed only if a judge is asked.
    from ib.measures.supplement import Supplementer
    from ib.store.supplementary import load_supplementary

    rules = load_supplementary(root, engine.benchmark)
    if rules is None:
        return None
    engine.search_ahead(rules.coordination.scope)
    return Supplementer(engine.benchmark, rules, engine.spec, regard=regard, rubrics=rubrics)
