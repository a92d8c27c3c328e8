"""Merged rule sets, the crisis lines of a place, and sources that have not been checked."""

from __future__ import annotations

from typing import Any

import pytest

from ib.models.benchmark.benchmark import Rules, RuleSet
from ib.models.benchmark.jurisdiction import (
    EU_COUNTRIES,
    NotMergedError,
    Unchecked,
    country_of,
    merge_all,
    merged,
    own_rules,
    resources_for,
    unchecked,
)

WHOLE: dict[str, Any] = {
    "id": "base",
    "title": "Base",
    "disclosure_on_asking": {
        "ask_patterns": [{"id": "ask", "regex": "are you human", "certain": True}],
        "disclosure_patterns": [{"id": "says", "regex": "i am an ai"}],
        "denial_patterns": [{"id": "denies", "regex": "i am human"}],
    },
    "disclosure_cadence": {
        "minutes": 180,
        "assistant_turns": 40,
        "source": {"citation": "base", "url": "https://base.example", "checked": "2026-01-01"},
    },
    "crisis_actions": [{"id": "act", "text": "t"}, {"id": "other", "text": "t"}],
    "crisis_resources": {},
}


def line(name: str, checked: str | None = "2026-01-01") -> dict[str, Any]:
    return {"name": name, "contact": "1", "for": "suicide", "source": "s", "checked": checked}


def law(law_id: str, title: str = "t", checked: str | None = "2026-01-01") -> dict[str, Any]:
    return {
        "id": law_id, "title": title, "asks": "a", "applies_to": ["IB-B5"], "citation": "c",
        "url": "https://law.example", "in_force": None, "checked": checked,
    }  # fmt: skip


def sets(*parts: dict[str, Any], **base: Any) -> dict[str, RuleSet]:
    """The whole set `base`, changed as given, and the parts that are laid over it."""
    every = [{**WHOLE, **base}, *({"title": part["id"], **part} for part in parts)]
    return {value["id"]: RuleSet.model_validate(value) for value in every}


def flaws(known: dict[str, RuleSet], name: str) -> list[tuple[str, str, str]]:
    with pytest.raises(NotMergedError) as caught:
        merged(known, name)
    return [(f.file, f.key, f.found) for f in caught.value.findings]


def test_a_set_that_says_nothing_is_the_one_it_extends() -> None:
    """All is handed down but the names, which are the set's own."""
    known = sets({"id": "ca", "extends": "base"}, canary="c", country="US", laws=[law("one")])
    below, own = merged(known, "base"), merged(known, "ca")
    names = {"id", "title", "canary", "extends"}
    assert own.model_dump(exclude=names) == below.model_dump(exclude=names)
    assert (own.id, own.title, own.canary, own.extends) == ("ca", "ca", None, "base")
    assert (below.country, below.extends) == ("US", None)


def test_mappings_are_laid_over_deep() -> None:
    """One key of a section, one place of the lists: what stands beside it stays."""
    known = sets(
        {
            "id": "ca",
            "extends": "base",
            "disclosure_on_asking": {"denial_patterns": [{"id": "new", "regex": "i am flesh"}]},
            "disclosure_cadence": {"minutes": 60},
            "crisis_resources": {"US-CA": [line("state")]},
        },
        crisis_resources={"US": [line("country")]},
    )
    own = merged(known, "ca")
    assert (own.disclosure_cadence.minutes, own.disclosure_cadence.assistant_turns) == (60, 40)
    assert [p.id for p in own.disclosure_on_asking.denial_patterns] == ["new"]
    assert [p.id for p in own.disclosure_on_asking.ask_patterns] == ["ask"]
    assert list(own.crisis_resources) == ["US", "US-CA"]
    assert merged(known, "base").disclosure_cadence.minutes == 180


def test_lists_are_replaced() -> None:
    """A list stands as it is given, also an empty one; null gives none."""
    for given, left in [([{"id": "mine", "text": "t"}], ["mine"]), ([], []), (None, ["act", "other"])]:
        known = sets({"id": "ca", "extends": "base", "crisis_actions": given})
        assert [action.id for action in merged(known, "ca").crisis_actions] == left
    known = sets(
        {"id": "ca", "extends": "base", "crisis_resources": {"US": [line("b")]}},
        crisis_resources={"US": [line("a")]},
    )
    assert [r.name for r in merged(known, "ca").crisis_resources["US"]] == ["b"]


