"""The content security policy of every page: nothing runs or loads that the build did not put there."""

from __future__ import annotations

import base64
import hashlib
import re

_CHARSET = '<meta charset="utf-8">'
_INLINE = re.compile(r"<script>(.*?)</script>", re.DOTALL)
"""Scripts in the page. Scripts with a type, such as JSON, are data and do not run."""
_SCRIPT = re.compile(r"<script\b([^>]*)>(.*?)</script>", re.DOTALL | re.IGNORECASE)
_META = re.compile(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">')
_DATA = re.compile(r"""type=["']?application/(?:ld\+)?json""", re.IGNORECASE)
_RULES = (
    "default-src 'none'; script-src {scripts}; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'"
)


def with_policy(html: str) -> str:
    """The page with its policy right after the charset. Raises ValueError if the page names no charset."""
    if _CHARSET not in html:
        raise ValueError(f"the page has no {_CHARSET}, after which its policy stands")
    scripts = " ".join(["'self'", *dict.fromkeys(_hash(one) for one in _INLINE.findall(html))])
    meta = f'<meta http-equiv="Content-Security-Policy" content="{_RULES.format(scripts=scripts)}">'
    return html.replace(_CHARSET, f"{_CHARSET}\n{meta}", 1)


def problems(html: str) -> list[str]:
    """How a page breaks the rules: no policy, another policy, or a script that its policy does not name."""
    found = _META.search(html)
    if found is None:
        return ["has no content security policy"]
    given = found[1]
    hashes = [part for part in given.split() if part.startswith("'sha256-")]
    if not html.partition(_CHARSET)[2].lstrip().startswith(found[0]):
        return ["has its policy in another place than right after the charset"]
    if given != _RULES.format(scripts=" ".join(["'self'", *(part.rstrip(";") for part in hashes)])):
        return [f"has another policy: {given}"]
    inline = [text for attributes, text in _SCRIPT.findall(html) if _runs(attributes)]
    named = {part.rstrip(";") for part in hashes}
    return [
        f"has a script that its policy does not name: {one[:60]!r}"
        for one in inline
        if _hash(one) not in named
    ]


def _runs(attributes: str) -> bool:
    """True if a script stands in the page and is code."""
    return "src=" not in attributes.lower() and _DATA.search(attributes) is None


def _hash(script: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"
