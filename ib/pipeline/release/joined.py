"""Joining scans: one scan of the models of several, or of some models of one.

A release is always made of one scan. The joined scan is judged again from the recorded replies, so it has
what a scan of all its transcripts by the same judge would have. Each model comes whole from one scan, with
what people decided about it.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter, itemgetter
from pathlib import Path
from typing import NamedTuple

from ib import __version__
from ib.board.review.standing import Reviewed
from ib.engine.mode_engine import ModeEngine
from ib.engine.questions.protocol import at_once, drive
from ib.engine.reading.searched import IndexedTranscript
from ib.errors import DataError, Refused, UsageError
from ib.models.benchmark.benchmark import Benchmark
from ib.models.common.canonical import compact, pretty
from ib.models.conversation.transcript import Transcript
from ib.models.release.ledger import JoinedFrom, ScanSource
from ib.models.scan.artifacts import ContradictionLine, ReplyLine
from ib.models.scan.judge import JudgeReply, JudgeRequest, NotRecorded
from ib.models.scan.plan import CostReport, ScanManifest, ScanPlan, differences
from ib.pipeline.release.kept import kept
from ib.pipeline.release.release import refuse_rejudged
from ib.pipeline.report.compare import said_difference
from ib.pipeline.scan.derived import DerivedFiles
from ib.pipeline.scan.judging import Judged, Judgment, judged
from ib.pipeline.scan.plan import Planner
from ib.pipeline.scan.supplements import open_beside
from ib.scenario.drawing import DrawKey
from ib.store.benchmark.drawing import key_of
from ib.store.benchmark.loading import benchmark_folder, load_benchmark
from ib.store.benchmark.scenarios import Scenarios
from ib.store.files.reading import raw_lines
from ib.store.files.validation import load_json, model_of_line
from ib.store.files.writing import replace, replacing
from ib.store.folders import scans
from ib.store.folders.holding import load_decisions, write_decisions
from ib.store.folders.journal import read_header, read_reply
from ib.store.folders.replies import Replies
from ib.store.folders.reviews import ordered
from ib.store.folders.system_prompt import own_prompt_hash

NOT_ASKED = NotRecorded()
NOT_JOINED = {
    scans.SECOND: "the answers of a second judge are of a draw from the whole scan",
    scans.SENTINELS: "its exam items were mixed among the questions of the whole scan",
    scans.SAMPLE: "what was drawn of logs is reported, and not released",
}
"""The files of a scan that cannot be divided or joined, each with the reason."""


@dataclass(frozen=True)
class Part:
    """A finished scan, and the models that are taken from it."""

    folder: scans.ScanFolder
    plan: ScanPlan
    models: frozenset[str]

    @property
    def is_whole(self) -> bool:
        """True if every model of the scan is taken."""
        return self.models == {planned.model_id for planned in self.plan.transcripts}

    @property
    def source(self) -> ScanSource:
        """The scan by its hashes."""
        manifest = scans.file_hash(self.folder.path / scans.MANIFEST)
        return ScanSource(plan_hash=self.folder.plan_hash(), manifest_hash=manifest)


class Given(NamedTuple):
    """A scan that gives models to a release."""

    path: Path
    models: frozenset[str] | None = None
    """The models that it gives; None for all that it has."""


def parts_of(given: Sequence[Given], without: Collection[str] = ()) -> tuple[Part, ...]:
    """The parts of a joined scan: each model from the last scan that gives it, without some models.

    Scans of which no model is left are left out. Raises DataError if a scan is not complete, Refused if the
    keys of two scans differ, and UsageError if no model is left.
    """
    scanned = [scans.ScanFolder(one.path) for one in given]
    for folder in scanned:
        folder.manifest()
    plans = [folder.plan() for folder in scanned]
    refuse_rejudged(*(folder.path for folder in scanned))
    for folder, plan in zip(scanned[1:], plans[1:], strict=True):
        _refuse_to_mix((scanned[0], plans[0]), (folder, plan))
    last = {
        planned.model_id: number
        for number, (plan, one) in enumerate(zip(plans, given, strict=True))
        for planned in plan.transcripts
        if one.models is None or planned.model_id in one.models
    }
    made = tuple(
        Part(folder, plan, frozenset(m for m, at in last.items() if at == number and m not in without))
        for number, (folder, plan) in enumerate(zip(scanned, plans, strict=True))
    )
    left = tuple(part for part in made if part.models)
    if not left:
        raise UsageError("no model is left; a release has at least one")
    return left


def _refuse_to_mix(
    first: tuple[scans.ScanFolder, ScanPlan], other: tuple[scans.ScanFolder, ScanPlan]
) -> None:
    """Raises Refused, naming what differs, unless the rows of two scans may share a table."""
    plans = (first[1], other[1])
    if plans[0].draw != plans[1].draw:
        raise Refused(
            f"{other[0].path} and {first[0].path} are of two draws, which are compared and never pooled",
            [f"draw: {folder.path} has {plan.draw or 'none'}" for folder, plan in (first, other)],
        )
    names = differences(*plans)
    if names:
        raise Refused(
            f"{other[0].path} and {first[0].path} cannot share a table: their comparability keys differ",
            [_difference(name, plans) for name in names],
        )


def _difference(name: str, plans: tuple[ScanPlan, ScanPlan]) -> str:
    """One difference of two plans; of lists, what only one of them has."""
    told: dict[str, Callable[[ScanPlan], Mapping[str, str]]] = {
        "transcripts": lambda plan: {one.scenario_id: one.scenario_hash for one in plan.transcripts},
        "checks": lambda plan: {one.check_id: f"{one.check_hash} {one.selected}" for one in plan.checks},
    }
    if name not in told:
        return said_difference(name, plans)
    one, two = (told[name](plan) for plan in plans)
    differ = sorted(key for key in {*one, *two} if one.get(key) != two.get(key))
    shown = ", ".join(differ[:5]) + (f" and {len(differ) - 5} more" if len(differ) > 5 else "")
    return f"{'scenarios' if name == 'transcripts' else name}: {shown}"


def sources_of(parts: Sequence[Part]) -> dict[str, ScanSource]:
    """The scan of each model. A scan that was joined itself names the scans that it was joined from."""
    found: dict[str, ScanSource] = {}
    for part in parts:
        path = part.folder.path / scans.SOURCES
        earlier = load_json(JoinedFrom, path).sources if path.exists() else {}
        found |= {model: earlier.get(model, part.source) for model in sorted(part.models)}
    return found


def join(parts: Sequence[Part], out: Path, benchmark: Path | None = None, key: DrawKey | None = None) -> None:
    """Write the scan of the chosen models of several scans into an existing, empty folder.

    The parts have one comparability key and one draw (`parts_of`); `key` is that of a private draw. Raises
    Refused for a scan with answers of a second judge, which are about the whole scan, and for
    a sample of logs.
    """
    for part in parts:
        for name, reason in NOT_JOINED.items():
            if (part.folder.path / name).exists():
                raise Refused(f"{part.folder.path} cannot be joined or divided: {name}: {reason}")
    _Join(parts, out, benchmark, key).run()


class _Join:
    """Judges the transcripts of several scans again from their replies, in plan order."""

    def __init__(self, parts: Sequence[Part], out: Path, benchmark: Path | None, key: DrawKey | None) -> None:
        self.parts, self.out = parts, out
        first = parts[0].plan
        root = benchmark or benchmark_folder()
        self.benchmark: Benchmark = load_benchmark(benchmark)
        self.engine = ModeEngine(self.benchmark, first.profile, first.judge, part=first.part)
        place = str(parts[0].folder.path / scans.PLAN)
        self.scenarios = Scenarios(root, key_of(place, root, first.draw, key))
        self.beside = open_beside(self.engine, root, first.supplements)
        own = own_prompt_hash(root)
        self.planner = Planner(self.engine, self.beside, self.scenarios, own_prompt=own)
        carried = [kept(part.folder.path, part.models, benchmark) for part in parts]
        self.reviews = ordered(review for one in carried for review in one.reviews)
        self.draws = tuple(draw for one in carried for draw in one.draws) if self.reviews else ()
        scoring = self.benchmark.scoring
        self.reviewed = Reviewed(tuple(self.reviews), scoring, not first.judge.absent)

    def run(self) -> None:
        """Write every file of the scan, the manifest last."""
        self._merge_inputs()
        plan = self._judge()
        replace(self.out / scans.PLAN, pretty(plan))
        plan_hash = scans.file_hash(self.out / scans.PLAN)
        self._write_replies(plan_hash)
        replace(self.out / scans.COST, pretty(_cost(plan, plan_hash)))
        if self.reviews:
            replace(self.out / scans.REVIEWS, b"".join(compact(one) + b"\n" for one in self.reviews))
        decisions = [one for part in self.parts for one in load_decisions(part.folder.path)]
        if decisions:
            write_decisions(self.out, decisions)
        joined = JoinedFrom(sources=sources_of(self.parts), draws=self.draws)
        replace(self.out / scans.SOURCES, pretty(joined))
        replace(self.out / scans.MANIFEST, pretty(self._manifest(plan, plan_hash)))

    def _merge_inputs(self) -> None:
        with replacing(self.out / scans.TRANSCRIPTS) as file:
            merged = heapq.merge(*map(_transcripts, self.parts), key=itemgetter(0))
            file.writelines(line for _, line in merged)
        lines = [
            line
            for part in self.parts
            for line in scans.load_lines(ContradictionLine, part.folder.path / scans.CONTRADICTIONS)
            if line.record.model_id in part.models
        ]
        replace(self.out / scans.CONTRADICTIONS, b"".join(compact(line) + b"\n" for line in lines))
        self.contradicted = frozenset(line.record.key for line in lines)
        self._write_replies("0" * 64)

    def _write_replies(self, plan_hash: str) -> None:
        """Write the journal, bound to a plan."""
        header = _header(self.parts[0].folder.path / scans.REPLIES, plan_hash)
        with replacing(self.out / scans.REPLIES) as file:
            file.write(compact(header) + b"\n")
            merged = heapq.merge(*map(_replies, self.parts), key=attrgetter("played"))
            file.writelines(compact(line) + b"\n" for line in merged)

    def _judge(self) -> ScanPlan:
        """Judge every transcript from the replies, and plan it."""
        replies, derived = Replies(self.out / scans.REPLIES), DerivedFiles(self.benchmark, self.contradicted)
        planned = []
        with (
            replacing(self.out / scans.RESULTS) as results,
            replacing(self.out / scans.ADJUDICATIONS) as adjudications,
            replacing(self.out / scans.SUPPLEMENT) as supplements,
            replacing(self.out / scans.OVER_ALARM) as alarms,
        ):
            for indexed in self.engine.index_all(scans.ScanFolder(self.out).transcripts()):
                judgment, first = self._answered(indexed, replies)
                planned.append(self.planner.transcript(indexed, first))
                if not isinstance(judgment, Judged):
                    alarms.write(compact(judgment) + b"\n")
                    continue
                result = self.reviewed.decide(judgment.result, indexed.transcript)
                results.write(self.engine.line(result) + b"\n")
                if judgment.supplement is not None:
                    supplements.write(compact(judgment.supplement) + b"\n")
                adjudications.writelines(derived.add(result, judgment.supplement))
        replies.close()
        for name, data in derived.documents().items():
            replace(self.out / name, data)
        first_plan = self.parts[0].plan
        recorded = [one for part in self.parts for one in part.plan.checks if one.recorded is not None]
        return self.planner.plan(
            tuple(planned),
            recorded_checks=frozenset(one.check_id for one in recorded if one.recorded) if recorded else None,
            notices=first_plan.notices,
        )

    def _answered(
        self, indexed: IndexedTranscript, replies: Replies
    ) -> tuple[Judgment, Sequence[JudgeRequest]]:
        """What the recorded replies give for one transcript, and its first round of questions."""
        known, votes = replies.of(indexed.transcript.key)
        self.engine.votes_known = lambda _, check_id: votes.get(check_id, 0)
        rounds: list[tuple[JudgeRequest, ...]] = []

        async def answer(wanted: tuple[JudgeRequest, ...]) -> tuple[JudgeReply, ...]:
            rounds.append(wanted)
            return tuple(known.get(request.key, NOT_ASKED) for request in wanted)

        scenario = self.scenarios.get(indexed.transcript.scenario_id)
        outcome = at_once(drive(judged(self.engine, self.beside, indexed, scenario), answer))
        return outcome, rounds[0] if rounds else ()

    def _manifest(self, plan: ScanPlan, plan_hash: str) -> ScanManifest:
        old = [part.folder.manifest() for part in self.parts]
        return ScanManifest(
            ib_version=__version__,
            profile=plan.profile,
            judge=plan.judge,
            plan_hash=plan_hash,
            started=min(one.started for one in old),
            finished=max(one.finished for one in old),
            transcripts=len(plan.transcripts),
            files=scans.file_hashes(self.out, scans.MANIFEST),
        )


def _transcripts(part: Part) -> Iterator[tuple[tuple[str, str, int], bytes]]:
    """The lines of the transcripts that are taken, each with its key."""
    path = part.folder.path / scans.TRANSCRIPTS
    for number, line in raw_lines(path, str(path)):
        parsed = model_of_line(Transcript, line, str(path), number)
        if isinstance(parsed, list):
            raise DataError(parsed)
        if parsed.model_id in part.models:
            yield parsed.key, line


def _replies(part: Part) -> Iterator[ReplyLine]:
    """The replies on the transcripts that are taken."""
    path = part.folder.path / scans.REPLIES
    for number, line in raw_lines(path, str(path)):
        if number > 1:
            reply = read_reply(line, path, number)
            if reply.model_id in part.models:
                yield reply


def _header(path: Path, plan_hash: str) -> dict[str, object]:
    """The first line of a journal, bound to another plan."""
    first = next(raw_lines(path, str(path)))[1]
    return read_header(first, path).model_copy(update={"plan_hash": plan_hash}).model_dump(mode="json")


def _cost(plan: ScanPlan, plan_hash: str) -> CostReport:
    """The cost report of a joined scan, which asked nothing itself."""
    return CostReport(
        plan_hash=plan_hash,
        judge=plan.judge.model,
        planned_calls=plan.planned_calls,
        planned_calls_expected=plan.planned_calls_expected,
        planned_calls_max=plan.planned_calls_max,
        planned_units=plan.planned_units,
        estimated_cost_usd=plan.estimated_cost_usd,
        complete=True,
    )
