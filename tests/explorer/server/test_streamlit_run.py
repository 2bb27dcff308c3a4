"""`streamlit run`, which people who know Streamlit may try, says what to type instead."""

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
        with socket.socket() as connection:
            if not connection.connect_ex(("127.0.0.1", number)):
                break
        time.sleep(0.1)
    yield number
    process.kill()
    process.wait(120)


def test_it_says_what_to_type_and_nothing_else(port, tmp_path):
    for name in ("play", "room"):
        page = Page(port, name, {"protocol": "nip"})
        page.rerun()
        assert "start the explorer with the command nip-explorer" in page.said.replace("\\", "")
        assert not page.has_table
        page.close()
    log = (tmp_path / "log.txt").read_text()
    assert "Traceback" not in log
    # It listens only on this machine.
    assert set(re.findall(r"http://([\d.]+|\w+):", log)) <= {"127.0.0.1", "localhost"}
