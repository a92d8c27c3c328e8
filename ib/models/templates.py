"""Templates of prompts: text with placeholders such as `$messages`, checked before any is filled in."""

from __future__ import annotations

from string import Template

from pydantic import AfterValidator

NONCE = "nonce"


def placeholders(*known: str, needed: str | None = None, quoted: str | None = None) -> AfterValidator:
    """Accept a template whose placeholders are all `known`.

    `needed` must stand in it. `quoted` is filled with text of the people or models under study: it must
    stand between two lines with `$nonce`, which mark where that text begins and ends.
    """

    def checked(text: str) -> str:
        template = Template(text)
        if not template.is_valid():
            raise ValueError("a `$` that begins no placeholder; write `$$` for the character itself")
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


def _marked(text: str, quoted: str) -> None:
    """ValueError unless a placeholder stands between a begin marker and an end marker."""
    whole = Template(text).safe_substitute({quoted: "\0", NONCE: "\1"})
    before, _, after = whole.partition("\0")
    if "\1" not in before:
        raise ValueError(f"the begin marker is missing: a line with $nonce before ${quoted}")
    if "\1" not in after:
        raise ValueError(f"the end marker is missing: a line with $nonce after ${quoted}")
