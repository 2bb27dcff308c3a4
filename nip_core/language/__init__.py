"""A language for protocols: specification version 2.

*Messages are free text. Everything else that a seat does is a choice from a finite set.* Schedules
and payoffs depend on choices and on the truth, never on text, so that a protocol stays a finite
machine that can be drawn, checked, enumerated and evaluated exactly.

Inside this package, files import one another; all other code imports from here.
"""

from __future__ import annotations

from nip_core.language.apart import questions_of
from nip_core.language.data import (
    ALWAYS,
    CHANCE,
    END,
    LATE,
    RULES,
    SEED,
    STAGE_END,
    START,
    Act,
    Channel,
    Choice,
    ComputedValue,
    Grid,
    Limit,
    Option,
    Part,
    Pay,
    Seat,
    Stage,
    StatedRoles,
    Turn,
)
from nip_core.language.document import schema
from nip_core.language.expressions import OVER, Expression, Value
from nip_core.language.families import Family
from nip_core.language.formatting import formatted, toml_text
from nip_core.language.functions import log_score
from nip_core.language.given import GivenPlay, Habit
from nip_core.language.in_python import python_text
from nip_core.language.loading import load_specification
from nip_core.language.plain import to_version_1
from nip_core.language.quotes import Quote, checked_quotes
from nip_core.language.roles import Roles, Side, StatedChance
from nip_core.language.specification import Specification
from nip_core.language.version1 import from_version_1
from nip_core.language.wording import Wording

__all__ = [
    "ALWAYS",
    "CHANCE",
    "END",
    "LATE",
    "OVER",
    "RULES",
    "SEED",
    "STAGE_END",
    "START",
    "Act",
    "Channel",
    "Choice",
    "ComputedValue",
    "Expression",
    "Family",
    "GivenPlay",
    "Grid",
    "Habit",
    "Limit",
    "Option",
    "Part",
    "Pay",
    "Quote",
    "Roles",
    "Seat",
    "Side",
    "Specification",
    "Stage",
    "StatedChance",
    "StatedRoles",
    "Turn",
    "Value",
    "Wording",
    "checked_quotes",
    "formatted",
    "from_version_1",
    "load_specification",
    "log_score",
    "python_text",
    "questions_of",
    "schema",
    "to_version_1",
    "toml_text",
]


def __dir__() -> list[str]:
    return __all__
