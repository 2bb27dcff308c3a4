"""Sign-in with Streamlit's own support: which pages need it, and which providers are offered.

Streamlit does the work, configured by the table ``[auth]`` of a secrets file: it sends a browser to
an OpenID Connect provider and keeps the person's identity in a signed cookie.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, cast, get_args
from urllib.parse import urlsplit

from explorer.project import install_extra

__all__ = ["SIGN_IN", "SIGN_IN_FILE", "Before", "providers_in", "sign_in_before"]

SIGN_IN = "NIP_EXPLORER_SIGN_IN"
SIGN_IN_FILE = "NIP_EXPLORER_SIGN_IN_FILE"

# What needs a sign-in: creating a room, or every page. Joining a room never needs one.
Before = Literal["rooms", "pages"]

CALLBACK = "/oauth2callback"
# The settings that every provider needs, by Streamlit's names.
WANTED = ("client_id", "client_secret", "server_metadata_url")
LEAST_SECRET = 32
MOST = 1 << 16


def sign_in_before(environ: Mapping[str, str] = os.environ) -> Before | None:
    """Return what needs a sign-in on this server; None if nothing does.

    Raises
    ------
    ValueError
        If the setting has another value.
    """
    said = environ.get(SIGN_IN)
    if not said:
        return "rooms" if environ.get(SIGN_IN_FILE) else None
    for before in get_args(Before):
        if said == before:
            return before
    raise ValueError(f"{SIGN_IN} must be one of {', '.join(get_args(Before))}; not {said!r}.")


def providers_in(file: Path) -> tuple[str, ...]:
    """Return the names of the providers in a secrets file; an unnamed one is ``default``.

    Raises
    ------
    ValueError
        Says what is missing or wrong in the file, without quoting any of its values.
    """
    try:
        with file.open("rb") as opened:
            document = tomllib.loads(opened.read(MOST).decode())
    # The parser's message is not repeated, since it may quote a secret.
    except (OSError, ValueError):
        raise ValueError(f"The file for signing in, {file}, cannot be read as TOML.") from None
    if file.suffix != ".toml":
        raise ValueError(f"The name of the file for signing in, {file}, must end in .toml.")
    auth = document.get("auth")
    if not isinstance(auth, dict):
        raise ValueError(f"{file} has no table [auth].")
    table = cast("dict[str, Any]", auth)
    back = urlsplit(_text(file, table, "redirect_uri"))
    if back.scheme not in ("http", "https") or not back.netloc or back.path != CALLBACK:
        raise ValueError(
            f"redirect_uri in {file} must be the address of this server with {CALLBACK} behind it, "
            f"such as https://explorer.example.org{CALLBACK}."
        )
    if len(_text(file, table, "cookie_secret")) < LEAST_SECRET:
        raise ValueError(
            f"cookie_secret in {file} must have {LEAST_SECRET} characters or more, drawn at random."
        )
    named = {
        name: cast("dict[str, Any]", each)
        for name, each in table.items()
        if isinstance(each, dict) and name != "client_kwargs"
    }
    if any(name in table for name in WANTED) or not named:
        named = {"default": table, **named}
    for name, provider in named.items():
        if "_" in name:
            raise ValueError(f"Streamlit takes no provider with _ in its name: {name} in {file}.")
        for key in WANTED:
            _text(file, provider, key, "" if name == "default" else f".{name}")
    if find_spec("authlib") is None:
        raise ValueError(f"Signing in needs more packages: {install_extra('login')}.")
    return tuple(named)


def _text(file: Path, table: Mapping[str, Any], key: str, provider: str = "") -> str:
    value = table.get(key)
    if not isinstance(value, str) or not value:
        raise ValueError(f"[auth{provider}] in {file} lacks {key}.")
    return value
