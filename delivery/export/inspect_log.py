"""Logs of Inspect (inspect_ai), one for each model: the conversations of the release, with their verdicts.

A verdict is a word and never a number: PASS, FAIL, CONTESTED, UNCLEAR, NOT_APPLICABLE. A check that was not
due, or not asked, has none. `inspect view` opens a log, and `ib import` reads the conversations again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import orjson

from delivery.export.common import NAME, NO_CERTIFICATE, content_uuid, judge_words, release_id, released_at
from delivery.export.eval_file import packed
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
    """A log in JSON for each model of which the release carries conversations."""
    for model, log, samples in _logs(release, sealed):
        yield _name(release, model, "json"), pretty({**log, "samples": [*samples]})


def eval_files(release: Release, sealed: Mapping[str, bytes]) -> Iterator[tuple[str, bytes]]:
    """The same logs, as Inspect itself writes them: packed, each sample on its own."""
    for model, log, samples in _logs(release, sealed):
        yield _name(release, model, "eval"), packed(log, samples, released_at(release))


def _name(release: Release, model: ModelEntry, ending: str) -> str:
    """The name of a log. `inspect view` lists only those that begin with a time."""
    return f"{released_at(release):%Y-%m-%dT%H-%M-%S}_{SCORER}_{model.slug}.{ending}"


def _logs(
    release: Release, sealed: Mapping[str, bytes]
) -> Iterator[tuple[ModelEntry, dict[str, Any], Iterator[dict[str, Any]]]]:
    """For each model with conversations, its log without samples, and the samples, made as they are read."""
    whole = _whole(sealed)
    for model in release.by_name:
        carried = [
            (met, one)
            for met in model.scenarios
            if (one := release.transcript(model, met.scenario_id, met.epoch)) is not None
        ]
        if carried:
            log = _log(release, model, [met for met, _ in carried])
            yield model, log, _samples(release, model, carried, whole)


def _samples(
    release: Release,
    model: ModelEntry,
    carried: list[tuple[ScenarioOfModel, CarriedTranscript]],
    whole: Mapping[str, bytes],
) -> Iterator[dict[str, Any]]:
    for met, one in carried:
        yield _sample(release, model, met, one, whole.get(met.transcript_hash))


def _epoch(met: ScenarioOfModel) -> int:
    """The number of a play: Inspect counts from 1."""
    return 1 if met.epoch is None else met.epoch + 1


def _whole(sealed: Mapping[str, bytes]) -> dict[str, bytes]:
    """The whole conversations of the source, each by the hash of its transcript.

    They are kept as JSON, which takes a fraction of the memory that the parsed conversations would.
    """
    parsed = (orjson.loads(line)["conversation"] for line in lines(sealed[CONVERSATIONS], CONVERSATIONS))
    return {one["transcript_hash"]: compact(one["transcript"]) for one in parsed if one["kind"] == "whole"}


def _log(release: Release, model: ModelEntry, plays: list[ScenarioOfModel]) -> dict[str, Any]:
    """The log of these plays, without its samples."""
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
            "samples": len(plays),
            "sample_ids": sorted({met.scenario_id for met in plays}),
            "shuffled": False,
        },
        "model": model.model_id,
        "config": {"epochs": max(map(_epoch, plays))},
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
        "results": {"total_samples": len(plays), "completed_samples": len(plays), "scores": []},
        "stats": {"started_at": at, "completed_at": at},
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
        "epoch": _epoch(met),
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
