"""Check the links of a built site: every href, src and id of every page.

The strict mode of mkdocs does not check links in HTML. A page may point to files and fragments that exist
in this site. A link for the reader may also point to another site over https, or call the crisis
line. A page must not load anything from another site, and follows its content security policy.

Pages are well-formed HTML, so one regular expression explains almost every page to its last character. A page
that it does not explain is read by `html.parser`, which is slower and forgives more.
"""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from html.parser import HTMLParser
from pathlib import Path
from posixpath import dirname, normpath
from urllib.parse import SplitResult, unquote, urlsplit

from delivery.build import policy

Tag = tuple[str, Mapping[str, str]]
"""The name of a start tag in lower case, and its attributes with their text."""

_ATTRIBUTE = r"""\s+([^\s"'<>/=]+)(?:=(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+)))?"""
_PLAIN_ATTRIBUTE = re.sub(r"\((?!\?)", "(?:", _ATTRIBUTE)
_BETWEEN = r"[^<]*+(?:<(?:/[a-zA-Z][a-zA-Z0-9-]*+\s*+|(?i:!doctype html))>[^<]*+)*+"
_REST = re.compile(_BETWEEN)
"""Text, end tags and the doctype."""
_START = re.compile(rf"{_BETWEEN}<([a-zA-Z][a-zA-Z0-9-]*+)((?:{_PLAIN_ATTRIBUTE})*+)\s*+/?>")
"""The next start tag, with what stands before it."""
_ATTRIBUTES = re.compile(_ATTRIBUTE)
_RAW = {name: re.compile(rf"</{name}\s*>", re.IGNORECASE) for name in ("script", "style")}
"""The elements whose content is no HTML, with their end."""


def tags(text: str) -> tuple[list[Tag], str | None]:
    """The start tags of a page, and why the reading stopped before its end (None if it did not)."""
    found = _fast(text)
    return _slow(text) if found is None else (found, None)


def _fast(text: str) -> list[Tag] | None:
    """The start tags. Returns None if any character of the page belongs to no known form."""
    found: list[Tag] = []
    at = 0
    while (start := _START.match(text, at)) is not None:
        at = start.end()
        name = start[1].lower()
        found.append((name, _attributes(start[2])))
        if name in _RAW:
            end = _RAW[name].search(text, at)
            if end is None:
                return None
            at = end.end()
    return found if _REST.fullmatch(text, at) else None


@lru_cache(maxsize=4096)  # most tags of a site have the attributes of a tag before, such as `class="n"`
def _attributes(text: str) -> Mapping[str, str]:
    """Names and values; as in a browser, the first attribute of a name counts."""
    found: dict[str, str] = {}
    for name, double, single, bare in _ATTRIBUTES.findall(text):
        value = double or single or bare
        found.setdefault(name.lower(), html.unescape(value) if "&" in value else value)
    return found


