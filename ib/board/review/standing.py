"""The reviews of a scan, held against its rows, its conversations and its draws."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from ib.board.figures.contrasts import Families
from ib.board.review.deciding import Reviews, by_row, decided_result, decided_verdict, people
from ib.board.review.drawing import gate_keys, is_disputed, item_id
from ib.board.review.earlier import Asked, asked, contradictions
from ib.board.review.items import judged_turns
from ib.board.review.population import Case, cases_of
from ib.models.benchmark.scoring import Scoring
from ib.models.common.base import Role, Verdict
from ib.models.common.canonical import digest
from ib.models.conversation.transcript import Transcript
from ib.models.review.batch import Draw, Purpose
from ib.models.review.reviews import EarlierDraw, Review, RowKey
from ib.models.scan.result import TranscriptResult, VerdictResult


def row_words(key: RowKey) -> str:
    """A row in words."""
    model, scenario, epoch, check = key
    play = "" if epoch is None else f", play {epoch}"
    return f"{check} on {scenario}{play} ({model})"


@dataclass(frozen=True)
class Standing:
    """What the gate asks about reviews."""

    problems: tuple[str, ...]
    """Reviews that do not belong to the rows, the conversations or the draws of the scan."""
    undecided: tuple[str, ...]
    """Open gate verdicts that no person has decided."""
    unread: tuple[str, ...]
    """Unanimous PASSes of the draw for the gate that no person has read."""
    passes: int
    """How many unanimous PASSes must be read."""


@dataclass
class Reviewed:
    """The reviews of a scan. Results come one by one, as the machine gave them."""

    every: tuple[Review, ...]
    scoring: Scoring
    judged: bool = True
    """False for a scan without a judge."""
    earlier: tuple[EarlierDraw, ...] = ()
    """The batches that were drawn from other scans, from which models came."""
    reviews: Reviews = field(init=False)
    problems: list[str] = field(default_factory=list)
    cases: list[Case] = field(default_factory=list)
    """Every verdict of the machine that people could review."""
    families: Families = field(default_factory=Families)
    _seen: set[RowKey] = field(default_factory=set)
    was: dict[RowKey, Verdict] = field(default_factory=dict)
    """What the machine said of each row that was read."""

    def __post_init__(self) -> None:
        self.reviews = by_row(self.every)

    def decide(self, result: TranscriptResult, transcript: Transcript) -> TranscriptResult:
        """The result with what people decided. Notes each review that does not fit its row."""
        self.cases.extend(cases_of(result))
        self.families.add(result)
        for row in result.rows:
            key = (result.model_id, result.scenario_id, result.epoch, row.mode_id)
            if key in self.reviews:
                self._seen.add(key)
                if row.verdict is not None:
                    self.was[key] = row.verdict
                self._compare(key, row, transcript)
        return decided_result(result, self.reviews, self.scoring, judged=self.judged)

    def _compare(self, key: RowKey, row: VerdictResult, transcript: Transcript) -> None:
        turns, row_hash = judged_turns(row, transcript), digest(row)
        replies = [m for m in transcript.messages if m.role is Role.ASSISTANT and m.turn in turns]
        for review in self.reviews[key]:
            who = f"{review.reader.pseudonym}: {row_words(key)}"
            if review.row_hash != row_hash:
                self.problems.append(f"{who}: the review is of another row")
            for span in review.evidence:
                said = any(
                    m.turn == span.turn and m.content[span.start : span.end] == span.quote for m in replies
                )
                if span.role is not Role.ASSISTANT or not said:
                    self.problems.append(f"{who}: the marked words are not in turn {span.turn}")

    def standing(self, results_hash: str) -> Standing:
        """What the gate asks, after all results. `results_hash` is that of the results of the machine."""
        for key in self.reviews.keys() - self._seen:
            self.problems.append(f"{row_words(key)}: the scan has no such row")
        for key, told in self.reviews.items():
            if len({one.dispute for one in told if one.dispute is not None}) > 1:
                self.problems.append(f"{row_words(key)}: the reviews name two disputes")
        by_batch: defaultdict[tuple[str, Draw], list[Review]] = defaultdict(list)
        for one in self.earlier:
            by_batch[one.batch, one.draw] = []
            self.problems += contradictions(one, self.asked(one.batch, one.draw, results_hash))
        for review in self.every:
            by_batch[review.batch, review.draw].append(review)
        for (batch, draw), reviews in by_batch.items():
            self.problems += self._of_batch(self.asked(batch, draw, results_hash), reviews)
        opened, passes = self._of_gate(results_hash)
        undecided = [key for key in opened if decided_verdict(self.reviews.get(key, ())) is None]
        unread = [key for key in passes if not people(self.reviews.get(key, ()))]
        return Standing(
            tuple(sorted(self.problems)),
            tuple(sorted(map(row_words, undecided))),
            tuple(sorted(map(row_words, unread))),
            len(passes),
        )

    def asked(self, batch: str, draw: Draw, results_hash: str) -> Asked:
        """What a batch asked of the verdicts of the scan."""
        earlier = next((one for one in self.earlier if (one.batch, one.draw) == (batch, draw)), None)
        return asked(self.cases, draw, results_hash, earlier)

    def _of_gate(self, results_hash: str) -> tuple[set[RowKey], set[RowKey]]:
        """The open gate verdicts, and the unanimous PASSes that must be read.

        Of models that came with a draw for the gate, these are the PASSes of that draw.
        """
        given = [one for one in self.earlier if one.draw.purpose is Purpose.GATE]
        came = {model for one in given for model in one.models}
        rest = [case for case in self.cases if case.key[0] not in came]
        _, passes = gate_keys(rest, results_hash) if rest else (set(), set())
        opened = {case.key for case in self.cases if case.is_open}
        for one in given:
            passes |= self.asked(one.batch, one.draw, results_hash).keys - opened
        return opened, passes

    def _of_batch(self, batch: Asked, reviews: Iterable[Review]) -> Iterable[str]:
        """Reviews that the batch did not ask for, and readers who left items out."""
        draw, keys, results_hash = batch.draw, batch.keys, batch.results_hash
        if keys and not reviews:
            yield f"nobody answered the {len(keys)} items of an earlier batch"
        said: defaultdict[str, dict[RowKey, Verdict]] = defaultdict(dict)
        for review in reviews:
            said[review.reader.pseudonym][review.key] = review.verdict
            if review.key not in keys or review.item != item_id(review.key, draw, results_hash):
                yield f"{review.reader.pseudonym}: {row_words(review.key)} is not an item of its draw"
            if (review.dispute is not None) is not is_disputed(review.key, draw, results_hash):
                yield f"{review.reader.pseudonym}: {row_words(review.key)} is not what is disputed"
        for name, left in left_out(keys, said).items():
            yield f"{name}: {len(left)} of {len(keys)} items of a batch have no answer"


def left_out(
    keys: AbstractSet[RowKey], said: Mapping[str, Mapping[RowKey, Verdict]]
) -> dict[str, AbstractSet[RowKey]]:
    """The items of a batch that each reader should have answered and did not.

    A reader answers every item. If two have done so, a further reader may answer only those on which they
    differ.
    """
    whole = [answers for answers in said.values() if answers.keys() >= keys]
    needed = keys if len(whole) < 2 else {key for key in keys if len({one[key] for one in whole}) > 1}
    missing = {name: needed - answers.keys() for name, answers in said.items()}
    return {name: left for name, left in missing.items() if left}


def pairs_of(reviews: Reviews) -> dict[str, Counter[tuple[Verdict, Verdict]]]:
    """For each check, what the first two people by name said about the same rows."""
    found: defaultdict[str, Counter[tuple[Verdict, Verdict]]] = defaultdict(Counter)
    for key, told in reviews.items():
        first = people(told)[:2]
        if len(first) == 2:
            found[key[3]][first[0].verdict, first[1].verdict] += 1
    return dict(found)
