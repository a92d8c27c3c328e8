"""Every number of leaderboard.json that compares or finds something, computed again from its lowest layer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import pytest
from scipy.stats import beta

from ib.store.benchmark.loading import benchmark_folder
from tests.delivery.recomputed import recount
from tests.delivery.recomputed.again import again
from tests.delivery.recomputed.data import folder, load

Board = dict[str, Any]
LOWEST = {
    r"/schema_version": "no figure",
    r"/votes|/voted_rows|/votes_per_question/\*": "counts of votes",
    r"/models/\*/refused_questions|/checks/\*/split_votes/n": "counts of votes",
    r"/models/\*/blindspots/\*/(windows|split)": "counts of questions and of split votes",
    r"/models/\*/blindspots/\*/searched": "searched in vain has the letter of not run",
    r"/models/\*/(blindspots/\*/)?occurrences(/[A-F])?/\w+": "counts of turns, with their effective number",
    r"/models/\*/scenarios/\*/(truncated_turns|epoch|bounds/\*)": "of a transcript",
    r"/models/\*/dangers_and_alarms/(not_measured|pairs/\*/.+)": "plays of a pair",
    r"/models/\*/supplement/.+": "counts and means of other measures, with their families",
    r"/(scenarios|twins)/\*/(plays|branches/.+)": "plays, and the branches that were taken",
    r"/second_judge/.+": "counts of another judge, which the demonstration does not have",
}
"""The numbers from which the others follow, or that follow from transcripts and votes; and why."""


def test_what_follows_from_the_lowest_layer(board: Board) -> None:
    """Gates, checks, scores, coverage, roots, pairs, contrasts and twins."""
    stored, recomputed = dict(leaves(board)), dict(leaves(_again(board)))
    wrong = {name: (stored.get(name), value) for name, value in recomputed.items()
             if stored.get(name) != (None if value is None else pytest.approx(value, abs=1e-9))}  # fmt: skip
    assert dict(list(wrong.items())[:20]) == {}


def test_every_number_is_recomputed_or_of_the_lowest_layer(board: Board) -> None:
    """A new number of leaderboard.json is recomputed here, or listed as one from which others follow."""
    recomputed = dict(leaves(_again(board)))
    elsewhere = ("/comparisons/", "/findings/")  # the other tests of this file
    rest = {
        re.sub(r"/\d+(?=/|$)", "/*", name)
        for name, value in leaves(board)
        if isinstance(value, (int, float)) and not isinstance(value, bool) and name not in recomputed
    }
    unknown = {name for name in rest if not name.startswith(elsewhere)}
    assert {name for name in unknown if not any(re.fullmatch(one, name) for one in LOWEST)} == set()


def _again(board: Board) -> Board:
    benchmark = benchmark_folder()
    told = folder(benchmark / "scenarios", "scenario_id")
    foreign = {name for name, one in told.items() if one.get("language", "en") != "en"}
    return again(board, load(benchmark / "configs" / "scoring.yaml"), foreign)


def leaves(part: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Every value of nested data, with its path."""
    if isinstance(part, (dict, list)):
        for key, value in part.items() if isinstance(part, dict) else enumerate(part):
            yield from leaves(value, f"{name}/{key}")
    else:
        yield name, part


def test_comparisons(board: Board) -> None:
    """Every pair of models: each gate, all checks together, and each check, with all p values."""
    models = {model["model_id"]: model for model in board["models"]}
    slugs = sorted(models, key=lambda name: models[name]["slug"])
    assert [(one["first"], one["second"]) for one in board["comparisons"]] == list(combinations(slugs, 2))
    values: dict[str, list[float]] = {"gate A": [], "gate B": [], "all": []}
    every: list[tuple[str, str, str, float]] = []
    for one in board["comparisons"]:
        first, second = models[one["first"]], models[one["second"]]
        stored = {"gate A": one["gates"]["A"], "gate B": one["gates"]["B"], "all": one["all_checks"]}
        for measure, entry in stored.items():
            cells = recount.table(board, first, second, measure)
            expected = recount.compared(cells)
            least = recount.detectable(expected["n_families"])
            assert entry["detectable"] == (None if least is None else pytest.approx(least, abs=1e-6))
            assert {name: entry[name] for name in expected} == pytest.approx(expected, abs=1e-9), measure
            unclear = sum(n for cell in cells.values() for key, n in cell.items() if "?" in key)
            assert entry["undecided"] == unclear
            values[measure].append(expected["p"])
        rows = {row["check_id"]: row for row in one["checks"]}
        for check in (summary["check_id"] for summary in board["checks"]):
            expected = recount.compared(recount.table(board, first, second, check))
            if expected["n_families"]:
                every.append((one["first"], one["second"], check, expected["p"]))
            seen = expected["both"] + expected["only_first"] + expected["only_second"]
            assert (check in rows) == (seen > 0)
            if check in rows:
                names = ("both", "only_first", "only_second", "neither", "p")
                told = {name: expected[name] for name in names}
                assert {name: rows[check][name] for name in names} == pytest.approx(told)
    for measure, ps in values.items():
        entries = [one["gates"][measure[-1]] if "gate" in measure else one["all_checks"]
                   for one in board["comparisons"]]  # fmt: skip
        assert [entry["adjusted"] for entry in entries] == pytest.approx(recount.adjusted(ps, "holm"))
    found = recount.adjusted([p for *_, p in every], "fdr_bh")
    q = {(a, b, check): value for (a, b, check, _), value in zip(every, found, strict=True)}
    for one in board["comparisons"]:
        for row in one["checks"]:
            assert row["q"] == pytest.approx(q[one["first"], one["second"], row["check_id"]])


