"""Names of models: which of them fix a model."""

from __future__ import annotations

import pytest

from ib.models.common.names import FORMS, moving_notice, why_moving

MOVING = (
    "openai/gpt-4o",
    "openai/gpt-4o-mini",
    "openai/gpt-5-mini",
    "openai/o3",
    "openai/o4-mini",
    "openai/chatgpt-4o-latest",
    "openai/gpt-4-1106-preview",
    "openrouter/openai/gpt-4.1",
    "azure/gpt-4o",
    "anthropic/claude-3-5-sonnet-latest",
    "anthropic/claude-sonnet-4-5",
    "anthropic/claude-opus-4-1",
    "gemini/gemini-2.0-flash",
    "gemini/gemini-2.0-flash-exp",
    "gemini/gemini-2.5-pro-preview-06-05",
    "gemini/gemini-flash-latest",
    "mistral/mistral-large-latest",
    "mistral/mistral-small",
    "xai/grok-4",
    "xai/grok-2-vision-latest",
    "deepseek/deepseek-chat",
    "deepseek/deepseek-reasoner",
    "cohere/command-r-plus",
    "ollama/llama3:latest",
)
FIXED = (
    "openai/gpt-4o-2024-08-06",
    "openai/gpt-4o-mini-2024-07-18",
    "openai/gpt-5-mini-2025-08-07",
    "openai/gpt-4-0613",
    "openai/gpt-3.5-turbo-0125",
    "openai/o3-2025-04-16",
    "openrouter/openai/gpt-4o-2024-11-20",
    "anthropic/claude-3-5-sonnet-20241022",
    "anthropic/claude-sonnet-4-5-20250929",
    "anthropic/claude-opus-4-6",
    "vertex_ai/claude-sonnet-4@20250514",
    "bedrock/anthropic.claude-3-5-sonnet-20240620-v1:0",
    "gemini/gemini-2.0-flash-001",
    "gemini/gemini-2.5-pro",
    "mistral/mistral-large-2411",
    "mistral/open-mixtral-8x22b",
    "xai/grok-4-0709",
    "cohere/command-r-plus-08-2024",
    "groq/llama-3.3-70b-versatile",
    "together_ai/Qwen/Qwen2.5-72B-Instruct-Turbo",
    "openai/gpt-oss-120b",
    "openai/my-own-model",
    "deepseek/deepseek-v3",
    "huggingface/lab/expert-model",
)


@pytest.mark.parametrize("name", MOVING)
def test_a_preview_or_an_alias_is_noticed(name: str) -> None:
    """The notice names it and says why."""
    notice = moving_notice(name)
    assert notice is not None
    assert name in notice


@pytest.mark.parametrize("name", FIXED)
def test_a_name_that_fixes_a_model_is_not_noticed(name: str) -> None:
    """A date, a number, or a name without such forms; what is not known is not guessed."""
    assert why_moving(name) is None


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.pattern.pattern)
def test_every_form_is_needed(form: object) -> None:
    """Each form is the only one that finds some name of the list."""
    others = [other for other in FORMS if other is not form]
    bare = [name.rsplit("/", 1)[-1] for name in MOVING]
    alone = [
        name
        for name in bare
        if not any(o.pattern.search(name) and not (o.fixed and o.fixed.search(name)) for o in others)
    ]
    assert alone
