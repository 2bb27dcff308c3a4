"""Fills a database with rooms in every phase, and with episodes of the Play page.

Everything goes through what the app itself calls: functions of `explorer.rooms`, the pages of a
running server, and moves in the form in which browsers send them.
"""

from random import Random
from typing import Any

from explorer import rooms
from explorer.choice import ProtocolChoice
from explorer.rooms import RoomCondition, RoomPlan
from explorer.rooms.events import RoundExtended
from explorer.storage import Storage
from explorer.usage import USUAL_BUDGET
from explorer.visitors import visitor_name
from nip_core import Episode, HyperParameters, Move, protocol_names
from nip_core.play import Commented, Seated
from nip_core.tasks import problems
from tests.explorer.frames import FrameServer, Page
from tests.explorer.rooms import lesson_places

__all__ = [
    "LEADER",
    "LESSON",
    "SPECTATOR",
    "fill",
    "move_in_room",
    "play_by_hand",
    "token",
    "visitor",
]

LESSON = "two-rooms"
# Blocks of the lesson, counted from 1, each with the round in which it is asked.
GUESS, PAIRS, AFTER, SOLO, QUIZ = (
    (lesson_places.GUESS, "before"),
    (lesson_places.PAIRS, "before"),
    (lesson_places.PAIRS, "after"),
    (lesson_places.SOLO, "before"),
    (lesson_places.QUIZ, "before"),
)
# Each of these blocks is a step of its own, and so are all before it.
STEP = {key: key[0] for key in (GUESS, PAIRS, AFTER, SOLO)}
# Browsers by number: people of a room are 1, 2, 3, ...
LEADER, SPECTATOR = 900, 901
# Untrusted text that must be shown everywhere exactly as it was entered.
HOSTILE = '=1+1 <b>bold</b> $x$ **bold** "quoted" \u202egnp.exe\u202c https://example.org ü \\n'


def token(number: int) -> str:
    """Return a browser's cookie."""
    return f"{number:064x}"


def visitor(number: int) -> str:
    """Return the visitor's name of a browser."""
    return visitor_name(token(number))


def short(protocol: str) -> HyperParameters:
    """Return parameters of a protocol with at most four rounds, where the length can be chosen."""
    length = {"max_message_rounds": 4, "min_message_rounds": 1}
    group = {"mnip_together": "mnip"}.get(protocol, protocol)
    chosen = {f"{group}_protocol": length} if group in ("nip", "debate", "mnip") else {}
    return HyperParameters(interaction_protocol=protocol, **chosen)


def plan_of(*protocols: str, **chosen: Any) -> RoomPlan:
    """Return a plan with a condition for each protocol."""
    conditions = tuple(
        RoomCondition(f"with {name}", ProtocolChoice.of(short(name))) for name in protocols
    )
    return RoomPlan(**{"conditions": conditions, "seed": 7, "keep_days": 366, **chosen})


def fill(storage: Storage) -> dict[str, str]:
    """Create rooms and an episode of models; return the rooms' codes by their purpose."""
    play_with_models(storage)
    made = Rooms(storage)
    made.games()
    made.phases()
    made.comings_and_goings()
    made.lessons()
    return made.codes


# -- the Play page ---------------------------------------------------------------------------------


def play_by_hand(server: FrameServer) -> None:
    """Play episodes on the Play page: with variations, scripted to the end, and unfinished."""
    task = problems()[0].slug
    own = server.open("play", protocol="mnip", seat="verifier", task=f"problem:{task}")
    own.click("Begin")
    speak(own, HOSTILE)
    speak(own, "And the last line?")
    decide(own, 1)
    own.take_back()
    decide(own, 0)
    both = server.open("play", protocol="debate", seat="prover0", sits__prover1="friend")
    both.click("Begin")
    for _ in range(3):
        if "I am" in " ".join(both.labels()):
            both.click("I am")
        speak(both, f"Said by {both.table['seat']}.")
    watched = server.open(
        "play", protocol="nip", sits__verifier="scripted", sits__prover="scripted"
    )
    watched.click("Begin")
    while "Step" in watched.labels():
        watched.click("Step")
    left = server.open("play", protocol="merlin_arthur", seat="verifier")
    left.click("Begin")


def speak(page: Page, text: str) -> None:
    """Write the same text on all channels of the seat at the screen."""
    page.act(messages=dict.fromkeys(page.table["composer"]["channels"], text))


