"""What things are: frozen models, and the functions that belong to them.

The models of a scenario can be imported from here. Each is imported when it is first used, so that a command
that needs none of them starts fast.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ib.models.conversation.scenario import (
        Persona,
        Scenario,
        ScenarioCategory,
        ScoringDimension,
        Session,
        Turn,
    )

__all__ = ["Persona", "Scenario", "ScenarioCategory", "ScoringDimension", "Session", "Turn"]


def __getattr__(name: str) -> Any:
    """Import an exported name from its module."""
    if name not in __all__:
        raise AttributeError(f"module 'ib.models' has no attribute {name!r}; it exports {', '.join(__all__)}")
    return getattr(importlib.import_module("ib.models.conversation.scenario"), name)


def __dir__() -> list[str]:
    return __all__
