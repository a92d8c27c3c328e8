"""The prices of models: the benchmark's own table, and the one that litellm brings.

litellm's table is read as a file of its package, because importing litellm takes 3 seconds and 160 MB.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ib.errors import DataError
from ib.models.common.names import is_claude
from ib.models.common.price import MILLION, Price, PriceRow, PriceTable
from ib.store.benchmark.loading import label
from ib.store.files.places import finding_at
from ib.store.files.reading import decode, read_bytes
from ib.store.files.validation import load_yaml
from ib.store.files.yaml_json import parse_json

OWN = "configs/prices.yaml"
PACKAGE = "litellm"
PACKAGE_TABLE = "model_prices_and_context_window_backup.json"


@dataclass(frozen=True)
class Prices:
    """Both price tables. `price` looks a model up."""

    own: Mapping[str, PriceRow]
    files: Mapping[str, Path]
    """The table files by name: the benchmark's own, and that of the installed litellm."""

    @property
    def hashes(self) -> dict[str, str]:
        """The SHA-256 of each table by its name."""
        return {name: hashlib.sha256(read_bytes(path)).hexdigest() for name, path in self.files.items()}

    def price(self, model: str) -> Price | None:
        """The price of a model, given as PROVIDER/MODEL. Returns None if it is unknown.

        litellm marks many models of paid providers with a price of 0. These are unknown too: only the
        benchmark's own table may say that a model is free.
        """
        row = self.own.get(model)
        if row is not None:
            cached = row.input if row.cached_input is None else row.cached_input
            told = {"input": row.input, "cached_input": cached, "output": row.output}
            return Price(
                model=model, source=OWN, checked=row.checked, reply_most=self.reply_most(model), **told
            )
        return _package_price(model, self._package)

    def reply_most(self, model: str) -> int | None:
        """The most tokens of a reply that the model can give, by litellm's table. None if it is unknown."""
        row = _package_row(model, self._package)
        return None if row is None else _reply_most(row)

    def takes_schema(self, model: str) -> bool:
        """True if litellm's table says that the model takes a JSON schema for its reply."""
        row = _package_row(model, self._package)
        return row is not None and row.get("supports_response_schema") is True

    @cached_property
    def _package(self) -> Mapping[str, Any]:
        """The rows of litellm's table, which are parsed when the first of them is looked up."""
        path = self.files.get(_package_name())
        if path is None:
            return {}
        name = str(path)
        rows = parse_json(decode(read_bytes(path), name), name)
        if not isinstance(rows, dict):
            raise DataError.one(name, 1, "", "is not a mapping of models", "an undamaged litellm package")
        return rows


def load_prices(root: Path) -> Prices:
    """The price tables for a benchmark's folder. Raises DataError with all errors of the own table."""
    own, package = root / OWN, _package_table()
    files = {OWN: own} if own.is_file() else {}
    if package is not None:
        files[_package_name()] = package
    return Prices(_rows(load_yaml(PriceTable, own, name=label(own)), own) if own.is_file() else {}, files)


def _rows(table: PriceTable, path: Path) -> dict[str, PriceRow]:
    rows: dict[str, PriceRow] = {}
    findings = []
    for index, row in enumerate(table.prices):
        if row.model in rows:
            place = ("prices", index, "model")
            findings.append(finding_at(path, label(path), place, f"{row.model} a second time", "one price"))
        rows[row.model] = row
    if findings:
        raise DataError(findings)
    return rows


def _package_table() -> Path | None:
    spec = find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        return None
    path = Path(spec.origin).parent / PACKAGE_TABLE
    return path if path.is_file() else None


def _package_name() -> str:
    return f"{PACKAGE} {metadata.version(PACKAGE)}"


def _package_row(model: str, rows: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The row of a model in litellm's table, which names some models with and some without provider."""
    provider, _, name = model.partition("/")
    row = rows.get(model)
    if row is None:
        row = rows.get(name)
        if not isinstance(row, dict) or row.get("litellm_provider") != provider:
            return None
    return row if isinstance(row, dict) else None


def _package_price(model: str, rows: Mapping[str, Any]) -> Price | None:
    """The price of a model in litellm's table."""
    row = _package_row(model, rows)
    if row is None:
        return None
    fresh, out = _cost(row, "input_cost_per_token"), _cost(row, "output_cost_per_token")
    if fresh is None or out is None:
        return None
    cached = _cost(row, "cache_read_input_token_cost")
    thought = _cost(row, "output_cost_per_reasoning_token")
    return Price(
        model=model,
        input=fresh,
        cached_input=fresh if cached is None else cached,
        output=out if thought is None else max(out, thought),
        reasons=_reasons(model, row),
        reply_most=_reply_most(row),
        source=_package_name(),
    )


def _reasons(model: str, row: Mapping[str, Any]) -> bool:
    """True if a model reasons before it replies, also if a request does not ask for it.

    litellm's table says of each model that can reason that it supports reasoning.
    """
    if row.get("thinking_always_on") is True:
        return True
    on_request = is_claude(model) or row.get("default_reasoning_effort") == "none"
    return row.get("supports_reasoning") is True and not on_request


def _reply_most(row: Mapping[str, Any]) -> int | None:
    """The most tokens of a reply. The table gives some old models under `max_tokens` only."""
    found = row.get("max_output_tokens") or row.get("max_tokens")
    return found if type(found) is int and found > 0 else None


def _cost(row: Mapping[str, Any], key: str) -> float | None:
    """A price for a million tokens. Returns None if it is missing, 0 or no number."""
    value = row.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float) or value <= 0:
        return None
    return round(value * MILLION, 9)
