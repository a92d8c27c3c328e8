"""Logs of Inspect (inspect_ai), one for each model: the conversations of the release, with their verdicts.

A verdict is a word and never a number: PASS, FAIL, CONTESTED, UNCLEAR, NOT_APPLICABLE. A check that was not
due, or not asked, has none. `inspect view` opens a log, and `ib import` reads the conversations again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import orjson

from delivery.export.common import NAME, NO_CERTIFICATE, content_uuid, judge_words, release_id, released_at
from delivery.release.view import Release
from ib.logs.reading.conversation import WHOLE
from ib.models.common.base import Role
from ib.models.common.canonical import compact, pretty
from ib.models.release.leaderboard import ModelEntry, ScenarioOfModel
from ib.models.release.source import CONVERSATIONS
from ib.models.release.transcripts import CarriedTranscript
from ib.store.folders.sources import lines

VERSION = 2
"""The version of the schema of Inspect's logs."""
SCORER = "invisiblebench"
WORDS: Mapping[str, str] = {
    "F": "FAIL",
    "C": "CONTESTED",
    "P": "PASS",
    "p": "NO_PHRASE_FOUND",
    "U": "UNCLEAR",
    "N": "NOT_APPLICABLE",
    "f": "PHRASE_FOUND",
}
"""The letters of verdicts (`ScenarioOfModel.verdicts`) that say something about the conversation."""


def files(release: Release, sealed: Mapping[str, bytes]) -> Iterator[tuple[str, bytes]]:
    """A log for each model of which the release carries conversations."""
    whole = _whole(sealed)
    for model in release.by_name:
        samples = [
            _sample(release, model, met, carried, whole.get(met.transcript_hash))
            for met in model.scenarios
            if (carried := release.transcript(model, met.scenario_id, met.epoch)) is not None
        ]
        if samples:
            yield _name(release, model), pretty(_log(release, model, samples))


def _name(release: Release, model: ModelEntry) -> str:
    """The name of a log. `inspect view` lists only those that begin with a time."""
    return f"{released_at(release):%Y-%m-%dT%H-%M-%S}_{SCORER}_{model.slug}.json"


def _whole(sealed: Mapping[str, bytes]) -> dict[str, bytes]:
    """The whole conversations of the source, each by the hash of its transcript.

    They are kept as JSON, which takes a fraction of the memory that the parsed conversations would.
    """
    parsed = (orjson.loads(line)["conversation"] for line in lines(sealed[CONVERSATIONS], CONVERSATIONS))
    return {one["transcript_hash"]: compact(one["transcript"]) for one in parsed if one["kind"] == "whole"}


def _log(release: Release, model: ModelEntry, samples: list[dict[str, Any]]) -> dict[str, Any]:
    made, at = content_uuid(release_id(release), model.model_id), released_at(release).isoformat()
    spec = {
        "created": at,
        "eval_id": str(made),
        "run_id": str(made),
        "task_id": str(made),
        "task": SCORER,
        "task_version": release.board.benchmark_version or "unknown",
        "dataset": {
            "name": NAME,
            "samples": len(samples),
            "sample_ids": sorted({str(sample["id"]) for sample in samples}),
            "shuffled": False,
        },
        "model": model.model_id,
        "config": {"epochs": max(sample["epoch"] for sample in samples)},
        "metadata": {
            "release": release_id(release),
            "stage": str(release.board.stage),
            "judged_by": judge_words(release),
            "use": NO_CERTIFICATE,
        },
    }
    return {
        "version": VERSION,
        "status": "success",
        "eval": spec,
        "plan": {"name": "plan", "steps": []},
        "results": {"total_samples": len(samples), "completed_samples": len(samples), "scores": []},
        "stats": {"started_at": at, "completed_at": at},
        "samples": samples,
    }


def _sample(
    release: Release,
    model: ModelEntry,
    met: ScenarioOfModel,
    carried: CarriedTranscript,
    whole: bytes | None,
) -> dict[str, Any]:
    said = [{"role": str(one.role), "content": one.content} for one in carried.messages]
    replies = [one.content for one in carried.messages if one.role is Role.ASSISTANT]
    last = said[-1]["content"] if said[-1]["role"] == "assistant" else replies[-1]
    cut = bool(carried.truncated) and carried.truncated[-1] == carried.messages[-1].turn
    choice = {
        "message": {"role": "assistant", "content": last},
        "stop_reason": "max_tokens" if cut else "stop",
    }
    return {
        "id": met.scenario_id,
        "epoch": 1 if met.epoch is None else met.epoch + 1,
        "input": said[0]["content"],
        "target": "",
        "messages": said,
        "output": {"model": model.model, "choices": [choice]},
        "scores": {SCORER: _score(release, model, met)},
        "metadata": {
            "transcript_hash": met.transcript_hash,
            **({} if whole is None else {WHOLE[1]: orjson.loads(whole)}),
        },
    }


def _score(release: Release, model: ModelEntry, met: ScenarioOfModel) -> dict[str, Any]:
    """The verdicts of a conversation by check; their words are in the metadata."""
    ids = [check.check_id for check in release.board.checks]
    verdicts = {
        name: WORDS[letter] for name, letter in zip(ids, met.verdicts, strict=False) if letter in WORDS
    }
    place = (met.scenario_id, met.epoch)
    quotes = {
        item.check_id: [{"turn": one.turn, "quote": one.quote} for one in item.quotes]
        for items in release.items(model).values()
        for item in items
        if (item.scenario_id, item.epoch) == place
    }
    gates = {str(bucket): str(score.state) for bucket, score in met.gates.items()}
    return {
        "value": verdicts,
        "explanation": NO_CERTIFICATE,
        "metadata": {"gates": gates, "evidence": quotes, "transcript_hash": met.transcript_hash},
    }
