"""In any order of acts of people, leaders and crashes, no move is lost and every table ends.

People are also removed, let in and forgotten, and rooms are full.
"""

import contextlib
import itertools
from collections import Counter
from unittest.mock import patch

import pytest
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from explorer import rooms
from explorer.rooms import people
from explorer.storage import open_storage
from tests.depth import cases
from tests.explorer.rooms.logs import assert_logs_say_the_rows, assert_rebuilt
from tests.explorer.rooms.people import LEADER, no_bot_answers, plan, visitor
from tests.explorer.rooms.test_running import let_time_pass

ROUNDS = 4
BROWSERS = st.integers(1, 5)


class Slow:
    """A second implementation of a table's rules: a fold of stored moves, with mnip's schedule."""

    def __init__(self, events):
        self.round, self.moved, self.over, self.bots = 0, set(), False, {}
        self.texts = Counter()
        for event in events:
            if event.type == "seated":
                self.bots[event.agent] = event.player["kind"] != "human"
            else:
                assert event.type == "moved"
                self.move(event.move)

    @property
    def speakers(self):
        return {"verifier"} if self.round % 2 == 0 else {"prover0", "prover1"}

    def waits_for(self, agent):
        return not self.over and agent in self.speakers - self.moved

    def move(self, move):
        assert self.waits_for(move.agent)
        self.texts.update(set(move.messages.values()))
        self.moved.add(move.agent)
        if self.moved == self.speakers:
            self.round, self.moved = self.round + 1, set()
            self.over = move.decision != 2 or self.round == ROUNDS


