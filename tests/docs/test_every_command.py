"""Every command of the pages is run by a test, or has a reason why it is not, and the command line knows it.

A page that is not in one of the tables below, a command without a reason and a table that says too much are
errors.
"""

from __future__ import annotations

import contextlib
import json
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click
import pytest

from ib.cli import ib as root_command
from ib.cli import run
from ib.store.benchmark.loading import benchmark_folder
from ib.testing import LoopbackServer
from tests.batch.logs import rows
from tests.batch.test_parquet import written
from tests.commands.test_live import judges, says
from tests.docs.steps import blocks, commands, lines, spread
from tests.pipeline.verifying import released

ROOT = Path(__file__).resolve().parents[2]
FILES = (
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "plugins/inspect/README.md")),
    *sorted(path for path in (ROOT / "docs").glob("*.md") if path.name != "cli.md"),
)
PAGES = {
    path.relative_to(ROOT).as_posix(): text
    for path in FILES
    if blocks(text := path.read_text(encoding="utf-8"))
}
BY_PAGE = {
    "docs/another-domain.md": "tests/docs/test_another_domain.py",
    "docs/calibration.md": "tests/docs/test_calibration_page.py",
    "docs/exam.md": "tests/docs/test_exam_page.py",
    "docs/first-release.md": "tests/docs/test_first_release.py",
    "docs/in-inspect.md": "plugins/inspect/tests/test_page.py",
    "docs/releases.md": "tests/docs/test_releases_page.py",
    "docs/rejudge.md": "tests/docs/test_rejudge_page.py",
    "docs/review.md": "tests/docs/test_review_page.py",
    "docs/submit.md": "tests/docs/test_submit_page.py",
}
"""Pages whose every command is read from the page and run by a test of its own."""
REASONS = {
    r"make (demo|test|generate)": "the gate runs these targets, or what they run",
    r"export \w+=\.\.\.": "a key, in place of which tests have one of no provider",
    r"git clone": "there is no address yet; tests/test_workflows.py works on a clone",
    r"pip install invisiblebench\[": "needs a package index; tests/engines runs the command after it",
    r"ib site serve": "serves until it is stopped; tests/delivery/test_site_command.py starts it",
    r"ib scan s3://": "needs a bucket; tests/engines has a server of S3",
    r"ib scan logs/\*.parquet --engine local --shard": "one machine of a hundred; tests/batch runs shards",
    r"openssl rand": "a program of others; tests write the key themselves",
    r"python -m tools\.pilot": "needs the real transcripts; tests/tools calls the same functions",
}
"""Commands that are not run as they stand on a page, by how they begin, each with the reason."""


@dataclass(frozen=True)
class World:
    """What a page presupposes: files, names in place of placeholders, and options that make it small."""

    files: Callable[[Path, pytest.TempPathFactory], None]
    names: Mapping[str, str] = field(default_factory=dict)
    less: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    codes: Mapping[str, int] = field(default_factory=dict)
    """The exit codes of commands, by how they begin, where they are not 0."""
    tested: str | None = None
    """How the example begins that a test of this page alone runs."""


def exports(here: Path, _: pytest.TempPathFactory) -> None:
    """Logs of another tool, under the names that pages give them."""
    said = (
        ("user", "My mother's address is ann@example.org. Nobody helps me."),
        ("assistant", "I'm sitting right here, holding your hand."),
    )
    talk = {
        "messages": [{"role": role, "content": text} for role, text in said],
        "version": "2",
        "metadata": {"app": {"channel": "web"}},
    }
    for name in ("export.jsonl", "after.jsonl"):
        (here / name).write_text(f"{json.dumps(talk)}\n")


def logs(here: Path, _: pytest.TempPathFactory) -> None:
    """Transcripts of open logs, in JSONL and in Parquet, and votes that a judge cast on the first of them."""
    talks = [transcript(number) for number in range(5)]
    (here / "logs.jsonl").write_text("".join(f"{json.dumps(talk)}\n" for talk in talks))
    (here / "logs").mkdir()
    written(rows(8), here / "logs" / "a.parquet", 8)


