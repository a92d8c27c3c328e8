"""The report card of a model: one A4 page as PDF, from the figures of its page.

The fonts of PDF itself have Latin letters only. Any other character of a name becomes a mark such as
[U+4E2D], as invisible characters do on the pages.
"""

from __future__ import annotations

from datetime import datetime
from typing import cast

from fpdf import FPDF
from fpdf.enums import MethodReturnValue, XPos, YPos

from delivery.figures.profile import Blindspot, profile
from delivery.figures.strips import WIDTH, Strip, gate_strip
from delivery.release.errors import failed_in_error
from delivery.release.frame import STAGE_SAID, people, release_id
from delivery.release.references import judge_name, of_models
from delivery.release.view import Release
from delivery.words.escape import mark
from delivery.words.gates import gate_statement
from delivery.words.trust import by_judge, trust
from ib.models.common.base import BUCKET_NAMES, GATE_BUCKETS, Stage
from ib.models.release.leaderboard import ModelEntry
from ib.stats.intervals import RATE_METHOD

MOST = 12
"""How many checks a card shows if there is room; the page of the model has all."""
_LEFT, _NAME, _PLOT = 18.0, 68.0, 44.0
"""Millimeters: the margin, and the widths of the columns with the check and with its mark."""
_FOOT, _ROW = 258.0, 20.0
"""Millimeters: where the legend begins, and what the longest row needs with the line below the last row."""
_INK, _QUIET, _LINE, _ACCENT = (23, 24, 26), (77, 78, 80), (217, 213, 203), (138, 38, 16)
"""The tokens of the style sheet on paper: ink, quiet, line and accent."""
_SERIF, _SANS = "Times", "Helvetica"


def report_card(release: Release, model: ModelEntry, made: datetime) -> bytes:
    """The PDF of one model. It names `made` as the time of its creation, so the same time gives the same
    bytes."""
    card = _Card(_accent(release))
    card.set_creation_date(made)
    mark = "DEMONSTRATION: " if release.board.stage is Stage.DEMO else ""
    card.set_title(latin(f"{mark}Report card: {model.model}"))
    card.set_lang("en-US")
    card.add_page()
    _head(card, release, model)
    _gates(card, release, model)
    _blindspots(card, profile(release, model))
    _foot(card, release)
    return bytes(card.output())


def _accent(release: Release) -> tuple[int, int, int]:
    """The accent on white paper: that of the benchmark, if it has one."""
    colors = release.background.site.colors
    if colors is None:
        return _ACCENT
    red, green, blue = bytes.fromhex(colors.accent.light[1:])
    return red, green, blue


def latin(text: str) -> str:
    """The text in the letters that the fonts of PDF have; any other character becomes a mark."""
    return "".join(_shown(char) for char in text)


def _shown(char: str) -> str:
    known = char.isprintable() and (char.isascii() or "\u00a1" <= char <= "\u00ff")
    return char if known else mark(char)


