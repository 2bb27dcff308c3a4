"""Drawing a protocol: edits, gestures made of them, their history, and the text beside it.

Three layers. *Edits* are five kinds of change at a place, each with an exact inverse. *Gestures*
are what a person does: edits that are made together, checked once, and undone together, or refused
together with repairs. A *history* is a list of gestures.

>>> history = History.of(Draft.blank())
>>> history, result = history.do("add_seat", {"title": "Prover"})
>>> result.words
'add the seat “Prover”'

Inside this package, files import one another; all other code imports from here.
"""

from __future__ import annotations

from nip_core.editing import (
    anything,
    cells,
    choices,
    course,
    ideas,
    mutations,
    paying,
    payments,
    sight,
    things,
)
from nip_core.editing.difference import BLANK, difference, from_nothing
from nip_core.editing.draft import Draft
from nip_core.editing.edits import (
    Add,
    Edit,
    Move,
    Place,
    Remove,
    Rename,
    Set,
    apply,
    apply_one,
    from_plain,
    to_plain,
)
from nip_core.editing.history import History, Step
from nip_core.editing.mutations import MUTATIONS, Mutation
from nip_core.editing.mutations import mutations as mutations_of
from nip_core.editing.paying import USUAL
from nip_core.editing.payments import PayTable, pay_tables
from nip_core.editing.recognised import Idea, ideas_of
from nip_core.editing.templates import TEMPLATES, template
from nip_core.editing.text import follow, text_of
from nip_core.editing.work import GESTURES, Gesture, Refusal, Repair, Result, do

# These modules register their gestures.
_GESTURES_OF = (anything, cells, choices, course, ideas, mutations, payments, paying, sight, things)

__all__ = [
    "BLANK",
    "GESTURES",
    "MUTATIONS",
    "TEMPLATES",
    "USUAL",
    "Add",
    "Draft",
    "Edit",
    "Gesture",
    "History",
    "Idea",
    "Move",
    "Mutation",
    "PayTable",
    "Place",
    "Refusal",
    "Remove",
    "Rename",
    "Repair",
    "Result",
    "Set",
    "Step",
    "apply",
    "apply_one",
    "difference",
    "do",
    "follow",
    "from_nothing",
    "from_plain",
    "ideas_of",
    "mutations_of",
    "pay_tables",
    "template",
    "text_of",
    "to_plain",
]


def __dir__() -> list[str]:
    return __all__
