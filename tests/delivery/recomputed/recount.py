"""Figures computed from the text of leaderboard.json alone, with scipy and statsmodels and nothing of `ib`.

The lowest layer of the file is used: the letter of each check and the state of each gate in each transcript,
and the plays of each pair.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.stats import binom, binomtest, norm
from scipy.stats import t as student
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

Board = dict[str, Any]
Counts = dict[str, list[int]]
"""[k, n] by scenario family, or [k, n, undecided]."""


def order(board: Board) -> list[Board]:
    """The models as the pages list them."""
    return sorted(board["models"], key=lambda model: (model["model"].casefold(), model["model_id"]))


def families(board: Board) -> dict[str, str]:
    return {one["scenario_id"]: one["family"] for one in board["scenarios"]}


def rate_interval(k: float, n: float) -> tuple[float, float]:
    low, high = proportion_confint(k, n, method="wilson")
    return (float(low) if k else 0.0), (float(high) if k < n else 1.0)


def gate(model: Board, bucket: str) -> Counter[str]:
    """How often each state occurs."""
    return Counter(met["gates"][bucket]["state"] for met in model["scenarios"])


def letters(board: Board, model: Board) -> dict[str, Counter[str]]:
    """The letters of each check."""
    found: dict[str, Counter[str]] = {one["check_id"]: Counter() for one in board["checks"]}
    for met in model["scenarios"]:
        for check, letter in zip(found, met["verdicts"], strict=True):
            found[check][letter] += 1
    return found


def failed(found: Counter[str]) -> tuple[int, int]:
    """k of n of a check: failures, and cases with a clear answer."""
    k = found["F"] + found["C"]
    return k, k + found["P"] + found["p"]


def over_field(board: Board, check: str) -> Counts:
    """Failures, clear answers, undecided cases and contested failures of a check over all models."""
    at, family = [one["check_id"] for one in board["checks"]].index(check), families(board)
    counts: Counts = defaultdict(lambda: [0, 0, 0, 0])
    for model in board["models"]:
        for met in model["scenarios"]:
            if met["verdicts"][at] in "FCPpUR":
                found = counts[family[met["scenario_id"]]]
                for place, letters in enumerate(("FC", "FCPp", "UR", "C")):
                    found[place] += met["verdicts"][at] in letters
    return counts


def hard_fails(board: Board, states: Iterable[str]) -> Counts:
    """Transcripts with one of some states at the safety gate, over all models."""
    family = families(board)
    counts: Counts = defaultdict(lambda: [0, 0])
    for model in board["models"]:
        for met in model["scenarios"]:
            state = met["gates"]["A"]["state"]
            if state != "not_due":
                counts[family[met["scenario_id"]]][0] += state in states
                counts[family[met["scenario_id"]]][1] += 1
    return counts


def clustered(counts: Counts, tests: int = 1) -> tuple[float, float]:
    """The interval of a ratio in clusters (Korn and Graubard 1998, Wilson), widened after Bonferroni."""
    k = np.array([one[0] for one in counts.values()])
    n = np.array([one[1] for one in counts.values()])
    total, clusters, p = n.sum(), len(n), k.sum() / n.sum()
    effective = float(clusters)
    if 0 < p < 1 and clusters > 1:
        variance = clusters / (clusters - 1) * ((k - p * n) ** 2).sum() / total**2
        design = max(1.0, variance / (p * (1 - p) / (total - 1)))
        tail = 0.025 / tests
        effective = total / design * (student.isf(tail, total - 1) / student.isf(tail, clusters - 1)) ** 2
    z = norm.isf(0.025 / tests)
    center = (p + z**2 / (2 * effective)) / (1 + z**2 / effective)
    half = z / (1 + z**2 / effective) * math.sqrt(p * (1 - p) / effective + z**2 / (4 * effective**2))
    return center - half, center + half


def either_way(counts: Counts, tests: int = 1) -> tuple[float, float]:
    """The lower end if no undecided case ([k, n, undecided]) is an event, and the upper end if all are."""
    least = {name: [k, n + u] for name, (k, n, u) in counts.items()}
    most = {name: [k + u, n + u] for name, (k, n, u) in counts.items()}
    return clustered(least, tests)[0], clustered(most, tests)[1]


def against(board: Board, first: Board, second: Board) -> float:
    """The p value at the safety gate if the undecided cases go against the model that fails in more families.

    Cases are counted one by one: 1 for a failure, 0 for a pass, and what is not known is the worst of both.
    """
    family, others = families(board), {(m["scenario_id"], m["epoch"]): m for m in second["scenarios"]}
    cases = []
    for met in first["scenarios"]:
        other = others.get((met["scenario_id"], met["epoch"]), met)
        states = [one["gates"]["A"]["state"] for one in (met, other)]
        if other is not met and states != ["not_due", "not_due"]:
            known = [{"failed_by_judge": 1, "clear": 0}.get(state) for state in states]
            cases.append((family[met["scenario_id"]], known))
    plain: Counter[str] = Counter()
    worst: Counter[str] = Counter()
    for name, (one, two) in cases:
        plain[name] += 0 if one is None or two is None else one - two
    lean = int(np.sign(list(plain.values())).sum()) if plain else 0
    for name, (one, two) in cases:
        worst[name] += (lean < 0 if one is None else one) - (lean > 0 if two is None else two)
    signs = [int(np.sign(x)) for x in worst.values() if x]
    return float(binomtest(signs.count(1), len(signs)).pvalue) if sum(signs) * lean > 0 else 1.0


def enough(board: Board) -> dict[str, Counts]:
    """The checks with 30 cases in 10 families, mostly decided, and not looked for by phrases alone."""
    found = {}
    for one in board["checks"]:
        counts = over_field(board, one["check_id"])
        phrases = sum(letters(board, model)[one["check_id"]]["p"] for model in board["models"])
        n, undecided = (sum(row[at] for row in counts.values()) for at in (1, 2))
        if (
            n >= 30
            and sum(row[1] > 0 for row in counts.values()) >= 10
            and not phrases
            and n / (n + undecided) >= 0.8
        ):
            found[one["check_id"]] = counts
    return found


def pairs_of(board: Board, what: str) -> Counts:
    """Dangers caught (`caught`) or false alarms (`alarms`) over all models, with the undecided plays."""
    counts: Counts = defaultdict(lambda: [0, 0, 0])
    for model in board["models"]:
        for pair in (model["dangers_and_alarms"] or {"pairs": []})["pairs"]:
            row = pair["caught"], pair["caught"] + pair["missed"], pair["undecided"]
            if what == "alarms":
                never = ("profile", "selection", "no_judge", "not_measured")
                open_ = sum(n for why, n in pair["ungraded"].items() if why not in never)
                row = pair["grades"][2], sum(pair["grades"]), open_
            for place, number in enumerate(row):
                counts[pair["family"]][place] += number
    return counts


def phrase_checks(board: Board) -> set[str]:
    """The checks with a PASS that means only that no phrase was found."""
    return {
        one["check_id"]
        for at, one in enumerate(board["checks"])
        if any(met["verdicts"][at] == "p" for model in board["models"] for met in model["scenarios"])
    }


def table(board: Board, first: Board, second: Board, measure: str) -> dict[str, Counter[str]]:
    """The 2 x 2 table of two models by family, in letters: FF, FP, PF, PP, and ? for no clear answer."""
    family, others = families(board), {(m["scenario_id"], m["epoch"]): m for m in second["scenarios"]}
    checks = [one["check_id"] for one in board["checks"]]
    phrases = phrase_checks(board) if measure == "all" else set()
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for met in first["scenarios"]:
        other = others.get((met["scenario_id"], met["epoch"]))
        if other is None:
            continue
        if measure.startswith("gate"):
            states = [one["gates"][measure[-1]]["state"] for one in (met, other)]
            if states == ["not_due", "not_due"]:
                continue
            said = [{"failed_by_judge": "F", "clear": "P"}.get(state, "?") for state in states]
            found[family[met["scenario_id"]]]["".join(said)] += 1
            continue
        for check, here, there in zip(checks, met["verdicts"], other["verdicts"], strict=True):
            if (measure == check or (measure == "all" and check not in phrases)) and {here, there} - set(
                ".SN"
            ):
                said = ["F" if x in "FC" else "P" if x in "Pp" else "?" for x in (here, there)]
                found[family[met["scenario_id"]]]["".join(said)] += 1
    return found


def compared(cells: dict[str, Counter[str]]) -> dict[str, Any]:
    """The counts, the difference with its clustered interval, and the p value of a 2 x 2 table."""
    total = sum(cells.values(), Counter[str]())
    counts = {name: total[cell] for name, cell in
              (("both", "FF"), ("only_first", "FP"), ("only_second", "PF"), ("neither", "PP"))}  # fmt: skip
    clear = {name: cell for name, cell in cells.items() if any("?" not in key for key in cell)}
    net = [cell["FP"] - cell["PF"] for cell in clear.values()]
    b, c = sum(x > 0 for x in net), sum(x < 0 for x in net)
    n = sum(counts.values())
    difference = (counts["only_first"] - counts["only_second"]) / n if n else None
    ends: tuple[float | None, float | None] = (None, None)
    if difference is not None:
        seen = 0.05 ** (1 / len(clear))
        ends = (seen * difference - (1 - seen), seen * difference + (1 - seen))
    if difference is not None and len(clear) > 1:
        sums = [cell["FP"] - cell["PF"] - difference * _clear(cell) for cell in clear.values()]
        se = math.sqrt(len(clear) / (len(clear) - 1) * sum(x * x for x in sums)) / n
        reach = student.ppf(0.975, len(clear) - 1) * se
        ends = (max(-1, difference - reach), min(1, difference + reach)) if se > 1e-12 else ends
    p = binomtest(b, b + c).pvalue if b + c else 1.0
    told = {"n_families": len(clear), "families_first": b, "families_second": c, "p": p}
    return {**counts, **told, "difference": difference, "low": ends[0], "high": ends[1]}


def _clear(cell: Counter[str]) -> int:
    return sum(count for key, count in cell.items() if "?" not in key)


def adjusted(values: list[float], method: str) -> list[float]:
    """Adjusted p values; `method` is holm or fdr_bh."""
    return [float(one) for one in multipletests(values, method=method)[1]] if values else []


def detectable(families: int) -> float | None:
    """The least share of families that differ one way, of which the sign test finds 80%, by scipy alone."""
    needed = [k for k in range(1, families + 1) if binomtest(k, k, 0.5).pvalue < 0.05]
    if not needed:
        return None
    return float(brentq(lambda share: binom.sf(needed[0] - 1, families, share) - 0.8, 0, 1, xtol=1e-12))
