"""Measure the site: the build of a large field, and the pages of the demonstration in Lighthouse.

Writes both tables to RESULTS.md. Lighthouse is no requirement of the project: install it with
`npm install --prefix FOLDER lighthouse` and name FOLDER/node_modules/.bin/lighthouse in IB_LIGHTHOUSE.
Without it, only the build is measured.
"""

from __future__ import annotations

import functools
import gzip
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from benchmarks.corpus import ROOT
from benchmarks.field import MODELS, release, without_twins
from benchmarks.run import machine
from delivery.sync_web_bench import build
from ib.store.benchmark.loading import benchmark_folder, load_benchmark

RESULTS = ROOT / "benchmarks" / "RESULTS.md"
CHROMIUM = "/usr/bin/chromium"
RUNS = 3
FLAGS = "--headless=new --no-sandbox --disable-gpu --disable-background-networking --disable-component-update"
MEASURED = ("performance", "accessibility", "best-practices", "seo")
BUILD = """
import json, resource, sys
from pathlib import Path
from delivery.sync_web_bench import build
from ib.store.benchmark.loading import benchmark_folder, load_benchmark
built = build(Path(sys.argv[1]), load_benchmark(), Path(sys.argv[2]), benchmark_folder())
used = resource.getrusage(resource.RUSAGE_SELF)
status = Path("/proc/self/status").read_text()  # `ru_maxrss` counts the memory of the parent, too
peak = int(status.partition("VmHWM:")[2].split()[0]) // 1024
print(json.dumps([built.pages, built.bytes, used.ru_utime + used.ru_stime, peak]))
"""


class Zipped(SimpleHTTPRequestHandler):
    """Serves files as static hosts do: compressed, with a time to live."""

    def do_GET(self) -> None:
        """Send a file, compressed unless it is compressed already."""
        path = Path(self.translate_path(self.path))
        path = path / "index.html" if path.is_dir() else path
        if not path.is_file():
            self.send_error(404)
            return
        body = gzip.compress(path.read_bytes(), 6)
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(path))
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "max-age=600")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is inherited
        """Write nothing."""


def main() -> None:
    """Write the tables. With a folder as argument, the release of the field stays there and is used again."""
    with tempfile.TemporaryDirectory() as name:
        kept = Path(sys.argv[1]) if sys.argv[1:] else Path(name) / "field"
        lines = [f"{machine()}; load of the machine at the start {os.getloadavg()[0]:.1f}.", ""]
        lines += _field(kept, Path(name))
        lighthouse = os.environ.get("IB_LIGHTHOUSE")
        lines += ["", *(_pages(lighthouse, Path(name)) if lighthouse else ["Lighthouse was not measured."])]
    _written("\n".join(lines))


def _field(kept: Path, folder: Path) -> Iterator[str]:
    """The build of a field, measured RUNS times."""
    made = _kept(kept, release)
    sites = [folder / f"site-{run}" for run in range(RUNS)]
    found = [_build(made, site) for site in sites]
    same = all(_bytes(site) == _bytes(sites[0]) for site in sites)
    pages, size = found[0][:2]
    yield f"| build of {MODELS} models: {pages:,.0f} pages | median of {RUNS} | target |"
    yield "| --- | ---: | ---: |"
    yield f"| CPU (user and system) | {statistics.median(one[2] for one in found):.1f} s | 30 s |"
    yield f"| memory | {statistics.median(one[3] for one in found):.0f} MB | 400 MB |"
    yield f"| size | {size / 1e6:.1f} MB | 120 MB |"
    smaller = _kept(kept / "without-twins", lambda out: without_twins(kept, out))
    pages, size = _build(smaller, folder / "site-without-twins")[:2]
    yield f"| size without the safe twins: {pages:,.0f} pages | {size / 1e6:.1f} MB | 120 MB |"
    yield f"| every build has the same bytes | {'yes' if same else 'NO'} | yes |"


def _kept(folder: Path, make: Callable[[Path], Path]) -> Path:
    """The release in a folder. It is made if the folder has none."""
    return folder / "release" if (folder / "release").is_dir() else make(folder)


