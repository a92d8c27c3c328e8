"""Drawing: a key chooses a value for each slot of a scenario, and the values are written into its text.

The choice is HMAC-SHA256 (RFC 2104) of the family and the slot under the key, taken modulo the number of
values. One key so gives one draw of a whole corpus, and no draw says anything about another one.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ib.models.draw.keyed_slot import Form, KeyedSlot, Value, forms_of

REFERENCE = re.compile(r"\{([a-z][a-z0-9_]*)(?:\.([a-z][a-z0-9_]*))?\}")
"""A slot in a text: `{slot}`, or `{slot.form}` if its values have forms."""
KEY_BYTES = 32


@dataclass(frozen=True, slots=True)
class DrawKey:
    """The key of a draw. Only its hash may be written anywhere."""

    secret: bytes

    @property
    def hash(self) -> str:
        """The SHA-256 of the key, which names the draw."""
        return hashlib.sha256(self.secret).hexdigest()

    def choose(self, family: str, slot: str, count: int) -> int:
        """The index of the value that the key chooses among `count`, for a slot of a family of scenarios."""
        made = hmac.digest(self.secret, f"{family}\0{slot}".encode(), "sha256")
        return int.from_bytes(made) % count

    def salt(self, family: str) -> str:
        """What is hashed with the words of a family of scenarios, so that nobody finds them by trying."""
        return hmac.digest(self.secret, f"\0{family}".encode(), "sha256").hex()

    def __repr__(self) -> str:
        return f"DrawKey({self.hash[:8]})"


def seeded(seed: str) -> DrawKey:
    """The key of a seed: to look at another draw, never to keep one secret."""
    return DrawKey(hashlib.sha256(f"seed\0{seed}".encode()).digest())


def chosen(slots: Mapping[Form, KeyedSlot], family: str, key: DrawKey) -> dict[Form, Value]:
    """The value of each slot under a key."""
    return {
        name: slot.values[key.choose(family, name, len(slot.values))] for name, slot in sorted(slots.items())
    }


def filled(text: str, values: Mapping[Form, Value]) -> str:
    """A text with the values of its slots. A reference to no slot stays as it is; lint finds it."""
    return REFERENCE.sub(lambda match: _word(match, values), text)


def _word(match: re.Match[str], values: Mapping[Form, Value]) -> str:
    value = values.get(match[1])
    return match[0] if value is None else forms_of(value).get(match[2] or "", match[0])


def references(text: str) -> Iterator[tuple[str, str]]:
    """The slot and the form of each reference in a text; the form is `""` for `{slot}`."""
    return ((match[1], match[2] or "") for match in REFERENCE.finditer(text))
