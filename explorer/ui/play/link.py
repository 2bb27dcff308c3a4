"""What the Play page keeps in its address before a game: the protocol, seats, task and seed."""

from __future__ import annotations

import re

from explorer.ui.choosing import Choosing
from explorer.ui.following import Following

PLAY = Choosing(
    "play",
    "nip",
    (
        *("seat", "task", "about", "hard", "problem", "seed", "claim", "written"),
        *("sits.", "level.", "strategy."),
    ),
    without=("zero_knowledge",),
)
CHOICES = Following(
    PLAY,
    re.compile(
        r"play-((seat|level|strategy|problem|task|seed)-.*|lies|about|difficulty)"
        r"|play-.*-(part|fact)-.*"
    ),
)