def decide(page: Page, decision: int) -> None:
    """Give a verdict."""
    page.act(messages={}, decision=decision, confidence=80)


def play_with_models(storage: Storage) -> None:
    """Store an episode that models have played, with everything recorded about their answers."""
    model = {"service": "openai", "model": "gpt-none", "temperature": 0.5}
    episode = Episode(short("mnip"), problems()[1].pick(7), 7)
    for agent in episode.rules.seat_names:
        episode.apply(Seated(agent=agent, player={"kind": "llm", **model}))
    origin = {
        "kind": "llm",
        "model": "gpt-none",
        "reasoning": f"I thought: {HOSTILE}",
        "refused": [{"answer": HOSTILE, "reason": "It says nothing."}],
        "tokens_in": 100,
        "tokens_out": 20,
        "seconds": 1.5,
    }
    asked = {"prover0_channel": "Is it so?", "prover1_channel": HOSTILE}
    episode.play(Move("verifier", asked, confidence=40, raw="raw"), origin=origin)
    episode.play(Move("prover0", {"prover0_channel": "It is."}), origin=origin)
    episode.play(Move("prover1", {"prover1_channel": "It is, too."}), origin=origin)
    here = episode.node.id
    episode.play(Move("verifier", decision=1, confidence=90), origin=origin)
    episode.goto(here)
    episode.play(Move("verifier", decision=0, confidence=10), origin=origin)
    episode.apply(Commented(node=here, text=f"A remark. {HOSTILE}"))
    kept = storage.create(episode, title="Models <b>", tags=["study", "=tag"])
    storage.budgets.set_caps(kept, visitor(LEADER), USUAL_BUDGET)
    storage.delete(storage.create(episode, title="In the bin"))


# -- rooms -----------------------------------------------------------------------------------------


def move_of(screen: dict[str, Any], person: int) -> dict[str, Any] | None:
    """Return the move that a person's browser sends, given their screen; None if they wait.

    What they write follows from the round and the seat; the verifier decides in its last turn.
    """
    table = screen["table"]
    composer = table["composer"]
    if not composer["acts"]:
        return None
    place = {"place": screen["place"], "seat": table["seat"], "round": table["round"]}
    move = {**place, "messages": {}, "decision": 2, "confidence": None, "mark": "1"}
    if composer["verdict"] and composer["verdict"]["open"] and not composer["channels"]:
        return {**move, "decision": person % 2, "confidence": 70}
    words = f"{table['seat']} in round {table['round']}"
    return {**move, "messages": {on: f"{words} on {on}: {HOSTILE}" for on in composer["channels"]}}


def move_in_room(storage: Storage, code: str, person: int) -> bool:
    """Make a person's move, if it is their turn."""
    at = rooms.seat_at(rooms.Access(storage, code, visitor(person)), person)
    screen = rooms.seat_screen(at)
    act = None if screen is None else move_of(screen, person)
    if act is None:
        return False
    refused = rooms.act_at_seat(rooms.Access(storage, code, visitor(person)), person, act)
    assert refused is None, refused
    return True


