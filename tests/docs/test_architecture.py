"""The page of the architecture says what the floors are."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.test_floors import CORE, FLOORS, MAY_DELIVER, ROOMS

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "architecture.md").read_text(encoding="utf-8")
FLOORS_PART = PAGE.split("## The floors")[1].split("## The rooms")[0]
ROWS = {
    name: re.findall(r"`(\w+)`|(pure packages|all above)", imports)
    for name, imports in re.findall(r"^\| `(\w+)` \| .* \| (.*?) ?\|$", FLOORS_PART, re.MULTILINE)
}


def named(package: str) -> set[str]:
    """What the table says that a package imports."""
    found: set[str] = set()
    above = list(ROWS)[: list(ROWS).index(package)]
    for one, many in ROWS[package]:
        found |= {one} if one else set(CORE) if many == "pure packages" else set(above)
    return found


def test_the_table_has_every_package() -> None:
    """A new package is explained, and a package that is gone is not."""
    assert ROWS.keys() == FLOORS.keys()


@pytest.mark.parametrize("package", FLOORS)
def test_a_row_says_what_a_package_imports(package: str) -> None:
    """The same as the floors that are enforced."""
    delivery = {"delivery"} if package in MAY_DELIVER else set()
    assert named(package) == FLOORS[package] | delivery


@pytest.mark.parametrize("package", FLOORS)
def test_the_picture_has_every_package(package: str) -> None:
    """Also as a picture."""
    picture = PAGE.split("## The floors")[1].split("```")[1]
    assert re.search(rf"\b{package}\b", picture)


def test_the_rooms_of_the_page_are_those_of_the_plan() -> None:
    """In the order in which they may import one another."""
    part = PAGE.split("## The rooms")[1].split("## The way of a vote")[0]
    found: dict[str, list[str]] = {}
    package = ""
    for name, room in re.findall(r"^\| (?:`(\w+)`)? ?\| `(\w+)` \|", part, re.MULTILINE):
        package = name or package
        found.setdefault(package, []).append(room)
    assert {name: tuple(rooms) for name, rooms in found.items()} == ROOMS


def test_the_files_of_what_is_added_exist() -> None:
    """Every path of the table is there, and every name that it gives for a module is in it."""
    table = PAGE.split("## Where to add a thing")[1].split("## The way of a vote")[0]
    root = Path(__file__).resolve().parents[2]
    paths = re.findall(r"`((?:ib|delivery|benchmark|tests|site_src)/[\w/.]*)`", table)
    assert len(paths) > 30
    assert [path for path in paths if not (root / path).exists()] == []
    for names, path in re.findall(r"((?:`\w+`(?:, | and )?)+) (?:in|of) `(ib/[\w/]+\.py)`", table):
        for name in re.findall(r"\w+", names.replace(" and ", " ")):
            assert re.search(rf"\b{name}\b", (root / path).read_text("utf-8")), (name, path)


def test_the_modules_that_the_page_names_exist() -> None:
    """The way of a vote and of a transcript lead through modules that are there."""
    ways = PAGE.split("## The way of a vote")[1].split("## How a verdict")[0]
    root = Path(__file__).resolve().parents[2]
    for name in re.findall(r"`([a-z_]+(?:\.[a-z_]+)+)`", ways):
        if name.split(".")[0] in FLOORS:
            path = root / ("" if name.startswith("delivery") else "ib") / name.replace(".", "/")
            assert path.with_suffix(".py").is_file() or path.is_dir(), name
