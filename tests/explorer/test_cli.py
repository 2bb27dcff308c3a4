"""The command, as people run it."""

import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from dataclasses import dataclass
from pathlib import Path

import pytest

import explorer.cli
import nip_core
from explorer import project
from explorer.cli import make_parser, shown_host
from explorer.hosts import ALLOW_HOSTS, Settings
from explorer.rooms import MayNotOpenError, check_may_open
from explorer.server.network import network_host, open_socket
from explorer.storage import DATABASE_VARIABLE, open_storage
from explorer.storage.engines import DATABASE_FILE_VARIABLE, read_url
from tests.depth import each

ROOT = Path(__file__).parent.parent.parent


def run(*arguments, **options):
    return subprocess.run(
        [sys.executable, "-m", "explorer", *arguments],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
        timeout=60,
        **options,
    )


@dataclass(frozen=True)
class Said:
    """The exit code and output of a command."""

    returncode: object
    stdout: str
    stderr: str


@pytest.fixture
def here(capsys, monkeypatch):
    """Like `run`, but in this process: starting another takes a second."""

    def run_here(*arguments, **environment):
        monkeypatch.setattr(os, "environ", {**os.environ, **environment})
        with pytest.raises(SystemExit) as end:
            explorer.cli.main([*arguments])
        return Said(end.value.code, *capsys.readouterr())

    return run_here


def test_help_and_version_answer_at_once(here):
    said = here("--help")
    assert said.returncode == 0
    for option in (
        "--host",
        "--port",
        "--database",
        "--database-file",
        "--allow-host",
        "--no-browser",
        "--version",
    ):
        assert option in said.stdout
    assert run("--version").stdout == f"nip-explorer {nip_core.__version__}\n"


def test_another_package_of_the_same_name_is_noticed(here, monkeypatch):
    monkeypatch.delattr(explorer, "PRODUCT")
    owners = {"explorer": ["nip-explorer", "django-sql-explorer"]}
    monkeypatch.setattr(project, "packages_distributions", lambda: owners)
    said = here("storage")
    assert "another package `explorer` is installed here (probably by django-sql-explorer)" in str(
        said.returncode
    )


@pytest.mark.parametrize("command", [["protocol", "schema"], ["study", "define"]])
def test_a_closed_pipe_is_no_fault(command):
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-m", "explorer", *command],
        stdout=writing,
        stderr=subprocess.PIPE,
        cwd=ROOT,
        text=True,
        timeout=60,
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (1, "")


@each(
    ("arguments", "message"),
    [
        (["--port", "many"], "'many' is not a port"),
        (["--port", "70000"], "'70000' is not a port"),
        (["--port", "-1"], "is not a port"),
        (["--host", "no.such.host.invalid"], "There is no host"),
        (["--database", "nonsense"], "needs an address such as"),
        (["--database", "mysql://u:secret@h/d"], "needs an address such as"),
        (["tables"], "There is no command 'tables'. The commands are study, people, picture"),
        (["--allow-host", "http://lab:80"], "'http://lab:80' is not a host name"),
        (["--allow-host", "*"], "'*' is not a host name"),
        (["--allow-embedding", "*"], "'*' is not an origin"),
    ],
)
def test_errors_say_what_to_do(here, arguments, message):
    said = here(*arguments)
    assert said.returncode == 2
    assert message in said.stderr
    assert "Traceback" not in said.stderr
    assert "secret" not in said.stderr


@each(
    ("content", "message"),
    [
        (None, "cannot be read: no such file"),
        (b"", "must be the database's address"),
        (b"\nsqlite:///second.db", "must be the database's address"),
        (b"\xff\xfe", "must be the database's address"),
        (b"secret" * 1000, "must be the database's address"),
        (b"mysql://u:secret@h/d", "needs an address such as"),
        (b"secret", "needs an address such as"),
    ],
)
def test_a_file_without_an_address_is_refused_without_its_content(tmp_path, here, content, message):
    file = tmp_path / "address.txt"
    if content is not None:
        file.write_bytes(content)
    said = here("--database-file", str(file), "--no-browser", "--port", "0")
    assert said.returncode == 2
    assert message in said.stderr
    assert str(file) in said.stderr
    assert "secret" not in said.stderr + said.stdout
    assert "Traceback" not in said.stderr


def test_only_one_place_for_episodes_is_named(tmp_path, here):
    said = here("--database", "sqlite:///a.db", "--database-file", str(tmp_path))
    assert said.returncode == 2
    assert "not allowed with" in said.stderr


