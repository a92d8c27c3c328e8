"""Recognizing a finished scan by its inputs, without planning it again."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import fields
from pathlib import Path

from ib import __version__
from ib.errors import UsageError
from ib.judges.base import Judge
from ib.models.common.canonical import digest
from ib.models.conversation.transcript import Transcript, line_hash, transcript_line
from ib.models.scan.part import Sampling
from ib.models.scan.plan import ScanPlan
from ib.pipeline.scan.judges import NONE, RECORDED, recorded_paths
from ib.pipeline.scan.prepare import ScanOptions
from ib.store.benchmark.loading import benchmark_folder
from ib.store.files.writing import file_names
from ib.store.folders import scans
from ib.store.folders.votes import vote_files

LEFT_OUT = {
    "calling": "its settings and its file are hashed; its limits change no result",
    "benchmark": "its files are hashed instead of its place",
    "judge": "the files of a recording are hashed instead of their place",
    "draw": "the hash of its key is hashed, not the key",
    "sentinels": "their items and their exam are hashed",
    "second": "its judge is hashed like the first one, beside its share",
}
"""The options that are not part of the hash as they are, each with the reason."""


def finished_plan(
    sources: Iterable[Path | Transcript], options: ScanOptions, folder: Path
) -> ScanPlan | None:
    """The plan of a folder's scan, if the scan is complete and has exactly these inputs.

    Returns None otherwise. The scan may be complete nevertheless, for example if an input was a pipe; its
    plan has to be made again in order to compare.
    """
    if not (folder / scans.MANIFEST).is_file():
        return None
    found = scans.ScanFolder(folder)
    wanted = inputs_hash(sources, options)
    return found.plan() if wanted is not None and found.manifest().inputs_hash == wanted else None


def inputs_hash(sources: Iterable[Path | Transcript], options: ScanOptions) -> str | None:
    """The hash of everything that a scan is made from: its options and the bytes of its files.

    Returns None if no judge is asked, because such a scan is as fast as the comparison, and if an input
    cannot be read twice.
    """
    if options.judge == NONE:
        return None
    second = options.second
    kept = [field.name for field in fields(options) if field.name not in LEFT_OUT]
    try:
        return digest(
            {
                "ib_version": __version__,
                "options": {name: getattr(options, name) for name in kept},
                "benchmark": _folder_hashes(options.benchmark or benchmark_folder()),
                "draw": None if options.draw is None else options.draw.hash,
                "judge": list(_judge(options.judge)),
                "second": None if second is None else [*_judge(second.judge), second.share],
                "sentinels": None if options.sentinels is None else options.sentinels.hash,
                "settings": options.calling.settings,
                "config": None if options.calling.config is None else _source_hash(options.calling.config),
                "transcripts": sorted(map(_source_hash, sources)),
            }
        )
    except _ReadOnce:
        return None


def check_sample(options: ScanOptions, folder: Path) -> None:
    """Raises UsageError if the scan to resume in a folder has another sample, or one where this has none."""
    if not (folder / scans.PLAN).is_file():
        return
    begun = scans.ScanFolder(folder).plan().sample
    had = (
        None if begun is None else Sampling(**{name: getattr(begun, name) for name in Sampling.model_fields})
    )
    if had != options.sampling:
        raise UsageError(
            f"--resume: the scan in {folder} {_drawn(had)}, and this one {_drawn(options.sampling)}; repeat "
            "its options, or choose another folder"
        )


def _drawn(sampling: Sampling | None) -> str:
    """A sample as options of `ib scan`."""
    if sampling is None:
        return "has no --sample"
    strata = " ".join(f"--strata {name}" for name in sampling.strata)
    cluster = "" if sampling.cluster is None else f" --cluster {sampling.cluster}"
    return f"has --sample {sampling.n} --sample-seed {sampling.seed} {strata}{cluster}"


class _ReadOnce(Exception):
    """An input is a pipe."""


def _judge(judge: str | Judge) -> Iterator[str]:
    """What identifies a judge."""
    if not isinstance(judge, str):
        yield digest(judge.spec)
    elif judge.startswith(RECORDED):
        files = (file for path in recorded_paths(judge) for file in vote_files(path))
        yield from sorted(map(_source_hash, files))
    else:
        yield judge


def _folder_hashes(root: Path) -> dict[str, str]:
    """The hash of each file of a folder, by name."""
    return {name: _source_hash(root / name) for name in file_names(root)}


def _source_hash(source: Path | Transcript) -> str:
    """The hash of a file's bytes or of a transcript. Raises _ReadOnce for a pipe."""
    if isinstance(source, Transcript):
        return line_hash(transcript_line(source))
    if not source.is_file():
        raise _ReadOnce
    with source.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
