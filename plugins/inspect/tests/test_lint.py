"""The linter that the register of evals runs over its entries."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from inspect_evals_lint import lint_package, load_config
from inspect_evals_lint.rules import dependencies

PLUGIN = Path(__file__).parents[1]
PROJECTS = (PLUGIN, PLUGIN.parents[1])


def shipped() -> dict[str, list[str]]:
    """The distribution of each package of the project, which the metadata of an editable install lacks."""
    found = {}
    for folder in PROJECTS:
        told = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))
        for path in told["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]:
            found[Path(path).name] = [told["project"]["name"]]
    return found


def test_the_linter_of_the_register_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    """No rule fails, and REGISTER.md explains each rule that warns, and no other."""
    known = {**packages_distributions(), **shipped()}
    monkeypatch.setattr(dependencies, "packages_distributions", lambda: known)
    report = lint_package(PLUGIN, "ib_inspect", load_config(PLUGIN, "single-eval"))
    said = [(one.rule.name if one.rule else "", one.status, one.message) for one in report.diagnostics]
    assert [one for one in said if one[1] == "fail"] == []
    page = (PLUGIN / "REGISTER.md").read_text(encoding="utf-8")
    assert {name for name, _, _ in said} == set(re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE))
    assert len(report.outcomes) > 15
