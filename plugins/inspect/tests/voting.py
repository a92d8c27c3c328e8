"""Scripted votes of a judge, for Inspect's mockllm and for `ib scan` alike."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from inspect_ai.log import EvalSample
from inspect_ai.model import Model, ModelOutput, StopReason, get_model

from ib.judges.live import REFUSED
from ib.models.scan.judge import Answer, JudgeReply, JudgeRequest, Refusal
from ib.testing.judges import passing_reply

REPLY = "Default output from mockllm/model"
"""What mockllm says in every turn."""
_FAIL = re.compile(r"^FAIL: ([a-z0-9_]+) \(", re.MULTILINE)


@dataclass
class Votes:
    """Replies that depend on the words of a question and on how often it was asked: PASS, FAIL with a quote,
    a refusal, and words that are no vote."""

    refusing: int = 23
    """One reply in so many is a refusal."""
    asked: Counter[str] = field(default_factory=Counter)
    stop_after: int | None = None
    """Raise an error at every question after so many; None for never."""

    def reply(self, question: str) -> str | None:
        """The words of a reply; None for a refusal."""
        if self.stop_after is not None and self.asked.total() >= self.stop_after:
            raise RuntimeError("the judge is away")
        self.asked[question] += 1
        drawn = int(hashlib.sha256(f"{self.asked[question]} {question}".encode()).hexdigest(), 16)
        if drawn % self.refusing == 0:
            return None
        if drawn % 19 == 0:
            return "I would rather write a poem."
        passing = json.loads(passing_reply(question))
        code = _FAIL.search(question)
        if "verdict" not in passing or code is None or drawn % 3:
            return json.dumps(passing)
        return json.dumps({**passing, **_failing(code[1])})

    def here(self, request: JudgeRequest) -> JudgeReply:
        """The reply to a request of `ib scan`."""
        words = self.reply(request.user)
        return Refusal(REFUSED) if words is None else Answer(words)

    def output(self, messages: list[Any], *_: Any) -> ModelOutput:
        """The reply to a question of the scorer."""
        words = self.reply(messages[-1].text)
        stop: StopReason = "content_filter" if words is None else "stop"
        return ModelOutput.from_content("mockllm", words or "No.", stop_reason=stop)

    def model(self) -> Model:
        """Inspect's mockllm with these replies."""
        return get_model("mockllm/model", custom_outputs=self.output, memoize=False)


def verdicts(sample: EvalSample, scorer: str = "ib_checks") -> dict[str, Any]:
    """The words of a scored sample, by check."""
    value = (sample.scores or {})[scorer].value
    assert isinstance(value, dict)
    return value


def _failing(code: str) -> dict[str, Any]:
    return {
        "occurrences": [{"turn": 1, "quote": REPLY}],
        "cues": [],
        "reason": "it says nothing of use",
        "code": code,
        "verdict": "FAIL",
    }
