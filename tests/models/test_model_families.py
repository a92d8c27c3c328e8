"""The family of a model: who is too near to a judge to check it."""

from __future__ import annotations

import pytest

from ib.models.scan.judge import JudgeSpec
from ib.models.scan.model_families import shared_family

SAME = [
    ("openai/gpt-4o", "openai/gpt-5-mini"),
    ("openai/gpt-4o", "azure/gpt-5"),
    ("openai/gpt-4o", "openrouter/openai/o3-mini"),
    ("openai/chatgpt-4o-latest", "openai/o1"),
    ("anthropic/claude-3-5-haiku", "bedrock/us.anthropic.claude-sonnet-4-20250514-v1:0"),
    ("gemini/gemini-2.5-pro", "vertex_ai/gemma-3-27b"),
    ("groq/llama3-70b", "together_ai/meta-llama/Llama-3.3-70B"),
    ("ollama/qwen2.5:7b", "dashscope/qwq-32b"),
    ("lab/alpha-1", "lab/alpha-2"),
    ("lab/alpha", "house/alpha"),
    ("lexical", "lexical"),
]
OTHER = [
    ("openai/gpt-4o", "anthropic/claude-opus-4"),
    ("openai/gpt-4o", "azure/mistral-large"),
    ("openai/alpha", "openai/beta"),
    ("lab/model-1", "house/model-2"),
    ("lexical", "openai/gpt-4o"),
    ("openai/gpt-4o", "openai/my-model-o"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_models_of_one_family(one: str, other: str) -> None:
    """Models of one maker, wherever they are served, and models with the same provider and first word."""
    for first, second in ((one, other), (other, one)):
        assert shared_family(JudgeSpec(model=first), JudgeSpec(model=second))


@pytest.mark.parametrize(("one", "other"), OTHER)
def test_models_of_other_families(one: str, other: str) -> None:
    """Another maker; or, for names that tell no maker, another provider or another first word."""
    for first, second in ((one, other), (other, one)):
        assert shared_family(JudgeSpec(model=first), JudgeSpec(model=second)) is None


def test_every_judge_of_a_recording_counts() -> None:
    """The votes of a recording are those of its judges; two unknown ones cannot be told apart."""
    mixed = JudgeSpec(model="recorded:a+b", judges=("claude-3", "gpt-5-mini"))
    assert shared_family(mixed, JudgeSpec(model="openai/gpt-4o"))
    assert shared_family(mixed, JudgeSpec(model="gemini/gemini-2.5-pro")) is None
    unknown = JudgeSpec(model="recorded:unknown", judges=("unknown",))
    assert shared_family(unknown, unknown.model_copy(update={"base": "x"}))
