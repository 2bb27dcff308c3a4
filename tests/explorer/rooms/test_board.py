"""Before the reveal, the projector shows nothing that depends on what people may not know."""

import json
import re
from copy import deepcopy

from explorer import rooms
from explorer.choice import ProtocolChoice
from explorer.rooms import RoomCondition, RoomPlan
from explorer.rooms.board import board_screen, lanes_of, lead_page, totals, wall_screen
from explorer.rooms.guidance import guidance
from explorer.storage import open_storage
from explorer.visitors import new_token, visitor_name
from nip_core.parameters import HyperParameters
from nip_core.registry import protocol_infos, protocol_spec, specification
from tests.depth import each
from tests.explorer.rooms.people import (
    LEADER,
    act_of,
    at,
    lead_board,
    opened,
    play_out,
    protocol,
    sits,
    visitor,
)
from tests.explorer.ui.pages import open_page, sent_by

CODE = "BCDFG"
TOKEN = new_token()
LEADS = visitor_name(TOKEN)
# Worlds with other true statements, other liars, other verdicts, and provers apart or not: the
# schedule is the same, and so is the projector.
WORLDS = (
    {"truth": "false", "verdict": 1, "protocol": "mnip", "names": False},
    {"truth": "true", "verdict": 0, "protocol": "mnip_together", "names": True},
)


def parameters(name):
    return HyperParameters(interaction_protocol=name, mnip_protocol={"max_message_rounds": 4})


def wall(url, monkeypatch):
    """Return all that is sent to the projector, without random values of the server."""
    monkeypatch.setenv("NIP_EXPLORER_DATABASE", url)
    sent = sent_by(open_page("room", TOKEN, code=CODE, as_="projector"))
    return re.sub(r'\$\$ID-\w+|file_id: "\w+"|[0-9a-f]{32}|\d{4}-\d\d-\d\dT[\d:.+-]*', "", sent)


def walls(world, folder, monkeypatch):
    """Return what the projector shows at each point of a workshop, and the result at its end."""
    folder.mkdir()
    url = f"sqlite:///{folder / 'rooms.db'}"
    monkeypatch.setattr(rooms.opening, "new_code", lambda: CODE)
    found = []
    with open_storage(url) as storage:
        plan = RoomPlan(
            conditions=(
                RoomCondition(world["protocol"], ProtocolChoice.of(parameters(world["protocol"]))),
            ),
            truth=world["truth"],
            names=world["names"],
            tables=2,
            seed=3,
        )
        rooms.open_room(storage, plan, LEADS)
        for number in range(1, 7):
            rooms.join(
                rooms.Access(storage, CODE, visitor(number)), f"Name {number}" * world["names"]
            )
        rooms.start(rooms.Access(storage, CODE, LEADS))
        verifier = sits(storage, CODE, "verifier")
        table = at(storage, CODE, verifier)
        assert table.play(act_of(table)) is None
        # One prover has moved and the other has not, which nobody may see.
        prover = sits(storage, CODE, "prover0" if world["names"] else "prover1")
        assert at(storage, CODE, prover).play(act_of(at(storage, CODE, prover))) is None
        found.append(wall(url, monkeypatch))
        play_out(storage, CODE, verdict=world["verdict"])
        found.append(wall(url, monkeypatch))
        rooms.reveal(rooms.Access(storage, CODE, LEADS))
        if world is WORLDS[0]:
            text = wall(url, monkeypatch)
            assert "A sound system: at most 33%" in text
        return found


def test_the_wall_is_the_same_in_all_worlds_until_the_truth_is_revealed(tmp_path, monkeypatch):
    first, second = (walls(w, tmp_path / str(n), monkeypatch) for n, w in enumerate(WORLDS))
    assert first == second
    assert len(set(first)) == 2, "the wall shows how far the tables are"
    assert "Name" not in "".join(first)


