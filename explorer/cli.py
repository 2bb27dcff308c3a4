"""The command ``nip-explorer``."""

from __future__ import annotations

import argparse
import contextlib
import errno
import os
import socket
import sys
import threading
import time
import webbrowser
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, get_args

import nip_core
from explorer.hosts import (
    ALLOW_EMBEDDING,
    ALLOW_HOSTS,
    SERVED_AT,
    Authority,
    Settings,
    parse_name,
    parse_origin,
)
from explorer.project import other_package
from explorer.server import (
    EVERYWHERE,
    TRUSTED_PROXIES,
    TrustedProxies,
    capacity,
    network_host,
    open_socket,
    parse_proxy,
)
from explorer.visitors import SIGN_IN, SIGN_IN_FILE, Before, providers_in, sign_in_before
from nip_core.errors import did_you_mean

__all__ = ["main"]

DESCRIPTION = "Look at, play and measure interactive-proof protocols, in the browser."

# Further commands: the module of each, and its description.
COMMANDS = {
    "study": (
        "explorer.studies.command",
        "play many episodes from a file, and make tables of the results",
    ),
    "people": ("explorer.participants.command", "open studies for people, and get their results"),
    "picture": ("explorer.pictures.command", "draw a protocol for a paper"),
    "protocol": ("explorer.pictures.protocol_files", "check and format files of protocols"),
    "open": ("explorer.studies.open_command", "read and compare episodes that others recorded"),
    "storage": ("explorer.storage.command", "show how much is kept in the database"),
    "rooms": ("explorer.rooms.command", "list, recover and delete rooms"),
    "replay": ("explorer.notebook.replay_file", "turn a transcript into a page that replays it"),
    "site": ("explorer.site.build", "write the explorer as a static folder for any web server"),
}


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    lines = (f"  nip-explorer {name:12}{does}" for name, (_, does) in COMMANDS.items())
    parser = argparse.ArgumentParser(
        prog="nip-explorer",
        description=DESCRIPTION,
        epilog="\n".join(("other commands (each has its own --help):", *lines)),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    # Options that are added in the same way.
    path: dict[str, Any] = {"metavar": "PATH", "type": Path}
    several: dict[str, Any] = {"action": "append", "default": []}
    parser.add_argument(
        "--host",
        default="127.0.0.1",
        help="the address to listen on; 0.0.0.0 lets others on the network in (default: "
        "%(default)s)",
    )
    parser.add_argument(
        "--port", type=port_number, default=8501, help="0 picks a free one (default: %(default)s)"
    )
    database = parser.add_mutually_exclusive_group()
    database.add_argument(
        "--database",
        metavar="URL",
        help="where episodes are kept, such as sqlite:///episodes.db, with studies in a folder "
        "beside it, or postgresql+psycopg://user@host/name (default: a file in your data folder)",
    )
    database.add_argument(
        "--database-file",
        **path,
        help="a file whose first line is that URL; use it when the URL has a password, because "
        "every user of this machine can see command lines",
    )
    parser.add_argument(
        "--rooms-password-file",
        **path,
        help="a file whose first line is the facilitators' password; without it, a server that "
        "others can reach makes a password when it starts, and prints it",
    )
    parser.add_argument(
        "--sign-in-file",
        **path,
        help="let people sign in with the providers in the table [auth] of this file, the "
        "secrets file that Streamlit's st.login reads",
    )
    parser.add_argument(
        "--sign-in",
        metavar="rooms | pages",
        choices=get_args(Before),
        help="when they make rooms (the default), or on every page; nobody has to sign in to "
        "join a room",
    )
    parser.add_argument(
        "--rooms-days",
        metavar="DAYS",
        help="delete rooms with everything in them after at most this many days (default: as "
        "their facilitators choose)",
    )
    parser.add_argument(
        "--episodes-days",
        metavar="DAYS",
        help="delete episodes outside rooms that nobody has played for this many days (default: "
        "keep them)",
    )
    parser.add_argument(
        "--allow-host",
        metavar="NAME",
        **several,
        type=checked(parse_name),
        help="a host name that the server answers to, besides localhost, numeric addresses and "
        "this machine's own name; may be repeated",
    )
    parser.add_argument(
        "--allow-embedding",
        metavar="ORIGIN",
        **several,
        type=checked(parse_origin),
        help="a site whose pages may show the explorer in a frame, such as "
        "https://school.example.org; may be repeated",
    )
    parser.add_argument(
        "--trusted-proxy",
        metavar="ADDRESS",
        **several,
        type=checked(parse_proxy),
        help="the address or network of a proxy in front of the server, whose X-Forwarded-For is "
        "trusted; without this option that header is ignored; may be repeated",
    )
    parser.add_argument("--no-browser", action="store_true", help="do not open a browser")
    parser.add_argument("--version", action="version", version=f"%(prog)s {nip_core.__version__}")
    return parser


# Options with a value that may stand before or after a command.
BEFORE = ("--database", "--database-file")


def command_in(words: list[str]) -> tuple[str, list[str]]:
    """Return the command among the arguments, or "", and the other arguments."""
    place = 0
    while place < len(words) and words[place].partition("=")[0] in BEFORE:
        place += 1 if "=" in words[place] else 2
    command = words[place] if place < len(words) else ""
    if command in COMMANDS:
        return command, words[:place] + words[place + 1 :]
    return next(iter(words), ""), words


def checked(read: Callable[[str], str]) -> Callable[[str], str]:
    """Return a reader of arguments whose error messages are shown unchanged."""

    def reader(text: str) -> str:
        try:
            return read(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return reader


def port_number(text: str) -> int:
    """Return a port number."""
    if not text.isdecimal() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port: it must be 0 to 65535")
    return int(text)


def main(arguments: Sequence[str] | None = None) -> None:
    """Start the app and serve it until it is interrupted, or run another command."""
    words = sys.argv[1:] if arguments is None else list(arguments)
    command, words = command_in(words)
    if problem := other_package():
        raise SystemExit(f"nip-explorer: {problem}")
    if command in COMMANDS:
        module, _ = COMMANDS[command]
        try:
            import_module(module).main(words)
            sys.stdout.flush()
        except BrokenPipeError:
            # The reader of the pipe has closed it; nothing is to be written when Python ends.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise SystemExit(1) from None
        return
    parser = make_parser()
    if command and not command.startswith("-"):
        known = ", ".join(COMMANDS)
        parser.error(
            f"There is no command {command!r}.{did_you_mean(command, COMMANDS)} The commands are "
            f"{known}; without one, the app starts."
        )
    chosen = parser.parse_args(words)
    try:
        choose_database(chosen.database, chosen.database_file)
        choose_password(chosen.rooms_password_file)
        choose_sign_in(chosen.sign_in, chosen.sign_in_file)
        choose_days(chosen.rooms_days, chosen.episodes_days)
        add_to_variable(ALLOW_HOSTS, chosen.allow_host)
        add_to_variable(ALLOW_EMBEDDING, chosen.allow_embedding)
        add_to_variable(TRUSTED_PROXIES, chosen.trusted_proxy)
        if (named := Authority.parse(chosen.host)) and not named.is_number:
            add_to_variable(ALLOW_HOSTS, [named.host])
        Settings.read(os.environ)
        TrustedProxies.read(os.environ)
    except ValueError as error:
        parser.error(str(error))
    if chosen.host not in ("127.0.0.1", "localhost", "::1"):
        # Other machines can reach the server, so the operator decides what visitors may do.
        os.environ["NIP_EXPLORER_PUBLIC"] = "1"
    # Importing the server takes a moment; a message about the port should not wait for it.
    bound = listen(parser, chosen.host, chosen.port)
    address = f"http://{shown_host(chosen.host)}:{bound.getsockname()[1]}"
    os.environ[SERVED_AT] = address
    print(f"NIP Explorer {nip_core.__version__} at {address}   (Ctrl+C stops it)", flush=True)
    if chosen.host in EVERYWHERE and (host := network_host()):
        elsewhere = f"http://{host}:{bound.getsockname()[1]}"
        # Invitations name this address, unless the operator has configured another one.
        os.environ.setdefault("NIP_EXPLORER_ADDRESS", elsewhere)
        print(f"Others in your network open {elsewhere}", flush=True)
    print_password()
    print(capacity().summary(), flush=True)
    if not chosen.no_browser:
        threading.Thread(target=open_browser, args=(address,), daemon=True).start()

    from explorer.asgi import serve

    with contextlib.suppress(KeyboardInterrupt):
        serve(bound)
    print("Stopped.")


def add_to_variable(name: str, words: Sequence[str]) -> None:
    """Add words to a list in the environment, which the server reads."""
    if words:
        os.environ[name] = " ".join([os.environ.get(name, ""), *words]).strip()


# The functions from here on raise a ValueError for settings that they refuse.


def choose_database(url: str | None, file: Path | None) -> None:
    """Set where episodes are stored. The command line takes precedence over the environment."""
    if url is None and file is None:
        return
    # These parts of the storage take a moment to import.
    from explorer.storage import DATABASE_FILE_VARIABLE, DATABASE_VARIABLE, StorageError, address_in

    os.environ.pop(DATABASE_VARIABLE, None)
    os.environ.pop(DATABASE_FILE_VARIABLE, None)
    if url is not None:
        check_database("--database", url)
        os.environ[DATABASE_VARIABLE] = url
    elif file is not None:
        try:
            address = address_in(file)
        except StorageError as error:
            raise ValueError(str(error)) from error
        check_database(f"The first line of {file}", address)
        os.environ[DATABASE_FILE_VARIABLE] = str(file.absolute())


def choose_password(file: Path | None) -> None:
    """Set the file with the facilitators' password."""
    if file is None:
        return
    from explorer.rooms import PASSWORD, PASSWORD_FILE, password_in

    password_in(file)
    os.environ.pop(PASSWORD, None)
    os.environ[PASSWORD_FILE] = str(file.absolute())


def choose_sign_in(before: str | None, file: Path | None) -> None:
    """Set what needs a sign-in, and check the secrets file before the server starts."""
    if before is not None:
        os.environ[SIGN_IN] = before
    if file is not None:
        os.environ[SIGN_IN_FILE] = str(file.absolute())
    if sign_in_before() is None:
        return
    if not os.environ.get(SIGN_IN_FILE):
        raise ValueError("To sign in, providers are needed: name their file by --sign-in-file.")
    providers_in(Path(os.environ[SIGN_IN_FILE]))


def choose_days(of_rooms: str | None, of_episodes: str | None) -> None:
    """Set the days after which data is deleted; refuse invalid numbers before the start."""
    options = {"NIP_EXPLORER_ROOMS_DAYS": of_rooms, "NIP_EXPLORER_EPISODES_DAYS": of_episodes}
    days_set = {name: days for name, days in options.items() if days}
    wanted = {**os.environ, **days_set}
    if any(wanted.get(name) for name in options):
        from explorer.rooms import most_days, most_episode_days

        most_days(wanted)
        most_episode_days(wanted)
        os.environ.update(days_set)


def print_password() -> None:
    """Make a password for this run if other machines can reach the server and none is set."""
    from explorer.rooms import PASSWORD, new_password, who_may_open

    if who_may_open(os.environ) == "nobody":
        password = os.environ[PASSWORD] = new_password()
        print(f"To start a workshop, people need this password: {password}", flush=True)


def check_database(place: str, url: str) -> None:
    """Refuse an invalid database URL. Whether it can be reached shows when it is used."""
    from sqlalchemy.engine import make_url
    from sqlalchemy.exc import ArgumentError

    try:
        kind = make_url(url).get_backend_name()
    except (ArgumentError, ValueError):
        kind = None
    if kind not in ("sqlite", "postgresql"):
        # The address itself is not repeated: it may contain a password.
        raise ValueError(
            f"{place} needs an address such as sqlite:///episodes.db or "
            "postgresql+psycopg://user@host/name."
        )


def listen(parser: argparse.ArgumentParser, host: str, port: int) -> socket.socket:
    """Return the socket to serve on, or exit with a message that says what to do."""
    try:
        return open_socket(host, port)
    except socket.gaierror:
        parser.error(f"There is no host {host!r}. Try --host 127.0.0.1.")
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            parser.error(f"Port {port} is taken. Stop what uses it, or try --port {port + 1}.")
        if error.errno == errno.EACCES:
            parser.error(f"Port {port} may not be used by you. Try --port 8501.")
        parser.error(f"{host}:{port} cannot be listened on: {error.strerror}.")


def shown_host(host: str) -> str:
    """Return the host for a browser on this machine."""
    if host in EVERYWHERE:
        return "localhost"
    return f"[{host}]" if ":" in host else host


def open_browser(address: str) -> None:
    """Open a browser once the server answers; do nothing if there is none."""
    from urllib.request import urlopen

    for _ in range(100):
        try:
            with urlopen(f"{address}/healthz", timeout=1):
                break
        except OSError:
            time.sleep(0.1)
    if sys.stdout.isatty() or os.environ.get("DISPLAY") or os.environ.get("BROWSER"):
        webbrowser.open(address)


if __name__ == "__main__":
    main()
