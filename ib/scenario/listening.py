"""Whether a reply says what a listening listens for, and how well the listening hears its own sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from ib.errors import Finding, Level
from ib.models.conversation.listening import Listening, Wording
from ib.text.normalize import Normalized, normalize
from ib.text.occurrences import Guarded, guarded

LEAST_HEARD = 0.9
"""The least share of the sentences that say it which a listening must hear."""
MOST_MISHEARD = 1
"""How many sentences that do not say it a listening may hear."""


def hears(listening: Listening, text: Normalized) -> bool:
    """True if a text holds a phrase of the listening."""
    return any(next(phrase.spans(text), None) is not None for phrase in _compiled(listening))


class Heard(NamedTuple):
    """The sentences on which a listening is wrong."""

    missed: tuple[str, ...]
    """Sentences that say it and are not heard."""
    misheard: tuple[str, ...]
    """Sentences that do not say it and are heard."""


def tried(listening: Listening) -> Heard:
    """Try a listening on its own sentences."""
    return Heard(
        tuple(text for text in listening.said if not hears(listening, normalize(text))),
        tuple(text for text in listening.not_said if hears(listening, normalize(text))),
    )


def listening_problems(listenings: Mapping[str, Listening]) -> Iterator[Finding]:
    """Listenings that miss too much or hear too much. The `file` of a finding is the listening's name."""
    for name, listening in listenings.items():
        level = Level.NOTICE if listening.is_draft else Level.ERROR
        heard = tried(listening)
        most = int(len(listening.said) * (1 - LEAST_HEARD))
        if len(heard.missed) > most:
            found = f"does not hear {len(heard.missed)} of {len(listening.said)}: {_quoted(heard.missed)}"
            yield Finding.at(name, None, "said", found, f"at most {most}", level)
        if len(heard.misheard) > MOST_MISHEARD:
            found = f"hears {len(heard.misheard)} of {len(listening.not_said)}: {_quoted(heard.misheard)}"
            yield Finding.at(name, None, "not_said", found, f"at most {MOST_MISHEARD}", level)


def _quoted(texts: tuple[str, ...]) -> str:
    return "; ".join(repr(text) for text in texts[:5])


def _compiled(listening: Listening) -> tuple[Guarded, ...]:
    return _guarded(listening.phrases, tuple(listening.words.items()))


@lru_cache(maxsize=256)
def _guarded(
    phrases: tuple[Wording, ...], words: tuple[tuple[str, tuple[str, ...]], ...]
) -> tuple[Guarded, ...]:
    known = dict(words)
    return tuple(
        guarded(one.phrase, known, not_before=one.not_before, not_after=one.not_after) for one in phrases
    )
