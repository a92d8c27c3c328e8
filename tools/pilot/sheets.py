"""What readers get: the question once, and the items. Nothing else: no verdict, no source, no stratum."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from tools.pilot.asking import Rendered


@dataclass(frozen=True)
class Sheet:
    """The items of one check as rendered, in the order of their numbers."""

    name: str
    """The id of the check or of the screening question."""
    questions: tuple[Rendered, ...]
    begins: str
    """The words with which the part of the question begins that no conversation changes."""

    def text(self, folder: str) -> str:
        """The file that a reader gets. The answers go to a file beside it.

        Each question is split into what belongs to the item and the words that end all or most of the
        questions, which stand once. Joined again by a blank line, they are the question as rendered.
        """
        system = self.questions[0][0]
        common = common_end([user for _, user in self.questions])
        common = common[max(0, common.find(self.begins)) :]
        parts = [
            f"# {self.name}: {len(self.questions)} items",
            "Answer each item by itself, as if it were the only one. The message of an item is what stands "
            "under its number, followed by the common words below, unless the item says that its message "
            "is complete.",
            f"Write `{folder}/{self.name}.READER.jsonl`, with `one` or `two` for READER: one line an item, "
            'such as {"item": 1, "reply": {...}}, where `reply` is the JSON object that the message asks '
            "for.",
            "# System message, the same for every item",
            system,
            "# Common words, which end the message of every item",
            common,
        ]
        for number, (_, user) in enumerate(self.questions, start=1):
            whole = not user.endswith(common)
            parts.append(f"# Item {number}{' (its message is complete)' if whole else ''}")
            parts.append(user if whole else user.removesuffix(common).rstrip("\n"))
        return "\n\n".join([*parts, ""])


def common_end(texts: Sequence[str]) -> str:
    """The longest end, in whole paragraphs, that most of the texts have in common."""
    parts = [text.split("\n\n") for text in texts]
    needed, common = len(texts) // 2 + 1, list[str]()
    while True:
        longer = Counter(
            tuple(one[-len(common) - 1 :])
            for one in parts
            if len(one) > len(common) + 1 and one[len(one) - len(common) :] == common
        )
        best = max(longer.items(), key=lambda item: item[1], default=((), 0))
        if best[1] < needed:
            return "\n\n".join(common)
        common = list(best[0])
