"""Deleting one's part removes name, words and browser from everywhere."""

import pytest

from explorer import rooms
from explorer.rooms.events import PersonNamed
from explorer.rooms.room import drafts_of
from explorer.storage.schema import metadata
from tests.explorer.rooms.people import (
    LEADER,
    act_of,
    at,
    lead_board,
    may_act,
    opened,
    play_out,
    visitor,
)

NAME, WORDS = "Zebedee", "xylophone"


def cells(storage):
    """Return the content of every cell of the database, by table and column."""
    with storage._engine.connect() as connection:
        for name, table in metadata.tables.items():
            for row in connection.execute(table.select()).mappings():
                for column, cell in row.items():
                    yield f"{name}.{column}", str(cell)


def holding(storage, *planted):
    return {
        place for place, cell in cells(storage) if any(p.lower() in cell.lower() for p in planted)
    }


@pytest.fixture
def whose(storage):
    """A room, and a person who has left traces everywhere in it."""
    code = opened(
        storage, 3, started=False, names=True, gallery="seat", gallery_seat=(1, "prover0")
    )
    storage_people = {1: NAME, 2: "Ada", 3: "Bob"}
    with storage.rooms.changing(code) as change:
        for number, name in storage_people.items():
            change.append(PersonNamed(person=number, name=name))
    rooms.start(rooms.Access(storage, code, LEADER))
    person = 1
    for turn in (1, 2):
        moved = True
        while moved and not (turn == 2 and at(storage, code, person).seen.view.round > 1):
            moved = False
            for number in (2, 3, 1):
                table = at(storage, code, number)
                if not table.over and may_act(table):
                    words = f"{WORDS} {turn}" if number == person else "Why?"
                    assert table.play(act_of(table, words=words)) is None
                    moved = True
        rooms.answer(
            rooms.Access(storage, code, visitor(person)), person, "", turn, "", "prediction", WORDS
        )
        if turn == 1:
            rooms.reveal(rooms.Access(storage, code, LEADER))
            rooms.next_task(rooms.Access(storage, code, LEADER))
    room = rooms.load_room(rooms.Access(storage, code))
    storage.presence.enter(code, f"person:{person}", "a" * 32)
    storage.drafts.put(drafts_of(room, person), "game", {"typed": WORDS})
    return code, person


def test_all_traces_are_gone(storage, access, whose, tmp_path):
    code, person = whose
    before = holding(storage, NAME, WORDS, visitor(person))
    assert {"people.name", "people.visitor", "events.body", "events.words"} <= before
    assert {"answers.value", "drafts.body"} <= before
    with pytest.raises(rooms.NotYoursError):
        rooms.forget(access(code, visitor(2)), person)
    rooms.forget(access(code, visitor(person)), person)
    assert holding(storage, NAME, WORDS, visitor(person)) == set()
    with pytest.raises(rooms.NotYoursError):
        at(storage, code, person)
    # Also in what others see: the facilitator's files and board, the table, and, after the reveal,
    # the public transcripts and exports.
    play_out(storage, code)
    rooms.end(access(code, LEADER))
    rooms.reveal(access(code, LEADER))
    shown = repr(rooms.files(access(code, LEADER))) + repr(lead_board(rooms.room_of(access(code))))
    for number in (2, 3):
        shown += at(storage, code, number).seen.view.to_json()
    for _, episode in rooms.revealed_tables(rooms.room_of(access(code)), visitor(2)):
        shown += repr([event.to_dict() for event in episode.events])
    shown += repr(list(storage.export_all()))
    assert "Why?" in shown
    assert "(deleted)" in shown
    assert not [w for w in (NAME, WORDS, visitor(person)) if w.lower() in shown.lower()]
    # It is not merely hidden: the database file holds no word of it.
    storage.close()
    files = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert b"Why?" in files
    assert not [w for w in (NAME, WORDS, visitor(person)) if w.encode() in files]


def test_a_spectator_who_joins_leaves_no_trace_either(storage, access):
    code = opened(storage, 3, gallery="seat", gallery_seat=(1, "verifier"))
    rooms.watch(access(code, visitor(7)), rooms.watch_link(access(code, LEADER)))
    rooms.end(access(code, LEADER))
    rooms.reveal(access(code, LEADER))
    person = rooms.join(access(code, visitor(7))).number
    rooms.forget(access(code, visitor(7)), person)
    assert holding(storage, visitor(7)) == set()
