"""Where the candidates of a pilot come from: real replies, reference assistants, and written exchanges."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from ib.engine.votes.windows import windows
from ib.errors import DataError
from ib.models.benchmark.check import Check, Due
from ib.models.benchmark.pilot import ReplySource, Written, WrittenExchange
from ib.models.common.base import Role, Route, State, Unit, Verdict
from ib.models.conversation.transcript import Anchor, Message, Transcript
from ib.models.scan.votes import VoteRecord
from ib.store.files.reading import raw_lines
from ib.store.files.validation import Model, decoded_line, load_yaml, model_of_line
from ib.store.files.yaml_json import parse_json
from tools.pilot.candidates import Candidate, judged_turns

CLIPPED = 1_500
"""Labeled windows have replies that were cut off after this many characters."""
WIDEST = 3
"""The most turns of a window that no author marked."""
WRITTEN_MODEL = "written/written"
"""What stands in the place of a model for written exchanges."""
DECIDED = (Verdict.PASS, Verdict.FAIL, Verdict.NOT_APPLICABLE)


@dataclass(frozen=True)
class Told:
    """What is known about a check on one conversation: a verdict, and the words that it rests on."""

    meant: str | None
    turns: tuple[int, ...] = ()
    """The turns of the assistant's quotes."""
    quotes: tuple[tuple[int, str], ...] = ()
    """The assistant's quotes, each with its turn."""


def lines(model: type[Model], path: Path) -> Iterator[Model]:
    """The lines of a JSONL file as models. Raises DataError at the first line that does not fit."""
    for number, raw in raw_lines(path, path.name):
        row = model_of_line(model, raw, path.name, number)
        if isinstance(row, list):
            raise DataError(row)
        yield row


@dataclass(frozen=True)
class Real:
    """Transcripts of real models, with recorded votes."""

    transcripts: tuple[tuple[str, Transcript], ...]
    """Each with the name of its file."""
    votes: Mapping[tuple[str, str, str], VoteRecord]
    """By model, scenario and check."""
    labeled: tuple[tuple[str, dict[str, Any]], ...]
    """Windows that a person labeled, each with the name of its file."""

    @classmethod
    def load(cls, folder: Path) -> Real:
        """The files of a folder: `*.transcripts.jsonl.gz`, `*.votes.jsonl.gz` and `gold-*.jsonl`."""
        found = sorted(folder.glob("*.transcripts.jsonl*"))
        if not found:
            allowed = "files named *.transcripts.jsonl.gz"
            raise DataError.one(folder, None, "", "has no transcripts", allowed)
        votes = (row for path in sorted(folder.glob("*.votes.jsonl*")) for row in lines(VoteRecord, path))
        return cls(
            tuple((path.name, one) for path in found for one in lines(Transcript, path)),
            {(row.model_id, row.scenario_id, row.check_id): row for row in votes if row.eligible},
            tuple(
                (path.name, parse_json(decoded_line(raw, path.name, number), path.name, number))
                for path in sorted(folder.glob("gold-*.jsonl"))
                for number, raw in raw_lines(path, path.name)
            ),
        )

    def candidates(self, check: Check) -> Iterator[Candidate]:
        """The windows of real conversations on which the check was judged.

        If no vote on the check is recorded, those on which it is due by the tags or, if there are none, all.
        """
        if any(label["check_id"] == check.id for _, label in self.labeled):
            yield from self._labeled(check)
            return
        rows = [
            (file, transcript, self.votes.get((transcript.model_id, transcript.scenario_id, check.id)))
            for file, transcript in self.transcripts
        ]
        chosen = [row for row in rows if row[2] is not None]
        chosen = chosen or [row for row in rows if check.due(row[1].circumstances) is Due.YES]
        for file, transcript, votes in chosen or rows:
            yield from _of(check, ReplySource.REAL, file, transcript, _told(votes))

    def _labeled(self, check: Check) -> Iterator[Candidate]:
        for file, label in self.labeled:
            if label["check_id"] == check.id:
                before = int(label["cue_turn"]) - 1
                messages = tuple(
                    _message(said, before) for said in label["messages"] if said["turn"] > before
                )
                last = messages[-1].turn
                anchor = Anchor(cue_turn=1, from_turn=1, to_turn=last, checks=(check.id,))
                card = {"model_id": label["card_id"], "model": label["model"], "anchors": (anchor,)}
                transcript = Transcript(**card, scenario_id=label["scenario_id"], messages=messages)
                turns, meant = tuple(range(1, last + 1)), str(label["label"])
                yield Candidate(ReplySource.REAL, file, transcript, turns, meant, person=meant)


def _message(said: Mapping[str, Any], before: int) -> Message:
    """A message of a labeled window, whose first turn becomes turn 1."""
    content, role = str(said["content"]), Role(said["role"])
    clipped = role is Role.ASSISTANT and len(content) >= CLIPPED
    return Message(turn=int(said["turn"]) - before, role=role, content=content, truncated=clipped)


def _told(row: VoteRecord | None) -> Told:
    """What the recorded votes say. Divided votes leave it open."""
    if row is None:
        return Told(None)
    agreed = len(set(row.votes)) <= 1 or row.verdict is Verdict.FAIL
    meant = row.verdict.value if agreed and row.verdict in DECIDED else None
    quotes = tuple((e.turn, e.quote) for e in row.evidence if e.role is Role.ASSISTANT)
    return Told(meant, tuple(sorted({turn for turn, _ in quotes})), quotes)


