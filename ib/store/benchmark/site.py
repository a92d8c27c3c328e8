"""Loading how the public site of a benchmark introduces itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path

from ib.errors import DataError
from ib.models.benchmark.check import Check
from ib.models.benchmark.colors import LEAST, faint
from ib.models.benchmark.site import NEUTRAL, SiteConfig
from ib.models.common.base import Severity
from ib.store.benchmark.guides import role_problems
from ib.store.files.places import finding_at
from ib.store.files.validation import load_yaml

SITE = "configs/site.yaml"
SHOWN = (Severity.S2, Severity.S3)
"""The severities of an example: failures that matter, and that no reader has to be warned of."""
Problem = tuple[tuple[str | int, ...], str, str]


def load_site(root: Path, checks: Mapping[str, Check], assistants: Mapping[str, object]) -> SiteConfig:
    """Load `configs/site.yaml`, or neutral words if there is none. Raises DataError with all findings."""
    path = root / SITE
    if not path.is_file():
        return NEUTRAL
    site = load_yaml(SiteConfig, path)
    problems = chain(_of_example(site, checks, assistants), _of_colors(site), role_problems(site))
    findings = [finding_at(path, str(path), place, found, allowed) for place, found, allowed in problems]
    if findings:
        raise DataError(findings)
    return site


def _of_example(
    site: SiteConfig, checks: Mapping[str, Check], assistants: Mapping[str, object]
) -> Iterator[Problem]:
    """What the example names and the benchmark does not have."""
    if site.example is None:
        return
    check = checks.get(site.example.check)
    if check is None:
        yield ("example", "check"), f"unknown check {site.example.check!r}", "the id of a check"
    elif check.severity not in SHOWN:
        found = f"{check.id} has the severity {check.severity}"
        yield ("example", "check"), found, f"a check of severity {' or '.join(SHOWN)}"
    if site.example.assistant not in assistants:
        found = f"unknown reference assistant {site.example.assistant!r}"
        yield ("example", "assistant"), found, f"one of {', '.join(sorted(assistants)) or 'none'}"


def _of_colors(site: SiteConfig) -> Iterator[Problem]:
    """Colors in which text cannot be read."""
    for place, found in () if site.colors is None else faint(site.colors):
        yield ("colors", *place), found, f"at least {LEAST:.0f}:1"
