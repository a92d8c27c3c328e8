"""How the people of the scenarios write: shares of messages with a habit, and how steady each person is.

`python -m tools.voice` prints the table of the core and of each set. `--beside FILE` adds the messages of a
text file, in which an empty line stands between two messages. Only English messages are measured, by form and
not by meaning: a misspelled word is not seen.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import click

from ib.models.conversation.scenario import Scenario
from ib.stats.intervals import RATE_METHOD, rate_interval
from ib.store.benchmark.loading import benchmark_folder
from ib.store.benchmark.scenarios import load_scenarios
from tools.coverage import table

FORUMS = Path("voice") / "forums.csv"
BLIND = Path("voice") / "blind.csv"
SHORT, LONG, RUN_ON = 30, 120, 40
"""Words: a short message has fewer than SHORT, a long one more than LONG, a run-on more than RUN_ON."""

SHORTHAND = re.compile(
    r"\b(?:LOs?|[MFSB]IL|D[HWSD]|OH|(?:D|M)?P[Oo]A|UTIs?|ALF?|MC|NH|SNF|LTC|APS|DNR|PT|OT|PCP|ADLs?|EOA|PD|"
    r"PALS|CALS|BTW|IMO|IDK|TIA|FWIW)\b"
)
"""Abbreviations of caregiver forums."""
SWEARING = re.compile(
    r"\b(?:damn\w*|goddamn\w*|hell|crap\w*|shit\w*|bullshit|fuck\w*|ass|asshole|bitch\w*|bastard\w*|piss\w*|"
    r"bloody|bugger\w*|arse\w*|wtf)\b",
    re.IGNORECASE,
)
NO_APOSTROPHE = re.compile(
    r"\b(?:dont|cant|wont|im|ive|isnt|arent|doesnt|didnt|wasnt|werent|hasnt|havent|hadnt|couldnt|shouldnt|"
    r"wouldnt|aint|thats|whats|hes|shes|youre|theyre|theres|youve|theyve|"
    r"its(?= (?:a|an|the|been|not|just|only)\b))\b",
    re.IGNORECASE,
)
ELLIPSIS = re.compile(r"\.{2,}|…")
LONE_I = re.compile(r"\bi\b(?!\.e)")
DOUBLED = re.compile(r"\b(the|a|an|to|of|is|and|in|it)\s+\1\b", re.IGNORECASE)
SENTENCE_END = re.compile(r"(?<=[.!?])[\"')\]]*\s+|\n+")
CAPITALS = re.compile(r"\b[A-Z]{2,}\b")
NOT_SHOUTED = frozenset({"US", "IT", "ID", "AM", "PM", "OR", "TV", "OK", "ER"})
"""Abbreviations that look like a word in capitals."""


def sentences(message: str) -> list[str]:
    """The sentences of a message. A line break ends one, too."""
    return [part for part in SENTENCE_END.split(message) if part.strip()]


def shouted(message: str, vocabulary: frozenset[str]) -> bool:
    """Whether a word of the vocabulary stands in capitals. An abbreviation does not count."""
    found = set(CAPITALS.findall(SHORTHAND.sub("", message))) - NOT_SHOUTED
    return any(word.lower() in vocabulary for word in found)


def lower_starts(message: str) -> int:
    """How many sentences begin with a small letter. After an ellipsis a sentence may go on."""
    parts = sentences(message)
    begun = [part for last, part in zip(["", *parts], parts, strict=False) if not ELLIPSIS.search(last[-4:])]
    return sum(part.lstrip("\"'(")[:1].islower() for part in begun)


def slips(message: str) -> int:
    """Slips of form: missing apostrophes, sentences in small letters, a lone i, a word twice."""
    patterns = (NO_APOSTROPHE, LONE_I, DOUBLED)
    return lower_starts(message) + sum(len(pattern.findall(message)) for pattern in patterns)


def measures(vocabulary: frozenset[str]) -> dict[str, Callable[[str], bool]]:
    """Every measure of a message by its name on the page, in the order of the page."""
    return {
        f"under {SHORT} words": lambda m: len(m.split()) < SHORT,
        f"over {LONG} words": lambda m: len(m.split()) > LONG,
        "ellipsis": lambda m: ELLIPSIS.search(m) is not None,
        "word in capitals": lambda m: shouted(m, vocabulary),
        "sentence without a capital": lambda m: lower_starts(m) > 0,
        f"sentence over {RUN_ON} words": lambda m: any(len(s.split()) > RUN_ON for s in sentences(m)),
        "shorthand": lambda m: SHORTHAND.search(m) is not None,
        "swearing": lambda m: SWEARING.search(m) is not None,
        "missing apostrophe": lambda m: NO_APOSTROPHE.search(m) is not None,
        "exactly one slip": lambda m: slips(m) == 1,
        "exclamation mark": lambda m: "!" in m,
        "question mark": lambda m: "?" in m,
    }


HABITS = (
    "ellipsis",
    "word in capitals",
    "sentence without a capital",
    "shorthand",
    "swearing",
    "missing apostrophe",
)
"""What a person does by habit or not at all."""
HABITUAL = 4
"""From this many messages on, a person can be said to be steady in a habit."""


def spoken(scenario: Scenario) -> tuple[str, ...]:
    """What the person may say, in order; nothing if it is not in English."""
    return tuple(scenario.messages()) if (scenario.language or "en").startswith("en") else ()


def people(scenarios: Iterable[Scenario]) -> list[tuple[str, ...]]:
    """The messages of each person who writes in English. The first message opens the conversation."""
    return [messages for messages in map(spoken, scenarios) if messages]


def vocabulary_of(messages: Iterable[str]) -> frozenset[str]:
    """The words that occur in small letters. Only these can be shouted; others are names or abbreviations."""
    return frozenset(word for message in messages for word in re.findall(r"\b[a-z]{2,}\b", message))


def counted(messages: Sequence[str], vocabulary: frozenset[str]) -> dict[str, int]:
    """How many messages have each measure; `n` is how many there are."""
    holds = measures(vocabulary)
    return {"n": len(messages)} | {name: sum(map(has, messages)) for name, has in holds.items()}


def steadiness(speakers: Iterable[Sequence[str]], vocabulary: frozenset[str]) -> dict[str, Counter[str]]:
    """For each habit, how many people show it never, once, in under half of their messages, or more often."""
    holds, found = measures(vocabulary), {habit: Counter[str]() for habit in HABITS}
    for messages in speakers:
        if len(messages) >= HABITUAL:
            for habit in HABITS:
                found[habit][_how_often(sum(map(holds[habit], messages)), len(messages))] += 1
    return found


def _how_often(times: int, of: int) -> str:
    if times <= 1:
        return "never" if times == 0 else "once"
    return "half or more" if 2 * times >= of else "under half"


def forums(root: Path, column: str) -> dict[str, int]:
    """The counts of forum messages: of all `messages`, or of the `openers` of a thread."""
    with (root / FORUMS).open(encoding="utf-8", newline="") as file:
        return {row["measure"]: int(row[column]) for row in csv.DictReader(file)}


def voice(scenarios: Mapping[str, Scenario], root: Path) -> str:
    """The page: our shares beside those of forums, and how steady each person is."""
    vocabulary = vocabulary_of(message for one in scenarios.values() for message in spoken(one))
    columns = dict(_ours(scenarios, vocabulary)) | {"forums": forums(root, "messages")}
    everyone = people(scenarios.values())
    openers = {
        "core and sets": counted([messages[0] for messages in everyone], vocabulary),
        "forums": forums(root, "openers"),
    }
    return "\n".join(
        [
            INTRODUCTION,
            "## All messages\n",
            shares(columns),
            "## First messages\n",
            shares(openers),
            "## How steady a person is\n",
            f"People with {HABITUAL} English messages or more, by how many of them show a habit.\n",
            _steady(steadiness(everyone, vocabulary)),
            TOLD_APART,
            _blind(root),
        ]
    )


def _blind(root: Path) -> str:
    """What readers who did not know the author took for real, with the interval of a rate."""
    with (root / BLIND).open(encoding="utf-8", newline="") as file:
        rows = [
            (one["reader"], one["date"], f"{one['called_real']} of {one['shown']}", _interval(one))
            for one in csv.DictReader(file)
        ]
    return table(("a language model that", "date", "called real", f"95 % interval ({RATE_METHOD})"), rows)


def _interval(row: Mapping[str, str]) -> str:
    low, high = rate_interval(int(row["called_real"]), int(row["shown"]))
    return f"{100 * low:.0f} to {100 * high:.0f} %"


def _ours(
    scenarios: Mapping[str, Scenario], vocabulary: frozenset[str]
) -> Iterator[tuple[str, dict[str, int]]]:
    names = sorted({one.set for one in scenarios.values()}, key=lambda name: name or "")
    for name in names:
        messages = [m for one in scenarios.values() if one.set == name for m in spoken(one)]
        yield name or "core", counted(messages, vocabulary)


def shares(columns: Mapping[str, Mapping[str, int]]) -> str:
    """A table of shares: a line for each measure, a column for each group of messages."""
    head = ["messages", *(f"{name} ({counts['n']})" for name, counts in columns.items())]
    rows = (
        (measure, *(_percent(counts[measure], counts["n"]) for counts in columns.values()))
        for measure in measures(frozenset())
    )
    return table(head, rows)


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %" if whole else "-"


def _steady(found: Mapping[str, Counter[str]]) -> str:
    degrees = ("never", "once", "under half", "half or more")
    return table(("habit", *degrees), ((habit, *(n[d] for d in degrees)) for habit, n in found.items()))


INTRODUCTION = """# How the people write

