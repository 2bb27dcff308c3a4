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
    folder = tmp_path_factory.mktemp("installed")
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir"]
    subprocess.run([*command, folder, ROOT], check=True)
    (wheel,) = folder.glob("*.whl")
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    packages = folder / "venv" / "lib" / version / "site-packages"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(packages)
    return folder


def complaints(folder, source):
    """Return what a strict type checker says about the imports of a program."""
    (folder / "program.py").write_text(source, "utf-8")
    settings = {
        "include": ["program.py"],
        "venvPath": ".",
        "venv": "venv",
        "typeCheckingMode": "off",
        **dict.fromkeys(RULES, "error"),
    }
    (folder / "pyrightconfig.json").write_text(json.dumps(settings), "utf-8")
    command = [Path(sys.executable).parent / "basedpyright", "--outputjson", "-p", folder]
    report = json.loads(subprocess.run(command, capture_output=True, text=True).stdout)
    return [found["message"] for found in report["generalDiagnostics"]]


@exhaustive
def test_type_checkers_take_every_documented_import(installed):
    imports = sorted({line for source in programs() for line in ours(source)})
    assert len(imports) > 30
    assert complaints(installed, "\n".join(imports)) == []


@exhaustive
def test_a_name_that_is_not_exported_is_found(installed):
    (said,) = complaints(installed, "from explorer.notebook import TYPE_CHECKING\n")
    assert "not exported" in said
