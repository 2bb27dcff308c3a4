"""Tests of nip_core/play/seen.py and nip_core/play/view.py.

Views hide passages from judges, and the names of nameless seats.

`tests/play/test_turns_noninterference.py` varies all else that a seat may not see.
"""

import dataclasses
import json
import random

from nip_core.language import Specification
from tests.depth import each
from tests.language.playing import Move, after, begin, deal_of, played
from tests.language.zoo import published


def shown(view):
    return json.dumps(view.to_dict())


@each(
    "name",
    ["khan_debate", "michael_debate", "open_debate", "michael_consultancy", "open_consultancy"],
)
def test_a_hidden_passage_never_reaches_a_judge(name):
    deal = deal_of(published(name))
    parts = deal.task.parts | {"passage": "It was the gardener."}
    secret = dataclasses.replace(deal, task=dataclasses.replace(deal.task, parts=parts))
    _, states = played(secret, random.Random(name))
    assert [s for s in states if not s.over and "gardener" in shown(s.view_for("judge"))] == []
    assert "gardener" in shown(states[-1].view_for("judge"))


def test_nameless_seats_stay_nameless():
    document = published("khan_debate").to_dict()
    for seat in ("alice", "bob"):
        document["seats"][seat]["anonymous"] = True
    deal = deal_of(Specification.from_dict(document))
    one = after(begin(deal), Move("alice", {"debate": "Z"}), Move("bob", {"debate": "A"}))
    two = after(begin(deal), Move("alice", {"debate": "A"}), Move("bob", {"debate": "Z"}))
    assert shown(one.view_for("judge")) == shown(two.view_for("judge"))
    assert [m.sender for m in one.view_for("alice").rounds[0].messages] == ["alice", None]