def test_the_board_shows_how_far_each_table_is(storage, access):
    code = opened(storage, 6, tables=2, names=True)
    verifier = sits(storage, code, "verifier")
    assert at(storage, code, verifier).play(act_of(at(storage, code, verifier))) is None
    room = rooms.load_room(access(code))
    screen = board_screen(room.plan.conditions, lead_board(rooms.room_of(access(code))))
    assert list(screen["kinds"]) == ["mnip"]
    first, second = screen["tables"]
    assert (first["round"], first["spoken"]) == (1, {"verifier": [0]})
    states = {seat["agent"]: seat["state"] for seat in first["seats"]}
    assert states == {"prover0": "asked", "prover1": "asked", "verifier": "waits"}
    assert second["spoken"] == {}
    public = wall_screen(
        dict.fromkeys((1, 2), room.plan.conditions[0].rules),
        rooms.board(rooms.room_of(access(code))),
    )
    assert "Person" not in json.dumps(public)
    far = {"tables": 2, "over": 0, "bots": 0, "played": 1, "rounds": 8}
    assert totals(lead_board(rooms.room_of(access(code)))) == far
    prover = at(storage, code, sits(storage, code, "prover0"))
    assert prover.play(act_of(prover)) is None
    seats = lead_board(rooms.room_of(access(code)))[0]["seats"]
    states = {seat["agent"]: seat["state"] for seat in seats}
    assert states == {"prover0": "moved", "prover1": "asked", "verifier": "waits"}


def test_the_board_shows_where_bots_and_people_sit(storage, access):
    code = opened(storage, 2, tables=1)
    (row,) = lead_board(rooms.room_of(access(code)))
    seats = rooms.load_room(access(code)).table(1).seats
    people = {agent: seat.person for agent, seat in seats.items()}
    assert sorted(filter(None, people.values())) == [1, 2]
    assert {seat["agent"]: seat["person"] for seat in row["seats"]} == people
    for seat in row["seats"]:
        bot = people[seat["agent"]] is None
        assert (seat["bot"] is not None) == (seat["state"] == "bot") == bot


def test_a_facilitator_sees_how_many_people_have_no_window_open(storage, access):
    code = opened(storage, 3, started=False)
    for window, connection in (("lead", "a"), ("person:2", "b"), ("person:9", "c")):
        storage.presence.enter(code, window, connection * 32)
    assert lead_page(rooms.load_room(access(code)), LEADER, {}).away == 2


def test_a_facilitator_sees_who_was_removed_and_no_browsers_but_their_own(storage, access):
    code = opened(storage, 3, started=False)
    rooms.leave(access(code, visitor(2)), 2)
    rooms.remove_people(access(code, LEADER), [3])
    people = lead_page(rooms.load_room(access(code)), visitor(1), {}).people
    assert [person.number for person in people] == [1, 3]
    assert [person.visitor for person in people] == [visitor(1), None]


@each("name", [info.name for info in protocol_infos()])
def test_a_lane_lights_where_its_seat_may_speak(name):
    spec = protocol_spec(HyperParameters(interaction_protocol=name))
    for lane in lanes_of(specification(name)):
        channel = spec.channels[lane["band"]].name
        assert lane["speaks"] == [
            any(
                (lane["seat"], channel) in spec.turn(r, seed).speakers
                for seed in range(spec.num_variants)
            )
            for r in range(spec.max_message_rounds)
        ]


def test_the_facilitator_sees_what_to_do(storage, access):
    def now(lost=None):
        room, rows = (
            rooms.load_room(access(code)),
            deepcopy(lead_board(rooms.room_of(access(code)))),
        )
        for seat in (seat for row in rows for seat in row["seats"] if seat["agent"] == lost):
            seat |= {"state": "lost", "asked": seat["state"] == "asked"}
        advice = guidance(room, rows, 0)
        assert advice.main in ("", *advice.actions)
        return advice

    code = rooms.open_room(
        storage, RoomPlan(conditions=(RoomCondition("x", ProtocolChoice.of(protocol())),)), LEADER
    ).code
    assert now().actions == ()
    for number in range(1, 4):
        rooms.join(access(code, visitor(number)))
    assert (now().main, now().sentence) == ("start", "3 people are here. Start when all are.")
    rooms.start(access(code, LEADER))
    assert now().main == ""
    assert "nothing needs you" in now().sentence
    assert "Table Blue 1 waits" in now(lost="verifier").sentence
    assert "nothing needs you" in now(lost="prover0").sentence
    rooms.pause(access(code, LEADER))
    assert now().main == "resume"
    rooms.resume(access(code, LEADER))
    play_out(storage, code)
    assert now().main == "reveal"
    rooms.reveal(access(code, LEADER))
    assert now().main == "next"
    rooms.close(access(code, LEADER))
    advice = guidance(rooms.room_of(access(code)), [], 0)
    assert advice.actions == ()
