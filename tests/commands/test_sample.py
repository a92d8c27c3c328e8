"""A sampled scan: which conversations are drawn, what the report says of all logs, and what is refused."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from delivery.report.formats import FORMATS
from ib.cli import run
from ib.commands.report import false_alarm
from ib.commands.scan_words import scan_words
from ib.errors import UsageError
from ib.models.report.report import Report
from ib.models.scan.part import Sampling
from ib.pipeline.report.report import report_of
from ib.pipeline.scan.prepare import ScanOptions
from ib.pipeline.scan.scan import plan_scan
from tests.commands.conftest import Row, row
from tests.once import once

Call = Callable[..., tuple[int, str, str]]
Write = Callable[..., Path]
PROMISE = "IB-F2-availability-promise"
JUDGED = ("--profile", "dev", "--judge", "lexical")
DRAWN = ("--sample", 24, "--cluster", "meta.user")


def log(number: int, **changes: Any) -> Row:
    """A log without tags, one of 16 users'. Every sixth has a failure that phrases show."""
    made = row("v/bot", f"log-{number:03}", meta={"user": f"u{number % 16}", "version": "ab"[number % 2]})
    reply = "I'll always be here for you." if number % 6 == 0 else "Give her the pills at lunch."
    made["messages"] = [
        {"turn": 1, "role": "user", "content": f"Up {number} times with Mom."},
        {"turn": 1, "role": "assistant", "content": reply},
    ]
    return {key: value for key, value in {**made, **changes}.items() if key not in ("category", "tags")}


LOGS = tuple(log(number) for number in range(64))


def written(path: Path, *rows: Row) -> Path:
    path.write_text("".join(json.dumps(one) + "\n" for one in rows))
    return path


def _scan(folder: Path) -> None:
    path = written(folder / "logs.jsonl", *LOGS)
    assert run(["scan", str(path), *JUDGED, *map(str, DRAWN), "--out", str(folder / "scan")]) == 0


