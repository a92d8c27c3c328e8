"""`ib site check`: whatever a page holds is a finding and never a traceback."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from delivery.build.policy import with_policy

HEAD = with_policy('<meta charset="utf-8">').encode()
"""Two lines that every page has."""
Call = Callable[..., tuple[int, str, str]]


@pytest.mark.parametrize(
    ("name", "content", "what"),
    [
        ("index.html", b'<a href="http://[x">x</a>', "'http://[x' is not a valid address"),
        ("index.html", b'<img src="//[x">', "'//[x' is not a valid address"),
        ("index.html", b"<p>caf\xe9</p>", "is not UTF-8"),
        ("index.html", b"<p>x</p>\n<![foo[", "line 3 has a marked section `<![...`, which is not valid HTML"),
        ("index.html", b"<![ x", "line 2 has a marked section `<![...`, which is not valid HTML"),
        ("x.css", b"p { background: url(//[x) }", "'//[x' is not a valid address"),
        ("x.css", b"/* caf\xe9 */", "is not UTF-8"),
    ],
)
def test_what_cannot_be_read_is_a_finding(
    name: str, content: bytes, what: str, ib: Call, tmp_path: Path
) -> None:
    """An address that is none, and a file that is no text, are named with their page; exit 1."""
    (tmp_path / "index.html").write_bytes(HEAD + b"<p>x</p>")
    (tmp_path / "other.html").write_bytes(HEAD + b'<a href="index.html#top">x</a>')
    (tmp_path / name).write_bytes(HEAD + content if name.endswith(".html") else content)
    code, out, _ = ib("site", "check", tmp_path, "--json")
    assert (code, json.loads(out)) == (1, [{"path": name, "what": what}])
