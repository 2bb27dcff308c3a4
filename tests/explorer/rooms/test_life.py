"""Tests of errors.py, opening.py, people.py and room.py.

A room from beginning to end, with every refusal on the way.
"""

import pytest

from explorer import rooms
from explorer.storage import NoSuchEpisodeError, OfARoomError
from nip_core.play import Commented
from tests.depth import each
from tests.explorer.rooms.people import (
    LEADER,
    act_of,
    at,
    may_act,
    opened,
    plan,
    play_out,
    sits,
    visitor,
    watch_mark,
)


def test_a_whole_room(storage, access):
    code = opened(storage, 7, names=True)
    room = rooms.load_room(access(code))
    assert [len(table.seats) for table in room.tables] == [3, 3, 3]
    assert len({p.seat for p in room.people}) == 7
    # Bots sit in the empty seats, and have moved as far as they can.
    assert sum(s.bot is not None for t in room.tables for s in t.seats.values()) == 2
    play_out(storage, code)
    room = rooms.load_room(access(code))
    assert {table.phase for table in room.tables} == {"over"}
    # Before the reveal nobody outside sees anything, and inside the truth is hidden too.
    ids = [table.episode_id for table in room.tables]
    assert (storage.find(), storage.count(), storage.tags()) == ([], 0, {})
    assert list(storage.export_all()) == []
    for outside in (storage.load, storage.entry, storage.delete, lambda i: storage.describe(i)):
        with pytest.raises(NoSuchEpisodeError):
            outside(ids[0])
    assert at(storage, code, 1).seen.view.ending is None
    assert rooms.outcomes(rooms.room_of(access(code))) == []
    with pytest.raises(rooms.NotNowError):
        rooms.revealed_tables(rooms.room_of(access(code)), visitor(1))
    rooms.reveal(access(code, LEADER))
    assert at(storage, code, 1).seen.view.ending is not None
    assert {entry.id for entry in storage.find()} == set(ids)
    assert (
        [o.counted for o in rooms.outcomes(rooms.room_of(access(code)))].count(False)
        == sum(bool(o.bots) for o in rooms.outcomes(rooms.room_of(access(code))))
        == 1
    )
    assert [(o.table, o.decision) for o in rooms.outcomes(rooms.room_of(access(code)))] == [
        (1, 1),
        (2, 1),
        (3, 1),
    ]
    # It can be viewed, and stays as it was played.
    stored = storage.load(ids[0])
    stored.episode.apply(Commented(node=0, text="Not so."))
    for change in (
        lambda: storage.append(ids[0], stored.episode, stored.version),
        lambda: storage.delete(ids[0]),
        lambda: storage.describe(ids[0], title="Mine"),
    ):
        with pytest.raises(OfARoomError, match="Start one of your own"):
            change()
    together = {p.number: p.seat for p in room.people}
    rooms.next_task(access(code, LEADER))
    room = rooms.load_room(access(code))
    assert (room.turn, room.phase, room.revealed) == (2, "running", False)
    assert len(room.everything) == 6
    # Those who sat together sit together again.
    assert {p.number: p.seat for p in room.people} == together
    assert at(storage, code, 1).seen.view.round <= 1
    rooms.end(access(code, LEADER))
    rooms.reveal(access(code, LEADER))
    # Games that were ended early are shown to nobody.
    assert len(rooms.outcomes(rooms.room_of(access(code)))) == 3 == storage.count()
    rooms.close(access(code, LEADER))
    with pytest.raises(rooms.RoomClosedError, match="new code"):
        rooms.join(access(code, visitor(9)))
    assert rooms.room_of(access(code)).leads(LEADER)
    rooms.delete(access(code))
    assert storage.count() == 0
    with pytest.raises(rooms.NoSuchRoomError):
        rooms.room_of(access(code))


def test_codes_are_read_in_any_common_spelling(storage, access):
    code = opened(storage, 0, started=False)
    assert set(code) <= set("BCDFGHJKMNPRSTWXYZ")
    typed = code.replace("B", "8").replace("S", "5").replace("Z", "2").replace("G", "6")
    for written in (code.lower(), f" {code[:2]}-{code[2:]} ", typed, code.replace("D", "o")):
        assert rooms.load_room(access(written)).code == code
    for wrong in ("", "BCDF", "BCDFGH", "BCDF!", "\0" * 5, "漢漢漢漢漢", "B" * 10_000, "BCDFA"):
        with pytest.raises(rooms.NoSuchRoomError, match="five letters"):
            rooms.join(access(wrong, visitor(1)))


