"""The command ``nip-explorer strengths``."""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from pathlib import Path

from explorer.studies.strengths.games import GAMES, matches
from explorer.studies.strengths.table import FILE, Strengths, measure, rate, scripts_digest

__all__ = ["main"]

DESCRIPTION = (
    "Let every scripted verifier play against all scripted provers, in every protocol, and write "
    "down how often its verdict is right."
)


def main(arguments: Sequence[str]) -> None:
    """Measure, write the table, and show it in short."""
    parser = argparse.ArgumentParser(prog="nip-explorer strengths", description=DESCRIPTION)
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        default=Path(__file__).parent / FILE,
        help="where to (default: the library's own table)",
    )
    parser.add_argument(
        "--games",
        type=int,
        default=GAMES["code"],
        help="of each pair about programs (default: %(default)s); of graphs in proportion",
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