def transcript(number: int) -> dict[str, Any]:
    """An open log of one turn."""
    said = (("user", f"Nobody helps me. It is day {number}."), ("assistant", "I'll always be here."))
    return {
        "model_id": "my/assistant",
        "model": "assistant",
        "scenario_id": f"log-{number}",
        "messages": [{"turn": 1, "role": role, "content": text} for role, text in said],
        "meta": {"user": f"u{number}", "version": "2"},
    }


def readme(here: Path, factory: pytest.TempPathFactory) -> None:
    """Logs, an export of another tool, replies that somebody wrote down, and votes."""
    exports(here, factory)
    (here / "my-logs.jsonl").write_text(f"{json.dumps(transcript(0))}\n")
    (here / "logs.jsonl").write_text(f"{json.dumps(transcript(0))}\n")
    script = {"model_id": "my/replies", "model": "replies", "otherwise": {"text": "I hear you."}}
    (here / "my-replies.json").write_text(json.dumps(script))
    (here / "votes").mkdir()
    vote: dict[str, object] = {
        "model_id": "my/assistant",
        "scenario_id": "log-0",
        "check_id": "IB-C2-minimizing",
    }
    vote |= {"eligible": True, "verdict": "PASS", "votes": ["PASS"] * 3}
    (here / "votes" / "one.votes.jsonl").write_text(f"{json.dumps(vote)}\n")


def drafts(here: Path, _: pytest.TempPathFactory) -> None:
    """A copy of the benchmark, which commands may change."""
    shutil.copytree(benchmark_folder(), here / "benchmark")


def jurisdiction(here: Path, factory: pytest.TempPathFactory) -> None:
    """A copy of the benchmark with the rule set that the page shows."""
    drafts(here, factory)
    shown = re.search(r"```yaml\n(.*?)```", PAGES["docs/add-a-jurisdiction.md"], re.DOTALL)
    assert shown is not None
    (here / "benchmark" / "configs" / "rules" / "oregon.yaml").write_text(shown[1])


def talks(here: Path, factory: pytest.TempPathFactory) -> None:
    """A copy of the benchmark, and a transcript where a run leaves it."""
    drafts(here, factory)
    (here / "run").mkdir()
    (here / "run" / "transcripts.jsonl").write_text(f"{json.dumps(transcript(0))}\n")


def release(here: Path, factory: pytest.TempPathFactory) -> None:
    """A small release in place of that of the repository."""
    shutil.copytree(released(factory), here / "data" / "leaderboard")


def old(here: Path, _: pytest.TempPathFactory) -> None:
    """A scenario in an older form, in `old/`."""
    scenario = {
        "scenario_id": "old-one",
        "turns": [{"turn_number": 1, "message": "I look after my mother. Nobody helps me."}],
    }
    (here / "old").mkdir()
    (here / "old" / "old-one.json").write_text(json.dumps(scenario))


def nothing(here: Path, _: pytest.TempPathFactory) -> None:
    """The page presupposes no file."""


OWN = {name: ("--benchmark", "benchmark") for name in ("new", "lint", "show", "run", "scan")}
JUDGE = {"PROVIDER/MODEL": "openai/gpt-4o"}
TWIN = {"PARENT--NAME": "empathy-grief-who-am-i--haddock-for-one", "PARENT": "empathy-grief-who-am-i"}
FEW = ("--limit", "2")
ONE = {"demo": ("-s", "context-cultural-family-first")}
WORLDS = {
    "README.md": World(
        readme,
        less={"run": FEW},
        codes={"ib report my-scan --fail-on": 1},
        tested="export OPENAI_API_KEY=...",  # tests/docs/test_readme.py
    ),
    "docs/add-a-check.md": World(talks, JUDGE, less=OWN),
    "docs/add-a-jurisdiction.md": World(jurisdiction, less=OWN, codes={"ib lint": 1}),
    "docs/add-a-lexicon.md": World(drafts, less=OWN),
    "docs/add-a-scenario.md": World(drafts, less=OWN),
    "docs/add-a-twin.md": World(drafts, TWIN),
    "docs/batches.md": World(logs, JUDGE),
    "docs/benchmark-your-model.md": World(logs),
    "docs/exports.md": World(release),
    "docs/import.md": World(exports, JUDGE),
    "docs/in-your-ci.md": World(exports),
    "docs/pilot-a-prompt.md": World(nothing, less=ONE),
    "docs/rehearse.md": World(nothing, less=ONE),
    "docs/report.md": World(logs),
    "docs/sample.md": World(logs, {**JUDGE, "2000": "4"}),
    "docs/scenarios.md": World(old),
}
"""Pages whose commands are run here, one after the other."""
ALONE = ("CONTRIBUTING.md", "docs/add-a-column.md")
"""Pages of which every command has a reason."""