def test_names(storage, access):
    code = opened(storage, 0, started=False, names=True)
    markup = '<img src=x onerror="alert(1)">'
    said = ["Ada", "  Ada\n Lovelace ", markup, "", "\u202egnp.exe", "ada", "\x00\x07", "👩‍🔬"]
    made = [rooms.join(access(code, visitor(n)), name) for n, name in enumerate(said)]
    assert [person.name for person in made] == [
        "Ada",
        "Ada Lovelace",
        markup,
        "",
        "gnp.exe",
        "ada",
        "",
        "👩‍🔬",
    ]
    assert made[3].shown == "Person 4"
    people = rooms.load_room(access(code)).people
    assert (people[0].shown, people[5].shown) == ("Ada (1)", "ada (6)")
    for huge in ("x" * 41, "x" * 1_000_000):
        with pytest.raises(rooms.RoomError, match="at most 40"):
            rooms.join(access(code, visitor(99)), huge)
    # In a room without names, none is stored, whatever a browser sends.
    nameless = opened(storage, 0, started=False)
    assert rooms.join(access(nameless, visitor(1)), "Ada").name == ""


def test_a_browser_is_one_person(storage, access):
    code = opened(storage, 2)
    again = rooms.join(access(code, visitor(1)))
    assert (again.number, len(rooms.load_room(access(code)).people)) == (1, 2)
    # A person who comes back is the same, and cannot get a seat that sees more.
    seat = again.seat
    rooms.leave(access(code, visitor(1)), 1)
    assert rooms.load_room(access(code)).person(1).seat is None
    assert rooms.join(access(code, visitor(1))).seat == seat
    rooms.leave(access(code, visitor(1)), 1)
    while rooms.join(access(code, visitor(len(rooms.load_room(access(code)).people) + 1))).seat:
        pass
    rooms.leave(access(code, visitor(2)), 2)
    assert rooms.join(access(code, visitor(1))).seat is None
    rooms.forget(access(code, visitor(1)), 1)
    new = rooms.join(access(code, visitor(1)))
    assert (new.number > 2, new.seat) == (True, None)
    with pytest.raises(rooms.RoomError, match="You lead this room"):
        rooms.join(access(code, LEADER))
    rehearsal = opened(storage, 0, started=False, rehearsal=True)
    made = [rooms.join(access(rehearsal, LEADER)).number for _ in range(3)]
    assert made == [1, 2, 3]


def test_leading(storage, access):
    made = rooms.open_room(storage, plan(), LEADER)
    rooms.join(access(made.code, visitor(1)))
    for who in (visitor(1), visitor(2), ""):
        for act in (rooms.start, rooms.next_task, rooms.reveal, rooms.end, rooms.pause):
            with pytest.raises(rooms.NotLeaderError, match="facilitator"):
                act(access(made.code, who))
    with pytest.raises(rooms.NotLeaderError, match="does not belong"):
        rooms.lead(access(made.code, visitor(2)), "guess")
    with pytest.raises(rooms.RoomError, match="This browser has joined"):
        rooms.lead(access(made.code, visitor(1)), made.key)
    rooms.lead(access(made.code, visitor(2)), made.key)
    assert rooms.load_room(access(made.code)).leads(visitor(2))
    new = rooms.recover_link(access(made.code), operator=True)
    with pytest.raises(rooms.NotLeaderError, match="a newer link"):
        rooms.lead(access(made.code, visitor(3)), made.key)
    rooms.lead(access(made.code, visitor(3)), new)
    # Present facilitators stay, unless the facilitator asks to lead alone.
    assert len(rooms.load_room(access(made.code)).rows.leaders) == 3
    with pytest.raises(rooms.NotLeaderError):
        rooms.recover_link(access(made.code, visitor(1)), only=visitor(1))
    newest = rooms.recover_link(access(made.code, visitor(2)), only=visitor(2))
    assert rooms.load_room(access(made.code)).rows.leaders == {visitor(2)}
    for who in (LEADER, visitor(3)):
        with pytest.raises(rooms.NotLeaderError):
            rooms.start(access(made.code, who))
        with pytest.raises(rooms.NotLeaderError, match="a newer link"):
            rooms.lead(access(made.code, who), new)
    rooms.lead(access(made.code, visitor(3)), newest)
    rooms.recover_link(access(made.code), only="", operator=True)
    assert rooms.load_room(access(made.code)).rows.leaders == frozenset()
    # The key is neither in what is stored nor in what is shown.
    assert made.key not in repr(made) + repr(storage.rooms.listed())


