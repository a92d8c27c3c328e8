"""Asking a judge again about the conversations of a release, in the words in which the release was judged.

The scan is an ordinary one, with plan, journal and resume. Its plan names the release, so that no command
publishes it.
"""

from __future__ import annotations

import contextlib
import hashlib
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from ib import __version__
from ib.board.report.rejudged import DriftTally, changed_questions
from ib.engine.mode_engine import ModeEngine
from ib.engine.questions.protocol import replay
from ib.errors import DataError, Refused, UsageError
from ib.judges.base import Judge
from ib.models.benchmark.benchmark import Benchmark, benchmark_hash
from ib.models.common.base import SCREENED_ROUTES
from ib.models.common.canonical import pretty
from ib.models.conversation.transcript import Transcript, line_hash, transcript_line
from ib.models.draw.keyed_slot import DrawKind
from ib.models.release.leaderboard import Leaderboard
from ib.models.release.ledger import Action
from ib.models.release.qa import Qa
from ib.models.release.source import (
    BENCHMARK,
    CONVERSATIONS,
    PLAN,
    BenchmarkFile,
    ConversationRow,
    WholeConversation,
    WithheldReason,
)
from ib.models.report.rejudged import Rejudged
from ib.models.scan.part import Part
from ib.models.scan.plan import CostReport, ScanPlan
from ib.models.scan.result import TranscriptResult
from ib.pipeline.common.configured import DIRECT, Calling
from ib.pipeline.release.bundle import unpack
from ib.pipeline.release.history import releases_folder
from ib.pipeline.release.replay import misfits
from ib.pipeline.release.source import Ordered
from ib.pipeline.scan.judges import NONE
from ib.pipeline.scan.judging import Judged, judged
from ib.pipeline.scan.prepare import ScanOptions
from ib.pipeline.scan.scan import Work, plan_scan, scan_into
from ib.pipeline.scan.supplements import open_beside
from ib.scenario.drawing import DrawKey
from ib.store.benchmark.drawing import key_of, named_draw, public_key
from ib.store.benchmark.estimates import FILE as ESTIMATES
from ib.store.benchmark.loading import benchmark_folder, load_benchmark
from ib.store.benchmark.prices import OWN as PRICES
from ib.store.benchmark.scenarios import Scenarios
from ib.store.files.reading import decode, read_bytes
from ib.store.files.validation import load_json, model_of_json
from ib.store.files.wording import counted
from ib.store.files.writing import replace as write
from ib.store.folders import scans, sources
from ib.store.folders.ledger import ReleasesFolder
from ib.store.folders.released import LEADERBOARD, QA, load_released

REPORT = "rejudged.json"
"""The report, beside the files of the scan."""


@dataclass(frozen=True, kw_only=True)
class Again:
    """Which release is judged again, and by whom."""

    release: Path
    judge: str | Judge
    checks: tuple[str, ...] = ()
    """Only these checks; empty for those of the release."""
    calling: Calling = DIRECT
    installed: Path | None = None
    """The benchmark that wordings are compared with; None for that of the package."""


def plan_again(again: Again, out: Path | None, work: Work) -> ScanPlan:
    """The plan of asking again, with its price. With `out`, a new folder gets it. Raises as `rejudge`."""
    with opened(again) as source:
        source.check_due(again)
        return plan_scan(source.transcripts, source.options(again), out, work.callbacks)


def rejudge(again: Again, out: Path, work: Work) -> Rejudged:
    """Ask the judge about every conversation that the release carries, and write the report.

    `work.cache` has to be None: earlier answers would hide that the judge has changed. Raises Refused if the
    release carries no conversation, or is of a private draw or of a withdrawn model, DataError if a file of
    it is not as the gate saw it, and what a scan raises.
    """
    assert work.cache is None
    with opened(again) as source:
        source.check_due(again)
        scan_into(source.transcripts, source.options(again), out, work)
        work.callbacks.step("counting what drifted")
        with misfits(out, "files of the release and of the scan", "ask again into another folder"):
            report = source.report(again, scans.ScanFolder(out))
    write(out / REPORT, pretty(report))
    return report


