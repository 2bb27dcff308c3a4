"""The command ``nip-explorer picture``."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from explorer.pictures.picture import FORMATS, VIEWS, picture
from nip_core.documents import NOTE, parse_json, read_file
from nip_core.errors import NipError
from nip_core.registry import protocol, protocol_names
from nip_core.spec import ProtocolSpec, round_of_shown

__all__ = ["main"]

DESCRIPTION = "Draw a protocol's schedule for a paper or a slide."


def main(arguments: Sequence[str]) -> None:
    """Write a picture to a file."""
    parser = argparse.ArgumentParser(prog="nip-explorer picture", description=DESCRIPTION)
    parser.add_argument(
        "protocol",
        help=f"one of {', '.join(protocol_names())}; or a file (.json) with a specification",
    )
    parser.add_argument(
        "-o",
        "--output",
        required=True,
        type=Path,
        help=f"where to; the name ends in {', '.join(FORMATS)} (.tex is TikZ)",
    )
    parser.add_argument(
        "--set",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="a parameter, such as max_message_rounds=4 or zero_knowledge=true; may be repeated",
    )
    parser.add_argument("--view", choices=VIEWS, default="grid", help="default: %(default)s")
    parser.add_argument("--round", type=int, help="frame this round (from 1)")
    parser.add_argument("--seed", type=int, help="of the episode, where chance picks the schedule")
    parser.add_argument("--theme", choices=["light", "dark"], default="light")
    chosen = parser.parse_args(arguments)
    try:
        spec = specification(chosen.protocol, chosen.set)
        drawn = picture(
            spec,
            chosen.view,
            seed=chosen.seed,
            selected=None if chosen.round is None else _round(spec, chosen.round),
            theme=chosen.theme,
        )
        drawn.save(chosen.output)
    except NipError as error:
        parser.error(str(error))
    except OSError as error:
        parser.error(f"{chosen.output} cannot be written: {error.strerror}.")


def _round(spec: ProtocolSpec, number: int) -> int:
    """The round that somebody has given, who counts from 1."""
    if not 1 <= number <= spec.max_message_rounds:
        raise NipError(f"--round is 1 to {spec.max_message_rounds}, not {number}.")
    return round_of_shown(number)


def specification(named: str, settings: Sequence[str]) -> ProtocolSpec:
    """The protocol that somebody has named, with parameters as ``name=value``.

    Raises
    ------
    NipError
        If there is no such protocol or parameter, or the value cannot be used.
    """
    if named.endswith(".json"):
        if settings:
            raise NipError("--set is for protocols by name; a file holds all of its protocol.")
        return ProtocolSpec.from_dict(
            parse_json(read_file(Path(named), NOTE, NipError), NOTE, NipError)
        )
    if named not in protocol_names():
        known = ", ".join(protocol_names())
        raise NipError(f"There is no protocol {named!r}; there are {known}, and files (.json).")
    given = (setting.partition("=") for setting in settings)
    return protocol(named, **{name: _value(text) for name, _, text in given}).spec


def _value(text: str) -> object:
    """A number, true or false, or else a text."""
    try:
        return parse_json(text, NOTE, NipError)
    except NipError:
        return text
