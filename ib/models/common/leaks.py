"""The known forms of keys and machine paths, which must not be published."""

from __future__ import annotations

from ib.models.common.base import Record, Slug, Text

Parts = tuple[str, ...]
"""A text in pieces, joined for use. In one piece, an example would look like a leaked key itself."""


class LeakForm(Record):
    """A form of key or path, with examples and near misses."""

    name: Slug
    """The name of the form; findings name it in place of the key."""
    pattern: Text
    """A regular expression in RE2 syntax; case matters."""
    needs: tuple[Text, ...] = ()
    """Patterns that must each occur in the text that `pattern` matched."""
    unless: tuple[Text, ...] = ()
    """Patterns that must not occur in it, such as a provider's documented example."""
    examples: tuple[Parts, ...]
    """Texts in which this form is found."""
    near: tuple[Parts, ...] = ()
    """Texts in which no form is found."""


class LeakForms(Record):
    """All forms. They do not affect verdicts, so a change does not change the benchmark hash."""

    keys: tuple[LeakForm, ...]
    """Forms of access keys."""
    machines: tuple[LeakForm, ...]
    """Forms of paths that name a machine or a user."""
