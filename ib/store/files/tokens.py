"""Counting the tokens of texts without a network, with the tokenizer that litellm brings.

It is the one of OpenAI's models (o200k_base). Other providers count other tokens: an estimate names the
tokenizer. Where litellm does not bring it, four characters count as a token.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

ENCODING = "o200k_base"
FILES = "litellm_core_utils/tokenizers"
LONGEST_RUN = 2_000
"""Characters without a space are counted in pieces of this length, because a longer run takes a long time."""
KEPT = 100_000
"""The number of lines whose tokens are remembered."""


@dataclass
class TokenCounter:
    """Counts the tokens of a line. Lines that come again are counted once."""

    name: str
    """How tokens are counted, in words."""
    encode: Callable[[str], int]
    _known: dict[str, int] = field(default_factory=dict)

    def __call__(self, line: str) -> int:
        known = self._known.get(line)
        if known is None:
            if len(self._known) >= KEPT:
                self._known.clear()
            known = self._known[line] = self.encode(line)
        return known


def token_counter() -> TokenCounter:
    """The tokenizer, which takes half a second to load."""
    folder = _folder()
    if folder is None:
        return TokenCounter("4 characters a token", lambda text: -(-len(text) // 4))
    before = os.environ.get("TIKTOKEN_CACHE_DIR")
    os.environ["TIKTOKEN_CACHE_DIR"] = str(folder)  # else the tokenizer is fetched from the network
    try:
        import tiktoken

        encoding = tiktoken.get_encoding(ENCODING)
    finally:
        if before is None:
            del os.environ["TIKTOKEN_CACHE_DIR"]
        else:
            os.environ["TIKTOKEN_CACHE_DIR"] = before
    return TokenCounter(
        ENCODING, lambda text: sum(len(encoding.encode_ordinary(piece)) for piece in _pieces(text))
    )


def _folder() -> Path | None:
    """The folder of litellm's tokenizer files, if it has any. litellm itself is not imported."""
    spec = find_spec("litellm")
    if spec is None or spec.origin is None:
        return None
    folder = Path(spec.origin).parent / FILES
    return folder if folder.is_dir() and any(folder.iterdir()) else None


def _pieces(text: str) -> list[str]:
    """The text, in pieces if it has a long run of characters without a space."""
    if len(text) <= LONGEST_RUN or max(map(len, text.split()), default=0) <= LONGEST_RUN:
        return [text]
    return [text[at : at + LONGEST_RUN] for at in range(0, len(text), LONGEST_RUN)]
