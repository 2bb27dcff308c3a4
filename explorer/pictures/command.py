"""The command ``nip-explorer picture``."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

from explorer.pictures.picture import FORMATS, VIEWS, picture
from explorer.pictures.stages import StageGrid
from nip_core.budget import MOST_STEPS, Budget
from nip_core.documents import NOTE, parse_json, read_file
from nip_core.errors import NipError
from nip_core.language import Specification
from nip_core.registry import protocol, protocol_names, published_names, version_2
from nip_core.spec import ProtocolSpec, round_of_shown

DESCRIPTION = "Draw a protocol's schedule for a paper or a slide."
# On one's own computer, a picture may take minutes.
MOST_WORK = 100 * MOST_STEPS


def main(arguments: Sequence[str]) -> None:
    """Write a picture to a file."""
    parser = argparse.ArgumentParser(prog="nip-explorer picture", description=DESCRIPTION)
    parser.add_argument(
        "protocol",
        help=f"one of {', '.join((*protocol_names(), *published_names()))}; or a file with a "
        "specification (.json; version 2 also .toml)",
    )
    parser.add_argument(
        "-o",
        "--output",
        required=True,
        type=Path,
        help=f"the file to write; its name ends in {', '.join(FORMATS)} (.tex is TikZ)",
    )
    parser.add_argument(
        "--set",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="a parameter, such as max_message_rounds=4 or zero_knowledge=true, or a setting of "
        "version 2; may be repeated",
    )
    parser.add_argument(
        "--view", choices=VIEWS, default="grid", help="what to draw (default: %(default)s)"
    )
    parser.add_argument(
        "--round", type=int, help="frame this round (of version 2: turn), counted from 1"
    )
    parser.add_argument(
        "--seed", type=int, help="the episode's seed, for protocols with random schedules"
    )
    parser.add_argument("--theme", choices=["light", "dark"], default="light")
    chosen = parser.parse_args(arguments)
    try:
        with Budget(MOST_WORK):
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


def _round(spec: ProtocolSpec | Specification, number: int) -> int:
    """Return the index of a round that is given counted from 1."""
    if isinstance(spec, Specification):
        # There may be a column for draws before the first turn.
        turns = [at for at, c in enumerate(StageGrid(spec).columns) if c.stage is not None]
        last = len(turns)
    else:
        turns, last = None, spec.max_message_rounds
    if not 1 <= number <= last:
        raise NipError(f"--round is 1 to {last}, not {number}.")
    return round_of_shown(number) if turns is None else turns[number - 1]


def specification(named: str, settings: Sequence[str]) -> ProtocolSpec | Specification:
    """Return a protocol by its name or file, with parameters as ``name=value``."""
    given = {name: value for name, _, value in (each.partition("=") for each in settings)}
    if named.endswith((".json", ".toml")):
        return _from_file(Path(named), given)
    published = version_2(named)
    if published is not None:
        return published.with_settings(**given)
    if named not in protocol_names():
        known = ", ".join((*protocol_names(), *published_names()))
        raise NipError(
            f"There is no protocol {named!r}; there are {known}, and files (.json, .toml)."
        )
    return protocol(named, **{name: _value(text) for name, text in given.items()}).spec


def _from_file(path: Path, settings: Mapping[str, str]) -> ProtocolSpec | Specification:
    text = read_file(path, NOTE, NipError)
    if path.suffix == ".toml":
        return Specification.from_toml(text, settings)
    document = cast(object, parse_json(text, NOTE, NipError))
    # Seats are called agents in version 1.
    if isinstance(document, Mapping) and "seats" in cast("Mapping[str, object]", document):
        return Specification.from_dict(cast(object, document), settings)
    if settings:
        raise NipError("--set is for protocols by name and for files of version 2.")
    return ProtocolSpec.from_dict(cast(object, document))


def _value(text: str) -> object:
    """Return a number, true or false, or else a text."""
    try:
        return parse_json(text, NOTE, NipError)
    except NipError:
        return text