class Rooms:
    """Creates the rooms, one after the other.

    Attributes
    ----------
    codes : dict of str to str
        By what the rooms are there for.
    """

    def __init__(self, storage: Storage) -> None:
        self.storage = storage
        self.codes: dict[str, str] = {}

    def open(self, name: str, plan: RoomPlan, people: int, *, starts: bool = True) -> str:
        """Open a room, let people join, and start it."""
        opened = rooms.open_room(self.storage, plan, visitor(LEADER))
        self.codes[name] = opened.code
        for number in range(1, people + 1):
            rooms.join(
                rooms.Access(self.storage, opened.code, visitor(number)), f"Name {number} <i>"
            )
        if starts:
            rooms.start(rooms.Access(self.storage, opened.code, visitor(LEADER)))
        return opened.code

    def lead(self, act: Any, code: str, *arguments: Any, **named: Any) -> Any:
        """Act as the facilitator."""
        return act(rooms.Access(self.storage, code, visitor(LEADER)), *arguments, **named)

    def play(self, code: str, moves: int | None = None) -> None:
        """Let people move in the order in which they joined, a number of moves or to the end."""
        made, going_on = 0, True
        while going_on:
            going_on = False
            for person in rooms.load_room(rooms.Access(self.storage, code)).here:
                if made == moves:
                    return
                if person.visitor is not None and person.seat is not None:
                    moved = move_in_room(self.storage, code, person.number)
                    made, going_on = made + moved, going_on or moved

    def games(self) -> None:
        """Create a room for each protocol, with people on every seat and no move yet."""
        for name in protocol_names():
            plan = plan_of(name, title=f"Game of {name}", names=True)
            self.open(f"game {name}", plan, len(plan.conditions[0].spec.agent_names))

    def phases(self) -> None:
        """Create rooms of tables in each phase."""
        choice = plan_of("mnip", "nip", seating="choice", tables=2, names=True)
        waiting = self.open("waiting", choice, 4, starts=False)
        rooms.take_seat(rooms.Access(self.storage, waiting, visitor(1)), 1, 1, "verifier")
        rooms.take_seat(rooms.Access(self.storage, waiting, visitor(2)), 2, 2, "verifier")
        self.lead(rooms.set_door, waiting, "locked")
        self.open("gathering", plan_of("mnip", title="Welcome <script>"), 2, starts=False)
        two = {"gallery": "seat", "gallery_seat": (1, "verifier"), "names": True}
        running = self.open("running", plan_of("mnip", "mnip_together", **two), 6)
        key = self.lead(rooms.watch_link, running)
        rooms.watch(rooms.Access(self.storage, running, visitor(SPECTATOR)), key)
        self.play(running, 5)
        paused = self.open("paused", plan_of("mnip", round_seconds=300), 3)
        self.play(paused, 2)
        self.lead(rooms.pause, paused)
        one = self.open("one table paused", plan_of("nip", round_seconds=600), 4)
        self.lead(rooms.pause, one, 1)
        self.play(self.open("over", plan_of("mnip", truth="false"), 3))
        ended = self.open("ended", plan_of("mnip"), 6)
        self.play(ended, 4)
        self.lead(rooms.end, ended, 1)
        self.lead(rooms.end, ended)
        between = self.open("second task", plan_of("nip", tasks=("code:easy", "code:hard")), 4)
        self.play(between)
        self.lead(rooms.reveal, between)
        self.lead(rooms.next_task, between)
        self.play(between, 2)
        for name in ("revealed", "closed"):
            code = self.open(name, plan_of("mnip", "mnip_together", truth="false", names=True), 6)
            self.play(code)
            for person in (1, 2, 4):
                own = rooms.Access(self.storage, code, visitor(person))
                rooms.answer(own, person, "debrief", 1, "", "prediction", f"0.{person}")
            self.lead(rooms.reveal, code)
        self.lead(rooms.close, self.codes["closed"])

    def comings_and_goings(self) -> None:
        """Create rooms whose seats others take over: bots, latecomers, models without a grant."""
        late = self.open("late", plan_of("mnip", round_seconds=60), 3)
        self.play(late, 2)
        self.end_rounds(late)
        rooms.run_due(self.storage)
        self.play(late, 1)
        replaced = self.open("replaced", plan_of("mnip", bots_told="once", names=True), 4)
        self.play(replaced, 1)
        self.lead(rooms.replace_by_bot, replaced, 1, "prover0")
        self.play(replaced, 1)
        left = self.open("left", plan_of("mnip", bots="random", names=True), 5)
        self.play(left, 2)
        rooms.leave(rooms.Access(self.storage, left, visitor(3)), 3)
        rooms.forget(rooms.Access(self.storage, left, visitor(1)), 1)
        self.lead(rooms.remove_people, left, [2], words=True)
        rooms.join(rooms.Access(self.storage, left, visitor(6)), "Late")
        self.lead(rooms.rename_person, left, 4, "Renamed")
        self.play(left, 2)
        against = plan_of("mnip", seats={"prover0": "scripted", "prover1": "random"})
        self.play(self.open("against bots", against, 2))
        model = {"service": "openai", "model": "gpt-none"}
        with_model = plan_of("nip", seats={"prover": "llm"}, models={"prover": model})
        self.play(self.open("with a model", with_model, 1), 1)
        rehearsal = self.open("rehearsal", plan_of("nip", rehearsal=True), 1, starts=False)
        self.lead(rooms.rehearse, rehearsal, 3)
        self.lead(rooms.start, rehearsal)
        self.play(rehearsal, 1)

    def end_rounds(self, code: str) -> None:
        """Put the end of all rounds of a room into the past."""
        past = "2000-01-01T00:00:00.000000Z"
        with self.storage.rooms.changing(code) as change:
            for (turn, table), row in list(change.rows.tables.items()):
                if row["deadline"] is not None:
                    place = {"turn": turn, "table": table}
                    change.append(RoundExtended(**place, deadline=past, left=None))

    # -- lessons -----------------------------------------------------------------------------------

    def lesson(self, name: str, people: int = 4) -> str:
        """Open a room that takes the lesson."""
        plan = RoomPlan(kind="lesson", lesson=LESSON, names=True, seed=7, keep_days=366)
        return self.open(name, plan, people, starts=False)

    def steer(self, code: str, *acts: tuple[Any, ...]) -> None:
        """Run some commands of the facilitator."""
        for act in acts:
            self.lead(rooms.steer, code, *act)

    def lessons(self) -> None:
        """Create rooms at several steps of a lesson."""
        self.lesson("lesson: before")
        guess = self.lesson("lesson: a guess")
        self.steer(guess, ("go", STEP[GUESS]), ("open",))
        for person, said in ((1, "40"), (2, "87"), (3, "40")):
            rooms.answer_block(
                rooms.Access(self.storage, guess, visitor(person)), person, GUESS, said
            )
        rooms.note_guess(rooms.Access(self.storage, guess, visitor(4)), 4, GUESS, 65)
        timed = self.lesson("lesson: a timer")
        self.steer(timed, ("go", STEP[GUESS]), ("timer", 300))
        revealed = self.lesson("lesson: revealed")
        self.steer(revealed, ("go", STEP[GUESS]), ("open",))
        for person in (1, 2):
            rooms.answer_block(
                rooms.Access(self.storage, revealed, visitor(person)), person, GUESS, "75"
            )
        self.steer(revealed, ("reveal",))
        plans = self.lesson("lesson: pairs plan", 5)
        self.steer(plans, ("go", STEP[PAIRS]))
        pairs = self.lesson("lesson: pairs", 5)
        self.steer(pairs, ("go", STEP[PAIRS]), ("open",))
        self.ask_pairs(pairs, PAIRS, {1: "0", 2: "1", 3: "2"})
        rooms.pair_seat(rooms.Access(self.storage, pairs, visitor(3)), 3, PAIRS, "bot")
        after = self.lesson("lesson: pairs after", 4)
        self.steer(after, ("go", STEP[PAIRS]), ("open",))
        self.ask_pairs(after, PAIRS, {1: "0", 2: "0", 3: "1", 4: "2"})
        self.steer(after, ("lock",), ("reveal",), ("round", "after"), ("open",))
        self.ask_pairs(after, AFTER, {1: "0", 2: "1"})
        alone = self.lesson("lesson: alone", 3)
        self.steer(alone, ("go", STEP[SOLO]), ("open",))
        self.play_alone(alone, 1, SOLO, 6)
        self.play_alone(alone, 2, SOLO, 1)
        free = self.lesson("lesson: own pace", 3)
        self.steer(free, ("go", 1), ("led", False))
        rooms.answer_block(rooms.Access(self.storage, free, visitor(1)), 1, GUESS, "10")
        rehearsed = self.lesson("lesson: with bots", 1)
        self.lead(rooms.bots_join, rehearsed, 6)
        self.steer(rehearsed, ("go", STEP[PAIRS]), ("open",))
        self.lead(rooms.bots_answer, rehearsed, chance=Random(7))
        over = self.lesson("lesson: closed", 2)
        self.steer(over, ("go", STEP[GUESS]), ("open",))
        rooms.answer_block(rooms.Access(self.storage, over, visitor(1)), 1, GUESS, "99")
        self.lead(rooms.close, over)

    def ask_pairs(self, code: str, key: tuple[int, str], said: dict[int, str]) -> None:
        """Let people answer the first question of their pair."""
        for person, answer in said.items():
            rooms.pair_answer(
                rooms.Access(self.storage, code, visitor(person)), person, key, 0, answer
            )

    def play_alone(self, code: str, person: int, key: tuple[int, str], moves: int) -> None:
        """Let a person play against the computer, always with the first choice."""
        chance = Random(person)
        for _ in range(moves):
            by = visitor(person)
            scene = rooms.game_of(rooms.Access(self.storage, code, by), person, key).scene
            if scene.outcome is not None:
                rooms.play_again(rooms.Access(self.storage, code, by), person, key)
                continue
            choice = sorted(scene.options)[0]
            rooms.play(rooms.Access(self.storage, code, by), person, key, choice, random=chance)
