"""The prices of models: the own table comes first, and what neither table has is unknown."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from ib.errors import DataError
from ib.store.benchmark import prices as module
from ib.store.benchmark.loading import benchmark_folder
from ib.store.benchmark.prices import OWN, load_prices

ROW = """
  - model: {model}
    input: {input}
    output: 2
    source: the price list
    checked: 2026-11-20
"""


def folder(tmp_path: Path, *rows: tuple[str, str]) -> Path:
    """A benchmark folder that holds nothing but a table of prices, by model and price of input."""
    (tmp_path / "configs").mkdir()
    listed = "".join(ROW.format(model=model, input=price) for model, price in rows)
    (tmp_path / OWN).write_text(f"schema_version: 1\nprices:{listed or ' []'}\n")
    return tmp_path


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A table in the form of litellm's, in place of the installed one."""
    path = tmp_path / "litellm.json"
    path.write_text(
        """{
        "paid": {"litellm_provider": "lab", "input_cost_per_token": 1e-06, "output_cost_per_token": 4e-06,
                 "cache_read_input_token_cost": 1e-07, "output_cost_per_reasoning_token": 5e-06},
        "host/paid": {"input_cost_per_token": 2e-06, "output_cost_per_token": 8e-06},
        "host/zero": {"litellm_provider": "host", "input_cost_per_token": 0.0, "output_cost_per_token": 0.0},
        "host/half": {"litellm_provider": "host", "input_cost_per_token": 1e-06},
        "host/text": {"litellm_provider": "host", "input_cost_per_token": "1", "output_cost_per_token": true}
        }"""
    )
    monkeypatch.setattr(module, "_package_table", lambda: path)
    return path


def test_litellms_table_has_the_price_of_known_models() -> None:
    """The installed table is found and read; prices are those of a million tokens."""
    price = load_prices(benchmark_folder()).price("openai/gpt-4o-mini")
    assert price is not None
    assert price.source.startswith("litellm 1.")
    assert 0 < price.cached_input < price.input < price.output < 100


@pytest.mark.parametrize(
    ("model", "reasons"),
    [
        ("openai/gpt-5-mini", True),
        ("gemini/gemini-2.5-pro", True),
        ("anthropic/claude-opus-5-5", True),
        ("anthropic/claude-sonnet-4-5", False),
        ("azure_ai/claude-sonnet-4-5", False),
        ("openai/gpt-5.1", False),
        ("openai/gpt-4o", False),
    ],
)
def test_a_model_reasons_only_if_it_does_so_without_being_asked(model: str, reasons: bool) -> None:
    """litellm's table says what a model can do: Claude and GPT-5.1 can reason, and do so only on request."""
    price = load_prices(benchmark_folder()).price(model)
    assert price is not None
    assert price.reasons is reasons


def test_the_largest_reply_is_that_of_litellms_table(tmp_path: Path) -> None:
    """Also for a model whose price is in the own table; unknown if litellm does not have the model."""
    assert load_prices(benchmark_folder()).price("openai/gpt-4o").reply_most == 16_384  # type: ignore[union-attr]
    own = load_prices(folder(tmp_path, ("openai/gpt-4o", "1"), ("lab/own", "1")))
    found = [own.price(model) for model in ("openai/gpt-4o", "lab/own")]
    assert [price and price.reply_most for price in found] == [16_384, None]


def test_the_table_is_read_without_importing_litellm() -> None:
    """The import takes 3 seconds and 160 MB."""
    code = (
        "import sys; from pathlib import Path; from ib.store.benchmark.prices import load_prices;"
        "assert load_prices(Path()).price('openai/gpt-4o-mini'); print('litellm' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_a_model_is_found_with_and_without_its_provider(tmp_path: Path, package: Path) -> None:
    """`lab/paid` is the row `paid` of provider `lab`; `other/paid` is not."""
    known = load_prices(folder(tmp_path))
    first, second = known.price("lab/paid"), known.price("host/paid")
    assert first is not None
    assert second is not None
    assert (first.input, first.cached_input, first.output) == (1.0, 0.1, 5.0)
    assert (second.input, second.cached_input, second.output) == (2.0, 2.0, 8.0)
    assert known.price("other/paid") is None


@pytest.mark.parametrize("model", ["host/zero", "host/half", "host/text", "host/nothing", "lab/host/paid"])
def test_an_unknown_price_is_not_zero(tmp_path: Path, package: Path, model: str) -> None:
    """litellm marks models of paid providers with 0, has prices of half a call, and knows not all models."""
    assert load_prices(folder(tmp_path)).price(model) is None


def test_the_own_table_comes_first_and_may_say_zero(tmp_path: Path, package: Path) -> None:
    """A row of the own table replaces the one of litellm, with its source and the day of the check."""
    known = load_prices(folder(tmp_path, ("lab/paid", "3"), ("host/zero", "0")))
    first, free = known.price("lab/paid"), known.price("host/zero")
    assert first is not None
    assert free is not None
    assert (first.input, first.cached_input, first.source, str(first.checked)) == (3, 3, OWN, "2026-11-20")
    assert free.usd(1000, 0) == 0


def test_cached_tokens_cost_less(tmp_path: Path, package: Path) -> None:
    """The cost of a call: fresh tokens, cached tokens and the reply, each at its own price."""
    price = load_prices(folder(tmp_path)).price("lab/paid")
    assert price is not None
    assert price.usd(3000, 100, 2000) == pytest.approx((1000 * 1 + 2000 * 0.1 + 100 * 5) / 1e6)


@pytest.mark.parametrize(
    ("rows", "key", "line"),
    [
        ((("lab/a", "-1"),), "prices.0.input", 4),
        ((("lab/a", "free"),), "prices.0.input", 4),
        ((("gpt-4o", "1"),), "prices.0.model", 3),
        ((("lab/a", "1"), ("lab/b", "1"), ("lab/a", "2")), "prices.2.model", 15),
    ],
)
def test_an_error_in_the_table_is_named(
    tmp_path: Path, rows: tuple[tuple[str, str], ...], key: str, line: int
) -> None:
    """With file, line and key; a model that stands twice has two prices."""
    with pytest.raises(DataError) as caught:
        load_prices(folder(tmp_path, *rows))
    (found,) = caught.value.findings
    assert found.file.endswith("prices.yaml")
    assert (found.key, found.line) == (key, line)


def test_the_hashes_of_both_tables_are_known(tmp_path: Path, package: Path) -> None:
    """They change with the bytes of the tables."""
    root = folder(tmp_path)
    before = load_prices(root).hashes
    package.write_text("{}")
    after = load_prices(root).hashes
    assert len(before) == 2
    assert before[OWN] == after[OWN]
    assert before != after


def test_a_damaged_table_of_litellm_is_named(tmp_path: Path, package: Path) -> None:
    """The installed package is broken: the message names the file."""
    package.write_text('{"a": ')
    with pytest.raises(DataError, match=r"litellm\.json"):
        load_prices(folder(tmp_path)).price("lab/a")
