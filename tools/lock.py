"""Write the lock files of the dependencies, with hashes and without the address of a package index."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

COMPILE = (
    "piptools",
    "compile",
    "--quiet",
    "--strip-extras",
    "--allow-unsafe",
    "--generate-hashes",
    "--no-header",
    "--no-emit-index-url",
    "--no-emit-find-links",
    "--no-emit-trusted-host",
    "--no-emit-options",
    "--no-annotate",
)
FOLDER = Path("requirements")
BUILD = "hatchling>=1.27\neditables>=0.5\n"
SERVERS = "litellm[proxy]=={litellm}\nfakellm>=0.3.5\n"
"""The servers of tests/providers, in an environment of their own. They need other versions than this package:
only litellm has the version of dev.txt."""
ENGINES = "flask\nflask-cors\nmoto[s3]>=5\nray>=2.54\ns3fs>=2024.10\n"
"""What tests/engines needs beside .venv, which its environment borrows."""
OTHER_VERSIONS = ("boto3", "botocore", "s3transfer")
"""What s3fs needs in other versions than dev.txt has."""


def compile_lock(name: str, *arguments: str) -> None:
    """Write one lock file with the versions of dev.txt, which locks everything."""
    output = FOLDER / name
    subprocess.run([sys.executable, "-m", *COMPILE, "-o", str(output), *arguments], check=True)


def compile_text(name: str, requirements: str, *arguments: str) -> None:
    """Write the lock file of requirements that no file of the project holds."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "requirements.in"
        source.write_text(requirements)
        compile_lock(name, *arguments, str(source))


def locked(package: str) -> str:
    """The version of a package in dev.txt. Raises LookupError if dev.txt does not have it."""
    text = (FOLDER / "dev.txt").read_text()
    found = re.search(rf"^{re.escape(package)}==(\S+)", text, re.MULTILINE)
    if found is None:
        raise LookupError(f"{FOLDER / 'dev.txt'} has no {package}")
    return found[1]


def constraints(folder: Path) -> Path:
    """A file with the versions of dev.txt, without OTHER_VERSIONS."""
    versions = re.findall(r"^([a-z0-9._-]+)==(\S+)", (FOLDER / "dev.txt").read_text(), re.MULTILINE)
    path = folder / "constraints.txt"
    kept = [f"{name}=={version}\n" for name, version in versions if name not in OTHER_VERSIONS]
    path.write_text("".join(kept))
    return path


def main() -> None:
    """Write all lock files: dev.txt first, because the others use its versions."""
    compile_lock("dev.txt", "--extra", "test", "--extra", "dev", "pyproject.toml")
    compile_lock("run.txt", "-c", str(FOLDER / "dev.txt"), "pyproject.toml")
    compile_text("build.txt", BUILD, "-c", str(FOLDER / "dev.txt"))
    compile_text("servers.txt", SERVERS.format(litellm=locked("litellm")))
    with tempfile.TemporaryDirectory() as folder:
        compile_text("engines.txt", ENGINES, "-c", str(constraints(Path(folder))))


if __name__ == "__main__":
    main()
