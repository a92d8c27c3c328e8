"""Replaying the source of a release. Conversations without words are counted as the source states them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping

from ib.board.evidence.holding import held_problems
from ib.board.evidence.items import alarm_item, evidence_items
from ib.board.evidence.stated import problems, same_evidence
from ib.engine.second import ChangedRow, Compared
from ib.models.common.base import Carrying
from ib.models.conversation.transcript import Provenance
from ib.models.release.pairs import AlarmItem
from ib.models.release.source import StatedSecond, WithheldConversation, WithheldReason
from ib.models.release.transcripts import CarriedTranscript, LeftOutReason
from ib.models.scan.plan import PlannedCheck, PlannedTranscript, ScanPlan
from ib.pipeline.release.replay import Replay
from ib.pipeline.release.replayed import ReplayedScan
from ib.pipeline.release.sourced import SourceReading, named
from ib.scenario.drawing import DrawKey
from ib.store.benchmark.drawing import known_keys
from ib.store.folders import scans


class SourceReplay(Replay):
    """The replay of a source."""

    def __init__(self, reading: SourceReading) -> None:
        super().__init__(reading, Carrying.ALL)  # what is whole in the source is carried
        self.source = reading
        self._plays: Mapping[tuple[str, str, int], PlannedTranscript] = {
            planned.played: planned for planned in self.plan.transcripts
        }

    def key_of_draw(self, given: DrawKey | None) -> DrawKey | None:
        """No key is needed: a source has no word of a private draw."""
        known = {key.hash: key for key in known_keys(self.reading.root)}
        return known.get(self.plan.draw or "")

    def run(self) -> ReplayedScan:
        """The scan as recomputed. Reviews are taken as stated if a conversation is withheld."""
        replayed = dataclasses.replace(super().run(), source=self.source.packed, gap=self.source.gap)
        if self.source.trimmed:  # a result has the metadata of its conversation, which is left out
            derived = {name: one for name, one in replayed.derived.items() if name != scans.RESULTS}
            replayed = dataclasses.replace(replayed, derived=derived)
        if not self.source.withheld:
            return replayed
        published = self.source.published
        replayed = dataclasses.replace(replayed, derived={})
        withheld = {name: published.withheld(name, self.source.withheld) for name in published.evidence}
        return dataclasses.replace(replayed, standing=None, reviews=published.reviews, withheld=withheld)

    def before(self, key: tuple[str, str, int] | None) -> None:
        for one in self.source.before(key):
            self._count_stated(one)
            for problem in self._problems(one):
                self.source.misfits.append(f"{named(one)}: {problem}")
        if key is None and self.source.withheld:
            self.reviewed = None  # reviews of what is withheld cannot be held against its words

    def _count_stated(self, one: WithheldConversation) -> None:
        known = {"harness": one.harness, "served_model": one.served_model}
        self.inspection.origin(Provenance(**known, system_prompt_hash=one.system_prompt_hash))
        self.likeness.state(one.model_id, one.alike)
        if one.played in self._plays:
            self.planned.append(self._plays[one.played])
        if one.result is not None:
            self.inspection.compare(one.result, one.result)
            self.count(one.result, one.supplement, _left_out(one))
        if one.alarm is not None:
            self.inspection.compare_alarm(one.alarm, one.alarm)
            self.board.add_alarm(one.alarm)
        if one.second is not None and self.second is not None:
            self.second.state(_compared(one.second))
        self._show(one)

    def _show(self, one: WithheldConversation) -> None:
        """What the release shows of a conversation, as it is there."""
        self.evidence[one.model_id].extend(self.source.published.items(one))
        self.alarms[one.model_id] += self.source.published.alarms(one)
        self.held[one.model_id] += self.source.published.held(one)
        self.rows_of(one.model_id)
        shown = self.source.published.transcript(one)
        if isinstance(shown, CarriedTranscript):
            self.transcripts[one.model_id].append(shown)
        elif shown is not None:
            self.left_out[one.model_id].append(shown)

    def _problems(self, one: WithheldConversation) -> Iterator[str]:
        """What the release states of a conversation and contradicts itself."""
        planned = self._plays.get(one.played)
        about = [each for each in (one.result, one.alarm) if each is not None]
        hashes = {one.transcript_hash, *(each.transcript_hash for each in about)}
        if planned is None or hashes != {planned.transcript_hash}:
            yield "the plan has another conversation"
        if len(about) != 1 or any(each.played != one.played for each in about):
            yield "its results are those of another conversation"
            return
        published = self.source.published
        yield from held_problems(
            published.held(one), published.transcript(one), expected=one.reason is WithheldReason.HELD
        )
        if one.result is not None:
            yield from problems(one.result, self.benchmark, judged=not self.plan.judge.absent)
            if not same_evidence(
                self.source.published.items(one), map(self.shown, evidence_items(one.result))
            ):
                yield "the evidence does not follow from the stated verdicts"
        if one.alarm is not None and not same_evidence(
            self.source.published.alarms(one), map(self.shown, _items(alarm_item(one.alarm)))
        ):
            yield "the evidence does not follow from the stated grade"

    def replanned(self) -> ScanPlan:
        """The plan as recomputed. What depends on words of withheld conversations is as stated."""
        anew = super().replanned()
        if self.source.hides_an_address:
            anew = anew.model_copy(update={"comparability_key": self.plan.comparability_key})
        if not self.source.withheld:
            return anew
        checks = tuple(_stated(planned, anew.checks) for planned in self.plan.checks)
        keep = ("benchmark_version", "benchmark_hash", "canary", "supplementary_hash", "transcripts")
        return self.plan.model_copy(update={"checks": checks, **{name: getattr(anew, name) for name in keep}})


def _left_out(one: WithheldConversation) -> LeftOutReason | None:
    """Why the release does not carry the conversation; None if it does, with marks in place of words."""
    with_marks = one.reason in (WithheldReason.PRIVATE_TEXT, WithheldReason.HELD)
    return None if with_marks else LeftOutReason(one.reason.value)


def _stated(planned: PlannedCheck, anew: tuple[PlannedCheck, ...]) -> PlannedCheck:
    """A check of the plan with the hash of the check as it is in the benchmark."""
    found = next((one for one in anew if one.check_id == planned.check_id), planned)
    return planned.model_copy(update={"check_hash": found.check_hash, "selected": found.selected})


def _items(item: AlarmItem | None) -> list[AlarmItem]:
    return [] if item is None else [item]


def _compared(stated: StatedSecond) -> Compared:
    rows = tuple(ChangedRow(row.check_id, row.first, row.second) for row in stated.rows)
    return Compared(stated.opinions, rows, stated.refused, stated.unreadable)
