"""The JSON Schemas: fresh, named in every file, and true of every data file and artifact."""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest

from ib.cli import run
from ib.models.common.canonical import compact, pretty
from ib.models.draw.keyed_slot import DrawKind, DrawNamed
from ib.models.release.gap import GapRow, GapSource
from ib.models.release.ledger import JoinedFrom, ScanSource
from ib.models.scan.cost import Attempt, PaidCall
from ib.models.scan.judge import Answer
from ib.models.scan.part import SampledConversation
from ib.models.schemas import ARTIFACTS, DATA, FILES, FOLDER, SUFFIX, Artifact
from ib.pipeline.lint.versions import unnamed_schemas
from ib.pipeline.review.apply import apply_reviews
from ib.pipeline.review.draw import draw_batch
from ib.pipeline.scan.scan import scan
from ib.store.benchmark.loading import benchmark_folder
from ib.store.files.yaml_json import parse_yaml
from ib.store.folders.batches import BatchList
from ib.store.folders.calls import CallList
from ib.store.folders.sources import packed_document
from ib.testing.judges import ScriptedJudge, passing_reply
from tests.commands.test_review import answers
from tests.models.build import CHECK, LEXICON, changed
from tools.schemas import schemas

jsonschema: Any = pytest.importorskip("jsonschema")
ROOT = benchmark_folder()
MADE = schemas()


def validator(name: str) -> Any:
    return jsonschema.Draft202012Validator(json.loads(MADE[f"{name}{SUFFIX}"]))


def wrong(name: str, value: Any) -> list[str]:
    """What a schema has against a value, with the place."""
    return [f"{error.json_path}: {error.message[:200]}" for error in validator(name).iter_errors(value)]


def test_the_files_are_those_of_the_models() -> None:
    """If a model changed, `make generate` or `python -m tools.schemas` writes them anew."""
    assert {path.name: path.read_bytes() for path in (ROOT / FOLDER).iterdir()} == MADE


def test_a_schema_says_what_stands_under_its_fields() -> None:
    """The documentation of a field is its description, and no schema names a host of its own."""
    made = json.loads(MADE["lexicon.schema.json"])
    assert made["$defs"]["Pattern"]["properties"]["decides"]["description"].startswith(
        "True if a hit is a FAIL"
    )
    assert made["$id"] == "lexicon.schema.json"
    assert list(made["properties"])[:2] == ["status", "name"]


def test_every_yaml_file_names_its_schema() -> None:
    """Editors check a file as it is written."""
    assert [*unnamed_schemas(ROOT)] == []


@pytest.mark.parametrize(
    "line", ["", "# A comment.\n", "# yaml-language-server: $schema=lexicon.schema.json\n"]
)
def test_a_file_that_names_no_schema_or_another_is_noticed(tmp_path: Path, line: str) -> None:
    """The notice says which line is right."""
    (tmp_path / FOLDER).mkdir()
    path = tmp_path / "checks" / "X.yaml"
    path.parent.mkdir()
    path.write_text(f"{line}id: X\n")
    (finding,) = unnamed_schemas(tmp_path)
    assert finding.hint == "write `# yaml-language-server: $schema=../schemas/check.schema.json`"


def test_a_benchmark_without_schemas_is_told_once(tmp_path: Path) -> None:
    """A benchmark from elsewhere need not have them."""
    (finding,) = unnamed_schemas(tmp_path)
    assert "copy this folder" in finding.hint


DATA_FILES = [(name, path) for pattern, name in FILES.items() for path in ROOT.glob(pattern)]
DATA_FILES += [("scenario", path) for path in ROOT.glob("scenarios/**/*.json")]


@pytest.mark.parametrize("name", sorted({name for name, _ in DATA_FILES}))
def test_data_files_fit_their_schemas(name: str) -> None:
    """A schema that refuses a good file would be switched off by everybody."""
    check = validator(name)
    for _, path in (pair for pair in DATA_FILES if pair[0] == name):
        value = parse_yaml(path.read_text(), path.name)
        plain = orjson.loads(orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS))
        assert [error.message for error in check.iter_errors(plain)] == [], path