class _Parser(HTMLParser):
    """Collects start tags and ignores text."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=False)
        self.tags: list[Tag] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {key: value or "" for key, value in reversed(attrs)}))


def _slow(text: str) -> tuple[list[Tag], str | None]:
    parser = _Parser()
    try:
        parser.feed(text)
        parser.close()
    except AssertionError:  # how the parser refuses a marked section such as `<![foo[`
        line = parser.getpos()[0]
        return parser.tags, f"line {line} has a marked section `<![...`, which is not valid HTML"
    return parser.tags, None


_FOLLOWED = {("a", "href"), ("area", "href")}
_ADDRESSES = {"href", "src", "srcset", "poster", "data", "action", "formaction", "xlink:href"}
_META_RELS = {"canonical", "prev", "next", "alternate", "author", "license"}
_MAIL = "mailto:"
_CALLS = ("tel:", "sms:", _MAIL)
_FRAME = "404.html"
"""The page that is nothing but the frame. Pages may call the numbers of its line of help and write to its
mail address, and to no others: a link with another number would be a trap."""
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
    problems: tuple[str, ...] = ()
    """What is wrong with the page itself: its HTML, its policy, attributes that the policy forbids."""
    canonical: str | None = None


@dataclass(frozen=True)
class _Site:
    """What links can point to."""

    files: frozenset[str]
    pages: Mapping[str, _Read]
    root: str
    """The path of the site on its host, with a slash at both ends."""
    numbers: frozenset[str]
    """The telephone and mail addresses that pages may link to."""


def check(site: Path) -> list[LinkFinding]:
    """All link problems of a built site: first the files that are not text, then page by page."""
    files = {path.relative_to(site).as_posix() for path in site.rglob("*") if path.is_file()}
    if not any(name.endswith(".html") for name in files):
        return [LinkFinding(".", "no HTML page in this folder")]
    findings = []
    pages: dict[str, _Read] = {}
    sheets: dict[str, str] = {}
    for name in sorted(name for name in files if name.endswith((".html", ".css"))):
        text = _text(site / name)
        if text is None:
            findings.append(LinkFinding(name, "is not UTF-8"))
        elif name.endswith(".css"):
            sheets[name] = text
        else:
            pages[name] = _read(text)  # not the text: all pages together do not fit the memory
    whole = _Site(frozenset(files), pages, _root(pages), _numbers(pages))
    findings += [finding for name in pages for finding in _of_page(name, whole)]
    return findings + [finding for name in sheets for finding in _of_sheet(name, sheets[name], whole)]


def _root(pages: Mapping[str, _Read]) -> str:
    """The path under which the site is served, as the canonical link of its first page says."""
    first = pages.get("index.html")
    return "/" if first is None or first.canonical is None else urlsplit(first.canonical).path or "/"


def _numbers(pages: Mapping[str, _Read]) -> frozenset[str]:
    """The addresses that a reader may call or write to."""
    frame = pages.get(_FRAME)
    return frozenset(one for _, one in (() if frame is None else frame.addresses) if one.startswith(_CALLS))


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
    found, broken = tags(text)
    given = [tag for tag in found if tag[1]]
    ids = [values["id"] for _, values in given if "id" in values]
    twice = tuple(one for one, count in Counter(ids).items() if count > 1)
    problems = ([] if broken is None else [broken]) + [
        *dict.fromkeys(_forbidden(given)),
        *policy.problems(text),
    ]
    canonical = next((v.get("href") for t, v in given if t == "link" and v.get("rel") == "canonical"), None)
    addresses = tuple(dict.fromkeys(_addresses(given)))
    return _Read(frozenset(ids), twice, addresses, tuple(problems), canonical)


def _forbidden(tags: Iterable[Tag]) -> Iterator[str]:
    """Attributes that the policy of the site makes useless: styles and scripts inside a tag."""
    for tag, values in tags:
        for key in values:
            if key == "style" or key.startswith("on"):
                yield f"<{tag}> has the attribute {key}, which the content security policy forbids"


def _addresses(tags: Iterable[Tag]) -> Iterator[tuple[str, str]]:
    for tag, values in tags:
        for key, value in values.items():
            if key in _ADDRESSES:
                kind = _kind(tag, key, values.get("rel", ""))
                for address in _split(key, value):
                    yield kind, address


def _of_page(name: str, site: _Site) -> Iterator[LinkFinding]:
    page = site.pages[name]
    for problem in page.problems:
        yield LinkFinding(name, problem)
    for one in page.twice:
        yield LinkFinding(name, f"id {one!r} is used more than once")
    for kind, address in page.addresses:
        wrong = _problem(name, kind, address, site)
        if wrong:
            yield LinkFinding(name, wrong)


def _problem(name: str, kind: str, address: str, site: _Site) -> str | None:
    called = address.partition("?")[0] if address.startswith(_MAIL) else address
    if kind == "follow" and called in site.numbers:
        return None
    parts = _parts(address)
    if parts is None:
        return _no_address(address)
    if parts.scheme == "data" and kind == "load" and address.startswith("data:image/"):
        return None
    if parts.scheme or parts.netloc:
        if kind == "load":
            return _foreign(address)
        return None if parts.scheme == "https" and parts.netloc else f"link {address!r} is not https"
    target = _target(name, parts.path, site)
    if target is None:
        return f"{address!r} points to no file of this site"
    fragment = unquote(parts.fragment)
    if fragment and target in site.pages and fragment not in site.pages[target].ids and fragment != "top":
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


def _target(name: str, path: str, site: _Site) -> str | None:
    """The file that an address inside the site points to. Returns None if there is no such file."""
    if not path:
        return name
    base = dirname(name)
    if path.startswith("/"):
        if not path.startswith(site.root):
            return None
        base, path = "", path.removeprefix(site.root)
    whole = normpath(f"/{base}/{unquote(path)}").lstrip("/")
    if path.rsplit("/", maxsplit=1)[-1] in {"", ".", ".."}:
        whole = f"{whole}/index.html".lstrip("/")
    return whole if whole in site.files else None


def _of_sheet(name: str, text: str, site: _Site) -> Iterator[LinkFinding]:
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
        elif _target(name, parts.path, site) is None:
            yield LinkFinding(name, f"{address!r} points to no file of this site")
