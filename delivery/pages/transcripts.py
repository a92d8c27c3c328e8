"""The transcripts that the release carries: a page for each, with its failures listed and marked."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from delivery.conversation.gaps import cues, failed_windows
from delivery.conversation.moments import Piece, Span, marked, quoted_spans, words_by_turn
from delivery.pages.page import Page
from delivery.release.view import Release
from delivery.words.numbers import words
from delivery.words.pairs import play_alarm
from ib.models.common.base import GRAVEST_FIRST, Role
from ib.models.conversation.scenario import Scenario
from ib.models.release.leaderboard import CheckSummary, EvidenceItem, ModelEntry, ScenarioOfModel
from ib.models.release.pairs import AlarmItem
from ib.models.release.transcripts import CarriedTranscript
from ib.models.scan.gates import worst
from ib.models.scan.letters import Letter

Conversation = tuple[str, int | None]


@dataclass(frozen=True)
class Told:
    """One turn of a transcript."""

    turn: int
    session: int | None
    """The number of the session that begins with this turn."""
    asked: tuple[Piece, ...]
    """The person’s words, with every cue of the scenario marked; empty if the person said nothing."""
    reply: tuple[Piece, ...]
    """The reply, with every quote of the evidence marked; empty if there is none."""
    items: tuple[EvidenceItem, ...]
    """The verdicts that quote this reply, and here those that quote none."""
    first: tuple[int, ...]
    """For each of the verdicts, the first turn at which it stands."""
    again: tuple[EvidenceItem, ...]
    """The verdicts whose failure occurred in this reply, too, without a quote of it."""
    alarms: tuple[AlarmItem, ...]
    """The over-alarms that quote this reply."""
    truncated: bool


@dataclass(frozen=True)
class Unanswered:
    """How many of the checks that were due in a transcript have no answer, and how many of these are gate
    checks.
    """

    due: int
    not_asked: int
    gates_not_asked: int
    unclear: int
    gates_unclear: int
    is_gate_open: bool
    """True if nobody knows whether the transcript has a hard fail."""

    @property
    def answered(self) -> int:
        """The checks with a verdict other than unclear."""
        return self.due - self.not_asked - self.unclear


def unanswered(checks: Sequence[CheckSummary], met: ScenarioOfModel) -> Unanswered:
    """The checks without an answer in one transcript."""
    letters = list(zip(met.verdicts, (check.gate is not None for check in checks), strict=True))
    never = {Letter.INELIGIBLE, Letter.SUPPRESSED}

    def count(letter: Letter, *, gates: bool = False) -> int:
        return sum(one == letter and (is_gate or not gates) for one, is_gate in letters)

    return Unanswered(
        due=sum(one not in never for one, _ in letters),
        not_asked=count(Letter.NOT_RUN),
        gates_not_asked=count(Letter.NOT_RUN, gates=True),
        unclear=count(Letter.UNCLEAR),
        gates_unclear=count(Letter.UNCLEAR, gates=True),
        is_gate_open=worst(gate.state for gate in met.gates.values()).is_undecided,
    )


def pages(release: Release) -> Iterator[Page]:
    """A page for each transcript; nothing for a release that carries none."""
    for model in release.models:
        said = (release.transcripts or {}).get(model.slug)
        if said is None or not said.transcripts:
            continue
        items, alarms = _by_conversation(release, model)
        for one in said.transcripts:
            place = (one.scenario_id, one.epoch)
            yield _page(release, model, one, items[place], alarms[place])


def _by_conversation(
    release: Release, model: ModelEntry
) -> tuple[dict[Conversation, list[EvidenceItem]], dict[Conversation, list[AlarmItem]]]:
    """The evidence of a model by conversation."""
    items: dict[Conversation, list[EvidenceItem]] = defaultdict(list)
    for listed in release.items(model).values():
        for item in listed:
            items[item.scenario_id, item.epoch].append(item)
    alarms: dict[Conversation, list[AlarmItem]] = defaultdict(list)
    for alarm in release.evidence[model.slug].alarms:
        alarms[alarm.scenario_id, alarm.epoch].append(alarm)
    return items, alarms


def _page(
    release: Release,
    model: ModelEntry,
    one: CarriedTranscript,
    items: Sequence[EvidenceItem],
    alarms: Sequence[AlarmItem],
) -> Page:
    path = release.transcript_path(model, one.scenario_id, one.epoch)
    assert path is not None
    name = release.background.title(one.scenario_id) or words(one.scenario_id)
    twin = next((t for t in release.board.twins if t.scenario_id == one.scenario_id), None)
    quoted = alarms[0].grade if alarms else None
    place = (one.scenario_id, one.epoch)
    met = next((m for m in model.scenarios if (m.scenario_id, m.epoch) == place), None)
    scenario = release.background.scenarios.get(one.scenario_id)
    checks = release.benchmark.checks
    ordered = sorted(
        items, key=lambda item: (GRAVEST_FIRST.index(checks[item.check_id].severity), _first_turn(item))
    )
    view = {
        "model": model,
        "transcript": one,
        "name": name,
        "items": ordered,
        "unanswered": None if met is None else unanswered(release.board.checks, met),
        "alarms": alarms,
        "twin": twin,
        "over_alarm": None if twin is None else play_alarm(model, one.scenario_id, quoted),
        "turns": tuple(_turns(one, scenario, ordered, alarms)),
    }
    return Page(
        f"{path.removesuffix('/')}.md", "transcript.html", f"{name}: {model.model}", view, search=False
    )


def _first_turn(item: EvidenceItem) -> int:
    """The turn of the first quote; verdicts without a quote come last."""
    return min((quote.turn for quote in item.quotes), default=10**6)


def _turns(
    one: CarriedTranscript,
    scenario: Scenario | None,
    items: Sequence[EvidenceItem],
    alarms: Sequence[AlarmItem],
) -> Iterator[Told]:
    said, marks = words_by_turn(one), cues(scenario, one)
    sessions = {start.first_turn: start.session for start in one.sessions}
    turns = sorted({turn for turn, _ in said})
    placed = [(item, _turns_of(item, turns)) for item in items]
    for turn in turns:
        reply = said.get((turn, Role.ASSISTANT), "")
        here = [(item, places[0]) for item, places in placed if turn in places]
        alarmed = [alarm for alarm in alarms if any(quote.turn == turn for quote in alarm.quotes)]
        spans = [span for item, _ in here for span in quoted_spans(item).get(turn, ())]
        yield Told(
            turn=turn,
            session=sessions.get(turn),
            asked=marked(said.get((turn, Role.USER), ""), marks.get(turn, ())),
            reply=marked(reply, [*spans, *_alarmed(reply, turn, alarmed)]),
            items=tuple(item for item, _ in here),
            first=tuple(first for _, first in here),
            again=tuple(item for item, places in placed if turn in item.occurred and turn not in places),
            alarms=tuple(alarmed),
            truncated=turn in one.truncated,
        )


def _alarmed(reply: str, turn: int, alarms: Sequence[AlarmItem]) -> Iterator[Span]:
    """Where the quotes of over-alarms stand in a reply."""
    for alarm in alarms:
        for quote in alarm.quotes:
            at = reply.find(quote.quote)
            if quote.turn == turn and at >= 0:
                yield at, at + len(quote.quote)


def _turns_of(item: EvidenceItem, turns: Sequence[int]) -> tuple[int, ...]:
    """The turns at which a verdict stands: those that it quotes, or the last turn that was judged."""
    quoted = tuple(sorted(quoted_spans(item)))
    last = max((last for _, last in failed_windows(item)), default=turns[-1])
    return quoted or (min(last, turns[-1]),)
