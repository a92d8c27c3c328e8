"""InvisibleBench in Inspect: the task `invisiblebench`, the scorer `ib_checks`, Scout's scanner `ib_check`.

The scenarios are played and judged by the code of `ib`; only the calls to models are Inspect's.
"""

from ib_inspect.scorer import ib_checks
from ib_inspect.solver import play_scenario
from ib_inspect.task import invisiblebench

__all__ = ["ib_checks", "invisiblebench", "play_scenario"]
