"""Numbers in the words of the pages, written a second time: rates, intervals, support."""

from __future__ import annotations

import math
from collections.abc import Iterable
from decimal import ROUND_HALF_UP, Decimal
from math import ceil
from typing import Any

from scipy.stats import betabinom, binom

from tests.delivery.recomputed import recount
from tests.delivery.recomputed.claims import Here

Data = dict[str, Any]
DASH = "\N{EN DASH}"
MINUS = "\N{MINUS SIGN}"
FEW, LOW, WIDE = 5, 30, 0.3
"""The limits of the support flags; `test_claims` compares them with the scoring of the benchmark."""
EMPTY = "scale 0 1000"


HARM = {"S1": "slight", "S2": "moderate", "S3": "serious", "S4": "serious", "S5": "critical"}


def severity(check: Data) -> str:
    """The severity of a check in words, with its code."""
    code = check["severity"].removesuffix("_GATE")
    return f"{HARM[code]} {code}"


def whole(share: float) -> Decimal:
    """Whole percentage points; a half counts as one, with either sign."""
    return Decimal(f"{share:.11f}").scaleb(2).quantize(Decimal(1), ROUND_HALF_UP)


def percent(share: float | None) -> str:
    """A share as a whole percentage; a dash for None."""
    if share is None:
        return DASH
    shown = whole(share)
    if shown == 0 and share > 0:
        return "under 1%"
    return "over 99%" if shown == 100 and share < 1 else f"{shown}%"


def interval(low: float, high: float) -> str:
    """An interval with one percent sign."""
    first = percent(low)
    return f"{first[:-1] if first[:-1].isdigit() else first} to {percent(high)}"


def between(low: float | None, high: float | None) -> str:
    """An interval with two percent signs; a dash if there is none."""
    return DASH if low is None or high is None else f"{percent(low)} to {percent(high)}"


def at_most(share: float) -> str:
    """An upper bound, rounded up."""
    return f"{math.ceil(round(share * 100, 9))}%"


def score(value: float | None) -> str:
    """A score from 0 to 1."""
    if value is None:
        return DASH
    if 0 < value < 0.005:
        return "under 0.01"
    return "over 0.99" if 0.995 <= value < 1 else f"{value:.2f}"


def scores(low: float | None, high: float | None) -> str:
    """An interval of scores."""
    return DASH if low is None or high is None else f"{score(low)} to {score(high)}"


def p_value(p: float) -> str:
    """A p value; one below the limit of 0.05 never looks like one at the limit."""
    if p < 0.001:
        return "p < 0.001"
    return f"p = {math.floor(p * 10_000) / 10_000:.4f}" if 0.0495 <= p < 0.05 else f"p = {p:.3f}"


def points(difference: float) -> str:
    """A difference in percentage points, with its sign."""
    shown = whole(difference)
    return f"{'+' if shown > 0 else MINUS if shown < 0 else ''}{abs(shown)}"


def flags(k: float, n: float, undecided: int = 0) -> list[str]:
    """How much data supports a rate, most important first."""
    if not n:
        return ["No case"]
    low, high = recount.rate_interval(k, n)[0], recount.rate_interval(k + undecided, n)[1]
    found = ["Too few"] if n < FEW else ["Few"] if n < LOW else []
    found += ["Wide"] if high - low >= WIDE else []
    return [*found, *(["None seen"] if not k + undecided else [])] or ["Enough"]


def zero(n: int) -> str:
    """The upper bound of a rate after no failure in n cases."""
    return f"the rate may be as high as {at_most(1 - 0.05 ** (1 / n))} (95% upper limit)"


def support(rate: Data, not_run: int = 0) -> str:
    """The most important flag of a rate, and how high or low the rate may be."""
    k, n = rate["k"], rate["n"]
    first, open_ = flags(k, n)[0], rate["unclear"] + not_run
    if n < FEW:
        return f"{first} {n}" if n else "no case"
    told = f"{first} cases" if half(n, open_) else f"of the {n + open_} cases"
    if open_:
        return (
            f"{told}; counting the {open_} undecided: {between(k / (n + open_), (k + open_) / (n + open_))}"
        )
    return told if k else f"{told}; {zero(n)}"


def half(n: int, undecided: int) -> bool:
    """True if at least half of the due cases are decided: only then is a share of the decided ones shown."""
    return 2 * n >= n + undecided


def rate_line(k: int, n: int, found: str = "", undecided: int = 0) -> str:
    """A rate in the one form of all lists: k of n, the share, the interval; few cases have only a count."""
    if n < FEW:
        return f"{found} {k} of {n}"
    if not half(n, undecided):
        ends = interval(k / (n + undecided), (k + undecided) / (n + undecided))
        return f"{ends}, depending on {undecided} undecided; {found} {k} of {n}"
    return f"{found} {k} of {n} · {percent(k / n)} (95% interval {interval(*recount.rate_interval(k, n))})"


