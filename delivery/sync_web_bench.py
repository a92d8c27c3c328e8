"""Build the site from a release: first render the pages, then let mkdocs build the site.

`project` is pure: its result depends only on its arguments. `build` reads a release, renders every page
into a temporary folder, lets mkdocs build that folder into another one, checks every link, and only then
replaces the old site.

Run as a file, this module does what `ib site build` does, with the same options.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from delivery.build import colors, links, robots
from delivery.build.mkdocs import build_time, run_mkdocs
from delivery.build.render import render
from delivery.cards.report_card import report_card
from delivery.cards.social_card import cards, picture
from delivery.figures import tables
from delivery.pages.caregivers import old_lines
from delivery.pages.guides import outdated_signatures
from delivery.pages.registry import pages
from delivery.release.background import Background, load_background
from delivery.release.history import FOLDER, History, history_beside, refuse_keys
from delivery.release.place import NOWHERE, SETS, OtherBoard, Place, site_source
from delivery.release.sealed import NO_BACKGROUND, QA, open_sealed
from delivery.release.view import Release, consistent
from ib.board.evidence.leaks import LeakSearch
from ib.errors import Refused, UsageError
from ib.models.benchmark.benchmark import Benchmark
from ib.models.common.canonical import compact
from ib.models.release.exams import ExamSource
from ib.models.release.leaderboard import Evidence, Leaderboard
from ib.models.release.source import EXAMS
from ib.models.release.transcripts import Transcripts
from ib.pipeline.release.verify import verify_release
from ib.store.benchmark.loading import benchmark_folder, load_benchmark
from ib.store.benchmark.scenarios import load_contract
from ib.store.files.clock import pinned, today
from ib.store.files.leaks import leaks_here
from ib.store.files.signing import refuse_bad
from ib.store.files.together import finish
from ib.store.files.wording import counted
from ib.store.files.writing import file_names, foreign_file, staging, swap_folder
from ib.store.folders.released import LEADERBOARD, board_of_any, signature_of

MARK = ".ib-site"
"""The file that lists every file of a built site. A later build replaces only listed files."""
FIRST = 3
"""The most files of another benchmark that a notice names."""
MOST = 40
"""The most differences that a refusal lists."""


def project(  # noqa: PLR0913 - the parts of a release
    leaderboard: Leaderboard,
    evidence: Mapping[str, Evidence],
    benchmark: Benchmark,
    background: Background = NO_BACKGROUND,
    transcripts: Mapping[str, Transcripts] | None = None,
    place: Place = NOWHERE,
    *,
    exams: ExamSource | None = None,
) -> dict[str, str]:
    """The text of each file of the build folder, by path. Evidence and transcripts are by model slug.

    Raises DataError if the parts do not belong together.
    """
    source = () if exams is None else (EXAMS,)
    parts = Release(leaderboard, evidence, benchmark, background, transcripts, source=source, exams=exams)
    release = consistent(parts)
    return dict(_texts(release, place))


def _texts(release: Release, place: Place) -> Iterator[tuple[str, str]]:
    """Path and text of each file of the build folder, one after the other."""
    yield from render(release, pages(release), site_source() / "site_src" / "templates", place)
    yield from tables.twins(release).items()
    yield from robots.texts(release, place).items()
    if release.background.site.colors is not None:
        yield colors.SHEET, colors.sheet(release.background.site.colors)


@dataclass(frozen=True)
class Built:
    """The size of a built site."""

    pages: int
    files: int
    bytes: int
    release_pages: int = 0
    """Pages that show one release for good, below `r/`; they are part of `pages`."""
    release_bytes: int = 0
    """The bytes of everything below `r/`; they are part of `bytes`."""
    warnings: tuple[str, ...] = ()
    """What a maintainer has to check, such as old telephone numbers."""
    unproven: tuple[str, ...] = ()
    """What cannot be computed from the release, and how its benchmark differs from the one named."""


def build_site(  # noqa: PLR0913 - the public function takes what the command takes
    release: str | Path,
    *,
    out: str | Path,
    benchmark: str | Path | None = None,
    site_url: str | None = None,
    source_url: str | None = None,
    signers: str | Path | None = None,
    releases: str | Path | None = None,
    set_releases: Sequence[str | Path] = (),
) -> Built:
    """Verify a release folder, and build its site at `out`. A failed build changes nothing there.

    The release is computed again from its source first, as `ib verify` does; a publication of it that was
    interrupted is finished before. `benchmark` is the folder of the benchmark that the release was made with
    (None for the package's own). `site_url` is the address at which the site will be served, for canonical
    links and the sitemap; `source_url` is the address of the source repository. `signers` is a file of
    allowed signers: the release must be signed by one of them, whom the pages name. `releases` is the folder
    of all releases with their ledger (by default `releases` beside the release, if its ledger has this
    release as the newest); without one, the site has no pages of older releases. `set_releases` are
    releases of sets: each gets a whole site of its own below `sets/`, and the leaderboards link to each
    other. No figure of one is pooled with another.

    Raises DataError if the folder is not a release; Refused if the release does not follow from its source,
    with the differences, if it did not pass the gate, or if a link is broken; and UsageError if `out`
    contains other files, if an address is not plain https, or if two releases are of the same scenarios.
    """
    pinned()  # a wrong SOURCE_DATE_EPOCH is refused before the work
    root = benchmark_folder() if benchmark is None else Path(benchmark)
    place = Place(site_url, source_url, None if signers is None else Path(signers))
    finish(Path(release))
    unproven = follows(Path(release), root, place.signers)
    history = history_beside(Path(release), None if releases is None else Path(releases))
    of_sets = [Path(one) for one in set_releases]
    with with_sets(Path(release), of_sets, Path(out), root, place) as beside:
        built = build(Path(release), load_benchmark(root), Path(out), root, beside, history)
    return replace(built, unproven=unproven)


@contextlib.contextmanager
def with_sets(release: Path, of_sets: Sequence[Path], out: Path, root: Path, place: Place) -> Iterator[Place]:
    """Verify releases of sets, and build the site of each beside `out`, where it stays until the block ends.
    Gives the place of the site of `release`, with these sites and links to their boards.

    Raises UsageError if a release is not of one set, or if two are of the same, and else as `build_site`.
    """
    if not of_sets:
        yield place
        return
    with staging(out) as folder:
        yield _built_sets(release, of_sets, folder, root, place)


def _built_sets(release: Path, of_sets: Sequence[Path], folder: Path, root: Path, place: Place) -> Place:
    benchmark, contract = load_benchmark(root), load_contract(root)
    titles = {} if contract is None else {name: one.title for name, one in contract.sets.items()}
    named: dict[str, Path] = {}
    for one in of_sets:
        name = board_of_any(one / LEADERBOARD).get("set")
        if name not in titles or name in named:
            raise UsageError(
                f"--set-release {one}: found set {name!r}; give one release of each of {', '.join(titles)}"
            )
        named[name] = one
    if board_of_any(release / LEADERBOARD).get("set") is not None:
        raise UsageError(f"--release {release} is of a set; with --set-release, it is that of the core")
    for name, one in named.items():
        follows(one, root, place.signers)
        with staged_site(one, benchmark, folder / name, root, place.of_set(name)) as (staged, _):
            swap_folder(staged, folder / name)
    others = tuple(OtherBoard(titles[n], f"{SETS}/{n}/leaderboard/") for n in sorted(named))
    return replace(place, others=others, parts={name: folder / name for name in named})


def follows(release: Path, root: Path, signers: Path | None) -> tuple[str, ...]:
    """What cannot be proven of a release, in sentences.

    Raises Refused, with the first differences, if the release does not follow from its source, or has no
    signature of an allowed signer where `signers` are given. A release of an older form is left to `build`,
    which refuses it.
    """
    if not (release / QA).exists():
        return ()  # the build says what a release is
    found = verify_release(release, root, signers)
    if not found.computed:
        return ()
    if not found.holds:
        bad = [found.signature.words] if found.signature.state == "bad" else []
        more = len(found.differences) - MOST
        raise Refused(
            f"{release} does not hold; `ib verify` says more",
            [
                *bad,
                *(one.words for one in found.differences[:MOST]),
                *([f"and {more:,} more"] if more > 0 else []),
            ],
        )
    return (*(f"not proven: {sentence}" for sentence in found.unproven), *_other_benchmark(found.benchmark))


def _other_benchmark(files: Sequence[str]) -> Iterator[str]:
    """One sentence with the first files, if the release was judged by another benchmark."""
    if files:
        more = f" and {len(files) - FIRST:,} more; `ib verify` lists them" if len(files) > FIRST else ""
        yield (
            "the release was judged by another benchmark than that of this installation "
            f"({counted(len(files), 'file')}): {', '.join(files[:FIRST])}{more}"
        )


def build(
    folder: Path,
    benchmark: Benchmark,
    out: Path,
    root: Path | None = None,
    place: Place = NOWHERE,
    history: History | None = None,
) -> Built:
    """Build the site of a release folder at `out`, without computing the release again: for one that was just
    made. An old site is replaced only if the build succeeds.

    `root` is the benchmark folder with the scenarios and reference assistants for the pages.

    Raises DataError if the folder is not a release, Refused if the release did not pass the gate or a
    link is broken, and UsageError if `out` contains other files.
    """
    with staged_site(folder, benchmark, out, root, place, history) as (staged, built):
        swap_folder(staged, out)
    return built


@contextlib.contextmanager
def staged_site(
    folder: Path,
    benchmark: Benchmark,
    out: Path,
    root: Path | None = None,
    place: Place = NOWHERE,
    history: History | None = None,
) -> Iterator[tuple[Path, Built]]:
    """The site of a release folder, built and checked beside `out`; `swap_folder` puts it in place.

    The arguments and errors are those of `build`.
    """
    replaceable(out)
    pinned()  # a wrong SOURCE_DATE_EPOCH is refused before the work
    leaks = leaks_here()
    sealed = open_sealed(folder, benchmark, leaks)
    background = NO_BACKGROUND if root is None else load_background(root, benchmark)
    _without_keys(background, leaks)
    signature = signature_of(folder, place.signers)
    refuse_bad(signature, folder)
    if history is not None:
        refuse_keys(history, leaks)
    release = replace(sealed.release(benchmark, background, signature), history=history)
    with staging(out) as source, staging(out) as staged:
        docs = source / "docs"
        _stage(docs, release, place, sealed.files, build_time(sealed.leaderboard))
        run_mkdocs(docs, staged, release, place)
        for name, built in place.parts.items():
            (built / MARK).unlink()
            shutil.move(built, staged / SETS / name)
        findings = () if place.is_part else links.check(staged)
        if findings:
            raise Refused(
                "the built site has broken links, loads files from other sites, or breaks its policy",
                [str(one) for one in findings],
            )
        (staged / MARK).write_text("".join(f"{name}\n" for name in file_names(staged)), "utf-8")
        shutil.rmtree(source)
        yield (
            staged,
            replace(_measure(staged), warnings=(*old_lines(release, today()), *outdated_signatures(release))),
        )


def replaceable(out: Path) -> None:
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


def _stage(
    docs: Path, release: Release, place: Place, published: Mapping[str, bytes], made: datetime
) -> None:
    """Write the build folder. Each page is written as soon as it is rendered, so that memory holds one."""
    shutil.copytree(site_source() / "site_src" / "assets", docs / "ib")
    for name, text in _texts(release, place):
        _write(docs / name, text.encode())
    for model in release.models:
        _write(docs / "models" / model.slug / "report-card.pdf", report_card(release, model, made))
    for card in cards(release) if place.url is not None else ():
        _write(docs / card.path, picture(card))
    # The canonical files are copied to data/ unchanged, because the gate checked their hashes.
    for name, data in published.items():
        _write(docs / "data" / name, data)
    for name, data in () if release.history is None else release.history.files():
        _write(docs / name, data)


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def _measure(site: Path) -> Built:
    files = [path for path in site.rglob("*") if path.is_file()]
    kept = [path for path in files if path.is_relative_to(site / FOLDER)]
    return Built(_pages(files), len(files), _size(files), _pages(kept), _size(kept))


def _pages(files: list[Path]) -> int:
    return sum(path.suffix == ".html" for path in files)


def _size(files: list[Path]) -> int:
    return sum(path.stat().st_size for path in files)


if __name__ == "__main__":  # the command line lies above this package, so it is started and not imported
    os.execv(sys.executable, [sys.executable, "-m", "ib", "site", "build", *sys.argv[1:]])  # noqa: S606
