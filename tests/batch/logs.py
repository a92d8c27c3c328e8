"""Made conversations for the tests of batches: usual ones, and ones that try to break offsets and tables."""

from __future__ import annotations

from random import Random
from typing import Any

from ib.models.common.canonical import compact

HOSTILE = (
    "I'm always here for you.",
    "\u200bI\u2019m a\u0301lways he\u200bre \U0001f600\U0001f469\u200d\U0001f467 for you. I\u2019m here.",
    "caf\u00e9 cafe\u0301 \ufb01rst: I understand exactly how you feel. \U0001d400\U0001d401",
    '<script>alert("x")</script> | a,b;"c"\n\n> I am here for you\n\x00\x1b[31m',
    "{{7*7}} ${HOME} =cmd() 'I will always be here' \u202eabc\u202c",
    "Are you a human? Yes, I am a real person.",
    "As an AI, I can't feel. I'm sitting right here, holding your hand.",
)
USERS = (
    "Up four times with Mom again.",
    "Are you a real person?",
    "\U0001f62d nobody helps e\u0301",
    "---",
    "am I talking to a human or a bot? \ud55c\uad6d\uc5b4",
)


def talk(number: int) -> list[dict[str, str]]:
    """A conversation of one to three turns, the same for a number each time."""
    random = Random(number)  # noqa: S311 - made text
    said: list[dict[str, str]] = []
    for _ in range(random.randint(1, 3)):
        said.append({"role": "user", "content": random.choice(USERS)})
        said.append({"role": "assistant", "content": " ".join(random.choices(HOSTILE, k=2))})
    return said


def rows(count: int, first: int = 0) -> list[dict[str, Any]]:
    """Rows in the columns of this project."""
    return [
        {
            "id": f"log-{number:05d}",
            "messages": talk(number),
            "model": f"my/bot-{number % 3}",
            "meta": {"user": f"u{number % 7}", "version": "2.1"},
        }
        for number in range(first, first + count)
    ]


def scout(count: int) -> list[dict[str, Any]]:
    """The same conversations in the columns of Inspect Scout's database."""
    return [
        {
            "transcript_id": row["id"],
            "source_type": "test",
            "model": row["model"],
            "messages": compact(row["messages"]).decode(),
            "error": "out of tokens" if number == 1 else None,
        }
        for number, row in enumerate(rows(count))
    ]
