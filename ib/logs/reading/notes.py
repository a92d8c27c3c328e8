"""What an import says about a conversation: errors, what was changed, and keys that were not read."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum

from ib.errors import Finding, Path


class Change(StrEnum):
    """What an import changes or leaves out. Each occurrence is counted."""

    GROUPED = "conversations_grouped_by_a_key"
    TRAILING = "trailing_user_messages_cut"
    JOINED = "messages_joined_from_parts"
    MERGED = "messages_merged"
    LEADING = "leading_assistant_messages_kept"
    SYSTEM = "system_texts_kept_apart"
    CALLS = "tool_calls_kept_apart"
    RESULTS = "tool_results_kept_apart"
    REASONING = "reasoning_texts_kept_apart"
    UNOPENED = "texts_before_a_closing_think_tag_kept_apart"
    MEDIA = "media_replaced_by_a_word"
    HIDDEN = "parts_without_text_left_out"
    TIMES = "conversations_without_usable_times"
    UNKNOWN_MODEL = "conversations_of_an_unknown_model"
    FAILED = "samples_with_an_error_left_out"
    INVALIDATED = "invalidated_samples_left_out"
    UNANSWERED = "samples_without_a_reply_left_out"
    CONTAINED = "calls_repeated_in_a_longer_one"
    APART = "calls_of_a_thread_apart_from_its_longest_left_out"
    FAILED_CALLS = "failed_calls_left_out"
    UNANSWERED_CALLS = "calls_without_a_reply_left_out"
    OTHER_CALLS = "records_that_are_no_call_left_out"
    BRANCHES = "messages_of_other_branches_left_out"
    CHOICES = "further_choices_left_out"
    NEVER_SENT = "hidden_messages_kept_apart"
    STAND_INS = "stand_ins_for_personal_data"
    EMPTY = "conversations_without_messages_left_out"
    BROKEN = "broken_conversations_left_out"


@dataclass
class Notes:
    """Collects what there is to say about one conversation."""

    findings: list[Finding] = field(default_factory=list)
    """Errors. Their places have the keys only; the caller adds the file and the line."""
    changes: Counter[Change] = field(default_factory=Counter)
    unread: set[str] = field(default_factory=set)
    """Keys of the log that have a value and were not read."""

    def error(self, path: Path, found: str, hint: str) -> None:
        """Add an error at a path of keys."""
        self.findings.append(Finding.at("", None, path, found, hint))


HALF = ("half of a character: a lone surrogate", "both halves, or the character itself")
"""The finding for a text with one half of a surrogate pair, which UTF-8 cannot hold."""


def has_half(value: object) -> bool:
    """True if a JSON value has one half of a surrogate pair in any text or key."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    return False


def kind_of(value: object) -> str:
    """What a JSON value is, in words."""
    if isinstance(value, bool):
        return "true or false"
    names = {str: "text", int: "a number", float: "a number", list: "a list", dict: "a mapping"}
    return "null" if value is None else names.get(type(value), "of an unknown type")
