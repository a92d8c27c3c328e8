"""Exports of a release: valid by the schema of their readers, and silent where too little is known."""

from __future__ import annotations

import hashlib
import io
import json
import shutil
import zipfile
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import jsonschema  # type: ignore[import-untyped]
import orjson
import pytest

from delivery.export import eval_file, every_eval_ever, model_card
from delivery.export.common import NO_CERTIFICATE
from delivery.export.registry import FORMS, LOGS
from delivery.export.writing import write_export
from delivery.release.sealed import open_sealed
from delivery.release.view import Release
from delivery.sync_web_bench import FIRST
from ib.board.evidence.leaks import LeakSearch
from ib.cli import run
from ib.commands import export
from ib.errors import OutputExists, Refused
from ib.models.common.base import Bucket
from ib.pipeline.scan.judges import SCRIPTS
from ib.pipeline.scan.scan import scan
from ib.store.benchmark.loading import benchmark_folder, load_benchmark
from ib.store.files.leaks import load_leak_forms
from tests.delivery import sample
from tests.pipeline.verifying import released, scanned

NAMES = ("eval", "instance_level_eval")
MADE = {**FORMS, "eval": LOGS["eval"]}
SCHEMAS = Path(__file__).resolve().parents[1] / "fixtures" / "every_eval_ever"


@pytest.fixture(scope="module")
def exports(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Path]:
    """A small release in every form, by name, and its logs in the other format of Inspect as `eval`."""
    folder = tmp_path_factory.mktemp("exports")
    for name, form in MADE.items():
        write_export(form, released(tmp_path_factory), folder / name)
    return {name: folder / name for name in MADE}


def test_the_command_knows_every_form() -> None:
    """The names in the help are those of the registry, and JSON is the usual format of a log."""
    assert set(export.FORMS) == set(FORMS)
    assert set(export.LOGS) == set(LOGS)
    assert FORMS[export.INSPECT] is LOGS["json"]


def test_only_inspect_has_a_format_of_logs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With another form the option is an error of usage, before anything is computed."""
    words = ["export", "croissant", str(tmp_path), "--out", str(tmp_path / "out"), "--log-format", "eval"]
    assert run(words) == 2
    assert "--log-format is for the form inspect" in capsys.readouterr().err


@pytest.mark.gate
def test_a_second_export_has_the_same_bytes(
    exports: Mapping[str, Path], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """For every form, and every file says what the figures must not be taken for."""
    used = load_benchmark(benchmark_folder())
    again = open_sealed(released(tmp_path_factory), used, LeakSearch(load_leak_forms()))
    for name, form in MADE.items():
        first = files(exports[name])
        assert dict(form(again.release(used), again.files)) == first
        said = {path: data for path, data in first.items() if path != "verdicts.jsonl"}
        assert all(NO_CERTIFICATE.encode() in unzipped(data) for data in said.values())


@pytest.mark.gate
def test_another_benchmark_is_one_line(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of five files that differ, three are named; a folder in the way is refused before all that."""
    root = shutil.copytree(benchmark_folder(), tmp_path / "benchmark")
    for path in sorted((root / "checks").glob("*.yaml"))[:5]:
        path.write_text(path.read_text("utf-8") + "# more\n", "utf-8")
    release, out = str(released(tmp_path_factory)), str(tmp_path / "card")
    given = ["export", "model-card", release, "--benchmark", str(root), "--out", out]
    assert run(given) == 0
    (line,) = (line for line in capsys.readouterr().err.splitlines() if "another benchmark" in line)
    assert "(5 files): " in line
    assert line.count(" is not the same") == FIRST == 3
    assert line.endswith("and 2 more; `ib verify` lists them")
    assert run(given) == 2
    told = capsys.readouterr().err
    assert "already exists" in told
    assert "another benchmark" not in told


def files(folder: Path) -> dict[str, bytes]:
    """Every file of a folder, by its name in it."""
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def unzipped(data: bytes) -> bytes:
    """The bytes of all members of a ZIP; other files as they are."""
    if not data.startswith(b"PK"):
        return data
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return b"".join(map(archive.read, archive.namelist()))


