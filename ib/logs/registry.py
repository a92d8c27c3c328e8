"""The table of the forms of logs. A form is one file in `ib.logs.forms` and one entry here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ib.logs.forms import (
    anthropic_calls,
    chatgpt,
    claude,
    inspect,
    langfuse,
    lmsys,
    messages,
    openai,
    openai_calls,
    otel,
    responses_calls,
    scout,
    sharegpt,
    transcript,
    wildchat,
)
from ib.logs.reading.form import Form
from ib.logs.reading.notes import kind_of

FORMS: Mapping[str, Form] = {
    form.name: form
    for form in (
        openai.FORM,
        sharegpt.FORM,
        wildchat.FORM,
        lmsys.FORM,
        messages.FORM,
        openai_calls.FORM,
        responses_calls.FORM,
        anthropic_calls.FORM,
        otel.FORM,
        langfuse.FORM,
        chatgpt.FORM,
        claude.FORM,
        inspect.FORM,
        scout.FORM,
        transcript.FORM,
    )
}
"""Every form by its name, in the order of the documentation."""
TRANSCRIPT = transcript.FORM
MESSAGES = messages.FORM
INSPECT = inspect.FORM


def forms_of(value: Any) -> Sequence[Form]:
    """The forms that a record may have, by its keys and never by a name; empty if it has no known form."""
    return [form for form in FORMS.values() if form.recognizes(value)]


def described(value: Any) -> str:
    """What a record of no known form is: for a mapping, its first keys."""
    if not isinstance(value, dict) or not value:
        return kind_of(value) if value else f"{kind_of(value)} that is empty"
    names = [f"`{str(key)[:40]}`" for key in list(value)[:8]]
    return f"the keys {', '.join(names)}{' and others' if len(value) > len(names) else ''}"


def known() -> str:
    """The forms that are read, for messages."""
    return f"known are {', '.join(form.title for form in FORMS.values())}; docs/import.md has their keys"
