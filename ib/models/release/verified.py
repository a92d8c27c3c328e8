"""What `ib verify` found: differences between a release and what follows from its source."""

from __future__ import annotations

from typing import Any, Literal

from ib.models.common.base import Record


class Difference(Record):
    """One figure, verdict or word of a release that does not follow from its source."""

    file: str
    """The file of the release."""
    model: str | None = None
    scenario: str | None = None
    check: str | None = None
    figure: str
    """The field, as keys joined by dots; empty for a whole file."""
    stated: Any = None
    """What the release says."""
    computed: Any = None
    """What follows from its source."""
    words: str
    """The difference in a sentence."""


class Signature(Record):
    """Whether a release is signed, and by whom."""

    state: Literal["unsigned", "not_checked", "good", "bad"]
    """`not_checked`: there is a signature, and no list of allowed signers was given. `bad`: the signature is
    none of an allowed signer over this release, or one was asked for and there is none."""
    signer: str | None = None
    """Who signed, as the list of allowed signers names the key."""
    key: str | None = None
    """The fingerprint of the key, as ssh writes it."""
    words: str
    """The same in a sentence."""


class Verified(Record):
    """The result of verifying one release."""

    release: str
    """The name of the folder."""
    stage: str
    """The stage of the release."""
    released: str
    """The day of the release."""
    schema_version: int
    computed: bool
    """True if the release was computed again from its source; False for an older one, which has none."""
    differences: tuple[Difference, ...]
    """What does not follow from the source."""
    unproven: tuple[str, ...]
    """What cannot be computed from the release, in sentences."""
    benchmark: tuple[str, ...]
    """How the benchmark of the release differs from that of this installation, one line for each file."""
    signature: Signature
    """Whether the release is signed."""

    @property
    def holds(self) -> bool:
        """True if everything that can be computed again is as the release says."""
        return not self.differences and self.signature.state != "bad"
