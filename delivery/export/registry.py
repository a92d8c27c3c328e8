"""The forms in which a release is exported. A new form is a module and one line here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from delivery.export import croissant, every_eval_ever, inspect_log, model_card
from delivery.release.view import Release

Export = Callable[[Release, Mapping[str, bytes]], Iterator[tuple[str, bytes]]]
"""Makes the files of an export, one after the other with its name, from a release and the bytes of its files
by their names. Equal releases give equal bytes."""

LOGS: Mapping[str, Export] = {"json": inspect_log.files, "eval": inspect_log.eval_files}
"""The formats in which Inspect keeps its logs, by the endings of their names."""
FORMS: Mapping[str, Export] = {
    "every-eval-ever": every_eval_ever.files,
    "inspect": LOGS["json"],
    "croissant": croissant.files,
    "model-card": model_card.files,
}
"""Each form by its name on the command line."""
