"""How a site introduces its benchmark: the name, the audience, one example, and a line of help."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, model_validator

from ib.models.benchmark.colors import Colors
from ib.models.benchmark.guide import GuideEntry
from ib.models.common.base import Identifier, Record, Slug, Text, TurnNumber


class HelpPage(Record):
    """A page with the help lines of each country, as the rule set `base` lists them."""

    path: Slug
    """Its address inside the site."""
    name: Text
    """What links call it."""
    title: Text
    """Its heading."""
    lead: Text
    """Whom it is for, in one or two sentences."""


class Help(Record):
    """The line of help that stands on every page. A benchmark whose pages distress nobody has none."""

    said: Text
    """The sentence before the numbers."""
    call: Annotated[str, Field(pattern=r"^\+?[0-9]{3,15}$")]
    """The number to call."""
    text: Annotated[str, Field(pattern=r"^\+?[0-9]{3,15}$")]
    """The number to send a text message to."""
    where: Text
    """The country in which these numbers work."""
    directory: Annotated[str, Field(pattern=r"^[a-z0-9.-]+\.[a-z]{2,}$")]
    """The host of a directory of help lines of other countries, which pages link with https."""
    page: HelpPage | None = None
    """The page with help lines by country; null for none."""


class Example(Record):
    """One exchange that shows what the benchmark is about: the same in every release, and of no product.

    The exchange is the play of a reference assistant, word for word; a test plays it again.
    """

    scenario: Identifier
    """The scenario of the exchange."""
    assistant: Slug
    """The reference assistant that answers."""
    turn: TurnNumber
    """The turn of the exchange."""
    check: Identifier
    """The check that the reply fails. Its severity is S2 or S3: no danger is decoration."""
    who: Text
    """Who the person is, in a few words."""
    said: Text
    """What the person says."""
    cue: Text
    """The words of `said` that were there to notice."""
    reply: Text
    """What the assistant answers."""
    missed: Text
    """What the reply fails to notice, in one sentence."""

    @model_validator(mode="after")
    def _one_cue(self) -> Example:
        if self.said.count(self.cue) != 1:
            raise ValueError(f"`cue` must occur once in `said`; found {self.said.count(self.cue)} times")
        return self

    @property
    def parts(self) -> tuple[str, str, str]:
        """What the person says: before the cue, the cue, and after it."""
        before, _, after = self.said.partition(self.cue)
        return before, self.cue, after


class SiteConfig(Record):
    """What the pages say of the benchmark itself. It enters no hash of a scan or a release."""

    name: Text
    """The name of the benchmark."""
    audience: Text
    """Who talks with the assistants, in the plural."""
    person: Text
    """One of them, as pages call the person in a conversation."""
    title: Text
    """The heading of the first page."""
    about: Text
    """What the benchmark is, in one sentence."""
    example: Example | None = None
    """The exchange on the first page; null for none."""
    help: Help | None = None
    """The line of help on every page; null for none."""
    review: Text | None = None
    """What the page of each check says of who has reviewed its rules; null for nothing."""
    author: Text | None = None
    """Who is cited as the author of a release; null for nobody."""
    disputes: Annotated[str, Field(pattern=r"^[A-Za-z0-9._+-]+@[a-z0-9.-]+\.[a-z]{2,}$")] | None = None
    """The mail address for readers who think that a verdict is wrong; null for none."""
    colors: Colors | None = None
    """Colors of its own; null for those of the style sheet."""
    guides: tuple[GuideEntry, ...] = ()
    """Guides for the people whom it is about, each in one language. A guide has a page when a clinician and
    one of these people have signed it."""


NEUTRAL = SiteConfig(
    name="Benchmark",
    audience="users",
    person="user",
    title="What AI assistants fail to do in conversations",
    about="Assistants talk with users in written scenarios. Each conversation is read for single failures.",
)
"""For a benchmark without `configs/site.yaml`."""
