"""Judging batches of conversations inside another engine, without a folder.

    Scorer    one function over Arrow batches: conversations in, sparse rows out
    score     the same for a list in memory, as plain mappings
    expand    sparse rows as the lines of `results.jsonl`

docs/batches.md has the columns. Each name is imported when it is first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ib.batch.dense import expand
    from ib.batch.scorer import Scorer, score

_WHERE = {"Scorer": "ib.batch.scorer", "score": "ib.batch.scorer", "expand": "ib.batch.dense"}
__all__ = ["Scorer", "expand", "score"]


def __getattr__(name: str) -> Any:
    """Import an exported name from its module."""
    if name not in _WHERE:
        raise AttributeError(f"module 'ib.batch' has no attribute {name!r}; it exports {', '.join(__all__)}")
    return getattr(importlib.import_module(_WHERE[name]), name)
