"""How strong scripted players are, measured by playing every one against every other."""

from __future__ import annotations

import argparse
import ast
import itertools
import json
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from hashlib import sha256
from importlib import resources
from pathlib import Path
from typing import Any, Literal

from explorer.players import (
    DEFAULT_LEVEL,
    LEVELS,
    STRATEGIES,
    play_out,
    scripted_player,
    scripted_record,
)
from nip_core.displays import Table, Tabular, displayed, line
from nip_core.documents import python_tree, stable_hash
from nip_core.parameters import HyperParameters
from nip_core.play import Episode
from nip_core.registry import protocol_names, protocol_spec
from nip_core.tasks import DIFFICULTIES, Task, bundled_tasks, graph_task
from nip_core.values import wilson

# Games of each match about each kind of task; half of the statements are true.
GAMES = {"code": 36, "graphs": 12}
# How many generated pairs of graphs are used for each difficulty and label.
GRAPH_SEEDS = 4


@displayed
@dataclass(frozen=True, slots=True, order=True)
class StrengthGame:
    """A verifier against provers."""

    protocol: str
    strategy: str  # the verifier's
    level: str  # the verifier's
    against: str  # the provers' level; empty where there are none
    about: str  # "code" or "graphs"


def matches() -> Iterator[StrengthGame]:
    """Yield all pairs, in every protocol that has a verifier, about every kind of task."""
    for protocol in protocol_names():
        has_provers = bool(protocol_spec(HyperParameters(interaction_protocol=protocol)).provers)
        for each in STRATEGIES.values():
            levels = tuple(LEVELS) if each.has_levels else (DEFAULT_LEVEL,)
            against = tuple(LEVELS) if has_provers else ("",)
            for level, other, about in itertools.product(levels, against, GAMES):
                yield StrengthGame(protocol, each.name, level, other, about)


@cache
def _tasks(about: str, y: int) -> tuple[Task, ...]:
    if about == "code":
        return tuple(task for task in bundled_tasks() if task.y == y)
    return tuple(
        graph_task(seed, difficulty=difficulty, isomorphic=y == 1)
        for difficulty in DIFFICULTIES
        for seed in range(GRAPH_SEEDS)
    )


