"""Views hide passages from judges, and the names of nameless seats.

`tests/play/test_turns_noninterference.py` varies all else that a seat may not see, also in the
language's own views.
"""

import dataclasses
import json
import random

from nip_core.language import Move, Specification, view_for
from tests.depth import each
from tests.language.playing import deal_of, played
from tests.language.zoo import published


def shown(view):
    return json.dumps(view.to_dict())


@each(
    "name",
    ["khan_debate", "michael_debate", "open_debate", "michael_consultancy", "open_consultancy"],
)
def test_a_hidden_passage_never_reaches_a_judge(name):
    deal = deal_of(published(name))
    secret = dataclasses.replace(deal, parts=deal.parts | {"passage": "It was the gardener."})
    _, states = played(secret, random.Random(name))
    assert [
        s for s in states if not s.over and "gardener" in shown(view_for(secret, s, "judge"))
    ] == []
    assert "gardener" in shown(view_for(secret, states[-1], "judge"))


def test_nameless_seats_stay_nameless():
    document = published("khan_debate").to_dict()
    for seat in ("alice", "bob"):
        document["seats"][seat]["anonymous"] = True
    deal = deal_of(Specification.from_dict(document))
    one = deal.replay([Move("alice", {"debate": "Z"}), Move("bob", {"debate": "A"})])
    two = deal.replay([Move("alice", {"debate": "A"}), Move("bob", {"debate": "Z"})])
    assert shown(view_for(deal, one, "judge")) == shown(view_for(deal, two, "judge"))
    assert [m.seat for m in view_for(deal, one, "alice").turns[0].messages] == ["alice", None]
