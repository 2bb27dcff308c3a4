"""What a watcher may not see changes no byte of its view: one room is played in two ways."""

import json
import shutil
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import asdict, replace
from importlib import import_module
from random import Random

import pytest

from explorer import rooms
from explorer.rooms import Watcher, lesson_views, seat
from explorer.rooms.events import SeatNoted
from explorer.storage import Storage, open_storage
from tests.depth import first
from tests.explorer.rooms.lesson_places import step_of
from tests.explorer.rooms.people import (
    LEADER,
    act_of,
    at,
    leads,
    opened,
    plan,
    play_out,
    sits,
    visitor,
)
from tests.explorer.rooms.test_lesson_acts import GUESS, QUIZ, WALL

SPECTATOR, STRANGER = visitor(90), visitor(91)
WORDS = "alpha", "beta"

Act = Callable[[Storage, str, int], object]


def writes(agent: str, table: int = 1) -> Act:
    """Return an act in which a seat writes one of two texts."""

    def act(storage: Storage, code: str, way: int) -> None:
        mine = at(storage, code, sits(storage, code, agent, table))
        assert mine.play(act_of(mine, words=WORDS[way])) is None

    return act


def either(act: Callable[[Storage, str], object]) -> Act:
    """Return an act that happens in one way only."""
    return lambda storage, code, way: act(storage, code) if way else None


def note(storage: Storage, code: str, way: int) -> None:
    """The facilitator is shown another note about a seat."""
    with storage.rooms.changing(code) as change:
        change.append(SeatNoted(turn=1, table=1, agent="prover1", note=WORDS[way]))


def second_table(storage: Storage, code: str) -> int:
    return sits(storage, code, "prover0", 2)


# Of two separated provers who have both been asked: what else may happen in the room.
AT_TABLES: dict[str, Act] = {
    "the other prover writes": writes("prover1"),
    "another table writes": writes("verifier", 2),
    "somebody elsewhere is named": lambda storage, code, way: rooms.rename_person(
        rooms.Access(storage, code, LEADER), second_table(storage, code), WORDS[way]
    ),
    "somebody elsewhere predicts": lambda storage, code, way: rooms.answer(
        rooms.Access(storage, code, visitor(5)), 5, "debrief", 1, "", "prediction", WORDS[way]
    ),
    "the door": either(leads(rooms.set_door, "wide")),
    "the clock": either(leads(rooms.start_clock)),
    "a new link": either(leads(rooms.recover_link)),
    "a note": note,
    "somebody comes": either(
        lambda storage, code: rooms.join(rooms.Access(storage, code, visitor(30)), "New")
    ),
    "a bot elsewhere": either(leads(rooms.replace_by_bot, 2, "prover1")),
    "a table elsewhere pauses": either(leads(rooms.pause, 2)),
}


HELD: dict[str, Act] = {"the other prover has moved": either(lambda *at: writes("prover1")(*at, 0))}
# Without what the projector shows: how far tables are, and which of them plays.
AT_THE_WALL = {act: AT_TABLES[act] for act in ("the door", "the clock", "a new link", "a note")}


def wall(storage: Storage) -> tuple[str, list[Watcher]]:
    """The same room, as the projector shows it."""
    code, _ = tables(storage)
    return code, [Watcher("projector", None, LEADER)]


def tables(storage: Storage) -> tuple[str, list[Watcher]]:
    """A room of two tables whose first prover is watched, and who may not see the above."""
    code = opened(storage, 6, names=True, gallery="seat", gallery_seat=(1, "prover0"))
    key = rooms.watch_link(rooms.Access(storage, code, LEADER))
    rooms.watch(rooms.Access(storage, code, SPECTATOR), key)
    asks = at(storage, code, sits(storage, code, "verifier"))
    assert asks.play(act_of(asks, words="Why?")) is None
    own = [sits(storage, code, agent) for agent in ("prover0", "verifier")]
    watchers = [Watcher("person", number, visitor(number)) for number in own]
    return code, [
        *watchers,
        Watcher("gallery", None, SPECTATOR),
        Watcher("gallery", None, STRANGER),
    ]


def answers(key: rooms.lesson.Key, *values: str) -> Act:
    """Somebody else gives another answer."""
    return lambda storage, code, way: rooms.answer_block(
        rooms.Access(storage, code, visitor(2)), 2, key, values[way]
    )


def lesson(key: rooms.lesson.Key) -> Callable[[Storage], tuple[str, list[Watcher]]]:
    """A lesson at a question that is open, and the watchers who may not see others' answers."""

    def made(storage: Storage) -> tuple[str, list[Watcher]]:
        code = opened(storage, 2, started=False, plan=plan(kind="lesson", lesson="two-rooms"))
        for act in (("go", step_of(key[0])), ("round", key[1]), ("open",)):
            rooms.steer(rooms.Access(storage, code, LEADER), *act)
        person = Watcher("person", 1, visitor(1))
        return code, [
            person,
            Watcher("projector", None, LEADER),
            Watcher("gallery", None, STRANGER),
        ]

    return made


