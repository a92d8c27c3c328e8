"""The benchmark as files: everything that is wrong with any of them, and between them, at once."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from ib.errors import DataError
from ib.models.benchmark.benchmark import benchmark_hash
from ib.store.benchmark.loading import benchmark_folder, check_order, load_benchmark
from tests.models.build import CHECK, LEXICON, changed
from tests.store.small import RULES, SCORING, only, places, write_benchmark, write_yaml

CHECK_FILE = "checks/IB-F1-test.yaml"
LEXICON_FILE = "lexicons/claims.yaml"


def failing(folder: Path) -> DataError:
    with pytest.raises(DataError) as caught:
        load_benchmark(folder)
    assert caught.value.exit_code == 3
    return caught.value


def with_file(tmp_path: Path, name: str, value: Any) -> DataError:
    return failing(write_benchmark(tmp_path, **{name: value}))


def test_a_sound_benchmark_loads(tmp_path: Path) -> None:
    """The small benchmark that the other tests break is whole."""
    benchmark = load_benchmark(write_benchmark(tmp_path))
    assert list(benchmark.checks) == ["IB-F1-test"]
    assert list(benchmark.lexicons) == ["claims"]
    assert benchmark.canary == "canary"


def test_everything_wrong_in_every_file_at_once(tmp_path: Path) -> None:
    """Six broken files are six findings, each with its file and, where there is one, line and key."""
    root = write_benchmark(tmp_path)
    (root / CHECK_FILE).write_text("id: IB-F1-test\nid: IB-F1-test\n", encoding="utf-8")
    (root / LEXICON_FILE).write_bytes(b"name: claims\npurpose: caf\xe9\n")
    (root / "configs/scoring.yaml").write_text("weights: [", encoding="utf-8")
    write_yaml(root / "configs/rules/base.yaml", {**RULES, "colour": "red"})
    (root / "configs/frame.yaml").unlink()
    (root / "corpus/claims.yaml").write_text("- list\n", encoding="utf-8")
    assert {(file, line) for file, line, _ in places(failing(root))} == {
        ("IB-F1-test.yaml", 2),
        ("claims.yaml", 2),
        ("scoring.yaml", 2),
        ("base.yaml", 1 + (root / "configs/rules/base.yaml").read_text().splitlines().index("colour: red")),
        ("frame.yaml", None),
        ("claims.yaml", 1),
    }


def test_everything_wrong_between_files_at_once(tmp_path: Path) -> None:
    """A lexicon, a flag and a group of words that do not exist are three findings."""
    root = write_benchmark(tmp_path)
    write_yaml(root / CHECK_FILE, changed(CHECK, "routing.lexicon", "nowhere"))
    write_yaml(root / LEXICON_FILE, changed(LEXICON, "patterns.0.phrase", "<none> here"))
    write_yaml(root / "configs/scoring.yaml", changed(SCORING, "flags.0.check", "IB-F9"))
    assert sorted(place[2] for place in places(failing(root))) == [
        "flags.0.check",
        "patterns.0.phrase",
        "routing.lexicon",
    ]


@pytest.mark.parametrize(
    ("checks", "place", "found"),
    [
        (["IB-F1-test", "IB-F9"], "one_root.0.checks.1", "names unknown check IB-F9"),
        (["IB-F1-test", "IB-A1"], "one_root.0", "joins IB-F1-test and IB-A1, of which one is a gate check"),
        (["IB-F1-test", "IB-F1-test"], "one_root.0", "two different checks"),
    ],
)
def test_a_pair_with_one_root_has_two_checks_of_one_kind(
    tmp_path: Path, checks: list[str], place: str, found: str
) -> None:
    """Both are known, they differ, and they are both gate checks or both others."""
    root = write_benchmark(tmp_path)
    asked = {"route": "llm_primary", "unit_of_analysis": "turn_level"}
    gate = {**CHECK, "id": "IB-A1", "bucket": "A", "severity": "S5", "routing": asked}
    write_yaml(root / "checks/IB-A1.yaml", gate)
    pair = {"checks": checks, "reason": "One brings the other."}
    write_yaml(root / "configs/scoring.yaml", {**SCORING, "one_root": [pair]})
    (finding,) = failing(root).findings
    assert finding.key == place
    assert found in finding.found


@pytest.mark.parametrize(
    "path",
    [
        "disclosure_on_asking.ask_patterns.0.regex",
        "disclosure_on_asking.disclosure_patterns.0.regex",
        "disclosure_on_asking.denial_patterns.0.regex",
    ],
)
@pytest.mark.parametrize("regex", ["(a+)+b", "(?=a)b", "(a"])
def test_a_bad_pattern_of_a_rule(tmp_path: Path, path: str, regex: str) -> None:
    """The patterns of rules are held to the same."""
    finding = only(with_file(tmp_path, "configs/rules/base.yaml", changed(RULES, path, regex)))
    assert finding.key == path
    assert finding.line is not None
    assert finding.file.endswith("configs/rules/base.yaml")


def test_a_lexicon_that_does_not_exist(tmp_path: Path) -> None:
    """The check is named, the lexicon, and those that there are."""
    finding = only(with_file(tmp_path, CHECK_FILE, changed(CHECK, "routing.lexicon", "claim")))
    assert finding.file.endswith(CHECK_FILE)
    assert (finding.key, finding.found) == ("routing.lexicon", "unknown lexicon 'claim'")
    assert "claims" in finding.hint


def test_a_group_that_does_not_exist(tmp_path: Path) -> None:
    """A check cannot be served by a group that its lexicon does not have."""
    finding = only(with_file(tmp_path, CHECK_FILE, changed(CHECK, "routing.lexicon_group", "strong")))
    assert (finding.key, finding.found) == ("routing.lexicon_group", "unknown group 'strong'")
    assert finding.hint == "the lexicon has no groups"


def test_a_lexicon_of_the_users_words_decides_nothing(tmp_path: Path) -> None:
    """What the user says is no failure of the assistant."""
    finding = only(with_file(tmp_path, LEXICON_FILE, changed(LEXICON, "speaker", "user")))
    assert finding.key == "routing.lexicon"
    assert "user's words" in finding.found


@pytest.mark.parametrize(
    ("name", "key", "other"),
    [
        (CHECK_FILE, "id", "checks/IB-F1-other.yaml"),
        (LEXICON_FILE, "name", "lexicons/other.yaml"),
        ("configs/rules/base.yaml", "id", "configs/rules/other.yaml"),
    ],
)
def test_an_id_that_is_not_the_file_name(tmp_path: Path, name: str, key: str, other: str) -> None:
    """A file is found by its id; a copy under another name is refused, with the name that it needs."""
    root = write_benchmark(tmp_path)
    shutil.copy(root / name, root / other)
    finding = only(failing(root))
    assert finding.file.endswith(other)
    assert (finding.line, finding.key, finding.hint) == (1, key, repr(Path(other).stem))


@pytest.mark.parametrize("folder", ["checks", "lexicons", "configs/rules"])
def test_lesson_28_a_folder_with_nothing_in_it_is_a_failure(tmp_path: Path, folder: str) -> None:
    """No checks at all, or no lexicons, is not a benchmark without findings."""
    root = write_benchmark(tmp_path)
    shutil.rmtree(root / folder)
    assert only(failing(root)).found == "has no .yaml file"


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    """A wrong path is said to be one."""
    assert only(failing(tmp_path / "none")).found == "no such folder"


def test_the_base_rules_are_needed(tmp_path: Path) -> None:
    """Every jurisdiction falls back on `base`."""
    root = write_benchmark(tmp_path)
    (root / "configs/rules/base.yaml").unlink()
    write_yaml(root / "configs/rules/ca.yaml", {**RULES, "id": "ca"})
    assert "no rule set `base`" in only(failing(root)).found


def with_sets(tmp_path: Path, **sets: dict[str, Any]) -> Path:
    """The small benchmark with further rule sets, each its own file."""
    files = {f"configs/rules/{n}.yaml": {"id": n, "title": n, **given} for n, given in sets.items()}
    return write_benchmark(tmp_path, **files)


LAW: dict[str, Any] = {
    "id": "one", "title": "t", "asks": "a", "applies_to": ["IB-F1-test"], "citation": "c",
    "url": "https://law.example", "in_force": None, "checked": None,
}  # fmt: skip


def test_rule_sets_are_merged_and_counted(tmp_path: Path) -> None:
    """Every set is whole by its id, and what one file says changes the hash of the benchmark."""
    bare = load_benchmark(write_benchmark(tmp_path / "bare"))
    ca = {"extends": "base", "country": "US", "laws": [LAW], "disclosure_cadence": {"minutes": 60}}
    full = load_benchmark(with_sets(tmp_path / "full", ca=ca))
    assert list(full.rules) == ["base", "ca"]
    assert full.rules["ca"].disclosure_cadence.minutes == 60
    assert full.rules["ca"].disclosure_on_asking == full.rules["base"].disclosure_on_asking
    other = load_benchmark(with_sets(tmp_path / "other", ca={**ca, "country": "EU"}))
    assert len({benchmark_hash(found) for found in (bare, full, other)}) == 3


def test_everything_wrong_between_rule_sets_at_once(tmp_path: Path) -> None:
    """A ring, an unknown set, a set that is not whole, an unknown check, a bad pattern: file, line, key."""
    root = with_sets(
        tmp_path,
        ca={"extends": "ny"},
        ny={"extends": "ca"},
        tx={"extends": "federla"},
        eu={"disclosure_on_asking": RULES["disclosure_on_asking"], "crisis_actions": []},
        uk={"extends": "base", "laws": [{**LAW, "applies_to": ["IB-F1-test", "IB-F9"]}]},
        la={
            "extends": "uk",
            "disclosure_on_asking": {"denial_patterns": [{"id": "never", "regex": "(a+)+b"}]},
        },
    )
    lines = {path.name: path.read_text().splitlines() for path in (root / "configs/rules").glob("*.yaml")}
    found = places(failing(root))
    assert sorted((file, key) for file, _, key in found) == [
        ("ca.yaml", "extends"),
        ("eu.yaml", "crisis_resources"),
        ("eu.yaml", "disclosure_cadence"),
        ("la.yaml", "disclosure_on_asking.denial_patterns.0.regex"),
        ("tx.yaml", "extends"),
        ("uk.yaml", "laws.0.applies_to.1"),
    ]
    for file, line, key in found:
        assert line is not None
        if file != "eu.yaml":
            last = key.split(".")[-1]
            assert (last if not last.isdigit() else "IB-F9") in lines[file][line - 1]


def test_a_law_says_what_is_unknown(tmp_path: Path) -> None:
    """A date or a check that is left out is no date: null is written, or the file is refused."""
    for key in ("in_force", "checked", "url", "applies_to"):
        given = {name: value for name, value in LAW.items() if name != key}
        finding = only(failing(with_sets(tmp_path / key, ca={"extends": "base", "laws": [given]})))
        assert (finding.key, finding.found) == (f"laws.0.{key}", "is missing")


def test_weights_are_of_the_quality_buckets(tmp_path: Path) -> None:
    """C, D and F, each once: no gate has a weight, and no quality is without."""
    for weights in ({"C": 1.0, "D": 1.0}, {"A": 1.0, "C": 1.0, "D": 1.0, "F": 1.0}):
        error = with_file(tmp_path, "configs/scoring.yaml", {**SCORING, "weights": weights})
        assert "each quality bucket" in only(error).found
    error = with_file(tmp_path, "configs/scoring.yaml", changed(SCORING, "weights.C", -1))
    assert only(error).key == "weights.C"
    error = with_file(tmp_path, "configs/scoring.yaml", {**SCORING, "weights": {"C": 0, "D": 0, "F": 0}})
    assert "every weight is 0" in only(error).found


@pytest.mark.parametrize(
    ("overrides", "key", "found", "allowed"),
    [
        ({"saftey": {"C": 2}}, "overrides.saftey", "unknown category 'saftey'", "one of context, safety"),
        ({"safety": {"A": 2}}, "", "`overrides.safety` gives a weight to A", "only C, D and F"),
        ({"safety": {"Z": 2}}, "overrides.safety.Z", "'Z'", "'C', 'D'"),
        ({"safety": {"C": -1}}, "overrides.safety.C", "-1", ""),
        ({"safety": {}}, "", "`overrides.safety` is empty", "C, D or F"),
        ({"safety": {"C": 0, "D": 0, "F": 0}}, "", "`overrides.safety` every weight is 0", "more than 0"),
    ],
)
def test_weights_of_a_category_are_checked(
    tmp_path: Path, overrides: dict[str, object], key: str, found: str, allowed: str
) -> None:
    """An unknown category or dimension, a negative weight, or no weight at all is an error that names it."""
    root = write_benchmark(tmp_path, **{"configs/scoring.yaml": {**SCORING, "overrides": overrides}})
    for category in ("context", "safety"):
        (root / "scenarios" / category).mkdir(parents=True)
    finding = only(failing(root))
    assert (key in finding.key, found in str(finding), allowed in str(finding)) == (True, True, True), finding


def test_weights_of_a_category_are_hashed(tmp_path: Path) -> None:
    """An override changes the hash of the benchmark, so that results with other weights share no table."""
    hashes = set()
    for at, overrides in enumerate(({}, {"safety": {"D": 2.0}}, {"safety": {"D": 3.0}})):
        scoring = {**SCORING, "overrides": overrides}
        root = write_benchmark(tmp_path / str(at), **{"configs/scoring.yaml": scoring})
        (root / "scenarios" / "safety").mkdir(parents=True)
        hashes.add(benchmark_hash(load_benchmark(root)))
    assert len(hashes) == 3


def test_checks_stand_by_dimension_then_id(tmp_path: Path) -> None:
    """The order of checks is theirs, not that of the file system."""
    root = write_benchmark(tmp_path)
    for check_id, bucket in [("IB-A1", "A"), ("IB-D2", "D"), ("IB-C1", "C")]:
        write_yaml(root / f"checks/{check_id}.yaml", {**CHECK, "id": check_id, "bucket": bucket})
    assert list(load_benchmark(root).checks) == ["IB-A1", "IB-C1", "IB-D2", "IB-F1-test"]
    assert sorted(["IB-F1", "IB-B2", "IB-B1"], key=check_order) == ["IB-B1", "IB-B2", "IB-F1"]


def test_the_benchmark_of_the_package_loads() -> None:
    """Every file of it, and every reference between them."""
    benchmark = load_benchmark()
    assert {check.routing.lexicon for check in benchmark.checks.values()} - {None} <= set(benchmark.lexicons)


def test_the_benchmark_of_the_package_broken_in_four_places(tmp_path: Path) -> None:
    """A copy of the whole, with four files broken, names these four files and no other."""
    root = tmp_path / "benchmark"
    shutil.copytree(benchmark_folder(), root)
    checks, lexicons = sorted((root / "checks").glob("*.yaml")), sorted((root / "lexicons").glob("*.yaml"))
    with checks[0].open("a", encoding="utf-8") as file:
        file.write("name: again\n")
    with checks[-1].open("a", encoding="utf-8") as file:
        file.write("colour: red\n")
    lexicons[0].write_bytes(b"\xff\xfe")
    lexicons[-1].rename(lexicons[-1].with_name("zz_other.yaml"))
    found = {name for name, _, _ in places(failing(root))}
    assert found == {checks[0].name, checks[-1].name, lexicons[0].name, "zz_other.yaml"}


def test_figures_of_the_lexicons_are_read_where_they_are_there(tmp_path: Path) -> None:
    """A benchmark without them is whole; one whose figures are broken is not."""
    bare = load_benchmark(write_benchmark(tmp_path / "bare"))
    assert (bare.precision, bare.recall) == (None, None)
    root = write_benchmark(tmp_path / "measured")
    part = {"hold": 9, "decided": 5, "proposed": 2}
    whole = {**part, "near": 4, "near_decided": 0, "near_proposed": 1, "groups": {"one": part}}
    write_yaml(root / "recall/summary.yaml", {"written_by": "nobody", "lexicons": {"claims": whole}})
    measured = load_benchmark(root).recall
    assert measured is not None
    assert measured.model_dump()["lexicons"] == {"claims": whole}
    assert benchmark_hash(load_benchmark(root)) == benchmark_hash(bare)
    write_yaml(root / "recall/summary.yaml", {"written_by": "nobody", "lexicons": {"claims": part}})
    assert {place[0] for place in places(failing(root))} == {"summary.yaml"}
