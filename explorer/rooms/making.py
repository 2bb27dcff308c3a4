"""Who may make rooms: on this machine everybody, on a public server who knows the password."""

from __future__ import annotations

import hmac
import os
import secrets
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Literal

from explorer.rooms.codes import ALPHABET
from explorer.rooms.errors import MayNotOpenError, WrongPasswordError
from explorer.rooms.plan import MOST_DAYS
from explorer.serving.public import is_public
from explorer.serving.sign_in import sign_in_before

__all__ = [
    "DAYS",
    "EPISODE_DAYS",
    "PASSWORD",
    "PASSWORD_FILE",
    "check_may_open",
    "most_days",
    "most_episode_days",
    "new_password",
    "password_in",
    "who_may_open",
]

PASSWORD = "NIP_EXPLORER_ROOMS_PASSWORD"
# What is in a file is not seen by everybody who lists the machine's processes.
PASSWORD_FILE = "NIP_EXPLORER_ROOMS_PASSWORD_FILE"
# For how many days rooms are kept at most, whatever facilitators choose.
DAYS = "NIP_EXPLORER_ROOMS_DAYS"
# After how many days without a move episodes outside rooms are deleted.
EPISODE_DAYS = "NIP_EXPLORER_EPISODES_DAYS"
MOST_EPISODE_DAYS = 3650
LEAST = 8
MOST = 1024
GROUP = 4


def who_may_open(
    environ: Mapping[str, str] = os.environ,
) -> Literal["all", "signed in", "password", "nobody"]:
    """Who may make rooms here, as the operator says.

    Where strangers come, nobody makes rooms without a password or having signed in. Where both are
    asked for, it is said here that a password is.
    """
    if environ.get(PASSWORD) or environ.get(PASSWORD_FILE):
        return "password"
    if sign_in_before(environ):
        return "signed in"
    return "nobody" if is_public(environ) else "all"


def most_episode_days(environ: Mapping[str, str] = os.environ) -> int | None:
    """After how many days episodes outside rooms are deleted here; None for never.

    Raises
    ------
    ValueError
        If the operator has said something else than a number of days.
    """
    said = environ.get(EPISODE_DAYS)
    if not said:
        return None
    if not said.isdecimal() or not 1 <= int(said) <= MOST_EPISODE_DAYS:
        raise ValueError(
            f"{EPISODE_DAYS} must be a number of days, from 1 to {MOST_EPISODE_DAYS:,}; "
            f"not {said!r}."
        )
    return int(said)


def most_days(environ: Mapping[str, str] = os.environ) -> int:
    """For how many days rooms are kept here at most.

    Raises
    ------
    ValueError
        If the operator has said something else than a number of days.
    """
    said = environ.get(DAYS) or str(MOST_DAYS)
    if not said.isdecimal() or not 1 <= int(said) <= MOST_DAYS:
        raise ValueError(f"{DAYS} must be a number of days, from 1 to {MOST_DAYS}; not {said!r}.")
    return int(said)


def check_may_open(
    password: str = "", environ: Mapping[str, str] = os.environ, *, signed_in: bool = False
) -> None:
    """See that somebody may make a room.

    Parameters
    ----------
    password : str
    environ : Mapping
    signed_in : bool
        Have they signed in?

    Raises
    ------
    MayNotOpenError
    """
    who = who_may_open(environ)
    if sign_in_before(environ) and not signed_in:
        raise MayNotOpenError("On this server one signs in to make a room.")
    if who == "nobody":
        raise MayNotOpenError(
            "Nobody makes rooms on this server yet. Its operator sets a facilitator's password: "
            "nip-explorer --rooms-password-file FILE."
        )
    if who == "password" and not _same(password, _password(environ)):
        raise WrongPasswordError(
            "This is not the facilitator's password. The server has printed it where it was "
            "started, or its operator has set it: ask them."
        )


def new_password() -> str:
    """A password that is easily read from a screen, and by no means guessed."""
    letters = [secrets.choice(ALPHABET.lower()) for _ in range(3 * GROUP)]
    return "-".join("".join(letters[at : at + GROUP]) for at in range(0, len(letters), GROUP))


def password_in(file: Path) -> str:
    """The password in the first line of a file.

    Raises
    ------
    ValueError
        Saying what is wrong with the file, without what it holds.
    """
    try:
        with file.open("rb") as opened:
            line = opened.readline(MOST + 1).decode("utf-8-sig").rstrip("\r\n")
    except (OSError, UnicodeDecodeError):
        raise ValueError(
            f"The file with the facilitator's password, {file}, cannot be read."
        ) from None
    if not LEAST <= len(line) <= MOST:
        raise ValueError(
            f"The first line of {file} must be the facilitator's password, of {LEAST} to {MOST:,} "
            "characters."
        )
    return line


def _password(environ: Mapping[str, str]) -> str:
    said = environ.get(PASSWORD)
    if said:
        return said
    try:
        return password_in(Path(environ[PASSWORD_FILE]))
    except ValueError as error:
        raise MayNotOpenError(f"{error} Ask whoever runs the server.") from None


def _same(given: str, wanted: str) -> bool:
    def hashed(text: str) -> bytes:
        # Of one length, so that the time tells nothing of the password's either.
        return sha256(text.strip().encode("utf-8", "surrogatepass")).digest()

    return hmac.compare_digest(hashed(given), hashed(wanted))
