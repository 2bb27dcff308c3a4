"""Write `deploy/requirements.txt`: what the container image installs, each file with its hash.

torch is not among them, since its CPU build comes from an index of its own; the image installs the
version that `.ci/constraints.txt` names. Neither is what only torch's CUDA build needs.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOCK = ROOT / "deploy" / "requirements.txt"
# The extras of the image, and its Python (`Dockerfile`).
EXTRAS, PYTHON = ("llm", "login", "postgres"), "3.12"
ABOUT = "# Written by `make lock`; `Dockerfile` installs it.\n"
ONLY_FOR_CUDA = re.compile(r"(nvidia|cuda)-|triton==")


def main() -> None:
    """Ask the index for the newest versions, and write the file."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    with tempfile.NamedTemporaryFile("w", suffix=".in") as building:
        building.write("\n".join(project["build-system"]["requires"]))
        building.flush()
        said = subprocess.run(
            [
                *(Path(sys.executable).parent / "uv", "pip", "compile", "--quiet"),
                *(ROOT / "pyproject.toml", building.name),
                *(part for extra in EXTRAS for part in ("--extra", extra)),
                *("--constraint", ROOT / ".ci" / "constraints.txt", "--no-emit-package", "torch"),
                *("--python-version", PYTHON, "--python-platform", "x86_64-unknown-linux-gnu"),
                *("--generate-hashes", "--no-header", "--no-annotate"),
            ],
            check=True,
            stdout=subprocess.PIPE,
            text=True,
        ).stdout
    packages = re.split(r"^(?=\S)", said, flags=re.MULTILINE)
    kept = "".join(each for each in packages if not ONLY_FOR_CUDA.match(each))
    LOCK.write_text(ABOUT + kept, "utf-8")


if __name__ == "__main__":
    main()