@dataclass(frozen=True)
class Reference:
    """Conversations of the reference assistants, from a folder that `ib demo` made, and known answers."""

    transcripts: Mapping[tuple[str, str], Transcript]
    rows: Mapping[tuple[str, str, str], Mapping[str, Any]]
    known: Mapping[tuple[str, str, str], str]

    @classmethod
    def load(cls, demo: Path, known: Path) -> Reference:
        """The conversations and rows of a demonstration, and the file of known answers."""
        every = lines(Transcript, demo / "run" / "transcripts.jsonl")
        rows: dict[tuple[str, str, str], Mapping[str, Any]] = {}
        for number, raw in raw_lines(demo / "scan" / "results.jsonl", "results.jsonl"):
            result = parse_json(decoded_line(raw, "results.jsonl", number), "results.jsonl", number)
            for row in result["rows"]:
                rows[result["model_id"], result["scenario_id"], row["mode_id"]] = row
        cells = yaml.safe_load(known.read_text(encoding="utf-8"))["cells"]
        return cls(
            {(one.model_id, one.scenario_id): one for one in every},
            rows,
            {
                (f"reference/{cell['character']}", scenario, cell["check"]): cell["verdict"]
                for cell in cells
                for scenario in cell["scenarios"]
            },
        )

    def candidates(self, check: Check) -> Iterator[Candidate]:
        """The windows of the demonstration on which the check is due; open where no answer was known."""
        for (model_id, scenario), transcript in self.transcripts.items():
            row = self.rows.get((model_id, scenario, check.id))
            if row is None or row["state"] not in (State.JUDGED, State.NOT_RUN):
                continue
            meant = self.known.get((model_id, scenario, check.id))
            evidence = row["evidence"] if row["verdict"] == meant else ()
            quotes = tuple((e["turn"], e["quote"]) for e in evidence if e["role"] == Role.ASSISTANT)
            told = Told(meant, tuple(sorted({turn for turn, _ in quotes})), quotes)
            yield from _of(check, ReplySource.REFERENCE, model_id, transcript, told)


def _of(
    check: Check, source: ReplySource, file: str, transcript: Transcript, told: Told
) -> Iterator[Candidate]:
    """The candidates of one conversation, in the unit of the check."""

    def one(turns: Sequence[int], meant: str | None, claim: tuple[int, int] | None = None) -> Candidate:
        pointed = any(turn in told.turns for turn in turns)
        return Candidate(source, file, transcript, tuple(turns), meant, claim, pointed=pointed)

    replied = [m.turn for m in transcript.messages if m.role is Role.ASSISTANT]
    unit = check.routing.unit_of_analysis
    if check.routing.route is Route.EXTRACT_THEN_CORPUS:
        for turn, quote in told.quotes:
            begin = one((turn,), None).reply(turn).find(quote)
            if begin >= 0:
                yield one((turn,), told.meant, (begin, begin + len(quote)))
    elif unit is Unit.SESSION_STATE:
        yield one(range(1, transcript.turns + 1), told.meant)
    elif unit is Unit.EVENT_WINDOW:
        yield from _event_windows(check, transcript, told, one)
    else:
        # A FAIL of a whole conversation says nothing about a reply that no quote is from.
        for turn in replied:
            failed = told.meant == Verdict.FAIL and turn not in told.turns
            yield one((turn,), None if failed else told.meant)


def _event_windows(
    check: Check, transcript: Transcript, told: Told, make: Callable[..., Candidate]
) -> Iterator[Candidate]:
    """The windows that an author marked or, without any, the turns that the evidence is from."""
    marked = [window for window in windows(check, transcript).windows if window.cues]
    for window in marked:
        turns = judged_turns(window.span)
        failed = len(marked) == 1 or any(turn in turns for turn in told.turns)
        # Only the window that the evidence is from is known to have failed.
        yield make(turns, told.meant if told.meant != Verdict.FAIL or failed else None)
    if not marked and told.turns:
        first = told.turns[0]
        yield make(range(first, min(told.turns[-1], first + WIDEST - 1) + 1), told.meant)


def load_written(path: Path) -> tuple[WrittenExchange, ...]:
    """The written exchanges."""
    return load_yaml(Written, path).exchanges


def written_candidates(
    check_id: str, unit: Unit, exchanges: Iterable[WrittenExchange]
) -> Iterator[Candidate]:
    """The written exchanges about a check. The last reply is judged; for a session, the whole."""
    for exchange in exchanges:
        if exchange.check != check_id:
            continue
        said = [(message.role.value, message.content) for message in exchange.messages]
        name = f"written-{exchange.id}"
        transcript = Transcript.from_messages(WRITTEN_MODEL, name, said, country=exchange.country)
        last = transcript.turns
        if unit is Unit.EVENT_WINDOW:
            anchor = Anchor(cue_turn=last, from_turn=last, to_turn=last, checks=(check_id,))
            transcript = transcript.model_copy(update={"anchors": (anchor,)})
        whole = range(1, last + 1) if unit is Unit.SESSION_STATE else (last,)
        claim = None
        if exchange.claim is not None:
            begin = exchange.messages[-1].content.index(exchange.claim)
            claim = (begin, begin + len(exchange.claim))
        yield Candidate(ReplySource.WRITTEN, "written.yaml", transcript, tuple(whole), exchange.meant, claim)
