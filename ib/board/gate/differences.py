"""The differences between two documents of a release, each named by model, scenario, check and figure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ib.models.common.canonical import compact
from ib.models.release.verified import Difference

IDENTITY = (
    *("model_id", "scenario_id", "epoch", "check_id", "turn", "role", "rule"),
    *("id", "slug", "first", "second", "kind", "group", "variable", "session"),
)
"""The keys that tell the rows of a list apart."""
MOST = 60
"""The most characters of a value in a sentence."""


@dataclass(frozen=True)
class _Where:
    """The place of a value in a document."""

    file: str
    model: str | None = None
    scenario: str | None = None
    check: str | None = None
    path: tuple[str, ...] = ()

    def at(self, key: str) -> _Where:
        return replace(self, path=(*self.path, key))

    def of(self, row: Mapping[str, Any]) -> _Where:
        """The place of a row, which may name its model, its scenario and its check."""
        found = replace(
            self,
            model=_text(row.get("model_id")) or self.model,
            scenario=_text(row.get("scenario_id")) or self.scenario,
            check=_text(row.get("check_id")) or self.check,
        )
        return found

    def differs(self, stated: Any, computed: Any, words: str) -> Difference:
        place = ", ".join(one for one in (self.model, self.check, self.scenario) if one)
        figure = ".".join(self.path)
        named = " ".join(one for one in (f"{place}:" if place else "", figure) if one)
        return Difference(
            file=self.file,
            model=self.model,
            scenario=self.scenario,
            check=self.check,
            figure=figure,
            stated=stated,
            computed=computed,
            words=f"{self.file}: {named} {words}",
        )


def differences(file: str, stated: Any, computed: Any) -> Iterator[Difference]:
    """What a document says and what follows, wherever the two differ. Both are values of JSON."""
    yield from _between(_Where(file), stated, computed)


def _between(where: _Where, stated: Any, computed: Any) -> Iterator[Difference]:
    if stated == computed and type(stated) is type(computed):
        return
    if isinstance(stated, dict) and isinstance(computed, dict):
        yield from _mappings(where.of(computed), stated, computed)
    elif _are_rows(stated) and _are_rows(computed):
        yield from _rows(where, stated, computed)
    else:
        words = f"is {_shown(stated)}, and {_shown(computed)} follows from the source"
        yield where.differs(stated, computed, words)


def _mappings(where: _Where, stated: dict[str, Any], computed: dict[str, Any]) -> Iterator[Difference]:
    for key in sorted(stated.keys() | computed.keys()):
        if key not in computed:
            yield where.at(key).differs(stated[key], None, "does not follow from the source")
        elif key not in stated:
            yield where.at(key).differs(None, computed[key], "is missing, and follows from the source")
        else:
            yield from _between(where.at(key), stated[key], computed[key])


def _are_rows(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, dict) for one in value)


def _rows(where: _Where, stated: Sequence[Any], computed: Sequence[Any]) -> Iterator[Difference]:
    """Two lists of rows: by what tells the rows apart, else by their places."""
    mine, theirs = _named(stated), _named(computed)
    if mine is None or theirs is None:
        mine = {(at,): row for at, row in enumerate(stated)}
        theirs = {(at,): row for at, row in enumerate(computed)}
    for key in [*mine, *(key for key in theirs if key not in mine)]:
        here = where.of(theirs.get(key, mine.get(key, {})))
        label = ".".join(str(part) for part in key if part is not None and _is_new(part, here))
        here = here.at(label) if label else here
        if key not in theirs:
            yield here.differs(mine[key], None, "does not follow from the source")
        elif key not in mine:
            yield here.differs(None, theirs[key], "is missing, and follows from the source")
        else:
            yield from _between(here, mine[key], theirs[key])
    if mine.keys() == theirs.keys() and list(mine) != list(theirs):
        yield where.differs(None, None, "are in another order than the source gives")


def _is_new(part: Any, where: _Where) -> bool:
    """True for a part of a key that the place does not name already."""
    return part not in (where.model, where.scenario, where.check)


def _named(rows: Sequence[dict[str, Any]]) -> dict[tuple[Any, ...], dict[str, Any]] | None:
    """The rows by what tells them apart. Returns None if it does not."""
    keys = [tuple(_plain(row.get(name)) for name in IDENTITY) for row in rows]
    if any(count > 1 for count in Counter(keys).values()):
        return None
    return dict(zip(keys, rows, strict=True))


def _plain(value: Any) -> Any:
    return value if isinstance(value, str | int | None) else compact(value).decode()


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _shown(value: Any) -> str:
    """A value in a sentence, cut if it is long."""
    text = compact(value).decode()
    return text if len(text) <= MOST else f"{text[:MOST]}..."
