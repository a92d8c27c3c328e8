"""What people reviewed: every figure of a release and of its page, counted again from plain files.

The verdicts of the machine are read from the results of the scan, the answers from what readers exported, and
the draw
is repeated with hashes. Nothing of `ib` or `delivery` takes part in the recount.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from scipy.stats import norm
from scipy.stats import t as student

from delivery.build.render import render
from delivery.pages.registry import pages
from delivery.release.place import Place, site_source
from delivery.release.sealed import open_sealed
from ib.board.evidence.leaks import LeakSearch
from ib.models.common.canonical import pretty
from ib.models.review.batch import Design
from ib.pipeline.release.release import prepare_release, write_release
from ib.pipeline.review.apply import apply_reviews
from ib.pipeline.review.draw import draw_batch
from ib.store.benchmark.loading import load_benchmark
from ib.store.files.leaks import load_leak_forms
from tests.commands.test_review import answers, make_scan
from tests.delivery import reading
from tests.delivery.recomputed import recount, say
from tests.once import once

pytestmark = pytest.mark.gate
Data = dict[str, Any]
Key = tuple[str, str, int | None, str]
N = 60
SEED = "recount"
FEWEST = 5


@dataclass(frozen=True)
class Read:
    """A release, its reviews, its page, and the plain data of the recount."""

    reviews: Data
    page: reading.Element
    machine: dict[Key, Data]
    """The rows that people could review."""
    said: dict[str, dict[Key, str]]
    """What each reader answered, by row."""

    @property
    def decided(self) -> dict[Key, str | None]:
        """What two people decided: what both said, if it is pass or fail."""
        first, second = self.said.values()
        return {key: one if one == second[key] and one != "UNCLEAR" else None for key, one in first.items()}


VERDICT = {"pass": "PASS", "fail": "FAIL", "cannot_tell": "UNCLEAR"}


def _answer(name: str, item: str) -> str:
    """An invented answer that depends on reader and item: mostly the same for both readers."""
    digit = int(item[-1], 16)
    if name == "r2" and digit in (3, 11):
        return "cannot_tell"
    return "fail" if (digit < 8) != (name == "r2" and digit == 12) else "pass"


def _answered(batch: Data, name: str, path: Path) -> Path:
    file = answers(batch, path, name, "clinician" if name == "r1" else "caregiver")
    told = json.loads(file.read_bytes())
    for one in told["answers"]:
        one["answer"] = _answer(name, one["item"])
        if one["answer"] != "fail":
            one["marked"] = []
    file.write_text(json.dumps(told))
    return file


def _make(scan: Path, folder: Path) -> None:
    batch = json.loads(pretty(draw_batch(scan, n=N, design=Design.UNIFORM, seed=SEED).batch))
    files = [_answered(batch, name, folder / f"{name}.json") for name in ("r1", "r2")]
    apply_reviews(scan, files, folder / "reviewed")
    write_release(prepare_release(folder / "reviewed", "demo", None), folder / "release")


def _hash(*parts: object) -> str:
    return hashlib.sha256("\0".join(map(str, parts)).encode()).hexdigest()


@pytest.fixture(scope="module")
def read(tmp_path_factory: pytest.TempPathFactory) -> Read:
    scan = once(tmp_path_factory, "review-scan", make_scan) / "scan"
    folder = once(tmp_path_factory, "recounted-reviews", lambda at: _make(scan, at))
    results = (scan / "results.jsonl").read_bytes()
    machine: dict[Key, Data] = {}
    for line in results.splitlines():
        one = json.loads(line)
        for row in one["rows"]:
            if row.get("verdict") in ("PASS", "FAIL", "UNCLEAR"):
                machine[one["model_id"], one["scenario_id"], one["epoch"], row["mode_id"]] = row
    of = hashlib.sha256(results).hexdigest()
    drawn = sorted(machine, key=lambda key: _hash("pick", SEED, of, *key))[:N]
    items = {_hash("item", SEED, of, *key)[:16]: key for key in drawn}
    said = {}
    for name in ("r1", "r2"):
        given = json.loads((folder / f"{name}.json").read_bytes())["answers"]
        assert {one["item"] for one in given} == items.keys(), "the draw is the one of the recount"
        said[name] = {items[one["item"]]: VERDICT[one["answer"]] for one in given}
    board = json.loads((folder / "release" / "leaderboard.json").read_bytes())
    return Read(board["reviews"], _page(folder / "release"), machine, said)


def _page(folder: Path) -> reading.Element:
    benchmark = load_benchmark()
    made = open_sealed(folder, benchmark, LeakSearch(load_leak_forms())).release(benchmark)
    (page,) = (one for one in pages(made) if one.template == "reviews.html")
    (_, text), *_ = render(made, [page], site_source() / "site_src" / "templates", Place())
    return reading.read(reading.body(text))


def close(value: Any) -> Any:
    return pytest.approx(value, abs=1e-9) if isinstance(value, float | tuple | list) else value


def test_who_read(read: Read) -> None:
    """Each reader with the number of verdicts, in the file and on the page."""
    assert {one["pseudonym"]: one["rows"] for one in read.reviews["readers"]} == {"r1": N, "r2": N}
    assert [item.text.strip() for item in read.page.all("ul")[0].all("li")] == [
        f"r1, clinician: {N} verdicts", f"r2, family caregiver: {N} verdicts",
    ]  # fmt: skip


def _agreement(pairs: list[tuple[str, str]]) -> Data:
    """Agreement, Cohen's kappa and Gwet's AC1 with the intervals of the observed agreement."""
    n, agreed = len(pairs), sum(one == two for one, two in pairs)
    low, high = recount.rate_interval(agreed, n)
    one, two = (Counter(pair[at] for pair in pairs) for at in (0, 1))
    by_chance = sum(one[verdict] * two[verdict] for verdict in one) / n**2
    both = one + two
    shares = [count / (2 * n) for count in both.values()]
    for_ac1 = sum(p * (1 - p) for p in shares) / (len(both) - 1) if len(both) > 1 else None

    def beyond(chance: float | None) -> tuple[float | None, list[float] | None]:
        if chance is None or chance == 1:
            return None, None
        return (agreed / n - chance) / (1 - chance), [
            max(-1.0, (end - chance) / (1 - chance)) for end in (low, high)
        ]

    (kappa, kappa_ends), (ac1, ac1_ends) = beyond(by_chance), beyond(for_ac1)
    return {
        "n": n, "agreed": agreed, "low": low, "high": high,
        "kappa": kappa, "kappa_interval": kappa_ends, "ac1": ac1, "ac1_interval": ac1_ends,
    }  # fmt: skip


def _by_check(read: Read, check: str) -> Data:
    mine = {key: verdict for key, verdict in read.decided.items() if key[3] == check}
    was = {key: read.machine[key]["verdict"] for key in mine}
    changed = [verdict for key, verdict in mine.items() if verdict is not None and verdict != was[key]]
    compared = [key for key, verdict in mine.items() if verdict is not None and was[key] != "UNCLEAR"]
    same = sum(mine[key] == was[key] for key in compared)
    low, high = recount.rate_interval(same, len(compared)) if compared else (None, None)
    undecided = list(mine.values()).count(None)
    return {
        "check_id": check, "read": len(mine), "upheld": len(mine) - len(changed) - undecided,
        "to_fail": changed.count("FAIL"), "to_pass": changed.count("PASS"), "open": undecided,
        "compared": len(compared), "same": same, "low": low, "high": high,
        "agreement": _agreement([(read.said["r1"][key], read.said["r2"][key]) for key in mine]),
    }  # fmt: skip


def _coefficient(value: float | None, ends: list[float] | None) -> str:
    def shown(one: float) -> str:
        return f"{one:z.2f}".replace("-", say.MINUS)

    if value is None:
        return say.DASH
    return shown(value) + ("" if ends is None else f" ({shown(ends[0])} to {shown(ends[1])})")


def _of_all(k: int, n: int, low: float | None, high: float | None) -> str:
    return f"{k} of {n} ({say.between(low, high)})" if n else say.DASH


def table(page: reading.Element, caption: str) -> list[list[str]]:
    """The rows of the table whose caption begins with some words."""
    (found,) = (one for one in page.all("table") if one.all("caption")[0].text.startswith(caption))
    return [
        [cell.text.strip() for cell in row.parts if isinstance(cell, reading.Element)]
        for row in found.all("tbody")[0].all("tr")
    ]


def test_what_was_decided_of_each_check(read: Read) -> None:
    """Counts, agreement of two people and with the judge, each with its interval."""
    checks = sorted({key[3] for key in read.decided})
    expected = [_by_check(read, check) for check in checks]
    for stored, one in zip(read.reviews["checks"], expected, strict=True):
        agreed = one.pop("agreement")
        assert {name: stored["agreement"][name] for name in agreed} == {
            name: close(value) for name, value in agreed.items()
        }
        assert {name: stored[name] for name in one} == {name: close(value) for name, value in one.items()}
        one["agreement"] = agreed
    assert any(one["agreement"]["agreed"] < one["agreement"]["n"] for one in expected)
    assert [row[1:] for row in table(read.page, "What people decided, by check")] == [
        [
            *(str(one[name]) for name in ("read", "upheld", "to_fail", "to_pass", "open")),
            _of_all(*(one["agreement"][name] for name in ("agreed", "n", "low", "high"))),
            _coefficient(one["agreement"]["kappa"], one["agreement"]["kappa_interval"]),
            _coefficient(one["agreement"]["ac1"], one["agreement"]["ac1_interval"]),
            _of_all(one["same"], one["compared"], one["low"], one["high"]),
        ]
        for one in expected
    ]


def test_which_verdicts_changed(read: Read) -> None:
    """Every verdict that people changed, in both directions, and no other."""
    changed = {
        key: (read.machine[key]["verdict"], verdict)
        for key, verdict in read.decided.items()
        if verdict is not None and verdict != read.machine[key]["verdict"]
    }
    stored = {
        (one["model_id"], one["scenario_id"], one.get("epoch"), one["check_id"]): (one["was"], one["now"])
        for one in read.reviews["reversals"]
    }
    assert stored == changed
    assert {"PASS", "FAIL"} <= {now for _, now in changed.values()}
    shown = [(row[3].lower(), row[4].lower()) for row in table(read.page, "Verdicts that people changed")]
    assert Counter(shown) == Counter((was.lower(), now.lower()) for was, now in changed.values())


def _corrected(read: Read, keys: list[Key]) -> tuple[float, float, float] | str:
    """The difference estimator of one stratum with its interval, or why there is none."""
    family = {key: key[1] for key in keys}  # each open conversation is a family of its own
    machine = {key: int(read.machine[key]["verdict"] == "FAIL") for key in keys}
    people = {
        key: int(verdict == "FAIL")
        for key, verdict in read.decided.items()
        if key in machine and verdict is not None
    }
    if sum(people.values()) < FEWEST:
        return f"{sum(people.values())} sampled failures; {FEWEST} are needed"
    size, n = len(keys), len(people)
    differences = {key: people[key] - machine[key] for key in people}
    mean = sum(differences.values()) / n
    rate = sum(machine.values()) / size + mean
    below = above = 0.0
    if not all(machine.values()):
        missed = sum(one == 1 for one in differences.values())
        low, high = recount.rate_interval(missed, n)
        below, above = (missed / n - low) ** 2, (high - missed / n) ** 2
    if any(machine.values()):
        alarms = sum(one == -1 for one in differences.values())
        low, high = recount.rate_interval(alarms, n)
        below, above = below + (high - alarms / n) ** 2, above + (alarms / n - low) ** 2
    sums: defaultdict[str, float] = defaultdict(float)
    for key in keys:
        sums[family[key]] += (machine[key] + mean - rate) / size
    for key, one in differences.items():
        sums[family[key]] += (one - mean) * math.sqrt(n / (n - 1)) / n
    families = len(sums)
    clustered = families / (families - 1) * sum(one**2 for one in sums.values())
    further = clustered - sum((one - mean) ** 2 for one in differences.values()) / (n - 1) / n
    if further > 0 and 0 < rate < 1:
        quantiles = norm.ppf(0.975) / student.ppf(0.975, families - 1)
        effective = rate * (1 - rate) / further * quantiles**2
        low, high = recount.rate_interval(rate * effective, effective)
        below, above = below + (rate - low) ** 2, above + (high - rate) ** 2
    return rate, max(0.0, rate - math.sqrt(below)), min(1.0, rate + math.sqrt(above))


def test_rates_corrected_by_people(read: Read) -> None:
    """Every rate with its interval and counts, or why there is none, in the file and on the page."""
    rates = read.reviews["corrected"]["rates"]
    drawn = set(read.decided)
    lines, reasons = [], Counter[str]()
    for one in rates:
        keys = [
            key
            for key, row in read.machine.items()
            if row["primary_bucket"] == one["bucket"]
            and one["model_id"] in (None, key[0])
            and one["check_id"] in (None, key[3])
        ]
        read_of = [verdict for key, verdict in read.decided.items() if key in keys and verdict is not None]
        failures = sum(read.machine[key]["verdict"] == "FAIL" for key in keys)
        unclear = sum(read.machine[key]["verdict"] == "UNCLEAR" for key in keys)
        counts = (len(keys), failures, unclear, len(drawn & set(keys)), len(read_of), read_of.count("FAIL"))
        names = ("verdicts", "machine_failures", "machine_open", "drawn", "decided", "failures")
        assert tuple(one[name] for name in names) == counts
        expected = _corrected(read, keys)
        if isinstance(expected, str):
            assert (one["rate"], one["reason"]) == (None, expected)
            reasons[expected] += 1
            continue
        assert (one["rate"], one["low"], one["high"]) == close(expected)
        lines.append([
            f"{failures} of {len(keys)} ({say.percent(failures / len(keys))})", str(unclear),
            f"{read_of.count('FAIL')} of {len(read_of)}",
            say.percent(expected[0]), say.between(*expected[1:]),
        ])  # fmt: skip
    wanted = {(row["primary_bucket"], model) for key, row in read.machine.items() for model in (None, key[0])}
    assert {(one["bucket"], one["model_id"]) for one in rates} == wanted
    assert {one["check_id"] for one in rates} == {None, *(key[3] for key in drawn)}
    assert len(lines) > 1 < len(reasons)
    assert [row[1:] for row in table(read.page, "Rates corrected by people")] == lines
    text = read.page.text
    assert all(f"Not estimable ({reason})" in text for reason in reasons)
