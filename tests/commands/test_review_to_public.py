"""From a scan with contested gate verdicts to a release of stage public, by what the commands say on the way.

The benchmark is the small example of another domain. Models and judge are a server on this machine, and the
labels are invented: they say so in the name and the notes of the reader.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from ib.testing.judges import passing_reply
from ib.testing.loopback import LoopbackServer, Messages
from tests.commands.test_review import answers

Call = Callable[..., tuple[int, str, str]]
EXAMPLE = Path(__file__).resolve().parents[2] / "docs" / "examples" / "refunds"
MODELS = ("openai/shop-1-2026-01-01", "openai/shop-2-2026-01-01", "openai/shop-3-2026-01-01")
JUDGE = "openai/judge-2026-01-01"
PROMISE = "Your refund is on its way."
PROPOSED = re.compile(r"ib (?:review|qa|publish) [^`\n]+")


class Shop:
    """Three models, one of which promises money, and a judge whose first vote on a promise says FAIL."""

    def __init__(self) -> None:
        self._asked: Counter[str] = Counter()

    def __call__(self, model: str, messages: Messages) -> str:
        """A reply of a model, or of the judge."""
        question = messages[-1]["content"]
        if "judge" not in model:
            promise = PROMISE if "shop-1" in model else "Please send a photograph."
            return f"I will write to my colleague today. {promise} This is {model}."
        passing = passing_reply(question)
        self._asked[question] += 1
        if PROMISE not in question or "refund_promised" not in question or self._asked[question] > 1:
            return passing
        turn = int(re.findall(r'"turn": ?(\d+)', question)[-1])
        seen = {"turn": turn, "quote": PROMISE}
        failing = {"verdict": "FAIL", "code": "refund_promised", "nearest": seen, "occurrences": [seen]}
        return json.dumps({**json.loads(passing), **failing})


def proposed(err: str) -> list[list[str]]:
    """The commands that a command proposed, without `ib`."""
    return [shlex.split(found)[1:] for found in PROPOSED.findall(err)]


@pytest.fixture
def benchmark(tmp_path: Path) -> Path:
    """The example, with a gate check that one FAIL vote fails: such a FAIL is contested."""
    root = tmp_path / "refunds"
    shutil.copytree(EXAMPLE, root)
    path = root / "checks" / "RF-B1-refund-promised.yaml"
    text = path.read_text("utf-8")
    assert "aggregation: majority" in text
    path.write_text(text.replace("aggregation: majority", "aggregation: any_fail"), "utf-8")
    return root


@pytest.fixture
def err_of_scan(ib: Call, benchmark: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """What `ib scan` says after three models were played and judged."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-" + "invented")
    names = tuple(name.partition("/")[2] for name in (*MODELS, JUDGE))
    with LoopbackServer(Shop(), models=names) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        models = [part for name in MODELS for part in ("-m", name)]
        most = ("--max-calls", 10_000, "--benchmark", benchmark)
        assert ib("run", *models, *most, "--out", "run")[0] == 0
        judged = ("--profile", "publish", "--judge", JUDGE, *most, "--no-cache")
        code, _, err = ib("scan", "run/transcripts.jsonl", *judged, "--out", "scan")
    assert code == 0, err
    return err


def read(step: list[str], batch: Path, folder: Path) -> list[Path]:
    """What two invented readers export: a promise is a failure, anything else is none."""
    found = json.loads(batch.read_bytes())
    made = []
    for name in ("Invented 1", "Invented 2"):
        file = answers(found, folder / f"{batch.stem}-{name[-1]}.json", name, "other", "pass")
        told = json.loads(file.read_bytes())
        for one, item in zip(told["answers"], found["items"], strict=True):
            replies = [said for said in item["messages"] if said["judged"] and PROMISE in said["content"]]
            one["note"] = "An invented label."
            if replies and item["asked"]["name"] == "Promises a refund":
                one |= {"answer": "fail", "marked": [{"turn": replies[0]["turn"], "quote": PROMISE}]}
        file.write_text(json.dumps(told))
        made.append(file)
    return made