def test_a_source_is_replaced_whole() -> None:
    """The citation of one work never has the address of another."""
    known = sets({"id": "ca", "extends": "base", "disclosure_cadence": {"source": {"citation": "mine"}}})
    source = merged(known, "ca").disclosure_cadence.source
    assert (source.citation, source.url, source.checked) == ("mine", None, None)


def test_laws_add_up() -> None:
    """A law of the country holds in the state; one of the same id is the state's version of it."""
    known = sets(
        {"id": "federal", "extends": "base", "laws": [law("one"), law("two")]},
        {"id": "ca", "extends": "federal", "laws": [law("state"), law("two", "otherwise")]},
        {"id": "tx", "extends": "federal"},
    )
    assert [(own.id, own.title) for own in merged(known, "ca").laws] == [
        ("state", "t"), ("two", "otherwise"), ("one", "t"),
    ]  # fmt: skip
    assert [own.id for own in merged(known, "tx").laws] == ["one", "two"]
    assert merged(known, "base").laws == ()


def test_the_nearest_of_three_generations_counts() -> None:
    """State over country over base, whatever the order of the files."""
    known = sets(
        {"id": "ca", "extends": "federal", "disclosure_cadence": {"assistant_turns": 3}},
        {"id": "federal", "extends": "base", "disclosure_cadence": {"assistant_turns": 2, "minutes": 2}},
    )
    cadence = merged(known, "ca").disclosure_cadence
    assert (cadence.minutes, cadence.assistant_turns) == (2, 3)


@pytest.mark.parametrize("ring", [("ca",), ("ca", "ny"), ("ca", "ny", "tx")])
def test_a_set_that_extends_itself(ring: tuple[str, ...]) -> None:
    """By whatever way, and from wherever it is found: one flaw, at one set."""
    after = [*ring[1:], ring[0]]
    parts = [{"id": a, "extends": b} for a, b in zip(ring, after, strict=True)]
    known = sets(*parts, {"id": "outside", "extends": ring[-1]})
    found = ("ca", "extends", f"extends itself: {' -> '.join([*ring, 'ca'])}")
    for name in (*ring, "outside"):
        assert flaws(known, name) == [found]
    for names in (("base", *ring, "outside"), ring):
        rules, every = merge_all({name: known[name] for name in names})
        assert (set(rules) - {"base"}, len(every)) == (set(), 1)


def test_a_set_over_one_that_does_not_exist() -> None:
    """The set that names it is at fault, and is told which there are; asked for by name, the name is."""
    known = sets({"id": "ca", "extends": "federla"}, {"id": "la", "extends": "ca"})
    for name in ("ca", "la"):
        assert flaws(known, name) == [("ca", "extends", "unknown rule set 'federla'")]
    with pytest.raises(NotMergedError) as caught:
        merged(known, "ca")
    assert caught.value.findings[0].hint == "one of base, ca, la"
    assert flaws(known, "nowhere") == [("nowhere", "extends", "unknown rule set 'nowhere'")]
    assert len(merge_all(known)[1]) == 1


@pytest.mark.parametrize("key", ["disclosure_on_asking", "disclosure_cadence", "crisis_actions"])
def test_a_set_that_lacks_something(key: str) -> None:
    """What neither it nor the sets below it give is a flaw of the lowest, told once."""
    parts = ({"id": "ca", "extends": "base"}, {"id": "la", "extends": "ca"})
    known = sets(*parts, **{key: None})
    assert flaws(known, "ca") == [("ca", key, "is missing")]
    rules, every = merge_all(known)
    assert (rules, [(f.file, f.key) for f in every]) == ({}, [("base", key)])
    healed = sets({**parts[0], key: WHOLE[key]}, parts[1], **{key: None})
    assert list(merge_all(healed)[0]) == ["ca", "la"]


def test_a_section_that_lacks_something() -> None:
    """Inside a section, the key is named with its section."""
    known = sets(disclosure_cadence={"minutes": 5})
    assert [place for _, place, _ in flaws(known, "base")] == [
        "disclosure_cadence.assistant_turns",
        "disclosure_cadence.source",
    ]


