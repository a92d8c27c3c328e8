"""The page of a model."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from tests.delivery.recomputed import say
from tests.delivery.recomputed.claims import Data, Here, claim, fixed
from tests.delivery.recomputed.data import shown
from tests.delivery.recomputed.on_figures import AXIS, BUCKETS, measured
from tests.delivery.recomputed.on_home import overall_range, pair_cells, pair_support
from tests.delivery.recomputed.on_pairs import difference

GRAVEST = ("S5", "S4_GATE", "S4", "S3", "S2", "S1")
GRAVEST_SHOWN = 4

fixed("model", "profile-plot", "figcaption", [str(say.FEW)])


def entries(model: Data) -> dict[str, Data]:
    return {one["check_id"]: one for one in model["blindspots"]}


@claim("model", "", "p")
def leads(here: Here) -> Iterator[str]:
    yield f"{here.model['transcripts']} {say.asked([here.model])} {here.board['judge']['model']}"
    if here.is_logs:
        yield from gate_leads(here, here.model)


def gate_leads(here: Here, model: Data) -> Iterator[str]:
    """Each gate in a sentence, with how much data supports it."""
    for bucket in "AB":
        gate = model["gates"][bucket]
        yield f"{say.gate_sentence(gate)}. {say.gate_support(gate)} {say.in_error(here, model, bucket)}"


@claim("model", "profile-plot", "head")
def axis(here: Here) -> Iterator[str]:
    if any(one["failures"]["k"] for one in here.model["blindspots"]):
        yield AXIS


@claim("model", "card", "title")
@claim("model", "profile-plot", "title")
def about(here: Here) -> Iterator[str]:
    if any(one["failures"]["k"] for one in here.model["blindspots"]):
        yield str(say.FEW)


@claim("model", "card", "head")
def axis_of_card(here: Here) -> Iterator[str]:
    if list(_profile(here)):
        yield AXIS


ORDER = (
    *("failed_by_person", "failed_by_judge", "contested", "incomplete", "cleared_by_person", "clear"),
    "not_due",
)
MOST_UNITS = 80


def units(here: Here, bucket: str) -> list[Data]:
    """The conversations of a model in which a gate applied, the failed ones first."""
    met = [one for one in here.model["scenarios"] if one["gates"][bucket]["state"] != "not_due"]
    if say.unmeasured(here.model["gates"][bucket]) or len(met) > MOST_UNITS:
        return []
    return sorted(
        met,
        key=lambda one: (
            ORDER.index(one["gates"][bucket]["state"]),
            one["scenario_id"],
            one["epoch"] or 0,
        ),
    )


def older_unit(here: Here, bucket: str, met: Data) -> str:
    """The mark of a conversation with a verdict of the gate on an older wording."""
    letters = zip(here.board["checks"], met["older_questions"], strict=False)
    return "older wording" if any(sign == "o" and check["gate"] == bucket for check, sign in letters) else ""


def squares(here: Here, bucket: str) -> str:
    """The squares of a gate with their names and states, and the bracket below them."""
    told = [
        f"{here.play(one)} {say.state(here, one['gates'][bucket]['state'])} {older_unit(here, bucket, one)}"
        for one in units(here, bucket)
    ]
    gate = here.model["gates"][bucket]
    return f"{' '.join(told)} {say.bracket(gate)}" if told else ""


@claim("model", "card", "li")
def units_listed(here: Here) -> Iterator[str]:
    for bucket in "AB":
        yield from (f"{here.play(one)} {older_unit(here, bucket, one)}" for one in units(here, bucket))


@claim("model", "card", "p")
def below_card(here: Here) -> Iterator[str]:
    for bucket in "AB":
        states = Counter(one["gates"][bucket]["state"] for one in units(here, bucket))
        yield from (str(states[state]) for state in ORDER if states[state])
    failed = len(list(_profile(here)))
    yield str(failed) if failed > 1 else ""
    yield str(say.FEW) if failed else ""
    yield here.cited


@claim("model", "card", "row")
def card(here: Here) -> Iterator[str]:
    """Both gates, and the gravest failures without their severities."""
    for bucket in "AB":
        gate = here.model["gates"][bucket]
        mark, error = say.older_gate(gate), say.in_error(here, here.model, bucket)
        yield f"{squares(here, bucket)} {gate_line(gate)} {gate_note(gate)} {mark} {error}"
    for told in list(_profile(here))[:GRAVEST_SHOWN]:
        yield re.sub(r" [a-z]+ S\d ", " ", told, count=1)


def gate_line(gate: Data) -> str:
    """A gate in one line, without its families."""
    k, due, open_ = gate["failed_by_judge"], gate["due"], say.gate_open(gate)
    if due < say.FEW:
        return f"{k} of {due} too few" if due else "not due"
    if say.unmeasured(gate):
        return say.unmeasured(gate)
    share = "" if open_ else say.percent(k / due)
    return f"{k} of {due} · {share} (95% interval {say.interval(*say.gate_ends(gate))})"


def gate_note(gate: Data) -> str:
    """How much data supports a gate, and what is undecided."""
    open_ = say.gate_open(gate)
    if say.unmeasured(gate):
        return f"{gate['failed_by_judge']} {say.gate_aside(gate)}"
    first = say.flags(gate["failed_by_judge"], gate["due"], open_)[0]
    support = "" if first == "Enough" else first
    return f"{support} undecided {say.gate_aside(gate)}" if open_ else say.gate_support(gate)


@claim("model", "profile-plot", "row")
def profile(here: Here) -> Iterator[str]:
    """Every failed check, the gravest first."""
    if not here.is_logs:
        yield from _profile(here)


def _profile(here: Here) -> Iterator[str]:
    medians = {one["check_id"]: one["median"] for one in here.board["checks"]}
    every = [one for model in here.board["models"] for one in model["blindspots"]]
    rated = Counter(one["check_id"] for one in every if is_rated(one))
    found = [one for one in here.model["blindspots"] if one["failures"]["k"]]
    for one in sorted(found, key=lambda one: place(here, one)):
        k, n = one["failures"]["k"], one["failures"]["n"]
        open_ = one["failures"]["unclear"] + one["not_run"]
        check = here.source.checks[one["check_id"]]
        marks = say.strip(k, n, open_, medians[one["check_id"]] if rated[one["check_id"]] > 1 else None)
        line = say.rate_line(k, n, "found in" if one["no_phrase_found"] else "", open_)
        either = f"{say.interval(k / (n + open_), (k + open_) / (n + open_))} {open_} undecided"
        either = either if n >= say.FEW else f"{open_} undecided"
        contested = f"{one['contested']} contested" if one["contested"] else ""
        told = f"{check['name']} {say.severity(check)} {marks} {line} {say.older_check(one)}"
        yield f"{told} {either if open_ and (n < say.FEW or is_rated(one)) else ''} {contested}"


def place(here: Here, one: Data) -> tuple[int, float, str]:
    k, n = one["failures"]["k"], one["failures"]["n"]
    severity = here.source.checks[one["check_id"]]["severity"]
    if not is_rated(one) and n >= say.FEW:
        n += one["failures"]["unclear"] + one["not_run"]
    return GRAVEST.index(severity), -k / n if n >= say.FEW else 0, one["check_id"]


def is_rated(one: Data) -> bool:
    """True if a check has a share: enough cases, and at least half of those due decided."""
    n = one["failures"]["n"]
    return bool(n >= say.FEW and say.half(n, one["failures"]["unclear"] + one["not_run"]))


@claim("model", "dimension-.", "row")
def blindspots(here: Here) -> Iterator[str]:
    found = entries(here.model)
    for check in here.checks:
        if check["id"] in found:
            one = found[check["id"]]
            flag = one["flag"].replace("_", " ") if one["flag"] else ""
            yield f"{check['name']} {say.severity(check)} {flag} {cells(here, here.model, one)}"


def cells(here: Here, model: Data, one: Data) -> str:
    """One check on one model: evidence, failures, contested failures, support, undecided cases."""
    k, n, contested = one["failures"]["k"], one["failures"]["n"], one["contested"]
    items = [
        item for item in here.source.evidence[model["slug"]]["items"] if item["check_id"] == one["check_id"]
    ]
    failed = sum(item["verdict"] == "FAIL" for item in items)
    unclear = "unclear" if not failed and any(item["verdict"] == "UNCLEAR" for item in items) else ""
    evidence = f"{failed or len(items)} {unclear}" if items else say.DASH
    open_ = one["failures"]["unclear"] + one["not_run"]
    line = say.rate_line(k, n, "found in" if one["no_phrase_found"] else "", open_)
    rest = k - contested
    if not k:
        which = say.DASH
    elif rest and contested:
        which = f"{rest} by most votes, {contested} contested"
    else:
        which = "by most votes" if rest else "contested"
    open_ = [(one["failures"]["unclear"], "unclear"), (one["not_run"], "not run")]
    undecided = say.listed(f"{count} {what}" for count, what in open_ if count) or say.DASH
    return f"{evidence} {line} {say.older_check(one)} {which} {check_support(one)} {undecided}"


def check_support(one: Data) -> str:
    """How much data supports a rate of failures; a rate of phrases says nothing of other words."""
    return "failures" if one["no_phrase_found"] else say.support(one["failures"], one["not_run"])


@claim("model", "dimension-.", "summary")
def outcomes(here: Here) -> Iterator[str]:
    """How many checks a dimension has, how many failed, passed, have no answer, were not due."""
    for bucket in BUCKETS:
        rows = [one for one in here.model["blindspots"] if one["bucket"] == bucket]
        kinds = Counter(_outcome(one) for one in rows)
        if rows:
            yield " ".join(str(count or "") for count in (len(rows), *(kinds[at] for at in range(5))))
    joined = sum(len(met["joined"]) for met in here.model["scenarios"])
    yield str(joined or "")


def _outcome(one: Data) -> int:
    """0 if it failed, 1 without a failure, 2 without a clear answer, 3 not applicable, 4 not due."""
    rate = one["failures"]
    if rate["n"]:
        return 0 if rate["k"] else 1
    return 2 if rate["unclear"] + one["not_run"] else 3 if one["not_applicable"] else 4


def _example(here: Here) -> tuple[Data, Data, Data] | None:
    """The check that failed most often of those without a veil, with its first case, and the transcript."""
    items = sorted(here.source.items(here.model), key=lambda one: (one["scenario_id"], one["epoch"] or 0))
    rows = [entries(here.model).get(check["id"]) for check in here.checks]
    failed = [one for one in rows if one and one["failures"]["k"]]
    for row in sorted(failed, key=lambda one: -one["failures"]["k"]):
        if here.is_veiled(row["check_id"]):
            continue
        for item in items:
            carried = here.carried(here.model, item["scenario_id"], item["epoch"])
            if carried is not None and _is_told(item, row["check_id"]):
                return row, item, carried
    return None


def _example_of_check(here: Here) -> tuple[Data, Data] | None:
    """The first failure by most votes of a check without a veil, and its transcript."""
    check = here.check["id"]
    for model in () if here.is_veiled(check) or here.is_logs else here.models:
        items = sorted(here.source.items(model), key=lambda one: (one["scenario_id"], one["epoch"] or 0))
        for item in items:
            carried = here.carried(model, item["scenario_id"], item["epoch"])
            if carried is not None and _is_told(item, check):
                return item, carried
    return None


def _is_told(item: Data, check: str) -> bool:
    """True for a failure by most votes that quotes a reply."""
    quoted = any(quote["role"] == "assistant" for quote in item["quotes"])
    return item["check_id"] == check and item["verdict"] == "FAIL" and quoted and not item["contested"]


def cuts(here: Here) -> Iterator[tuple[int, int, int]]:
    """Of each message of the example: its turn, and how many words are cut before and after it."""
    found = _example_of_check(here) if here.kind == "check" else (_example(here) or ())[1:]
    if not found:
        return
    item, carried = found
    turn = min(quote["turn"] for quote in item["quotes"] if quote["role"] == "assistant")
    said = {(one["turn"], one["role"]): shown(one["content"]) for one in carried["messages"]}
    for who, css in (("user", "ib-asked"), ("assistant", "ib-reply")):
        for block in here.root.all("blockquote", css):
            before, words, after = said[turn, who].partition(" ".join(block.text.split()))
            assert words
            yield turn, len(before.split()), len(after.split())


@claim("model", "words", "p")
def example(here: Here) -> Iterator[str]:
    """How often the check failed, and the turn of the case with the words cut before each message."""
    found = _example(here)
    if found is not None:
        rate, one = found[0]["failures"], found[0]
        line = say.rate_line(rate["k"], rate["n"], "", rate["unclear"] + one["not_run"])
        yield f"{line} {say.older_check(one)}"
    yield from (f"{turn} {before or ''}" for turn, before, _ in cuts(here))


@claim("model, check", "words", "more")
def cut(here: Here) -> Iterator[str]:
    """How many words are cut after each message."""
    yield from (str(after or "") for _, __, after in cuts(here))


@claim("model", "dimension-.", "p")
def roots(here: Here) -> Iterator[str]:
    if not any(met["joined"] for met in here.model["scenarios"]):
        return
    yield say.listed(str(here.model["roots"][key]) for key in (
        "gate_roots", "gate_failures", "quality_roots", "quality_failures"))  # fmt: skip


@claim("model", "scenarios", "p")
def number_of_conversations(here: Here) -> Iterator[str]:
    yield str(here.model["transcripts"])


@claim("model", "alarms", "summary")
def folded(here: Here) -> Iterator[str]:
    found = here.model["dangers_and_alarms"]
    if found:
        words = len(here.source.evidence[here.model["slug"]]["alarms"])
        yield f"{len(found['pairs'])} {words or ''}"


@claim("model", "alarms", "li")
def alarms(here: Here) -> Iterator[str]:
    found = here.model["dangers_and_alarms"]
    if found:
        yield pair_cells(found, 0)
        if measured(found):
            yield pair_cells(found, 1)
            yield f"{pair_cells(found, 2)} {pair_support(found, 1)}"


@claim("model", "alarms", "row")
def pairs(here: Here) -> Iterator[str]:
    for pair in (here.model["dangers_and_alarms"] or {"pairs": []})["pairs"]:
        yield f"{here.title(pair['parent'])} {plays_of(here, here.model, pair)} {danger(pair)} {alarm(pair)}"


def plays_of(here: Here, model: Data, pair: Data) -> str:
    """A dash if the release carries no transcript of a pair."""
    carried = [here.carried(model, pair[which], None) for which in ("parent", "twin")]
    return "" if any(carried) else say.DASH


def danger(pair: Data) -> str:
    """What became of a danger."""
    return say.listed(f"{pair[what]} {what}" for what in ("caught", "missed", "undecided") if pair[what])


def alarm(pair: Data) -> str:
    """The grades of a safe twin."""
    words = ("proportionate", "over-cautious", "false alarm")
    counts = [*zip(words, pair["grades"], strict=True), *pair["ungraded"].items()]
    return say.listed(f"{count} {what.replace('_', ' ')}" for what, count in counts if count)


@claim("model", "alarms", "p")
def alarm_votes(here: Here) -> Iterator[str]:
    for one in here.source.evidence[here.model["slug"]]["alarms"]:
        run = "" if one["epoch"] is None else f"run {one['epoch']}"
        turns = say.listed(f"turn {quote['turn']}" for quote in one["quotes"][:2])
        yield f"{run} {one['votes_for']} of {one['votes_asked']} {turns}"


@claim("model", "open", "row")
def open_gates(here: Here) -> Iterator[str]:
    items = here.source.items(here.model)
    quoted = {(one["check_id"], one["scenario_id"], one["epoch"]) for one in items}
    for one in here.board["open_gates"]:
        if one["model_id"] == here.model["model_id"]:
            case = (one["check_id"], one["scenario_id"], one["epoch"]) in quoted
            link = "" if case else say.DASH
            yield f"{here.play(one)} {link} {here.check_name(one['check_id'])} {open_gate(one)}"


def open_gate(one: Data) -> str:
    """Why a gate verdict is open."""
    verdict = one["verdict"].lower().replace("_", " ") if one["verdict"] else "not run"
    votes = "contested" if one["contested"] else "split" if one["split"] else "agree"
    older = "older wording" if one["older_question"] else ""
    return f"{verdict} {votes} {older} {one['reason'].replace('_', ' ')}"


@claim("model", "open", "summary")
def number_of_open_gates(here: Here) -> Iterator[str]:
    count = sum(one["model_id"] == here.model["model_id"] for one in here.board["open_gates"])
    yield str(count or "")


def outcome(entry: Data | None, *, fails: bool) -> str:
    """How the results of a check agree with what a script is built to do."""
    if entry is None or not entry["failures"]["n"]:
        return "undecided"
    k, n = entry["failures"]["k"], entry["failures"]["n"]
    if k == (n if fails else 0):
        return "as designed"
    return "partly as designed" if fails and k else "not as designed"


def _promises(here: Here, fails: bool) -> list[Data]:
    listed = (here.character or {}).get("fails" if fails else "never_fails", ())
    return [check for check in here.checks if check["id"] in listed]


@claim("model", "design", "p")
def script(here: Here) -> Iterator[str]:
    yield here.character["summary"] if here.character else ""


@claim("model", "design-fails", "summary")
def designed_to_fail(here: Here) -> Iterator[str]:
    yield _outcomes(here, fails=True)


@claim("model", "design-never", "summary")
def designed_never_to_fail(here: Here) -> Iterator[str]:
    yield _outcomes(here, fails=False)


def _outcomes(here: Here, *, fails: bool) -> str:
    if here.character is None:
        return ""
    found, promised = entries(here.model), _promises(here, fails)
    counts = Counter(outcome(found.get(check["id"]), fails=fails) for check in promised)
    if not promised:
        return ""
    return say.listed([str(len(promised)), *(f"{count} {what}" for what, count in sorted(counts.items()))])


@claim("model", "design-fails", "row")
def made_to_fail(here: Here) -> Iterator[str]:
    yield from _made(here, fails=True)


@claim("model", "design-never", "row")
def made_never_to_fail(here: Here) -> Iterator[str]:
    yield from _made(here, fails=False)


def _made(here: Here, *, fails: bool) -> Iterator[str]:
    found = entries(here.model)
    quoted = {item["check_id"] for item in here.source.items(here.model)}
    for check in _promises(here, fails):
        entry = found.get(check["id"])
        link = "" if check["id"] in quoted else say.DASH
        told = f"{check['name']} {link} {outcome(entry, fails=fails)}"
        if entry is None:
            yield f"{told} {say.DASH} {say.DASH} {say.DASH}"
        else:
            rate = entry["failures"]
            yield f"{told} {rate['k']} of {rate['n']} {rate['unclear']} {entry['not_applicable']}"


@claim("model", "facts", "dd")
def all_figures(here: Here) -> Iterator[str]:
    yield from facts(here.model)


def facts(model: Data) -> Iterator[str]:
    """The main figures of a model."""
    yield f"{model['transcripts']}; {model['truncated_turns'] or ''}"
    yield say.gate_sentence(model["both_gates"])
    yield str(model["refused_questions"])
    overall = model["overall"]
    yield f"{mean_line(overall)} {overall_range(model) if overall['bounds'] else ''}"
    for bucket, mean in sorted(model["dimensions"].items()):
        found = model["occurrences"][bucket]
        reach = say.scores(*mean["bounds"]) if mean["bounds"] else ""
        yield f"{mean_line(mean)} {reach} {_turns(found) if found else ''}"
    due = model["coverage"]
    yield f"{say.percent(due['covered'])} {due['eligible']} {say.percent(due['decided'])}"


def mean_line(mean: Data) -> str:
    """A mean of scores, with the number of conversations that have none."""
    if mean["mean"] is None:
        return f"{mean['n'] or ''} {mean['nulls']}"
    ends = "" if mean["low"] is None else say.scores(mean["low"], mean["high"])
    return f"{say.score(mean['mean'])} ({ends}; {mean['n']}, {mean['nulls'] or ''})"


def _turns(found: Data) -> str:
    count, rest = say.turns(found).split(" of ")[0], say.turns(found)
    chances = found["chances"]
    return f"{count} of {chances} {found['checks']} {rest.removeprefix(f'{count} of {chances}')}"


@claim("model", "gap", "p")
def gap_of_draws(here: Here) -> Iterator[str]:
    if "gap" not in here.model:
        return
    found = here.model["gap"]
    table = found["all_checks"]
    n = sum(table[name] for name in ("both", "only_first", "only_second", "neither"))
    counts = [f"{table['both'] + table[name]}" for name in ("only_first", "only_second")]
    told = f"{difference(table)} {say.p_value(table['adjusted'])}" if n >= say.FEW else "too few" if n else ""
    yield f"{found['shared']} {counts[0]} of {n} {counts[1]} {told}"
    yield f"{table['undecided']} {here.board['gap_draw']['key_hash']}"