def _build(made: Path, site: Path) -> list[float]:
    """Pages, bytes, seconds of CPU and MB of memory of one build in its own process."""
    command = [sys.executable, "-c", BUILD, str(made), str(site)]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    found: list[float] = json.loads(done.stdout)
    return found


def _bytes(site: Path) -> dict[str, bytes]:
    return {
        path.relative_to(site).as_posix(): path.read_bytes() for path in site.rglob("*") if path.is_file()
    }


def _pages(lighthouse: str, folder: Path) -> Iterator[str]:
    """Lighthouse on a page of each important kind, as on a phone with a slow network."""
    site = folder / "demonstration"
    build(ROOT / "data" / "leaderboard", load_benchmark(), site, benchmark_folder())
    kinds = "performance | accessibility | best practices | SEO | LCP | TBT | first load"
    yield f"| page (Lighthouse, mobile, median of {RUNS}) | {kinds} |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
    with _served(folder / "demonstration") as at:
        for name, path in _chosen(folder / "demonstration").items():
            runs = [_lighthouse(lighthouse, at + path, folder / "report.json") for _ in range(RUNS)]
            middle = {key: statistics.median(run[key] for run in runs) for key in runs[0]}
            scores = " | ".join(f"{middle[key]:.0f}" for key in MEASURED)
            times = f"{middle['lcp'] / 1000:.2f} s | {middle['tbt']:.0f} ms | {middle['bytes'] / 1000:.0f} KB"
            yield f"| {name} | {scores} | {times} |"
    yield "| target | 98 | 100 | 100 | 100 | 1.8 s | 50 ms | 120 KB |"
    yield ""
    yield "A transcript and a pair ask search engines not to list them: their SEO is without that audit."


def _chosen(site: Path) -> dict[str, str]:
    """An address of each kind: the largest page of it."""
    patterns = {
        "model": "models/*",
        "check": "checks/*",
        "transcript": "transcripts/*/*",
        "compare": "compare/*--*",
    }
    largest = {
        name: max(site.glob(f"{pattern}/index.html"), key=lambda page: page.stat().st_size).parent
        for name, pattern in patterns.items()
    }
    found = {name: f"{page.relative_to(site).as_posix()}/" for name, page in largest.items()}
    return {"home": "", "leaderboard": "leaderboard/", **found}


def _lighthouse(lighthouse: str, address: str, report: Path) -> dict[str, float]:
    """Scores from 0 to 100, milliseconds, and bytes of one visit."""
    is_unlisted = "/transcripts/" in address or "--" in address
    unlisted = ["--skip-audits=is-crawlable"] if is_unlisted else []
    command = [lighthouse, address, "--quiet", "--output=json", f"--output-path={report}", *unlisted]
    command += [f"--chrome-flags={FLAGS}", f"--only-categories={','.join(MEASURED)}"]
    subprocess.run(command, check=True, capture_output=True, env={**os.environ, "CHROME_PATH": CHROMIUM})
    told: dict[str, Any] = json.loads(report.read_bytes())
    audits = told["audits"]
    return {
        **{name: 100 * told["categories"][name]["score"] for name in MEASURED},
        "lcp": audits["largest-contentful-paint"]["numericValue"],
        "tbt": audits["total-blocking-time"]["numericValue"],
        "bytes": audits["total-byte-weight"]["numericValue"],
    }


@contextmanager
def _served(folder: Path) -> Iterator[str]:
    """The address of a folder, served with compression in a thread."""
    handler = functools.partial(Zipped, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as httpd:
        threading.Thread(target=httpd.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{httpd.server_port}/"
        httpd.shutdown()


def _written(table: str) -> None:
    """Print the tables, and put them into their part of RESULTS.md."""
    print(table)
    begin, end = "<!-- The site: written by benchmarks.site. -->\n", "<!-- End of the site. -->\n"
    text = RESULTS.read_text("utf-8")
    if begin not in text:
        text += f"\n## The site\n\n{begin}{end}"
    part = re.escape(begin) + ".*?" + re.escape(end)
    RESULTS.write_text(re.sub(part, lambda _: f"{begin}\n{table}\n\n{end}", text, flags=re.DOTALL), "utf-8")


if __name__ == "__main__":
    main()
