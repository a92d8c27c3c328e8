"""Fakes that are part of the package: a server that misbehaves on purpose, and judges that are functions.

`LoopbackServer` is an OpenAI-compatible server on this machine, for tests and for rehearsals without a
key. Each name is imported when it is first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ib.testing.conditions import Conditions, Latency, Trouble
    from ib.testing.judges import RemoteScriptedJudge, ScriptedJudge
    from ib.testing.loopback import LoopbackServer

_WHERE = {
    "Conditions": "ib.testing.conditions",
    "Latency": "ib.testing.conditions",
    "LoopbackServer": "ib.testing.loopback",
    "RemoteScriptedJudge": "ib.testing.judges",
    "ScriptedJudge": "ib.testing.judges",
    "Trouble": "ib.testing.conditions",
}
"""The module of each exported name."""

__all__ = ["Conditions", "Latency", "LoopbackServer", "RemoteScriptedJudge", "ScriptedJudge", "Trouble"]


def __getattr__(name: str) -> Any:
    """Import an exported name from its module."""
    if name not in _WHERE:
        raise AttributeError(
            f"module 'ib.testing' has no attribute {name!r}; it exports {', '.join(__all__)}"
        )
    return getattr(importlib.import_module(_WHERE[name]), name)
