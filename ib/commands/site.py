"""`ib site`: build the site of a release, serve the site, check its links."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from ib.commands.building import build_site, check_is_site, rebuilt_differs
from ib.commands.common import (
    OutPath,
    address_options,
    benchmark_option,
    emit,
    json_option,
    say,
    shown,
    signers_option,
)
from ib.commands.release_options import releases_option, set_releases_option
from ib.errors import Refused, Terminated
from ib.store.files.wording import counted

Folder = click.Path(exists=True, file_okay=False, path_type=Path)
PORT = click.IntRange(0, 65535)


@click.group()
def site() -> None:
    """Build, serve and check the public site."""


@site.command()
@click.option(
    "--release",
    required=True,
    type=Folder,
    help="The release: leaderboard.json, qa.json, evidence/, transcripts/.",
)
@set_releases_option
@benchmark_option
@click.option("--out", required=True, type=OutPath(), help="The folder of the site.")
@releases_option
@address_options
@signers_option
@json_option
def build(
    release: Path,
    benchmark_dir: Path | None,
    out: Path,
    signers: Path | None,
    releases: Path | None,
    set_releases: tuple[Path, ...],
    *,
    as_json: bool,
    **addresses: str | None,
) -> None:
    """Build the site of a release.

    The release is computed again from its source first, as `ib verify` does, and refused if it differs.
    The old site at --out stays until the new one is complete. Only files of the old site are replaced;
    `.ib-site` lists them. Pages show the day of the release, not that of the build. If the release has a
    ledger, the site also has the pages Releases and Corrections, and each older release at r/ID/.
    """
    built = build_site(release, out, benchmark_dir, signers, releases, set_releases, **addresses)
    emit({"out": shown(out), **built}, as_json=as_json, text=lambda value: str(value["out"]))


@site.command()
@click.option("--dir", "folder", required=True, type=Folder, help="A built site.")
@click.option("--port", default=8000, show_default=True, type=PORT, help="0 picks a free port.")
def serve(folder: Path, port: int) -> None:
    """Serve a built site, for this machine only, until Ctrl-C."""
    from delivery.build.serving import server

    check_is_site(folder)
    with server(folder, port) as (httpd, address):
        try:
            say(f"serving {shown(folder)} at {address}; press Ctrl-C to stop")
            httpd.serve_forever()
        except KeyboardInterrupt as stop:
            say("stopped")
            if isinstance(stop, Terminated):
                raise click.exceptions.Exit(stop.exit_code) from stop


@site.command()
@click.argument("folder", type=Folder)
@click.option("--release", type=Folder, help="Also build the site of this release, and compare every byte.")
@set_releases_option
@benchmark_option
@address_options
@signers_option
@json_option
def check(
    folder: Path,
    release: Path | None,
    set_releases: tuple[Path, ...],
    benchmark_dir: Path | None,
    signers: Path | None,
    as_json: bool,
    **addresses: str | None,
) -> None:
    """Check a built site; exit 1 if a link is broken or a page breaks its content security policy.

    No page may load anything from another site. With --release, the site must be the one that
    `ib site build` makes of the release, file by file and byte by byte; give the addresses and the allowed
    signers that it was built with.
    """
    from delivery.build import links

    check_is_site(folder)
    findings = list(links.check(folder))
    well = "all links work, and no page loads anything from another site"
    if release is not None:
        findings += rebuilt_differs(folder, release, benchmark_dir, signers, set_releases, **addresses)
        well += f"; every file is as {shown(release)} gives it"
    said = "\n".join(map(str, findings)) or well
    emit([asdict(one) for one in findings], as_json=as_json, text=lambda _: said)
    if findings:
        raise Refused(f"{shown(folder)}: {counted(len(findings), 'finding')}")
