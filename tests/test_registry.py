"""The registry is the test list: what exists has help, documentation and its counts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
import yaml
from pydantic import BaseModel

from ib.cli import COMMANDS, ib
from ib.models.common.base import Aggregation, Bucket, Role
from ib.models.conversation.condition import Condition
from ib.models.conversation.context import Context, Source
from ib.models.conversation.scenario import (
    Branch,
    Contrast,
    CueTag,
    Persona,
    Probe,
    Rubric,
    Scenario,
    ScenarioAnchor,
    Session,
    Turn,
)
from ib.models.conversation.transcript import Anchor, Message, Provenance, RiskTrigger, Transcript
from ib.models.scan.votes import VoteRecord
from ib.store.benchmark.loading import load_benchmark
from ib.text.normalize import normalize

ROOT = Path(__file__).resolve().parents[1]
BENCHMARK = load_benchmark()
INVENTORY = {
    Bucket.A: 10,
    Bucket.B: 8,
    Bucket.C: 15,
    Bucket.D: 12,
    Bucket.F: 8,
}


def commands(group: click.Group = ib, path: str = "ib") -> Iterator[tuple[str, click.Command]]:
    """Every command and every command below one, by what is typed."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield f"{path} {name}", command
        if isinstance(command, click.Group):
            yield from commands(command, f"{path} {name}")


EVERY_COMMAND = dict(commands())


def test_commands_below_commands_are_seen() -> None:
    """The list that the next test goes through is the whole."""
    assert {
        "ib run",
        "ib show",
        "ib show check",
        "ib site build",
        "ib leaderboard check",
        "ib import",
    } <= EVERY_COMMAND.keys()


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_a_command_is_its_own(name: str) -> None:
    """The line in `ib --help` is the first line of the command's docstring."""
    assert COMMANDS[name] == (EVERY_COMMAND[f"ib {name}"].help or "").splitlines()[0]


@pytest.mark.parametrize("name", EVERY_COMMAND)
def test_every_command_has_help(name: str) -> None:
    """It says what it does, in the reference too; options explain themselves."""
    command = EVERY_COMMAND[name]
    assert command.help
    assert f"## {name}\n" in (ROOT / "docs" / "cli.md").read_text()
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            assert parameter.help, f"{name} {parameter.name}"


DOCUMENTED = {
    "formats/scenario": (
        *(Scenario, Turn, Session, Branch, Condition, Rubric, Probe),
        *(CueTag, ScenarioAnchor, Contrast, Persona),
    ),
    "transcripts": (Transcript, Message, Anchor, RiskTrigger, Provenance, Context, Source, VoteRecord),
}


@pytest.mark.parametrize(
    ("page", "form"), [(page, form) for page, forms in DOCUMENTED.items() for form in forms]
)
def test_every_key_of_a_file_is_documented(page: str, form: type[BaseModel]) -> None:
    """An unlisted key is an error, so that every key which is none must be listed, as code."""
    code = re.findall(r"```.*?```|`[^`]+`", (ROOT / "docs" / f"{page}.md").read_text(), re.DOTALL)
    listed = {word for piece in code for word in re.findall(r"\w+", piece)}
    keys = {field.alias or name for name, field in form.model_fields.items()}
    assert keys - listed == set()


def test_counts_of_the_inventory() -> None:
    """53 checks in five dimensions, 24 lexicons, 29 flags."""
    assert Counter(check.bucket for check in BENCHMARK.checks.values()) == INVENTORY
    assert len(BENCHMARK.checks) == 53
    assert len(BENCHMARK.lexicons) == 24
    assert len({flag.flag for flag in BENCHMARK.scoring.flags}) == 29
    assert len({flag.check for flag in BENCHMARK.scoring.flags}) == 29


def test_the_sides_of_the_lexicons() -> None:
    """19 lexicons of the assistant's words, five of the user's; 13 of the former decide."""
    sides = Counter(lexicon.speaker for lexicon in BENCHMARK.lexicons.values())
    assert sides == {Role.ASSISTANT: 19, Role.USER: 5}
    deciding = [x for x in BENCHMARK.lexicons.values() if x.decides]
    assert len(deciding) == 13


def test_no_check_is_validated_yet() -> None:
    """Nobody has compared a check with labels by people."""
    assert {check.calibration.status for check in BENCHMARK.checks.values()} == {"unvalidated"}


def test_the_crisis_checks_fail_on_any_vote() -> None:
    """A1, A2, A7 and disengagement aggregate by any failure, everything else by majority."""
    any_fail = {c.id for c in BENCHMARK.checks.values() if c.routing.aggregation is Aggregation.ANY_FAIL}
    assert any_fail == {"IB-A1", "IB-A2", "IB-A7", "IB-A-disengagement-as-resolved"}


RULES = yaml.safe_load((ROOT / "tests/cases/rules-base.yaml").read_text())


@pytest.mark.parametrize("kind", RULES["ask"])
def test_questions_of_identity(kind: str) -> None:
    """Sentences that ask whether a human is speaking, may ask it, or do not."""
    from ib.engine.reading.rulebook import rulebook

    book = rulebook(BENCHMARK.rules["base"])
    wanted = {"certain": True, "possible": None, "none": False}[kind]
    for sentence in RULES["ask"][kind]:
        assert book.asks(normalize(sentence)) is wanted, sentence


@pytest.mark.parametrize("answer", ["yes", "no"])
@pytest.mark.parametrize("what", ["disclosure", "denial", "mention"])
def test_disclosures_denials_and_mentions(what: str, answer: str) -> None:
    """Sentences that say that an AI is speaking, that deny it, that speak of one at all, or do not."""
    from ib.engine.reading.rulebook import rulebook

    book = rulebook(BENCHMARK.rules["base"])
    look = {"disclosure": book.discloses, "denial": book.denies, "mention": book.mentions}[what]
    for sentence in RULES[what][answer]:
        assert bool(look(normalize(sentence))) is (answer == "yes"), sentence
