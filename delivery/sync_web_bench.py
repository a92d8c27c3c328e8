"""Build the site from a release: first render the pages, then let mkdocs build the site.

`project` is pure: its result depends only on its arguments. `build` reads a release, renders every page
before it writes the first file, lets mkdocs build into a temporary folder, checks every link, and only then
replaces the old site.
"""

from __future__ import annotations

import contextlib
import logging
import os
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from delivery import links, tables
from delivery.background import Background, load_background
from delivery.pages.registry import pages
from delivery.release import Release, consistent
from delivery.render import render
from delivery.sealed import open_sealed
from ib.board.leaks import LeakSearch, secrets_of
from ib.errors import Refused, UsageError
from ib.models.benchmark import Benchmark
from ib.models.canonical import compact
from ib.models.leaderboard import Evidence, Leaderboard
from ib.store.benchmark import benchmark_folder, load_benchmark
from ib.store.files import file_names, foreign_file, staging, swap_folder
from ib.store.leaks import load_leak_forms

NO_BACKGROUND = Background()
MARK = ".ib-site"
"""The file that lists every file of a built site. A later build replaces only listed files."""
EPOCH = "1577836800"
"""The build time if SOURCE_DATE_EPOCH is not set. Pages show no times, so any fixed value works."""
_OF_LOGS = {"index.md": "Results", "scenarios/index.md": "Conversations"}
"""Entries of the navigation that have another name in a release of open logs."""


def site_source() -> Path:
    """The folder with mkdocs.yml and site_src: the parent folder in a checkout, `_site` in a wheel."""
    here = Path(__file__).resolve().parent
    inside = here / "_site"
    return inside if inside.is_dir() else here.parent


def project(
    leaderboard: Leaderboard,
    evidence: Mapping[str, Evidence],
    benchmark: Benchmark,
    background: Background = NO_BACKGROUND,
) -> dict[str, str]:
    """The text of each file of the build folder, by path. The keys of `evidence` are model slugs.

    Raises DataError if the parts do not belong together.
    """
    release = consistent(Release(leaderboard, evidence, benchmark, background))
    templates = site_source() / "site_src" / "templates"
    return render(release, pages(release), templates) | tables.twins(release)


@dataclass(frozen=True)
class Built:
    """The size of a built site."""

    pages: int
    files: int
    bytes: int


def build_site(release: str | Path, *, out: str | Path, benchmark: str | Path | None = None) -> Built:
    """Build the site of a release folder at `out`. A failed build changes nothing there.

    `benchmark` is the folder of the benchmark that the release was made with (None for the package's
    own). Raises DataError if the folder is not a release, Refused if the release did not pass the gate or a
    link is broken, and UsageError if `out` contains other files.
    """
    root = benchmark_folder() if benchmark is None else Path(benchmark)
    return build(Path(release), load_benchmark(root), Path(out), root)


def build(folder: Path, benchmark: Benchmark, out: Path, root: Path | None = None) -> Built:
    """Build the site of a release folder at `out`. An old site is replaced only if the build succeeds.

    `root` is the benchmark folder with the scenarios and reference assistants for the pages.

    Raises DataError if the folder is not a release, Refused if the release did not pass the gate or a
    link is broken, and UsageError if `out` contains other files.
    """
    _replaceable(out)
    _check_time(os.environ.get("SOURCE_DATE_EPOCH") or EPOCH)
    leaks = LeakSearch(load_leak_forms(), secrets_of(os.environ))
    release = open_sealed(folder, benchmark, leaks)
    background = NO_BACKGROUND if root is None else load_background(root, benchmark)
    _without_keys(background, leaks)
    files = project(release.leaderboard, release.evidence, benchmark, background)
    with staging(out) as source, staging(out) as staged:
        docs = source / "docs"
        _stage(docs, files, release.files)
        _mkdocs(docs, staged, release.leaderboard)
        findings = links.check(staged)
        if findings:
            raise Refused(
                "the built site has broken links, or loads files from other sites",
                [str(one) for one in findings],
            )
        (staged / MARK).write_text("".join(f"{name}\n" for name in file_names(staged)), "utf-8")
        built = _measure(staged)
        swap_folder(staged, out)
    return built