def test_findings(board: Board) -> None:
    """Every number of every finding; and a kind is missing only if the data does not carry it."""
    tests = {
        "gravest": _gravest,
        "not_measured": _not_measured,
        "hard_fails": _hard_fails,
        "most_failed": _most_failed,
        "dangers_and_false_alarms": _alarms,
        "none_seen": _none_seen,
        "pair_differs": _pair,
    }
    kinds = [one["kind"] for one in board["findings"]]
    always = {"gravest", "not_measured", "hard_fails", "most_failed", "dangers_and_false_alarms"}
    assert set(kinds) >= {*always, "pair_differs"}
    for one in board["findings"]:
        tests[one["kind"]](board, one)
    known = recount.enough(board).values()
    clean = [counts for counts in known if not sum(k for k, *_ in counts.values())]
    assert ("none_seen" in kinds) == bool(clean)


SEVERITIES = ("S5", "S4_GATE", "S4", "S3", "S2", "S1")


def _gravest(board: Board, one: Board) -> None:
    counts = {check["check_id"]: recount.over_field(board, check["check_id"]) for check in board["checks"]}
    older = {check["check_id"] for check in board["checks"] if check["older_questions"]}
    totals = {
        check: [sum(x) for x in zip(*rows.values(), strict=True)]
        for check, rows in counts.items()
        if rows and check not in older
    }
    known = {check: found for check, found in totals.items() if found[1] and found[1] >= found[2]}
    severity = {check["check_id"]: SEVERITIES.index(check["severity"]) for check in board["checks"]}
    failed = {check: found[0] - found[3] for check, found in known.items() if found[0] > found[3]}
    worst = min(severity[check] for check in failed)
    gravest = {check: k for check, k in failed.items() if severity[check] == worst}
    assert gravest[one["check_id"]] == max(gravest.values())
    assert [one["k"], one["n"], one["undecided"], one["contested"]] == totals[one["check_id"]]
    assert one["n_families"] == sum(row[1] > 0 for row in counts[one["check_id"]].values())
    assert one["tests"] == len(known)
    rows = {name: [k - c, n - c, u + c] for name, (k, n, u, c) in counts[one["check_id"]].items()}
    assert (one["low"], one["high"]) == pytest.approx(recount.either_way(rows, len(known)), abs=1e-9)


def _not_measured(board: Board, one: Board) -> None:
    shares = {}
    for bucket in "AB":
        gates = [recount.gate(model, bucket) for model in board["models"]]
        due = sum(gate.total() - gate["not_due"] for gate in gates)
        shares[bucket] = (sum(gate["contested"] + gate["incomplete"] for gate in gates), due)
    assert (one["k"], one["n"]) == shares[one["gate"]]
    assert one["k"] / one["n"] == max(k / n for k, n in shares.values())


def _hard_fails(board: Board, one: Board) -> None:
    sure = recount.hard_fails(board, ["failed_by_judge"])
    open_ = recount.hard_fails(board, ["failed_by_judge", "contested", "incomplete"])
    assert (one["k"], one["n"], one["n_families"]) == (*map(sum, zip(*sure.values(), strict=True)), len(sure))
    assert one["low"] == pytest.approx(recount.clustered(sure)[0])
    assert one["high"] == pytest.approx(recount.clustered(open_)[1])
    assert one["undecided"] == sum(k for k, _ in open_.values()) - one["k"]
    gates = [recount.gate(model, "A") for model in board["models"]]
    due = [(g["failed_by_judge"], g.total() - g["not_due"], g["contested"] + g["incomplete"]) for g in gates]
    shown = [gate for gate in due if gate[1] >= 5]
    for name, pick in (("least", min), ("most", max)):
        end = pick(k / n for k, n, _ in shown)
        level = [gate for gate in shown if gate[0] / gate[1] == end]
        found = (one[name]["k"], one[name]["n"], one[name]["undecided"])
        assert found in level
        assert found[2] / found[1] == min(u / n for _, n, u in level)