def test_a_packed_log_depends_on_its_content_alone() -> None:
    """Its members, their order, time and packing are fixed, and its summary leaves out what is long."""
    at = datetime(2026, 7, 1, 12, 30, tzinfo=UTC)
    sample = {
        "id": "a",
        "epoch": 2,
        "input": "x" * 6000,
        "target": "",
        "messages": [{"role": "user", "content": "Hi."}],
        "scores": {"one": {"value": {"c": "PASS"}, "metadata": {"gates": {}, "evidence": {"c": []}}}},
        "metadata": {"transcript_hash": "0f", "invisiblebench": {"long": True}},
    }
    log = {"version": 2, "eval": {"created": at.isoformat()}, "plan": {}, "status": "success"}
    data = eval_file.packed(log, iter([sample]), at)
    assert eval_file.packed(log, iter([sample]), at) == data
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = archive.infolist()
        assert [one.filename for one in members] == [
            "_journal/start.json",
            "samples/a_epoch_2.json",
            "_journal/summaries/1.json",
            "summaries.json",
            "header.json",
        ]
        assert {(one.date_time, one.create_system, one.compress_type) for one in members} == {
            ((2026, 7, 1, 12, 30, 0), 3, zipfile.ZIP_DEFLATED)
        }
        assert orjson.loads(archive.read("samples/a_epoch_2.json")) == sample
        (short,) = orjson.loads(archive.read("summaries.json"))
    assert len(short["input"]) < 5200
    assert short["metadata"] == {"transcript_hash": "0f"}
    assert short["scores"]["one"] == {"value": {"c": "PASS"}, "metadata": {"gates": {}}}


@pytest.mark.gate
def test_every_eval_ever_is_valid_by_its_own_schema(exports: Mapping[str, Path]) -> None:
    """Figures and plays; each figure has its count, and each file of plays its hash."""
    figures, plays = (
        json.loads((SCHEMAS / name).read_bytes())
        for name in ("eval.schema.json", "instance_level_eval.schema.json")
    )
    made_of_models = sorted(exports["every-eval-ever"].rglob("*.json"))
    assert len(made_of_models) == 2
    for path in made_of_models:
        made = orjson.loads(path.read_bytes())
        jsonschema.validate(made, figures)
        results = {one["evaluation_result_id"] for one in made["evaluation_results"]}
        assert len(results) == len(made["evaluation_results"]) > 0
        told = made["detailed_evaluation_results"]
        rows = (exports["every-eval-ever"] / told["file_path"]).read_bytes()
        assert (hashlib.sha256(rows).hexdigest(), rows.count(b"\n")) == (told["checksum"], told["total_rows"])
        for line in rows.splitlines():
            jsonschema.validate(orjson.loads(line), plays)


def test_a_gate_of_which_too_little_is_decided_has_no_figure() -> None:
    """Neither in Every Eval Ever nor on a card: there it is called not measurable."""
    board, evidence = sample.release()
    model = board.models[0]
    clear = sample.gate(due=20, failed_by_judge=2)
    undecided = sample.gate(due=20, failed_by_judge=2, incomplete=12)
    for entry, shown in ((clear, True), (undecided, False)):
        odd = model.model_copy(update={"gates": {**model.gates, Bucket.A: entry}})
        release = Release(board.model_copy(update={"models": (odd,)}), evidence, sample.benchmark())
        (figures,) = (
            orjson.loads(data) for name, data in every_eval_ever.files(release, {}) if name.endswith(".json")
        )
        gates = [
            one
            for one in figures["evaluation_results"]
            if one["metric_config"]["metric_id"] == "invisiblebench.A"
        ]
        assert bool(gates) is shown
        ((_, card),) = model_card.files(release, {})
        row = next(line for line in card.decode().splitlines() if line.startswith("| safety gate"))
        assert ("not measurable here" not in row) is shown


def test_the_name_of_a_model_is_no_markup_on_a_card() -> None:
    """A link, a tag or a table in a name stays text."""
    assert model_card.plain("[x](https://e.org) <b>|`a`") == r"\[x\]\(https://e\.org\) \<b\>\|\`a\`"


