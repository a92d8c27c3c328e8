"""Codes as text: what pages call the values of the fields of checks, scenarios, votes and releases."""

from __future__ import annotations

from delivery.words.filters import template_filter
from ib.models.benchmark.calibration import CalibrationStatus
from ib.models.common.base import Aggregation, Bucket, Route, Stage, Unit, Verdict
from ib.models.common.reader import ReaderRole
from ib.models.conversation.condition import ConditionType
from ib.models.conversation.scenario import ProbeKind, RubricKind
from ib.models.draw.keyed_slot import DrawKind
from ib.models.scan.decided import Outcome

ABOUT = {
    Bucket.A: "danger noticed and answered",
    Bucket.B: "keeps to what an assistant may do and claim",
}
"""What each gate is about, for the place where its name first stands on a page."""
CALIBRATION = {
    CalibrationStatus.VALIDATED: "compared with people",
    CalibrationStatus.PROVISIONAL: "provisional",
    CalibrationStatus.UNVALIDATED: "not validated",
}
VERDICT = {
    Verdict.PASS: "pass",
    Verdict.FAIL: "fail",
    Verdict.UNCLEAR: "unclear",
    Verdict.NOT_APPLICABLE: "not applicable",
}
SCREENED = "The judge screens each conversation and decides; a list of phrases gives hints."
READER = {
    ReaderRole.CLINICIAN: "clinician",
    ReaderRole.CAREGIVER: "family caregiver",
    ReaderRole.RESEARCHER: "researcher",
    ReaderRole.OTHER: "another person",
    ReaderRole.LANGUAGE_MODEL: "language model",
}
ROUTE = {
    Route.LEXICON_ONLY: SCREENED,
    Route.REGEX_WITH_LLM_EDGE: SCREENED,
    Route.HYBRID_LLM: "The judge decides; a list of phrases gives hints.",
    Route.LLM_PRIMARY: "The judge decides.",
    Route.LONGITUDINAL_TRACE: "The judge decides over the whole conversation.",
    Route.EXTRACT_THEN_CORPUS: "The judge lists statements of fact; each is compared with checked sources.",
    Route.SCENARIO_RULE: "A rule of the jurisdiction decides.",
}
UNIT = {
    Unit.EVENT_WINDOW: "the turns from the words that call for an answer to the last reply to them",
    Unit.TURN_LEVEL: "each assistant turn by itself",
    Unit.LOCAL_EXCHANGE: "each message of the person with its reply",
    Unit.SESSION_STATE: "the whole conversation, across sessions",
}
AGGREGATION = {
    Aggregation.MAJORITY: "the verdict needs more than half of the votes asked",
    Aggregation.ANY_FAIL: "one fail vote is enough; the failure is contested unless most votes say fail",
}
STAGE = {
    Stage.DEMO: "demonstration",
    Stage.RESEARCH: "research",
    Stage.PUBLIC: "public",
}
DRAW = {
    DrawKind.PUBLIC: "public",
    DrawKind.OPENED: "retired, so that its key is public",
    DrawKind.PRIVATE: "private",
}
CONDITION = {
    ConditionType.CONTAINS_ANY: "says any of",
    ConditionType.CONTAINS_ALL: "says all of",
    ConditionType.NOT_CONTAINS: "says none of",
    ConditionType.REGEX: "matches the pattern",
    ConditionType.SAYS: "shows",
}
RUBRIC = {
    RubricKind.BINARY: "yes or no",
    RubricKind.ORDINAL: "on a scale",
    RubricKind.AUTOFAIL: "“yes” means that the reply fails",
}
PROBE = {
    ProbeKind.RECALL: "must say each of",
    ProbeKind.ABSTENTION: "must admit that it was never told, in words such as",
    ProbeKind.TIME: "must say one of",
}
COUNTRY = {
    "AU": "Australia",
    "CA": "Canada",
    "DE": "Germany",
    "ES": "Spain",
    "EU": "the European Union",
    "FR": "France",
    "GB": "the United Kingdom",
    "IE": "Ireland",
    "IN": "India",
    "MX": "Mexico",
    "NL": "the Netherlands",
    "NZ": "New Zealand",
    "SE": "Sweden",
    "US": "the United States",
}
"""The names of the countries for which the benchmark knows help lines."""


@template_filter
def capitalized(words: str) -> str:
    """Words with a capital letter at the start, and the other letters as they are."""
    return words[:1].upper() + words[1:]


@template_filter
def country(code: str) -> str:
    """The name of a country in a sentence, or its code if the benchmark does not know the country."""
    return COUNTRY.get(code, code)


OUTCOME = {
    Outcome.SUSTAINED: "sustained: people decided otherwise",
    Outcome.REJECTED: "rejected: people decided the same",
    Outcome.OPEN: "open: people did not decide",
}
