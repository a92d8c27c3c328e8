"""InvisibleBench: what AI assistants fail to notice when they talk with family caregivers.

The Python API. Each name is imported when it is first used, so that `import ib` is fast:

    load_benchmark   load the checks, lexicons, rules and scenarios
    play             play scenarios against models; writes a run folder
    import_chat      import chat logs of other tools; writes a transcripts file
    import_inspect   import Inspect logs; writes a transcripts file
    scan             judge conversations by the checks; writes a scan folder
    release          pass a finished scan through the gate; writes a release folder
    build_site       build the site of a release

Arguments and results are pydantic models, which are exported too. All errors are `IbError`s.
"""

from __future__ import annotations

import importlib
import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from delivery.sync_web_bench import build_site
    from ib.errors import DataError, Finding, IbError, Refused, UsageError, WorldError
    from ib.models.benchmark import Benchmark
    from ib.models.check import Check
    from ib.models.leaderboard import Leaderboard
    from ib.models.part import Part
    from ib.models.plan import ScanPlan
    from ib.models.result import TranscriptResult, VerdictResult
    from ib.models.scenario import Scenario
    from ib.models.settings import CallLimits, ModelSettings
    from ib.models.transcript import Message, Transcript
    from ib.pipeline.callbacks import Callbacks
    from ib.pipeline.gathered import Imported
    from ib.pipeline.imports import import_chat, import_inspect
    from ib.pipeline.release import Release, release
    from ib.pipeline.run import Run, play
    from ib.pipeline.scan import scan
    from ib.pipeline.select import Selection
    from ib.store.benchmark import load_benchmark
    from ib.store.scans import ScanFolder

# Validation must not depend on which pydantic plugins are installed, and searching for plugins is slow.
os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
# Empty means unset. numpy reads it as a number when scipy is imported, and mkdocs does in a build.
if not os.environ.get("SOURCE_DATE_EPOCH"):
    os.environ.pop("SOURCE_DATE_EPOCH", None)

__version__ = "0.1.0"

_WHERE = {
    "load_benchmark": "ib.store.benchmark",
    "play": "ib.pipeline.run",
    "import_chat": "ib.pipeline.imports",
    "import_inspect": "ib.pipeline.imports",
    "scan": "ib.pipeline.scan",
    "release": "ib.pipeline.release",
    "build_site": "delivery.sync_web_bench",
    "Selection": "ib.pipeline.select",
    "Part": "ib.models.part",
    "ModelSettings": "ib.models.settings",
    "CallLimits": "ib.models.settings",
    "Callbacks": "ib.pipeline.callbacks",
    "Run": "ib.pipeline.run",
    "Imported": "ib.pipeline.gathered",
    "ScanFolder": "ib.store.scans",
    "Release": "ib.pipeline.release",
    "Benchmark": "ib.models.benchmark",
    "Check": "ib.models.check",
    "Scenario": "ib.models.scenario",
    "Message": "ib.models.transcript",
    "Transcript": "ib.models.transcript",
    "ScanPlan": "ib.models.plan",
    "TranscriptResult": "ib.models.result",
    "VerdictResult": "ib.models.result",
    "Leaderboard": "ib.models.leaderboard",
    "IbError": "ib.errors",
    "Refused": "ib.errors",
    "UsageError": "ib.errors",
    "DataError": "ib.errors",
    "WorldError": "ib.errors",
    "Finding": "ib.errors",
}
"""The module of each exported name."""

__all__ = [
    "Benchmark",
    "CallLimits",
    "Callbacks",
    "Check",
    "DataError",
    "Finding",
    "IbError",
    "Imported",
    "Leaderboard",
    "Message",
    "ModelSettings",
    "Part",
    "Refused",
    "Release",
    "Run",
    "ScanFolder",
    "ScanPlan",
    "Scenario",
    "Selection",
    "Transcript",
    "TranscriptResult",
    "UsageError",
    "VerdictResult",
    "WorldError",
    "__version__",
    "build_site",
    "import_chat",
    "import_inspect",
    "load_benchmark",
    "play",
    "release",
    "scan",
]


def __getattr__(name: str) -> Any:
    """Import an exported name from its module."""
    if name not in _WHERE:
        raise AttributeError(f"module 'ib' has no attribute {name!r}; it exports {', '.join(__all__)}")
    return getattr(importlib.import_module(_WHERE[name]), name)


def __dir__() -> list[str]:
    return __all__
