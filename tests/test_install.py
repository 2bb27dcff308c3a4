"""The README's install commands: which torch they install, and that none needs a compiler."""

import importlib.util
import socket
import sys
import threading
import time
import tomllib
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from tests.depth import exhaustive, first

ROOT = Path(__file__).parent.parent


@pytest.fixture
def chooser(monkeypatch):
    """Return the output of `.make/torch_index.py` on a Linux without a driver and pip settings."""
    place = importlib.util.spec_from_file_location("torch_index", ROOT / ".make/torch_index.py")
    module = importlib.util.module_from_spec(place)
    place.loader.exec_module(module)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(module, "has_nvidia_driver", lambda: False)
    monkeypatch.setattr(module, "own_settings", lambda: "")
    return module


@pytest.fixture(scope="module")
def index():
    """Return an index that has torch."""

    class Answer(BaseHTTPRequestHandler):
        def do_HEAD(self):
            self.send_response(200 if self.path == "/whl/cpu/torch/" else 404)
            self.end_headers()

        def log_message(self, *_):
            pass

    server = HTTPServer(("127.0.0.1", 0), Answer)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/whl/cpu"
    server.shutdown()
    server.server_close()


def test_without_a_driver_the_cpu_build_is_taken(chooser, index):
    chosen, reason = chooser.options({"TORCH_INDEX": index})
    assert chosen == f"--extra-index-url={index}"
    assert "CPU build" in reason


@pytest.mark.parametrize("path", ["/elsewhere", "/whl"])
def test_an_index_without_torch_is_none(chooser, index, path):
    address = index.replace("/whl/cpu", path)
    assert chooser.options({"TORCH_INDEX": address})[0] == ""


@exhaustive
def test_an_index_that_says_nothing_is_not_waited_for(chooser):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        start = time.monotonic()
        chosen, reason = chooser.options(
            {"TORCH_INDEX": f"http://127.0.0.1:{silent.getsockname()[1]}"}
        )
        waited = time.monotonic() - start
    assert chosen == ""
    assert "did not answer" in reason
    assert waited < 10 * chooser.TIMEOUT


def test_a_driver_means_cuda(chooser, index, monkeypatch):
    monkeypatch.setattr(chooser, "has_nvidia_driver", lambda: True)
    assert chooser.options({"TORCH_INDEX": index})[0] == ""


def test_elsewhere_pip_gives_a_cpu_build_by_itself(chooser, index, monkeypatch):
    monkeypatch.setattr(sys, "platform", "darwin")
    assert chooser.options({"TORCH_INDEX": index})[0] == ""


@pytest.mark.parametrize(
    "setting", first(1, ["index-url", "extra-index-url", "find-links", "no-index"])
)
@pytest.mark.parametrize("where", ["file", "variable"])
def test_a_persons_own_pip_settings_win(setting, where, index, monkeypatch, tmp_path, chooser):
    monkeypatch.undo()
    for name in chooser.OWN_SETTINGS:
        monkeypatch.delenv(f"PIP_{name.replace('-', '_').upper()}", raising=False)
    settings = tmp_path / "pip.conf"
    value = "1" if setting == "no-index" else "http://127.0.0.1:9/simple"
    settings.write_text(f"[global]\n{setting} = {value}\n" if where == "file" else "", "utf-8")
    # pip decides which file is the user's; here only this one counts.
    monkeypatch.setenv("PIP_CONFIG_FILE", str(settings))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_DIRS", str(tmp_path))
    if where == "variable":
        monkeypatch.setenv(f"PIP_{setting.replace('-', '_').upper()}", value)
    assert chooser.own_settings() == setting


def test_the_switch_is_heard(chooser, index, monkeypatch):
    monkeypatch.setattr(chooser, "has_nvidia_driver", lambda: True)
    assert chooser.options({"TORCH": "cpu", "TORCH_INDEX": index})[0].endswith(index)
    monkeypatch.setattr(chooser, "has_nvidia_driver", lambda: False)
    assert chooser.options({"TORCH": "pip", "TORCH_INDEX": index})[0] == ""
    with pytest.raises(SystemExit, match="TORCH=gpu"):
        chooser.options({"TORCH": "gpu"})


def test_nothing_that_needs_a_compiler_somewhere_is_asked_of_newcomers():
    # pygambit and OpenSpiel have no wheels for every usual platform.
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"][
        "optional-dependencies"
    ]
    judges = {requirement.split(">")[0].split("=")[0] for requirement in extras["ci"]}
    asked = {requirement.split(">")[0].split("=")[0] for requirement in extras["test"]}
    assert judges
    assert not judges & asked
