"""The family of a model, by its name: models of one maker are trained alike and share their mistakes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from ib.models.scan.judge import JudgeSpec

MAKERS: Mapping[str, tuple[str, ...]] = {
    "OpenAI": ("gpt", "chatgpt", "o1", "o3", "o4"),
    "Anthropic": ("claude",),
    "Google": ("gemini", "gemma"),
    "Meta": ("llama",),
    "Mistral": ("mistral", "mixtral", "magistral", "ministral", "codestral", "devstral", "pixtral"),
    "Alibaba": ("qwen", "qwq"),
    "DeepSeek": ("deepseek",),
    "Cohere": ("command", "aya"),
    "xAI": ("grok",),
    "Microsoft": ("phi",),
    "Amazon": ("nova",),
}
"""The words in the names of each maker's models. A model of one maker may be served by many providers."""
_WORDS = re.compile(r"(?<![a-z0-9])o\d|[a-z]+")
_MAKER_OF = {word: maker for maker, words in MAKERS.items() for word in words}


def family(name: str) -> tuple[str, str]:
    """The family of a model: its maker, if a word of the name tells it; else its provider and first word.

    A maker is given without a provider.
    """
    provider, _, bare = name.lower().rpartition("/")
    words = _WORDS.findall(bare)
    maker = next((_MAKER_OF[word] for word in words if word in _MAKER_OF), None)
    return ("", maker) if maker else (provider, words[0] if words else bare)


def shared_family(one: JudgeSpec, other: JudgeSpec) -> str | None:
    """Why two judges are of one family, in words; None if they are not.

    Every judge of a recording counts. Two judges of the same name, apart from the provider, are of one
    family, and so are two recordings of unknown judges.
    """
    return next((why for a in _names(one) for b in _names(other) if (why := _shared(a, b))), None)


def _names(spec: JudgeSpec) -> Iterator[str]:
    yield from spec.judges or (spec.model,)


def _shared(one: str, other: str) -> str | None:
    if one.lower().rpartition("/")[2] == other.lower().rpartition("/")[2]:
        return f"both are {other.rpartition('/')[2]}"
    provider, word = family(one)
    if (provider, word) != family(other):
        return None
    if not provider and word in MAKERS:
        return f"{one} and {other} are both models of {word}"
    return f"{one} and {other} have the same provider and begin with the same word"
