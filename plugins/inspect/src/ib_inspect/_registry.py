"""What Inspect and Scout find by name, such as `ib_inspect/invisiblebench`."""

from importlib.util import find_spec

from ib_inspect.scorer import ib_checks
from ib_inspect.solver import play_scenario
from ib_inspect.task import invisiblebench

__all__ = ["ib_checks", "invisiblebench", "play_scenario"]

if find_spec("inspect_scout") is not None:  # Scout is optional
    from ib_inspect.scanner import ib_check

    __all__ += ["ib_check"]
