"""The page of two models: their comparison, and what both said where they differ."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from tests.delivery.reading import Element
from tests.delivery.recomputed import recount, say
from tests.delivery.recomputed.claims import Data, Here, claim, fixed
from tests.delivery.recomputed.data import shown
from tests.delivery.recomputed.on_figures import AXIS, BUCKETS
from tests.delivery.recomputed.on_models import entries
from tests.delivery.recomputed.on_pairs import LIMIT, agrees, cases, counts_of, difference
from tests.delivery.recomputed.on_words import votes
from tests.delivery.recomputed.recount import detectable

MANY = 6
"""More links than these are folded."""
ARTICLES, CHECKS_SHOWN, OTHERS_SHOWN = 8, 12, 6
"""How many checks stand on the page by themselves, and in the picture: all, and those that do not differ."""


def pair(here: Here) -> tuple[Data, Data, Data]:
    """The two models of a page, and their comparison."""
    first, second = (here.by_slug[slug] for slug in here.names[1].split("--"))
    ids = (first["model_id"], second["model_id"])
    (found,) = [one for one in here.board["comparisons"] if (one["first"], one["second"]) == ids]
    return first, second, found


@claim("pair", "", "p")
def shared(here: Here) -> Iterator[str]:
    """The verdict, the shared conversations, and what a difference is."""
    yield verdict(here)
    yield str(len(list(both(here))))
    yield f"p < {LIMIT} {len(here.board['comparisons'])} q < {LIMIT} 1 in 20"
    found = pair(here)[2]["gates"]["A"]["n_families"]
    least = detectable(found)
    yield f"{found}" + ("" if least is None else f" {round(100 * least)}")


@dataclass(frozen=True)
class Bell:
    """A gate or a check of the picture."""

    name: str
    table: Data
    gate: bool
    older: bool
    differs: bool


def bells(here: Here) -> tuple[list[Bell], list[Bell]]:
    """The gates and the checks with enough cases, the smallest p value first."""
    *models, found = pair(here)
    gates = []
    for bucket in "AB":
        table, older = found["gates"][bucket], any(one["gates"][bucket]["older_questions"] for one in models)
        apart = table["adjusted"] < LIMIT and agrees(table) and not older
        gates.append(Bell(f"{BUCKETS[bucket]} gate", table, True, older, apart))
    checks = []
    for one in by_kind(here)[0]:
        told = [entries(model).get(one["check_id"]) for model in models]
        older = any(entry and entry["older_questions"] for entry in told)
        name = here.check_name(one["check_id"])
        checks.append(Bell(name, one, False, older, one["q"] < LIMIT and not older))
    enough = [[bell for bell in side if cases(bell.table) >= say.FEW] for side in (gates, checks)]
    return enough[0], enough[1]


def verdict(here: Here) -> str:
    """What is established: the number of checks that differ, if any does."""
    return str(sum(bell.differs for bell in bells(here)[1]) or "")


@claim("compare", "", "row")
def every_pair(here: Here) -> Iterator[str]:
    """Each pair with what is established of it, and the conversations that both have."""
    by_id = {one["model_id"]: one for one in here.models}
    for found in here.board["comparisons"]:
        first, second = (by_id[found[side]] for side in ("first", "second"))
        there = replace(here, address=f"compare/{'--'.join(sorted((first['slug'], second['slug'])))}/")
        apart = any(bell.differs for side in bells(there) for bell in side)
        older = here.board["older_questions"] == here.board["voted_rows"] > 0 and not apart
        said = "" if any(bells(there)) else "too few"
        said = said or (f"{verdict(there)} {'older wording' if older else ''}")
        told = f"{said} {len(list(both(there)))}"
        yield f"{first['model']} and {second['model']} {told}"


def drawn(here: Here) -> list[Bell]:
    """The rows of the picture: the gates, at most twelve checks that differ, and at most six others."""
    gates, checks = bells(here)
    apart = [bell for bell in checks if bell.differs]
    others = [
        bell for bell in checks if not bell.differs and bell.table["only_first"] + bell.table["only_second"]
    ]
    return [*gates, *(apart + others[:OTHERS_SHOWN])[:CHECKS_SHOWN]]


@claim("pair", "both", "row")
def picture(here: Here) -> Iterator[str]:
    """Each row: the line between the marks, both intervals, both marks, and the counts."""
    for bell in drawn(here):
        n = cases(bell.table)
        first, second = (bell.table["both"] + bell.table[key] for key in ("only_first", "only_second"))
        at = [say.place(count / n) for count in (first, second)]
        line = "ib-whisker" if bell.differs else "ib-open"
        ranges = (recount.rate_interval(count, n) for count in (first, second))
        around = " ".join(f"ib-range {say.place(low)} {say.place(high)}" for low, high in ranges)
        marks = f"{line} {at[0]} {at[1]} {around} ib-dot {at[0]} ib-square {at[1]}"
        test = say.p_value(bell.table["q"]).replace("p", "q") if not bell.gate else ""
        if bell.gate:
            test = f"{difference(bell.table)} {say.p_value(bell.table['adjusted'])}"
        older = "older wording" if bell.older else ""
        yield f"{bell.name} {say.EMPTY} {marks} {first} {second} of {n} {test} {older}"


@claim("pair", "both", "p")
def below_picture(here: Here) -> Iterator[str]:
    yield here.cited


fixed("pair", "both", "figcaption", ["0% 100%"])


@claim("pair", "both", "title")
def about_picture(here: Here) -> Iterator[str]:
    if drawn(here):
        yield "0% 100%"


@claim("pair", "both", "head")
def heads_of_picture(here: Here) -> Iterator[str]:
    first, second, _ = pair(here)
    if drawn(here):
        yield f"{AXIS} {first['model']} {second['model']}"


def both(here: Here) -> Iterator[tuple[Data, Data]]:
    """The transcripts that both have, by the id of the scenario."""
    first, second, _ = pair(here)
    others = {(met["scenario_id"], met["epoch"]): met for met in second["scenarios"]}
    for met in sorted(first["scenarios"], key=lambda met: (met["scenario_id"], met["epoch"] or 0)):
        if (met["scenario_id"], met["epoch"]) in others:
            yield met, others[met["scenario_id"], met["epoch"]]


@claim("pair", "", "caption")
def below_both(here: Here) -> Iterator[str]:
    yield f"{len(here.board['comparisons'])} {here.cited}"


@claim("pair", "|checks", "head")
def heads(here: Here) -> Iterator[str]:
    first, second, _ = pair(here)
    yield from [f"{first['model']} {second['model']}"] * (1 + sum(bool(rows) for rows in by_kind(here)))


@claim("pair", "", "row")
def measures(here: Here) -> Iterator[str]:
    *both, found = pair(here)
    yield f"{say.by(here)} {_measure(both, found['gates']['A'])}"
    yield f"{say.by(here)} {_measure(both, found['gates']['B'])}"
    yield _measure(both, found["all_checks"])


def _measure(both: list[Data], table: Data) -> str:
    first, second = (model["model"] for model in both)
    n = cases(table)
    more = f"{first} failed more in {table['families_first']}, {second} in {table['families_second']}"
    families = f"{table['n_families']} {more}"
    told = f"{difference(table)} {say.p_value(table['adjusted'])}" if n >= say.FEW else "too few" if n else ""
    return f"{counts_of(table)} {told} {families}; {table['undecided']} undecided"


def phrases(here: Here) -> set[str]:
    """The checks for which only listed phrases were looked for."""
    return {one["check_id"] for one in here.board["checks"] if one["no_phrase_found"]}


def by_kind(here: Here) -> tuple[list[Data], list[Data]]:
    """The compared checks, the smallest p value first; those of phrases apart."""
    found = pair(here)[2]["checks"]
    rows = sorted(found, key=lambda one: (one["p"], -one["only_first"] - one["only_second"]))
    apart = phrases(here)
    return (
        [one for one in rows if one["check_id"] not in apart],
        [one for one in rows if one["check_id"] in apart],
    )


@claim("pair", "checks", "caption")
def below_checks(here: Here) -> Iterator[str]:
    yield from [here.cited] * sum(bool(rows) for rows in by_kind(here))


@claim("pair", "checks", "summary")
def number_of_checks(here: Here) -> Iterator[str]:
    yield from (str(len(rows)) for rows in by_kind(here) if rows)


@claim("pair", "differ", "summary")
def more_checks(here: Here) -> Iterator[str]:
    more = len(list(on_checks(here))) - ARTICLES
    if more > 0:
        yield str(more)


@claim("pair", "checks", "row")
def by_check(here: Here) -> Iterator[str]:
    for one in (one for rows in by_kind(here) for one in rows):
        test = f"{say.p_value(one['p'])} {say.p_value(one['q']).replace('p', 'q')}"
        few = cases(one) < say.FEW
        yield f"{here.check_name(one['check_id'])} {counts_of(one)} {'too few' if few else test}"


@dataclass(frozen=True, eq=False)
class Difference:
    """A transcript on which only one of two models failed."""

    met: Data
    failed: Data
    passed: Data
    contested: bool = False
    item: Data | None = None

    @property
    def turn(self) -> int | None:
        """The first turn that the evidence quotes."""
        quotes = self.item["quotes"] if self.item else ()
        return min((quote["turn"] for quote in quotes if quote["role"] == "assistant"), default=None)


def at_gate(here: Here, bucket: str) -> list[Difference]:
    """The transcripts in which one has a hard fail by the judge and the other is clear."""
    first, second, _ = pair(here)
    found = []
    for met, other in both(here):
        states = [one["gates"][bucket]["state"] for one in (met, other)]
        if set(states) == {"failed_by_judge", "clear"}:
            found.append(
                Difference(met, *((first, second) if states[0] == "failed_by_judge" else (second, first)))
            )
    return found


def on_checks(here: Here) -> Iterator[tuple[str, list[Difference], Difference]]:
    """The checks on which they differ, each with its differences and the one that is shown in words."""
    first, second, _ = pair(here)
    items = {
        (model["slug"], one["check_id"], one["scenario_id"], one["epoch"]): one
        for model in (first, second)
        for one in here.source.items(model)
    }
    places = {one["check_id"]: at for at, one in enumerate(here.board["checks"])}
    for row in by_kind(here)[0]:
        check, found = row["check_id"], []
        for met, other in both(here):
            letters = [one["verdicts"][places[check]] for one in (met, other)]
            if set(letters) <= set("FCPp") and sum(letter in "FC" for letter in letters) == 1:
                failed, passed = (first, second) if letters[0] in "FC" else (second, first)
                item = items.get((failed["slug"], check, met["scenario_id"], met["epoch"]))
                found.append(Difference(met, failed, passed, "C" in letters, item))
        if found:
            yield check, found, min(found, key=lambda one: (one.turn is None, one.contested))


def ways(
    here: Here, found: list[Difference], told: Difference | None = None
) -> Iterator[tuple[str, str, list[str]]]:
    """By the model that failed: the tag of the head, the head, and the links."""
    for model in pair(here)[:2]:
        side = [one for one in found if one.failed is model]
        rest = [one for one in side if one is not told]
        if rest:
            head = f"{len(rest)} of {len(side)}" if len(rest) < len(side) else str(len(rest))
            tag = "summary" if len(rest) > MANY else "p"
            yield tag, head, [here.play(one.met) for one in rest]


def _heads(here: Here, tag: str, found: list[Difference], told: Difference | None = None) -> list[str]:
    return [head for kind, head, _ in ways(here, found, told) if kind == tag]


def _of_gates(here: Here, tag: str) -> Iterator[str]:
    for bucket in "AB":
        yield from _heads(here, tag, at_gate(here, bucket))


@claim("pair", "gate-.+", "p")
def heads_at_gates(here: Here) -> Iterator[str]:
    yield from _of_gates(here, "p")


@claim("pair", "gate-.+", "summary")
def folded_at_gates(here: Here) -> Iterator[str]:
    yield from _of_gates(here, "summary")


@claim("pair", "gate-.+", "li")
def links_at_gates(here: Here) -> Iterator[str]:
    for bucket in "AB":
        yield from (link for *_, links in ways(here, at_gate(here, bucket)) for link in links)


@claim("pair", "IB-.+", "summary")
def folded_on_checks(here: Here) -> Iterator[str]:
    for _, found, told in on_checks(here):
        yield from _heads(here, "summary", found, told)


@claim("pair", "IB-.+", "li")
def links_on_checks(here: Here) -> Iterator[str]:
    for _, found, told in on_checks(here):
        yield from (link for *_, links in ways(here, found, told) for link in links)


@claim("pair", "IB-.+", "p")
def words(here: Here) -> Iterator[str]:
    """How many failed alone, the votes, the turns, and the words before what is shown."""
    for check, found, told in on_checks(here):
        counts = [sum(one.failed is model for one in found) for model in pair(here)[:2]]
        yield f"{' '.join(str(count or '') for count in counts)} {here.play(told.met)}"
        if told.turn is not None:
            cuts = iter(_cuts(here, check, told))
            yield from (line for line, _ in cuts)
        yield from _heads(here, "p", found, told)


@claim("pair", "IB-.+", "more")
def left_out(here: Here) -> Iterator[str]:
    """How many words follow what is shown."""
    for check, _, told in on_checks(here):
        if told.turn is not None:
            yield from (str(after or "") for _, after in _cuts(here, check, told))


def _cuts(here: Here, check: str, told: Difference) -> list[tuple[str, int]]:
    """Each message that is shown: its line, and the number of words after what is shown of it."""
    (article,) = [one for one in here.root.all("article") if one.attrs.get("id") == check]
    place = (told.met["scenario_id"], told.met["epoch"])
    here_, there = (_said(here, model, place) for model in (told.failed, told.passed))
    turn, item = told.turn, told.item
    assert item is not None
    if not here_:
        quote = next(
            one["quote"] for one in item["quotes"] if (one["turn"], one["role"]) == (turn, "assistant")
        )
        return [_cut(article, "ib-reply", quote, f"{turn} {votes(item)}")]
    reply, other = here_[turn, "assistant"], there.get((turn, "assistant"))
    asked = [said.get((turn, "user")) for said in (here_, there)]
    apart = other is not None and asked[0] != asked[1]
    cuts = [_cut(article, "ib-asked", asked[0], str(turn))] if asked[0] is not None else []
    cuts += [_cut(article, "ib-reply", reply, f"{turn} {votes(item)}")]
    if other is None:
        return [*cuts, (str(turn) if there else "", 0)]
    cuts += (
        [_cut(article, "ib-asked", asked[1], str(turn), last=True)] if apart and asked[1] is not None else []
    )
    return [*cuts, _cut(article, "ib-other", other, str(turn))]


def _said(here: Here, model: Data, place: tuple[str, int | None]) -> dict[tuple[int | None, str], str]:
    carried = here.carried(model, *place)
    return {(one["turn"], one["role"]): one["content"] for one in carried["messages"]} if carried else {}


def _cut(article: Element, css: str, message: str, line: str, *, last: bool = False) -> tuple[str, int]:
    """The line above a message with the words before what is shown, and the words after it."""
    text = " ".join(article.all("blockquote", css)[-1 if last else 0].text.split())
    whole = shown(message)
    start = whole.index(text)
    before, after = len(whole[:start].split()), len(whole[start + len(text) :].split())
    return f"{line} {before or ''}", after
