"""Check the links of a built site: every href, src and id of every page.

The strict mode of mkdocs does not check links in HTML. A page may point to files and fragments that exist
in this site. A link for the reader may also point to another site over https. A page must not load
anything from another site.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from posixpath import normpath
from urllib.parse import SplitResult, unquote, urlsplit

from delivery import markup

_FOLLOWED = {("a", "href"), ("area", "href")}
_ADDRESSES = {"href", "src", "srcset", "poster", "data", "action", "formaction", "xlink:href"}
_META_RELS = {"canonical", "prev", "next", "alternate", "author", "license"}
_CSS = re.compile(r"""url\(\s*["']?([^"')]+)|@import\s+["']([^"']+)""")


@dataclass(frozen=True, order=True)
class LinkFinding:
    """One problem of one page."""

    path: str
    what: str

    def __str__(self) -> str:
        return f"{self.path}: {self.what}"


@dataclass(frozen=True)
class _Read:
    """The links of a page, and the ids in it that links can point to."""

    ids: frozenset[str]
    twice: tuple[str, ...]
    addresses: tuple[tuple[str, str], ...]
    """(kind, address): kind is `follow`, `load` or `meta`."""
    broken: str | None = None
    """Why parsing stopped early, if it did; the rest of the page was not read."""


def check(site: Path) -> list[LinkFinding]:
    """All link problems of a built site: first the files that are not text, then page by page."""
    files = {path.relative_to(site).as_posix() for path in site.rglob("*") if path.is_file()}
    if not any(name.endswith(".html") for name in files):
        return [LinkFinding(".", "no HTML page in this folder")]
    texts = {name: _text(site / name) for name in sorted(files) if name.endswith((".html", ".css"))}
    findings = [LinkFinding(name, "is not UTF-8") for name, text in texts.items() if text is None]
    read = {name: text for name, text in texts.items() if text is not None}
    pages = {name: _read(text) for name, text in read.items() if name.endswith(".html")}
    findings += [finding for name in pages for finding in _of_page(name, pages, files)]
    sheets = {name: text for name, text in read.items() if name.endswith(".css")}
    return findings + [finding for name in sheets for finding in _of_sheet(name, sheets[name], files)]


def _text(path: Path) -> str | None:
    """The text of a file. Returns None if the file is not UTF-8."""
    try:
        return path.read_text("utf-8")
    except UnicodeDecodeError:
        return None


def _kind(tag: str, key: str, rel: str) -> str:
    if (tag, key) in _FOLLOWED:
        return "follow"
    return "meta" if tag == "link" and rel.lower() in _META_RELS else "load"


def _split(key: str, value: str) -> list[str]:
    if key == "srcset":
        return [part.split()[0] for part in value.split(",") if part.split()]
    return [value.strip()]


def _read(text: str) -> _Read:
    tags, broken = markup.tags(text)
    ids = [values["id"] for _, values in tags if "id" in values]
    twice = tuple(one for one, count in Counter(ids).items() if count > 1)
    return _Read(frozenset(ids), twice, tuple(dict.fromkeys(_addresses(tags))), broken)


def _addresses(tags: Iterable[markup.Tag]) -> Iterator[tuple[str, str]]:
    for tag, values in tags:
        for key in values.keys() & _ADDRESSES:
            kind = _kind(tag, key, values.get("rel", ""))
            for address in _split(key, values[key]):
                yield kind, address


def _of_page(name: str, pages: dict[str, _Read], files: set[str]) -> Iterator[LinkFinding]:
    page = pages[name]
    if page.broken is not None:
        yield LinkFinding(name, page.broken)
    for one in page.twice:
        yield LinkFinding(name, f"id {one!r} is used more than once")
    for kind, address in page.addresses:
        problem = _problem(name, kind, address, pages, files)
        if problem:
            yield LinkFinding(name, problem)


def _problem(name: str, kind: str, address: str, pages: dict[str, _Read], files: set[str]) -> str | None:
    parts = _parts(address)
    if parts is None:
        return _no_address(address)
    if parts.scheme == "data" and kind == "load" and address.startswith("data:image/"):
        return None
    if parts.scheme or parts.netloc:
        if kind == "load":
            return _foreign(address)
        return None if parts.scheme == "https" and parts.netloc else f"link {address!r} is not https"
    target = _target(name, parts.path, files)
    if target is None:
        return f"{address!r} points to no file of this site"
    fragment = unquote(parts.fragment)
    if fragment and target in pages and fragment not in pages[target].ids and fragment != "top":
        return f"{address!r} points to an id that {target} does not have"
    return None


def _parts(address: str) -> SplitResult | None:
    """The parts of an address. Returns None if the address is invalid, such as `https://[`."""
    try:
        return urlsplit(address)
    except ValueError:
        return None


def _no_address(address: str) -> str:
    return f"{address!r} is not a valid address"


def _foreign(address: str) -> str:
    return f"loads {address!r} from another site; a page may load only files of this site"


def _target(name: str, path: str, files: set[str]) -> str | None:
    """The file that an address inside the site points to. Returns None if there is no such file."""
    if not path:
        return name
    base = PurePosixPath("/") if path.startswith("/") else PurePosixPath("/") / PurePosixPath(name).parent
    whole = normpath(f"{base}/{unquote(path)}").lstrip("/")
    if path.rsplit("/", maxsplit=1)[-1] in {"", ".", ".."}:
        whole = f"{whole}/index.html".lstrip("/")
    return whole if whole in files else None


def _of_sheet(name: str, text: str, files: set[str]) -> Iterator[LinkFinding]:
    for first, second in _CSS.findall(text):
        address = first or second
        parts = _parts(address)
        if parts is None:
            yield LinkFinding(name, _no_address(address))
            continue
        if parts.scheme == "data" or address.startswith("#"):
            continue
        if parts.scheme or parts.netloc:
            yield LinkFinding(name, _foreign(address))
        elif _target(name, parts.path, files) is None:
            yield LinkFinding(name, f"{address!r} points to no file of this site")
