"""The command ``nip-explorer replay``."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from explorer.notebook.replay_file import save_replay
from nip_core.documents import TRANSCRIPT, read_file
from nip_core.errors import NipError, TranscriptError
from nip_core.transcript import load

__all__ = ["main"]

DESCRIPTION = (
    "Make one HTML file of a transcript, which replays the game in any browser, without a network."
)


def main(arguments: Sequence[str]) -> None:
    """Write the page."""
    parser = argparse.ArgumentParser(prog="nip-explorer replay", description=DESCRIPTION)
    parser.add_argument("transcript", type=Path, help="a transcript (.json) of a finished game")
    parser.add_argument(
        "-o", "--output", required=True, type=Path, metavar="FILE", help="where to write it (.html)"
    )
    chosen = parser.parse_args(arguments)
    try:
        episode = load(read_file(chosen.transcript, TRANSCRIPT, TranscriptError))
        save_replay(episode, chosen.output)
    except NipError as error:
        parser.error(str(error))
    except OSError as error:
        parser.error(f"{chosen.output} cannot be written: {error.strerror}.")
