"""The content security policy: on every page, right after the charset, with the hash of each script."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path

import pytest

from delivery.build import policy

PAGE = '<!doctype html><head><meta charset="utf-8"><script>let a = 1</script></head>'
WANTED = (
    "default-src 'none'; script-src 'self' '{hash}'; style-src 'self'; img-src 'self' data:; "
    "font-src 'self'; connect-src 'self'; worker-src 'self'; manifest-src 'self'; "
    "base-uri 'none'; form-action 'none'"
)


def test_the_policy_stands_right_after_the_charset() -> None:
    """With the hash of the script, computed here by other code."""
    digest = base64.b64encode(hashlib.sha256(b"let a = 1").digest()).decode()
    meta = WANTED.replace("{hash}", f"sha256-{digest}")
    start, given = policy.with_policy(PAGE).split("\n")
    assert start == '<!doctype html><head><meta charset="utf-8">'
    assert given.startswith(f'<meta http-equiv="Content-Security-Policy" content="{meta}">')


def test_a_page_without_a_charset_is_an_error() -> None:
    """A page whose policy has no place is not published without one."""
    with pytest.raises(ValueError, match="has no <meta charset"):
        policy.with_policy("<p>x</p>")


SOUND = policy.with_policy(PAGE)


@pytest.mark.parametrize(
    ("page", "what"),
    [
        (PAGE, "has no content security policy"),
        (SOUND.replace("default-src 'none'", "default-src *"), "has another policy"),
        (SOUND.replace("'none'; script-src", "'none'; script-src 'unsafe-inline'"), "has another policy"),
        (SOUND + "<script>alert(1)</script>", "a script that its policy does not name"),
        (SOUND + "<SCRIPT type=module>alert(1)</SCRIPT>", "a script that its policy does not name"),
        (SOUND.replace("let a = 1", "let a = 2"), "a script that its policy does not name"),
        (SOUND.replace('<meta charset="utf-8">', '<meta charset="utf-8"><title>x</title>'), "another place"),
    ],
)
def test_a_page_that_breaks_its_policy_is_found(page: str, what: str) -> None:
    """A missing or changed policy, and each script that it does not allow."""
    (problem,) = policy.problems(page)
    assert what in problem


def test_data_and_files_need_no_hash() -> None:
    """JSON in a page does not run, and scripts of the site's own files are allowed by their place."""
    data = '<script type="application/json">{}</script><script src="ib/site.js" defer></script>'
    assert policy.problems(SOUND + data) == []


def test_every_page_keeps_the_policy(site: Path) -> None:
    """The built pages, the 404 page too, have one inline script, whose hash is the same everywhere."""
    found = set()
    for page in site.rglob("*.html"):
        html = page.read_text("utf-8")
        assert policy.problems(html) == [], page
        found.add(html.split("script-src ")[1].split(";")[0])
    assert len(found) == 1
    assert found.pop().count("sha256-") == 1
