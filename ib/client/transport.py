"""One attempt at one call, through litellm. Only one function of this module imports litellm.

Retries, pace, deadlines, prices and the cache are our own code. The retries of litellm do nothing for some
providers and multiply for others, its cache returns one sample for several repetitions, and its default
timeout is 6,000 seconds (measured with 1.106.2).
"""

from __future__ import annotations

import asyncio
import os
import warnings
from collections.abc import Mapping
from functools import cache
from typing import Any

from ib.client.calls import Call, Failure, Outcome, Reply, Usage, timed_out
from ib.client.secrets import scrub, scrub_reply
from ib.client.status import WORDS, connection_words, kind_of_status, retry_after
from ib.models.scan.judge import Fault, FaultKind

NO_RETRIES = {"num_retries": 0, "max_retries": 0}
TEXTS = ("text", "output_text")
"""The kinds of parts of a message that a reader sees."""
MOST_TEXT = 1_000_000
"""Maximum characters of a reply. The rest of a longer one is cut off, because journals and transcripts have
to hold it."""


@cache
def library() -> Any:
    """The library, imported at the first call because the import takes seconds and 160 MB."""
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # else the import fetches prices from the network
    os.environ["LITELLM_LOG"] = "ERROR"  # else its log can have requests with their headers
    import litellm

    warnings.filterwarnings(
        "ignore", r"Item .* is using the `ReadOnly` qualifier", UserWarning
    )  # its own types
    warnings.filterwarnings("ignore", r"Pydantic serializer warnings", UserWarning)  # content as a list
    litellm.suppress_debug_info = True
    litellm.disable_hf_tokenizer_download = True  # else counting tokens fetches a tokenizer
    litellm.drop_params = False  # an unsupported parameter is an error instead of being dropped
    litellm.telemetry = False
    _mend(litellm)
    return litellm


def _mend(litellm: Any) -> None:
    """Make litellm 1.106 read two correct responses that it reports as errors, after they were paid for.

    It demands that the content of a message is a string; servers with OpenAI's API may send a list of parts.
    And it reads `service_tier` of every response of Groq, where the field may be left out.
    """
    make = litellm.Message.__init__

    def made(message: Any, content: Any = None, *given: Any, **named: Any) -> None:
        make(message, _text_of(content) if isinstance(content, list) else content, *given, **named)

    litellm.Message.__init__ = made
    litellm.ModelResponse.service_tier = None


def _text_of(parts: list[Any]) -> str:
    """The text in the parts of a message. Parts of other kinds, such as reasoning, are not for the reader."""
    texts = (part.get("text") for part in parts if isinstance(part, dict) and part.get("type") in TEXTS)
    return "".join(text for text in texts if isinstance(text, str))


def missing_keys(model: str, base_url: str | None) -> list[str]:
    """The names of the environment variables that a call to this model needs and that are not set.

    A custom server (`base_url`) may need no key. litellm requires some value, so a placeholder is sent.
    """
    if base_url is not None:
        return []
    return list(library().validate_environment(model)["missing_keys"])


def known_provider(model: str) -> bool:
    """True if litellm knows the provider in the prefix of a model name."""
    litellm = library()
    try:
        litellm.get_llm_provider(model)
    except litellm.exceptions.BadRequestError:
        return False
    return True


