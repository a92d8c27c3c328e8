"""Who read a conversation and said what happened in it: the name in public, and the role."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import Field

Pseudonym = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9 ._-]{0,39}$")]
"""What a reader is called in public: letters, digits, spaces, dots, hyphens; at most 40."""


class ReaderRole(StrEnum):
    """Who reads."""

    CLINICIAN = "clinician"
    CAREGIVER = "caregiver"
    RESEARCHER = "researcher"
    OTHER = "other"
    LANGUAGE_MODEL = "language_model"
    """No person. What a language model answers decides nothing and is never called human."""

    @property
    def is_person(self) -> bool:
        """True for people, whose answers decide."""
        return self is not ReaderRole.LANGUAGE_MODEL
