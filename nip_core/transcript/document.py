"""Reading and writing episodes as documents (``nip-transcript/2``; ``/3`` for version 2).

A document contains the setup and the events and, for readers without this library, the resulting
positions. :func:`load` replays the events and refuses a document that breaks the rules or has other
rewards than the rules give. A chain of hashes runs from the header through all events, so that a
changed byte changes every later hash.

The first format, which differs in the origins of moves, can be read too.
"""

from __future__ import annotations

import json
import math
import re
from array import array
from collections.abc import Mapping
from hashlib import sha256
from importlib import resources
from typing import Any, Literal, cast

from nip_core._version import __version__
from nip_core.documents import as_object, show
from nip_core.errors import NipError, TranscriptError
from nip_core.play import MAX_EVENTS, Episode, Node, Setup, event_from_dict
from nip_core.play.seen import as_plain_values
from nip_core.transcript.reads import newly_read
from nip_core.transcript.safe_json import canonical, parse_json, plain_document

__all__ = ["FORMAT", "dump", "dumps", "load", "prompts_have_changed", "transcript_schema"]

FORMAT = "nip-transcript/2"
FORMAT_OF_TURNS = "nip-transcript/3"
_OLDER = ("nip-transcript/1",)
READS = "reads"
_DIGEST = re.compile(r"[0-9a-f]{64}")
_KEYS = {"format", "library", "setup", "digests", "events", "positions"}


def transcript_schema(version: Literal[1, 2] = 1) -> dict[str, Any]:
    """Return the JSON Schema of transcripts for a version of protocols."""
    name = "transcript-2.json" if version == 1 else "transcript-3.json"
    path = resources.files("nip_core.transcript") / name
    return json.loads(path.read_text("utf-8"))


def dump(episode: Episode) -> dict[str, Any]:
    """Return an episode as a plain document with everything, including the label."""
    header = _header(episode.setup)
    events = [event.to_dict() for event in episode.events]
    return {
        **header,
        "events": [
            {**event, "hash": digest}
            for event, digest in zip(events, _chain(header, events), strict=True)
        ],
        "positions": [_position(node, episode) for node in episode.nodes],
    }


def dumps(episode: Episode) -> str:
    """Return the document as text, which is the same everywhere for the same episode."""
    return json.dumps(dump(episode), indent=1, sort_keys=True, allow_nan=False) + "\n"


def load(source: str | bytes | dict[str, Any]) -> Episode:
    """Read a transcript, which may be untrusted, by replaying it.

    Raises
    ------
    TranscriptError
        If it is invalid; names the event and the reason.
    """
    document = parse_json(source) if isinstance(source, str | bytes) else plain_document(source)
    fields = _checked_keys(document)
    try:
        setup = Setup.from_dict(fields["setup"])
    except NipError as error:
        raise TranscriptError(f"The setup cannot be used: {error}") from None
    if (fields["format"] == FORMAT_OF_TURNS) != (_format(setup) == FORMAT_OF_TURNS):
        raise TranscriptError(
            f"The format is {fields['format']!r}, which is not that of its protocol."
        )
    _check_digests(fields["digests"], fields["setup"]["protocol"], setup)
    header = {key: fields[key] for key in ("format", "library", "setup", "digests")}
    if not isinstance(fields["library"], dict):
        raise TranscriptError(f"library is {show(fields['library'])}; it must be an object.")
    events = _checked_events(fields["events"])
    bare = [{key: value for key, value in event.items() if key != "hash"} for event in events]
    episode = Episode.from_setup(setup)
    for number, (event, link) in enumerate(zip(bare, _chain(header, bare), strict=True)):
        if events[number].get("hash") != link:
            _check_fields(number, event)
            raise TranscriptError(
                f"Event {number} does not match its hash: the file was changed at or before it."
            )
        try:
            episode.apply(event_from_dict(event))
        except NipError as error:
            raise TranscriptError(f"Event {number} is not possible: {error}") from None
    positions = [_position(node, episode) for node in episode.nodes]
    if fields["format"] == FORMAT_OF_TURNS:
        if not _alike(fields["positions"], positions):
            raise _other_positions(fields["positions"], positions)
        return episode
    # The first format has rewards in single precision.
    if fields["positions"] not in (positions, [_in_single_precision(p) for p in positions]):
        raise _other_positions(fields["positions"], positions)
    return episode


