"""The command ``nip-explorer picture``."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from explorer.pictures.comparison import Comparison
from explorer.pictures.model import ProtocolGrid, grid_of
from explorer.pictures.picture import FORMATS, VIEWS, Picture, compare_picture, picture
from nip_core.budget import MOST_STEPS, Budget
from nip_core.documents import NOTE, parse_json, read_file
from nip_core.errors import NipError
from nip_core.language import Specification, load_specification
from nip_core.registry import protocol_names, published_names, specification

DESCRIPTION = "Draw a protocol's schedule for a paper or a slide."
# On one's own computer, a picture may take minutes.
MOST_WORK = 100 * MOST_STEPS


def main(arguments: Sequence[str]) -> None:
    """Write a picture to a file."""
    parser = argparse.ArgumentParser(prog="nip-explorer picture", description=DESCRIPTION)
    parser.add_argument(
        "protocol",
        help=f"one of {', '.join((*protocol_names(), *published_names()))}; or a file with a "
        "specification (.json or .toml)",
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
        help="a setting, such as max_message_rounds=4 or zero_knowledge=true; may be repeated",
    )
    parser.add_argument(
        "--view", choices=VIEWS, default="grid", help="what to draw (default: %(default)s)"
    )
    parser.add_argument("--turn", "--round", type=int, help="frame this turn, counted from 1")
    parser.add_argument(
        "--compare",
        metavar="PROTOCOL",
        help="draw another protocol below, by its name or file, and mark what differs",
    )
    parser.add_argument(
        "--seed", type=int, help="the episode's seed, for protocols with random schedules"
    )
    parser.add_argument("--theme", choices=["light", "dark"], default="light")
    chosen = parser.parse_args(arguments)
    try:
        with Budget(MOST_WORK):
            drawn = _drawn(chosen)
        drawn.save(chosen.output)
    except NipError as error:
        parser.error(str(error))
    except OSError as error:
        parser.error(f"{chosen.output} cannot be written: {error.strerror}.")


def _drawn(chosen: argparse.Namespace) -> Picture:
    spec = protocol_named(chosen.protocol, chosen.set)
    look: dict[str, Any] = {"theme": chosen.theme}
    if chosen.compare is not None:
        if chosen.view != "grid":
            raise NipError("Two protocols are compared as grids: leave --view out.")
        other = protocol_named(chosen.compare, ())
        seeds = (chosen.seed, None)
        compared = Comparison(spec, other, seeds)
        at = _column(compared.left, chosen.turn)
        selected = None if at is None else [own for own, _ in compared.columns].index(at)
        return compare_picture(spec, other, seeds=seeds, selected=selected, **look)
    selected = _column(grid_of(spec, chosen.seed), chosen.turn)
    return picture(spec, chosen.view, seed=chosen.seed, selected=selected, **look)


def _column(grid: ProtocolGrid, turn: int | None) -> int | None:
    """Return the column of a turn, which is counted from 1."""
    if turn is None:
        return None
    if not 1 <= turn <= len(grid.turns):
        raise NipError(f"--turn is 1 to {len(grid.turns)}, not {turn}.")
    return grid.turns[turn - 1]


def protocol_named(named: str, settings: Sequence[str]) -> Specification:
    """Return a protocol by its name or file, with settings as ``name=value``."""
    given = {name: value for name, _, value in (each.partition("=") for each in settings)}
    if named.endswith((".json", ".toml")):
        return load_specification(read_file(Path(named), NOTE, NipError), given)
    if named not in (*protocol_names(), *published_names()):
        known = ", ".join((*protocol_names(), *published_names()))
        raise NipError(
            f"There is no protocol {named!r}; there are {known}, and files (.json, .toml)."
        )
    published = named in published_names()
    return specification(
        named, **{name: text if published else _value(text) for name, text in given.items()}
    )


def _value(text: str) -> object:
    """Return a number, true or false, or else a text."""
    try:
        return parse_json(text, NOTE, NipError)
    except NipError:
        return text
