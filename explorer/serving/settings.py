"""What the operator of a server says about who may ask it, in environment variables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from explorer.serving.hosts import Authority, machine_names, parse_name

__all__ = ["ALLOW_EMBEDDING", "ALLOW_HOSTS", "SERVED_AT", "Settings", "asked_by", "parse_origin"]

# Where the command has the server listen, for links that are made on the same machine.
SERVED_AT = "NIP_EXPLORER_SERVED_AT"
ALLOW_HOSTS = "NIP_EXPLORER_ALLOW_HOSTS"
ALLOW_EMBEDDING = "NIP_EXPLORER_ALLOW_EMBEDDING"


@dataclass(frozen=True, slots=True)
class Settings:
    """What was said.

    Parameters
    ----------
    names : frozenset of str
        The names by which the server may be asked, besides ``localhost`` and addresses.
    embedders : tuple of str
        The origins whose pages may show the app in a frame.
    """

    names: frozenset[str] = frozenset()
    embedders: tuple[str, ...] = ()

    @classmethod
    def read(cls, environ: Mapping[str, str]) -> Settings:
        """Read them. The names of this machine are among those that are allowed.

        Raises
        ------
        ValueError
            If a name or an origin is none.
        """
        return cls(
            frozenset(each.host for each in asked_by(environ)) | machine_names(),
            tuple(parse_origin(origin) for origin in _words(environ.get(ALLOW_EMBEDDING))),
        )


def asked_by(environ: Mapping[str, str]) -> list[Authority]:
    """The names by which the server is asked, as its operator has said.

    Raises
    ------
    ValueError
        If one is no name.
    """
    names = [parse_name(name) for name in _words(environ.get(ALLOW_HOSTS))]
    # The address that pages tell others is one that others may ask.
    told = Authority.parse(urlsplit(environ.get("NIP_EXPLORER_ADDRESS", "")).netloc)
    return [Authority(name, None, False) for name in names] + ([told] if told else [])


def parse_origin(text: str) -> str:
    """An origin as an operator wrote it: a scheme and a host, and nothing else.

    Raises
    ------
    ValueError
        If it is none.
    """
    scheme, separator, host = text.strip().rstrip("/").partition("://")
    authority = Authority.parse(host)
    if scheme not in ("http", "https") or not separator or authority is None:
        raise ValueError(
            f"{text!r} is no origin: it must be one such as https://school.example.org."
        )
    return f"{scheme}://{authority}"


def _words(text: str | None) -> list[str]:
    return (text or "").replace(",", " ").split()
