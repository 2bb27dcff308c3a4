"""What a new design begins with: lists of gestures from the blank protocol, or a shipped one.

Where it makes sense, the task has the parts of bundled tasks, so that a design can be played at
once.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nip_core.editing.draft import Draft
from nip_core.editing.history import History
from nip_core.errors import UnknownNameError

__all__ = ["TEMPLATES", "template"]

Script = tuple[tuple[str, Mapping[str, Any]], ...]
_FIRST = {"stage": 0, "turn": 0}

TEMPLATES: dict[str, Script] = {
    "nothing": (("add_channel", {"title": "Main"}),),
    "one prover": (
        ("add_seat", {"title": "Prover"}),
        ("add_part", {"title": "question"}),
        ("add_part", {"title": "solution"}),
        ("add_channel", {"title": "Main"}),
        ("write", {"seat": "verifier", "channel": "main", **_FIRST}),
        ("add_turn", {"stage": 0, "turn": 1}),
        ("write", {"seat": "prover", "channel": "main", "stage": 0, "turn": 1}),
        ("decide", {"by": "verifier", **_FIRST}),
        ("repeat", {"stage": 0, "times": 4}),
        ("call_protocol", {"title": "My protocol"}),
    ),
    "two provers apart": (
        ("add_seat", {"title": "Prover"}),
        ("add_seat", {"title": "Prover"}),
        ("add_part", {"title": "question"}),
        ("add_part", {"title": "solution"}),
        ("add_channel", {"title": "Main"}),
        ("write", {"seat": "verifier", "channel": "main", **_FIRST}),
        ("add_turn", {"stage": 0, "turn": 1}),
        ("write", {"seat": "prover", "channel": "main", "stage": 0, "turn": 1}),
        ("write", {"seat": "prover_2", "channel": "main", "stage": 0, "turn": 1}),
        ("wall", {"one": "prover", "other": "prover_2"}),
        ("decide", {"by": "verifier", **_FIRST}),
        ("repeat", {"stage": 0, "times": 4}),
        ("call_protocol", {"title": "Two provers apart"}),
    ),
    "debate": (
        ("call", {"kind": "seat", "name": "verifier", "title": "Judge"}),
        ("add_seat", {"title": "Debater A"}),
        ("add_seat", {"title": "Debater B"}),
        ("add_part", {"title": "question"}),
        ("add_part", {"title": "answers"}),
        ("hidden_passage", {"seat": "judge"}),
        ("add_channel", {"title": "Debate"}),
        ("call", {"kind": "stage", "name": "part_1", "title": "Arguments"}),
        ("write", {"seat": "debater_a", "channel": "debate", **_FIRST}),
        ("write", {"seat": "debater_b", "channel": "debate", **_FIRST}),
        ("repeat", {"stage": 0, "times": 3}),
        ("add_stage", {"stage": 1, "title": "Judgement"}),
        ("answer", {"by": "judge", "stage": 1, "turn": 0}),
        ("usual_pay", {"way": "right"}),
        ("usual_pay", {"way": "adversarial"}),
        ("call_protocol", {"title": "My debate"}),
    ),
    "critique": (
        ("call", {"kind": "seat", "name": "verifier", "title": "Judge"}),
        ("add_seat", {"title": "Author"}),
        ("add_seat", {"title": "Critic"}),
        ("add_part", {"title": "question"}),
        ("add_part", {"title": "solution"}),
        ("add_channel", {"title": "Main"}),
        ("write", {"seat": "author", "channel": "main", **_FIRST}),
        ("add_turn", {"stage": 0, "turn": 1}),
        ("write", {"seat": "critic", "channel": "main", "stage": 0, "turn": 1}),
        ("add_turn", {"stage": 0, "turn": 2}),
        ("answer", {"by": "judge", "stage": 0, "turn": 2, "options": ["good", "bad"]}),
        ("usual_pay", {"way": "right"}),
        ("usual_pay", {"way": "persuades"}),
        ("call_protocol", {"title": "My critique"}),
    ),
    "audits": (
        ("call", {"kind": "seat", "name": "verifier", "title": "Monitor"}),
        ("add_seat", {"title": "Worker"}),
        ("add_part", {"title": "task"}),
        ("add_channel", {"title": "Main"}),
        ("write", {"seat": "worker", "channel": "main", **_FIRST}),
        ("audits", {"by": "monitor", "of": "worker", **_FIRST}),
        ("repeat", {"stage": 0, "times": 6}),
        ("call_protocol", {"title": "My audits"}),
    ),
}


def template(name: str) -> History:
    """Return a template as a history of gestures, so that it shows how it was built.

    Raises
    ------
    UnknownNameError
        If there is no such template.
    """
    if name not in TEMPLATES:
        raise UnknownNameError("template", name, TEMPLATES)
    history = History.of(Draft.blank())
    for gesture, arguments in TEMPLATES[name]:
        history, result = history.do(gesture, arguments)
        assert result.refused is None, (name, gesture, result.refused)
    return history
