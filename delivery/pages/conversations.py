"""The pages of open logs: a list, and a page for each conversation."""

from __future__ import annotations

from collections.abc import Iterator

from delivery.pages.page import Page
from delivery.release.view import Release


def pages(release: Release) -> Iterator[Page]:
    """The conversations of a release of open logs; nothing for any other release."""
    if not release.board.open_logs:
        return
    met = release.on_scenarios()
    yield Page("scenarios/index.md", "conversations.html", "Conversations")
    for entry in release.scenarios:
        here = met.get(entry.scenario_id, [])
        paths = [release.transcript_path(model, one.scenario_id, one.epoch) for model, one, _ in here]
        view = {"entry": entry, "met": here, "carried": any(path is not None for path in paths)}
        title = f"Conversation {entry.scenario_id}"
        yield Page(f"scenarios/{entry.slug}.md", "conversation.html", title, view, search=False)