def _replaceable(out: Path) -> None:
    """Raise UsageError unless `out` does not exist, or contains only files that an earlier build wrote."""
    if not out.exists():
        return
    if not out.is_dir():
        raise UsageError(f"{out} is not a folder; choose another --out")
    mark = out / MARK
    own = {MARK, *mark.read_text("utf-8", "replace").splitlines()} if mark.is_file() else set()
    foreign = foreign_file(out, own)
    if foreign is not None:
        what = f"{out} contains {foreign}, which is not part of a site"
        raise UsageError(f"{what}; move the file, or choose another --out")


def _without_keys(background: Background, leaks: LeakSearch) -> None:
    """Raise Refused if a scenario or a reference assistant contains a key, because pages show their text."""
    told = {**background.scenarios, **background.characters}
    texts = {name: compact(one) for name, one in told.items()}
    wrong = [f"{name}: {found}" for name, data in texts.items() for found in leaks.in_file(data, paths=False)]
    if wrong:
        raise Refused("the benchmark contains text that must not be published", wrong)


def _stage(docs: Path, files: Mapping[str, str], published: Mapping[str, bytes]) -> None:
    shutil.copytree(site_source() / "site_src" / "assets", docs / "ib")
    # The canonical files are copied to data/ unchanged, because the gate checked their hashes.
    canonical = {f"data/{name}": data for name, data in published.items()}
    for name, data in {**{n: text.encode() for n, text in files.items()}, **canonical}.items():
        path = docs / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def _mkdocs(docs: Path, site: Path, board: Leaderboard) -> None:
    """Run mkdocs in strict mode. Raises Refused with every warning of mkdocs."""
    os.environ.setdefault("NO_MKDOCS_2_WARNING", "1")
    from mkdocs.commands.build import build as run
    from mkdocs.config import load_config
    from mkdocs.exceptions import MkDocsException

    with _pinned_time(), _warnings() as said:
        try:
            # mkdocs takes relative paths as relative to mkdocs.yml, not to the current folder.
            config = load_config(
                str(site_source() / "mkdocs.yml"),
                docs_dir=str(docs.resolve()),
                site_dir=str(site.resolve()),
                strict=True,
            )
            config.extra["stage"] = board.stage.value
            config.extra["open_logs"] = board.open_logs
            if board.open_logs:
                config.nav = [{_OF_LOGS.get(p, n): p for n, p in entry.items()} for entry in config.nav or ()]
            run(config)
        except MkDocsException as error:
            raise Refused("mkdocs could not build the pages", [*said, str(error)]) from error


@contextlib.contextmanager
def _pinned_time() -> Iterator[None]:
    """Set a fixed time for mkdocs, unless the environment sets one."""
    named = os.environ.get("SOURCE_DATE_EPOCH")
    os.environ["SOURCE_DATE_EPOCH"] = named or EPOCH
    try:
        yield
    finally:
        if named is None:
            del os.environ["SOURCE_DATE_EPOCH"]


def _check_time(named: str) -> None:
    """Raise UsageError unless the text is a number of seconds that gives a valid date."""
    try:
        datetime.fromtimestamp(int(named), UTC)
    except (ValueError, OverflowError, OSError) as error:
        found = f"SOURCE_DATE_EPOCH is {named[:80]!r}"
        raise UsageError(f"{found}; set it to a whole number of seconds since 1970, or unset it") from error


@contextlib.contextmanager
def _warnings() -> Iterator[list[str]]:
    """Collect the warnings of mkdocs instead of printing them."""
    said: list[str] = []
    handler = logging.Handler(logging.WARNING)
    handler.emit = lambda record: said.append(record.getMessage())  # type: ignore[method-assign] # one line needs no class
    logger = logging.getLogger("mkdocs")
    logger.addHandler(handler)
    try:
        yield said
    finally:
        logger.removeHandler(handler)


def _measure(site: Path) -> Built:
    files = [path for path in site.rglob("*") if path.is_file()]
    pages_built = sum(path.suffix == ".html" for path in files)
    return Built(pages_built, len(files), sum(path.stat().st_size for path in files))
