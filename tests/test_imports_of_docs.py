"""Type checkers take every import in README, docs and notebooks, against the built wheel."""

import ast
import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import nbformat
import pytest

from tests.depth import exhaustive
from tests.judges import judge

ROOT = Path(__file__).parent.parent
BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)
RULES = ("reportPrivateImportUsage", "reportAttributeAccessIssue", "reportMissingImports")


def programs():
    """Yield the Python of all documents, a block or cell at a time."""
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))):
        yield from BLOCK.findall(path.read_text("utf-8"))
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        yield from (c.source for c in nbformat.read(path, 4).cells if c.cell_type == "code")


def ours(source):
    """Yield the import statements of our packages in a program."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom):
            modules = [node.module or ""]
        elif isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        else:
            continue
        if any(module.split(".")[0] in ("nip_core", "explorer") for module in modules):
            yield ast.unparse(node)


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """Return an environment in which only our wheel is installed, as far as types are concerned."""
    judge("hatchling")
    folder = tmp_path_factory.mktemp("installed")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    packages = folder / "venv" / "lib" / version / "site-packages"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(packages)
    return folder


@pytest.fixture(scope="module")
def complaints(installed):
    """Return what a strict type checker says about the imports of two programs, by their names.

    It reads our whole package for them, so both are checked at once.
    """
    imports = sorted({line for source in programs() for line in ours(source)})
    assert len(imports) > 30
    (installed / "documented.py").write_text("\n".join(imports), "utf-8")
    (installed / "planted.py").write_text("from explorer.notebook import TYPE_CHECKING\n", "utf-8")
    settings = {
        "include": ["documented.py", "planted.py"],
        "venvPath": ".",
        "venv": "venv",
        "typeCheckingMode": "off",
        **dict.fromkeys(RULES, "error"),
    }
    (installed / "pyrightconfig.json").write_text(json.dumps(settings), "utf-8")
    command = [Path(sys.executable).parent / "basedpyright", "--outputjson", "-p", installed]
    report = json.loads(subprocess.run(command, capture_output=True, text=True).stdout)
    said = {"documented": [], "planted": []}
    for found in report["generalDiagnostics"]:
        said[Path(found["file"]).stem].append(found["message"])
    assert report["summary"]["filesAnalyzed"] == 2
    return said


@exhaustive
def test_type_checkers_take_every_documented_import(complaints):
    assert complaints["documented"] == []


@exhaustive
def test_a_name_that_is_not_exported_is_found(complaints):
    (said,) = complaints["planted"]
    assert "not exported" in said