def unsupported(model: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters that litellm will refuse for a model, with their values. Empty if it knows of none.

    Some are refused only together, such as a temperature while a model reasons: then all are returned.
    """
    if not _refuses(model, parameters):
        return {}
    alone = {name: value for name, value in parameters.items() if _refuses(model, {name: value})}
    return alone or dict(parameters)


def _refuses(model: str, parameters: Mapping[str, Any]) -> bool:
    litellm = library()
    name, provider, *_ = litellm.get_llm_provider(model)
    try:
        litellm.utils.get_optional_params(model=name, custom_llm_provider=provider, **parameters)
    except litellm.exceptions.UnsupportedParamsError:
        return True
    except Exception:  # what else is wrong is found by the call itself, with a better message
        return False
    return False


def address(model: str, base_url: str | None) -> dict[str, Any]:
    """The arguments for litellm that name a custom server."""
    if base_url is None:
        return {}
    keyless = library().validate_environment(model)["missing_keys"]
    # A server of one's own may ask for no key; the client demands one.
    return {"api_base": base_url, **({"api_key": "none"} if keyless else {})}


def body_of(call: Call) -> dict[str, Any]:
    """The body of the HTTP request that an attempt at this call sends, for a server with OpenAI's API.

    The parameters are translated by the same function of litellm as those of an attempt.
    """
    litellm = library()
    name, provider, *_ = litellm.get_llm_provider(call.model)
    told = {"model": name, "custom_llm_provider": provider, **call.parameters}
    translated = litellm.utils.get_optional_params(**told)
    translated.pop("stream", None)  # an attempt sends it only to ask for a stream
    extra = translated.pop("extra_body", None) or {}
    return {"model": name, "messages": [dict(message) for message in call.messages], **translated, **extra}


async def attempt(call: Call) -> Outcome:
    """Make one attempt. Every error is returned as a Failure, never raised."""
    litellm = library()
    arguments: dict[str, Any] = {
        **call.parameters,
        "model": call.model,
        "messages": [dict(message) for message in call.messages],
        "timeout": call.timeout,
        **address(call.model, call.base_url),
        **NO_RETRIES,
    }
    try:
        async with asyncio.timeout(call.timeout):
            response = await litellm.acompletion(**arguments)
    except TimeoutError:
        return timed_out(call.timeout)
    except Exception as error:  # litellm raises its own errors, those of openai, and plain ones
        return failure_of(error)
    return reply_of(response)


def response_of(body: Mapping[str, Any]) -> Any:
    """A response of litellm, from the body of a chat completion."""
    litellm = library()
    return litellm.utils.convert_to_model_response_object(
        response_object=dict(body), model_response_object=litellm.ModelResponse()
    )


def reply_of(response: Any) -> Outcome:
    """The reply in a response. An empty response is a Failure."""
    usage = _usage(getattr(response, "usage", None))
    if not response.choices:
        fault = Fault(FaultKind.EMPTY, "a response without a choice")
        return Failure(fault, usage=usage if usage.known else None)
    choice = response.choices[0]
    said, refusal, finish = choice.message.content, _refusal(choice.message), choice.finish_reason
    text = said or refusal
    if finish == "content_filter":
        fault = Fault(FaultKind.CONTENT_FILTER, "the provider filtered the reply")
        return Failure(fault, usage=usage)
    if not text:
        kind = FaultKind.TRUNCATED if finish == "length" else FaultKind.EMPTY
        return Failure(Fault(kind, f"a reply without text (finish reason {finish})"), usage=usage)
    text = scrub_reply(text)  # a proxy can repeat what it was sent, and replies are written to files
    cut = finish == "length" or len(text) > MOST_TEXT
    served = None if response.model is None else scrub_reply(response.model)
    return Reply(text[:MOST_TEXT], cut, served, usage, refused=not said)


def _refusal(message: Any) -> str | None:
    """The words of a refusal that stands in a field of its own, as OpenAI sends it."""
    fields = getattr(message, "provider_specific_fields", None) or {}
    return fields.get("refusal")


def _usage(usage: Any) -> Usage:
    details = getattr(usage, "prompt_tokens_details", None)
    thought = getattr(usage, "completion_tokens_details", None)
    return Usage(
        prompt=int(getattr(usage, "prompt_tokens", 0) or 0),
        completion=int(getattr(usage, "completion_tokens", 0) or 0),
        cached=int(getattr(details, "cached_tokens", 0) or 0),
        reasoning=int(getattr(thought, "reasoning_tokens", 0) or 0),
    )


def failure_of(error: Any) -> Failure:
    """A litellm error as a Failure, with a shortened message without keys.

    litellm reports a server that cannot be reached with status 500, which nobody sent.
    """
    status = getattr(error, "status_code", None)
    unreached = connection_words(error) if status in (None, 500) else None
    if unreached is not None:
        return Failure(Fault(FaultKind.TRANSIENT, unreached))
    words = scrub(f"{type(error).__name__} {status}: {error}")[:WORDS]  # a cut could leave half a key
    return Failure(Fault(_kind(error, status), words), _retry_after(error))


def _kind(error: Any, status: int | None) -> FaultKind:
    """The kind of a fault: by the type of litellm's error where that says more than its status."""
    exceptions = library().exceptions
    if isinstance(error, exceptions.ContentPolicyViolationError):
        return FaultKind.CONTENT_FILTER
    if isinstance(error, exceptions.RateLimitError):
        return FaultKind.RATE_LIMIT
    if "Missing credentials" in str(error):
        return FaultKind.DETERMINISTIC  # litellm reports this as an internal server error
    if isinstance(error, exceptions.Timeout | exceptions.APIConnectionError):
        return FaultKind.TRANSIENT
    return FaultKind.DETERMINISTIC if status is None else kind_of_status(status)


def _retry_after(error: Any) -> float | None:
    """The seconds that a 429 asks to wait. litellm does not keep the header in `error.response`."""
    response = getattr(error, "response", None)
    told = retry_after(getattr(error, "litellm_response_headers", None))
    return retry_after(getattr(response, "headers", None)) if told is None else told


async def close() -> None:
    """Close the connections that litellm keeps open; called before the event loop ends."""
    if library.cache_info().currsize:
        await library().close_litellm_async_clients()
