"""The Python of README and docs runs, each page by itself, from top to bottom.

Pages that continue each other, or need files, have tests of their own; `ELSEWHERE` says where.
"""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from explorer.cli import make_parser
from explorer.storage import open_storage
from nip_core import Episode, bundled_tasks
from tests.depth import FULL, exhaustive, short

ROOT = Path(__file__).parents[2]
ELSEWHERE = {
    "docs/design/baseline.md": "tests/explorer/studies/test_format.py",
    "docs/howto/notebooks.md": "tests/test_tutorials.py",
    "docs/howto/prediction.md": "tests/explorer/studies/test_format.py",
    "docs/howto/studies.md": "tests/explorer/studies/test_format.py",
    "docs/howto/write-a-protocol.md": "tests/language/test_docs.py",
    "docs/reference/language.md": "tests/language/test_docs.py",
    "docs/reference/studies.md": "tests/explorer/studies/test_format.py",
    "docs/reference/upgrade.md": "tests/docs/test_pages.py",
}
BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)


def blocks_of(page: str) -> list[str]:
    return BLOCK.findall((ROOT / page).read_text("utf-8"))


def pages() -> list[str]:
    """Return all pages with Python."""
    files = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    names = (path.relative_to(ROOT).as_posix() for path in files)
    return [name for name in names if blocks_of(name)]


def test_pages_that_are_tested_elsewhere_are_there():
    assert set(ELSEWHERE) <= set(pages())
    assert all((ROOT / test).is_file() for test in ELSEWHERE.values())


PAGES = [page for page in pages() if page not in ELSEWHERE]
# Each page has its own names and folder.
RUN = """
import json, os, sys, tempfile
for page, code in json.load(sys.stdin):
    os.chdir(tempfile.mkdtemp())
    exec(compile(code, page, "exec"), {"__name__": "__main__"})
print("All pages have run.")
"""
# What the output of a page contains.
PRINTS = {"docs/howto/library.md": r"tensor\(\[\[\s*1\.,\s*1\.\],\s*\[\s*0\.,\s*-1\.\]\]\)"}


# In one process, which imports torch once; every night, each page in a process of its own.
@exhaustive
@pytest.mark.parametrize("some", [[page] for page in PAGES] if FULL else [PAGES], ids=short)
def test_the_python_of_a_page_runs(some, tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", RUN],
        input=json.dumps([(page, "\n".join(blocks_of(page))) for page in some]),
        env={**os.environ, "TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("All pages have run.\n")
    for page in {*some} & {*PRINTS}:
        assert re.search(PRINTS[page], done.stdout), done.stdout


def test_the_page_about_the_environment_names_each_variable():
    text = (ROOT / "docs/reference/environment.md").read_text("utf-8")
    code = [path.read_text("utf-8") for path in (ROOT / "explorer").rglob("*.py")]
    read = {name for each in code for name in re.findall(r'"(NIP_[A-Z_]+[A-Z])"', each)}
    # The other one is read by `make docs`.
    assert set(re.findall(r"NIP_[A-Z_]+", text)) == read | {"NIP_DOCS_APP"}
    options = re.findall(r"`(--[\w-]+)` \|", text)
    assert set(options) <= set(make_parser()._option_string_actions)


FORMAT = re.compile(r"^(?:const )?[A-Z_]*(?:FORMAT|OLDER)[A-Z_]* = (.*nip-.*)$", re.MULTILINE)


def test_the_upgrade_guide_names_each_format_of_the_code():
    text = (ROOT / "docs/reference/upgrade.md").read_text("utf-8")
    files = [
        path for part in ("nip_core", "explorer") for path in (ROOT / part).rglob("*.[pj][ys]")
    ]
    written = [one for file in files for one in FORMAT.findall(file.read_text("utf-8"))]
    formats = {name for one in written for name in re.findall(r"nip-[a-z-]+/\d", one)}
    assert {"nip-study/1", "nip-transcript/1", "nip-history/1", "nip-games/1"} <= formats
    assert formats == set(re.findall(r"nip-[a-z-]+/\d", text))


def test_the_copy_of_a_database_that_the_upgrade_guide_makes_is_whole(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with open_storage(f"sqlite:///{tmp_path}/episodes.db") as storage:
        kept = storage.create(Episode("nip", bundled_tasks("easy")[0]))
        for code in blocks_of("docs/reference/upgrade.md"):
            exec(compile(code, "upgrade.md", "exec"), {})
    with open_storage(f"sqlite:///{tmp_path}/copy.db") as copy:
        assert copy.entry(kept).id == kept


@exhaustive
def test_the_commands_of_the_readme_work_as_they_are(tmp_path):
    for page, name in (("start/first-study", "first"), ("howto/write-a-protocol", "open_debate")):
        text = (ROOT / "docs" / f"{page}.md").read_text("utf-8")
        # The last block is the whole file.
        *_, whole = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
        # One problem takes a fifth of the time of five.
        (tmp_path / f"{name}.toml").write_text(whole.replace("problems = 5", "problems = 1"))
    readme = (ROOT / "README.md").read_text("utf-8")
    lines = re.findall(r"^    nip-explorer (.*)$", readme, re.MULTILINE)
    assert len(lines) == 6
    printed = ""
    for line in lines:
        command = [sys.executable, "-m", "explorer", *shlex.split(line, comments=True)]
        done = subprocess.run(
            command,
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, (line, done.stderr)
        printed += done.stdout
    assert "careful" in printed
    assert "sceptical judge" in printed
    assert (tmp_path / "mnip.svg").stat().st_size > 1_000
