"""The formats of a report, each a function of the report alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from delivery.report.junit import junit
from delivery.report.markdown import markdown
from delivery.report.page import page
from delivery.report.tables import comma_separated, parquet
from delivery.report.text import text
from ib.models.common.canonical import pretty
from ib.models.report.report import Report
from ib.models.report.threshold import Outcome

Format = Callable[[Report, Sequence[Outcome]], bytes]
FORMATS: dict[str, Format] = {
    "text": lambda report, _: text(report).encode() + b"\n",
    "html": lambda report, _: page(report).encode(),
    "md": lambda report, outcomes: markdown(report, outcomes).encode(),
    "json": lambda report, outcomes: pretty({"report": report, "thresholds": outcomes}),
    "csv": lambda report, _: comma_separated(report).encode(),
    "parquet": lambda report, _: parquet(report),
    "junit": lambda report, outcomes: junit(report, outcomes).encode(),
}
"""Each format by its name. A new format is a function and one entry here."""
BINARY = ("parquet",)
"""The formats that a terminal cannot show."""
