"""Write the lock files of the dependencies, with hashes and without the address of a package index."""

from __future__ import annotations

import hashlib
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
INSPECT = "inspect-ai\ninspect-evals-lint\ninspect-scout\nmlcroissant\n"
"""What plugins/inspect/tests need beside .venv, which their environment borrows."""
VALIDATOR = "every-eval-ever"
"""It asks for Python 3.12 and for packages that its validator does not use, so it is installed alone."""
OTHER_VERSIONS = ("boto3", "botocore", "s3transfer")
"""What s3fs needs in other versions than dev.txt has. Inspect needs an older fsspec, too."""


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


def lock_alone(package: str) -> None:
    """Write the lock file of one package without what it needs, whatever Python it asks for."""
    with tempfile.TemporaryDirectory() as folder:
        options = ("--quiet", "--no-deps", "--ignore-requires-python", "--dest", folder)
        subprocess.run([sys.executable, "-m", "pip", "download", *options, package], check=True)
        (wheel,) = Path(folder).glob("*.whl")
        found = hashlib.sha256(wheel.read_bytes()).hexdigest()
    locked = f"{package}=={wheel.name.split('-')[1]} \\\n    --hash=sha256:{found}\n"
    (FOLDER / f"{package}.txt").write_text(locked)


def constraints(folder: Path, *others: str) -> Path:
    """A file with the versions of dev.txt, without OTHER_VERSIONS and `others`."""
    versions = re.findall(r"^([a-z0-9._-]+)==(\S+)", (FOLDER / "dev.txt").read_text(), re.MULTILINE)
    path = folder / "constraints.txt"
    kept = [f"{name}=={version}\n" for name, version in versions if name not in (*OTHER_VERSIONS, *others)]
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
        compile_text("inspect.txt", INSPECT, "-c", str(constraints(Path(folder), "fsspec")))
    lock_alone(VALIDATOR)


if __name__ == "__main__":
    main()
