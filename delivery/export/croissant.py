"""Croissant 1.1 with the vocabulary for responsible AI (MLCommons): the verdicts of a release as a table.

`verdicts.jsonl` has a row for each check that was due on a conversation. The description names every file of
the release by its hash, so that a reader can check what they have.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from typing import Any

from delivery.export.common import NAME, NO_CERTIFICATE, judge_words, release_id
from delivery.export.inspect_log import WORDS
from delivery.release.view import Release
from ib.models.common.canonical import compact, pretty

VERDICTS = "verdicts.jsonl"
LICENSE = "https://spdx.org/licenses/MIT"
"""The license of the repository, which is that of its data."""
FIELDS: Mapping[str, tuple[str, str]] = {
    "model_id": ("sc:Text", "The id of the model."),
    "scenario_id": ("sc:Text", "The scenario that was played."),
    "epoch": ("sc:Integer", "Which of several plays of the scenario it is; 0 if there is only one."),
    "check_id": ("sc:Text", "The check. Each asks whether one failure occurred."),
    "verdict": (
        "sc:Text",
        "PASS, FAIL, CONTESTED, UNCLEAR, NOT_APPLICABLE, or that only phrases were looked for.",
    ),
    "transcript_hash": ("sc:Text", "The SHA-256 of the conversation that was judged."),
}
"""The fields of a row of verdicts, each with its type and meaning."""
RESPONSIBLE: Mapping[str, str] = {
    "dataCollection": "Scripted persons write to an assistant turn by turn; the replies are kept.",
    "dataCollectionType": "Software simulation",
    "dataBiases": "The project wrote the persons. Most of them live in the United States and write English.",
    "dataUseCases": "Research on what assistants fail to notice; models compared on the same conversations.",
    "dataSocialImpact": "The texts are about suicide, violence and neglect, and may distress.",
    "personalSensitiveInformation": "None: the persons are invented. Withheld conversations have no words.",
    "dataReleaseMaintenancePlan": "Releases are kept with a ledger. Corrections are new releases.",
}
"""What is the same for every release."""
CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileProperty": "cr:fileProperty",
    "fileObject": "cr:fileObject",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
"""The names that Croissant 1.1 gives its keys."""


def files(release: Release, sealed: Mapping[str, bytes]) -> Iterator[tuple[str, bytes]]:
    """The verdicts and their description."""
    rows = b"".join(compact(row) + b"\n" for row in _rows(release))
    yield VERDICTS, rows
    yield "croissant.json", pretty(_described(release, rows, sealed))


def _rows(release: Release) -> Iterator[dict[str, Any]]:
    ids = [check.check_id for check in release.board.checks]
    for model in release.by_name:
        for met in model.scenarios:
            for check_id, letter in zip(ids, met.verdicts, strict=False):
                if letter in WORDS:
                    yield {
                        "model_id": model.model_id,
                        "scenario_id": met.scenario_id,
                        "epoch": met.epoch or 0,
                        "check_id": check_id,
                        "verdict": WORDS[letter],
                        "transcript_hash": met.transcript_hash,
                    }


def _described(release: Release, rows: bytes, sealed: Mapping[str, bytes]) -> dict[str, Any]:
    board = release.board
    return {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": [
            "http://mlcommons.org/croissant/1.1",
            "http://mlcommons.org/croissant/RAI/1.0",
        ],
        "name": f"invisiblebench-{release_id(release)}",
        "description": (
            "Verdicts of narrow checks on conversations between family caregivers, who are synthetic, and AI "
            f"assistants. {NO_CERTIFICATE}"
        ),
        "citeAs": f"{NAME}, release {release_id(release)}, {board.released.isoformat()}",
        "license": LICENSE,
        "version": f"{board.benchmark_version or '0.0.0'}",
        "datePublished": board.released.isoformat(),
        "creator": {"@type": "sc:Organization", "name": NAME},
        "distribution": [_file(VERDICTS, rows), *(_file(name, sealed[name]) for name in sorted(sealed))],
        "recordSet": [_record_set()],
        **_responsible(release),
    }


def _responsible(release: Release) -> dict[str, Any]:
    """The fields for responsible AI."""
    judge = ", ".join(release.board.judge.judges) or release.board.judge.model
    return {f"rai:{name}": told for name, told in RESPONSIBLE.items()} | {
        "rai:dataAnnotationProtocol": f"One question a check; evidence is quoted. {judge_words(release)}.",
        "rai:machineAnnotationTools": [judge],
        "rai:annotationsPerItem": _votes(release),
        "rai:dataLimitations": " ".join((NO_CERTIFICATE, *release.board.notes)),
    }


def _votes(release: Release) -> str:
    votes = release.board.votes_per_question
    return "0" if votes is None else f"{votes[0]} to {votes[1]}"


def _file(name: str, data: bytes) -> dict[str, Any]:
    form = "application/gzip" if name.endswith(".gz") else "application/jsonlines"
    return {
        "@type": "cr:FileObject",
        "@id": name,
        "name": name.replace("/", "-"),
        "contentUrl": name,
        "contentSize": f"{len(data)} B",
        "encodingFormat": "application/json" if name.endswith(".json") else form,
        "sha256": hashlib.sha256(data).hexdigest(),
    }


def _record_set() -> dict[str, Any]:
    fields = [
        {
            "@type": "cr:Field",
            "@id": f"verdicts/{name}",
            "name": name,
            "description": meaning,
            "dataType": kind,
            "source": {"fileObject": {"@id": VERDICTS}, "extract": {"column": name}},
        }
        for name, (kind, meaning) in FIELDS.items()
    ]
    said = "A row for each check that was due on a conversation and has an answer."
    return {
        "@type": "cr:RecordSet",
        "@id": "verdicts",
        "name": "verdicts",
        "description": said,
        "field": fields,
    }