def prompts_have_changed(document: Mapping[str, object], episode: Episode) -> bool:
    """Return whether the seats' instructions have changed since the episode was played.

    Raises
    ------
    TranscriptError
        If the document does not contain their digests.
    """
    digests = document.get("digests")
    if not isinstance(digests, dict) or "prompts" not in digests:
        raise TranscriptError("The transcript has no digests of the seats' instructions.")
    return cast("dict[str, object]", digests)["prompts"] != episode.setup.prompt_digests


def _check_digests(document: object, protocol: object, setup: Setup) -> None:
    """Check all digests that can be recomputed; for prompts, only that each seat has one.

    The episode may have been played with the prompts of another version.
    """
    digests = as_object(document, "digests", ("protocol", "task", "prompts"), error=TranscriptError)
    for what, made in (
        ("protocol", sha256(canonical(protocol).encode()).hexdigest()),
        ("task", setup.task.digest),
    ):
        if digests[what] != made:
            raise TranscriptError(
                f"The digest of the {what} is not that of the {what} in the file."
            )
    names = setup.rules.seat_names
    prompts = as_object(digests["prompts"], "digests.prompts", names, error=TranscriptError)
    for agent, digest in prompts.items():
        if not isinstance(digest, str) or not _DIGEST.fullmatch(digest):
            raise TranscriptError(f"The digest of the prompt of {agent!r} is {show(digest)}.")


def _format(setup: Setup) -> str:
    """Return the format of an episode's document, which follows from that of its setup."""
    return FORMAT_OF_TURNS if setup.handler is None else FORMAT


def _header(setup: Setup) -> dict[str, object]:
    document = setup.to_dict()
    return {
        "format": _format(setup),
        "library": {"name": "nip_core", "version": __version__},
        "setup": document,
        "digests": {
            "protocol": sha256(canonical(document["protocol"]).encode()).hexdigest(),
            "task": setup.task.digest,
            "prompts": setup.prompt_digests,
        },
    }


def _chain(header: dict[str, object], events: list[dict[str, object]]) -> list[str]:
    """Return the hash of each event, which depends on everything before it."""
    link = sha256(canonical(header).encode()).hexdigest()
    links: list[str] = []
    for event in events:
        link = sha256(f"{link}{canonical(event)}".encode()).hexdigest()
        links.append(link)
    return links


def _position(node: Node, episode: Episode) -> dict[str, Any]:
    paid = zip(episode.rules.seat_names, node.rewards, strict=False)
    return {
        **_chosen(node, episode),
        "parent": node.parent,
        "round": node.round,
        "done": node.done,
        "terminated": node.terminated,
        "rewards": dict(paid),
        "tainted": sorted(node.tainted),
    }


def _chosen(node: Node, episode: Episode) -> dict[str, Any]:
    """Return, for a specification, all choices (moves contain only some) and what seats read."""
    if _format(episode.setup) == FORMAT:
        return {}
    values = as_plain_values(episode.changed(node.id))
    told = {"values": values} if values else {}
    messages = () if node.release is None else node.release.messages
    copies = [
        {"agent": m.seat, "from": m.source, "to": m.channel, "text": m.text}
        for m in messages
        if m.source
    ]
    return {
        "choices": dict(episode.chosen(node.id)),
        **told,
        **({"copies": copies} if copies else {}),
        READS: newly_read(episode, node),
    }


