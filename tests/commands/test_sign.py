"""Signed releases: who signed is checked and shown, and nothing of a key is written."""

from __future__ import annotations

import html
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from ib.pipeline.release.publish import release as publish
from tests.pipeline import verifying

Call = Callable[..., tuple[int, str, str]]
pytestmark = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen is not installed")


def make_key(folder: Path, name: str) -> Path:
    """A new key without a passphrase."""
    path = folder / f"secret-place-of-{name}"
    options = ["-q", "-t", "ed25519", "-N", "", "-C", name, "-f", str(path)]
    subprocess.run(["ssh-keygen", *options], check=True)
    return path


def signers(folder: Path, **keys: Path) -> Path:
    """A file of allowed signers."""
    path = folder / "allowed"
    lines = [f"{name}@example.org {key.with_suffix('.pub').read_text()}" for name, key in keys.items()]
    path.write_text("".join(lines))
    return path


@pytest.fixture
def scan(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return verifying.scanned(tmp_path_factory)


@pytest.fixture
def signed(ib: Call, scan: Path, tmp_path: Path) -> tuple[Path, Path, Path]:
    """A release signed by Ada, the signers Ada and Bo, and a file with Bo alone."""
    ada, bo = make_key(tmp_path, "ada"), make_key(tmp_path, "bo")
    code, _, err = ib("publish", scan, "--stage", "demo", "--out", tmp_path / "release", "--sign", ada)
    assert (code, "signed" in err) == (0, True), err
    both = signers(tmp_path, ada=ada, bo=bo)
    only = tmp_path / "other"
    only.mkdir()
    return tmp_path / "release", both, signers(only, bo=bo)


def test_a_signature_names_who_signed(ib: Call, signed: tuple[Path, Path, Path]) -> None:
    """By the list of allowed signers; without it the key is named, and with another list it is refused."""
    release, both, other = signed
    code, out, _ = ib("verify", release, "--allowed-signers", both)
    assert (code, "signed by ada@example.org (key SHA256:" in out) == (0, True), out
    code, out, _ = ib("verify", release)
    assert (code, "held against no list of signers" in out) == (0, True), out
    code, out, err = ib("verify", release, "--allowed-signers", other)
    assert (code, "is no key of the allowed signers" in err) == (1, True), err
    for path in release.rglob("*"):
        assert path.is_dir() or b"secret-place" not in path.read_bytes(), path


def test_python_signs_as_the_command_does(ib: Call, scan: Path, tmp_path: Path) -> None:
    """`ib.release(sign=KEY)` writes a signature that `ib verify` accepts."""
    ada = make_key(tmp_path, "ada")
    publish(scan, out=tmp_path / "made", stage="demo", sign=ada)
    code, out, _ = ib("verify", tmp_path / "made", "--allowed-signers", signers(tmp_path, ada=ada))
    assert (code, "signed by ada@example.org" in out) == (0, True), out


def test_whoever_seals_again_does_not_sign(
    ib: Call, signed: tuple[Path, Path, Path], tmp_path: Path, release: Path
) -> None:
    """A release that holds by itself, such as one of another day, has not the signature of this one."""
    ours, both, _ = signed
    other = shutil.copytree(release, tmp_path / "other-release")
    shutil.copy(ours / "qa.json.sig", other / "qa.json.sig")
    (other / "qa.json").write_bytes((other / "qa.json").read_bytes())
    verifying.edit(other, "qa.json", lambda qa: qa["checked"].update({"cost_report.json": "0" * 64}))
    verifying.reseal(other)
    code, _, err = ib("verify", other, "--allowed-signers", both)
    assert (code, "is not one over this release" in err) == (1, True), err


@pytest.fixture
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return verifying.released(tmp_path_factory)


def test_an_unsigned_release_is_refused_where_a_signer_is_asked_for(
    ib: Call, release: Path, tmp_path: Path
) -> None:
    """Without the option it is called unsigned, and passes."""
    allowed = signers(tmp_path, ada=make_key(tmp_path, "ada"))
    code, out, _ = ib("verify", release)
    assert (code, "unsigned: who judged" in out) == (0, True)
    code, _, err = ib("verify", release, "--allowed-signers", allowed)
    assert (code, "a signature of an allowed signer was asked for" in err) == (1, True)


@pytest.mark.gate
def test_pages_say_who_signed(ib: Call, signed: tuple[Path, Path, Path], tmp_path: Path) -> None:
    """The data page and the page about the release name the signer, and a release with another is no site."""
    release, both, other = signed
    site = tmp_path / "site"
    code, _, err = ib("site", "build", "--release", release, "--out", site, "--allowed-signers", both)
    assert code == 0, err
    for page in ("data", "about"):
        text = html.unescape((site / page / "index.html").read_text("utf-8"))
        assert "Signed by ada@example.org (key SHA256:" in text
    assert (site / "data" / "qa.json.sig").read_bytes() == (release / "qa.json.sig").read_bytes()
    code, _, err = ib("site", "build", "--release", release, "--out", site, "--allowed-signers", other)
    assert (code, "is no key of the allowed signers" in err) == (1, True)


def test_a_signed_release_is_replaced_like_any_other(
    ib: Call, signed: tuple[Path, Path, Path], scan: Path
) -> None:
    """The signature is a file of the release, and goes with it."""
    release, _, _ = signed
    code, _, err = ib("publish", scan, "--stage", "demo", "--out", release, "--yes")
    assert (code, "unsigned; --sign KEY signs a release" in err) == (0, True), err
    assert not (release / "qa.json.sig").exists()


def test_without_ssh_keygen_the_message_says_so(
    ib: Call, release: Path, scan: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exit 4, and nothing is published. A release that is not to be signed needs no such program."""
    key = make_key(tmp_path, "ada")
    monkeypatch.setenv("PATH", str(tmp_path))
    code, _, err = ib("publish", scan, "--stage", "demo", "--out", tmp_path / "new", "--sign", key)
    assert (code, "ssh-keygen is not there" in err) == (4, True), err
    assert not (tmp_path / "new").exists()
    assert ib("verify", release)[0] == 0


def test_a_file_that_is_no_signature_is_bad_data(ib: Call, release: Path, tmp_path: Path) -> None:
    """Whatever stands in its place is named."""
    folder = verifying.copied(release, tmp_path)
    (folder / "qa.json.sig").write_text("signed: Ada")
    code, _, err = ib("verify", folder)
    assert (code, "qa.json.sig: is no signature of ssh" in err) == (3, True), err