def play(match: StrengthGame, number: int) -> bool:
    """Play one of the games of a match; return whether the verdict was right.

    Even numbers are about true statements, odd ones about false.
    """
    drawn = stable_hash("nip-strengths/1", *asdict(match).values(), number // 2)
    y = 1 - number % 2
    tasks = _tasks(match.about, y)
    # In order from a random start, so that all matches together use all tasks.
    first = stable_hash("nip-strengths-first/1", *asdict(match).values())
    task = tasks[(int.from_bytes(first[:4]) + number // 2) % len(tasks)]
    seed = int.from_bytes(drawn[:3])
    parameters = HyperParameters(interaction_protocol=match.protocol)
    episode = Episode(parameters, task, seed)
    setup = episode.setup
    players = {
        agent: scripted_player(
            setup,
            agent,
            scripted_record(seed, agent, match.level, match.strategy)
            if agent in setup.spec.verifiers
            else scripted_record(seed, agent, match.against),
        )
        for agent in setup.spec.agent_names
    }
    play_out(episode, players)
    return episode.result().decision == y


FORMAT = "nip-strengths/1"
FILE = "strengths.json"


@displayed
@dataclass(frozen=True, slots=True)
class Pairing:
    """The results of a match."""

    match: StrengthGame
    right: str  # a digit for each game in order: ``1`` if the verdict was right

    def of_label(self, y: int) -> str:
        """Return the results of the games about true or false statements."""
        return self.right[1 - y :: 2]


@dataclass(frozen=True, slots=True)
class Strengths(Tabular):
    """All measurements."""

    scripts: str  # the digest of the scripts; see :func:`scripts_digest`
    cells: tuple[Pairing, ...]

    def __repr__(self) -> str:
        return line(self, f"{self.games:,} games", f"{len(self.cells):,} matches")

    def table(self) -> Table:
        """Return how often each verifier was right in each match."""
        return Table(
            ("protocol", "about", "verifier", "level", "against", "games", "right"),
            [
                (m.protocol, m.about, m.strategy, m.level, m.against, len(cell.right), won)
                for cell in self.cells
                for m, won in [(cell.match, cell.right.count("1") / len(cell.right))]
            ],
        )

    @property
    def games(self) -> int:
        """The number of games."""
        return sum(len(cell.right) for cell in self.cells)

    def sentences(
        self, protocol: str, strategy: str, level: str, against: Collection[str] | None = None
    ) -> list[str]:
        """Return sentences for people about how often a verifier is right.

        They count games against provers of these levels, by default of all together.
        """
        found = [
            cell
            for cell in self.cells
            if (cell.match.protocol, cell.match.strategy, cell.match.level)
            == (protocol, strategy, level)
            and (against is None or not cell.match.against or cell.match.against in against)
        ]
        return [
            f"{name}: right in {rate(''.join(cell.of_label(1) for cell in here))} about true "
            f"statements, in {rate(''.join(cell.of_label(0) for cell in here))} about false ones."
            for about, name in (("code", "Programs"), ("graphs", "Graphs"))
            if (here := [cell for cell in found if cell.match.about == about])
        ]

    def to_json(self) -> str:
        """Return a JSON document with a line for each cell."""
        rows = ",\n".join(json.dumps({**asdict(c.match), "right": c.right}) for c in self.cells)
        head = json.dumps({"format": FORMAT, "scripts": self.scripts, "games": self.games})[:-1]
        return f'{head}, "cells": [\n{rows}\n]}}\n'

    @classmethod
    def from_json(cls, text: str) -> Strengths:
        """Read what :meth:`to_json` made."""
        document: dict[str, Any] = json.loads(text)
        cells = tuple(
            Pairing(StrengthGame(**{k: v for k, v in row.items() if k != "right"}), row["right"])
            for row in document["cells"]
        )
        return cls(document["scripts"], cells)


def rate(right: str) -> str:
    """Return the share of right games with its 95% interval, in words."""
    hits, count = right.count("1"), len(right)
    low, high = wilson(hits, count)
    return f"{hits / count:.0%} ({low:.0%} to {high:.0%})"


def measure(
    chosen: Iterable[StrengthGame] | None = None, games: dict[str, int] | None = None
) -> Iterator[Pairing]:
    """Play matches, by default all, with so many games about each kind of task."""
    numbers = GAMES if games is None else games
    for match in matches() if chosen is None else chosen:
        won = (play(match, number) for number in range(numbers[match.about]))
        yield Pairing(match, "".join("1" if right else "0" for right in won))


def scripts_digest(of: Literal["rounds", "turns"] = "rounds") -> str:
    """Return a digest of the code and data of scripted players, of version 1 or of version 2.

    It does not depend on comments, docstrings, the file that contains a definition, or exported
    names.
    """
    scripts = resources.files("explorer") / "players" / "scripted"
    if of == "turns":
        files = ("judges.py", "turns.py")
        texts = ((scripts / name).read_text("utf-8") for name in files)
        parts = sorted(part for text in texts for part in _definitions(text))
    else:
        parts = sorted(part for name in ("provers", "verifiers") for part in _parts(scripts / name))
    return sha256("\0".join(parts).encode()).hexdigest()[:16]


def _parts(folder: Any) -> Iterator[str]:
    for item in folder.iterdir():
        if item.is_dir():
            yield from _parts(item)
        elif item.name.endswith(".toml"):
            yield item.read_text("utf-8")
        elif item.name.endswith(".py"):
            yield from _definitions(item.read_text("utf-8"))


def _definitions(source: str) -> Iterator[str]:
    """Yield the text of every top-level definition, without comments and docstrings."""
    lines = source.splitlines()
    tree = python_tree(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            lines[node.lineno - 1 : node.end_lineno] = [""] * len(
                lines[node.lineno - 1 : node.end_lineno]
            )
    for node in tree.body:
        if isinstance(node, ast.Assign) and "__all__" in ast.unparse(node.targets[0]):
            continue  # exports do not change any move
        if not isinstance(node, ast.Import | ast.ImportFrom | ast.Expr):
            kept = [line.strip() for line in lines[node.lineno - 1 : node.end_lineno]]
            yield "\n".join(line for line in kept if line and not line.startswith("#"))


@cache
def strengths() -> Strengths:
    """Return the measured table."""
    text = (resources.files("explorer.studies") / FILE).read_text("utf-8")
    return Strengths.from_json(text)


DESCRIPTION = (
    "Play every scripted verifier against all scripted provers, in every protocol, and record how "
    "often its verdict is right."
)


def main(arguments: Sequence[str]) -> None:
    """Measure, write the table, and print a summary."""
    parser = argparse.ArgumentParser(prog="nip-explorer strengths", description=DESCRIPTION)
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        default=Path(__file__).parent / FILE,
        help="the file to write (default: the library's own table)",
    )
    parser.add_argument(
        "--games",
        type=int,
        default=GAMES["code"],
        help="how many games about programs each pair plays (default: %(default)s); the number of "
        "games about graphs is in proportion",
    )
    chosen = parser.parse_args(arguments)
    numbers = {about: max(2, chosen.games * n // GAMES["code"]) for about, n in GAMES.items()}
    begun = time.process_time()
    all_matches = list(matches())
    cells = list(measure(all_matches, numbers))
    made = Strengths(scripts_digest(), tuple(cells))
    chosen.output.write_text(made.to_json(), "utf-8")
    for protocol in dict.fromkeys(match.protocol for match in all_matches):
        print(protocol)
        for name in dict.fromkeys((m.strategy, m.level) for m in all_matches):
            here = [
                cell
                for cell in cells
                if (cell.match.protocol, cell.match.strategy, cell.match.level) == (protocol, *name)
            ]
            print(f"  {name[0]:9} {name[1]:7} {rate(''.join(cell.right for cell in here))}")
    seconds = time.process_time() - begun
    print(f"{made.games:,} games, {seconds:.0f} s of this process: {chosen.output}")
