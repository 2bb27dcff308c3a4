"""Try the installed package with every Python that it is for: ``make pythons``.

For each version among the classifiers, the package is installed into a new environment and does
what `drive_package.py` asks for. A version that this machine does not have is named as not tried.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[1]
PREFIX = "Programming Language :: Python :: 3."
EXTRAS = "inspect,llm,login,notebook,pictures,postgres"


def versions() -> list[str]:
    """Return the versions that the package says it is for."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return [each.rpartition(" ")[2] for each in project["classifiers"] if each.startswith(PREFIX)]


def interpreter(version: str) -> str | None:
    """Return the program of a version: one on the path, or one of pyenv."""
    kept = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    found = [shutil.which(f"python{version}"), *kept.glob(f"{version}.*/bin/python")]
    asked = "import sys; print('%d.%d' % sys.version_info[:2])"
    for program in filter(None, found):
        # A shim of pyenv may be there without its Python.
        told = subprocess.run([program, "-c", asked], capture_output=True, text=True, check=False)
        if told.stdout.strip() == version:
            return str(program)
    return None


def drive(program: str, folder: Path) -> bool:
    """Install the package with a Python, and drive it in an empty folder."""
    subprocess.run([program, "-m", "venv", folder / "venv"], check=True)
    python, empty = folder / "venv" / "bin" / "python", folder / "empty"
    empty.mkdir()
    found = subprocess.run(
        [python, ROOT / ".make" / "torch_index.py"], capture_output=True, text=True, check=True
    )
    pip = [python, "-m", "pip", "install", "--quiet", *found.stdout.split()]
    subprocess.run([*pip, f"{ROOT}[{EXTRAS}]"], check=True)
    driver = [python, "-P", ROOT / "tests" / "drive_package.py"]
    around = {**os.environ, "HOME": str(empty)}
    return subprocess.run(driver, cwd=empty, env=around, check=False).returncode == 0


def main(drives: Callable[[str, Path], bool] = drive) -> int:
    """Try all versions; return 1 if one fails."""
    failed = False
    for version in versions():
        program = interpreter(version)
        if program is None:
            print(f"Python {version}: not tried, because this machine does not have it")
            continue
        with tempfile.TemporaryDirectory() as folder:
            works = drives(program, Path(folder))
        failed |= not works
        print(f"Python {version}: {'works' if works else 'FAILED'}", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