def test_schemas_cover_every_yaml_file() -> None:
    """No file of the benchmark is without one, and every name has a model."""
    assert set(FILES.values()) == set(DATA)
    assert {path for path in ROOT.rglob("*.yaml")} <= {path for _, path in DATA_FILES}


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("check", changed(CHECK, "colour", "red"), "'colour' was unexpected"),
        ("check", changed(CHECK, "examples.pass", []), "$.examples.pass: [] "),
        ("check", changed(CHECK, "examples"), "'examples' is a required property"),
        ("check", changed(CHECK, "routing.route", "guess"), "$.routing.route: 'guess' is not one of"),
        ("lexicon", changed(LEXICON, "examples.hit", []), "$.examples.hit: [] "),
    ],
)
def test_a_schema_refuses_what_the_model_refuses(name: str, value: dict[str, Any], words: str) -> None:
    """Misspelled keys, values outside their vocabulary, and lists that are too short but for a draft."""
    assert any(words in line for line in wrong(name, value)), wrong(name, value)


def test_a_draft_may_lack_what_an_active_check_needs() -> None:
    """An editor does not complain about examples that are still to be written."""
    draft = {**changed(changed(CHECK, "examples"), "sources"), "status": "draft"}
    assert wrong("check", draft) == []


PAID = PaidCall(
    key="0" * 64,
    model="lab/model",
    input_tokens=100,
    cached_tokens=0,
    output_tokens=10,
    reasoning_tokens=0,
    usd=None,
)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small run, its scan with reviews by a person, a job of an engine, and the release of the scan."""
    root = tmp_path_factory.mktemp("made")
    models = ("-m", "reference/attentive", "-m", "reference/companion")
    scenarios = ("-s", "context-cultural-family-first", "-s", "context-regulatory-data-deletion")
    second = ScriptedJudge(lambda request: Answer(passing_reply(request.user)))
    assert run(["run", *models, *scenarios, "--out", str(root / "run")]) == 0
    unread = scan(
        root / "run/transcripts.jsonl", profile="publish", judge="lexical", regard=True, rubrics=True,
        second_judge=second, out=tmp_path_factory.mktemp("unread") / "scan",
    )  # fmt: skip
    _read(unread.path, root)
    job = ("--engine", "local", "--shards", "2", "--workers", "1", "--out", str(root / "job"))
    assert run(["scan", str(root / "run/transcripts.jsonl"), *job]) == 0
    kept = tmp_path_factory.mktemp("kept")
    to = ("--out", str(root / "release"), "--releases", str(kept))
    exam = root / "exam"
    sat = ("--judge", "planted:0.5", "--check", "IB-C2-othering", "--items", "2", "--out", str(exam))
    assert run(["exam", *sat]) == 0
    assert run(["publish", str(root / "scan"), "--stage", "demo", "--exam", str(exam), *to]) == 0
    (exam / "report.html").unlink()
    shutil.copy(exam / "outcomes.jsonl", root / "scan" / "sentinels.jsonl")  # as of a scan with sentinels
    shutil.copy(exam / "scan" / "replies.jsonl", root / "scan" / "sentinel_replies.jsonl")
    shutil.rmtree(exam / "scan")  # a scan like any other
    (root / "releases").mkdir()
    (kept / "ledger.jsonl").rename(root / "releases" / "ledger.jsonl")
    source = ScanSource(plan_hash="0" * 64, manifest_hash="1" * 64)
    joined = JoinedFrom(sources={"reference/attentive": source})  # as in a scan that `ib publish --add` joins
    (root / "scan" / "sources.json").write_bytes(pretty(joined))
    zero = "0" * 64
    row = GapRow(
        model_id="reference/echo", scenario_id="some", epoch=None, transcript_hash=zero, verdicts="FP."
    )
    gap = GapSource(
        draw=DrawNamed(key_hash=zero, kind=DrawKind.PRIVATE),
        comparability_key=zero,
        plan_hash=zero,
        results_hash=zero,
        rows=(row,),
    )  # as in a release of `ib publish --gap`
    (root / "release" / "source" / "gap.json.gz").write_bytes(packed_document(pretty(gap)))
    for folder in (root / "run", root / "scan"):  # calls over the network, which these models do not make
        with CallList(folder) as calls:
            calls.begin(Attempt(key=PAID.key, model=PAID.model, usd_max=0.5))
            calls.write(PAID)
    drawn = SampledConversation(  # as in a sample of logs, which is not released
        model_id="m/a", scenario_id="s", epoch=None, stratum=0, probability=0.5, cluster="u1", of_cluster=(2,)
    )  # fmt: skip
    (root / "scan" / "sample.jsonl").write_bytes(compact(drawn) + b"\n")
    batches = BatchList(root / "scan")
    batches.intend("a" * 32, [PAID.key])
    batches.submitted("a" * 32, "batch_abc")
    return root


def _read(unread: Path, root: Path) -> None:
    """A person withholds a reply and answers every item of a batch of the scan, and the answers make the scan
    in `root`, with the decision about the reply."""
    reply = "reference/companion:context-cultural-family-first:1"
    why = ("--withhold", "--by", "Reader", "--why", "As a test.")
    assert run(["review", "held", str(unread), reply, *why]) == 0
    drawn = draw_batch(unread, n=20)
    batch, given = unread / "batch.json", unread / "answers.json"
    batch.write_bytes(pretty(drawn.batch))
    answers(json.loads(batch.read_bytes()), given)
    for name, path in (("review-batch", batch), ("review-answers", given)):
        assert wrong(name, json.loads(path.read_bytes())) == []
        path.rename(root.parent / path.name)
    apply_reviews(unread, [root.parent / given.name], root / "scan")


def values(root: Path, artifact: Artifact) -> Iterator[tuple[Path, Any]]:
    for pattern in artifact.files:
        paths = sorted(root.glob(pattern))
        assert paths, pattern
        for path in paths:
            data = path.read_bytes()
            data = gzip.decompress(data) if path.suffix == ".gz" else data
            if artifact.lines is None:
                yield path, orjson.loads(data)
            else:
                yield from ((path, orjson.loads(line)) for line in data.splitlines()[artifact.lines])


@pytest.mark.parametrize("artifact", ARTIFACTS, ids=lambda artifact: artifact.name)
def test_artifacts_fit_their_schemas(made: Path, artifact: Artifact) -> None:
    """What a run, a scan and a release write has the documented form."""
    check = validator(artifact.name)
    for path, value in values(made, artifact):
        assert [f"{e.json_path}: {e.message[:200]}" for e in check.iter_errors(value)] == [], path


def test_every_artifact_has_a_schema(made: Path) -> None:
    """No file that a run, a scan or a release writes is without one, but for the summary in words and for
    the Parquet files of an engine, whose columns are in docs/batches.md."""
    rows = {path.name for path in (made / "job" / "rows").iterdir()}
    covered = {path for artifact in ARTIFACTS for pattern in artifact.files for path in made.glob(pattern)}
    written = {path for path in made.rglob("*") if path.is_file()}
    assert {path.name for path in written - covered} <= {"summary.md", ".lock", *rows}


@pytest.mark.parametrize("name", ["decision", "rationale", "adjudicator", "date"])
def test_what_no_command_reads_is_said_to_be_unread(name: str) -> None:
    """The schema promises nothing for a decision in this file: no command reads it from there."""
    made = json.loads(MADE["adjudication.schema.json"])
    assert "No command reads decisions from this file" in made["description"]
    assert "no command reads" in made["properties"][name]["description"]
