"""Signatures of files with the keys of ssh: `ssh-keygen -Y sign` and `ssh-keygen -Y verify`.

The path of a key is given to ssh-keygen and written nowhere. No key is read here.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from ib.errors import DataError, Refused, WorldError
from ib.models.release.verified import Signature

NAMESPACE = "release@invisiblebench"
"""What is signed: a signature made for another purpose does not count."""
TOOL = "ssh-keygen"
_ARMOR = re.compile(rb"\s*-----BEGIN SSH SIGNATURE-----\s+([A-Za-z0-9+/=\s]+)-----END SSH SIGNATURE-----\s*")
_MAGIC = b"SSHSIG"
UNSIGNED = Signature(
    state="unsigned",
    words="unsigned: who judged, the day, and replies that nothing quotes are as whoever made it says",
)


def sign(data: bytes, key: Path) -> bytes:
    """The signature over some bytes with a key of ssh: a private key, or a public one whose agent is running.

    Raises WorldError if ssh-keygen is missing, or cannot sign with this key.
    """
    done = _run(["-Y", "sign", "-f", str(key), "-n", NAMESPACE], data)
    if done.returncode != 0 or not _ARMOR.fullmatch(done.stdout):
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise WorldError(f"{TOOL} could not sign: {said[-1] if said else 'it gave no reason'}")
    return done.stdout


def checked(data: bytes, signature: bytes | None, signers: Path | None, name: str) -> Signature:
    """What a signature over some bytes says. `signers` is a file of allowed signers, as ssh-keygen reads it.

    Without `signers`, the key is named, and nothing is checked. Raises DataError if the signature has another
    form, and WorldError if ssh-keygen is missing where it is needed. `name` names the signature in messages.
    """
    if signature is None:
        words = "unsigned, and a signature of an allowed signer was asked for"
        return UNSIGNED if signers is None else Signature(state="bad", words=words)
    key = fingerprint(signature, name)
    if signers is None:
        words = f"signed with the key {key}, which was held against no list of signers"
        return Signature(state="not_checked", key=key, words=words)
    return _against(data, signature, signers, key)


def refuse_bad(signature: Signature, what: Path) -> None:
    """Raise Refused if a signature is not what it should be."""
    if signature.state == "bad":
        raise Refused(f"{what}: {signature.words}")


def fingerprint(signature: bytes, name: str) -> str:
    """The fingerprint of the key of a signature, as ssh writes it. Raises DataError for another form."""
    found = _ARMOR.fullmatch(signature)
    try:
        blob = b"" if found is None else base64.b64decode(b"".join(found[1].split()), validate=True)
        length = int.from_bytes(blob[10:14], "big")
    except binascii.Error:
        blob, length = b"", 0
    key = blob[14 : 14 + length]
    if blob[:6] != _MAGIC or not length or len(key) != length:
        raise DataError.one(name, None, "", "is no signature of ssh", f"a file that `{TOOL} -Y sign` wrote")
    hashed = base64.b64encode(hashlib.sha256(key).digest()).decode().rstrip("=")
    return f"SHA256:{hashed}"


def _against(data: bytes, signature: bytes, signers: Path, key: str) -> Signature:
    """The signature held against a file of allowed signers."""
    with tempfile.TemporaryDirectory(prefix="ib-signature-") as folder:
        path = Path(folder) / "signature"
        path.write_bytes(signature)
        found = _run(["-Y", "find-principals", "-s", str(path), "-f", str(signers)], data)
        names = found.stdout.decode("utf-8", "replace").splitlines()
        if found.returncode != 0 or not names:
            words = f"signed with the key {key}, which is no key of the allowed signers"
            return Signature(state="bad", key=key, words=words)
        signer = names[0].split(",")[0]
        options = ["-Y", "verify", "-f", str(signers), "-I", signer, "-n", NAMESPACE, "-s", str(path)]
        if _run(options, data).returncode != 0:
            words = f"the signature with the key {key} of {signer} is not one over this release"
            return Signature(state="bad", key=key, words=words)
    return Signature(state="good", signer=signer, key=key, words=f"signed by {signer} (key {key})")


def _run(options: list[str], data: bytes) -> subprocess.CompletedProcess[bytes]:
    tool = shutil.which(TOOL)
    if tool is None:
        hint = "install OpenSSH 8.2 or later, or leave out the signature"
        raise WorldError(f"{TOOL} is not there, which signs and checks signatures; {hint}")
    return subprocess.run([tool, *options], input=data, capture_output=True, check=False)