@dataclass
class ReleaseSource:
    """The conversations of a release, with the benchmark that judged them."""

    folder: Path
    root: Path
    """The unpacked benchmark."""
    board: Leaderboard
    seal: str
    plan: ScanPlan
    benchmark: Benchmark
    key: DrawKey | None
    """The key of the draw; None for the public one."""
    whole: list[WholeConversation] = field(default_factory=list)
    withheld: Counter[WithheldReason] = field(default_factory=Counter)
    twins: int = 0

    @cached_property
    def transcripts(self) -> list[Transcript]:
        """The conversations to ask about, in the order of the plan."""
        return [one.transcript for one in self.whole]

    def check_due(self, again: Again) -> None:
        """Raises Refused if no check of `again` was due: no row is not the same as no drift."""
        due = {check.check_id for check in self.plan.checks if check.selected and check.due}
        named = [name for name in again.checks if name in self.benchmark.checks]
        if named and not due & set(named):
            raise Refused(f"{', '.join(named)}: not due on any conversation of {self.folder}")

    def options(self, again: Again) -> ScanOptions:
        """The options of the scan."""
        part = self.plan.part
        return ScanOptions(
            profile=self.plan.profile,
            judge=again.judge,
            benchmark=self.root,
            calling=again.calling,
            part=Part(checks=again.checks or part.checks, buckets=() if again.checks else part.buckets),
            draw=self.key,
            rejudges=self.seal,
        )

    def results(self) -> Iterator[TranscriptResult]:
        """What the judge of the release said of each conversation, without what people decided."""
        engine = ModeEngine(self.benchmark, self.plan.profile, self.plan.judge, part=self.plan.part)
        beside = open_beside(engine, self.root, self.plan.supplements)
        scenarios = Scenarios(self.root, self.key)
        pairs = [(one.transcript, one.transcript_hash) for one in self.whole]
        for one, indexed in zip(self.whole, engine.index_all(pairs), strict=True):
            lookup = Ordered(one.replies)
            engine.votes_known = _known(lookup)
            name = one.transcript.scenario_id
            said = replay(judged(engine, beside, indexed, scenarios.get(name)), lookup)
            if lookup.wrong or not isinstance(said, Judged):
                found = f"{counted(lookup.wrong, 'reply', 'replies')} on {name} fit no question"
                hint = "use the ib that made the release"
                raise DataError.one(self.folder / CONVERSATIONS, None, "", found, hint)
            yield said.result

    def report(self, again: Again, scan: scans.ScanFolder) -> Rejudged:
        """The verdicts of both times, counted."""
        plan, cost = scan.plan(), load_json(CostReport, scan.path / scans.COST)
        then = {check.check_id for check in self.plan.checks if check.selected}
        asked = {check.check_id for check in plan.checks if check.selected} & then
        tally = DriftTally(asked)
        for before, now in zip(self.results(), scan.results(), strict=True):
            tally.add(before, now)
        together, checks = tally.drifts(self.benchmark)
        today = load_benchmark(again.installed)
        return Rejudged(
            ib_version=__version__,
            release=self.folder.resolve().name,
            seal=self.seal,
            stage=self.board.stage,
            released=self.board.released,
            plan_hash=scan.plan_hash(),
            judge_before=self.plan.judge,
            judge_now=plan.judge,
            same_judge=self.plan.judge.identity == plan.judge.identity,
            conversations=len(self.whole),
            withheld=dict(sorted(self.withheld.items())),
            twins=self.twins,
            trimmed=sum(one.trimmed for one in self.whole),
            units=cost.units,
            refused_replies_before=sum(reply.refused for one in self.whole for reply in one.replies),
            spent_usd=cost.spent_usd,
            all_checks=together,
            checks=checks,
            turned=tuple(tally.turned),
            changed=tuple(changed_questions(self.benchmark, today, asked)),
            differs=tuple(self._differs(again, plan)),
        )

    def _differs(self, again: Again, plan: ScanPlan) -> Iterator[str]:
        """What else is not as it was."""
        before, now = self.plan.judge, plan.judge
        if before.model == now.model and before.params != now.params:
            yield f"the judge had other parameters: {before.params or 'none'}; now {now.params or 'none'}"
        if before.granularity is not now.granularity:
            yield (
                f"the judge of the release answered one question a {before.granularity}, and this one "
                f"answers one a {now.granularity}: verdicts differ also where no judge has changed"
            )
        screened = [
            name for name in again.checks if self.benchmark.checks[name].routing.route in SCREENED_ROUTES
        ]
        if screened:
            yield (
                f"{', '.join(screened)}: in the release, one screening question listed all checks of its "
                "kind; here it lists only those of --check"
            )


def _known(lookup: Ordered) -> Callable[[Transcript, str], int]:
    """How many votes a recording had for a check on a conversation."""
    return lambda _, check_id: lookup.votes.get(check_id, 0)


