"""Every figure on the pages shows the numbers of leaderboard.json, read from its text."""

from __future__ import annotations

import csv
import io
import json
import re
from typing import Any

from delivery.release import Release
from tests.delivery import reading
from tests.delivery.reading import Element
from tests.delivery.recomputed import recount

Board = dict[str, Any]
NUMBERS = (
    *(
        "models_failed",
        "tests",
        "pairs",
        "checks",
        "n",
        "n_families",
        "only_first",
        "only_second",
        "differing",
    ),
)
"""The counts of findings that their sentences have."""
MINUS = "\N{MINUS SIGN}"


def tree(shown: dict[str, str], path: str) -> Element:
    return reading.read(reading.body(shown[path]))


def words(element: Element) -> str:
    return " ".join(element.text.split())


def figure(shown: dict[str, str], path: str, name: str) -> Element:
    (found,) = [one for one in tree(shown, path).all("figure") if one.attrs.get("id") == name]
    return found


def rows(table: Element) -> list[Element]:
    return [row for body in table.all("tbody") for row in body.all("tr")]


def percent(share: float) -> str:
    points = round(share * 100)
    if points == 0 and share > 0:
        return "under 1%"
    return "over 99%" if points == 100 and share < 1 else f"{points}%"


def interval(low: float, high: float) -> str:
    first = percent(low)
    return f"{first[:-1] if first[:-1].isdigit() else first} to {percent(high)}"


def line(k: int, n: int, ends: tuple[float, float]) -> str:
    return f"{k} of {n} · {percent(k / n)} (95% interval {interval(*ends)})"


def marks(row: Element, css: str) -> list[list[int]]:
    """The positions of the marks of a class in the strips of a row."""
    return [[int(x) for x in re.findall(r"\d+", one.attrs["d"])] for one in row.all("path", css)]


def test_the_gate_plots(board: Board, shown: dict[str, str]) -> None:
    """A row for each model: the counts in words, the dot, the line and the dotted line."""
    for bucket, name in (("A", "safety"), ("B", "compliance")):
        plotted = rows(figure(shown, "index.md", f"gate-{name}"))
        assert len(plotted) == len(board["models"])
        for row, model in zip(plotted, recount.order(board), strict=True):
            states = recount.gate(model, bucket)
            due = sum(states.values()) - states["not_due"]
            k, undecided = states["confirmed"], states["contested"] + states["incomplete"]
            low, high = recount.wilson(k, due)
            top = recount.wilson(k + undecided, due)[1]
            share = interval(k / due, (k + undecided) / due) if undecided else percent(k / due)
            assert f"{k} of {due} · {share} (95% interval {interval(low, top)})" in words(row)
            if undecided == due:
                assert not marks(row, "ib-dot")
                assert not marks(row, "ib-whisker")
                assert marks(row, "ib-open") == [[round(low * 1000), 12, round(top * 1000)]]
                continue
            if undecided:
                assert f"{states['contested']} contested, {states['incomplete']} incomplete" in words(row)
                assert marks(row, "ib-open") == [[round(high * 1000), 12, round(top * 1000)]]
            assert marks(row, "ib-dot")[0][0] == round(k / due * 1000)
            assert marks(row, "ib-whisker") == [[round(low * 1000), 12, round(high * 1000)]]


def test_the_alarm_plot(board: Board, shown: dict[str, str]) -> None:
    """Dangers caught and false alarms of each model, in words and as dots."""
    for path in ("index.md", "leaderboard.md", "contrast/index.md"):
        plotted = rows(figure(shown, path, "alarms-plot"))
        for row, model in zip(plotted, recount.order(board), strict=True):
            pairs = model["dangers_and_alarms"]["pairs"]
            caught, missed = (sum(pair[name] for pair in pairs) for name in ("caught", "missed"))
            alarms = sum(pair["grades"][2] for pair in pairs)
            plays = sum(sum(pair["grades"]) for pair in pairs)
            expected = [(caught, caught + missed), (alarms, plays)]
            for (k, n), dot in zip(expected, marks(row, "ib-dot"), strict=True):
                assert line(k, n, recount.wilson(k, n)) in words(row)
                assert dot[0] == round(k / n * 1000)