def pair_answers(storage: Storage, code: str, way: int) -> None:
    """The partner of the first person gives another answer, behind the wall."""
    at_hand = rooms.load_lesson(rooms.Access(storage, code))
    (number, _) = rooms.pairs.seat_of(at_hand.seating(WALL), 1)
    (other,) = rooms.pairs.sitters(at_hand.seating(WALL), number) - {1}
    said = at_hand.game(WALL[0]).choices()[way].name
    rooms.pair_answer(rooms.Access(storage, code, visitor(other)), other, WALL, 0, said)


ROOMS = {
    "tables": (tables, AT_TABLES),
    "a held move": (tables, HELD),
    "the wall": (wall, {**AT_THE_WALL, **HELD}),
    "a guess": (lesson(GUESS), {"another guesses": answers(GUESS, "20", "80")}),
    "a quiz": (lesson(QUIZ), {"another answers": answers(QUIZ, "0", "1")}),
    "pairs": (lesson(WALL), {"the partner answers": pair_answers}),
}


def distinguished_by(folder, name: str, chosen: set[str]) -> list[str]:
    """Return the watchers whose view differs when each of the chosen acts goes either way."""
    make, acts = ROOMS[name]
    path = folder / "one.db"
    with open_storage(f"sqlite:///{path}") as storage:
        code, watchers = make(storage)
    shutil.copy(path, folder / "two.db")
    views = []
    for way, file in enumerate(("one.db", "two.db")):
        with ExitStack() as stack:
            storage = stack.enter_context(open_storage(f"sqlite:///{folder / file}"))
            for act in acts:
                if act in chosen:
                    acts[act](storage, code, way)
            views.append([json.dumps(got(storage, code, each)) for each in watchers])
        (folder / file).unlink()
    return [str(each) for each, *seen in zip(watchers, *views, strict=True) if len({*seen}) > 1]


def got(storage: Storage, code: str, watcher: Watcher) -> object:
    """Return what a watcher gets; for the projector, with the board's undrawn fields."""
    room = rooms.room_of(rooms.Access(storage, code))
    view = rooms.view_for(room, watcher).to_dict()
    tables = watcher.kind == "projector" and room.kind == "tables"
    return (view, rooms.board(room)) if tables else view


# Each act alone, and some together; the quick run has only all of them together.
SOME = [
    *((name, set(acts)) for name, (_, acts) in ROOMS.items()),
    *((name, {act}) for name, (_, acts) in ROOMS.items() for act in acts),
    *(("tables", set(Random(seed).sample(sorted(AT_TABLES), 5))) for seed in range(20)),
]


def _named(some: tuple[str, set[str]]) -> str:
    name, chosen = some
    return name if chosen == {*ROOMS[name][1]} else f"{name}: {', '.join(sorted(chosen))}"[:80]


@pytest.mark.parametrize("some", first(len(ROOMS), SOME), ids=_named)
def test_nobody_sees_what_others_must_not_know(tmp_path, some):
    assert distinguished_by(tmp_path, *some) == []


def test_a_facilitator_learns_no_browsers_but_their_own(storage, access):
    """With a browser's name, one could act for its person."""
    code, _ = tables(storage)
    view = rooms.view_for(rooms.room_of(access(code)), Watcher("lead", None, LEADER))
    found = repr(asdict(view.page)) + json.dumps(view.to_dict())
    assert "Person 6" in found
    assert not [n for n in (*range(1, 7), 90) if visitor(n) in found]


def test_spectators_see_which_tables_are_over_once_the_truth_is_revealed(storage, access):
    code = opened(storage, 6)

    def over():
        watcher = Watcher("gallery", None, STRANGER)
        return rooms.view_for(rooms.load_room(access(code)), watcher).page.over

    play_out(storage, code)
    assert over() == ()
    rooms.reveal(access(code, LEADER))
    assert over() == (True, True)


def test_planted_leaks_are_found(tmp_path, monkeypatch):
    """What a page draws is in these views, so a leak into a page is one into a view."""
    own, part = seat.own_facts, lesson_views._part_in_front

    def says(words: Callable[[rooms.Room], object]) -> Callable[..., rooms.Own]:
        return lambda room, person: replace(own(room, person), recorded=(repr(words(room)),))

    leaks = {
        "somebody comes": lambda room: len(room.people),
        "a note": lambda room: [s.note for table in room.tables for s in table.seats.values()],
        "somebody elsewhere is named": lambda room: [person.name for person in room.people],
    }
    for act, leak in leaks.items():
        monkeypatch.setattr(seat, "own_facts", says(leak))
        assert distinguished_by(tmp_path, "tables", {act}) != [], act
    # The projector's tables show who has moved in a round that is not over, or when.
    board = import_module("explorer.rooms.board")
    lit = board._lit
    for leak in (lambda at: at.node.round, lambda at: at.events[-1].at):
        monkeypatch.setattr(
            board,
            "_lit",
            lambda at, public, leak=leak: [
                *lit(at, public),
                *([leak(at), each] for each in at.held),
            ],
        )
        assert distinguished_by(tmp_path, "the wall", {"the other prover has moved"}) == [
            "projector"
        ]
    # The projector shows results while answers are open.
    monkeypatch.setattr(
        lesson_views,
        "_part_in_front",
        lambda at, place: replace(part(at, place), round_name=repr(at.counts)),
    )
    assert distinguished_by(tmp_path, "a guess", {"another guesses"}) == ["projector"]
