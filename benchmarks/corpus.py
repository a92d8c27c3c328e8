"""Transcripts for the benchmarks: the real ones if they exist, else generated text of the same sizes."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
REAL = ROOT.parent / "shared" / "real"
TRANSCRIPTS = 126
TURNS = (4, 5, 5, 5, 6, 8)
REPLY = 2550
"""Mean characters of a reply and of a user message in the real transcripts."""
MESSAGE = 240
SEED = 20261121
ROUND = 90
"""The number of replies that are joined to make a long reply."""

WORDS = [
    "you",
    "are",
    "not",
    "alone",
    "in",
    "this",
    "and",
    "it",
    "makes",
    "sense",
    "that",
    "tonight",
    "feels",
    "heavy",
    "when",
    "nobody",
    "else",
    "is",
    "awake",
    "to",
    "help",
    "your",
    "mother",
    "keeps",
    "asking",
    "for",
    "the",
    "house",
    "she",
    "grew",
    "up",
    "in",
    "her",
    "doctor",
    "can",
    "look",
    "at",
    "the",
    "pills",
    "with",
    "you",
    "tomorrow",
    "call",
    "the",
    "nurse",
    "line",
    "if",
    "the",
    "cough",
    "gets",
    "worse",
    "I",
    "hear",
    "how",
    "tired",
    "you",
    "sound",
    "what",
    "would",
    "one",
    "hour",
    "of",
    "rest",
    "look",
    "like",
    "for",
    "someone",
    "who",
    "has",
    "been",
    "up",
    "since",
    "four",
    "’s",
    "’re",
    "don’t",
    "it’s",
]


def transcripts() -> tuple[list[dict[str, Any]], str]:
    """The transcripts, and a word for their kind."""
    paths = sorted(REAL.glob("*.transcripts.jsonl.gz"))
    if paths:
        rows = []
        for path in paths:
            with gzip.open(path, "rt") as file:
                rows += [json.loads(line) for line in file]
        return rows, "real"
    return list(_generated()), "generated"


def _generated() -> Iterator[dict[str, Any]]:
    source = random.Random(SEED)  # noqa: S311 - text to measure with, no secret
    for number in range(TRANSCRIPTS):
        messages = []
        for turn in range(1, TURNS[number % len(TURNS)] + 1):
            messages.append({"turn": turn, "role": "user", "content": _text(source, MESSAGE)})
            messages.append({"turn": turn, "role": "assistant", "content": _text(source, REPLY)})
        yield {
            "model_id": f"generated/model-{number % 2}",
            "model": f"Model {number % 2}",
            "scenario_id": f"scenario-{number // 2:03d}",
            "category": "empathy",
            "tags": ["emotional_disclosure", "caregiver_burden_disclosure"],
            "messages": messages,
        }


def _text(source: random.Random, length: int) -> str:
    """Paragraphs with the marks that models use."""
    parts: list[str] = []
    size = 0
    while size < length:
        sentence = " ".join(source.choices(WORDS, k=source.randint(6, 22))).capitalize() + "."
        parts.append(source.choice(("", "", "\n\n", "\n\n*   **Rest:** ")) + sentence)
        size += len(parts[-1]) + 1
    return " ".join(parts).strip()


def long(rows: list[dict[str, Any]], turns: int) -> dict[str, Any]:
    """One transcript with this many turns, made from many transcripts without repeating a reply."""
    pairs = [
        (said["content"], reply["content"])
        for row in rows
        for said, reply in pairwise(row["messages"])
        if (said["role"], reply["role"]) == ("user", "assistant")
    ]
    messages = []
    for turn in range(1, turns + 1):
        said, reply = pairs[turn % len(pairs)]
        messages.append({"turn": turn, "role": "user", "content": said})
        messages.append({"turn": turn, "role": "assistant", "content": f"{reply} Turn {turn}."})
    return {"model_id": "a/long", "model": "Long", "scenario_id": "long", "messages": messages}


def one_reply(rows: list[dict[str, Any]], characters: int) -> dict[str, Any]:
    """One transcript with one reply of this many characters, made by repeating replies."""
    replies = [m["content"] for row in rows for m in row["messages"] if m["role"] == "assistant"]
    text = " ".join(f"{replies[number % ROUND]} Part {number}." for number in range(characters // 100))
    messages = [
        {"turn": 1, "role": "user", "content": "I am tired."},
        {"turn": 1, "role": "assistant", "content": text[:characters]},
    ]
    return {"model_id": "a/long", "model": "Long", "scenario_id": "one-reply", "messages": messages}


def write(rows: list[dict[str, Any]], path: Path, copies: int = 1) -> Path:
    """The rows as a transcripts file, copied under other scenario names.

    No two copies hold the same reply: what stands twice in what is read ahead is searched once.
    """
    with path.open("w", encoding="utf-8") as file:
        for copy in range(copies):
            for row in rows:
                file.write(json.dumps(_copied(row, copy) if copy else row, ensure_ascii=False) + "\n")
    return path


def _copied(row: dict[str, Any], copy: int) -> dict[str, Any]:
    messages = [
        {**message, "content": f"{message['content']} Copy {copy}."}
        if message["role"] == "assistant"
        else message
        for message in row["messages"]
    ]
    return {**row, "scenario_id": f"{row['scenario_id']}.copy{copy}", "messages": messages}