class RoomMachine(RuleBasedStateMachine):
    """A small room with tables; the model knows who is in it, and what was answered to them."""

    storage = None

    def __init__(self):
        super().__init__()
        self.people: dict[int, int] = {}  # the number of each browser's person
        self.left: set[int] = set()
        self.removed: set[int] = set()
        self.forgotten: set[int] = set()
        self.numbers = itertools.count()
        self.paused: set[int] = set()
        self.blanked: set[str] = set()  # texts of people who have deleted their data
        # What was acknowledged: the text, its episode, and who wrote it.
        self.said: list[tuple[str, str, int]] = []
        self.refused: list[str] = []

    def access(self, browser=None):
        """Return the access of a browser, or of the facilitator."""
        return rooms.Access(self.storage, self.code, visitor(browser) if browser else LEADER)

    @rule(browser=BROWSERS, most=st.sampled_from([5, 5, 5, 3]))
    def join(self, browser, most=5):
        new = browser not in self.people or browser in self.forgotten
        full = new and len(self.people) - len(self.left) >= most
        with patch.object(people, "MOST_PEOPLE", most):
            if browser in self.removed or full:
                words = "removed you" if browser in self.removed else "This room is full"
                with pytest.raises(rooms.RoomError, match=words):
                    rooms.join(self.access(browser))
                return
            person = rooms.join(self.access(browser))
        assert new or self.people[browser] == person.number
        self.people[browser] = person.number
        self.left.discard(browser)
        self.forgotten.discard(browser)

    @rule(browser=BROWSERS, forget=st.booleans())
    def leave(self, browser, forget=False):
        if browser in self.people and browser not in self.forgotten:
            (rooms.forget if forget else rooms.leave)(self.access(browser), self.people[browser])
            self.left.add(browser)
            if forget:
                self.forget_words(browser)

    def forget_words(self, browser):
        self.forgotten.add(browser)
        self.blanked |= {text for text, _, who in self.said if who == self.people[browser]}

    @rule(browser=BROWSERS, words=st.booleans())
    def remove(self, browser, words):
        if browser in self.people and browser not in self.forgotten:
            rooms.remove_people(self.access(), [self.people[browser]], words=words)
            self.left.add(browser)
            self.removed.add(browser)
            if words:
                self.forget_words(browser)

    @rule(browser=BROWSERS)
    def let_in(self, browser):
        if browser in self.people:
            rooms.let_back_in(self.access(), self.people[browser])
            self.removed.discard(browser)

    @precondition(lambda self: hasattr(self, "code"))
    @invariant()
    def the_room_knows_who_was_sent_away(self):
        room = self.room
        for browser, number in self.people.items():
            person = room.person(number)
            assert person.left == (browser in self.left)
            assert person.forgotten == (browser in self.forgotten)
            assert (person.sent_away == "removed") == (browser in self.removed)

    @property
    def room(self):
        return rooms.load_room(self.access())

    @initialize(joined=st.integers(1, 4), limit=st.sampled_from([None, 60]))
    def begin(self, joined, limit):
        made = plan(round_seconds=limit, bots="scripted")
        self.code = rooms.open_room(self.storage, made, LEADER).code
        for browser in range(1, joined + 1):
            self.join(browser)
        rooms.start(self.access())

    def slow(self, table):
        inside = self.storage.within(self.room.number)
        return Slow(inside.load(table.episode_id).episode.events)

    @rule(
        browser=BROWSERS,
        kind=st.sampled_from(["message"] * 4 + ["verdict", "stale", "twice", "empty"]),
        crash=st.booleans(),
    )
    def move(self, browser, kind, crash):
        if browser not in self.people:
            return
        if browser in self.removed | self.forgotten:
            with pytest.raises(rooms.RoomError):
                rooms.seat_at(self.access(browser), self.people[browser])
            return
        at = rooms.seat_at(self.access(browser), self.people[browser])
        if at.table is None or at.episode_id is None:
            assert at.play({}) is not None
            return
        slow, number = self.slow(at.table), at.table.number
        allowed = (
            slow.waits_for(at.agent)
            and not slow.bots[at.agent]
            and browser not in self.left
            and number not in self.paused
        )
        text = f"Word {next(self.numbers)}."
        on = ["prover0_channel", "prover1_channel"] if at.agent == "verifier" else None
        channels = on or [f"{at.agent}_channel"]
        act = {"seat": at.agent, "round": slow.round, "messages": dict.fromkeys(channels, text)}
        if kind == "verdict" or (at.agent == "verifier" and slow.round >= ROUNDS - 2):
            act = {**act, "messages": {}, "decision": 1}
            allowed = allowed and at.agent == "verifier"
        if kind == "stale":
            act, allowed = {**act, "round": slow.round + 1}, False
        if kind == "empty" and act["messages"]:
            act, allowed = {**act, "messages": {}}, False
        with no_bot_answers() if crash else contextlib.nullcontext():
            answer = at.play(act)
        assert (answer is None) == allowed, (answer, act, kind)
        if answer is not None:
            self.refused.append(text)
        elif act["messages"]:
            self.said.append((text, at.episode_id, self.people[browser]))
        if kind == "twice" and allowed:
            # A browser that did not get the answer to its move sends it again: it is made once.
            assert at.play(act) is None
            other = f"Word {next(self.numbers)}."
            assert at.play({**act, "messages": dict.fromkeys(channels, other)}) is not None
            self.refused.append(other)

    @rule(table=st.sampled_from([None, 1, 2]), going=st.booleans())
    def pause(self, table, going):
        room = self.room
        numbers = {each.number for each in room.tables if each.phase != "over"}
        meant = numbers & ({table} if table else numbers)
        try:
            act = rooms.resume if going else rooms.pause
            act(self.access(), table)
        except rooms.NotNowError:
            assert table is not None
            assert room.table(table) is None
            return
        self.paused = self.paused - meant if going else self.paused | meant

    @rule(
        table=st.integers(1, 2), agent=st.sampled_from(["prover0", "prover1", "verifier"]),
        back=st.booleans(),
    )  # fmt: skip
    def replace(self, table, agent, back):
        act = rooms.hand_back if back else rooms.replace_by_bot
        with contextlib.suppress(rooms.NotNowError):
            act(self.access(), table, agent)

    @rule(late=st.booleans())
    def look(self, late):
        if late:
            let_time_pass(self.storage, self.code)
        rooms.run_due(self.storage)

    @precondition(lambda self: hasattr(self, "code"))
    @invariant()
    def nobody_holds_two_seats(self):
        room = self.room
        held = [s.person for t in room.tables for s in t.seats.values() if s.person is not None]
        assert len(held) == len(set(held))
        played = [t for t in room.tables if t.phase != "over"]
        here = {s.person for t in played for s in t.seats.values()}
        assert here.isdisjoint(self.people[browser] for browser in self.left)

    @precondition(lambda self: hasattr(self, "code"))
    @invariant()
    def what_was_acknowledged_is_there_and_what_was_refused_is_not(self):
        room = self.room
        found = {table.episode_id: self.slow(table).texts for table in room.tables}
        for text, episode, _ in self.said:
            assert found[episode][text] == (text not in self.blanked), text
        everything = sum(found.values(), Counter())
        assert not any(everything[text] for text in self.refused)

    def teardown(self):
        if not hasattr(self, "code"):
            return
        with contextlib.suppress(rooms.NotNowError):
            rooms.resume(self.access())
        self.paused.clear()
        for _ in range(20):
            rooms.run_due(self.storage)
            if all(table.phase == "over" for table in self.room.tables):
                break
            for browser in self.people:
                self.move(browser, "message", False)
            for table in self.room.tables:
                for agent, seat in table.seats.items():
                    gone = seat.person is not None and seat.bot is not None
                    if gone and table.phase != "over":
                        rooms.hand_back(self.access(), table.number, agent)
        ended = [(each.phase, self.slow(each).__dict__) for each in self.room.tables]
        assert {phase for phase, _ in ended} == {"over"}, ended
        self.what_was_acknowledged_is_there_and_what_was_refused_is_not()
        rooms.end(self.access())
        rooms.reveal(self.access())
        rooms.close(self.access())


RoomMachine.TestCase.settings = settings(
    max_examples=cases(24), stateful_step_count=20, deadline=None, phases=[Phase.generate]
)


@pytest.fixture(autouse=True, scope="module")
def one_database(tmp_path_factory):
    with open_storage(f"sqlite:///{tmp_path_factory.mktemp('machine') / 'rooms.db'}") as storage:
        RoomMachine.storage = storage
        yield
        assert_logs_say_the_rows(storage)
        assert_rebuilt(storage)


TestRoom = RoomMachine.TestCase


def test_a_move_that_is_sent_again_is_accepted_and_made_once():
    machine = RoomMachine()
    machine.begin(joined=2, limit=None)
    for browser, crash, kind in (
        (1, True, "message"), (4, False, "message"), (1, True, "message"), (4, False, "message"),
        (3, True, "message"), (2, False, "verdict"), (3, True, "message"), (1, True, "twice"),
        (5, True, "message"), (1, False, "twice"), (5, True, "stale"), (2, True, "twice"),
    ):  # fmt: skip
        machine.move(browser=browser, kind=kind, crash=crash)
        machine.what_was_acknowledged_is_there_and_what_was_refused_is_not()
    assert len(machine.said) == 2
    machine.teardown()
