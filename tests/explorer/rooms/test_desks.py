"""A prover's desk in a room: in its own window only, and without a word on who judges."""

import json

from explorer import rooms
from explorer.rooms import Watcher
from explorer.server.windows import InRoom
from tests.explorer.rooms.people import LEADER, act_of, at, opened, sits, visitor

QUESTION = "What does it return for the example?"


def windows(storage, code):
    """Return what each window onto a room is sent, by its name."""
    found = {}
    for seat in ("verifier", "prover0", "prover1"):
        person = sits(storage, code, seat)
        access = rooms.Access(storage, code, visitor(person))
        watcher = Watcher("person", person, visitor(person))
        found[seat] = InRoom(access, watcher, "").snapshot()
    for kind in ("lead", "projector"):
        access = rooms.Access(storage, code, LEADER)
        found[kind] = InRoom(access, Watcher(kind, None, LEADER), "").snapshot()
    return found


def test_each_prover_has_its_own_desk_and_nobody_else_has_one(storage):
    code = opened(storage, 3, tasks=("code:easy",))
    verifier = at(storage, code, sits(storage, code, "verifier"))
    assert verifier.play(act_of(verifier, words=QUESTION)) is None
    sent = windows(storage, code)
    for seat in ("prover0", "prover1"):
        desk = sent[seat].seat["table"]["desk"]
        assert desk["says"]
        # In a room nobody knows whether a bot judges.
        assert desk["belief"] is None
        assert {each["risk"] for each in desk["says"]} == {""}
    assert sent["verifier"].seat["table"]["desk"] is None
    says = [each["text"] for each in sent["prover0"].seat["table"]["desk"]["says"]]
    for name in ("verifier", "lead", "projector"):
        shown = json.dumps([sent[name].seat, sent[name].live, repr(sent[name].page)])
        assert not any(json.dumps(text)[1:-1] in shown for text in says)


def test_who_has_moved_has_no_desk_and_changes_nothing_on_that_of_the_other(storage):
    code = opened(storage, 3, tasks=("code:easy",))
    verifier = at(storage, code, sits(storage, code, "verifier"))
    assert verifier.play(act_of(verifier, words=QUESTION)) is None
    before = windows(storage, code)["prover1"].seat["table"]["desk"]
    first = at(storage, code, sits(storage, code, "prover0"))
    assert first.play(act_of(first, words="It returns `77`.")) is None
    sent = windows(storage, code)
    assert sent["prover0"].seat["table"]["desk"] is None
    assert sent["prover1"].seat["table"]["desk"] == before
