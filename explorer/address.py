"""Parameters in a page's address: only those that differ from the defaults, as text."""

from __future__ import annotations

import dataclasses
import json
import re
import zlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from nip_core.errors import NipError
from nip_core.parameters import HyperParameters, ParameterGroup
from nip_core.registry import protocol_names, protocol_spec, specification

if TYPE_CHECKING:
    from nip_core.language import Specification

__all__ = [
    "MOST_WRITTEN",
    "OWN",
    "SETTING",
    "WRITTEN",
    "from_query",
    "is_parameter",
    "is_schedule_link",
    "own_from_query",
    "own_to_query",
    "settings_from_query",
    "settings_to_query",
    "to_query",
]

PROTOCOL = "protocol"
# Keys in the address of a schedule besides its protocol's parameters. If two protocols are
# compared, the second one's keys have this suffix.
SCHEDULE_KEYS = frozenset({PROTOCOL, "round", "view", "compare", "seed"})
SECOND = "_2"


def to_query(parameters: HyperParameters) -> dict[str, str]:
    """Return the protocol, and each parameter that differs from its default, as ``group.name``."""
    query = {PROTOCOL: parameters.interaction_protocol}
    for group, default in _groups():
        now = getattr(parameters, group)
        for field in dataclasses.fields(default):
            value = getattr(now, field.name)
            if value != getattr(default, field.name) and _is_plain(value):
                query[f"{group}.{field.name}"] = json.dumps(value)
    return query


def from_query(query: Mapping[str, str], default: str) -> tuple[HyperParameters, list[str]]:
    """Read the output of :func:`to_query`, or any other text.

    Parameters
    ----------
    query : mapping of str to str
    default : str
        The protocol, if the address names none that exists.

    Returns
    -------
    parameters : HyperParameters
    refused : list of str
        The keys that were left out because their values cannot be used.
    """
    name = query.get(PROTOCOL, default)
    parameters = HyperParameters(interaction_protocol=name if name in protocol_names() else default)
    refused: list[str] = [] if name == parameters.interaction_protocol else [PROTOCOL]
    for group, plain in _groups():
        for field in dataclasses.fields(plain):
            key = f"{group}.{field.name}"
            if key in query:
                changed = _with(parameters, group, field.name, query[key])
                refused += [] if changed else [key]
                parameters = changed or parameters
    return parameters, refused


def is_parameter(key: str) -> bool:
    """Return whether a key of an address is that of a parameter (``group.name``)."""
    group, _, name = key.partition(".")
    return any(
        group == known and name in (field.name for field in dataclasses.fields(plain))
        for known, plain in _groups()
    )


def is_schedule_link(query: Mapping[str, str]) -> bool:
    """Return whether an address without a page is a former link to a schedule."""
    names = {field.name for _, group in _groups() for field in dataclasses.fields(group)}
    return any(key.removesuffix(SECOND) in SCHEDULE_KEYS | names for key in query)


SETTING = "set."
# Numbers in plain notation; an exponent could make a number too large to write out.
_NUMBER = re.compile(r"-?\d{1,9}(\.\d{1,9})?(/\d{1,9})?")


# The name in addresses of a protocol whose specification is in the address too.
OWN, WRITTEN = "own", "spec"
# The most characters of a specification of one's own, and of an address with one. Servers and chat
# programs cut off longer addresses.
MOST_WRITTEN, MOST_PACKED = 100_000, 6_000


def own_to_query(text: str) -> dict[str, str]:
    """Return the query of a protocol of one's own; without its text if that is too long."""
    packed = urlsafe_b64encode(zlib.compress(text.encode("utf-8"), 9)).decode("ascii").rstrip("=")
    return {PROTOCOL: OWN} | ({WRITTEN: packed} if len(packed) <= MOST_PACKED else {})


def own_from_query(query: Mapping[str, str]) -> str | None:
    """Return the text in the output of :func:`own_to_query`; None if there is none.

    Raises
    ------
    NipError
        If it is damaged or too long.
    """
    packed = query.get(WRITTEN)
    if packed is None:
        return None
    damaged = NipError(
        "The specification in this link is damaged: the link may be cut off. Ask for the file, and "
        "open it here."
    )
    if len(packed) > MOST_PACKED:
        raise damaged
    try:
        data = urlsafe_b64decode(packed.encode("ascii") + b"=" * (-len(packed) % 4))
        # A small text may unpack to a large one.
        unpack = zlib.decompressobj()
        text = unpack.decompress(data, MOST_WRITTEN + 1).decode("utf-8")
    except (ValueError, zlib.error):
        raise damaged from None
    if len(text) > MOST_WRITTEN or not unpack.eof:
        raise damaged
    return text


def settings_to_query(base: Specification | str, spec: Specification) -> dict[str, str]:
    """Return a protocol's name, and each setting that differs from its default.

    Parameters
    ----------
    base : Specification or str
        The protocol with its defaults, or the name of a published one.
    spec : Specification
        The same protocol with other settings.
    """
    usual = specification(base)
    defaults = dict(usual.settings)
    changed = {key: value for key, value in spec.settings if defaults.get(key) != value}
    return {PROTOCOL: usual.name} | {
        f"{SETTING}{key}": str(value) for key, value in changed.items()
    }


def settings_from_query(
    query: Mapping[str, str], base: Specification | str
) -> tuple[Specification, dict[str, str]]:
    """Read the output of :func:`settings_to_query`, or any other text.

    Returns
    -------
    spec : Specification
    refused : dict of str to str
        The keys that were left out, with the reason.
    """
    spec, refused = specification(base), dict[str, str]()
    known = dict(spec.settings)
    for key, text in query.items():
        if not key.startswith(SETTING):
            continue
        setting = key.removeprefix(SETTING)
        if setting not in known:
            refused[key] = f"there are {', '.join(known) or 'no settings'}"
        elif not _NUMBER.fullmatch(text):
            refused[key] = "it must be a number"
        else:
            try:
                spec = spec.with_settings(**{setting: Fraction(text)})
            except (NipError, ZeroDivisionError) as error:
                refused[key] = str(error)
    return spec, refused


def _with(parameters: HyperParameters, group: str, name: str, text: str) -> HyperParameters | None:
    """Return the parameters with one value changed, or None if it is invalid."""
    try:
        changed = parameters.replace(**{group: {name: json.loads(text[:100])}})
        protocol_spec(changed)
    except (NipError, ValueError, RecursionError):
        return None
    return changed


def _groups() -> list[tuple[str, ParameterGroup]]:
    defaults = HyperParameters()
    named = ((key, getattr(defaults, key)) for key in defaults.to_dict())
    return [(key, group) for key, group in named if isinstance(group, ParameterGroup)]


def _is_plain(value: Any) -> bool:
    return value is None or isinstance(value, bool | int | float | str)
