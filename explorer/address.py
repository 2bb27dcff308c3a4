"""Parameters in a page's address: only those that differ from the defaults, as text."""

from __future__ import annotations

import dataclasses
import json
import re
import zlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, cast

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
    "tasks_from_query",
    "tasks_to_query",
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


# The name in addresses of a protocol of one's own, the key of its specification, and the key of
# tasks that a person wrote.
OWN, WRITTEN, TASKS = "own", "spec", "written"
# The longest own specification and the longest written tasks, in characters; and the longest form
# of both in an address. Servers and chat programs cut off longer addresses.
MOST_WRITTEN, MOST_PACKED = 100_000, 6_000


def own_to_query(text: str) -> dict[str, str]:
    """Return the query of a protocol of one's own; without its text if that is too long."""
    packed = _packed(text)
    return {PROTOCOL: OWN} | ({WRITTEN: packed} if len(packed) <= MOST_PACKED else {})


def own_from_query(query: Mapping[str, str]) -> str | None:
    """Return the text in the output of :func:`own_to_query`; None if there is none.

    Raises
    ------
    NipError
        If it is damaged or too long.
    """
    if WRITTEN not in query:
        return None
    text = _unpacked(query[WRITTEN])
    if text is None:
        raise NipError(
            "The specification in this link is damaged: the link may be cut off. Ask for the file, "
            "and open it here."
        )
    return text


def tasks_to_query(
    tasks: Sequence[Mapping[str, str | int]], query: Mapping[str, str]
) -> dict[str, str]:
    """Return the address's entries for written tasks; empty if they are too long.

    Parameters
    ----------
    tasks : sequence of mapping of str to (str or int)
        The parts and facts of each by name, as far as they are written.
    query : mapping of str to str
        The rest of the address; a specification in it leaves less room.
    """
    text = json.dumps(tasks, ensure_ascii=False) if any(tasks) else ""
    if not text or len(text) > MOST_WRITTEN:
        return {}
    packed = _packed(text)
    return {TASKS: packed} if len(packed) + len(query.get(WRITTEN, "")) <= MOST_PACKED else {}


def tasks_from_query(query: Mapping[str, str]) -> list[dict[str, str | int]]:
    """Return the tasks in the output of :func:`tasks_to_query`; none if there are none.

    Raises
    ------
    NipError
        If they are damaged or too long.
    """
    if TASKS not in query:
        return []
    try:
        tasks: object = json.loads(_unpacked(query[TASKS]) or "")
    except (ValueError, RecursionError):
        tasks = None
    if not isinstance(tasks, list) or not all(map(_is_task, cast("list[object]", tasks))):
        raise NipError(
            "The task in this link is damaged: the link may be cut off. Ask for the text, and "
            "write it here."
        )
    return cast("list[dict[str, str | int]]", tasks)


def _is_task(task: object) -> bool:
    named = cast("dict[object, object]", task).values() if isinstance(task, dict) else [None]
    return all(type(each) in (str, int) for each in named)


def _packed(text: str) -> str:
    data = zlib.compress(text.encode("utf-8", "replace"), 9)
    return urlsafe_b64encode(data).decode("ascii").rstrip("=")


def _unpacked(packed: str) -> str | None:
    """Return a packed text; None if it is damaged or too long."""
    if len(packed) > MOST_PACKED:
        return None
    try:
        data = urlsafe_b64decode(packed.encode("ascii") + b"=" * (-len(packed) % 4))
        # A small text may unpack to a large one.
        unpack = zlib.decompressobj()
        text = unpack.decompress(data, MOST_WRITTEN + 1).decode("utf-8")
    except (ValueError, zlib.error):
        return None
    return text if len(text) <= MOST_WRITTEN and unpack.eof else None


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
