"""A release and its benchmark as plain data: JSON and YAML, read without any code of `ib` or `delivery`."""

from __future__ import annotations

import gzip
import hashlib
import hmac
import json
import re
import unicodedata
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml

Data = dict[str, Any]
MEASURES = ("Recall", "Abstention", "Time", "Handoff", "Resources", "Scope")
"""The names of what other measures ask, as their page shows them."""
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def load(path: Path) -> Any:
    """The content of a JSON or YAML file."""
    text = path.read_text("utf-8")
    return json.loads(text) if path.suffix == ".json" else yaml.load(text, _LOADER)  # noqa: S506 - a safe loader


def folder(path: Path, key: str = "") -> dict[str, Data]:
    """The files of a folder by a key of each, or by the names of the files."""
    found = [(one, load(one)) for one in sorted(path.rglob("*")) if one.suffix in {".json", ".yaml"}]
    return {data[key] if key else file.stem: data for file, data in found}


def lines_of(path: Path) -> list[Data]:
    """The lines of a file of lines, after its header."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()[1:]]


def board_of(release: Path) -> Data:
    """leaderboard.json with what the files of lines have, joined by code that the site does not use."""
    board: Data = load(release / "leaderboard.json")
    board["scenarios"] = lines_of(release / "scenarios.jsonl")
    listed: Data = {"open_gates": [], "record_contradictions": [], "voided_votes": []}
    for model in board["models"]:
        model["scenarios"] = lines_of(release / "rows" / f"{model['slug']}.jsonl")
        for entry in model["blindspots"]:
            failed = {r["scenario_id"] for r in model["scenarios"] if entry["check_id"] in r["failed_checks"]}
            entry["scenarios_failed"] = sorted(failed)
    for model in sorted(board["models"], key=lambda one: str(one["model_id"])):
        for row in model["scenarios"]:
            row.pop("left_out", None)
            for name, every in listed.items():
                every.extend(row.pop(name, []))
    return board | listed


def _slots(raw: dict[str, Data], name: str) -> tuple[Data, str]:
    """The slots of a scenario with those of its origin, and the name of the first origin."""
    one = raw[name]
    origin = one["twin"]["of"] if "twin" in one else one.get("variant_of")
    if origin not in raw:
        return one.get("slots", {}), name
    slots, family = _slots(raw, origin)
    return {**slots, **one.get("slots", {})}, family


def _fill(one: Any, slots: Data, family: str, key: bytes) -> Any:
    """A scenario in which each `{slot}` or `{slot.form}` has the word that the key chooses."""

    def word(match: re.Match[str]) -> str:
        name, _, form = match[1].partition(".")
        if name not in slots:
            return match[0]
        values = slots[name]["values"]
        made = hmac.new(key, f"{family}\0{name}".encode(), hashlib.sha256).digest()
        value = values[int.from_bytes(made, "big") % len(values)]
        return str(value[form] if form else value)

    return json.loads(re.sub(r"\{([a-z][a-z0-9_.]*)\}", word, json.dumps(one, ensure_ascii=False)))


def active(checks: dict[str, Data]) -> dict[str, Data]:
    """The checks without drafts, which are on no page."""
    return {name: one for name, one in checks.items() if one.get("status") != "draft"}


@dataclass(frozen=True)
class Source:
    """What the pages are made from."""

    release: Path
    benchmark: Path
    """The benchmark with the checks."""
    background: Path
    """The benchmark with the scenarios and the reference assistants."""

    @cached_property
    def board(self) -> Data:
        return board_of(self.release)

    def rows(self, slug: str) -> list[Data]:
        """The rows of a model, as its file has them."""
        return lines_of(self.release / "rows" / f"{slug}.jsonl")

    @cached_property
    def site(self) -> Data:
        found: Data = load(self.background / "configs" / "site.yaml")
        return found

    @cached_property
    def evidence(self) -> dict[str, Data]:
        return folder(self.release / "evidence")

    @cached_property
    def transcripts(self) -> dict[str, Data]:
        return folder(self.release / "transcripts")

    @cached_property
    def plays(self) -> dict[tuple[str, str, int | None], Data]:
        """Every transcript that the release carries, by model, scenario and run."""
        return {
            (slug, one["scenario_id"], one["epoch"]): one
            for slug, said in self.transcripts.items()
            for one in said["transcripts"]
        }

    @cached_property
    def exams(self) -> list[Data]:
        """The sittings of the exam for judges that the release carries."""
        path = self.release / "source" / "exams.json.gz"
        found: list[Data] = (
            json.loads(gzip.decompress(path.read_bytes()))["sittings"] if path.exists() else []
        )
        return found

    @cached_property
    def checks(self) -> dict[str, Data]:
        return active(folder(self.benchmark / "checks", "id"))

    @cached_property
    def lexicons(self) -> dict[str, Data]:
        return folder(self.benchmark / "lexicons", "name")

    @cached_property
    def listening(self) -> dict[str, Data]:
        """What the branches of scenarios listen for."""
        return folder(self.benchmark / "listening", "name")

    @cached_property
    def rules(self) -> dict[str, Data]:
        return folder(self.benchmark / "configs" / "rules", "id")

    def laws(self, rules: str | None) -> list[Data]:
        """The laws of a rule set, with those of the sets that it extends."""
        if rules not in self.rules:
            return []
        own, below = self.rules[rules].get("laws", []), self.laws(self.rules[rules].get("extends"))
        named = {law["id"] for law in own}
        return [*own, *(law for law in below if law["id"] not in named)]

    def items(self, model: Data) -> list[Data]:
        """The evidence of a model."""
        found: list[Data] = self.evidence[model["slug"]]["items"]
        return found

    def summary(self, what: str) -> Data | None:
        """What was measured of the benchmark itself: `precision`, `recall` or `pilot`."""
        return self._summaries.get(what)

    @cached_property
    def _summaries(self) -> dict[str, Data]:
        return {path.parent.name: load(path) for path in self.benchmark.glob("*/summary.yaml")}

    @cached_property
    def frame(self) -> Data:
        found: Data = load(self.benchmark / "configs" / "frame.yaml")
        return found

    @cached_property
    def scoring(self) -> Data:
        found: Data = load(self.benchmark / "configs" / "scoring.yaml")
        return found

    @cached_property
    def scenarios(self) -> dict[str, Data]:
        return {name: one for name, one in self._drawn.items() if "twin" not in one}

    @cached_property
    def twins(self) -> dict[str, Data]:
        return {name: one for name, one in self._drawn.items() if "twin" in one}

    @cached_property
    def _drawn(self) -> dict[str, Data]:
        """Scenarios and twins with the words of the public draw."""
        raw = {name: one for kind in ("scenarios", "twins")
               for name, one in folder(self.background / kind, "scenario_id").items()}  # fmt: skip
        path = self.background / "configs" / "draw.yaml"
        key = bytes.fromhex(load(path)["public"]) if path.is_file() else b""
        return {name: _fill(one, *_slots(raw, name), key) for name, one in raw.items()}

    @cached_property
    def characters(self) -> dict[str, Data]:
        return folder(self.background / "reference", "id")

    @cached_property
    def models(self) -> list[Data]:
        """The models as the pages list them."""
        return sorted(self.board["models"], key=lambda one: (one["model"].casefold(), one["model_id"]))

    def checks_of(self, bucket: str) -> list[Data]:
        """The checks of a dimension, in the order of the pages."""
        return [
            one for one in sorted(self.checks.values(), key=lambda one: one["id"]) if one["bucket"] == bucket
        ]

    @cached_property
    def titles(self) -> dict[str, str]:
        """What the pages call each scenario."""
        ids = {one["scenario_id"] for one in (*self.board["scenarios"], *self.board["twins"])}
        told = {name: name.replace("_", " ") for name in ids}
        return told | {name: one["title"] for name, one in (self.scenarios | self.twins).items()}

    @cached_property
    def told(self) -> frozenset[str]:
        """The names that tables say: of models, checks and scenarios."""
        names = [one["model"] for one in self.models]
        names += [one["name"] for one in self.checks.values()] + list(self.titles.values())
        return frozenset(shown(name) for name in (*names, *MEASURES))

    @cached_property
    def names(self) -> re.Pattern[str]:
        """Every name, the longest first, and the id and day of the release, which every caption has."""
        board = self.board
        ids = [*self.checks, *self.titles, *self.scenarios, *(one["model_id"] for one in self.models)]
        ids += [
            one[key] or "" for one in board["scenarios"] for key in ("category", "family", "jurisdiction")
        ]
        ids += [one["slug"] for one in (*self.models, *board["scenarios"])]
        ids += [board["judge"]["model"], board["judge"]["model"].removeprefix("recorded:")]
        ids += [one["group"] for one in board["contrasts"]] + [board["results_hash"][:12], board["released"]]
        spaced = [name.replace(sign, " ") for name in ids for sign in "_-"]
        every = {*self.told, *map(shown, (*ids, *spaced, *(one.capitalize() for one in spaced)))}
        long = sorted((name for name in every if len(name) > 2), key=len, reverse=True)
        return re.compile("|".join(rf"(?<![A-Za-z0-9]){re.escape(name)}(?![A-Za-z0-9])" if name.isalnum()
                                   else re.escape(name) for name in long))  # fmt: skip


SHAPELESS = "\u034f\u115f\u1160\u2800\u3164\uffa0\ufe0e\ufe0f"
"""Characters of the sample that show nothing, although they are letters, symbols or accents."""


def shown(text: str) -> str:
    """A text as a page shows it: characters that cannot be seen become marks, white space one space."""
    return " ".join("".join(_mark(text, at) for at in range(len(text))).split())


def _mark(text: str, at: int) -> str:
    char = text[at]
    hidden = unicodedata.category(char) in {"Cc", "Cf", "Cs", "Zl", "Zp"} or char in SHAPELESS
    symbols = [
        unicodedata.category(one) in {"So", "Sm", "Sk"} and one not in "\u2800^`"
        for one in text[max(0, at - 1) : at] + text[at + 1 : at + 2]
    ]
    joined = (char == "\u200d" and all(symbols)) or (char == "\ufe0f" and symbols[:1] == [True])
    return f"[U+{ord(char):04X}]" if hidden and not joined and char not in "\n\r\t" else char