@pytest.mark.gate
def test_the_commands_lead_to_a_public_release(ib: Call, err_of_scan: str, tmp_path: Path) -> None:
    """Scan, draws, pages, answers, apply, gate, release: each command was proposed by the one before."""
    (qa,) = (step for step in proposed(err_of_scan) if step[0] == "qa")
    code, out, err = ib(*qa)
    assert (code, "granted: demo, research;" in out) == (0, True), out
    assert "contested_hard_fails" in out
    draws = [step for step in proposed(err) if step[:2] == ["review", "draw"]]
    assert [step[3] for step in draws] == ["--for", "--design"]
    files: list[Path] = []
    applies = set()
    for draw in draws:
        code, _, err = ib(*draw)
        assert code == 0, err
        page, apply = proposed(err)
        assert ib(*page)[0] == 0
        assert Path(page[page.index("--out") + 1]).exists()
        files += read(page, Path(page[2]), tmp_path)
        applies.add(tuple(apply))
    (apply_all,) = applies
    at = apply_all.index("FILE...")
    code, out, err = ib(*apply_all[:at], *files, *apply_all[at + 1 :])
    assert code == 0, err
    (qa,) = proposed(err)
    code, out, err = ib(*qa)
    assert (code, "granted: demo, research, public;" in out) == (0, True), out
    (publish,) = proposed(err)
    code, _, err = ib(*publish, "--out", "release", "--to", "site")
    assert code == 0, err
    _is_public(Path("release"), Path("site"))
    _a_model_leaves_and_returns(ib, publish)


def _a_model_leaves_and_returns(ib: Call, publish: list[str]) -> None:
    """A public release without one of its models is public, by the reviews of the others."""
    why = ("--withdraw", MODELS[2], "--reason", "Retired by its maker.", "--stage", "public")
    code, _, err = ib(*publish, *why, "--out", "release", "--yes")
    assert code == 0, err
    board = json.loads(Path("release/leaderboard.json").read_bytes())
    assert (board["stage"], [one["model_id"] for one in board["models"]]) == ("public", list(MODELS[:2]))
    assert {one["model_id"] for one in board["reviews"]["reversals"]} <= set(MODELS[:2])
    assert ib("verify", "release")[0] == 0
    ledger = [json.loads(line) for line in Path("releases/ledger.jsonl").read_text().splitlines()]
    assert (ledger[-1]["action"], ledger[-1]["model_id"]) == ("withdrawn", MODELS[2])
    restore = ("releases", "restore", ledger[0]["release"], "--reason", "A mistake.", "--yes")
    code, _, err = ib(*restore, "--out", "release")
    assert code == 0, err
    assert len(json.loads(Path("release/leaderboard.json").read_bytes())["models"]) == len(MODELS)


def _is_public(release: Path, site: Path) -> None:
    """The release says who decided, and how far people agree with each other and with the judge."""
    board = json.loads((release / "leaderboard.json").read_bytes())
    assert board["stage"] == "public"
    assert {one["calibration"] for one in board["checks"]} == {"validated"}
    by_model = {one["model_id"]: one["gates"]["B"] for one in board["models"]}
    assert by_model[MODELS[0]]["failed_by_person"] == by_model[MODELS[0]]["due"] > 0
    assert by_model[MODELS[1]]["clear"] == by_model[MODELS[1]]["due"]
    (promised,) = (one for one in board["reviews"]["checks"] if one["check_id"] == "RF-B1-refund-promised")
    assert promised["agreement"]["agreed"] == promised["agreement"]["n"] == promised["read"] > 0
    assert promised["compared"] == promised["same"]
    page = (site / "methodology" / "reviews" / "index.html").read_text("utf-8")
    assert "Invented 1" in page
    assert "Rates corrected by people" in page
    words = re.sub(r"<[^>]+>", " ", page)
    for one in board["reviews"]["checks"]:
        agreed = one["agreement"]
        assert f"{agreed['agreed']} of {agreed['n']} (" in words
        assert f"{one['same']} of {one['compared']} (" in words
    assert "3 of 3 checks compared with people" in page


def test_our_benchmark_is_refused_for_want_of_people(ib: Call, tmp_path: Path) -> None:
    """The demonstration of this benchmark is refused public, and the gate says what people must read."""
    from tests.commands.test_review import make_scan

    make_scan(tmp_path)
    code, out, _ = ib("qa", tmp_path / "scan", "--stage", "public")
    assert code == 1
    assert "no person has reviewed this scan" in out
    assert "no person has read unanimous PASSes" in out
    assert "people decided 0 of 5 verdicts" in out