def test_moves_are_held_against_the_room(storage, access):
    code = opened(storage, 3)
    verifier, prover = sits(storage, code, "verifier"), sits(storage, code, "prover0")
    with pytest.raises(rooms.NotYoursError, match="another browser"):
        rooms.seat_at(access(code, visitor(prover)), verifier)
    with pytest.raises(rooms.NotYoursError):
        rooms.seat_at(access(code, visitor(1)), 99)
    table = at(storage, code, verifier)
    act = act_of(table)
    early = {"seat": "prover0", "round": 0, "messages": {"prover0_channel": "I first"}}
    assert "not your turn" in at(storage, code, prover).play(early)["message"]
    for forged in (None, [], "x", {}, {**act, "seat": "prover0"}, {**act, "round": 1}):
        assert "look at the table" in table.play(forged)["message"]
    assert table.play({**act, "messages": {"prover0_channel": 7}}) is not None
    assert table.play(act) is None
    # The same act again was already made; a different one comes too late.
    assert table.play(act) is None
    assert table.play({**act, "confidence": 5}) == {
        "message": "The game has gone on in the meantime: look at the table, then make your move.",
        "channel": None,
    }
    rooms.pause(access(code, LEADER))
    held = at(storage, code, prover)
    assert "paused" in held.play(act_of(held))["message"]
    assert held.paused
    assert heads(held) == "Turn 2 of 4. "
    rooms.resume(access(code, LEADER))
    assert at(storage, code, prover).play(act_of(held)) is None
    again = act_of(held, words="Something else.")
    assert "once all have moved" in at(storage, code, prover).play(again)["message"]
    assert at(storage, code, prover).play(act_of(held)) is None
    rooms.end(access(code, LEADER))
    other = at(storage, code, sits(storage, code, "prover1"))
    assert "over" in other.play(act_of(other))["message"]
    # No screen mentions a turn, or a verdict's reward, that cannot occur.
    assert heads(other) == "Broken off in turn 2 of 4. "


def heads(table):
    """Return the head of a person's table: the present turn, and the meaning of a verdict now."""
    head = rooms.seat_screen(table)["table"]["head"]
    return f"{head['now']} {head['means']}"


def test_watching_is_a_right(storage, access):
    code = opened(storage, 3)
    for text, who, error in (
        ("person:1", visitor(2), rooms.NotYoursError),
        ("person:77", visitor(2), rooms.NotYoursError),
        ("lead", visitor(2), rooms.NotLeaderError),
        ("projector", visitor(2), rooms.NotLeaderError),
    ):
        with pytest.raises(error):
            watch_mark(storage, code, rooms.Watcher.parse(text, who))
    for text in ("", "person:", "person:0", "person:1x", "lead ", "person:-1", "person:9999999"):
        with pytest.raises(rooms.RoomError, match="cannot be watched"):
            rooms.Watcher.parse(text, visitor(1))
    live = opened(storage, 3, gallery="seat", gallery_seat=(1, "verifier"))
    assert rooms.gallery_seat(rooms.room_of(access(live)), LEADER).seat == "verifier"
    with pytest.raises(rooms.NotNowError, match="You sit at a table"):
        rooms.gallery_seat(rooms.room_of(access(live)), visitor(1))
    with pytest.raises(rooms.NotNowError, match="opens once"):
        rooms.gallery_seat(rooms.room_of(access(code)), visitor(9))


