"""Parse HTML in tests: the elements of a page with their attributes and text."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"area", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}


@dataclass
class Element:
    """An HTML element with its contents."""

    tag: str
    attrs: dict[str, str]
    parts: list[str | Element] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The text of the element, as `textContent` in a browser."""
        return "".join(part if isinstance(part, str) else part.text for part in self.parts)

    def all(self, tag: str = "", css_class: str = "") -> list[Element]:
        """The elements inside, in document order, filtered by tag or class."""
        found = []
        for part in self.parts:
            if isinstance(part, Element):
                fits = tag in {"", part.tag} and (not css_class or css_class in part.classes)
                found += [part] if fits else []
                found += part.all(tag, css_class)
        return found

    @property
    def classes(self) -> list[str]:
        return self.attrs.get("class", "").split()


class _Parser(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open = [Element("", {})]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, {key: value or "" for key, value in attrs})
        self.open[-1].parts.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_endtag(self, tag: str) -> None:
        if tag in VOID:
            return
        assert self.open[-1].tag == tag, f"</{tag}> closes <{self.open[-1].tag}>"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        self.open[-1].parts.append(data)

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data!r}")


def read(html: str) -> Element:
    """The tree of an HTML fragment. Raises AssertionError if elements are not well nested."""
    parser = _Parser()
    parser.feed(html)
    parser.close()
    assert len(parser.open) == 1, f"<{parser.open[-1].tag}> is not closed"
    return parser.open[0]


def body(markdown: str) -> str:
    """A page of the build folder without its front matter."""
    return markdown.split("---\n", 2)[2].strip()


UNSEEN = ("ib-hidden", "ib-canary", "ib-off")
"""Classes of what no reader sees."""


def unfolded(element: Element) -> list[str]:
    """The words that a reader sees before a fold is opened. Of a closed fold, its summary is seen."""
    closed = element.tag == "details" and "open" not in element.attrs
    found: list[str] = []
    for part in element.parts:
        if isinstance(part, str):
            found += [] if closed else part.split()
        elif part.tag not in {"title", "desc", "script", "style"} and not set(UNSEEN) & set(part.classes):
            found += unfolded(part) if part.tag == "summary" or not closed else []
    return found
