"""The first game, notebook, class and study, as their pages say it, in an empty folder, timed.

Commands and names of buttons come from the pages' text. Only installing is not done as it stands
there, because it downloads torch: the wheel is installed beside the packages of these tests, as in
`test_package.py`; `.ci/run` installs in a fresh clone. Since other tests run at the same time, the
three minutes are of processor time.
"""

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.browser.acting import click, fill
from tests.browser.waiting import answering, expect, patient
from tests.depth import exhaustive
from tests.docs.conftest import processor_seconds
from tests.test_package import built, installed

__all__ = ["built", "installed"]
pytestmark = exhaustive

ROOT = Path(__file__).parents[2]
MINUTES = 3
COMMANDS = 5
INSTALLS = ("python3 -m venv", ". .venv/bin/activate", "pip install", "make ")


def text_of(page: str) -> str:
    return (ROOT / "docs" / "start" / f"{page}.md").read_text("utf-8")


def commands_of(text: str) -> list[str]:
    """Return the commands of a page, in order."""
    blocks = re.findall(r"^ *```sh\n(.*?)^ *```$", text, re.DOTALL | re.MULTILINE)
    return [line.strip() for block in blocks for line in block.splitlines() if line.strip()]


def presses_of(text: str) -> list[str]:
    """Return what a page says to press: the bold words of its numbered steps."""
    steps = re.findall(r"^\d\. (.*(?:\n   .*)*)", text, re.MULTILINE)
    return [word for step in steps for word in re.findall(r"\*\*(.+?)\*\*", step)]


class Newcomer:
    """Somebody in an empty folder, in whose terminal the environment is active."""

    def __init__(self, python: Path, folder: Path) -> None:
        self.python, self.folder, self.began = python, folder, processor_seconds()
        self.around = {
            "PATH": f"{python.parent}:/usr/bin:/bin",
            "HOME": str(folder),
            "NIP_PROCESSOR_SECONDS": "600",
        }
        self.server = None

    def run(self, command: str) -> str:
        done = subprocess.run(
            shlex.split(command), cwd=self.folder, env=self.around, capture_output=True, text=True
        )
        assert done.returncode == 0, (command, done.stderr)
        return done.stdout

    def start(self, command: str) -> str:
        """Start the explorer at a free port, without opening a browser; return its address."""
        self.server = subprocess.Popen(
            [*shlex.split(command), "--port", "0", "--no-browser"],
            cwd=self.folder,
            env=self.around,
            stdout=subprocess.PIPE,
            text=True,
        )
        port = re.search(r":(\d+) ", self.server.stdout.readline())[1]
        answering(f"http://127.0.0.1:{port}/healthz", self.server)
        return f"http://127.0.0.1:{port}"

    def leave(self) -> None:
        if self.server:
            self.server.terminate()
            self.server.wait(60)
            self.server.stdout.close()
            self.server = None

    def in_time(self) -> None:
        self.leave()
        assert processor_seconds() - self.began < 60 * MINUTES


@pytest.fixture
def newcomer(installed, tmp_path):
    there = Newcomer(installed, tmp_path)
    with patient():
        yield there
    there.leave()


def own(page: str) -> list[str]:
    """Return the commands of a page after installing; with it there are few enough."""
    installing, commands = commands_of(text_of("install")), commands_of(text_of(page))
    assert all(each.startswith(INSTALLS) for each in installing)
    assert len(installing) + len(commands) <= COMMANDS
    return [each for each in commands if not each.startswith(INSTALLS)]


def test_the_first_game(newcomer, open_page):
    (command,) = own("first-game")
    page = open_page(newcomer.start(command))
    first, answer, _, choose = presses_of(text_of("first-game"))
    click(page.get_by_role("link", name=first).first)
    click(page.get_by_text(re.compile(rf"^{answer}: ")).first)
    click(page, choose, exact=True)
    click(page.get_by_role("button", name=re.compile("^Yes, ")))
    expect(page.get_by_text("The game ended in turn").first).to_be_visible()
    newcomer.in_time()


def test_the_first_notebook(newcomer):
    (command,) = own("first-notebook")
    *_, notebook = shlex.split(command)
    assert command == f"jupyter lab {notebook}"
    shutil.copytree(ROOT / "notebooks", newcomer.folder / "notebooks")
    code = (
        "import nbclient, nbformat, sys; found = nbformat.read(sys.argv[1], 4); "
        "nbclient.NotebookClient(found, kernel_name='python3').execute()"
    )
    newcomer.run(shlex.join([str(newcomer.python), "-c", code, notebook]))
    newcomer.in_time()


def test_the_first_class(newcomer, open_page):
    (command,) = own("first-class")
    text = text_of("first-class")
    page = open_page(newcomer.start(command))
    for line in newcomer.server.stdout:
        if found := re.search(r"password: (\S+)", line):
            break
    workshop, together, rehearse, _ = presses_of(text)
    lesson = re.search(r"choose a lesson. \*(.*?)\*", text.replace("\n  ", ""))[1]
    click(page.get_by_role("link", name=workshop).first)
    fill(page.get_by_label("Facilitator's password"), found[1], "Enter")
    click(page, together, role="radio")
    click(page.get_by_text(lesson, exact=True).first)
    click(page, rehearse)
    page.get_by_text("Bots: 30.").wait_for()
    newcomer.in_time()


def test_the_first_study(newcomer):
    play, show = own("first-study")
    (study,) = re.findall(r"```toml\n(.*?)```", text_of("first-study"), re.DOTALL)
    (newcomer.folder / "first.toml").write_text(study, "utf-8")
    newcomer.run(play)
    assert "careful" in newcomer.run(show)
    newcomer.in_time()
