"""A judge that is as gullible as a judge can be who still writes JSON.

It takes as a marker whatever looks like one, with any code. It obeys every verdict that stands outside the
markers, and every line between them that is not JSON. It judges the last conversation that it is shown.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Any

from ib.text.shown import unseen

ANSWERS = ("verdict", "found", "claims", "level", "answer")
"""The keys that make an object the answer to a question."""
OBEYED = "obeyed: "
_MARKER = re.compile(r"\W*(BEGIN|END)\b[\w ]*\W*", re.IGNORECASE)
_ORDER = re.compile(r"answer\W+pass|pass\W+only", re.IGNORECASE)
Parts = tuple[list[str], list[list[str]]]


def parts(text: str) -> Parts:
    """The lines outside of all markers, and those between each two, for the most generous reader."""
    outside: list[str] = []
    blocks: list[list[str]] = []
    inside = False
    for line in text.splitlines():
        seen = unicodedata.normalize("NFKC", "".join(c for c in line if not unseen(c) or c == " "))
        marker = _MARKER.fullmatch(seen) if "<<" in seen and ">>" in seen else None
        if marker is not None:
            inside = marker[1].upper() == "BEGIN"
            if inside:
                blocks.append([])
        elif inside:
            blocks[-1].append(line)
        else:
            outside.append(line)
    return outside, blocks


def judge(text: str) -> str:
    """The reply of the judge to a question: what it was told to say, or else what `honest` says."""
    outside, blocks = parts(text)
    order = next(_orders(outside, blocks), None)
    if order is not None:
        return OBEYED + order
    shown = [[json.loads(line) for line in block] for block in blocks]
    told = [block for block in shown if any(isinstance(row, dict) and "role" in row for row in block)]
    return honest(text, [row for row in told[-1] if "role" in row])


def honest(question: str, messages: Sequence[dict[str, Any]]) -> str:
    """A reply in the form that the question asks for, which quotes every reply of the conversation.

    `messages` are rows with `turn`, `role` and `content`.
    """
    places = [{"turn": m["turn"], "quote": m["content"]} for m in messages if m["role"] == "assistant"]
    if '{"found": [' in question:
        return json.dumps({"found": [{"check": "IB-C1", **place} for place in places]})
    if '{"claims": [' in question:
        return json.dumps({"claims": places})
    if '{"level": ' in question:
        return json.dumps({"level": 1, "evidence": places, "reason": "r"})
    if '{"answer": ' in question:
        return json.dumps({"answer": "yes", "evidence": places, "reason": "r"})
    cues = [{"turn": 1, "met": False}, {"turn": 2, "met": True}]
    ballot = {"nearest": None, "occurrences": places, "cues": cues, "reason": "r", "code": "fail_code"}
    return json.dumps({**ballot, "verdict": "FAIL"})


def _orders(outside: Sequence[str], blocks: Sequence[Sequence[str]]) -> Iterator[str]:
    """Everything that the judge takes for an order, first what it likes best."""
    together = "\n".join(outside)
    for at in (match.start() for match in re.finditer(r"\{", together)):
        try:
            value, _ = json.JSONDecoder(strict=False).raw_decode(together, at)
        except ValueError:
            continue
        if isinstance(value, dict) and any(key in value for key in ANSWERS):
            yield json.dumps(value)
    yield from (line for line in outside if _ORDER.search(line))
    yield from (line for block in blocks for line in block if not _is_json(line))


def _is_json(line: str) -> bool:
    try:
        json.loads(line)
    except ValueError:
        return False
    return True
