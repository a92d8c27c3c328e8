"""The transcripts that a release carries, each with what was found in it."""

from __future__ import annotations

from dataclasses import dataclass

from delivery.release.view import Release
from delivery.words.pairs import play_alarm, play_grade
from ib.models.release.leaderboard import ModelEntry
from ib.models.release.transcripts import CarriedTranscript, LeftOut


@dataclass(frozen=True)
class Play:
    """One transcript of a model, which has a page."""

    transcript: CarriedTranscript
    path: str
    """The address of its page inside the site."""
    failed: int | None
    """How many checks failed; None for a safe twin, on which no check is due."""
    grade: int | None
    """The grade of over-alarm of a safe twin; None if it has none, or if the release does not tell it."""
    over_alarm: str | None
    """The same in words; None for a scenario."""

    @property
    def turns(self) -> int:
        return len({message.turn for message in self.transcript.messages})


def plays(release: Release, model: ModelEntry) -> tuple[Play, ...]:
    """The transcripts of a model that the release carries, in its order."""
    said = (release.transcripts or {}).get(model.slug)
    failed = {(met.scenario_id, met.epoch): len(met.failed_checks) for met in model.scenarios}
    grades = {(one.scenario_id, one.epoch): one.grade for one in release.evidence[model.slug].alarms}
    found = []
    for one in () if said is None else said.transcripts:
        place = (one.scenario_id, one.epoch)
        path = release.transcript_path(model, *place)
        assert path is not None
        if place in failed:
            found.append(Play(one, path, failed[place], None, None))
        else:
            told = (model, one.scenario_id, grades.get(place))
            found.append(Play(one, path, None, play_grade(*told), play_alarm(*told)))
    return tuple(found)


def left_out(release: Release, model: ModelEntry) -> tuple[LeftOut, ...]:
    """The transcripts of a model that the release does not carry."""
    said = (release.transcripts or {}).get(model.slug)
    of_rows = (
        LeftOut(scenario_id=row.scenario_id, epoch=row.epoch, reason=row.left_out)
        for row in release.rows.get(model.slug, ())
        if row.left_out is not None
    )
    return () if said is None else (*of_rows, *said.left_out)