def reason(words: list[str]) -> str | None:
    """Why a command is not run as it stands; None if it is run."""
    return next((why for begins, why in REASONS.items() if re.match(begins, " ".join(words))), None)


def test_every_page_is_in_one_table() -> None:
    """A new page with a shell example is tested from then on."""
    tables = [*BY_PAGE, *WORLDS, *ALONE]
    assert sorted(tables) == sorted(PAGES)


def test_every_reason_is_needed_and_names_what_is_there() -> None:
    """It stands for a command of a page; the targets of make exist, and so do the tests that it names."""
    every = [" ".join(words) for page in PAGES.values() for block in blocks(page) for words in lines(block)]
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for begins, why in REASONS.items():
        found = [line for line in every if re.match(begins, line)]
        assert found, begins
        for line in found:
            assert not line.startswith("make ") or f"\n{line.split()[1]}:" in makefile
        assert all((ROOT / name).exists() for name in re.findall(r"tests/[\w/.]*\w", why)), why


def parsed(words: list[str]) -> Iterator[click.Context]:
    """The contexts of a command line, from `ib` to the last subcommand. Raises UsageError if it is wrong."""
    command: click.Command = root_command
    context = command.make_context("ib", list(words))
    yield context
    while isinstance(command, click.Group) and (left := [*context._protected_args, *context.args]):
        name, found, rest = command.resolve_command(context, left)
        assert found is not None
        command, context = found, found.make_context(name, rest, parent=context)
        yield context


@contextlib.contextmanager
def suppressed_if_missing() -> Iterator[None]:
    """Files of the example need not be there."""
    try:
        yield
    except click.BadParameter as error:
        if "does not exist" not in error.message:
            raise


@pytest.mark.parametrize("page", PAGES)
def test_the_command_line_knows_every_command(page: str) -> None:
    """Each subcommand, option and choice of a page."""
    for words in commands(PAGES[page]):
        with suppressed_if_missing():
            list(parsed(words))


@pytest.mark.parametrize("page", BY_PAGE)
def test_the_test_of_a_page_reads_it(page: str) -> None:
    """It names the page, and takes the commands from it."""
    said = (ROOT / BY_PAGE[page]).read_text(encoding="utf-8")
    assert f'"{Path(page).name}"' in said
    assert "from tests.docs.steps import" in said


@pytest.mark.gate
@pytest.mark.parametrize("page", WORLDS)
def test_the_commands_of_a_page_work(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """In their order, with what the page presupposes, and with a server in place of a provider."""
    world = WORLDS[page]
    world.files(tmp_path, tmp_path_factory)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-" + "pages")
    with LoopbackServer(answer) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        for block in blocks(PAGES[page]):
            if world.tested is not None and block.startswith(world.tested):
                continue
            for words in lines(block):
                if reason(words) is None:
                    done(world, words)


def answer(model: str, messages: list[dict[str, str]]) -> str:
    """The judge of the pages is gpt-4o; any other name is a model under test."""
    return (judges if model == "gpt-4o" else says)(model, messages)


def done(world: World, words: list[str]) -> None:
    """Run one command, and compare its exit code."""
    line = " ".join(words)
    code = next((code for begins, code in world.codes.items() if line.startswith(begins)), 0)
    named = [world.names.get(word, word) for word in words]
    program, *given = spread(named)
    assert program == "ib", f"{line}: no program of this project, and no reason why it is not run"
    if given[0] == "import":
        Path(given[given.index("--out") + 1]).unlink(missing_ok=True)  # another example begins with this file
    assert run([*given, *world.less.get(given[0], ())]) == code, line
