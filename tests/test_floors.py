"""The floors of the package: what may import what, and that the core touches nothing."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PURE = {
    "text": set(),
    "models": {"text"},
    "logs": {"models", "text"},
    "stats": set(),
    "scenario": {"models", "text"},
    "engine": {"models", "text", "scenario"},
    "exam": {"models", "text", "stats", "engine"},
    "measures": {"models", "text", "scenario", "engine"},
    "board": {"models", "text", "engine", "measures", "stats"},
}
"""For each pure package, the pure packages below it. Pure code touches no file, clock or network."""
CORE = set(PURE)
FLOORS = {
    **PURE,
    "store": CORE,
    "client": CORE,
    "judges": CORE | {"client"},
    "targets": CORE | {"client"},
    "testing": CORE,
    "pipeline": CORE | {"store", "client", "judges", "targets", "testing"},
    "batch": CORE | {"store", "client", "judges", "targets", "testing", "pipeline"},
    "commands": CORE | {"store", "client", "judges", "targets", "testing", "pipeline", "batch"},
    "delivery": CORE | {"store"},
}
"""For each package, the packages of `ib` that it may import. Pure code may be imported by anybody."""
MAY_DELIVER = {"commands"}
"""The packages that may import `delivery`."""
VERIFIES = ROOT / "delivery" / "sync_web_bench.py"
"""The one module of `delivery` that may import the pipeline: it verifies a release before it builds."""
WORLD = {"os", "sys", "io", "pathlib", "subprocess", "socket", "urllib", "http", "shutil", "tempfile", "time"}
"""What a pure package has no business with."""


def modules(package: str) -> Iterator[Path]:
    return (ROOT / package if package == "delivery" else ROOT / "ib" / package).rglob("*.py")


def imported(path: Path) -> set[str]:
    """The names of what a file imports; of `from ib.store import scans` both, as it may be either."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return names


def test_a_module_is_seen_however_it_is_imported(tmp_path: Path) -> None:
    """The tests below see a module that is taken out of its package, and one inside a function."""
    path = tmp_path / "some.py"
    path.write_text("from ib.store.folders import scans\ndef f():\n    import ib.store.folders.votes as v\n")
    assert imported(path) >= {"ib.store.folders.scans", "ib.store.folders.votes"}


@pytest.mark.parametrize("package", FLOORS)
def test_a_floor_imports_only_what_lies_below(package: str) -> None:
    """A package imports itself, the floors below it, and nothing above."""
    allowed = FLOORS[package] | {package, "errors", "__version__"}
    for path in modules(package):
        further = {"pipeline"} if path == VERIFIES else set()
        for name in imported(path):
            if name.startswith("ib."):
                assert name.split(".")[1] in allowed | further, f"{path.name} imports {name}"
            if name.startswith("delivery"):
                assert package in {*MAY_DELIVER, "delivery"}, f"{path.name} imports {name}"


@pytest.mark.parametrize("package", PURE)
def test_the_core_touches_no_world(package: str) -> None:
    """Pure packages open nothing, print nothing and know no clock."""
    for path in modules(package):
        touched = {name.split(".")[0] for name in imported(path)} & WORLD
        if path.name == "canonical.py":
            touched -= {"pathlib"}  # a path may be written into a document, and is never opened
        assert not touched, f"{path} imports {touched}"
        calls = {
            n.func.id
            for n in ast.walk(ast.parse(path.read_text()))
            if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)
        }
        assert not calls & {"open", "print", "input"}, f"{path} calls {calls & {'open', 'print', 'input'}}"


def test_litellm_is_imported_nowhere_at_load() -> None:
    """The transport for real models is slow to import, and no command pays for it unasked."""
    code = "import sys, ib.commands.scan, ib.commands.publish; print('litellm' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_help_imports_no_command() -> None:
    """`ib --help` loads neither pydantic nor numpy: it must answer at once."""
    code = (
        "import sys; from ib.cli import run; run(['--help']); print({'pydantic', 'numpy'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip().endswith("set()")


def test_no_import_cycle() -> None:
    """Every module of the package imports alone, in a fresh interpreter, in any order."""
    names = sorted(
        ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for path in (ROOT / "ib").rglob("*.py")
        if path.name not in ("__init__.py", "__main__.py")
    )
    graph = {
        name: {i for i in imported(ROOT / (name.replace(".", "/") + ".py")) if i in names} for name in names
    }
    seen: set[str] = set()

    def visit(name: str, trail: tuple[str, ...]) -> None:
        assert name not in trail, " -> ".join((*trail, name))
        if name not in seen:
            for other in sorted(graph[name]):
                visit(other, (*trail, name))
            seen.add(name)

    for name in names:
        visit(name, ())


@pytest.mark.parametrize("path", sorted((ROOT / "ib" / "commands").glob("*.py")), ids=lambda path: path.name)
def test_a_command_parses_calls_and_prints(path: Path) -> None:
    """A command with its words has at most 250 lines, and no function over 50: logic is in the pipeline."""
    text = path.read_text()
    assert len(text.splitlines()) <= 250
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef):
            assert (node.end_lineno or 0) - node.lineno < 50, node.name


