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
    """The transcript and the result that are meant.

    Raises UsageError where there is none, or more than one.
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
            f"no transcript of {scenario_id!r} for {model_id or 'any model'}; the scan holds {known}"
        )
    which = ", ".join(sorted({result.model_id for _, result in found}))
    raise UsageError(
        f"{len(found)} transcripts of {scenario_id!r}; name one with --model ({which}) or --epoch"
    )


def _pairs(folder: ScanFolder) -> Iterator[tuple[Transcript, TranscriptResult]]:
    """Each transcript with its result; DataError where the two files are not in step."""
    for number, (said, result) in enumerate(zip_longest(folder.transcripts(), folder.results()), start=1):
        if said is None or result is None or said[1] != result.transcript_hash:
            found = f"is not in step with {TRANSCRIPTS} from the transcript {number} on"
            raise DataError.one(folder.path / RESULTS, None, "", found, "one result for each, in its order")
        yield said[0], result