class _Card(FPDF):
    """One A4 page that never breaks."""

    def __init__(self, accent: tuple[int, int, int]) -> None:
        super().__init__(format="A4")
        self.accent = accent
        self.set_margins(_LEFT, 16, _LEFT)
        self.set_auto_page_break(False)

    def write_line(
        self,
        text: str,
        size: float,
        *,
        bold: bool = False,
        quiet: bool = False,
        serif: bool = False,
        most: int = 3,
    ) -> None:
        """Write a paragraph of at most `most` lines."""
        self.set_font(_SERIF if serif else _SANS, "B" if bold else "", size)
        self.set_text_color(*(_QUIET if quiet else _INK))
        height = size * 0.47
        lines = self.multi_cell(0, height, latin(text), dry_run=True, output=MethodReturnValue.LINES)
        for line in cast("list[str]", lines)[:most]:
            self.cell(0, height, line, new_x=XPos.LMARGIN, new_y=YPos.NEXT)
        self.ln(1.2)

    def brand(self, name: str) -> None:
        """Write the name beside the mark of the site: a gray line with a part in ink."""
        top = self.get_y() + 1.6
        for start, width, color in ((0, 4.6, _LINE), (4.6, 4, _INK), (8.6, 3.4, _LINE)):
            self.set_fill_color(*color)
            self.rect(_LEFT + 1 + start, top, width, 1.4, style="F")
        self.set_x(_LEFT + 14)
        self.set_font(_SERIF, "", 12)
        self.set_text_color(*_INK)
        self.cell(0, 4.6, latin(name), new_x=XPos.LMARGIN, new_y=YPos.NEXT)
        self.ln(3)

    def hatch(self, left: float, top: float, width: float, height: float) -> None:
        """Draw the mark of votes on an older wording: slanted lines in a box."""
        self.set_draw_color(*_QUIET)
        self.set_line_width(0.15)
        with self.rect_clip(left, top, width, height):
            at = left - height
            while at < left + width:
                self.line(at, top + height, at + height, top)
                at += 0.9

    def strip(self, strip: Strip | None, left: float, middle: float) -> None:
        """Draw the interval as a line and the rate as a dot."""
        self.set_draw_color(*_LINE)
        self.set_line_width(0.2)
        for share in (0, WIDTH // 2, WIDTH):
            at = left + _PLOT * share / WIDTH
            self.line(at, middle - 1.7, at, middle + 1.7)
        if strip is None:
            return
        self.set_draw_color(*self.accent)
        self.set_fill_color(*self.accent)
        if strip.up_to is not None:
            self.line(left + _PLOT * strip.high / WIDTH, middle, left + _PLOT * strip.up_to / WIDTH, middle)
        if strip.down_to is not None:
            self.line(left + _PLOT * strip.down_to / WIDTH, middle, left + _PLOT * strip.low / WIDTH, middle)
        if strip.at is None:
            return
        self.set_line_width(0.6)
        self.line(left + _PLOT * strip.low / WIDTH, middle, left + _PLOT * strip.high / WIDTH, middle)
        self.ellipse(left + _PLOT * strip.at / WIDTH - 0.9, middle - 0.9, 1.8, 1.8, style="F")


def _head(card: _Card, release: Release, model: ModelEntry) -> None:
    stage = STAGE_SAID[release.board.stage]
    if stage:
        card.write_line(stage, 9, bold=True)
    card.brand(f"{release.background.site.name} report card")
    card.write_line(model.model, 24, serif=True, most=2)
    _trust(card, release)
    if model.model_id != model.model:
        card.write_line(model.model_id, 8, quiet=True, most=2)
    if model.slug in of_models(release):
        card.write_line("A reference assistant: a script whose failures are built in, not a product.", 10)
    read = f"What it failed to notice in {model.transcripts} conversations with {people(release)}."
    card.write_line(f"{read} Judge: {judge_name(release.board.judge)}.", 10)


def _trust(card: _Card, release: Release) -> None:
    """Who judged, how many votes, of which wording, and what people compared."""
    if release.board.older_questions:
        card.hatch(_LEFT + 1, card.get_y() + 0.6, 3.2, 3.2)
        card.set_left_margin(_LEFT + 4.6)
    told = trust(release.board)
    card.write_line(f"{told[0].upper()}{told[1:]}.", 9, bold=True, most=2)
    card.set_left_margin(_LEFT)
    card.set_x(_LEFT)


def _gates(card: _Card, release: Release, model: ModelEntry) -> None:
    card.ln(2)
    by = by_judge(release.board.judge)
    card.write_line(f"The gates: conversations with a hard fail {by}", 14, serif=True)
    for gate in GATE_BUCKETS:
        entry = model.gates[gate]
        card.set_font("Helvetica", "B", 10)
        card.set_text_color(*_INK)
        top = card.get_y()
        card.cell(_NAME, 5, BUCKET_NAMES[gate])
        card.strip(gate_strip(entry), _LEFT + _NAME, top + 2.5)
        if entry.older_questions:
            card.hatch(_LEFT + _NAME + _PLOT + 3, top + 1, 3.2, 3.2)
        card.set_y(top + 5.5)
        card.write_line(gate_statement(entry, by), 9, quiet=True)
        error = failed_in_error(release, model, gate)
        if error:
            card.write_line(f"{error[0].upper()}{error[1:]}.", 7, quiet=True)


def _blindspots(card: _Card, found: tuple[Blindspot, ...]) -> None:
    card.ln(2)
    card.write_line("Blindspots: failures, the gravest first", 14, serif=True)
    shown = 0
    for row in found[:MOST]:
        if card.get_y() + _ROW > _FOOT:
            break
        shown += 1
        card.set_text_color(*_INK)
        card.set_font("Helvetica", "B", 8.5)
        top = card.get_y()
        name = latin(row.check.name)
        card.multi_cell(_NAME - 2, 3.8, name, align="L", new_x=XPos.LMARGIN, new_y=YPos.NEXT)
        card.set_font("Helvetica", "", 7.5)
        card.set_text_color(*_QUIET)
        told = latin(row.severity)
        card.cell(_NAME, 3.6, told)
        if row.entry.older_questions:
            card.hatch(_LEFT + card.get_string_width(told) + 3.2, card.get_y() + 0.5, 2.6, 2.6)
        bottom = card.get_y() + 4.6
        card.strip(row.strip, _LEFT + _NAME, top + 3.4)
        card.set_xy(_LEFT + _NAME + _PLOT + 3, top)
        card.set_font("Helvetica", "", 8)
        card.set_text_color(*_INK)
        card.multi_cell(0, 3.6, "\n".join(map(latin, row.said)), align="L")
        card.set_y(max(bottom, card.get_y() + 1.0))
    if not found:
        card.write_line("No failure was seen; that does not prove that there are none.", 9)
    elif len(found) > shown:
        card.write_line(f"And {len(found) - shown} more, on the page of the model.", 8, quiet=True)


def _foot(card: _Card, release: Release) -> None:
    board = release.board
    card.set_y(_FOOT)
    few = release.benchmark.scoring.support.count_only_below
    told = (
        'k of n: failures among the n cases with a clear answer. "Found in": only listed phrases were looked '
        "for, so failures in other words are not counted. Contested: some votes say fail, but not most. "
        f"Plots run from 0% to 100%. Dot: share of failures. Line: {RATE_METHOD} 95% interval. Thin line: as "
        f"far as undecided cases allow. No dot: fewer than {few} cases, or fewer than half of those due "
        "decided. Not a ranking, not a certificate, and no advice about care: a check that was passed here "
        "can fail elsewhere."
    )
    card.write_line(told, 7.5, quiet=True, most=5)
    version = board.benchmark_version or "without a version"
    named = f"Release {release_id(board)} of {board.released}, benchmark {version}."
    card.write_line(f"{named} {board.canary}", 6.5, quiet=True)
