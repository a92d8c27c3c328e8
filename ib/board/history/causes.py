"""Why a row or a verdict is not the same in two releases, from what both say of themselves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ib.board.history.told import Conversation, Key, Told
from ib.models.release.ledger import Cause

Pair = tuple[Conversation | None, Conversation | None]
"""One conversation in the earlier and in the later release; None in a release that lacks it."""


def in_order(causes: Iterable[Cause]) -> tuple[Cause, ...]:
    """Causes without duplicates, in their fixed order."""
    found = set(causes)
    return tuple(cause for cause in Cause if cause in found)


def of_all(before: Told, after: Told) -> Iterator[Cause]:
    """What differs for every row: judge, contract, reviews of people, stage."""
    one, other = before.board, after.board
    if _judge(one) != _judge(other):
        yield Cause.JUDGE
    if one.get("profile") != other.get("profile") or _contract_differs(before, after):
        yield Cause.CONTRACT
    if one.get("reviews") != other.get("reviews"):
        yield Cause.REVIEWS
    if one.get("stage") != other.get("stage"):
        yield Cause.STAGE


def _judge(board: Mapping[str, Any]) -> dict[str, Any]:
    """The judge without its price, which changes no answer."""
    return {key: value for key, value in board.get("judge", {}).items() if key != "priced"}


def _contract_differs(before: Told, after: Told) -> bool:
    """True if the benchmark or the form of the files changed, and changed checks do not explain it.

    A benchmark has one hash over its checks and all the rest. If checks changed too, the hash cannot tell
    whether the rest did.
    """
    one, other = before.board, after.board
    if one.get("schema_version") != other.get("schema_version"):
        return True
    return one.get("benchmark_hash") != other.get("benchmark_hash") and not changed_checks(before, after)


def changed_checks(before: Told, after: Told) -> tuple[str, ...]:
    """The checks whose content differs, or which only one release has."""
    every = sorted(before.checks.keys() | after.checks.keys())
    return tuple(check_id for check_id in every if is_changed(before, after, check_id))


def is_changed(before: Told, after: Told, check_id: str) -> bool:
    """True if the content of a check differs, or only one release has the check."""
    one, other = before.checks.get(check_id, {}), after.checks.get(check_id, {})
    return bool(one.get("check_hash") != other.get("check_hash"))


def of_row(before: Told, after: Told, model_id: str) -> tuple[Cause, ...]:
    """Why a row differs: `Cause.VOTES` alone if nothing but the answers of the judge differs."""
    found = {*of_all(before, after)}
    if changed_checks(before, after):
        found.add(Cause.PROMPTS)
    for key, pair in pairs(before, after, model_id).items():
        found.update(of_conversation(before, after, key, pair))
    return in_order(found) or (Cause.VOTES,)


def pairs(before: Told, after: Told, model_id: str) -> dict[Key, Pair]:
    """The conversations of a model in either release."""
    one, other = before.conversations(model_id), after.conversations(model_id)
    return {key: (one.get(key), other.get(key)) for key in sorted({**one, **other}, key=str)}


def of_conversation(before: Told, after: Told, key: Key, pair: Pair) -> Iterator[Cause]:
    """What differs in one conversation of a model: its scenario, or what was said."""
    one, other = pair
    if before.scenarios.get(key[0]) != after.scenarios.get(key[0]):
        yield Cause.CORPUS
    elif one is None or other is None or one.transcript_hash != other.transcript_hash:
        yield Cause.TRANSCRIPTS


def of_verdict(
    before: Told, after: Told, check_id: str, key: Key, pair: Pair, *, decided: bool
) -> tuple[Cause, ...]:
    """Why the verdict of a check on one conversation of a model differs.

    `decided` is True if people decided this verdict, in one of the releases or otherwise than before.
    """
    apart = (Cause.STAGE, Cause.REVIEWS)
    found: set[Cause] = {cause for cause in of_all(before, after) if cause not in apart}
    if decided:
        found.add(Cause.REVIEWS)
    if is_changed(before, after, check_id):
        found.add(Cause.PROMPTS)
    found.update(of_conversation(before, after, key, pair))
    return in_order(found) or (Cause.VOTES,)
