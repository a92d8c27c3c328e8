"""How many passages the failures of a model are about."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, model_validator

from ib.models.common.base import Record

Count = Annotated[int, Field(ge=0)]


class Roots(Record):
    """FAIL rows of a model, and their roots. They are counts; no rate is made of them."""

    gate_failures: Count
    """FAIL rows of gate checks."""
    gate_roots: Count
    """Their roots: failures of one transcript with one root count once."""
    quality_failures: Count
    """FAIL rows of quality checks."""
    quality_roots: Count
    """Their roots."""

    @model_validator(mode="after")
    def _no_more_than_failures(self) -> Roots:
        for kind, failures, roots in (
            ("gate", self.gate_failures, self.gate_roots),
            ("quality", self.quality_failures, self.quality_roots),
        ):
            if roots > failures or bool(roots) is not bool(failures):
                raise ValueError(f"{failures} {kind} failures cannot have {roots} roots")
        return self
