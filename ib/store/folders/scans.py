"""The folder of a scan: the names of its files, and reading them with validation."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import orjson
from pydantic import BaseModel

from ib.errors import DataError
from ib.models.conversation.transcript import Transcript, line_hash
from ib.models.scan.part import SampledConversation
from ib.models.scan.plan import CostReport, ScanManifest, ScanPlan
from ib.models.scan.result import TranscriptResult
from ib.store.files.reading import raw_lines
from ib.store.files.validation import load_json, model_of_line

if TYPE_CHECKING:
    from ib.models.exam.report import Outcome
    from ib.models.scan.over_alarm import OverAlarm
    from ib.models.scan.supplement import Supplement

Model = TypeVar("Model", bound=BaseModel)

PLAN = "scan_plan.json"
MANIFEST = "scan_manifest.json"
COST = "cost_report.json"
TRANSCRIPTS = "transcripts.jsonl"
REPLIES = "replies.jsonl"
RESULTS = "results.jsonl"
BLINDSPOT = "blindspot.json"
ADJUDICATIONS = "adjudications.jsonl"
CONTRADICTIONS = "contradictions.jsonl"
SUMMARY = "summary.md"
SUPPLEMENT = "supplement.jsonl"
OVER_ALARM = "over_alarm.jsonl"
SECOND_REPLIES = "second_replies.jsonl"
SECOND = "second.jsonl"
SENTINELS = "sentinels.jsonl"
"""What the judge said of exam items among the questions. Scans without them have no such file."""
SENTINEL_REPLIES = "sentinel_replies.jsonl"
SAMPLE = "sample.jsonl"
"""What was drawn, in a sampled scan. Other scans have no such file."""
REVIEWS = "reviews.jsonl"
"""What people decided, in a scan that `ib review apply` made. Other scans have no such file."""
SOURCES = "sources.json"
"""The scans of its models, in a scan that `ib publish` joined. Other scans have no such file."""
WITHHOLD = "withhold.jsonl"
"""What people decided about replies that a release withholds. It is written after the scan, and is no
artifact of it; scans without decisions have no such file."""
REQUIRED = (
    *(PLAN, COST, TRANSCRIPTS, REPLIES, RESULTS, SUPPLEMENT, OVER_ALARM),
    *(BLINDSPOT, ADJUDICATIONS, CONTRADICTIONS, SUMMARY),
)
"""The files of every complete scan, apart from the manifest."""


def required(plan: ScanPlan) -> tuple[str, ...]:
    """The files of a complete scan of a plan, apart from the manifest."""
    second = () if plan.second is None else (SECOND_REPLIES, SECOND)
    sentinels = () if plan.sentinels is None else (SENTINEL_REPLIES, SENTINELS)
    return (*REQUIRED, *second, *sentinels, *(() if plan.sample is None else (SAMPLE,)))


@dataclass(frozen=True)
class ScanFolder:
    """A scan on disk. Only a complete scan has a manifest."""

    path: Path

    def __post_init__(self) -> None:
        object.__setattr__(self, "path", Path(self.path))  # callers may give a string

    def plan(self) -> ScanPlan:
        return load_json(ScanPlan, self.path / PLAN)

    def plan_hash(self) -> str:
        return file_hash(self.path / PLAN)

    def manifest(self) -> ScanManifest:
        """The manifest. Raises DataError if the scan is not complete."""
        path = self.path / MANIFEST
        if not path.is_file():
            found = "no such file, so the folder holds no complete scan"
            hint = (
                "name the folder of a finished scan, or finish it: `ib scan --resume`, with the same options"
            )
            raise DataError.one(path, None, "", found, hint)
        return load_json(ScanManifest, path)

    def judging_usd(self) -> float | None:
        """What the calls to the judge cost in US dollars, over all sessions of the scan.

        Returns None if nothing was paid, if the cost of a call is unknown, or if there is no cost report.
        """
        path = self.path / COST
        report = load_json(CostReport, path) if path.is_file() else None
        return None if report is None else report.spent_usd or None

    def blindspot(self) -> dict[str, Any]:
        """The counts for each model and check, as `blindspot.json` has them."""
        value: dict[str, Any] = orjson.loads((self.path / BLINDSPOT).read_bytes())
        return value

    def results(self) -> Iterator[TranscriptResult]:
        """The results, in plan order."""
        return load_lines(TranscriptResult, self.path / RESULTS)

    def sample(self) -> tuple[SampledConversation, ...]:
        """What was drawn of the logs of a sampled scan, in plan order."""
        return tuple(load_lines(SampledConversation, self.path / SAMPLE))

    def sentinels(self) -> tuple[Outcome, ...]:
        """What the judge said of exam items among the questions; empty if there are none."""
        from ib.models.exam.report import Outcome

        path = self.path / SENTINELS
        return tuple(load_lines(Outcome, path)) if path.exists() else ()

    def supplements(self) -> Iterator[Supplement]:
        """The supplementary measures, in plan order. Empty for profiles that ask no judge."""
        from ib.models.scan.supplement import Supplement

        return load_lines(Supplement, self.path / SUPPLEMENT)

    def over_alarms(self) -> Iterator[OverAlarm]:
        """Over-alarm of the plays of safe twins, in plan order. Empty if there are none."""
        from ib.models.scan.over_alarm import OverAlarm

        return load_lines(OverAlarm, self.path / OVER_ALARM)

    def transcripts(self) -> Iterator[tuple[Transcript, str]]:
        """The transcripts, each with the hash of its line on disk."""
        path = self.path / TRANSCRIPTS
        for number, line in raw_lines(path, str(path)):
            parsed = model_of_line(Transcript, line, str(path), number)
            if not isinstance(parsed, Transcript):
                raise DataError(parsed)
            yield parsed, line_hash(line.rstrip(b"\n"))

    def file_hashes(self) -> dict[str, str]:
        """The hash of every artifact except the manifest, by file name."""
        return file_hashes(self.path, MANIFEST)


def file_hash(path: Path) -> str:
    """The SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def file_hashes(folder: Path, manifest: str) -> dict[str, str]:
    """The hash of every file in a folder, by file name, except the manifest, hidden files and decisions about
    replies, which are made afterward."""
    return {
        file.name: file_hash(file)
        for file in sorted(folder.iterdir())
        if file.is_file() and not file.name.startswith(".") and file.name not in (manifest, WITHHOLD)
    }


def load_lines(model: type[Model], path: Path) -> Iterator[Model]:
    """The lines of a JSONL file as models. Raises DataError at the first invalid line."""
    for number, line in raw_lines(path, str(path)):
        parsed = model_of_line(model, line, str(path), number)
        if isinstance(parsed, list):
            raise DataError(parsed)
        yield parsed


def bytes_hash(data: bytes) -> str:
    """The SHA-256 of the bytes of a file."""
    return hashlib.sha256(data).hexdigest()
