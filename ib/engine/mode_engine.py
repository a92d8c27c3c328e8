"""ModeEngine: run every check of a benchmark on one transcript."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, islice
from typing import Any

from ib.engine.agenda import Agenda, Agendas, DueCheck
from ib.engine.questions.asker import Asker
from ib.engine.questions.protocol import Asking, Verification, together
from ib.engine.reading.lexicons import Matcher
from ib.engine.reading.rulebook import Rulebook, rulebook
from ib.engine.reading.searched import IndexedTranscript, search
from ib.engine.scoring import Scores
from ib.engine.verifiers.base import CheckContext, PutQuestion
from ib.engine.verifiers.corpus import verify_against_corpus
from ib.engine.verifiers.llm import verify_with_judge
from ib.engine.verifiers.phrases import nobody_looked, nothing_found, without_judge
from ib.engine.verifiers.rows import SharedRows, result_line
from ib.engine.verifiers.rule import verify_by_rule
from ib.engine.verifiers.screened import verify_screened
from ib.engine.votes.granularity import units_of
from ib.engine.votes.voting import Quota, quota_of
from ib.models.benchmark.benchmark import Benchmark, Rules
from ib.models.benchmark.check import Check
from ib.models.benchmark.jurisdiction import country_of, rule_set_of
from ib.models.benchmark.lexicon import Lexicon
from ib.models.benchmark.scoring import Profile
from ib.models.common.base import SCREENED_ROUTES, Role, Route
from ib.models.common.canonical import digest
from ib.models.conversation.transcript import Transcript
from ib.models.scan.judge import JudgeSpec
from ib.models.scan.part import WHOLE, Part
from ib.models.scan.plan import SCHEMA_VERSION
from ib.models.scan.result import TranscriptResult, VerdictResult

READ_AHEAD = 128
"""How many transcripts are searched together, at most."""
READ_AHEAD_CHARACTERS = 4_000_000
"""How many characters these transcripts may have together; this bounds the memory in use."""

VERIFIERS: Mapping[Route, Callable[[CheckContext], Verification]] = {
    Route.HYBRID_LLM: verify_with_judge,
    Route.LLM_PRIMARY: verify_with_judge,
    Route.LONGITUDINAL_TRACE: verify_with_judge,
    Route.EXTRACT_THEN_CORPUS: verify_against_corpus,
}
"""The verifier of each route that is verified check by check. The others are SCENARIO_RULE, whose verifier
also needs a rule set, and the routes that are screened, whose checks share questions."""


@dataclass
class ModeEngine:
    """The checks of a benchmark under one profile and one judge.

    `part` leaves out checks. `votes_known` returns how many votes a recording holds for a check on a
    transcript. All of them are replayed, even if there are more than K.
    """

    benchmark: Benchmark
    profile_name: str
    spec: JudgeSpec
    votes_known: Callable[[Transcript, str], int] = field(default=lambda transcript, check_id: 0)
    part: Part = WHOLE

    def __post_init__(self) -> None:
        self._rulebooks: dict[str, Rulebook] = {}
        self._silences: dict[int, Mapping[str, VerdictResult]] = {}
        self._shared = SharedRows()
        self._scores = Scores(self.benchmark.scoring, self._shared.has, judged=not self.spec.absent)
        self._agendas = Agendas(self.benchmark, self.profile, self.spec, self._shared, self.part)
        self._hashes = {check_id: digest(c) for check_id, c in self.benchmark.checks.items()}
        self.asker = Asker(self.spec, self.benchmark.frame, self._hashes)
        self.units = units_of(self.spec.granularity)
        self._asking = {c.id: self._how_asked(c) for c in self.benchmark.checks.values()}
        self.search_ahead(())

    def search_ahead(self, lexicons: Iterable[str]) -> None:
        """Search every transcript for these lexicons at once, without waiting for a verifier to ask for
        hits. They are searched for as a whole, also if no selected check uses them."""
        measured = frozenset(lexicons)
        chosen = self._lexicons(measured)
        self._ahead = measured | {
            check.routing.lexicon
            for check in self.benchmark.checks.values()
            if check.routing.lexicon is not None and self._always_asks(check, check.routing.lexicon)
        }
        self._assistant = Matcher(chosen, Role.ASSISTANT, together=self._ahead)
        self._user = Matcher(chosen, Role.USER, together=self._ahead)

    def _always_asks(self, check: Check, lexicon: str) -> bool:
        """True if the verifier of a check needs the hits of its lexicon, whatever the judge answers."""
        if check.routing.route in SCREENED_ROUTES:
            return True
        if not self.units.looks_ahead:
            return False
        speaker = None if lexicon not in self.benchmark.lexicons else self.benchmark.lexicons[lexicon].speaker
        return speaker is Role.ASSISTANT or self.spec.reads_prompt

    def _lexicons(self, measured: frozenset[str]) -> list[Lexicon]:
        """The lexicons of the selected checks, and those that are measured beside them.

        If only LEXICON_ONLY checks use a lexicon and the judge knows only phrases, its patterns that are only
        hints are left out.
        """
        read = not self.spec.knows_only_phrases
        asked = dict.fromkeys(measured, True)
        for check in self.benchmark.checks.values():
            name = check.routing.lexicon
            if name is not None and self.selects(check):
                wanted = read or check.routing.route is not Route.LEXICON_ONLY
                asked[name] = asked.get(name, False) or wanted
        return [
            lexicon if asked[name] else _deciding(lexicon)
            for name, lexicon in self.benchmark.lexicons.items()
            if name in asked
        ]

    @property
    def profile(self) -> Profile:
        return self.benchmark.scoring.profiles[self.profile_name]

    @property
    def check_hashes(self) -> Mapping[str, str]:
        return self._hashes

    def index(self, transcript: Transcript, transcript_hash: str) -> IndexedTranscript:
        """Index one transcript for the verifiers."""
        law = self._rules(transcript)
        country = country_of(transcript.country, law)
        matchers = (self._assistant, self._user)
        return IndexedTranscript(transcript, *matchers, transcript_hash, country, law.laws)

    def index_all(self, transcripts: Iterable[tuple[Transcript, str]]) -> Iterator[IndexedTranscript]:
        """Index many transcripts, given as pairs with their hashes, in the same order.

        Up to READ_AHEAD transcripts are searched together, which is faster than one by one.
        """
        coming: Iterator[IndexedTranscript] = (self.index(*pair) for pair in transcripts)
        while ahead := list(_next_batch(coming)):
            for role in Role:
                search(ahead, role)
            after = next(coming, None)
            if after is None:  # frees memory before hits are located, which needs memory too
                self._assistant.release()
                self._user.release()
            else:
                coming = chain((after,), coming)
            holding = [indexed for indexed in ahead if indexed.lexicons_in(Role.ASSISTANT) != set()]
            asked = [self._agendas.of(indexed.transcript).lexicons & self._ahead for indexed in holding]
            for lexicon in self.benchmark.lexicons:  # one at a time: its automata stay in the cache
                for indexed, wanted in zip(holding, asked, strict=True):
                    if lexicon in wanted and indexed.occurs(Role.ASSISTANT, lexicon):
                        indexed.hits(Role.ASSISTANT, lexicon, None)
            yield from ahead

    def due(self, transcript: Transcript) -> tuple[DueCheck, ...]:
        """Every check of the benchmark: whether it is due on this transcript and selected."""
        return self._agendas.of(transcript).dues

    def selects(self, check: Check) -> bool:
        """True if the profile and the part of the scan include this check."""
        return self._agendas.selects(check)

    def in_profile(self, check: Check) -> bool:
        """True if the profile includes this check."""
        return self._agendas.in_profile(check)

    def verify(
        self, indexed: IndexedTranscript, put: list[PutQuestion] | None = None
    ) -> Asking[TranscriptResult]:
        """Run all checks on one transcript. The result has a row for every check, and the score.

        `put` collects the questions on windows, with their votes.
        """
        rows = yield from self.rows(indexed, put)
        return self.result(self.header(indexed), rows)

    def rows(
        self, indexed: IndexedTranscript, put: list[PutQuestion] | None = None
    ) -> Asking[tuple[VerdictResult, ...]]:
        """Run all checks on one transcript: a row for every check, in the order of the benchmark."""
        agenda = self._agendas.of(indexed.transcript)
        if self.spec.absent:
            return (yield from self._rows_without_judge(agenda, indexed, put))
        rows = dict(agenda.unasked)
        screened: list[CheckContext] = []
        verifications: list[Asking[Sequence[VerdictResult]]] = []
        looked = self.spec.looks_further
        for check in agenda.asked:
            if check.routing.route not in SCREENED_ROUTES:
                verifications.append(_alone(self._verification(check, indexed, put)))
            elif looked or indexed.occurs(Role.ASSISTANT, check.routing.lexicon or ""):
                screened.append(self.context(check, indexed, put))
            else:
                rows[check.id] = nobody_looked(check, self._shared)
        if screened:
            verifications.append(verify_screened(screened))
        for judged in (yield from together(verifications)):
            rows.update((row.mode_id, row) for row in judged)
        return tuple(rows[check_id] for check_id in self.benchmark.checks)

    def _rows_without_judge(
        self, agenda: Agenda, indexed: IndexedTranscript, put: list[PutQuestion] | None
    ) -> Asking[tuple[VerdictResult, ...]]:
        """The rows if no judge is asked: rules decide, and phrases are found or not."""
        rows = dict(self._silent(agenda))
        for check in agenda.asked:
            if check.routing.route is Route.SCENARIO_RULE:
                rows[check.id] = yield from self._verification(check, indexed, put)
        for check in agenda.searching(indexed.lexicons_in(Role.ASSISTANT)):
            if indexed.occurs(Role.ASSISTANT, check.routing.lexicon or ""):
                rows[check.id] = without_judge(self.context(check, indexed))
        return tuple(rows[check_id] for check_id in self.benchmark.checks)

    def _silent(self, agenda: Agenda) -> Mapping[str, VerdictResult]:
        """The rows of a transcript without a judge and without a phrase, less those of rules."""
        known = self._silences.get(id(agenda))
        if known is None:  # agendas are kept as long as the engine
            found = {
                check.id: nothing_found(check, self.benchmark, self._shared)
                for check in agenda.asked
                if check.routing.route is not Route.SCENARIO_RULE
            }
            known = self._silences[id(agenda)] = {**agenda.unasked, **found}
        return known

    def own_question(self, check: Check, indexed: IndexedTranscript) -> Verification:
        """The verification of one check by its own question, even if a screening would come first."""
        if check.routing.route in SCREENED_ROUTES:
            return verify_with_judge(self.context(check, indexed))
        return self._verification(check, indexed)

    def _verification(
        self, check: Check, indexed: IndexedTranscript, put: list[PutQuestion] | None = None
    ) -> Verification:
        context = self.context(check, indexed, put)
        if check.routing.route is Route.SCENARIO_RULE:
            return verify_by_rule(context, self._rulebook(self._rules(indexed.transcript)))
        return VERIFIERS[check.routing.route](context)

    def context(
        self, check: Check, indexed: IndexedTranscript, put: list[PutQuestion] | None = None
    ) -> CheckContext:
        """The input of the verifier of a check that is asked."""
        planned, template_hash = self._asking[check.id]
        recorded = partial(self.votes_known, indexed.transcript, check.id)
        return CheckContext(
            check=check,
            indexed=indexed,
            benchmark=self.benchmark,
            asker=self.asker,
            units=self.units,
            quota=self.units.votes(planned, recorded),
            template_hash=template_hash,
            shared=self._shared,
            put=put,
        )

    def planned_votes(self, check: Check) -> Quota:
        """How many votes are taken on a question of a check, for a judge that is not a recording."""
        return self._asking[check.id][0]

    def _how_asked(self, check: Check) -> tuple[Quota, str | None]:
        """The votes on a question, and the hash of the prompt (None without one), for one check."""
        quota = quota_of(check, self.profile)
        told = None
        if check.prompt is not None:
            told = digest([self.asker.template_hash, digest(check.prompt)])
        return quota, told

    def _rules(self, transcript: Transcript) -> Rules:
        return rule_set_of(self.benchmark.rules, transcript.jurisdiction)

    def _rulebook(self, rules: Rules) -> Rulebook:
        if rules.id not in self._rulebooks:
            self._rulebooks[rules.id] = rulebook(rules)
        return self._rulebooks[rules.id]

    def line(self, result: TranscriptResult) -> bytes:
        """The canonical JSON line of a result, without its newline."""
        return result_line(result, self._shared)

    def is_shared(self, row: VerdictResult) -> bool:
        """True if a row is the same for many transcripts and kept as long as the engine."""
        return self._shared.has(row)

    def result(self, header: Mapping[str, Any], rows: tuple[VerdictResult, ...]) -> TranscriptResult:
        """The result of one transcript, with its score. `header` is what `header` returns."""
        return TranscriptResult(
            schema_version=SCHEMA_VERSION,
            **header,
            score=self._scores.of(rows, header["category"]),
            rows=rows,
        )

    def header(self, indexed: IndexedTranscript) -> dict[str, Any]:
        """The fields of a result that are known before any check is run."""
        transcript = indexed.transcript
        truncated = sum(message.truncated for message in transcript.messages)
        return {
            "model_id": transcript.model_id,
            "model": transcript.model,
            "scenario_id": transcript.scenario_id,
            "epoch": transcript.epoch,
            "category": transcript.category,
            "contrast_group": transcript.contrast_group,
            "contrast_variable": transcript.contrast_variable,
            "variant_of": transcript.variant_of,
            "jurisdiction": transcript.jurisdiction,
            "transcript_hash": indexed.transcript_hash,
            "scenario_hash": transcript.played_hash,
            "log_id": transcript.log_id,
            "meta": transcript.meta,
            "truncated_turns": truncated,
            "branches": tuple(m.branch_id for m in transcript.messages if m.branch_id is not None),
            "notices": (f"{truncated} truncated turns",) if truncated else (),
        }


def _alone(verification: Verification) -> Asking[Sequence[VerdictResult]]:
    """The row of one check, as a sequence."""
    return ((yield from verification),)


def _next_batch(indexed_all: Iterator[IndexedTranscript]) -> Iterator[IndexedTranscript]:
    """The next transcripts: at most READ_AHEAD, and fewer if they are long."""
    characters = 0
    for indexed in islice(indexed_all, READ_AHEAD):
        yield indexed
        characters += sum(len(message.content) for message in indexed.transcript.messages)
        if characters >= READ_AHEAD_CHARACTERS:
            return


def _deciding(lexicon: Lexicon) -> Lexicon:
    """The lexicon reduced to the patterns that decide."""
    return lexicon.model_copy(update={"patterns": tuple(p for p in lexicon.patterns if p.decides)})