def _alike(positions: object, made: list[dict[str, Any]]) -> bool:
    """Return whether positions are equal, up to rounding of logarithms on other machines."""
    if not isinstance(positions, list) or len(cast("list[object]", positions)) != len(made):
        return False
    for one, other in zip(cast("list[object]", positions), made, strict=True):
        if not isinstance(one, dict):
            return False
        fields = cast("dict[str, Any]", one)
        if READS not in fields:
            # Older documents do not contain what seats can read, which follows from the rest.
            other = {key: value for key, value in other.items() if key != READS}
        paid, wanted = fields.get("rewards"), other["rewards"]
        if {**fields, "rewards": None} != {**other, "rewards": None}:
            return False
        if not isinstance(paid, dict) or cast("dict[str, Any]", paid).keys() != wanted.keys():
            return False
        for seat, amount in cast("dict[str, Any]", paid).items():
            if type(amount) not in (int, float):
                return False
            if not math.isclose(amount, wanted[seat], rel_tol=1e-9, abs_tol=1e-9):
                return False
    return True


def _in_single_precision(position: dict[str, Any]) -> dict[str, Any]:
    paid = array("f", position["rewards"].values())
    return {**position, "rewards": dict(zip(position["rewards"], paid, strict=True))}


def _checked_keys(document: object) -> dict[str, Any]:
    if not isinstance(document, dict):
        raise TranscriptError(f"A transcript is an object; the file holds {show(document)}.")
    fields = cast("dict[str, Any]", document)
    if fields.get("format") not in (FORMAT, FORMAT_OF_TURNS, *_OLDER):
        raise TranscriptError(
            f"The format is {show(fields.get('format'))}; this version reads {FORMAT!r}, "
            f"{FORMAT_OF_TURNS!r} and {', '.join(map(repr, _OLDER))}."
        )
    if fields.keys() != _KEYS:
        missing, unknown = sorted(_KEYS - fields.keys()), sorted(map(str, fields.keys() - _KEYS))
        raise TranscriptError(
            f"The transcript lacks the field {missing[0]!r}."
            if missing
            else f"The transcript has an unknown field: {show(unknown[0])}."
        )
    return fields


def _check_fields(number: int, event: dict[str, object]) -> None:
    """Raise an error that names an invalid field, which says more than a different hash."""
    try:
        event_from_dict(event)
    except NipError as error:
        raise TranscriptError(f"Event {number} cannot be read: {error}") from None


def _other_positions(positions: object, made: list[dict[str, object]]) -> TranscriptError:
    """Return the error that names the first field that differs."""
    place, items = (
        "positions",
        cast("list[object]", positions) if isinstance(positions, list) else [],
    )
    pairs = [*enumerate(zip(items, made, strict=False))]
    differing = [number for number, (one, other) in pairs if not _alike([one], [other])]
    # Transcripts of version 1 must match exactly.
    differing = differing or [number for number, (one, other) in pairs if one != other]
    if len(items) == len(made) and differing:
        place += f"[{differing[0]}]"
        one, other = items[differing[0]], made[differing[0]]
        if isinstance(one, dict):
            fields = cast("dict[str, Any]", one)
            names = [name for name in other if fields.get(name) != other[name]]
            place += f".{names[0]}" if names else ""
    return TranscriptError(
        "The positions or rewards in the file are not what the rules give for its events, first at "
        f"{place}."
    )


def _checked_events(events: object) -> list[dict[str, Any]]:
    if not isinstance(events, list):
        raise TranscriptError(f"events is {show(events)}; it must be a list.")
    items = cast("list[object]", events)
    if len(items) > MAX_EVENTS:
        raise TranscriptError(f"The transcript has more than {MAX_EVENTS:,} events.")
    for number, event in enumerate(items):
        if not isinstance(event, dict):
            raise TranscriptError(f"Event {number} is {show(event)}; it must be an object.")
        if "hash" not in event:
            raise TranscriptError(f"Event {number} lacks the field 'hash'.")
    return cast("list[dict[str, Any]]", items)
