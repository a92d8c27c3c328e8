"""The commands of a page, as a reader would copy them."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

COMMENT = re.compile(r"(?:^|\s)#.*")
"""As a shell reads it: a number sign inside a word begins no comment."""


def blocks(page: str) -> list[str]:
    """The shell examples of a page."""
    return re.findall(r"^ *```sh\n(.*?)^ *```", page, re.DOTALL | re.MULTILINE)


def lines(block: str) -> Iterator[list[str]]:
    """The commands of a shell example, each as words."""
    for line in block.replace("\\\n", " ").splitlines():
        words = shlex.split(COMMENT.sub("", line))
        if words:
            yield words


def commands(page: str) -> Iterator[list[str]]:
    """The `ib` commands of every shell example of a page, in order and without `ib`."""
    for block in blocks(page):
        yield from (words[1:] for words in lines(block) if words[0] == "ib")


def spread(words: Sequence[str]) -> list[str]:
    """The words, with the files of the current folder in place of a pattern, as a shell gives them."""
    return [one for word in words for one in (sorted(map(str, Path().glob(word))) if "*" in word else [word])]
