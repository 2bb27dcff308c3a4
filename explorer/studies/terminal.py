"""A run and its tables in the terminal."""

from __future__ import annotations

import argparse
import sys
import threading
import time
from collections.abc import Sequence
from functools import partial
from typing import TextIO

from explorer.studies.progress import RunStage
from nip_core.documents import printable

WIDTH = 24
# Seconds between new lines if the output is not a terminal.
SELDOM = 30.0
OFTEN = 0.1

# One line of text of others, in which no character is a command to the terminal.
plain = partial(printable, keep="")


def subparser(name: str, description: str) -> argparse.ArgumentParser:
    """Return the parser of the arguments after ``nip-explorer study NAME``."""
    return argparse.ArgumentParser(prog=f"nip-explorer study {name}", description=description)


def duration(seconds: float) -> str:
    """Return a duration in words."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = seconds / 60
    return f"{minutes:.0f} min" if minutes < 90 else f"{minutes / 60:.1f} h"


def stage_line(stage: RunStage) -> str:
    """Return a run's progress in a line."""
    used, left = stage.used, stage.seconds_left
    tokens = used.tokens
    parts = [
        f"{stage.before + stage.done:,} of {stage.total:,} done",
        f"{stage.failed:,} failed" if stage.failed else "",
        f"{used.calls:,} calls, {tokens:,} tokens" if used.calls else "",
        f"spent {used.money:.2f}" if used.money else "",
        f"{duration(left)} left" if left is not None and stage.left else "",
        f"queued: “{stage.waits_for}” is played first" if stage.waits_for else "",
        f"latest problem: {stage.problem}" if stage.problem else "",
        *(f"given up: {reason}" for reason in stage.given_up),
    ]
    return " · ".join(filter(None, parts))


class ProgressBar:
    """Shows a run's progress in a line that is rewritten or, without a terminal, in new lines."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._changes = self._stream.isatty()
        self._last = 0.0
        self._last_kind = ""
        self._lock = threading.Lock()
        self._width = 0
        self._said = ""

    def __call__(self, stage: RunStage) -> None:
        """Show a stage, unless the last one was shown just now."""
        now = time.monotonic()
        # Problems and waits are shown at once.
        kind = f"{bool(stage.problem)}{stage.waits_for}{stage.given_up}"
        with self._lock:
            often = OFTEN if self._changes else SELDOM
            if now - self._last >= often or not stage.left or kind != self._last_kind:
                self._last, self._last_kind = now, kind
                self.show(stage)

    def show(self, stage: RunStage) -> None:
        """Show a stage."""
        said = plain(stage_line(stage))
        if not self._changes:
            if said != self._said:
                print(said, file=self._stream, flush=True)
            self._said = said
            return
        share = (stage.total - stage.left) / stage.total if stage.total else 1.0
        full = round(WIDTH * min(1.0, share))
        line = f"[{'#' * full}{'.' * (WIDTH - full)}] {said}"
        # Blanks overwrite the rest of a longer line.
        print(f"\r{line:<{self._width}}", end="", file=self._stream, flush=True)
        self._width = len(line)

    def close(self) -> None:
        """End the line."""
        if self._changes and self._width:
            print(file=self._stream, flush=True)


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return columns of text, each as wide as its widest cell."""
    cells = [[plain(cell) for cell in row] for row in [heads, *rows]]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in cells
    ]
    return "\n".join([lines[0], "  ".join("-" * width for width in widths), *lines[1:]])
