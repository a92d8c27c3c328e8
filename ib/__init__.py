"""InvisibleBench: what AI assistants fail to notice when they talk with family caregivers.

The Python API. Each name is imported when it is first used, so that `import ib` is fast:

    load_benchmark   load the checks, lexicons, rules and scenarios
    play             play scenarios against models; writes a run folder
    import_logs      import logs of other tools; writes a transcripts file
    scan             judge conversations by the checks; writes a scan folder
    score            judge conversations in memory; returns rows, and writes nothing
    batch            judge Arrow batches inside another engine (`ib.batch.Scorer`)
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
    from ib import batch
    from ib.batch.scorer import score
    from ib.errors import DataError, Finding, IbError, Refused, UsageError, WorldError
    from ib.models.benchmark.benchmark import Benchmark
    from ib.models.benchmark.check import Check
    from ib.models.common.settings import CallLimits, ModelSettings
    from ib.models.conversation.scenario import Scenario
    from ib.models.conversation.transcript import Message, Transcript
    from ib.models.release.leaderboard import Leaderboard
    from ib.models.scan.part import Part, Sampling
    from ib.models.scan.plan import ScanPlan
    from ib.models.scan.result import TranscriptResult, VerdictResult
    from ib.pipeline.common.callbacks import Callbacks
    from ib.pipeline.common.select import Selection
    from ib.pipeline.imports.logs import Imported, import_chat, import_inspect, import_logs
    from ib.pipeline.release.publish import release
    from ib.pipeline.release.release import Release
    from ib.pipeline.run.play import Run, play
    from ib.pipeline.scan.scan import scan
    from ib.store.benchmark.loading import load_benchmark
    from ib.store.folders.scans import ScanFolder

# Validation must not depend on which pydantic plugins are installed, and searching for plugins is slow.
os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
# Empty means unset. numpy reads it as a number when scipy is imported, and mkdocs does in a build.
if not os.environ.get("SOURCE_DATE_EPOCH"):
    os.environ.pop("SOURCE_DATE_EPOCH", None)

__version__ = "0.1.0"

_WHERE = {
    "load_benchmark": "ib.store.benchmark.loading",
    "play": "ib.pipeline.run.play",
    "import_chat": "ib.pipeline.imports.logs",
    "import_inspect": "ib.pipeline.imports.logs",
    "import_logs": "ib.pipeline.imports.logs",
    "scan": "ib.pipeline.scan.scan",
    "score": "ib.batch.scorer",
    "release": "ib.pipeline.release.publish",
    "build_site": "delivery.sync_web_bench",
    "Selection": "ib.pipeline.common.select",
    "Part": "ib.models.scan.part",
    "Sampling": "ib.models.scan.part",
    "ModelSettings": "ib.models.common.settings",
    "CallLimits": "ib.models.common.settings",
    "Callbacks": "ib.pipeline.common.callbacks",
    "Run": "ib.pipeline.run.play",
    "Imported": "ib.pipeline.imports.logs",
    "ScanFolder": "ib.store.folders.scans",
    "Release": "ib.pipeline.release.release",
    "Benchmark": "ib.models.benchmark.benchmark",
    "Check": "ib.models.benchmark.check",
    "Scenario": "ib.models.conversation.scenario",
    "Message": "ib.models.conversation.transcript",
    "Transcript": "ib.models.conversation.transcript",
    "ScanPlan": "ib.models.scan.plan",
    "TranscriptResult": "ib.models.scan.result",
    "VerdictResult": "ib.models.scan.result",
    "Leaderboard": "ib.models.release.leaderboard",
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
    "Sampling",
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
    "batch",
    "build_site",
    "import_chat",
    "import_inspect",
    "import_logs",
    "load_benchmark",
    "play",
    "release",
    "scan",
    "score",
]


def __getattr__(name: str) -> Any:
    """Import an exported name from its module."""
    if name == "batch":
        return importlib.import_module("ib.batch")
    if name not in _WHERE:
        raise AttributeError(f"module 'ib' has no attribute {name!r}; it exports {', '.join(__all__)}")
    return getattr(importlib.import_module(_WHERE[name]), name)


def __dir__() -> list[str]:
    return __all__