def test_the_heatmap(board: Board, shown: dict[str, str]) -> None:
    """Each cell has the percentage, the step, the hatch, the corner and the label of its letters."""
    for path in ("index.md", "checks/index.md"):
        table = figure(shown, path, "heatmap").all("table")[0]
        body = [row for row in rows(table) if row.all("td")]
        found = [recount.letters(board, model) for model in recount.order(board)]
        gates = {one["check_id"]: one["gate"] for one in board["checks"]}
        names = {one["name"]: one["check_id"] for one in board["checks"]}
        assert len(body) == len(names)
        for row in body:
            check = names[row.all("th")[0].text]
            for cell, letters in zip(row.all("td"), found, strict=True):
                k, n = recount.failed(letters[check])
                if not n:
                    open_ = letters[check]["U"] + letters[check]["R"]
                    assert cell.text == ("?" if open_ else "·")
                    continue
                star = "*" if letters[check]["p"] else ""
                assert cell.text == (f"{k}/{n}" if n < 5 else percent(k / n)[:-1]) + star
                step = next(at for at, top in enumerate((0, 0.2, 0.4, 0.6, 0.8, 1)) if k / n <= top)
                assert f"h{step}" in cell.classes
                assert ("few" in cell.classes) == (n < 5)
                assert ("gate" in cell.classes) == (gates[check] is not None and letters[check]["F"] > 0)
                open_ = letters[check]["U"] + letters[check]["R"]
                assert ("open" in cell.classes) == (n < 0.8 * (n + open_))
                undecided = f", {open_} undecided" if open_ else ""
                assert f": {k} of {n}{undecided}, " in cell.all("a")[0].attrs["aria-label"]


def test_the_profile_of_each_model(board: Board, shown: dict[str, str]) -> None:
    """Every failed check with its line, and the tick at the median of the release."""
    medians = {one["check_id"]: one["median"] for one in board["checks"]}
    names = {one["name"]: one["check_id"] for one in board["checks"]}
    for model in board["models"]:
        found = recount.letters(board, model)
        plotted = rows(figure(shown, f"models/{model['slug']}.md", "profile-plot"))
        failed = {check for check in names.values() if recount.failed(found[check])[0]}
        assert {names[row.all("a")[0].text] for row in plotted} == failed
        for row in plotted:
            check = names[row.all("a")[0].text]
            k, n = recount.failed(found[check])
            if n < 5:
                assert f"{k} of {n}" in words(row)
                assert not row.all("path")
                continue
            assert line(k, n, recount.wilson(k, n)) in words(row)
            open_ = found[check]["U"] + found[check]["R"]
            assert _reach(row) == _open_ends(k, n, open_)
            if open_:
                ends = interval(k / (n + open_), (k + open_) / (n + open_))
                assert f"{ends} counting {open_} undecided either way" in words(row)
            assert marks(row, "ib-median")[0][0] == round(medians[check] * 1000)


def _reach(row: Element) -> list[list[int]]:
    """The dotted lines of a row, each from its start to its end."""
    return [[start, end] for start, _, end in marks(row, "ib-open")]


def _open_ends(k: int, n: int, undecided: int) -> list[list[int]]:
    """The lines from the interval to the shares that undecided cases allow, where these are outside."""
    low, high = (round(end * 1000) for end in recount.wilson(k, n))
    first, last = (round(part / (n + undecided) * 1000) for part in (k, k + undecided))
    return [ends for ends in ([first, low], [high, last]) if ends[0] < ends[1]]


def test_the_matrix_of_pairs(board: Board, shown: dict[str, str]) -> None:
    """Each cell has the difference at the safety gate in points, with the sign of its row."""
    models = recount.order(board)
    holm = {(one["first"], one["second"]): one["gates"]["A"]["adjusted"] for one in board["comparisons"]}
    for row, model in zip(rows(tree(shown, "compare/index.md").all("table")[0]), models, strict=True):
        for cell, other in zip(row.all("td"), models, strict=True):
            if other is model:
                assert not cell.text
                continue
            found = recount.compared(recount.table(board, model, other, "gate A"))
            points = round(found["difference"] * 100)
            sign = "+" if points > 0 else MINUS if points < 0 else ""
            ids = (model["model_id"], other["model_id"])
            star = "*" if (holm[ids] if ids in holm else holm[ids[::-1]]) < 0.05 else ""
            n = sum(found[name] for name in ("both", "only_first", "only_second", "neither"))
            told = f"{sign}{abs(points)}{star}" if n >= 5 else "–"
            assert cell.text == told
            assert cell.all("a")[0].attrs["aria-label"].startswith(f"{told}, n = {n}: ")


def test_the_page_of_each_pair(board: Board, shown: dict[str, str]) -> None:
    """The 2 x 2 counts of each gate, of all checks together, and of each check."""
    models = {model["model_id"]: model for model in board["models"]}
    names = {one["check_id"] for one in board["checks"]}
    for one in board["comparisons"]:
        first, second = models[one["first"]], models[one["second"]]
        page = tree(shown, f"compare/{first['slug']}--{second['slug']}.md")
        tables = page.all("table")
        for row, measure in zip(rows(tables[0]), ("gate A", "gate B", "all"), strict=True):
            assert _counts(row) == _expected(board, first, second, measure)
        by_check = [row for table in tables[1:] for row in rows(table)]
        assert len(by_check) == len(one["checks"])
        for row in by_check:
            (check,) = [part.text for part in row.all("span", "ib-id") if part.text in names]
            assert _counts(row) == _expected(board, first, second, check)