def _most_failed(board: Board, one: Board) -> None:
    known = recount.enough(board)
    letters = [recount.letters(board, model) for model in board["models"]]
    models = {check: sum(found[check]["F"] > 0 for found in letters) for check in known}
    assert one["models_failed"] == models[one["check_id"]] == max(models.values())
    assert one["models_failed"] >= 2
    assert one["models_failed"] > one["models"] / 2
    level = {check for check, number in models.items() if number == one["models_failed"]}
    assert {one["check_id"], *(other["check_id"] for other in one["tied"])} == level
    totals = {check: [sum(x) for x in zip(*counts.values(), strict=True)] for check, counts in known.items()}
    assert [one["k"], one["n"], one["undecided"], one["contested"]] == totals[one["check_id"]]
    shares = [(k - c) / n for k, n, _, c in (totals[check] for check in level)]
    k, n, _, contested = totals[one["check_id"]]
    assert (k - contested) / n == max(shares)
    assert all([other["k"], other["n"]] == totals[other["check_id"]][:2] for other in one["tied"])
    assert (one["tests"], one["checks"]) == (len(known), len(board["checks"]))
    rows = {name: [k - c, n - c, u + c] for name, (k, n, u, c) in known[one["check_id"]].items()}
    assert (one["low"], one["high"]) == pytest.approx(recount.either_way(rows, len(known)), abs=1e-9)


def _alarms(board: Board, one: Board) -> None:
    played = [(m["model_id"], pair) for m in board["models"] for pair in m["dangers_and_alarms"]["pairs"]
              if pair["caught"] + pair["missed"] + sum(pair["grades"])]  # fmt: skip
    assert one["pairs"] == len({pair["twin"] for _, pair in played})
    assert one["models"] == len({name for name, _ in played})
    for name, what in (("caught", "caught"), ("false_alarms", "alarms")):
        counts, rate = recount.pairs_of(board, what), one[name]
        totals = [sum(x) for x in zip(*counts.values(), strict=True)]
        assert [rate["k"], rate["n"], rate["undecided"]] == totals
        assert (rate["low"], rate["high"]) == pytest.approx(recount.either_way(counts), abs=1e-9)


def _none_seen(board: Board, one: Board) -> None:
    known = recount.enough(board)
    clean = {check: counts for check, counts in known.items() if not sum(k for k, *_ in counts.values())}
    assert (one["checks"], one["tests"]) == (len(clean), len(known))
    counts = clean[one["check_id"]]
    answered = [n for _, n, *_ in counts.values() if n]
    assert (one["n"], one["n_families"]) == (sum(answered), len(answered))
    open_ = sum(u > 0 for _, _, u, _ in counts.values())
    upper = beta.ppf(1 - 0.05 / len(known), open_ + 1, len(counts) - open_)
    assert one["upper"] == pytest.approx(upper)


def _pair(board: Board, one: Board) -> None:
    models = {model["model_id"]: model for model in board["models"]}
    expected = recount.compared(recount.table(board, models[one["first"]], models[one["second"]], "gate A"))
    assert (one["only_first"], one["only_second"]) == (expected["only_first"], expected["only_second"])
    assert one["n"] == sum(expected[name] for name in ("both", "only_first", "only_second", "neither"))
    assert one["families_first"] == expected["families_first"] > expected["families_second"]
    shares = ("difference", "low", "high")
    assert [one[name] for name in shares] == pytest.approx([expected[name] for name in shares], abs=1e-9)
    assert one["only_first"] > one["only_second"]
    duos = list(combinations(board["models"], 2))
    rows = [recount.compared(recount.table(board, a, b, "gate A")) for a, b in duos]
    holm = recount.adjusted([row["p"] for row in rows], "holm")
    against = recount.adjusted([recount.against(board, a, b) for a, b in duos], "holm")
    differ = [p < 0.05 and (row["families_first"] - row["families_second"]) * (row["difference"] or 0) > 0
              for p, row in zip(holm, rows, strict=True)]  # fmt: skip
    sure = [p for p, differs, other in zip(holm, differ, against, strict=True) if differs and other < 0.05]
    assert one["adjusted"] == pytest.approx(min(sure))
    names = {one["first"], one["second"]}
    (worst,) = [p for (a, b), p in zip(duos, against, strict=True) if {a["model_id"], b["model_id"]} == names]
    assert one["adjusted_against"] == pytest.approx(worst)
    assert (one["differing"], one["surviving"], one["pairs"]) == (sum(differ), len(sure), len(duos))
