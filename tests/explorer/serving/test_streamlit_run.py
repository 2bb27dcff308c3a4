"""The app without our server, as people start it who know Streamlit."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import time

import pytest

from tests.explorer.frames.client import Page
from tests.explorer.frames.server import ROOT


@pytest.fixture
def port(tmp_path):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        number = free.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", str(ROOT / "explorer/app.py")]
    with (tmp_path / "log.txt").open("w") as log:
        process = subprocess.Popen(
            [*command, "--server.port", str(number)],
            cwd=tmp_path,
            env={**os.environ, "NIP_EXPLORER_DATABASE": f"sqlite:///{tmp_path}/episodes.db"},
            stdout=log,
            stderr=log,
        )
    for _ in range(2_000):
        with socket.socket() as line:
            if not line.connect_ex(("127.0.0.1", number)):
                break
        time.sleep(0.1)
    yield number
    process.kill()
    process.wait(120)


def test_it_works_for_this_machine(port, tmp_path):
    page = Page(port, "play", {"protocol": "nip"})
    page.rerun()
    page.click("Begin")
    assert page.has_table
    page.close()
    # What it lacks is said where it is missed.
    page = Page(port, "room", {})
    page.rerun()
    assert "start it by the command nip-explorer" in page.said.replace("\\", "")
    page.close()
    log = (tmp_path / "log.txt").read_text()
    assert "Traceback" not in log
    # It listens to nobody else.
    assert set(re.findall(r"http://([\d.]+|\w+):", log)) <= {"127.0.0.1", "localhost"}
