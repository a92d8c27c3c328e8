"""Inspect's `.eval`: a ZIP in which each sample of a log is a member of its own.

Its bytes depend on the log alone: the members have the order in which Inspect writes them, the time of the
release, and one way of packing, which every reader of ZIP knows.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from ib.models.common.canonical import compact

LEVEL = 9
"""How hard zlib tries. A log is written once, and read and sent often."""
UNIX = 3
"""The system that a member names as its maker, whichever one wrote it."""
LONGEST = 5120
"""A summary has at most so many characters of a sample's input, as in the logs that Inspect writes."""
CUT = "...\n(content truncated)"
"""What Inspect puts after an input that was cut."""


def packed(log: Mapping[str, Any], samples: Iterable[dict[str, Any]], at: datetime) -> bytes:
    """The bytes of an `.eval` file: a log without its samples, and the samples one after the other.

    Only one sample is in memory unpacked. `at` is the time of every member, without fractions of a second.
    """
    data = io.BytesIO()
    summaries = []
    with zipfile.ZipFile(data, "w") as archive:
        start = {key: log[key] for key in ("version", "eval", "plan")}
        _add(archive, "_journal/start.json", start, at)
        for sample in samples:
            _add(archive, f"samples/{sample['id']}_epoch_{sample['epoch']}.json", sample, at)
            summaries.append(_summary(sample))
        _add(archive, "_journal/summaries/1.json", summaries, at)
        _add(archive, "summaries.json", summaries, at)
        _add(archive, "header.json", log, at)
    return data.getvalue()


def _add(archive: zipfile.ZipFile, name: str, value: object, at: datetime) -> None:
    member = zipfile.ZipInfo(name, (at.year, at.month, at.day, at.hour, at.minute, at.second))
    member.create_system = UNIX
    archive.writestr(member, compact(value), zipfile.ZIP_DEFLATED, LEVEL)


def _summary(sample: Mapping[str, Any]) -> dict[str, Any]:
    """What lists of samples show: the verdicts and the gates, without messages and evidence."""
    said = sample["input"]
    return {
        "id": sample["id"],
        "epoch": sample["epoch"],
        "input": said if len(said) <= LONGEST else said[:LONGEST] + CUT,
        "target": sample["target"],
        "metadata": _small(sample["metadata"]),
        "scores": {
            name: {**score, "metadata": _small(score["metadata"])} for name, score in sample["scores"].items()
        },
        "completed": True,
        "message_count": len(sample["messages"]),
    }


def _small(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """The part of metadata that does not grow with a conversation."""
    return {key: metadata[key] for key in ("gates", "transcript_hash") if key in metadata}
