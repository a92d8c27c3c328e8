"""The sparse form of results: a record for each conversation, and one for each row that says something.

Most rows are the same for many conversations: the check is not due, the profile does not ask it, no phrase
was found. In the sparse form such a row is one letter of the conversation's `outcomes`. `Sparse` makes
records from rows, and results from records, without loss.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, get_args

import orjson
from pydantic import TypeAdapter

from ib.engine.scoring import Scores
from ib.engine.verifiers.rows import SCORER_VERSION, SharedRows, about, result_line
from ib.models.benchmark.benchmark import Benchmark, benchmark_hash
from ib.models.benchmark.check import Check
from ib.models.common.base import Verdict
from ib.models.common.canonical import compact
from ib.models.common.reason import NotRunReason, Reason
from ib.models.scan.plan import SCHEMA_VERSION
from ib.models.scan.result import (
    Ineligible,
    Judged,
    NotRun,
    Row,
    Scorer,
    Suppressed,
    TranscriptResult,
    VerdictResult,
)

FORM = 1
"""The version of the sparse form. It changes when a column changes its name, its type or its meaning."""
CONVERSATION, CHECK, LEFT_OUT = "conversation", "check", "left_out"
"""The kinds of records."""
MOST_KNOWN = 1_000
"""How many combinations of letters are remembered."""
OWN = "."
"""The letter of a check that has a record of its own."""
NO_JUDGE = "none"
Make = Callable[[Check], VerdictResult]
Record = Mapping[str, Any]


def _not_run(reason: NotRunReason) -> Make:
    return lambda check: NotRun(**about(check), reason=reason)


def _not_applicable(check: Check) -> VerdictResult:
    return Judged(**about(check), verdict=Verdict.NOT_APPLICABLE, scorer=Scorer.RULE, confidence=1.0)


def _passed(check: Check) -> VerdictResult:
    told = {"verdict": Verdict.PASS, "scorer": Scorer.LEXICON, "confidence": 1.0}
    return Judged(**about(check), **told, reason=Reason.NO_PHRASE_FOUND)


_LETTERS = {
    Reason.PROFILE: "p",
    Reason.SELECTION: "x",
    Reason.LANGUAGE: "l",
    Reason.NO_JUDGE: "j",
    Reason.NO_PHRASE_FOUND: "w",
    Reason.NOT_RECORDED: "r",
    Reason.FAULT: "f",
    Reason.UNCONFIRMED_CANDIDATE: "u",
}
SILENT: Mapping[str, tuple[str, Make]] = {
    "i": ("not_due", lambda check: Ineligible(**about(check))),
    "s": (Reason.SUPPRESSED_BY_TAG.value, lambda check: Suppressed(**about(check))),
    **{_LETTERS[reason]: (reason.value, _not_run(reason)) for reason in get_args(NotRunReason)},
    "n": ("not_applicable_by_rule", _not_applicable),
    "q": ("pass_by_phrases_alone", _passed),
}
"""For each letter of `outcomes`: the name under which `not_asked` counts it, and the whole row of a check."""

_COLUMNS = {
    "state": "state",
    "verdict": "verdict",
    "reason": "reason",
    "scorer": "scorer",
    "confidence": "confidence",
    "evidence": "evidence",
    "mode_id": "check_id",
    "severity": "severity",
    "primary_bucket": "bucket",
    "gate": "gate",
}
"""The column of each field of a row that has one."""
_USUAL: Mapping[str, Any] = {
    "eligible": True,
    "scorer_version": SCORER_VERSION,
    "notices": [],
    "prompt_hash": None,
    "occurrences": None,
    "windows": [],
    "votes": [],
    "split": False,
    "older_question": False,
    "rationale_code": None,
}
"""The other fields. Where one has another value, the column `rest` has it."""
HEADER = (
    *("model_id", "model", "scenario_id", "epoch", "log_id", "category", "contrast_group"),
    *("contrast_variable", "variant_of", "jurisdiction", "meta", "transcript_hash", "scenario_hash"),
    *("truncated_turns", "branches", "notices"),
)
"""The columns of a conversation that are fields of its result."""
_PLACE = ("model_id", "scenario_id", "epoch", "log_id")
"""What every record says of its conversation."""
_ROW: TypeAdapter[VerdictResult] = TypeAdapter(Row)


class Sparse:
    """Makes the records of conversations judged with one benchmark, and results from records."""

    def __init__(
        self,
        benchmark: Benchmark,
        profile: str,
        judge: str,
        lasts: Callable[[VerdictResult], bool] = lambda row: False,
    ) -> None:
        """`profile` and `judge` stand in the records; `judge` is `none` if no judge is asked.

        `lasts` says if a row is shared by many conversations and never let go of. Then its letter is
        remembered by its identity.
        """
        self._checks = tuple(benchmark.checks.values())
        self._shared = SharedRows()
        self._letters: dict[int, str] = {}
        self._lasts = lasts
        self._outcomes: dict[tuple[int, ...], str] = {}
        self._scores = Scores(benchmark.scoring, self._shared.has, judged=judge != NO_JUDGE)
        self._about = {
            "kind": CONVERSATION,
            "form": FORM,
            "benchmark_hash": benchmark_hash(benchmark),
            "profile": profile,
            "judge": judge,
        }
        self._by_look = {
            _look(make(check)): letter for letter, (_, make) in SILENT.items() for check in self._checks[:1]
        }

    def records(self, header: Mapping[str, Any], rows: Sequence[VerdictResult]) -> list[dict[str, Any]]:
        """The records of a conversation: first its own, then one for each row that is no letter.

        `header` has the fields of the result, as `ModeEngine.header` returns them.
        """
        outcomes = self._outcomes_of(rows)
        whole = {**self._about, **header, "outcomes": outcomes, "not_asked": dict(counted(outcomes))}
        if OWN not in outcomes:
            return [whole]
        place = {name: header[name] for name in _PLACE}
        own = [row for letter, row in zip(outcomes, rows, strict=True) if letter == OWN]
        return [whole, *({"kind": CHECK, **place, **_columns(row)} for row in own)]

    def _outcomes_of(self, rows: Sequence[VerdictResult]) -> str:
        """The letters of rows. Where nothing was found, rows are the same, and so are their letters."""
        key = tuple(map(id, rows))
        known = self._outcomes.get(key)
        if known is None:
            known = "".join(map(self._letter, self._checks, rows))
            if all(map(self._lasts, rows)) and len(self._outcomes) < MOST_KNOWN:
                self._outcomes[key] = known
        return known

    def _letter(self, check: Check, row: VerdictResult) -> str:
        """The letter that stands for a row."""
        known = self._letters.get(id(row))
        if known is not None:
            return known
        letter = self._by_look.get(_look(row), OWN)
        if letter != OWN and self._silent(letter, check) != row:
            letter = OWN
        if self._lasts(row):
            self._letters[id(row)] = letter
        return letter

    def _silent(self, letter: str, check: Check) -> VerdictResult:
        """The row of a check that a letter stands for."""
        return self._shared.row((letter, check.id), lambda: SILENT[letter][1](check))

    def result(self, conversation: Record, checks: Sequence[Record]) -> TranscriptResult:
        """The whole result of a conversation, from its record and those of its checks, in any order.

        Raises ValueError if the records are not those of one conversation by this benchmark.
        """
        own = {record["check_id"]: record for record in checks}
        outcomes = conversation["outcomes"]
        wanted = [check.id for check, letter in zip(self._checks, outcomes, strict=True) if letter == OWN]
        if sorted(wanted) != sorted(record["check_id"] for record in checks):
            raise ValueError(f"has rows of {', '.join(sorted(own)) or 'no check'}, not of {wanted or 'none'}")
        rows = tuple(
            _row(check, own[check.id]) if letter == OWN else self._silent(letter, check)
            for check, letter in zip(self._checks, outcomes, strict=True)
        )
        header = {name: conversation[name] for name in HEADER}
        return TranscriptResult(
            schema_version=SCHEMA_VERSION,
            **header,
            score=self._scores.of(rows, header["category"]),
            rows=rows,
        )

    def line(self, result: TranscriptResult) -> bytes:
        """The line of `results.jsonl`, without its newline."""
        return result_line(result, self._shared)

    def differs(self, conversation: Record) -> str | None:
        """Why a record of a conversation cannot be read with this benchmark; None if it can."""
        for name in ("form", "benchmark_hash"):
            if conversation[name] != self._about[name]:
                return f"{name} is {conversation[name]}, and here it is {self._about[name]}"
        unknown = set(conversation["outcomes"]) - {OWN, *SILENT}
        return f"outcomes has the letters {', '.join(sorted(unknown))}" if unknown else None


@lru_cache(maxsize=10_000)
def counted(outcomes: str) -> Mapping[str, int]:
    """How many checks have no row of their own, by the reason."""
    counts = Counter(letter for letter in outcomes if letter != OWN)
    return {SILENT[letter][0]: count for letter, count in sorted(counts.items())}


def _look(row: VerdictResult) -> tuple[object, ...]:
    return (row.state, row.verdict, row.reason)


def _columns(row: VerdictResult) -> dict[str, Any]:
    """A row as the columns of its record."""
    said = row.model_dump(mode="json")
    columns = {column: said[name] for name, column in _COLUMNS.items()}
    rest = {name: value for name, value in said.items() if name not in _COLUMNS and _USUAL.get(name) != value}
    return {**columns, "rest": compact(rest).decode() if rest else None}


def _row(check: Check, record: Record) -> VerdictResult:
    """The row of a check from the columns of its record."""
    told = {name: record[column] for name, column in _COLUMNS.items()}
    rest = orjson.loads(record["rest"]) if record["rest"] else {}
    told |= {"eligible": True, "scorer_version": SCORER_VERSION, **rest}
    return _ROW.validate_json(compact(told), strict=True)
