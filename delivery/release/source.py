"""Where the templates, the theme and the configuration of the site are."""

from __future__ import annotations

from pathlib import Path


def site_source() -> Path:
    """The folder with mkdocs.yml and site_src: the parent folder in a checkout, `_site` in a wheel."""
    here = Path(__file__).resolve().parents[1]
    inside = here / "_site"
    return inside if inside.is_dir() else here.parent
