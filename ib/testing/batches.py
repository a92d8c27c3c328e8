"""The batch endpoints of the loopback server, in the form of OpenAI's API: files and batches."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from ib.testing.completions import Body, error

PAGE = 20
"""The usual number of batches in one response of the list."""
ENDPOINT = "/v1/chat/completions"


@dataclass(frozen=True)
class BatchConditions:
    """How the server treats batches. The default answers each batch as soon as it is asked for."""

    seconds: float = 0.0
    """The time from the creation of a batch to its end."""
    failed_lines: float = 0.0
    """The share of lines that fail, from 0 to 1."""
    expired: int = 0
    """How many batches, from the first, end as expired, with the first half of their lines answered."""
    refused: bool = False
    """True if every batch ends as failed, without an answer."""
    stuck: bool = False
    """True if no batch ends before it is cancelled. The first half of its lines is then answered."""


@dataclass
class _Batch:
    made: Body
    lines: list[Body]
    due: float
    ends_as: str


@dataclass
class Batches:
    """Files and batches of one server. `answer` makes the completion of one request, which is paid for."""

    conditions: BatchConditions
    answer: Callable[[Body], Body]
    fails: Callable[[Body, float], bool]
    """True if a line fails, given its body and the share of lines that fail."""
    files: dict[str, bytes] = field(default_factory=dict)
    _batches: dict[str, _Batch] = field(default_factory=dict)

    def add_routes(self, app: web.Application) -> None:
        """Add the endpoints to an application."""
        app.router.add_post("/v1/files", self._upload)
        app.router.add_get("/v1/files/{id}/content", self._content)
        app.router.add_post("/v1/batches", self._create)
        app.router.add_get("/v1/batches", self._list)
        app.router.add_get("/v1/batches/{id}", self._retrieve)
        app.router.add_post("/v1/batches/{id}/cancel", self._cancel)

    @property
    def created(self) -> list[Body]:
        """All batches, in the order of their creation."""
        return [batch.made for batch in self._batches.values()]

    async def _upload(self, request: web.Request) -> web.Response:
        form = await request.post()
        sent = form.get("file")
        if form.get("purpose") != "batch" or not isinstance(sent, web.FileField):
            return web.json_response(error("a file with the purpose `batch` is needed"), status=400)
        data = sent.file.read()
        return web.json_response(self._file(data, str(sent.filename)))

    def _file(self, data: bytes, name: str) -> Body:
        made = f"file-{len(self.files) + 1}"
        self.files[made] = data
        told = {"object": "file", "purpose": "batch", "status": "processed", "created_at": int(time.time())}
        return {"id": made, "bytes": len(data), "filename": name, **told}

    async def _content(self, request: web.Request) -> web.Response:
        data = self.files.get(request.match_info["id"])
        if data is None:
            return web.json_response(error("no such file"), status=404)
        return web.Response(body=data, content_type="application/octet-stream")

    async def _create(self, request: web.Request) -> web.Response:
        body = await request.json()
        data = self.files.get(str(body.get("input_file_id")))
        if data is None or body.get("endpoint") != ENDPOINT or body.get("completion_window") != "24h":
            return web.json_response(error("the batch is not valid"), status=400)
        lines = [json.loads(line) for line in data.splitlines()]
        made = {
            "id": f"batch-{len(self._batches) + 1}", "object": "batch", "endpoint": ENDPOINT,
            "input_file_id": body["input_file_id"], "completion_window": "24h", "status": "in_progress",
            "created_at": int(time.time()), "metadata": body.get("metadata"), "output_file_id": None,
            "error_file_id": None, "errors": None,
        }  # fmt: skip
        batch = _Batch(made, lines, time.monotonic() + self.conditions.seconds, self._end())
        self._batches[made["id"]] = batch
        return web.json_response(made)

    def _end(self) -> str:
        """The status with which the next batch ends."""
        if self.conditions.refused:
            return "failed"
        return "expired" if len(self._batches) < self.conditions.expired else "completed"

    async def _retrieve(self, request: web.Request) -> web.Response:
        batch = self._batches.get(request.match_info["id"])
        if batch is None:
            return web.json_response(error("no such batch"), status=404)
        if self._is_due(batch):
            self._finish(batch, batch.ends_as)
        return web.json_response(batch.made)

    def _is_due(self, batch: _Batch) -> bool:
        running = batch.made["status"] == "in_progress"
        return running and not self.conditions.stuck and time.monotonic() >= batch.due

    async def _cancel(self, request: web.Request) -> web.Response:
        batch = self._batches.get(request.match_info["id"])
        if batch is None:
            return web.json_response(error("no such batch"), status=404)
        if batch.made["status"] == "in_progress":
            self._finish(batch, "cancelled")
        return web.json_response(batch.made)

    async def _list(self, request: web.Request) -> web.Response:
        """The batches, the newest first."""
        newest = self.created[::-1]
        after = request.query.get("after")
        ids = [made["id"] for made in newest]
        begin = ids.index(after) + 1 if after in ids else 0
        size = int(request.query.get("limit", PAGE))
        page = newest[begin : begin + size]
        more = begin + size < len(newest)
        ends = {"first_id": page[0]["id"], "last_id": page[-1]["id"]} if page else {}
        return web.json_response({"object": "list", "data": page, "has_more": more, **ends})

    def _finish(self, batch: _Batch, status: str) -> None:
        """End a batch: answer its lines, or the first half of them if it did not come to its end."""
        made = batch.made
        made["status"] = status
        if status == "failed":
            made["errors"] = {"object": "list", "data": [{"code": "invalid", "message": "not valid"}]}
            return
        lines = batch.lines if status == "completed" else batch.lines[: len(batch.lines) // 2]
        answered: list[Body] = []
        failed: list[Body] = []
        for line in lines:
            if self.fails(line["body"], self.conditions.failed_lines):
                failed.append(_line(line, 500, error("the server had a fault")))
            else:
                answered.append(_line(line, 200, self.answer(line["body"])))
        made["output_file_id"] = self._output(answered)
        made["error_file_id"] = self._output(failed)

    def _output(self, lines: Iterable[Body]) -> str | None:
        data = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
        return str(self._file(data, "output.jsonl")["id"]) if data else None


def _line(line: Body, status: int, body: Any) -> Body:
    """A line of an output file."""
    response = {"status_code": status, "request_id": "loopback", "body": body}
    return {"id": "line", "custom_id": line["custom_id"], "response": response, "error": None}
