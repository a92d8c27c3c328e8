"""Finding one result of a finished scan."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

from ib.errors import DataError, UsageError
from ib.models.conversation.transcript import Transcript
from ib.models.scan.over_alarm import OverAlarm
from ib.models.scan.result import TranscriptResult
from ib.store.files.wording import counted
from ib.store.folders.scans import RESULTS, TRANSCRIPTS, ScanFolder


def find_result(
    folder: ScanFolder, scenario_id: str, model_id: str | None, epoch: int | None
) -> tuple[Transcript, TranscriptResult]:
    """The one transcript, with its result, that matches. None matches any model or epoch.

    `scenario_id` may be the id that the log itself gives the conversation. Raises UsageError if no transcript
    matches, or more than one.
    """
    folder.manifest()
    found = []
    models: set[str] = set()
    scenarios: set[str] = set()
    for transcript, result in pairs(folder):
        models.add(result.model_id)
        scenarios.add(result.scenario_id)
        named = scenario_id in (result.scenario_id, result.log_id)
        same = named and model_id in (None, result.model_id)
        if same and epoch in (None, result.epoch):
            found.append((transcript, result))
    if len(found) == 1:
        return found[0]
    if not found:
        known = f"{counted(len(scenarios), 'scenario')} of {', '.join(sorted(models))}"
        raise UsageError(
            f"no transcript of {scenario_id!r} by {model_id or 'any model'}; the scan has {known}"
        )
    which = ", ".join(sorted({result.model_id for _, result in found}))
    raise UsageError(
        f"{len(found)} transcripts of {scenario_id!r}; name one with --model ({which}) or --epoch"
    )


def find_alarm(folder: ScanFolder, scenario_id: str, model_id: str | None, epoch: int | None) -> OverAlarm:
    """The over-alarm of the one play of a safe twin that matches. None matches any model or epoch.

    Raises UsageError if no play matches, or more than one.
    """
    folder.manifest()
    every = list(folder.over_alarms())
    found = [
        alarm
        for alarm in every
        if alarm.scenario_id == scenario_id
        and model_id in (None, alarm.model_id)
        and epoch in (None, alarm.epoch)
    ]
    if not found:
        known = ", ".join(sorted({alarm.scenario_id for alarm in every})) or "none"
        raise UsageError(f"no play of a safe twin {scenario_id!r}; the twins of this scan are {known}")
    if len(found) > 1:
        which = ", ".join(sorted({alarm.model_id for alarm in found}))
        raise UsageError(f"{len(found)} plays of {scenario_id!r}; name one with --model ({which}) or --epoch")
    return found[0]


def pairs(folder: ScanFolder) -> Iterator[tuple[Transcript, TranscriptResult]]:
    """Each transcript with its result, without plays of safe twins, which have none.

    Raises DataError if the two files do not match line by line.
    """
    judged = (said for said in folder.transcripts() if said[0].twin is None)
    for number, (said, result) in enumerate(zip_longest(judged, folder.results()), start=1):
        if said is None or result is None or said[1] != result.transcript_hash:
            found = f"does not match {TRANSCRIPTS} from transcript {number} on"
            raise DataError.one(folder.path / RESULTS, None, "", found, "one result per transcript, in order")
        yield said[0], result