def _counts(row: Element) -> list[str]:
    return [cell.text for cell in row.all("td")][:4]


def _expected(board: Board, first: Board, second: Board, measure: str) -> list[str]:
    found = recount.compared(recount.table(board, first, second, measure))
    return [str(found[name]) for name in ("both", "only_first", "only_second", "neither")]


def test_the_slopes(board: Board, shown: dict[str, str]) -> None:
    """Each line joins the levels of the model in both scenarios, and the table says them."""
    level = {"confirmed": "confirmed hard fail", "clear": "clear", "contested": "contested hard fail",
             "incomplete": "incomplete", "not_due": "not due"}  # fmt: skip
    figures = [one for one in tree(shown, "contrast/index.md").all("figure") if one.all("svg", "ib-slopes")]
    drawn = [(one["original"], variant) for one in board["contrasts"] for variant in one["variants"]
             if variant["safety"]["due"]]  # fmt: skip
    assert len(figures) == len(drawn) > 0
    for one, (original, variant) in zip(figures, drawn, strict=True):
        states = []
        for model in recount.order(board):
            state = {met["scenario_id"]: met["gates"]["A"]["state"] for met in model["scenarios"]}
            states.append((model["model"], state[original], state[variant["scenario_id"]]))
        table = [[words(cell) for cell in (*row.all("th"), *row.all("td"))] for row in rows(one)]
        assert table == [[name, level[here], level[there]] for name, here, there in states]
        lines = one.all("path", "ib-slope")
        open_ = ("contested", "incomplete")
        moved = [{here, there} == {"confirmed", "clear"} for _, here, there in states]
        dotted = [here in open_ or there in open_ for _, here, there in states]
        assert ["ib-slope--open" in line.classes for line in lines] == dotted
        assert ["ib-slope--moved" in line.classes for line in lines] == moved


def test_the_sentences_have_the_numbers_of_their_findings(board: Board, shown: dict[str, str]) -> None:
    """Each number in a sentence is one of its finding, rounded as on all pages, and none is left out."""
    items = {one.attrs.get("id", ""): words(one) for one in tree(shown, "index.md").all("li")}
    for one in board["findings"]:
        text = items["finding-" + one["kind"].replace("_", "-")]
        rates = [one, one.get("caught"), one.get("false_alarms")]
        for rate in (rate for rate in rates if rate and "k" in rate and "low" in rate):
            assert f"{rate['k']} of {rate['n']} " in text
            share = percent(rate["k"] / rate["n"])
            if one["kind"] == "hard_fails":
                share = interval(rate["k"] / rate["n"], (rate["k"] + rate["undecided"]) / rate["n"])
            assert f"({share}; 95% interval {interval(rate['low'], rate['high'])})" in text
        for name in (
            "models_failed",
            "tests",
            "pairs",
            "checks",
            "n",
            "n_families",
            "only_first",
            "differing",
            "surviving",
            "families_first",
        ):
            if name in one and not (name == "n_families" and "k" in one):
                assert re.search(rf"\b{one[name]}\b", text), name
        assert "In this demonstration, " in text or board["stage"] != "demo"
        assert " models" not in text or any(
            not m["model_id"].startswith("reference/") for m in board["models"]
        )


def test_the_data_files_have_the_figures(board: Board, shown: dict[str, str], release: Release) -> None:
    """The long form of the heatmap and the table of pairs, with the stage and the canary on each row."""
    heat = list(csv.DictReader(io.StringIO(shown["data/heatmap.csv"], newline="")))
    assert len(heat) == len(board["models"]) * len(board["checks"])
    found = {model["model_id"]: recount.letters(board, model) for model in board["models"]}
    for row in heat:
        k, n = recount.failed(found[row["model_id"]][row["check_id"]])
        assert (row["failures_k"], row["failures_n"]) == (str(k), str(n))
        assert (row["stage"], row["canary"]) == (board["stage"], release.benchmark.canary)
    pairs = json.loads(shown["data/comparisons.json"])["rows"]
    assert len(pairs) == 3 * len(board["comparisons"])
    stored_pairs = {(one["first"], one["second"]): one for one in board["comparisons"]}
    for row in pairs:
        one = stored_pairs[row["first"], row["second"]]
        stored = one["all_checks"] if row["measure"] == "all_checks" else one["gates"][row["measure"][-1]]
        assert {name: row[name] for name in stored} == stored
