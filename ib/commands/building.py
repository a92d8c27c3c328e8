"""Build the site of a release, for `ib site build` and `ib publish --to`."""

from __future__ import annotations

import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from ib.commands.common import say, shown
from ib.errors import UsageError
from ib.store.benchmark.loading import benchmark_folder
from ib.store.files.together import finish

if TYPE_CHECKING:
    from delivery.build.links import LinkFinding
    from delivery.sync_web_bench import Built


def check_target(release: Path, out: Path, **addresses: str | None) -> None:
    """Raise UsageError if the site cannot be built at `out`. Called before the release is written."""
    from delivery import sync_web_bench
    from delivery.release.place import Place

    here, there = release.resolve(), out.resolve()
    if here == there or here in there.parents or there in here.parents:
        raise UsageError(f"--out {release} and --to {out} overlap; choose two folders that do not")
    Place(addresses.get("site_url"), addresses.get("source_url"))
    sync_web_bench.replaceable(out)


def build_site(
    release: Path,
    out: Path,
    benchmark_dir: Path | None,
    signers: Path | None = None,
    releases: Path | None = None,
    set_releases: tuple[Path, ...] = (),
    **addresses: str | None,
) -> dict[str, int]:
    """Verify a release, build its site, and say how large it is. Returns the counts.

    The arguments and errors are those of `delivery.sync_web_bench.build_site`.
    """
    from delivery import sync_web_bench

    finish_publishing(release)
    say(f"building the site of {shown(release)}")
    built = sync_web_bench.build_site(
        release,
        out=out,
        benchmark=benchmark_dir,
        signers=signers,
        releases=releases,
        set_releases=set_releases,
        **addresses,
    )
    for sentence in built.unproven:
        say(sentence)
    for warning in built.warnings:
        say(f"warning: {warning}")
    say(size_words(built, out))
    return asdict(built)


def check_release(release: Path, benchmark_dir: Path | None, signers: Path | None) -> None:
    """Raise Refused if a release does not follow from its source, and say what cannot be proven of it.

    The rule is that of `delivery.sync_web_bench.follows`.
    """
    from delivery.sync_web_bench import follows

    for sentence in follows(release, benchmark_dir or benchmark_folder(), signers):
        say(sentence)


def rebuilt_differs(
    site: Path,
    release: Path,
    benchmark_dir: Path | None,
    signers: Path | None,
    set_releases: tuple[Path, ...] = (),
    **addresses: str | None,
) -> list[LinkFinding]:
    """The findings about a site that is not, to the last byte, the site of a release."""
    from delivery.build.compared import compare

    with tempfile.TemporaryDirectory(prefix="ib-site-") as temporary:
        rebuilt = Path(temporary) / "site"
        build_site(release, rebuilt, benchmark_dir, signers, None, set_releases, **addresses)
        return list(compare(site, rebuilt))


def size_words(built: Built, out: Path) -> str:
    """How large a built site is, and where it is."""
    apart = ""
    if built.release_pages:
        apart = f" ({built.release_pages} pages, {built.release_bytes:,} bytes of them for releases at r/)"
    said = f"{built.pages} pages, {built.files} files, {built.bytes:,} bytes{apart}"
    return f"{said}; all links work: {shown(out)}"


def finish_publishing(release: Path) -> None:
    """Finish a publication of this release that was interrupted, and say so."""
    done = finish(release)
    if done is not None:
        say(done)


def check_is_site(folder: Path) -> None:
    """Raise UsageError if a folder holds no site."""
    if not (folder / "index.html").is_file():
        raise UsageError(f"{shown(folder)}: no site there (no index.html); build one with `ib site build`")