@pytest.mark.parametrize("by_variable", [False, True])
def test_the_address_comes_from_a_file(tmp_path, monkeypatch, capsys, by_variable):
    file = tmp_path / "address.txt"
    file.write_text(f"  sqlite:///{tmp_path}/kept.db  \nanother line\n", "utf-8")
    monkeypatch.setattr("explorer.asgi.serve", lambda bound: bound.close())
    others = {k: v for k, v in os.environ.items() if not k.startswith("NIP_EXPLORER_DATABASE")}
    here = (
        {DATABASE_FILE_VARIABLE: str(file)} if by_variable else {DATABASE_VARIABLE: "sqlite:///x"}
    )
    monkeypatch.setattr(os, "environ", others | here)
    named = [] if by_variable else ["--database-file", str(file)]
    explorer.cli.main(["--port", "0", "--no-browser", *named])
    assert "kept.db" not in capsys.readouterr().out
    assert read_url().database == f"{tmp_path}/kept.db"
    with open_storage():
        assert (tmp_path / "kept.db").is_file()


def test_a_taken_port_is_reported():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        said = run("--port", str(port), "--no-browser")
    assert said.returncode == 2
    assert f"Port {port} is taken" in said.stderr
    assert f"--port {port + 1}" in said.stderr


def test_it_starts_serves_and_stops(tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-m", "explorer", "--no-browser", "--port", "0"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        said = process.stdout.readline()
        address = re.search(r"http://\S+", said)[0]
        assert "Ctrl+C stops it" in said
        with urllib.request.urlopen(f"{address}/healthz", timeout=30) as answer:
            assert b'"status":"ok"' in answer.read()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=120)
        assert re.fullmatch(r"Up to [\d,]+ pages can be open at a time\..*\nStopped\.\n", out)
        assert "Traceback" not in err
        assert process.returncode == 0
    finally:
        process.kill()


def test_the_network_address_is_printed_if_it_listens_there(monkeypatch, capsys):
    monkeypatch.setattr(explorer.cli, "network_host", lambda: "192.0.2.7")
    monkeypatch.setattr("explorer.asgi.serve", lambda bound: bound.close())
    monkeypatch.setattr(os, "environ", os.environ.copy())
    for host, is_shared in (("0.0.0.0", True), ("127.0.0.1", False)):
        for name in ("ADDRESS", "PUBLIC", "ROOMS_PASSWORD"):
            os.environ.pop(f"NIP_EXPLORER_{name}", None)
        explorer.cli.main(["--host", host, "--port", "0", "--no-browser"])
        said = capsys.readouterr().out
        found = re.search(r"^Others in your network open http://192\.0\.2\.7:\d+$", said, re.M)
        assert bool(found) == is_shared
        # The person who sees the terminal can open rooms there.
        asked = re.search(r"^To start a workshop, .* ((?:[a-z]{4}-){2}[a-z]{4})$", said, re.M)
        assert bool(asked) == is_shared
        if asked:
            check_may_open(asked[1], os.environ)
            with pytest.raises(MayNotOpenError, match="printed it"):
                check_may_open("bcdf-bcdf-bcdf", os.environ)
        assert (
            os.environ.get("NIP_EXPLORER_ADDRESS", "").startswith("http://192.0.2.7:") == is_shared
        )


def test_names_come_from_the_command_line_and_the_environment(monkeypatch):
    monkeypatch.setattr("explorer.asgi.serve", lambda bound: bound.close())
    monkeypatch.setattr(os, "environ", {**os.environ, ALLOW_HOSTS: "one.example"})
    explorer.cli.main(
        [
            *("--port", "0", "--no-browser", "--host", "localhost"),
            *("--allow-host", "Two.example", "--allow-embedding", "https://school.example/"),
        ]
    )
    said = Settings.read(os.environ)
    assert said.names >= {"one.example", "two.example", "localhost"}
    assert said.embedders == ("https://school.example",)


def test_a_wrong_name_in_the_environment_is_reported(here):
    said = here("--port", "0", "--no-browser", **{ALLOW_HOSTS: "lab:80"})
    assert said.returncode == 2
    assert "'lab:80' is not a host name" in said.stderr


@each(
    ("own", "shown"),
    [("10.1.2.3", "10.1.2.3"), ("127.0.1.1", None), ("0.0.0.0", None), (None, None)],
)
def test_the_network_address_is_one_that_others_can_reach(monkeypatch, own, shown):
    class Probe(socket.socket):
        def connect(self, address):
            if own is None:
                raise OSError("Network is unreachable")

        def getsockname(self):
            return own, 0

    monkeypatch.setattr(socket, "socket", Probe)
    assert network_host() == shown


def test_the_socket_has_no_delay():
    with open_socket("127.0.0.1", 0) as bound:
        # asyncio checks this before it turns delays off.
        assert bound.proto == socket.IPPROTO_TCP


def test_addresses_are_shown_as_a_browser_takes_them():
    assert shown_host("0.0.0.0") == shown_host("::") == "localhost"
    assert shown_host("::1") == "[::1]"
    assert shown_host("127.0.0.1") == "127.0.0.1"
    assert make_parser().parse_args([]).host == "127.0.0.1"