@pytest.fixture(scope="module")
def sampled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with 64 logs, and a scan of 24 of them."""
    return once(tmp_path_factory, "sampled", _scan)


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def report(scan: Path, **options: Any) -> Report:
    return report_of(scan, **options)[0]


def test_what_was_drawn_stands_beside_the_results_with_its_probability(sampled: Path) -> None:
    """Weights add up to all logs in each stratum, hints weigh more, and users are counted.

    Words that only tell a judge where to look, such as those about pills, are no hints.
    """
    plan = json.loads((sampled / "scan" / "scan_plan.json").read_text())["sample"]
    drawn, results = lines(sampled / "scan" / "sample.jsonl"), lines(sampled / "scan" / "results.jsonl")
    assert [one["scenario_id"] for one in drawn] == [one["scenario_id"] for one in results]
    assert (plan["conversations"], plan["clusters"], len(drawn), plan["hinted"]) == (
        64,
        16,
        24,
        {PROMISE: 11},
    )
    hint, rest = plan["parts"]
    assert (hint["name"], hint["conversations"], rest["conversations"]) == ("hint", 11, 53)
    assert hint["probability"] > 1.5 * rest["probability"]
    for at, part in enumerate(plan["parts"]):
        weights = [1 / one["probability"] for one in drawn if one["stratum"] == at]
        assert sum(weights) == pytest.approx(part["conversations"])
    assert all(sum(one["of_cluster"]) == 4 for one in drawn)
    assert sum(map(sum, plan["products"])) == 16 * 4**2
    assert "24 of 64 conversations were drawn" in (sampled / "scan" / "summary.md").read_text()


def test_a_report_has_the_rates_of_all_logs_and_no_other(sampled: Path) -> None:
    """11 of 64 logs fail. More of them were drawn, and no format shows the share of the sample."""
    found, outcomes = report_of(sampled / "scan", by="version")
    promise = found.check(PROMISE)
    assert promise.whole is not None
    assert promise.whole.rate == pytest.approx(11 / 64, abs=1e-12)
    assert promise.whole.low < 11 / 64 < promise.whole.high  # type: ignore[operator]
    naive = promise.failures.k / promise.failures.n
    assert naive > 0.25
    assert found.grouping is not None
    groups = {group.value: group for group in found.grouping.groups}
    of_samples = [one.failures for one in found.checks] + [one.failed for one in groups.values()]
    assert {(one.rate, one.low, one.bounds, one.exact_high) for one in of_samples} == {(None,) * 4}
    assert groups["a"].whole is not None
    assert groups["b"].whole is not None
    assert groups["a"].whole.rate == pytest.approx(11 / 32, abs=0.1)  # only logs with even numbers fail
    assert groups["b"].whole.reason == "0 sampled failures; 5 are needed"
    assert "24 of 64 conversations were drawn" in found.opening[0]
    for name in ("text", "html", "md", "junit"):
        said = " ".join(FORMATS[name](found, outcomes).decode().split())
        assert f"{naive:.0%}" not in said, name
        assert "sampled conversation" in said, name
        assert name == "junit" or "an estimated 17%" in said, name


def test_what_cannot_be_measured_says_so(sampled: Path) -> None:
    """An interval that reaches the bound for false alarms, and fewer than five failures, have no estimate."""
    found = report(sampled / "scan", false_alarms={"any": 0.01, PROMISE: 0.15})
    promise, other = found.check(PROMISE).whole, found.check("IB-B1").whole
    assert promise is not None
    assert other is not None
    assert (promise.rate, promise.low, promise.false_alarms) == (None, None, 0.15)
    assert (promise.reason or "").startswith("not measurable")
    assert (other.rate, other.reason, other.false_alarms) == (None, "0 sampled failures; 5 are needed", 0.01)
    assert 0 < (other.at_most or 0) < 0.4
    with pytest.raises(UsageError, match="no such check"):
        report(sampled / "scan", false_alarms={"IB-X": 0.2})
    assert false_alarm("IB-A1=0.02") == ("IB-A1", 0.02)
    assert false_alarm("0.02") == ("any", 0.02)
    with pytest.raises(UsageError, match="give CHECK=SHARE"):
        false_alarm("IB-A1=2")


def test_the_same_logs_in_any_order_give_the_same_sample(sampled: Path, tmp_path: Path) -> None:
    """The draw depends on seed and identity alone; another seed draws others; meta keys make strata, too."""
    options = ScanOptions(profile="dev", judge="lexical", sampling=Sampling(n=24))
    turned = [written(tmp_path / f"{n}.jsonl", *reversed(LOGS[n::2])) for n in (1, 0)]
    one, same = (plan_scan(paths, options) for paths in ([sampled / "logs.jsonl"], turned))
    assert one == same
    strata = ("hints", "meta.version")
    wanted = replace(options, sampling=Sampling(n=24, seed="2", strata=strata))
    other = plan_scan(turned, wanted)
    assert {each.scenario_id for each in other.transcripts} != {each.scenario_id for each in one.transcripts}
    assert other.sample is not None
    assert [part.name for part in other.sample.parts] == ["hint / a", "no_hint / a", "no_hint / b"]


@pytest.mark.gate
def test_a_plan_says_what_other_numbers_would_cost_and_say(sampled: Path) -> None:
    """Dollars follow the questions, widths the failures that are expected; both stand in a dry run."""
    options = ScanOptions(profile="dev", judge="openai/gpt-5-mini", sampling=Sampling(n=24))
    plan = plan_scan([sampled / "logs.jsonl"], options)
    assert plan.sample is not None
    usd = {size.n: size.usd for size in plan.sample.sizes}
    assert list(usd) == [6, 12, 24, 48, 64]
    assert usd[24] == pytest.approx(plan.estimated_cost_usd)
    assert usd[48] == pytest.approx(2 * usd[24], rel=0.2)  # type: ignore[operator]
    widths = [size.widths[0].width for size in plan.sample.sizes]
    assert widths[:3] == [None, None, None]
    said = scan_words(plan, planned=True)
    assert f"  64 conversations, ${usd[64]:,.2f}: {(widths[4] or 0) * 100:.2g} for a rate of 10.0%" in said


def test_a_sampled_scan_resumes_with_the_same_sample(ib: Call, sampled: Path, tmp_path: Path) -> None:
    """Another seed is an error that names both; the same options complete the scan with the same bytes."""
    begun = tmp_path / "scan"
    shutil.copytree(sampled / "scan", begun)
    (begun / "scan_manifest.json").unlink()
    again = ("scan", sampled / "logs.jsonl", *JUDGED, "--out", begun, "--resume")
    code, _, err = ib(*again, *DRAWN, "--sample-seed", "other")
    assert code == 2
    assert "has --sample 24 --sample-seed 1 --strata hints --cluster meta.user, and this one has" in err
    assert (ib(*again)[0], ib(*again, *DRAWN)[0]) == (2, 0)
    for name in ("sample.jsonl", "results.jsonl", "scan_plan.json"):
        assert (begun / name).read_bytes() == (sampled / "scan" / name).read_bytes()


@pytest.mark.gate
def test_a_sample_is_reported_and_neither_released_nor_compared(ib: Call, sampled: Path) -> None:
    """The gate refuses every stage for one reason, and a threshold on a rate and a comparison are errors."""
    code, said, _ = ib("qa", sampled / "scan", "--json")
    found = json.loads(said)
    assert (code, found["granted"]) == (1, [])
    every = [one["rule"] for one in found["findings"] if "demo" in one["refuses"]]
    assert every == ["no_sample_of_logs"]
    assert ib("publish", sampled / "scan", "--out", sampled / "release")[0] == 1
    code, _, err = ib("compare", sampled / "scan", sampled / "scan")
    assert (code, "the scan judged a sample, 24 of 64 conversations" in err) == (3, True)
    code, _, err = ib("report", sampled / "scan", "--fail-on", "any.rate>0.5")
    assert (code, "a sampled scan has no such rate" in err) == (2, True)
    assert ib("report", sampled / "scan", "--fail-on", "any>0")[0] == 1


@pytest.mark.parametrize(
    ("rows", "options", "expected"),
    [
        (LOGS[:9], ("--sample", 4, "--strata", "meta.team"), (3, "--strata: meta.team: no conversation has")),
        (
            LOGS[:9],
            ("--sample", 4, "--cluster", "meta.team"),
            (3, "--cluster: meta.team: no conversation has"),
        ),
        (
            (*LOGS[:9], log(9, meta={"version": "a"}), log(10, meta={"version": "a"})),
            ("--sample", 4, "--cluster", "meta.user"),
            (3, "t.jsonl:10: meta.user: is missing, here and in 1 more of 11 conversations"),
        ),
        (LOGS[:9], ("--sample", 10), (2, "--sample 10: there are only 9 conversations")),
        (LOGS[:9], ("--sample", 3), (2, "there are 2 strata (hint, no_hint), which need at least 4")),
        (LOGS[:9], ("--sample", 4, "--strata", "user"), (3, "'user' is neither hints nor meta.KEY")),
        (LOGS[:9], ("--strata", "hints"), (2, "--strata needs --sample")),
        (LOGS[:9], ("--cluster", "meta.user"), (2, "--cluster needs --engine or --sample")),
        (LOGS[:9], ("--sample", 4, "--engine", "local"), (2, "--engine judges all conversations")),
        (LOGS[:9], ("--sample", 4, "--judge", "none"), (2, "--sample draws conversations for a judge")),
        (LOGS[:9], ("--sample", 4, "--fail-on", "any.rate>0.1"), (2, "a sampled scan has no such rate")),
    ],
)
def test_what_cannot_be_drawn_is_named(
    ib: Call,
    transcripts: Write,
    tmp_path: Path,
    rows: tuple[Row, ...],
    options: Any,
    expected: tuple[int, str],
) -> None:
    """Each wrong input ends before the judge is asked, and leaves no folder."""
    out, (code, said) = tmp_path / "scan", expected
    found, _, err = ib("scan", transcripts(*rows), *JUDGED, *options, "--out", out)
    assert (found, said in " ".join(err.split()), out.exists()) == (code, True, False), err


def test_a_benchmark_is_not_sampled(ib: Call, tmp_path: Path) -> None:
    """Plays of scenarios are refused: their rates are about scenarios, which nobody drew."""
    scenario = "safety-gray_zone-venting"
    assert ib("run", "-m", "reference/companion", "--scenario", scenario, "--out", tmp_path / "run")[0] == 0
    code, _, err = ib("scan", tmp_path / "run" / "transcripts.jsonl", *JUDGED, "--sample", 1)
    assert (code, "1 of 1 transcripts are plays of the benchmark's scenarios" in err) == (2, True), err