@pytest.mark.parametrize("package", ["store", "judges", "targets", "pipeline", *PURE])
def test_click_is_known_to_commands_alone(package: str) -> None:
    """Whatever may be called from Python knows nothing of a command line."""
    for path in modules(package):
        assert not {name for name in imported(path) if name.split(".")[0] in ("click", "rich")}, path.name


def test_every_test_folder_is_a_package() -> None:
    """Test modules with the same file name stay distinct, and mypy can check them all in one run."""
    folders = {path.parent for path in (ROOT / "tests").rglob("*.py")}
    assert [folder.name for folder in folders if not (folder / "__init__.py").exists()] == []


MOST_LINES = 400


@pytest.mark.parametrize("package", FLOORS)
def test_no_module_is_long(package: str) -> None:
    """A module that one cannot see as a whole is two."""
    for path in modules(package):
        assert len(path.read_text().splitlines()) <= MOST_LINES, path.name


ROOMS: dict[str, tuple[str, ...]] = {
    "models": ("common", "benchmark", "draw", "conversation", "exam", "scan", "review", "release", "report"),
    "logs": ("reading", "forms"),
    "engine": ("reading", "questions", "votes", "verifiers"),
    "exam": ("texts", "operators"),
    "board": ("calibration", "figures", "evidence", "review", "gate", "report", "history"),
    "store": ("files", "benchmark", "folders"),
    "pipeline": (
        "common",
        "imports",
        "lint",
        "run",
        "scan",
        "submit",
        "report",
        "review",
        "calibrate",
        "exam",
        "release",
        "start",
    ),
    "delivery": (
        "words",
        "release",
        "export",
        "conversation",
        "report",
        "exam",
        "figures",
        "cards",
        "pages",
        "build",
    ),
}
"""The rooms of each package that has some. A room may import the rooms before it, and none after it."""
MOST_MODULES = 20
"""The most modules of a folder: more cannot be looked over."""
EVERY_MODULE = 594
"""How many modules there are. A new module is a decision: change this number with it, or merge two others."""


def folder_of(package: str) -> Path:
    return ROOT / package if package == "delivery" else ROOT / "ib" / package


@pytest.mark.parametrize("package", ROOMS)
def test_a_package_has_the_rooms_of_the_plan(package: str) -> None:
    """A folder of Python modules in a package with rooms is one of its rooms."""
    found = {path.parent.name for path in folder_of(package).glob("*/*.py")}
    assert found == set(ROOMS[package])


@pytest.mark.parametrize(("package", "room"), [(p, room) for p, rooms in ROOMS.items() for room in rooms])
def test_a_room_imports_no_room_above_it(package: str, room: str) -> None:
    """Within a package, imports go down; modules beside the rooms stand above all of them."""
    name = package if package == "delivery" else f"ib.{package}"
    allowed = {f"{name}.{below}" for below in ROOMS[package][: ROOMS[package].index(room) + 1]}
    for path in (folder_of(package) / room).rglob("*.py"):
        for one in imported(path):
            if one.startswith(f"{name}."):
                assert ".".join(one.split(".")[: name.count(".") + 2]) in allowed, (
                    f"{path.name} imports {one}"
                )


def every_module() -> list[Path]:
    return [
        path
        for top in ("ib", "delivery")
        for path in (ROOT / top).rglob("*.py")
        if path.name != "__init__.py"
    ]


def test_no_folder_is_crowded() -> None:
    """A folder has at most MOST_MODULES modules; `commands` has one for each command."""
    modules_of = Counter(path.parent for path in every_module())
    crowded = {str(folder.relative_to(ROOT)) for folder, count in modules_of.items() if count > MOST_MODULES}
    assert crowded <= {"ib/commands"}


def test_the_number_of_modules_is_stated() -> None:
    """The house grows by decision."""
    assert len(every_module()) == EVERY_MODULE


def test_nothing_imports_inspect() -> None:
    """The plugin imports the package, and never the other way round."""
    imports = re.compile(r"^\s*(?:from|import) (?:inspect_ai|inspect_scout|ib_inspect)\b", re.MULTILINE)
    found = [path for path in every_module() if imports.search(path.read_text(encoding="utf-8"))]
    assert found == []
