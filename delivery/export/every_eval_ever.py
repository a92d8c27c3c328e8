"""Every Eval Ever, schema 0.3.0 (EvalEval Coalition): for each model a JSON of figures and a JSONL of plays.

A figure that a release does not give, because too little of it is decided, is left out and never a number.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from typing import Any

from delivery.export.common import (
    BUCKETS,
    NAME,
    NO_CERTIFICATE,
    cleared,
    content_uuid,
    is_script,
    judge_words,
    measurable,
    release_id,
    released_at,
)
from delivery.release.view import Release
from ib.models.common.base import GATE_BUCKETS, Bucket, Role
from ib.models.common.canonical import compact, pretty
from ib.models.release.leaderboard import CheckEntry, ModelEntry
from ib.models.release.transcripts import CarriedTranscript
from ib.models.scan.gates import GateEntry
from ib.models.scan.rates import MeanScore
from ib.stats.intervals import RATE_METHOD

SCHEMA = "0.3.0"
OF_GATES = f"{RATE_METHOD}; the upper end counts every undecided conversation as failed"


def files(release: Release, _: Mapping[str, bytes]) -> Iterator[tuple[str, bytes]]:
    """The files of every model, at the paths that the collection of Every Eval Ever uses."""
    for model in release.by_name:
        developer, __, name = model.model_id.rpartition("/")
        stem = content_uuid(release_id(release), model.model_id)
        path = f"data/invisiblebench/{_plain(developer or 'unknown')}/{_plain(name)}/{stem}"
        rows = b"".join(compact(row) + b"\n" for row in _plays(release, model))
        if rows:
            yield f"{path}_samples.jsonl", rows
        yield f"{path}.json", pretty(_figures(release, model, f"{path}_samples.jsonl", rows))


def _plain(name: str) -> str:
    return name.replace("/", "_").replace(":", "_")


def _evaluation_id(release: Release, model: ModelEntry) -> str:
    return f"invisiblebench/{model.model_id}/{int(released_at(release).timestamp())}"


def _figures(release: Release, model: ModelEntry, path: str, rows: bytes) -> dict[str, Any]:
    at = str(int(released_at(release).timestamp()))
    details = {
        "file_path": path,
        "format": "jsonl",
        "hash_algorithm": "sha256",
        "checksum": hashlib.sha256(rows).hexdigest(),
        "total_rows": rows.count(b"\n"),
    }
    return {
        "schema_version": SCHEMA,
        "evaluation_id": _evaluation_id(release, model),
        "retrieved_timestamp": at,
        "source_metadata": {
            "source_name": f"{NAME} release {release_id(release)}",
            "source_type": "evaluation_run",
            "source_organization_name": NAME,
            "evaluator_relationship": "third_party",
            "additional_details": {
                "stage": str(release.board.stage),
                "use": NO_CERTIFICATE,
                "notes": " ".join(release.board.notes),
            },
        },
        "model_info": _model_info(model),
        "eval_library": {"name": "invisiblebench", "version": release.board.benchmark_version or "unknown"},
        "evaluation_results": [*_results(release, model)],
        **({"detailed_evaluation_results": details} if rows else {}),
    }


def _model_info(model: ModelEntry) -> dict[str, Any]:
    kind = "a script of this project, and no product" if is_script(model) else "as its provider names it"
    unknown = {"deployment_type": "unknown", "model_availability": "unknown"}
    return {"name": model.model, "id": model.model_id, "additional_details": {**unknown, "kind": kind}}


def _results(release: Release, model: ModelEntry) -> Iterator[dict[str, Any]]:
    """Every figure of the model that the release shows as a number."""
    for bucket in GATE_BUCKETS:
        entry = model.gates.get(bucket)
        if entry is not None and measurable(entry):
            yield _result(release, model, str(bucket), _gate(entry), f"Hard fails: {BUCKETS[bucket]}")
    for bucket, score in sorted(model.dimensions.items()):
        if score.mean is not None:
            yield _result(
                release, model, str(bucket), _mean(score), f"Mean score: {BUCKETS[bucket]}", lower=False
            )
    names = {check.check_id: check.name for check in release.board.checks}
    for check in model.blindspots:
        if check.failures.rate is not None:
            yield _result(release, model, check.check_id, _check(check), f"Failures: {names[check.check_id]}")


def _result(
    release: Release, model: ModelEntry, metric: str, score: dict[str, Any], name: str, *, lower: bool = True
) -> dict[str, Any]:
    return {
        "evaluation_result_id": _result_id(release, model, metric),
        "evaluation_name": name,
        "source_data": {
            "dataset_name": NAME,
            "source_type": "other",
            "additional_details": {"scenario_set_hash": model.scenario_set_hash},
        },
        "metric_config": {
            "evaluation_description": NO_CERTIFICATE,
            "metric_id": f"invisiblebench.{metric}",
            "metric_name": name,
            "metric_kind": "failure_rate" if lower else "mean_score",
            "metric_unit": "proportion",
            "lower_is_better": lower,
            "score_type": "continuous",
            "min_score": 0,
            "max_score": 1,
            "additional_details": {"judged_by": judge_words(release)},
        },
        "score_details": score,
    }


def _result_id(release: Release, model: ModelEntry, metric: str) -> str:
    return str(content_uuid(release_id(release), model.model_id, metric))


def _score(
    value: float, low: float | None, high: float | None, method: str, n: int, **details: object
) -> dict[str, Any]:
    interval = {"lower": low, "upper": high, "confidence_level": 0.95, "method": method}
    given = low is not None and high is not None
    return {
        "score": value,
        "details": {name: str(said) for name, said in details.items()},
        **({"uncertainty": {"confidence_interval": interval, "num_samples": n}} if given else {}),
    }


def _gate(entry: GateEntry) -> dict[str, Any]:
    counts = {"conversations": entry.due, "hard_fails": entry.failed, "undecided": entry.undecided}
    return _score(entry.rate or 0, entry.low, entry.high_with_undecided, OF_GATES, entry.due, **counts)


def _mean(mean: MeanScore) -> dict[str, Any]:
    assert mean.mean is not None
    return _score(mean.mean, mean.low, mean.high, mean.method, mean.n, without_score=mean.nulls)


def _check(check: CheckEntry) -> dict[str, Any]:
    found = check.failures
    assert found.rate is not None
    counts = {"failures": found.k, "clear_answers": found.n, "unclear": found.unclear}
    return _score(found.rate, found.low, found.high, RATE_METHOD, found.n, **counts)


def _plays(release: Release, model: ModelEntry) -> Iterator[dict[str, Any]]:
    """A row for each conversation and gate with a clear answer, if the release carries its words."""
    for met in model.scenarios:
        carried = release.transcript(model, met.scenario_id, met.epoch)
        if carried is None:
            continue
        for bucket in GATE_BUCKETS:
            score = met.gates.get(bucket)
            clear = None if score is None else cleared(score)
            if clear is not None and score is not None:
                yield _play(release, model, carried, bucket, str(score.state), clear=clear)


def _play(
    release: Release,
    model: ModelEntry,
    carried: CarriedTranscript,
    bucket: Bucket,
    state: str,
    *,
    clear: bool,
) -> dict[str, Any]:
    messages = [
        {"turn_idx": at, "role": str(one.role), "content": one.content}
        for at, one in enumerate(carried.messages)
    ]
    opening = carried.messages[0].content
    return {
        "schema_version": SCHEMA,
        "evaluation_id": _evaluation_id(release, model),
        "model_id": model.model_id,
        "evaluation_name": f"Hard fails: {BUCKETS[bucket]}",
        "evaluation_result_id": _result_id(release, model, str(bucket)),
        "sample_id": carried.scenario_id
        if carried.epoch is None
        else f"{carried.scenario_id}#{carried.epoch}",
        "sample_hash": hashlib.sha256(opening.encode()).hexdigest(),
        "interaction_type": "multi_turn",
        "input": {"raw": opening, "reference": []},
        "output": None,
        "messages": messages,
        "answer_attribution": [_attribution(len(messages) - 1, state)],
        "evaluation": {
            "score": float(not clear),
            "is_correct": clear,
            "num_turns": sum(one.role is Role.ASSISTANT for one in carried.messages),
        },
        "metadata": {"transcript_hash": carried.transcript_hash, "gate": state, "use": NO_CERTIFICATE},
    }


def _attribution(turn: int, state: str) -> dict[str, Any]:
    return {
        "turn_idx": turn,
        "source": "messages",
        "extracted_value": state,
        "extraction_method": "llm_judge",
        "is_terminal": True,
    }