def test_spectators_need_the_link(storage, access):
    code = opened(storage, 3, gallery="seat", gallery_seat=(1, "verifier"))
    guest, other = visitor(8), visitor(9)
    gallery = rooms.Watcher.parse("gallery", guest)

    def shown():
        room = rooms.load_room(access(code))
        people = [rooms.Watcher.parse(f"person:{n}", visitor(n)) for n in (1, 2, 3)]
        return [watch_mark(storage, code, w) for w in people], rooms.is_watched(room)

    # Knowing the code gives no right to watch: a player's second device has it, too.
    assert rooms.gallery_seat(rooms.room_of(access(code)), guest) is None
    assert rooms.episodes_of(rooms.room_of(access(code)), gallery) == []
    for who in (guest, visitor(1), ""):
        with pytest.raises(rooms.NotLeaderError):
            rooms.watch_link(access(code, who))
        with pytest.raises(rooms.NotLeaderError):
            rooms.end_watching(access(code, who))
    with pytest.raises(rooms.NotNowError, match="link to watch"):
        rooms.watch(access(code, guest), "")
    before = shown()
    key = rooms.watch_link(access(code, LEADER))
    assert (before[1], shown()[1]) == (False, True)
    assert before[0] != shown()[0]  # players are notified
    before = shown()
    with pytest.raises(rooms.NotNowError, match="link to watch"):
        rooms.watch(access(code, guest), "guess")
    with pytest.raises(rooms.RoomError, match="You have joined"):
        rooms.watch(access(code, visitor(1)), key)
    mark = watch_mark(storage, code, gallery)
    assert len(rooms.load_room(access(code)).spectators) == 0
    rooms.watch(access(code, guest), key)
    rooms.watch(access(code, guest), key)
    assert len(rooms.load_room(access(code)).spectators) == 1
    assert watch_mark(storage, code, gallery) != mark
    assert rooms.gallery_seat(rooms.room_of(access(code)), guest).seat == "verifier"
    assert rooms.gallery_seat(rooms.room_of(access(code)), other) is None
    assert len(rooms.episodes_of(rooms.room_of(access(code)), gallery)) == 1
    assert shown() == before  # nobody sees who has come
    assert key not in repr(rooms.load_room(access(code)).rows)
    with pytest.raises(rooms.RoomError, match="has watched a table"):
        rooms.join(access(code, guest))
    # With a new link, or none, the old one shows nothing any more.
    newer = rooms.watch_link(access(code, LEADER))
    assert rooms.gallery_seat(rooms.room_of(access(code)), guest) is None
    assert len(rooms.load_room(access(code)).spectators) == 0
    with pytest.raises(rooms.NotNowError):
        rooms.watch(access(code, guest), key)
    rooms.watch(access(code, guest), newer)
    rooms.end_watching(access(code, LEADER))
    assert rooms.gallery_seat(rooms.room_of(access(code)), guest) is None
    with pytest.raises(rooms.NotNowError):
        rooms.watch(access(code, guest), newer)
    # A spectator who takes a seat after the reveal is no longer a spectator.
    rooms.watch(access(code, guest), rooms.watch_link(access(code, LEADER)))
    rooms.end(access(code, LEADER))
    rooms.reveal(access(code, LEADER))
    assert rooms.join(access(code, guest)).number == 4
    rooms.next_task(access(code, LEADER))
    assert not rooms.may_watch_live(rooms.load_room(access(code)), guest)
    with pytest.raises(rooms.NotNowError, match="nothing before"):
        rooms.watch_link(access(opened(storage, 1), LEADER))


def test_bots_stand_in_and_give_the_seat_back(storage, access):
    code = opened(storage, 3)
    verifier, prover = sits(storage, code, "verifier"), sits(storage, code, "prover0")
    with pytest.raises(rooms.NotLeaderError):
        rooms.replace_by_bot(access(code, visitor(verifier)), 1, "prover0")
    rooms.replace_by_bot(access(code, LEADER), 1, "prover0")
    before = at(storage, code, verifier)
    assert before.play(act_of(before)) is None
    gone = at(storage, code, prover)
    assert (gone.replaced, may_act(gone)) == (True, False)  # the bot has moved
    assert "A bot plays for you" in gone.play({"seat": "prover0", "round": 1})["message"]
    with pytest.raises(rooms.NotLeaderError):
        rooms.hand_back(access(code, visitor(verifier)), 1, "prover0")
    rooms.hand_back(access(code, visitor(prover)), 1, "prover0")
    assert not at(storage, code, prover).replaced
    episode = storage.within(rooms.load_room(access(code)).number).load(gone.episode_id).episode
    players = [e.player for e in episode.events if e.type == "seated" and e.agent == "prover0"]
    assert [each.get("instead_of") for each in players] == [None, f"person {prover}", None]
    assert players[0] == players[2] == {"kind": "human", "who": f"person {prover}"}


