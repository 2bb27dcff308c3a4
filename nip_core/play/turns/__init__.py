"""Episodes of version 2 protocols: setups, turns, and what a seat sees.

Episodes of version 1 need none of this, so it is imported only on use.
"""

from __future__ import annotations

from nip_core.play.turns.answers import read_answer
from nip_core.play.turns.legal import TurnLegal
from nip_core.play.turns.material import Material
from nip_core.play.turns.outcomes import TurnEnding, TurnResult
from nip_core.play.turns.rules import TurnNode
from nip_core.play.turns.seen import SeenChoices
from nip_core.play.turns.setup import TurnSetup
from nip_core.play.turns.view import TurnView

__all__ = [
    "Material",
    "SeenChoices",
    "TurnEnding",
    "TurnLegal",
    "TurnNode",
    "TurnResult",
    "TurnSetup",
    "TurnView",
    "read_answer",
]


def __dir__() -> list[str]:
    return __all__