def test_a_law_twice_in_a_set() -> None:
    """Two laws of one id in one file would hide each other."""
    with pytest.raises(ValueError, match="twice: one"):
        sets({"id": "ca", "laws": [law("one"), law("one")]})


def placed(country: str | None, **lists: list[str]) -> Rules:
    named = {place.replace("_", "-"): [line(n) for n in names] for place, names in lists.items()}
    return merged(sets(country=country, crisis_resources=named), "base")


@pytest.mark.parametrize(
    ("own", "asked", "names"),
    [
        ("US", None, ["us"]),
        ("US", "US", ["us"]),
        ("US", "IE", ["ie"]),
        ("US", "JP", []),
        ("EU", None, ["eu"]),
        ("EU", "EU", ["eu"]),
        ("EU", "PT", ["eu"]),
        ("EU", "IE", ["ie"]),
        ("EU", "NO", []),
        ("EU", "CH", []),
        ("EU", "GB", []),
        (None, "US", ["us"]),
        (None, None, []),
    ],
)
def test_the_lines_of_a_country(own: str | None, asked: str | None, names: list[str]) -> None:
    """Its own list; the Union's for a member state without one; none where none is known."""
    rules = placed(own, US=["us"], EU=["eu"], IE=["ie"])
    assert [resource.name for resource in resources_for(rules, asked)] == names


def test_where_a_person_is() -> None:
    """What is said of the person goes before the country of the rules, which may have none."""
    assert country_of("IE", placed("EU")) == "IE"
    assert country_of(None, placed("EU")) == "EU"
    assert country_of(None, placed(None)) is None


def test_the_lines_of_a_region_come_first() -> None:
    """Those of the state, then those of the country, and never those of another country's region."""
    rules = placed("US", US=["us"], US_CA=["state"], CA=["canada"], CA_ON=["ontario"])
    assert [r.name for r in resources_for(rules)] == ["state", "us"]
    assert [r.name for r in resources_for(rules, "CA")] == ["ontario", "canada"]


def test_an_empty_list_is_a_list() -> None:
    """A member state whose list is empty has no lines; that is said on purpose."""
    assert resources_for(placed("EU", EU=["eu"], MT=[]), "MT") == ()


def test_the_member_states() -> None:
    """There are 27 member states; the United Kingdom is not one of them."""
    assert len(EU_COUNTRIES) == 27
    assert not EU_COUNTRIES & {"GB", "NO", "CH", "EU", "US"}


def test_what_nobody_checked_is_told_once_where_it_stands() -> None:
    """Lines, laws and the source of the cadence; what is inherited is told at its own set."""
    known = sets(
        {
            "id": "ca",
            "extends": "base",
            "laws": [law("fine"), law("open", "Open law", None)],
            "disclosure_cadence": {"source": {"citation": "mine"}},
            "crisis_resources": {"US-CA": [line("fine"), line("state", None)]},
        },
        {"id": "la", "extends": "ca"},
        crisis_resources={"US": [line("country", None), line("fine")]},
    )
    rules, _ = merge_all(known)
    assert list(unchecked(rules)) == [
        Unchecked("base", "crisis_resources.US.0", "country"),
        Unchecked("ca", "disclosure_cadence.source", "mine"),
        Unchecked("ca", "laws.1", "Open law"),
        Unchecked("ca", "crisis_resources.US-CA.1", "state"),
    ]


def test_a_set_that_changes_nothing_has_no_rule_of_its_own() -> None:
    """The sentence compares the values: to write a parent's value once more is no rule of its own."""
    sets = {
        "base": RuleSet.model_validate(WHOLE),
        "idle": RuleSet.model_validate({"id": "idle", "title": "Idle", "extends": "base"}),
        "again": RuleSet.model_validate(
            {
                "id": "again",
                "title": "Again",
                "extends": "base",
                "country": "US",
                "disclosure_cadence": {"minutes": 180},
            }
        ),
        "own": RuleSet.model_validate(
            {"id": "own", "title": "Own", "extends": "base", "disclosure_cadence": {"minutes": 60}}
        ),
    }
    rules, _ = merge_all(sets)
    assert own_rules(rules, "idle") == "No rule of its own: the rules of Base hold."
    assert own_rules(rules, "again") == own_rules(rules, "idle")
    assert own_rules(rules, "own").startswith("Of its own: the interval of the notice. As in Base: ")
