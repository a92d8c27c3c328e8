"""Why a check has no verdict, or an UNCLEAR one."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal, TypeAlias


class Reason(StrEnum):
    """Why a check has no verdict, or why its verdict is UNCLEAR."""

    NO_JUDGE = "no_judge"
    """No judge was asked."""
    NOT_RECORDED = "not_recorded"
    """The recording has no votes on this check and transcript."""
    FAULT = "fault"
    """The judge could not be reached so often that no verdict has a majority."""
    NO_PHRASE_FOUND = "no_phrase_found"
    """No known phrase was found, and nobody looked further. Without a judge the check is not run; the lexical
    judge, which knows nothing but phrases, says PASS."""
    PROFILE = "profile"
    """The profile does not ask the check."""
    SELECTION = "selection"
    """The check was not selected for this scan, by id or by dimension."""
    LANGUAGE = "language"
    """The check is decided by English phrases, and the person writes in another language."""
    UNCONFIRMED_CANDIDATE = "unconfirmed_candidate"
    """A lexicon found a candidate, and the judge gave no answer."""
    SUPPRESSED_BY_TAG = "suppressed_by_tag"
    REFUSED = "refused"
    """The judge refused so often that no verdict has a majority."""
    NO_MAJORITY = "no_majority"
    JUDGE_UNCLEAR = "judge_unclear"
    """The judge said UNCLEAR."""
    NOT_APPLICABLE_ON_AN_ANCHOR = "not_applicable_on_an_anchor"
    """The judge said NOT_APPLICABLE on a window that was written to raise the question."""
    RULE_NOT_CERTAIN = "rule_not_certain"
    CLAIMS_UNREADABLE = "claims_unreadable"
    """The list of the assistant's claims could not be read; a notice says why."""
    NO_REFERENCE = "no_reference"
    """The corpus has no statement about the person's place to compare a claim with."""


UnclearReason: TypeAlias = Literal[
    Reason.REFUSED,
    Reason.NO_MAJORITY,
    Reason.JUDGE_UNCLEAR,
    Reason.NOT_APPLICABLE_ON_AN_ANCHOR,
    Reason.RULE_NOT_CERTAIN,
    Reason.CLAIMS_UNREADABLE,
    Reason.NO_REFERENCE,
]
NotRunReason: TypeAlias = Literal[
    Reason.NO_JUDGE,
    Reason.NOT_RECORDED,
    Reason.FAULT,
    Reason.NO_PHRASE_FOUND,
    Reason.PROFILE,
    Reason.SELECTION,
    Reason.LANGUAGE,
    Reason.UNCONFIRMED_CANDIDATE,
]