def test_choosing_a_seat(storage, access):
    code = opened(storage, 3, started=False, seating="choice", tables=1)
    rooms.take_seat(access(code, visitor(1)), 1, 1, "verifier")
    with pytest.raises(rooms.SeatTakenError, match="another one"):
        rooms.take_seat(access(code, visitor(2)), 2, 1, "verifier")
    with pytest.raises(rooms.NotNowError, match="no such seat"):
        rooms.take_seat(access(code, visitor(2)), 2, 7, "verifier")
    with pytest.raises(rooms.NotYoursError):
        rooms.take_seat(access(code, visitor(2)), 1, 1, "prover0")
    rooms.take_seat(access(code, visitor(1)), 1, 1, "prover1")
    rooms.take_seat(access(code, visitor(2)), 2, 1, "verifier")
    rooms.start(access(code, LEADER))
    # People who chose nothing get a free seat.
    assert [p.seat for p in rooms.load_room(access(code)).people] == [
        (1, "prover1"),
        (1, "verifier"),
        (1, "prover0"),
    ]
    with pytest.raises(rooms.SeatTakenError):
        rooms.take_seat(access(code, visitor(1)), 1, 1, "verifier")


@each(
    ("said", "words"),
    [
        ({"conditions": ()}, "Choose a protocol"),
        ({"tasks": ()}, "1 to 50 tasks"),
        ({"tasks": ("no such",)}, "kind of task"),
        ({"tables": 0}, "1 to 150 tables"),
        ({"tables": 10**9}, "1 to 150 tables"),
        ({"round_seconds": 1}, "10 seconds"),
        ({"keep_days": 0}, "1 to 366 days"),
        ({"kind": "lesson"}, "Choose the lesson"),
        ({"seating": "choice"}, "how many tables"),
        ({"seats": {"nobody": "person"}}, "no seat|seat 'nobody'"),
        ({"seats": dict.fromkeys(("prover0", "prover1", "verifier"), "random")}, "to people"),
        ({"seats": {"prover0": "llm"}}, "which language model"),
        ({"seats": {"prover0": "clever"}}, "A seat is played by one of"),
        ({"gallery": "seat"}, "Choose the table"),
        ({"title": "x" * 1_000}, "name must be"),
        ({"bots": "clever"}, "must be one of"),
    ],
)
def test_plans_that_cannot_be_played(storage, said, words):
    with pytest.raises(rooms.PlanError, match=words):
        rooms.open_room(storage, plan(**said), LEADER)


def test_who_may_make_rooms(storage, tmp_path, monkeypatch):
    file = tmp_path / "password"
    file.write_text("correct horse\n", encoding="utf-8")
    public = {"NIP_EXPLORER_PUBLIC": "1"}
    for environ, who in (
        ({}, "all"),
        (public, "nobody"),
        ({"NIP_EXPLORER_ALLOW_HOSTS": "school.example"}, "nobody"),
        ({"NIP_EXPLORER_ADDRESS": "https://school.example"}, "nobody"),
        ({"NIP_EXPLORER_ALLOW_HOSTS": "localhost a.localhost"}, "all"),
        ({"NIP_EXPLORER_ADDRESS": "http://localhost:8501"}, "all"),
        ({**public, rooms.opening.PASSWORD: "correct horse"}, "password"),
        ({rooms.opening.PASSWORD_FILE: str(file)}, "password"),
    ):
        assert rooms.who_may_open(environ) == who
        for guess in ("", "wrong", "\udc80", "x" * 10_000):
            if who == "all":
                rooms.check_may_open(guess, environ)
                continue
            with pytest.raises(rooms.MayNotOpenError) as error:
                rooms.check_may_open(guess, environ)
            assert "horse" not in str(error.value)
        if who == "password":
            rooms.check_may_open("correct horse", environ)
    monkeypatch.setenv("NIP_EXPLORER_PUBLIC", "1")
    with pytest.raises(rooms.MayNotOpenError, match="--rooms-password-file"):
        rooms.open_room(storage, plan(), LEADER)
    monkeypatch.setenv(rooms.opening.PASSWORD_FILE, str(file))
    assert rooms.open_room(storage, plan(), LEADER, "correct horse").code
