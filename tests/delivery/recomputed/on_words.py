"""The pages with words of conversations: evidence of a check, and transcripts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from tests.delivery.recomputed import say
from tests.delivery.recomputed.claims import Data, Here, claim
from tests.delivery.recomputed.data import shown
from tests.delivery.recomputed.on_models import check_support, entries, is_rated
from tests.delivery.recomputed.on_scenarios import run
from tests.delivery.recomputed.recount import rate_interval


def votes(item: Data) -> str:
    """What the votes said."""
    contested = "contested" if item["contested"] else ""
    asked = item["votes_asked"]
    if not asked:
        return "" if item["scorer"] in {"lexicon", "rule", "none"} else item["scorer"]
    if item["verdict"] == "FAIL" or not item["votes"]:
        return f"{item['votes_for']} of {asked} {item['verdict'].lower()} {contested}"
    counts = Counter(vote["verdict"] for vote in item["votes"] if vote["verdict"])
    told = [f"{count} {verdict.lower().replace('_', ' ')}" for verdict, count in counts.most_common()]
    lost = len(item["votes"]) - sum(counts.values())
    told += [str(lost)] if lost else []
    return f"{len(item['votes'])} {say.listed(told)} {item['verdict'].lower().replace('_', ' ')}"


def reasons(item: Data) -> str:
    """The reasons of the votes, each with its number of votes."""
    given = Counter((vote["verdict"], vote["rationale_code"]) for vote in item["votes"]
                    if vote["verdict"] and vote["rationale_code"])  # fmt: skip
    if not given:
        return (item["rationale_code"] or "").replace("_", " ")
    return say.listed(f"{count} {code.replace('_', ' ')}" for (_, code), count in given.most_common())


def _place(item: Data) -> tuple[str, str, int]:
    return item["check_id"], item["scenario_id"], -1 if item["epoch"] is None else item["epoch"]


def _cases(here: Here) -> tuple[list[Data], list[Data]]:
    """The verdicts of an evidence page: those with words, and those that are only listed."""
    items = [one for one in here.source.items(here.model) if one["check_id"] == here.names[2]]
    items.sort(key=_place)
    told = len(here.root.all("article"))
    return items[:told], items[told:]


def _turns(item: Data) -> list[int]:
    return sorted({quote["turn"] for quote in item["quotes"] if quote["role"] == "assistant"})


@claim("evidence", "", "p")
def lead(here: Here) -> Iterator[str]:
    """The check in a sentence, on this model."""
    check, one = here.source.checks[here.names[2]], entries(here.model)[here.names[2]]
    k, n = one["failures"]["k"], one["failures"]["n"]
    ends = f"({say.percent(k / n)}, {say.between(*rate_interval(k, n))})" if is_rated(one) else ""
    contested = one["contested"] if one["contested"] and not one["no_phrase_found"] else ""
    yield check["summary"]
    yield f"{k} of {n} {ends} {contested} {check_support(one)}"


@claim("evidence", "(?!more$).+", "heading")
def heads(here: Here) -> Iterator[str]:
    yield from (here.play(item) for item in _cases(here)[0])


@claim("evidence", "(?!more$).+", "p")
def cases(here: Here) -> Iterator[str]:
    """The votes, the reasons, and the turn of each moment, three times."""
    for item in _cases(here)[0]:
        yield f"{votes(item)} {reasons(item)} {(item['reason'] or '').replace('_', ' ')}"
        carried = here.carried(here.model, item["scenario_id"], item["epoch"])
        said = {(one["turn"], one["role"]) for one in carried["messages"]} if carried else set()
        for turn in _turns(item) if carried else ():
            yield from [str(turn)] * (3 if (turn, "user") in said else 2)


@claim("evidence", "(?!more$).+", "figcaption")
def bare_quotes(here: Here) -> Iterator[str]:
    """The turns of quotes without a transcript."""
    for item in _cases(here)[0]:
        if not here.carried(here.model, item["scenario_id"], item["epoch"]):
            yield from (str(quote["turn"]) for quote in item["quotes"] if quote["role"] == "assistant")


@claim("evidence", "(?!more$).+", "more")
def left_out(here: Here) -> Iterator[str]:
    """How many words of a reply are folded or left out: those that the shown parts do not have."""
    for article, item in zip(here.root.all("article"), _cases(here)[0], strict=True):
        carried = here.carried(here.model, item["scenario_id"], item["epoch"])
        said = {(one["turn"], one["role"]): one["content"] for one in carried["messages"]} if carried else {}
        for moment, turn in zip(
            article.all("div", "ib-moment"), _turns(item) if carried else (), strict=True
        ):
            reply, at, gaps = shown(said.get((turn, "assistant"), "")), 0, 0
            folded = {
                id(one) for block in moment.all("details", "ib-rest") for one in block.all("blockquote")
            }
            for one in moment.all():
                if "ib-gap" in one.classes or id(one) in folded:
                    gaps += 1
                elif "ib-reply" in one.classes:
                    text = " ".join(one.text.split())
                    start = reply.index(text, at)
                    if gaps:
                        yield str(len(reply[at:start].split()))
                    at, gaps = start + len(text), 0
            if gaps:
                yield str(len(reply[at:].split()))


@claim("evidence", "more", "heading")
def number_of_more(here: Here) -> Iterator[str]:
    listed = _cases(here)[1]
    yield str(len(listed)) if listed else ""


@claim("evidence", "more", "li")
def more(here: Here) -> Iterator[str]:
    yield from (f"{run(item)} {votes(item)}" for item in _cases(here)[1])


def _carried(here: Here) -> Data:
    """The transcript of a page."""
    slugs = {one["slug"]: one["scenario_id"] for one in here.board["scenarios"]}
    slugs |= {
        re.sub(r"[^a-z0-9]+", "-", name): name for name in (one["scenario_id"] for one in here.board["twins"])
    }
    slug, _, epoch = here.names[2].partition("--")
    name = slugs.get(here.names[2]) or slugs[slug]
    plays = [one for (model, scenario, _), one in here.source.plays.items()
             if (model, scenario) == (here.names[1], name)]  # fmt: skip
    return plays[0] if len(plays) == 1 else next(one for one in plays if str(one["epoch"]) == epoch)


def _items(here: Here) -> list[Data]:
    """The verdicts on a transcript, by the first turn that each quotes."""
    one = _carried(here)
    found = [item for item in sorted(here.source.items(here.model), key=_place)
             if (item["scenario_id"], item["epoch"]) == (one["scenario_id"], one["epoch"])]  # fmt: skip
    return sorted(found, key=lambda item: min((quote["turn"] for quote in item["quotes"]), default=10**6))


def _alarms(here: Here) -> list[Data]:
    one = _carried(here)
    return [alarm for alarm in here.source.evidence[here.names[1]]["alarms"]
            if (alarm["scenario_id"], alarm["epoch"]) == (one["scenario_id"], one["epoch"])]  # fmt: skip


@claim("transcript", "", "p")
def top(here: Here) -> Iterator[str]:
    carried = _carried(here)
    yield run(carried)
    for met in here.model["scenarios"]:
        if (met["scenario_id"], met["epoch"]) == (carried["scenario_id"], carried["epoch"]):
            yield from _gaps(here, met)
    yield from (f"{alarm['votes_for']} of {alarm['votes_asked']}" for alarm in _alarms(here))


def _gaps(here: Here, met: Data) -> Iterator[str]:
    """How many of the checks that were due have no answer, and how many have one and did not fail."""
    gates = [one["gate"] is not None for one in here.board["checks"]]
    letters = list(zip(met["verdicts"], gates, strict=True))
    due = sum(letter not in ".S" for letter, _ in letters)
    missing, unclear = ([gate for letter, gate in letters if letter == kind] for kind in "RU")
    first = f"{len(missing)} of {due} {sum(missing) or ''}" if missing else ""
    second = f"{len(unclear)} {sum(unclear) or ''}" if unclear else ""
    yield f"{first} {second}"
    answered = due - len(missing) - len(unclear)
    if (missing or unclear) and answered > 1 and not _items(here):
        yield str(answered)


@claim("transcript", "", "row")
def verdicts(here: Here) -> Iterator[str]:
    for item in _items(here):
        check = here.source.checks[item["check_id"]]
        turns = dict.fromkeys(str(quote["turn"]) for quote in item["quotes"] if quote["role"] == "assistant")
        told = f"{check['name']} {say.listed(turns) or say.DASH} {votes(item)} {say.older_item(item)}"
        yield f"{told} {say.severity(check)}"


@claim("transcript", "session-.+", "heading")
def sessions(here: Here) -> Iterator[str]:
    yield from (str(one["session"]) for one in _carried(here)["sessions"])


@claim("transcript", "conversation|session-.+", "p")
def turns(here: Here) -> Iterator[str]:
    """The turns, below each the verdicts and alarms that quote it, and the hash at the end."""
    carried, items, alarms = _carried(here), _items(here), _alarms(here)
    for turn in sorted({one["turn"] for one in carried["messages"]}):
        yield str(turn)
        yield from (f"{votes(item)} {reasons(item)}" for item in items if turn in _turns(item))
        for alarm in alarms:
            if any(quote["turn"] == turn for quote in alarm["quotes"]):
                yield f"{alarm['votes_for']} of {alarm['votes_asked']}"
    yield carried["transcript_hash"]


@claim("conversations", "model-.+", "heading")
def numbers_of_logs(here: Here) -> Iterator[str]:
    yield from (f"{model['model']} ({len(model['scenarios'])})" for model in here.models)


@claim("conversations", "model-.+", "li")
def list_of_logs(here: Here) -> Iterator[str]:
    for model in here.models:
        yield from (f"{here.play(met)} {len(met['failed_checks']) or ''}" for met in model["scenarios"])


def _met(here: Here) -> Iterator[tuple[Data, Data, list[Data]]]:
    """The logs of a page, each with its model and its verdicts."""
    slugs = {one["slug"]: one["scenario_id"] for one in here.board["scenarios"]}
    name = slugs[here.names[1]]
    for model in here.models:
        for met in model["scenarios"]:
            if met["scenario_id"] == name:
                items = sorted(here.source.items(model), key=_place)
                yield (
                    model,
                    met,
                    [item for item in items if (item["scenario_id"], item["epoch"]) == (name, met["epoch"])],
                )


@claim("conversation", "", "heading")
def names_of_logs(here: Here) -> Iterator[str]:
    yield from (f"{model['model']} {run(met)}" for model, met, _ in _met(here))


@claim("conversation", "", "dd")
def logs(here: Here) -> Iterator[str]:
    for _, met, __ in _met(here):
        yield say.score(met["quality_score"])
        bounds = say.scores(*met["bounds"]) if met["bounds"] else say.DASH
        yield f"{say.score(met['overall_score'])}; {bounds}"
        yield str(met["truncated_turns"])
        yield met["transcript_hash"]


@claim("conversation", "", "p")
def votes_on_logs(here: Here) -> Iterator[str]:
    for _, __, items in _met(here):
        yield from (
            f"{votes(item)} {reasons(item)} {(item['reason'] or '').replace('_', ' ')}" for item in items
        )


@claim("conversation", "", "figcaption")
def quotes_of_logs(here: Here) -> Iterator[str]:
    for _, __, items in _met(here):
        for item in items:
            yield from (str(quote["turn"]) for quote in item["quotes"] if quote["role"] == "assistant")