@contextlib.contextmanager
def opened(again: Again) -> Iterator[ReleaseSource]:
    """The source of a release, with its benchmark unpacked while the context lasts.

    Raises Refused and DataError as `rejudge`.
    """
    folder = again.release
    if again.judge == NONE:
        raise UsageError("--judge none answers nothing; name the judge that is asked again")
    board, qa = load_released(Leaderboard, folder / LEADERBOARD), load_released(Qa, folder / QA)
    _refuse_draw(board, folder)
    for name in (LEADERBOARD, PLAN, BENCHMARK, CONVERSATIONS):
        if hashlib.sha256(read_bytes(folder / name)).hexdigest() != qa.released.get(name):
            found = "is not the file that passed the gate"
            raise DataError.one(folder / name, None, "", found, "`ib verify` names what differs")
    _refuse_withdrawn(board, folder)
    with tempfile.TemporaryDirectory(prefix="ib-rejudge-") as temporary:
        root = Path(temporary)
        unpack(sources.rows(BenchmarkFile, folder / BENCHMARK), root)
        _with_prices_of_today(root, again.installed or benchmark_folder())
        source = _source(folder, root, board, qa)
        _read(source)
        yield source


def _refuse_draw(board: Leaderboard, folder: Path) -> None:
    """Raises Refused for a release of a private draw."""
    if board.draw is not None and board.draw.kind is DrawKind.PRIVATE:
        raise Refused(
            f"{folder} is a release of the private draw {board.draw.key_hash[:12]}: it has no word of its "
            "conversations, so nothing can be asked about them"
        )


def _refuse_withdrawn(board: Leaderboard, folder: Path) -> None:
    """Raises Refused if a ledger above or beside the release says that a model of it was withdrawn."""
    models = {model.model_id for model in board.models}
    for kept in (ReleasesFolder(folder.resolve().parent), releases_folder(folder, None)):
        ledger = kept.ledger()
        gone = sorted(models & ledger.withdrawn)
        if gone:
            said = {one.model_id: one.reason for one in ledger.lines if one.action is Action.WITHDRAWN}
            raise Refused(
                f"{folder} has conversations of models that were withdrawn; they are not judged again",
                [f"{model}: {said.get(model) or 'no reason is known'}" for model in gone],
            )


def _with_prices_of_today(root: Path, installed: Path) -> None:
    """A release carries neither prices nor assumptions about calls; those of this installation hold."""
    for name in (PRICES, ESTIMATES):
        if (installed / name).is_file() and not (root / name).exists():
            shutil.copyfile(installed / name, root / name)


def _source(folder: Path, root: Path, board: Leaderboard, qa: Qa) -> ReleaseSource:
    """The plan and the benchmark of a release. Raises Refused if no judge was asked."""
    place = str(folder / PLAN)
    plan = model_of_json(ScanPlan, decode(sources.document(folder / PLAN), place), place)
    benchmark = load_benchmark(root)
    if benchmark_hash(benchmark) != plan.benchmark_hash:
        found = "is not the benchmark of the plan"
        raise DataError.one(folder / BENCHMARK, None, "", found, "`ib verify` names what differs")
    if plan.judge.absent or benchmark.scoring.profiles[plan.profile].votes == "none":
        raise Refused(f"{folder} was made without a judge, so there is nothing to ask again")
    named = named_draw(root, plan.draw)
    key = key_of(place, root, plan.draw, None)
    is_public = named is None or key == public_key(root)
    return ReleaseSource(folder, root, board, qa.seal, plan, benchmark, None if is_public else key)


def _read(source: ReleaseSource) -> None:
    """Read the conversations. Raises Refused if the release withholds all of them."""
    for row in sources.rows(ConversationRow, source.folder / CONVERSATIONS):
        one = row.conversation
        if not isinstance(one, WholeConversation):
            source.withheld[one.reason] += 1
        elif one.transcript.twin is not None:
            source.twins += 1
        else:
            source.whole.append(_as_scanned(one, source.folder))
    if not source.whole:
        reasons = [f"{reason}: {counted(n, 'conversation')}" for reason, n in sorted(source.withheld.items())]
        raise Refused(f"{source.folder} carries no conversation that can be asked about", reasons)


def _as_scanned(one: WholeConversation, folder: Path) -> WholeConversation:
    """A conversation, if it is the one that was scanned."""
    if not one.trimmed and line_hash(transcript_line(one.transcript)) != one.transcript_hash:
        found = f"{one.transcript.model_id} on {one.transcript.scenario_id} is not what was scanned"
        raise DataError.one(
            folder / CONVERSATIONS, None, "transcript", found, "`ib verify` names what differs"
        )
    return one
