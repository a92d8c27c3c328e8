"""Write the lock files of the dependencies, with hashes and without the address of a package index."""

from __future__ import annotations

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


def compile_lock(name: str, *arguments: str) -> None:
    """Write one lock file with the versions of dev.txt, which locks everything."""
    output = FOLDER / name
    subprocess.run([sys.executable, "-m", *COMPILE, "-o", str(output), *arguments], check=True)


def main() -> None:
    """Write all lock files: dev.txt first, because the others use its versions."""
    compile_lock("dev.txt", "--extra", "test", "--extra", "dev", "pyproject.toml")
    compile_lock("run.txt", "-c", str(FOLDER / "dev.txt"), "pyproject.toml")
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "build.in"
        source.write_text(BUILD)
        compile_lock("build.txt", "-c", str(FOLDER / "dev.txt"), str(source))


if __name__ == "__main__":
    main()