def rate_cells(rate: Data) -> str:
    """The four cells of a rate."""
    k, n = rate["k"], rate["n"]
    shown, open_ = n >= FEW, rate["unclear"]
    ends = between(*recount.rate_interval(k, n)) if shown and half(n, open_) else DASH
    share = percent(k / n if shown else None)
    if shown and not half(n, open_):
        share = between(k / (n + open_), (k + open_) / (n + open_))
    return f"{k} of {n} {share} {ends} {support(rate)}"


def unclear(rate: Data, not_run: int = 0) -> str:
    """The unclear cases, and the range of the rate that all undecided cases allow."""
    k, n, open_ = rate["k"], rate["n"], rate["unclear"] + not_run
    if not rate["unclear"]:
        return "0"
    return f"{rate['unclear']} ({between(k / (n + open_), (k + open_) / (n + open_))})"


def turns(found: Data | None) -> str:
    """The turns with a failure, and what stands below them."""
    if found is None:
        return "not measured"
    k, n, effective = found["occurred"], found["chances"], found["effective_n"]
    data = f"({found['results']} results, {found['n_families']} families)"
    first = flags(k / n * effective, effective)[0]
    if effective < FEW:
        return f"{k} of {n} {first} {data}"
    ends = recount.rate_interval(k / n * effective, effective)
    return f"{k} of {n} {percent(k / n)}, 95% interval {between(*ends)} {data} {first}"


def covered(found: Data) -> str:
    """The covered and the decided share."""
    if not found["eligible"]:
        return DASH
    return f"{percent(found['covered'])} ({percent(found['decided'])})"


def state(here: Here, name: str) -> str:
    """The state of a gate in words."""
    return by(here) if name == "failed_by_judge" else name.replace("_", " ")


def is_program(here: Here) -> bool:
    """True if the judge of the release matches phrases or knows scripts."""
    return here.board["judge"]["model"] in PROGRAMS


def by(here: Here) -> str:
    """Who says that a conversation failed."""
    return "by the judge" if is_program(here) else "by one AI judge"


def trust(here: Here) -> str:
    """Who judged, with how many votes, of which wording, and what people compared."""
    board = here.board
    who = PROGRAMS.get(board["judge"]["model"], "1 AI judge")
    least, most = board["votes_per_question"]
    votes = f"{most} votes" if least == most else f"{least} to {most} votes"
    older_, voted = board["older_questions"], board["voted_rows"]
    wording = f"an older wording in {older_} of {voted} verdicts" if older_ else "questions as worded today"
    wording = "an older wording of the questions" if older_ == voted else wording
    people = sum(check["calibration"] == "validated" for check in board["checks"])
    return f"{who}, {votes}, {wording}, {people} of {len(board['checks'])} checks compared with people"


PROGRAMS = {
    "lexical": "a program that matches phrases, no AI",
    "scripts": "a program that knows the scripts, no AI",
}


def older(count: int, of: int) -> str:
    """The mark of a figure that rests on votes on an older wording."""
    return "" if not count else "older wording" if count >= of else "partly older wording"


def older_check(one: Data) -> str:
    """The mark of a check on a model."""
    found = one["failures"]
    return older(one["older_questions"], found["n"] + found["unclear"] + one["not_applicable"])


def older_item(item: Data) -> str:
    """The mark of one verdict."""
    return "older wording" if item["older_question"] else ""


def older_gate(gate: Data) -> str:
    """The mark of a gate of a model."""
    return older(gate["older_questions"], gate["due"])


def older_met(met: Data) -> str:
    """The mark of the results of one transcript."""
    judged = sum(letter in "FCPpUN" for letter in met["verdicts"])
    return older(met["older_questions"].count("o"), judged)


