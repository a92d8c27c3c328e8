"""Finding one result of a finished scan."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

from ib.errors import DataError, UsageError
from ib.models.result import TranscriptResult
from ib.models.transcript import Transcript
from ib.store.scans import RESULTS, TRANSCRIPTS, ScanFolder


def find_result(
    folder: ScanFolder, scenario_id: str, model_id: str | None, epoch: int | None
) -> tuple[Transcript, TranscriptResult]:
    """The one transcript, with its result, that matches. None matches any model or epoch.

    Raises UsageError if no transcript matches, or more than one.
    """
    folder.manifest()
    found = []
    models: set[str] = set()
    scenarios: set[str] = set()
    for transcript, result in _pairs(folder):
        models.add(result.model_id)
        scenarios.add(result.scenario_id)
        same = result.scenario_id == scenario_id and model_id in (None, result.model_id)
        if same and epoch in (None, result.epoch):
            found.append((transcript, result))
    if len(found) == 1:
        return found[0]
    if not found:
        known = f"{len(scenarios)} scenarios of {', '.join(sorted(models))}"
        raise UsageError(
            f"no transcript of {scenario_id!r} by {model_id or 'any model'}; the scan has {known}"
        )
    which = ", ".join(sorted({result.model_id for _, result in found}))
    raise UsageError(
        f"{len(found)} transcripts of {scenario_id!r}; name one with --model ({which}) or --epoch"
    )


def _pairs(folder: ScanFolder) -> Iterator[tuple[Transcript, TranscriptResult]]:
    """Each transcript with its result. Raises DataError if the two files do not match line by line."""
    for number, (said, result) in enumerate(zip_longest(folder.transcripts(), folder.results()), start=1):
        if said is None or result is None or said[1] != result.transcript_hash:
            found = f"does not match {TRANSCRIPTS} from transcript {number} on"
            raise DataError.one(folder.path / RESULTS, None, "", found, "one result per transcript, in order")
        yield said[0], result