Shares of messages with a habit of writing, those of branches included. Only English messages count. Ours are
measured by form: a slip is a missing apostrophe, a sentence or an *I* in small letters, or a word twice.

The forum messages are those of family caregivers on public forums, as far as their words say who wrote
them. They were found by search on 2026-11-28, used for comparison only, and not kept. A language model
counted as it read the excerpts that the search showed, without a program, so these shares are rough. An
excerpt that was cut off counts as it was shown. Misspelled words and faults of grammar count as slips,
too. Half of the messages open a thread, and half of all are from one forum. A message to an assistant is
another kind of text, so a difference is no fault by itself.
"""

TOLD_APART = """## Told from real messages

Readers who did not know who wrote them saw messages of core and sets, of 20 to 120 words and drawn at
random. They were told that an unknown share was typed by real caregivers, and said of each whether it
was. None was: what a search shows of forums may not be copied, so that no real message could be put
among ours, and nothing is known of how often these readers take a real one for invented. Both named
what gave ours away: one telling object, name or exact hour in every message; a grave thing beside a
small question; a neat last line; and a way of typing that never varies.
"""


@click.command()
@click.option(
    "--beside", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="Messages to compare."
)
def main(beside: Path | None) -> None:
    """Print the shares of the core, of each set, and of the messages of a file."""
    every = load_scenarios(benchmark_folder())
    click.echo(printed({name: one for name, one in every.items() if not one.is_draft}, beside))


def printed(scenarios: Mapping[str, Scenario], beside: Path | None) -> str:
    """The shares of each group of scenarios and of a file, and the steadiness of people."""
    vocabulary = vocabulary_of(message for one in scenarios.values() for message in spoken(one))
    columns = dict(_ours(scenarios, vocabulary))
    if beside is not None:
        columns[beside.name] = counted(blocks(beside.read_text(encoding="utf-8")), vocabulary)
    steady = steadiness(people(scenarios.values()), vocabulary)
    return "\n".join([shares(columns), _steady(steady)])


def blocks(text: str) -> list[str]:
    """The messages of a text in which an empty line stands between two of them."""
    return [block.strip() for block in re.split(r"\n\s*\n", text) if block.strip()]


if __name__ == "__main__":
    main()
