"""Worlds that one seat cannot tell apart, and frames without their random parts."""

from __future__ import annotations

import dataclasses
import io
import re
import zipfile
from collections.abc import Iterable

from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from nip_core import HyperParameters
from nip_core.play import Episode, Seated, Setup
from nip_core.tasks import Chip, Task
from tests.play_worlds import ONE_TASK

ID = "5" * 32

# Random by nature: ids that the server draws, its port, and the time.
RANDOM = re.compile(
    r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}"
    r'|(?<=deferred_file_id: ")[^"]*|(?<=session_id: ")[^"]*|(?<=script_run_id: ")[^"]*'
    r'|(?<=\nhash: ")[^"]*|127\.0\.0\.1:\d+|/media/[0-9a-f]+'
    r"|(?<=key=)[0-9a-f]{32}"  # signed with the visitor's cookie
    r'|"(?:ends|clock)\\*": ?\d+\.\d+'  # of a round with a time limit
    r'|"hash\\*": \\*"[0-9a-f]{64}'  # a hash over the times of all moves
    r"|\d{4}\\*-\d\d\\*-\d\d[T ]\d\d\\*:(:small\[\])?\d\d(?::small\[\]|[\d:.Z+-]|\\+)*"
)
# Between the lines of a long text in Python; a random part may extend over it.
SEAM = re.compile(r"""\\*['"](?:\\+n|\n) +\\*['"]""")


@dataclasses.dataclass(frozen=True)
class World:
    """One of several worlds; each secret has a different value in every world.

    Parameters
    ----------
    number : int
    """

    number: int

    def secret(self, name: str) -> str:
        """Return a text that only some seats may read."""
        letter = "abc"[self.number]
        return f"{name}: {(letter * 5 + ' ') * (3 + 4 * self.number)}end"

    def choice(self, *options: object) -> object:
        """Return one of the options, a different one in each world while there are enough."""
        return options[self.number % len(options)]

    def task(self, *, ended: bool = False) -> Task:
        """Return a task with the same statement; of an ended one the label is known, too."""
        prepared = {
            "openings": (self.secret("opening 0"), self.secret("opening 1")),
            "questions": tuple(
                Chip(chip.ask, (self.secret(f"no {n}"), self.secret(f"yes {n}")))
                for n, chip in enumerate(ONE_TASK.questions)
            ),
        }
        if ended:
            return dataclasses.replace(ONE_TASK, **prepared)
        y = self.choice(0, 1)
        return dataclasses.replace(
            ONE_TASK,
            y=y,
            exposing=None,
            explanation=self.secret("explanation"),
            source_id=self.secret("source"),
            **prepared,
        )

    def setup(
        self, protocol: str, *, ended: bool = False, informed: bool = False, **options: object
    ) -> Setup:
        """Return a setup of a protocol on the task."""
        parameters = HyperParameters(interaction_protocol=protocol, **options)
        return Setup.of(parameters, self.task(ended=ended), 7, informed_provers=informed)


def seat_all(episode: Episode, **kinds: str) -> None:
    """Record who sits where: ``me``, ``friend``, or a kind of player."""
    for agent, kind in kinds.items():
        human = {"kind": "human", "who": kind}
        player = human if kind in ("me", "friend") else {"kind": kind}
        episode.apply(Seated(agent=agent, player=player))


def steadied(message: ForwardMsg) -> str:
    """Return a frame as text, without its random parts."""
    return RANDOM.sub("N", SEAM.sub("", f"\n{message}"))


def steadied_file(content: bytes) -> list[str]:
    """Return the parts of a downloaded file, without its random parts."""
    if content.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return [n for name in archive.namelist() for n in steadied_file(archive.read(name))]
    return [RANDOM.sub("N", SEAM.sub("", content.decode("utf-8", "replace")))]


def differences(worlds: Iterable[list[str]]) -> list[str]:
    """Return what one seat is sent in the first world but not in one of the others."""
    first, *others = worlds
    found: list[str] = []
    for other in others:
        if len(first) != len(other):
            found.append(f"{len(first)} frames and {len(other)}")
        for number, (mine, theirs) in enumerate(zip(first, other, strict=False)):
            if mine != theirs:
                at = next(
                    (n for n, (a, b) in enumerate(zip(mine, theirs, strict=False)) if a != b),
                    min(len(mine), len(theirs)),
                )
                here = slice(max(0, at - 300), at + 200)
                found.append(f"frame {number}:\n{mine[here]}\n-- and --\n{theirs[here]}")
                break
    return found
