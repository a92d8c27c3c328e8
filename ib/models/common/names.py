"""What the name of a model says: its family, or that it does not fix a model, such as a preview."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Moving:
    """A form of names behind which the model can change."""

    pattern: re.Pattern[str]
    """Occurs in such a name, without its provider."""
    fixed: re.Pattern[str] | None
    """Occurs in a name of this form that fixes the version."""
    because: str


def _moving(pattern: str, fixed: str | None, because: str) -> Moving:
    return Moving(re.compile(pattern), None if fixed is None else re.compile(fixed), because)


DATED = "the provider has names with a date, which do not move"
NUMBERED = "the provider has names with a number, which do not move"
PREVIEW = "it is a preview, which can change or end"
FORMS = (
    _moving(r"(?:^|[-:_.])latest$", None, "it moves to each new version"),
    _moving(
        r"(?:^|[-_.])(?:preview|experimental|exp|beta|alpha)(?:$|[-_.\d])",
        None,
        PREVIEW,
    ),
    _moving(r"^(?:chatgpt-|gpt-[345]|o[134](?:-|$))", r"\d{4}-\d{2}-\d{2}|-\d{4}(?:-|$)", DATED),
    _moving(r"^claude-(?:[23]|(?:opus|sonnet|haiku)-4(?:-[015])?$)", r"20\d{6}|^claude-2", DATED),
    _moving(r"^gemini-(?:1\.[05]|2\.0)-", r"-00\d$", NUMBERED),
    _moving(r"^(?:mistral|magistral)-(?:tiny|small|medium|large)$", None, DATED),
    _moving(r"^grok-\d", r"-\d{4}$", DATED),
    _moving(r"^deepseek-(?:chat|reasoner)$", None, "it moves to each new version"),
    _moving(r"^command-r(?:-plus|7b)?$", None, DATED),
)
"""The forms. What a provider has retired is not among them: that changes, and a call says so."""


def is_claude(name: str) -> bool:
    """True if a name such as `anthropic/claude-opus-4-6` is that of a Claude model, at whatever provider."""
    return name.startswith("anthropic/") or "claude" in name.lower()


def why_moving(name: str) -> str | None:
    """Why the model behind a name such as `openai/gpt-4o` can change; None if no form says so."""
    bare = name.rsplit("/", 1)[-1].lower()
    for form in FORMS:
        if form.pattern.search(bare) and not (form.fixed and form.fixed.search(bare)):
            return form.because
    return None


def moving_notice(name: str) -> str | None:
    """A notice about a name that does not fix a model; None if there is nothing to say."""
    because = why_moving(name)
    return None if because is None else f"the name {name} does not fix a model: {because}"