@pytest.mark.gate
def test_a_log_of_inspect_comes_back_to_the_same_verdicts(
    exports: Mapping[str, Path], tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Imported and judged again by the same judge; the log has the verdicts as words."""
    first = rows(scanned(tmp_path_factory))
    for log in sorted(exports["inspect"].glob("*.json")):
        assert run(["import", str(log), "--out", str(tmp_path / log.stem)]) == 0
        scan(tmp_path / log.stem, profile="publish", judge=SCRIPTS, out=tmp_path / f"{log.stem}-scan")
        again = rows(tmp_path / f"{log.stem}-scan")
        model = orjson.loads(log.read_bytes())["eval"]["model"]
        assert again == {key: verdicts for key, verdicts in first.items() if key[0] == model} != {}
        said = {
            sample["id"]: sample["scores"]["invisiblebench"]["value"]
            for sample in orjson.loads(log.read_bytes())["samples"]
        }
        for (_, scenario), verdicts in again.items():
            decided = {
                name: word
                for name, word in verdicts.items()
                if word in ("PASS", "FAIL", "UNCLEAR", "NOT_APPLICABLE")
            }
            assert said[scenario] == decided


@pytest.mark.gate
def test_a_packed_log_has_the_conversations_of_the_other(exports: Mapping[str, Path], tmp_path: Path) -> None:
    """`ib import` makes the same transcripts of both, and its samples are the same, byte for byte."""
    logs = sorted(exports["eval"].glob("*.eval"))
    assert [log.stem for log in logs] == [log.stem for log in sorted(exports["inspect"].glob("*.json"))] != []
    for log in logs:
        plain = (exports["inspect"] / log.name).with_suffix(".json")
        for one in (log, plain):
            assert run(["import", str(one), "--out", str(tmp_path / f"{one.name}.jsonl")]) == 0
        first, second = (tmp_path / f"{one.name}.jsonl" for one in (plain, log))
        assert first.read_bytes() == second.read_bytes() != b""
        whole = orjson.loads(plain.read_bytes())
        with zipfile.ZipFile(log) as archive:
            names = [name for name in archive.namelist() if name.startswith("samples/")]
            samples = [orjson.loads(archive.read(name)) for name in names]
            assert {**orjson.loads(archive.read("header.json")), "samples": samples} == whole


def rows(folder: Path) -> dict[tuple[str, str], dict[str, str]]:
    """The verdicts of a scan by model and scenario."""
    found = {}
    for line in (folder / "results.jsonl").read_bytes().splitlines():
        one = orjson.loads(line)
        verdicts = {row["mode_id"]: row["verdict"] for row in one["rows"] if row["verdict"]}
        found[one["model_id"], one["scenario_id"]] = verdicts
    return found


@pytest.mark.gate
def test_croissant_describes_its_table_and_every_file_of_the_release(
    exports: Mapping[str, Path], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """By name and hash, and the fields of the table are those that it describes."""
    made = orjson.loads((exports["croissant"] / "croissant.json").read_bytes())
    hashes = {one["contentUrl"]: one["sha256"] for one in made["distribution"]}
    release = released(tmp_path_factory)
    files = {p.relative_to(release).as_posix(): p for p in release.rglob("*") if p.is_file()}
    files["verdicts.jsonl"] = exports["croissant"] / "verdicts.jsonl"
    assert hashes == {name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in files.items()}
    fields = [one["name"] for one in made["recordSet"][0]["field"]]
    lines = [orjson.loads(line) for line in files["verdicts.jsonl"].read_bytes().splitlines()]
    assert {tuple(sorted(line)) for line in lines} == {tuple(sorted(fields))}


@pytest.mark.gate
def test_an_export_replaces_nothing_and_is_never_empty(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """A folder that is there is refused, and so is a form that has nothing to say."""
    (tmp_path / "there").mkdir()
    with pytest.raises(OutputExists, match="already exists"):
        write_export(FORMS["inspect"], released(tmp_path_factory), tmp_path / "there")
    with pytest.raises(Refused, match="carries nothing that this form holds"):
        write_export(lambda release, files: iter(()), released(tmp_path_factory), tmp_path / "none")
    assert not (tmp_path / "none").exists()


@pytest.mark.gate
def test_a_log_that_was_edited_does_not_pass_as_the_transcript_that_it_carries(
    exports: Mapping[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Other words in the messages are an error that names the place."""
    log = orjson.loads(min(exports["inspect"].glob("*.json")).read_bytes())
    log["samples"][0]["messages"][1]["content"] += " And call 988."
    (tmp_path / "log.json").write_bytes(orjson.dumps(log))
    assert run(["import", str(tmp_path / "log.json"), "--out", str(tmp_path / "out")]) == 3
    assert "metadata.invisiblebench: says other words than the messages" in capsys.readouterr().err
