"""Templates of prompts: text with placeholders such as `$messages`, validated when loaded."""

from __future__ import annotations

from enum import StrEnum
from string import Template

from pydantic import AfterValidator

NONCE = "nonce"


def placeholders(*known: str, needed: str | None = None, quoted: str | None = None) -> AfterValidator:
    """A validator of templates that accepts only the `known` placeholders.

    The template must contain `needed`. If `quoted` is given, it stands for text of people or models, and
    must be between two lines with `$nonce`, which mark the begin and the end of that text.
    """

    def checked(text: str) -> str:
        template = Template(text)
        if not template.is_valid():
            raise ValueError("a `$` without a placeholder; write `$$` for a dollar sign")
        named = template.get_identifiers()
        listed = ", ".join(f"${name}" for name in known) or "none"
        for name in named:
            if name not in known:
                raise ValueError(f"unknown placeholder ${name}; this part has {listed}")
        if needed is not None and needed not in named:
            raise ValueError(f"placeholder ${needed} is missing")
        if quoted in named:
            _marked(text, str(quoted))
        return text

    return AfterValidator(checked)


def complete(kind: type[StrEnum]) -> AfterValidator:
    """A validator of mappings that accepts only one with a text for every member of `kind`."""

    def checked(texts: dict[str, str]) -> dict[str, str]:
        missing = ", ".join(member.value for member in kind if member not in texts)
        if missing:
            raise ValueError(f"there is no text for {missing}")
        return texts

    return AfterValidator(checked)


def _marked(text: str, quoted: str) -> None:
    """Raise ValueError unless the placeholder is between a begin marker and an end marker."""
    whole = Template(text).safe_substitute({quoted: "\0", NONCE: "\1"})
    before, _, after = whole.partition("\0")
    if "\1" not in before:
        raise ValueError(f"the begin marker is missing: a line with $nonce before ${quoted}")
    if "\1" not in after:
        raise ValueError(f"the end marker is missing: a line with $nonce after ${quoted}")
