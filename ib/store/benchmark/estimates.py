"""Loading the assumptions behind the estimate of a cost."""

from __future__ import annotations

from pathlib import Path

from ib.errors import DataError
from ib.models.scan.estimates import ASKED, Estimates
from ib.models.scan.judge import Follow
from ib.store.benchmark.loading import benchmark_folder, label
from ib.store.files.places import finding_at
from ib.store.files.validation import load_yaml

FILE = "configs/estimates.yaml"


def load_estimates(root: Path) -> Estimates:
    """The assumptions of a benchmark, or those of the package if the benchmark has none.

    Raises DataError with all errors, also if a kind of question or a reason to follow is missing.
    """
    path = root / FILE if (root / FILE).is_file() else benchmark_folder() / FILE
    estimates = load_yaml(Estimates, path, name=label(path))
    missing = [("output_tokens", phase.value) for phase in ASKED if phase not in estimates.output_tokens]
    missing += [("follow", reason.value) for reason in Follow if reason not in estimates.follow]
    findings = [
        finding_at(path, label(path), place, "is missing", "a number for each of them") for place in missing
    ]
    if findings:
        raise DataError(findings)
    return estimates
