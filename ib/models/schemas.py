"""The model of each file. The JSON Schemas in `benchmark/schemas/` are made from these models.

`ib.models.schemas` maps data files to schemas without importing the models.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase

from pydantic import BaseModel

from ib.models.benchmark.benchmark import Corpus, Frame, RuleSet
from ib.models.benchmark.calibration import PublishedSets
from ib.models.benchmark.check import Check
from ib.models.benchmark.exam import CheckExam
from ib.models.benchmark.figures import Precision, Recall
from ib.models.benchmark.guide import Guide
from ib.models.benchmark.lexical import LexicalConfig
from ib.models.benchmark.lexicon import Lexicon
from ib.models.benchmark.pilot import BaseRates, Changes, NoFailures, PilotSummary, Written
from ib.models.benchmark.scoring import Scoring
from ib.models.benchmark.site import SiteConfig
from ib.models.benchmark.version import ClosedVersion, VersionNotes
from ib.models.common.configured import ModelsFile
from ib.models.common.phrase import SharedWords
from ib.models.common.price import PriceTable
from ib.models.conversation.character import Character
from ib.models.conversation.contract import CorpusContract
from ib.models.conversation.listening import Listening
from ib.models.conversation.scenario import Scenario
from ib.models.conversation.transcript import Transcript
from ib.models.conversation.twin_scenario import TwinScenario
from ib.models.draw.contamination import Contamination, ContaminationWords
from ib.models.draw.keyed_slot import PublicDraw
from ib.models.exam.items import ExamItem, ExamPlan
from ib.models.exam.report import ExamReport, Outcome
from ib.models.release.exams import ExamSource
from ib.models.release.gap import GapSource
from ib.models.release.held import ReplyDecision
from ib.models.release.leaderboard import Evidence, Leaderboard, ScenarioEntry
from ib.models.release.ledger import JoinedFrom, LedgerLine
from ib.models.release.moved import ReleaseDiff
from ib.models.release.qa import Qa
from ib.models.release.rows import RowsHeader, TranscriptRow
from ib.models.release.source import BenchmarkFile, ConversationRow
from ib.models.release.transcripts import Transcripts
from ib.models.report.rejudged import Rejudged
from ib.models.report.submission import Submission, SubmissionReport
from ib.models.review.answers import Answers
from ib.models.review.batch import Batch
from ib.models.review.dispute import Dispute
from ib.models.review.reviews import Review
from ib.models.scan import artifacts
from ib.models.scan.batch import BatchLine
from ib.models.scan.cost import Attempt, PaidCall
from ib.models.scan.estimates import Estimates
from ib.models.scan.over_alarm import OverAlarm, OverAlarmRules
from ib.models.scan.part import SampledConversation
from ib.models.scan.plan import CostReport, ScanManifest, ScanPlan
from ib.models.scan.result import TranscriptResult
from ib.models.scan.run import Incomplete, RunCost, RunManifest, RunPlan, Script
from ib.models.scan.second import SecondOpinion
from ib.models.scan.supplement import Supplement, Supplementary
from ib.models.scan.votes import Adjudication, VoteRecord

FOLDER = "schemas"
SUFFIX = ".schema.json"
FILES: Mapping[str, str] = {
    "checks/*.yaml": "check",
    "lexicons/*.yaml": "lexicon",
    "words.yaml": "words",
    "configs/rules/*.yaml": "rule-set",
    "configs/scoring.yaml": "scoring",
    "configs/frame.yaml": "frame",
    "configs/scenarios.yaml": "corpus-contract",
    "configs/draw.yaml": "draw",
    "configs/contamination.yaml": "contamination-words",
    "configs/site.yaml": "site",
    "guides/*.yaml": "guide",
    "configs/lexical.yaml": "lexical",
    "configs/supplementary.yaml": "supplementary",
    "configs/over_alarm.yaml": "over-alarm",
    "configs/prices.yaml": "prices",
    "configs/estimates.yaml": "estimates",
    "corpus/claims.yaml": "claims",
    "reference/*.yaml": "character",
    "listening/*.yaml": "listening",
    "scenarios/*.json": "scenario",
    "twins/*.json": "twin",
    "precision/summary.yaml": "precision",
    "recall/summary.yaml": "recall",
    "calibration/external.yaml": "published-sets",
    "pilot/written.yaml": "pilot-written",
    "pilot/changes.yaml": "pilot-changes",
    "pilot/base_rates.yaml": "pilot-base-rates",
    "pilot/no_failures.yaml": "pilot-no-failures",
    "pilot/summary.yaml": "pilot",
    "exam/*.yaml": "exam",
    "versions/[0-9]*.yaml": "version",
    "versions/notes.yaml": "version-notes",
}
"""The data files of a benchmark by their paths, each with the name of its schema."""


def schema_name(path: str) -> str | None:
    """The name of the schema of a data file, by its path in the benchmark; None for other files."""
    for pattern, name in FILES.items():
        if fnmatchcase(path, pattern):
            return name
    return None


def schema_line(path: str) -> str | None:
    """The first line of a YAML data file, which tells editors its schema."""
    name = schema_name(path)
    up = "../" * path.count("/")
    return None if name is None else f"# yaml-language-server: $schema={up}{FOLDER}/{name}{SUFFIX}"


DATA: Mapping[str, type[BaseModel]] = {
    "check": Check,
    "lexicon": Lexicon,
    "words": SharedWords,
    "rule-set": RuleSet,
    "scoring": Scoring,
    "frame": Frame,
    "corpus-contract": CorpusContract,
    "draw": PublicDraw,
    "contamination-words": ContaminationWords,
    "site": SiteConfig,
    "guide": Guide,
    "lexical": LexicalConfig,
    "supplementary": Supplementary,
    "over-alarm": OverAlarmRules,
    "prices": PriceTable,
    "estimates": Estimates,
    "claims": Corpus,
    "character": Character,
    "listening": Listening,
    "scenario": Scenario,
    "twin": TwinScenario,
    "precision": Precision,
    "recall": Recall,
    "published-sets": PublishedSets,
    "pilot-written": Written,
    "pilot-changes": Changes,
    "pilot-base-rates": BaseRates,
    "pilot-no-failures": NoFailures,
    "pilot": PilotSummary,
    "exam": CheckExam,
    "version": ClosedVersion,
    "version-notes": VersionNotes,
}
"""The models of the data files by the names of their schemas."""


@dataclass(frozen=True, slots=True)
class Artifact:
    """A file that a run, a scan, a job of an engine or a release writes or reads."""

    name: str
    """The name of the schema."""
    model: type[BaseModel]
    files: tuple[str, ...]
    """The paths of the file, relative to a folder that holds `run`, `scan`, `job`, `exam` and `release`."""
    lines: slice | None = None
    """The lines of a .jsonl file that have this form; None for a document."""
    given: bool = False
    """True if people may write the file themselves; then keys with a default may be left out."""


EVERY = slice(None)
REPLIES = ("scan/replies.jsonl", "scan/second_replies.jsonl", "scan/sentinel_replies.jsonl")
"""The journals of a scan."""
HEADER, REST = slice(1), slice(1, None)
ARTIFACTS = (
    Artifact("run-plan", RunPlan, ("run/run_plan.json",)),
    Artifact("run-manifest", RunManifest, ("run/run_manifest.json",)),
    Artifact("run-cost-report", RunCost, ("run/cost_report.json",)),
    Artifact(
        "transcript", Transcript, ("run/transcripts.jsonl", "scan/transcripts.jsonl"), EVERY, given=True
    ),
    Artifact("incomplete", Incomplete, ("run/incomplete.jsonl",), EVERY),
    Artifact(
        "journal-header",
        artifacts.JournalHeader,
        ("run/completions.jsonl", *REPLIES),
        HEADER,
    ),
    Artifact("completion", artifacts.CompletionLine, ("run/completions.jsonl",), REST, given=True),
    Artifact(
        "reply",
        artifacts.ReplyLine,
        REPLIES,
        REST,
        given=True,
    ),
    Artifact("contamination", Contamination, (), EVERY),
    Artifact("scan-plan", ScanPlan, ("scan/scan_plan.json", "release/source/plan.json.gz")),
    Artifact("scan-manifest", ScanManifest, ("scan/scan_manifest.json",)),
    Artifact("scan-cost-report", CostReport, ("scan/cost_report.json",)),
    Artifact("sampled-conversation", SampledConversation, ("scan/sample.jsonl",), EVERY),
    Artifact("batch", BatchLine, ("scan/batches.jsonl",), EVERY, given=True),
    Artifact("paid-call", PaidCall, ("run/calls.jsonl", "scan/calls.jsonl"), EVERY),
    Artifact("attempt", Attempt, ("run/attempts.jsonl", "scan/attempts.jsonl"), EVERY),
    Artifact("result", TranscriptResult, ("scan/results.jsonl",), EVERY),
    Artifact("supplement", Supplement, ("scan/supplement.jsonl",), EVERY),
    Artifact("over-alarm-of-play", OverAlarm, ("scan/over_alarm.jsonl",), EVERY),
    Artifact("second-opinion", SecondOpinion, ("scan/second.jsonl",), EVERY),
    Artifact("review", Review, ("scan/reviews.jsonl", "release/source/reviews.jsonl.gz"), EVERY),
    Artifact("adjudication", Adjudication, ("scan/adjudications.jsonl",), EVERY, given=True),
    Artifact("contradiction", artifacts.ContradictionLine, ("scan/contradictions.jsonl",), EVERY),
    Artifact("blindspot", artifacts.BlindspotProfile, ("scan/blindspot.json", "job/blindspot.json")),
    Artifact("job-plan", artifacts.JobPlan, ("job/batch_plan.json",)),
    Artifact("job-shard", artifacts.ShardDone, ("job/done/*.json",)),
    Artifact("job-manifest", artifacts.JobManifest, ("job/batch_manifest.json",)),
    Artifact("joined-from", JoinedFrom, ("scan/sources.json",)),
    Artifact("reply-decision", ReplyDecision, ("scan/withhold.jsonl",), EVERY),
    Artifact("leaderboard", Leaderboard, ("release/leaderboard.json",)),
    Artifact("rows-header", RowsHeader, ("release/rows/*.jsonl", "release/scenarios.jsonl"), HEADER),
    Artifact("transcript-row", TranscriptRow, ("release/rows/*.jsonl",), REST),
    Artifact("scenario-row", ScenarioEntry, ("release/scenarios.jsonl",), REST),
    Artifact("qa", Qa, ("release/qa.json",)),
    Artifact(
        "source-conversation",
        ConversationRow,
        ("release/source/conversations.jsonl.gz",),
        EVERY,
        given=True,
    ),
    Artifact("source-benchmark", BenchmarkFile, ("release/source/benchmark.jsonl.gz",), EVERY),
    Artifact("source-gap", GapSource, ("release/source/gap.json.gz",)),
    Artifact("source-exams", ExamSource, ("release/source/exams.json.gz",)),
    Artifact("evidence", Evidence, ("release/evidence/*.json",)),
    Artifact("release-transcripts", Transcripts, ("release/transcripts/*.json",)),
    Artifact("ledger-line", LedgerLine, ("releases/ledger.jsonl",), EVERY),
    Artifact("release-diff", ReleaseDiff, ()),
    Artifact("vote", VoteRecord, (), EVERY, given=True),
    Artifact("review-batch", Batch, ()),
    Artifact("review-answers", Answers, (), given=True),
    Artifact("review-dispute", Dispute, ()),
    Artifact("exam-plan", ExamPlan, ("exam/exam_plan.json",)),
    Artifact("exam-item", ExamItem, ("exam/items.jsonl",), EVERY),
    Artifact("exam-outcome", Outcome, ("exam/outcomes.jsonl", "scan/sentinels.jsonl"), EVERY),
    Artifact("exam-report", ExamReport, ("exam/report.json",)),
    Artifact("submission", Submission, (), given=True),
    Artifact("submission-report", SubmissionReport, ()),
    Artifact("rejudged", Rejudged, ()),
    Artifact("script", Script, (), given=True),
    Artifact("models", ModelsFile, (), given=True),
)
"""The artifacts; votes files, scripts and files of models are given, and lie anywhere."""
