"""From a leaderboard to the site: a pure projection into pages, and a thin build of the pages.

`project` is a function of its arguments alone. `build` reads a release, renders everything before
the first byte is written, lets mkdocs build it beside its target, checks every link, and only then
puts the new site in the place of the old one.
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
from delivery.pages import pages
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
"""Names every file of a built site: only those may be replaced by the next one."""
EPOCH = "1577836800"
"""The time that a build is given where SOURCE_DATE_EPOCH names none: pages carry no times."""


def site_source() -> Path:
    """The folder with mkdocs.yml and site_src: beside the package in a checkout, inside it in a wheel."""
    here = Path(__file__).resolve().parent
    inside = here / "_site"
    return inside if inside.is_dir() else here.parent


def project(
    leaderboard: Leaderboard,
    evidence: Mapping[str, Evidence],
    benchmark: Benchmark,
    background: Background = NO_BACKGROUND,
) -> dict[str, str]:
    """The files of the build folder, path -> text; `evidence` is by the slug of the model.

    DataError where the parts do not belong together.
    """
    release = consistent(Release(leaderboard, evidence, benchmark, background))
    templates = site_source() / "site_src" / "templates"
    return render(release, pages(release), templates) | tables.twins(release)


@dataclass(frozen=True)
class Built:
    """What a build came to."""

    pages: int
    files: int
    bytes: int


def build_site(release: str | Path, *, out: str | Path, benchmark: str | Path | None = None) -> Built:
    """Build the site of a release folder at `out`. A failed build changes nothing there.

    `benchmark` is the folder of the benchmark that the release was made with (None for the package's
    own). Raises DataError for a folder that holds no release, Refused where the release was not granted
    by the gate or a link is broken, UsageError where `out` holds something else.
    """
    root = benchmark_folder() if benchmark is None else Path(benchmark)
    return build(Path(release), load_benchmark(root), Path(out), root)


def build(folder: Path, benchmark: Benchmark, out: Path, root: Path | None = None) -> Built:
    """Build the site of a release folder at `out`; what stands there stays until all is well.

    `root` is the folder of the benchmark, whose scenarios and reference assistants the pages tell.

    DataError for a release that is not one, Refused for a site that is not sound, UsageError where
    `out` holds something else.
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
        _mkdocs(docs, staged, release.leaderboard.stage.value)
        findings = links.check(staged)
        if findings:
            raise Refused("the built site has broken or foreign links", [str(one) for one in findings])
        (staged / MARK).write_text("".join(f"{name}\n" for name in file_names(staged)), "utf-8")
        built = _measure(staged)
        swap_folder(staged, out)
    return built


def _replaceable(out: Path) -> None:
    """UsageError unless `out` is nothing, or a folder that holds no file but those that a build wrote."""
    if not out.exists():
        return
    if not out.is_dir():
        raise UsageError(f"{out}: is not a site; choose another --out")
    mark = out / MARK
    own = {MARK, *mark.read_text("utf-8", "replace").splitlines()} if mark.is_file() else set()
    foreign = foreign_file(out, own)
    if foreign is not None:
        raise UsageError(f"{out}: {foreign} is not a site's; move it, or choose another --out")


def _without_keys(background: Background, leaks: LeakSearch) -> None:
    """Refused if a scenario or a reference assistant holds a key: pages show their words."""
    told = {**background.scenarios, **background.characters}
    texts = {name: compact(one) for name, one in told.items()}
    wrong = [f"{name}: {found}" for name, data in texts.items() for found in leaks.in_file(data, paths=False)]
    if wrong:
        raise Refused("the benchmark holds what may not be published", wrong)


def _stage(docs: Path, files: Mapping[str, str], published: Mapping[str, bytes]) -> None:
    shutil.copytree(site_source() / "site_src" / "assets", docs / "ib")
    # The canonical files lie under data/, byte for byte: their hashes are what was checked.
    canonical = {f"data/{name}": data for name, data in published.items()}
    for name, data in {**{n: text.encode() for n, text in files.items()}, **canonical}.items():
        path = docs / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def _mkdocs(docs: Path, site: Path, stage: str) -> None:
    """Run mkdocs strictly; Refused with everything that it warned of."""
    os.environ.setdefault("NO_MKDOCS_2_WARNING", "1")
    from mkdocs.commands.build import build as run
    from mkdocs.config import load_config
    from mkdocs.exceptions import MkDocsException

    with _pinned_time(), _warnings() as said:
        try:
            # A relative folder would be taken as relative to mkdocs.yml, not to where the user is.
            config = load_config(
                str(site_source() / "mkdocs.yml"),
                docs_dir=str(docs.resolve()),
                site_dir=str(site.resolve()),
                strict=True,
            )
            config.extra["stage"] = stage
            run(config)
        except MkDocsException as error:
            raise Refused("mkdocs refused the pages", [*said, str(error)]) from error


@contextlib.contextmanager
def _pinned_time() -> Iterator[None]:
    """A fixed time for mkdocs, unless the environment names one."""
    named = os.environ.get("SOURCE_DATE_EPOCH")
    os.environ["SOURCE_DATE_EPOCH"] = named or EPOCH
    try:
        yield
    finally:
        if named is None:
            del os.environ["SOURCE_DATE_EPOCH"]


def _check_time(named: str) -> None:
    """UsageError unless a text is a number of seconds that stands for a date."""
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