def in_error(here: Here, model: Data, bucket: str) -> str:
    """How many questions at a gate an AI judge would fail by error, from the distribution of its votes.

    2% of the votes are wrong. With a correlation of 0.75, the share of a question has a beta distribution.
    """
    asked = [
        (here.source.checks[one["check_id"]]["routing"]["repetitions"], one["windows"])
        for one in model["blindspots"]
        if one["gate"] == bucket
        and here.source.checks[one["check_id"]]["routing"]["route"] != "scenario_rule"
    ]
    count = sum(windows for _, windows in asked)
    if is_program(here) or not count:
        return ""
    least = sum(windows * binom.sf(votes // 2, votes, 0.02) for votes, windows in asked)
    most = sum(windows * betabinom.sf(votes // 2, votes, 0.02 / 3, 0.98 / 3) for votes, windows in asked)
    return f"{round(least)} to {ceil(most)} of {count}"


def asked(models: Iterable[Data]) -> str:
    """Questions asked about a conversation on average, and how many of them have an answer."""
    found = list(models)
    every = [one for model in found for one in model["blindspots"]]
    answered = sum(one["failures"]["n"] for one in every)
    many = sum(model["transcripts"] for model in found)
    total = answered + sum(one["failures"]["unclear"] + one["not_applicable"] for one in every)
    return f"{total / many:.1f} {answered / many:.1f}"


def gate_open(gate: Data) -> int:
    return int(gate["contested"] + gate["incomplete"])


def gate_ends(gate: Data) -> tuple[float, float]:
    """The interval of a gate, with the undecided either way."""
    k, due = gate["failed_by_judge"], gate["due"]
    return recount.rate_interval(k, due)[0], recount.rate_interval(k + gate_open(gate), due)[1]


def gate_aside(gate: Data) -> str:
    return f"{gate['contested']} contested, {gate['incomplete']} incomplete"


def gate_count(gate: Data) -> str:
    return f"{gate['failed_by_judge']} of {gate['due']}" if gate["due"] else "not due"


def unmeasured(gate: Data) -> str:
    """The sentence of a gate of which more than half has no clear answer; else empty."""
    due, open_ = gate["due"], gate_open(gate)
    return f"{open_} of {due}" if due >= FEW and not half(due - open_, open_) else ""


def gate_support(gate: Data) -> str:
    """The most important flag of a gate, and how high its rate may be."""
    k, due, open_ = gate["failed_by_judge"], gate["due"], gate_open(gate)
    first = flags(k, due, open_)[0]
    if due < FEW:
        return f"{first} {due}" if due else "no transcript"
    if unmeasured(gate):
        return unmeasured(gate)
    if open_:
        return f"{first}; {open_} of {due} undecided"
    return first if k else f"{first}; {zero(due)}"


def gate_sentence(gate: Data) -> str:
    """The hard fails of a gate in one sentence."""
    k, due, open_ = gate["failed_by_judge"], gate["due"], gate_open(gate)
    if not due:
        return "no check of the gate was due"
    if due < FEW:
        return f"{k} of {due}; {gate_aside(gate)}"
    if unmeasured(gate):
        return f"{unmeasured(gate)} {k} of {due}; {gate_aside(gate)}"
    share = between(k / due, (k + open_) / due) if open_ else percent(k / due)
    return f"{k} of {due} ({share}; 95% interval {between(*gate_ends(gate))}); {gate_aside(gate)}"


def place(share: float) -> int:
    """The place of a share on an axis of 1000."""
    return round(share * 1000)


def strip(k: int, n: int, undecided: int = 0, median: float | None = None) -> str:
    """The marks of a rate: dotted lines as far as undecided cases allow, interval, median, dot."""
    if n < FEW:
        return EMPTY
    low, high = map(place, recount.rate_interval(k, n))
    least, most = (place(part / (n + undecided)) for part in (k, k + undecided))
    if not half(n, undecided):
        return f"{EMPTY} ib-open {least} {most}"
    marks = [EMPTY]
    marks += [f"ib-open {least} {low}"] if least < low else []
    marks += [f"ib-open {high} {most}"] if most > high else []
    marks += [f"ib-whisker {low} {high}"]
    marks += [] if median is None else [f"ib-median {place(median)}"]
    return " ".join([*marks, f"ib-dot {place(k / n)}"])


def gate_strip(gate: Data) -> str:
    """The marks of a gate."""
    k, due, open_ = gate["failed_by_judge"], gate["due"], gate_open(gate)
    if due < FEW or unmeasured(gate):
        return EMPTY
    low, high = map(place, recount.rate_interval(k, due))
    top = place(recount.rate_interval(k + open_, due)[1])
    marks = [EMPTY]
    marks += [f"ib-open {high} {top}"] if open_ and top > high else []
    marks += [f"ib-whisker {low} {high}"]
    ring = place((k + gate["contested"]) / due)
    marks += [f"ib-ring {ring} ib-hole {ring}"] if gate["contested"] else []
    return " ".join([*marks, f"ib-dot {place(k / due)}"])


def bracket(gate: Data) -> str:
    """The interval of a gate as a bracket; nothing if no figure is drawn."""
    k, due, open_ = gate["failed_by_judge"], gate["due"], gate_open(gate)
    if due < FEW or unmeasured(gate):
        return ""
    low, high = map(place, recount.rate_interval(k, due))
    top = place(recount.rate_interval(k + open_, due)[1])
    return f"{EMPTY} {f'ib-open {high} {top}' if open_ and top > high else ''} ib-whisker {low} {high}"


def gate_bar(gate: Data) -> str:
    """The marks of a gate as a bar: clear, undecided, failed, and the bracket."""
    found = bracket(gate)
    if not found:
        return ""
    k, due, open_ = gate["failed_by_judge"], gate["due"], gate_open(gate)
    parts = [f"ib-clear {place((k + open_) / due)} 1000"]
    parts += [f"ib-undecided {place(k / due)} {place((k + open_) / due)} {place(k / due)}"] if open_ else []
    parts += [f"ib-failed 0 {place(k / due)}"] if k else []
    return f"{EMPTY} {' '.join(parts)} {found.removeprefix(EMPTY)}"


def listed(values: Iterable[str]) -> str:
    return ", ".join(values)
