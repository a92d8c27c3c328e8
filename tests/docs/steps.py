"""The commands of a page, as a reader would copy them."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator


def commands(page: str) -> Iterator[list[str]]:
    """The `ib` commands of every shell example of a page, in order and without `ib`."""
    for block in re.findall(r"```sh\n(.*?)```", page, re.DOTALL):
        for line in block.replace("\\\n", " ").splitlines():
            words = shlex.split(line, comments=True)
            if words and words[0] == "ib":
                yield words[1:]
