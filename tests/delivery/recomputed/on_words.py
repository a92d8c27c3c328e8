"""The pages with words of conversations: evidence of a check, and transcripts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import groupby

from tests.delivery.reading import Element
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


def _windows(item: Data) -> list[list[int]]:
    """The first and the last turn of each question that somebody answered as the verdict says."""
    named = {vote["window"] for vote in item["votes"] if vote["verdict"] == item["verdict"]}
    return [one for at, one in enumerate(item["windows"]) if at in named] or item["windows"]


def _said(carried: Data) -> dict[tuple[int, str], str]:
    return {(one["turn"], one["role"]): one["content"] for one in carried["messages"]}


def moments(here: Here, item: Data, carried: Data) -> list[tuple[int, bool]]:
    """The turns that are shown for a verdict, each with whether it is a later reply."""
    check, quoted, said = here.source.checks[item["check_id"]], _turns(item), _said(carried)
    if check["failure"] != "left_out" or item["verdict"] not in {"FAIL", "UNCLEAR"}:
        return [(turn, False) for turn in quoted]
    anchors = here.source.scenarios.get(item["scenario_id"], {}).get("anchors", [])
    hints = {
        one["cue_turn"]
        for one in anchors
        if check["id"] in one["checks"]
        and one["cue"] in said.get((one["cue_turn"], "user"), "")
        and any(first <= one["cue_turn"] <= last for first, last in _windows(item))
    }
    hints = hints or set(quoted[:1]) or {first for first, _ in _windows(item)}
    first_shown = {turn for turn in hints | set(quoted) if (turn, "user") in said or turn in quoted}
    later = set()
    if check["routing"]["unit_of_analysis"] in {"event_window", "session_state"}:
        for first, last in _windows(item):
            inside = [turn for turn in first_shown if first <= turn <= last]
            later |= {turn for turn in range(min(inside or [last]), last + 1) if (turn, "assistant") in said}
    return [(turn, turn not in first_shown) for turn in sorted(first_shown | later)]


def _runs(turns: list[tuple[int, bool]]) -> Iterator[tuple[list[tuple[int, bool]], bool]]:
    """The moments in the order of the page: those that are shown, and those that are folded together."""
    for is_later, group in groupby(turns, key=lambda one: one[1]):
        listed = list(group)
        yield (listed[:2] if is_later else listed), False
        if is_later and listed[2:]:
            yield listed[2:], True


def counted_turns(item: Data) -> str:
    """In how many replies the failure occurred, if there are several."""
    turns = item.get("occurred", [])
    return f"{len(turns)} {say.listed(map(str, turns))}" if len(turns) > 1 else ""


@claim("evidence", "(?!more$).+", "p")
def cases(here: Here) -> Iterator[str]:
    """The votes, the reasons, and the turn of each moment, three times."""
    for article, item in zip(here.root.all("article"), _cases(here)[0], strict=True):
        why = (item["reason"] or "").replace("_", " ")
        yield f"{votes(item)} {reasons(item)} {counted_turns(item)} {why}"
        carried = here.carried(here.model, item["scenario_id"], item["epoch"])
        said = _said(carried) if carried else {}
        on_page = len(article.all("div", "ib-moment"))
        for turn, is_later in moments(here, item, carried)[:on_page] if carried else ():
            yield from [str(turn)] * (3 if (turn, "user") in said and not is_later else 2)


@claim("evidence, transcript, conversation", ".*", "textarea")
def disputes(here: Here) -> Iterator[str]:
    """The text of a dispute, of each verdict at its first place."""
    if here.kind == "evidence":
        found = [(here.model, item) for item in (*_cases(here)[0], *_cases(here)[1])]
    elif here.kind == "conversation":
        found = [(model, item) for model, _, items in _met(here) for item in items]
    else:
        turns = sorted({one["turn"] for one in _carried(here)["messages"]})
        placed = [(turn, item) for turn in turns for item in _items(here) if _places(item, turns)[0] == turn]
        found = [(here.model, item) for _, item in placed]
    yield from (_dispute(here, model, item) for model, item in found)


def _dispute(here: Here, model: Data, item: Data) -> str:
    check = here.source.checks[item["check_id"]]
    slug = next(one["slug"] for one in here.board["scenarios"] if one["scenario_id"] == item["scenario_id"])
    case = slug if item["epoch"] is None else f"{slug}-run-{item['epoch']}"
    lines = [
        f"Permalink: models/{model['slug']}/{check['id']}/#{case} Check: {check['id']} ({check['name']})",
        f"Model: {model['model']} ({model['model_id']})",
        f"Conversation: {here.title(item['scenario_id'])} ({item['scenario_id']}{run(item)})",
        f"Release: {here.board['results_hash'][:12]} of {here.board['released']} Verdict: {votes(item)}",
    ]
    if not here.is_veiled(check["id"]):
        for quote in item["quotes"]:
            if quote["role"] == "assistant":
                lines.append(f"turn {quote['turn']}: {quote['quote'][:600]}")
    return " ".join(lines)


@claim("evidence", "(?!more$).+", "figcaption")
def bare_quotes(here: Here) -> Iterator[str]:
    """The turns of quotes without a transcript."""
    for item in _cases(here)[0]:
        if not here.carried(here.model, item["scenario_id"], item["epoch"]):
            yield from (str(quote["turn"]) for quote in item["quotes"] if quote["role"] == "assistant")


@claim("evidence", "(?!more$).+", "more")
def left_out(here: Here) -> Iterator[str]:
    """How many words and later replies are folded or left out: those that the shown parts do not have."""
    for article, item in zip(here.root.all("article"), _cases(here)[0], strict=True):
        carried = here.carried(here.model, item["scenario_id"], item["epoch"])
        if not carried:
            continue
        blocks = iter(article.all("div", "ib-moment"))
        for listed, is_folded in _runs(moments(here, item, carried)):
            if is_folded:
                yield f"{len(listed)} {listed[-1][0]}"
            on_page = not is_folded or any(
                one.all("div", "ib-moment") for one in article.all("details", "ib-rest")
            )
            for turn, _ in listed if on_page else ():
                yield from _words_left_out(next(blocks), shown(_said(carried).get((turn, "assistant"), "")))
        assert next(blocks, None) is None


def _words_left_out(moment: Element, reply: str) -> Iterator[str]:
    at, gaps = 0, 0
    folded = {id(one) for block in moment.all("details", "ib-rest") for one in block.all("blockquote")}
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
    """The verdicts on a transcript, the gravest first, then by the first turn that each quotes."""
    one = _carried(here)
    found = [item for item in sorted(here.source.items(here.model), key=_place)
             if (item["scenario_id"], item["epoch"]) == (one["scenario_id"], one["epoch"])]  # fmt: skip
    return sorted(
        found,
        key=lambda item: (
            ("S5", "S4_GATE", "S4", "S3", "S2", "S1").index(here.source.checks[item["check_id"]]["severity"]),
            min((quote["turn"] for quote in item["quotes"]), default=10**6),
        ),
    )


def _places(item: Data, turns: list[int]) -> list[int]:
    """The turns at which a verdict stands on the page of its transcript."""
    last = max((last for _, last in _windows(item)), default=turns[-1])
    return _turns(item) or [min(last, turns[-1])]


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
            yield str(len(_items(here)) or "")
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


@claim("transcript", "verdicts", "row")
def verdicts(here: Here) -> Iterator[str]:
    for item in _items(here):
        check = here.source.checks[item["check_id"]]
        turns = dict.fromkeys(str(quote["turn"]) for quote in item["quotes"] if quote["role"] == "assistant")
        told = f"{check['name']} {say.listed(turns) or say.DASH} {votes(item)} {say.older_item(item)}"
        yield f"{told} {say.severity(check)}"


@claim("transcript", "session-.+", "heading")
def sessions(here: Here) -> Iterator[str]:
    yield from (str(one["session"]) for one in _carried(here)["sessions"])


@claim("transcript", "conversation|session-.+|verdicts", "p")
def turns(here: Here) -> Iterator[str]:
    """The turns, below each the verdicts and alarms that quote it, and the hash at the end."""
    carried, items, alarms = _carried(here), _items(here), _alarms(here)
    listed = sorted({one["turn"] for one in carried["messages"]})
    for turn in listed:
        yield str(turn)
        for item in items:
            if turn in _places(item, listed):
                yield f"{votes(item)} {reasons(item)} {counted_turns(item)}"
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
