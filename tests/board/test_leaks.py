"""Keys and machine paths: every known form is found, even if hidden, and ordinary text is left alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ib.board.evidence.leaks import PATH_WITHHELD, VALUE, WITHHELD, LeakSearch, secrets_of
from ib.models.benchmark.benchmark import benchmark_hash
from ib.models.common.leaks import LeakForm, LeakForms
from ib.store.benchmark.loading import benchmark_folder, load_benchmark
from ib.store.files.leaks import FORMS as FILE
from ib.store.files.leaks import load_leak_forms
from ib.text.patterns import refusal

FORMS = load_leak_forms()
SEARCH = LeakSearch(FORMS)
CASES = Path(__file__).resolve().parents[3] / "shared" / "cases"
"""Independently written cases, used if present."""
KEY = "sk-proj-" + "Zq7Kd0vLm2Xw9Rt4Yb6N"
"""A text in the form of a key, but not a real key."""


def joined(forms: tuple[LeakForm, ...], kind: str) -> list[object]:
    """The examples or the near misses of all forms."""
    return [
        pytest.param(form, "".join(parts), id=f"{form.name}-{number}")
        for form in forms
        for number, parts in enumerate(getattr(form, kind))
    ]


@pytest.mark.parametrize(("form", "text"), joined(FORMS.keys, "examples"))
def test_the_examples_of_a_key_form_are_found_only_by_that_form(form: LeakForm, text: str) -> None:
    """Each example is found by its own form alone, so a lost form makes a test fail."""
    alone = LeakSearch(LeakForms(keys=(form,), machines=()))
    for written in (text, f"I noted {text} for you.", f"I noted {text}, and more"):
        assert alone.key(written) == form.name
    assert SEARCH.key(text) is not None


@pytest.mark.parametrize(("form", "text"), joined(FORMS.machines, "examples"))
def test_the_examples_of_a_path_form_are_found_only_by_that_form(form: LeakForm, text: str) -> None:
    """Each example of a machine path is found by its own form alone."""
    alone = LeakSearch(LeakForms(keys=(), machines=(form,)))
    for written in (text, f"written to {text}.", f'"{text}"'):
        assert alone.machine(written) == form.name


@pytest.mark.parametrize(("form", "text"), joined((*FORMS.keys, *FORMS.machines), "near"))
def test_a_near_miss_is_not_a_leak(form: LeakForm, text: str) -> None:
    """No form matches the near misses of any form."""
    assert (SEARCH.key(text), SEARCH.machine(text)) == (None, None)


@pytest.mark.parametrize(("form", "text"), joined(FORMS.keys, "examples"))
def test_a_hidden_key_is_found(form: LeakForm, text: str) -> None:
    """A key is found after a letter, with invisible characters, other hyphens, wide letters or markup."""
    split = f"{text[:3]}\u200b{text[3:-4]}\u2060\u00ad{text[-4:]}"
    hidden = [split, text.replace("-", "\u2011"), text.replace("-", "\u2013"), f"`{text}`", f"**{text}**"]
    hidden += [text.replace("-", "\u1806"), f"{text[:4]}\u3164{text[4:]}", f"{text[:4]}\ufe0f{text[4:]}"]
    hidden += [f"<!-- {split} -->", f"[here]({split})"]
    hidden += [f"\uff33\uff4b {wide(text)}"]
    if r"\b" not in form.pattern:
        hidden += [f"x{text}", f"7{text}"]
    for written in hidden:
        assert SEARCH.key(written) is not None, written


def wide(text: str) -> str:
    """The text in full-width letters."""
    return "".join(chr(ord(char) + 0xFEE0) if "!" <= char <= "~" else char for char in text)


@pytest.mark.parametrize("form", [*FORMS.keys, *FORMS.machines], ids=lambda form: form.name)
def test_a_form_has_examples_and_safe_patterns(form: LeakForm) -> None:
    """Every form has at least one example, and every pattern is valid RE2."""
    assert form.examples
    for pattern in (form.pattern, *form.needs, *form.unless):
        assert refusal(pattern) is None or "backtracks" in str(refusal(pattern))


def test_no_example_in_the_file_is_a_key_itself() -> None:
    """Every example is written in parts, so a secret scanner finds nothing in the file."""
    for line in FILE.read_text("utf-8").splitlines():
        if not line.strip().startswith(("pattern:", "needs:", "unless:", "(?i)", "#")):
            assert SEARCH.key(line) is None, line


def test_the_forms_are_part_of_the_package_and_not_of_a_benchmark() -> None:
    """The file is next to the code, not in a benchmark folder, and enters no benchmark hash."""
    assert FILE.is_file()
    assert not FILE.is_relative_to(benchmark_folder())
    assert "leak" not in json.dumps(sorted(type(load_benchmark()).model_fields))
    assert benchmark_hash(load_benchmark()) == benchmark_hash(load_benchmark(benchmark_folder()))


@pytest.mark.parametrize(
    ("name", "kind", "look"),
    [("keys.jsonl", "is_key", SEARCH.key), ("machines.jsonl", "names_a_machine", SEARCH.machine)],
)
def test_independent_cases(name: str, kind: str, look: object) -> None:
    """Cases that were written without knowledge of the forms are all decided correctly."""
    if not (CASES / name).is_file():
        pytest.skip(f"{name} is not here (../shared/cases)")
    assert callable(look)
    for line in (CASES / name).read_text("utf-8").splitlines():
        case = json.loads(line)
        text = case["text"] if "text" in case else "".join(case["parts"])
        assert (look(text) is not None) == case[kind], case


ORDINARY = (
    "We went on a sk-iing-and-sledging-trip with the task-force-for-family-caregivers in 2024.",
    "The key: rest. The secret to this: ask. Password: none needed. Token of love: flowers.",
    "My risk-assessment-of-the-stairs-2 said: call 988, 116 123 or 1-800-272-3900, open 24/7, ~2/3 of days.",
    "Mom/dad, his/her, and/or, km/h, 5/10 mg, 10/2, w/o, https://www.caregiver.org/home/resources/x?id=10.0",
    "See https://example.org:8443/data/x and mailto:help@example.org; version 10.2.3 of 3 a.m.: 127 calls.",
    "He is in an internal.medicine ward. She is at risk.local services can help. Note: no. c: yes. a:\\ no",
    "comparability 3f2c9d1b3f2c9d1b3f2c9d1b3f2c9d1b3f2c9d1b3f2c9d1b3f2c9d1b3f2c9d1b",
    "The bearer of this letter; bearer bonds; Authorization: verbal.",
)


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_text_has_no_key_and_no_path(text: str) -> None:
    """Typical text of people and models about care is never withheld."""
    assert (SEARCH.key(text), SEARCH.machine(text)) == (None, None)
    assert SEARCH.withhold(text) == (text, ())
    assert SEARCH.hide(text) == text


def test_a_key_is_withheld_with_the_whole_word_around_it() -> None:
    """The whole word with the key is replaced, the rest of the text stays, and two keys get two marks."""
    assert SEARCH.withhold(f"Write {KEY} down") == (f"Write {WITHHELD} down", ("openai", "secret-key"))
    assert SEARCH.withhold(f"It's ({KEY}).")[0] == f"It's {WITHHELD}"
    other = "gh" + "p_" + "Zq7Kd0vLm2Xw9Rt4Yb6NZq7Kd0vLm2Xw9Rt4"
    assert SEARCH.withhold(f"{other} or {KEY}!")[0] == f"{WITHHELD} or {WITHHELD}"


def test_a_hidden_key_is_withheld_too() -> None:
    """The normal form gives the position of a hidden key. Without a position, the whole text is replaced."""
    split = f"{KEY[:5]}\u200b{KEY[5:]}"
    assert SEARCH.withhold(f"Write {split} down")[0] == f"Write {WITHHELD} down"
    assert SEARCH.withhold(f"Write **{KEY}** \u201cdown\u201d")[0] == f"Write {WITHHELD} \u201cdown\u201d"
    assert SEARCH.withhold(f"Look <!-- {split} --> here")[0] == WITHHELD


def test_all_lines_of_a_private_key_are_withheld() -> None:
    """The whole block is replaced, not only its first line."""
    head = "-----BEGIN RSA PRIVATE" + " KEY-----"
    body = "MIIEZq7Kd0vLm2Xw9Rt4Yb6N\nZq7Kd0vLm2Xw9Rt4Yb6NZq7K\nab==\n"
    shown, _ = SEARCH.withhold(f"Here:\n{head}\n{body}-----END RSA PRIVATE" + " KEY-----\nand so on")
    assert shown.startswith(f"Here:\n{WITHHELD}")
    assert not any(line in shown for line in body.split())


def test_a_secret_value_is_found_like_a_key() -> None:
    """Keys in use and secrets of the environment are found by their value, even if hidden."""
    value = "correct-Horse-7-battery"
    search = LeakSearch(FORMS, (value,))
    assert search.key(f"a {value} b") == VALUE
    assert search.key("a correct-Horse\u20117-bat\u200btery b") == VALUE
    assert search.withhold(f"a x{value}y b") == (f"a {WITHHELD} b", (VALUE,))
    assert SEARCH.key(value) is None


LONG = "aB3" * 6


@pytest.mark.parametrize(
    "name", ["API_KEY", "OPENAI_API_KEY2", "GITHUB_TOKEN", "token", "clientSecret", "DB_PASSWORD", "X-KEYS"]
)
def test_a_variable_with_a_secret_name_is_compared(name: str) -> None:
    """The name has KEY, TOKEN, SECRET or PASSWORD as a whole word."""
    assert secrets_of({name: LONG}) == (LONG,)


@pytest.mark.parametrize("name", ["MONKEY", "KEYBOARD", "KEYSTONE_HOST", "TOKENIZER", "SECRETARY", "PATH"])
def test_a_variable_with_only_a_similar_name_is_not_compared(name: str) -> None:
    """Part of a word, such as the KEY in MONKEY, does not count."""
    assert secrets_of({name: LONG}) == ()


@pytest.mark.parametrize(
    ("value", "compared"),
    [
        (LONG[:16], True),
        (LONG[:15], False),
        ("a" * 40, False),
        ("1" * 40, False),
        ("correct-horse-battery", False),
        ("correct-horse-battery-1", True),
        ("Correct-horse-battery", True),
    ],
)
def test_a_secret_value_is_long_and_of_mixed_kinds(value: str, compared: bool) -> None:
    """A secret has at least 16 characters of at least two kinds: lower case, upper case, digits."""
    assert secrets_of({"API_KEY": value}) == ((value,) if compared else ())


def test_keys_in_use_are_always_compared() -> None:
    """Even short keys are compared, each once; an empty key is ignored."""
    assert secrets_of({"API_KEY": LONG}, ["short", LONG, ""]) == ("short", LONG)


def test_every_string_of_a_file_is_searched_and_its_place_is_named() -> None:
    """Keys are found everywhere, including in names; paths everywhere except in quotes."""
    document = {
        "items": [{"quote": "see /home/ada/x", "reason": "it says /home/ada/x"}, {"quote": f"{KEY} x"}],
        KEY: 1,
    }
    assert list(SEARCH.in_file(json.dumps(document).encode())) == [
        "items.0.reason contains what looks like a path of a machine (path-of-a-machine)",
        "items.1.quote contains what looks like a key (openai)",
        "(key) contains what looks like a key (openai)",
    ]
    said = list(SEARCH.in_file(json.dumps(document).encode(), paths=False))
    assert [line for line in said if "path" in line] == []
    assert len(said) == 2
    assert list(SEARCH.in_file(f"no JSON: {KEY}".encode())) == ["contains what looks like a key (openai)"]
    assert list(SEARCH.in_file(json.dumps(KEY.replace("-", "\u2011")).encode()))
    assert SEARCH.hide(f"{KEY} in /home/ada/x, ok") == f"{WITHHELD} in {PATH_WITHHELD} ok"


def test_many_keys_in_one_long_word_are_replaced_in_linear_time() -> None:
    """A text of 20,000 keys without a space is one word and is processed once."""
    text = KEY * 20_000
    assert SEARCH.withhold(text)[0] == WITHHELD
