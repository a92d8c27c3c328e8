"""`ib site`: build the site of a release, serve the site, check its links."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from ib.commands.building import build_site
from ib.commands.common import OutPath, benchmark_option, emit, json_option, say, shown
from ib.errors import Terminated

Folder = click.Path(exists=True, file_okay=False, path_type=Path)


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
@benchmark_option
@click.option("--out", required=True, type=OutPath(), help="The folder of the site.")
@json_option
def build(release: Path, benchmark_dir: Path | None, out: Path, as_json: bool) -> None:
    """Build the site of a release.

    The old site at --out stays until the new one is complete. Only files of the old site are replaced;
    `.ib-site` lists them.
    """
    built = build_site(release, out, benchmark_dir)
    emit({"out": shown(out), **built}, as_json=as_json, text=lambda value: str(value["out"]))


@site.command()
@click.option("--dir", "folder", required=True, type=Folder, help="A built site.")
@click.option(
    "--port", default=8000, show_default=True, type=click.IntRange(0, 65535), help="0 picks a free port."
)
def serve(folder: Path, port: int) -> None:
    """Serve a built site, for this machine only, until Ctrl-C."""
    from delivery.serving import server

    with server(folder, port) as (httpd, address):
        say(f"serving {shown(folder)} at {address}; press Ctrl-C to stop")
        try:
            httpd.serve_forever()
        except KeyboardInterrupt as stop:
            say("stopped")
            if isinstance(stop, Terminated):
                raise


@site.command()
@click.argument("folder", type=Folder)
@json_option
def check(folder: Path, as_json: bool) -> None:
    """Check a built site; exit 1 if a link is broken or a page loads anything from another site."""
    from delivery import links
    from ib.errors import Refused

    findings = links.check(folder)
    emit([asdict(finding) for finding in findings], as_json=as_json, text=_words)
    if findings:
        raise Refused(f"{shown(folder)}: {len(findings)} findings")


def _words(findings: list[dict[str, Any]]) -> str:
    if not findings:
        return "all links work, and no page loads anything from another site"
    return "\n".join(f"{finding['path']}: {finding['what']}" for finding in findings)
