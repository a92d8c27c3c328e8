"""A transcript of this project, which is kept as it is."""

from __future__ import annotations

from typing import Any

from ib.logs.forms.openai import OWN
from ib.logs.reading.form import Form


def _recognizes(value: Any) -> bool:
    return isinstance(value, dict) and "messages" in value and bool(value.keys() & OWN)


FORM = Form(
    name="transcript",
    title="transcripts of this project",
    shape='{"model_id": "...", "scenario_id": "...", "messages": [...]}',
    keys=("every key of a transcript",),
    recognizes=_recognizes,
)
