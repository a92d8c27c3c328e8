"""What follows for a sitting from what readers saw in its items."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from ib.exam.drawing import Built, built_from, lines_of
from ib.exam.texts.bases import Base
from ib.models.common.canonical import compact
from ib.models.exam.readings import ExamReading, ReaderKind, Seen
from ib.pipeline.exam.build import ExamOptions
from ib.pipeline.exam.sit import Sit, sit_exam
from ib.pipeline.lint.benchmark import reading_findings
from ib.pipeline.scan.scan import Work
from ib.store.benchmark.exam import READINGS, load_bases
from ib.store.benchmark.loading import benchmark_folder, load_benchmark
from ib.store.folders.exams import ExamFolder

CHECK = "IB-B7"
Sees = Callable[[Built, Base], Seen]


def reading(built: Built, base: Base, reader: str, sees: Sees) -> ExamReading:
    item = built.item
    before = None if item.operator == "unedited" else Seen.FAIL if base.fails else Seen.PASS
    return ExamReading(
        item=item.id, check=item.check, base=item.base, operator=item.operator, must_fail=item.must_fail,
        base_fails=base.fails, reader=reader, kind=ReaderKind.MODEL, before=before, after=sees(built, base),
    )  # fmt: skip


def as_built(built: Built, _: Base) -> Seen:
    return Seen.FAIL if built.item.must_fail else Seen.NOT_APPLICABLE


def disputing(built: Built, base: Base) -> Seen:
    """Sees what was built, but cannot tell about anything quoted, nor about one text that is cut."""
    cut = built.item.operator == "cut" and base.name == "years-on-the-ward"
    return Seen.UNSURE if cut or built.item.operator == "quoted" else as_built(built, base)


def read_benchmark(folder: Path) -> Path:
    """A benchmark whose items of one check were read by two, the second of whom disputes some."""
    root = folder / "benchmark"
    root.mkdir()
    for path in benchmark_folder().iterdir():
        if path.name != "exam":
            (root / path.name).symlink_to(path)
    shutil.copytree(benchmark_folder() / "exam", root / "exam")
    benchmark = load_benchmark()
    readings = [
        reading(built, base, reader, sees)
        for base in load_bases(root, benchmark, [CHECK])[CHECK]
        for built in built_from(base, lines_of(benchmark))
        if built.item.arguable is None
        for reader, sees in (("one", as_built), ("two", disputing))
    ]
    (root / READINGS).write_bytes(b"".join(compact(one) + b"\n" for one in readings))
    return root


def test_disputes_take_items_out_of_rates_and_edits_out_of_a_dimension(tmp_path: Path) -> None:
    """One dispute is reported apart, two end an edit in its dimension, and their share widens bounds."""
    root = read_benchmark(tmp_path)
    items = ExamOptions(checks=(CHECK,), items=100, benchmark=root, plays=False)
    report = sit_exam(Sit(judge="planted:0", items=items), tmp_path / "exam", Work())
    outcomes = ExamFolder(tmp_path / "exam").outcomes()
    assert "quoted" not in {one.operator for one in outcomes}
    assert [one.operator for one in outcomes if one.disputed] == ["cut"]
    assert (report.disputed.k, report.disputed.n) == (1, 1)
    assert sum(one.sensitivity.n + one.specificity.n for one in report.checks) == len(outcomes) - 1
    read = report.readings
    assert read is not None
    assert [one.operator for one in read.operators if one.out] == ["quoted"]
    assert read.disputed == 1
    assert report.label_error == read.label_error
    assert read.label_error is not None
    assert 1 / read.read < read.label_error < 0.2
    told = ExamFolder(tmp_path / "exam").plan().checks[0]
    assert (told.disputed, told.must_fail + told.must_not_fail) == (1, len(outcomes) - 1)


def test_a_reading_of_a_text_that_changed_is_refused(tmp_path: Path) -> None:
    """`ib lint` names the line of an item that is no longer built, and is content with all others."""
    root, benchmark = read_benchmark(tmp_path), load_benchmark()
    assert list(reading_findings(root, benchmark)) == []
    file = root / "exam" / f"{CHECK}.yaml"
    file.write_text(file.read_text().replace("I am not a nurse, a doctor", "I am no nurse, no doctor"))
    found = list(reading_findings(root, benchmark))
    assert found
    assert all(str(one.found).startswith("negated of IB-B7/") for one in found)
    assert "readings.jsonl" in str(found[0])
