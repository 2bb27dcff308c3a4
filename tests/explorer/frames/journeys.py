"""Whole journeys through the app, seen from one seat, in worlds that the seat cannot tell apart."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import contextmanager
from unittest.mock import patch

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from explorer.choice import ProtocolChoice
from explorer.rooms import Access, RoomCondition, RoomPlan, join, open_room, start, take_seat
from nip_core import HyperParameters
from nip_core.play import Commented, Episode, Move
from nip_core.tasks import Task
from nip_core.transcript import dumps
from tests.explorer.connections import leading
from tests.explorer.connections.browsers import Window
from tests.explorer.frames.client import Page, in_words
from tests.explorer.frames.serve import begin_anew, compute_only_in_pages, finish_work
from tests.explorer.frames.server import FrameServer
from tests.explorer.frames.study_journey import a_prover_in_a_study
from tests.explorer.frames.worlds import ID, RANDOM, World, seat_all, steadied, steadied_file
from tests.explorer.players.model_server import Handler, ModelServer
from tests.play_worlds import ONE_TASK

__all__ = ["JOURNEYS", "seen_in"]

CODE = "BCDFG"


class Journey:
    """What a seat's browsers are sent on a journey in one world.

    Parameters
    ----------
    frames : FrameServer
    world : World
    """

    def __init__(self, frames: FrameServer, world: World) -> None:
        self.frames = frames
        self.world = world
        self.seen: list[str] = []

    def begin(self, episode: Episode) -> None:
        """Store an episode; its id is the same in all worlds."""
        with patch("secrets.token_hex", lambda _: ID):
            self.frames.storage.create(episode)

    def open(self, page: str = "play", /, **query: str) -> Page:
        """Open a page, and record what it is sent."""
        opened = self.frames.open(page, **(query or {"episode": ID}))
        self.look(opened)
        return opened

    def look(self, page: Page, *, files: bool = True) -> None:
        """Record what a page is sent: so far, in reruns of all its parts, and in its files."""
        page.rerun()
        page.run_fragments()
        taken = page.downloads() if files else {}
        self.seen += [f"at {page.page}", *map(steadied, page.messages)]
        self.seen += [RANDOM.sub("N", line) for line in page.received]
        for name, content in taken.items():
            self.seen += [f"file {name}", *steadied_file(content)]
        page.forget()

    def look_around(self) -> None:
        """Open every other page that could show something about the episode."""
        self.open("transcripts")
        for text in ("aaaaa", "bbbbb"):
            self.open("transcripts", search=text)
        self.frames.call(compute_only_in_pages, True)
        self.open("rewards", protocol="mnip")
        self.frames.call(compute_only_in_pages, False)

    @contextmanager
    def unseen(self, page: Page):
        """Record nothing while somebody else sits at the screen."""
        self.look(page, files=False)
        yield
        page.forget()


def hand_over(page: Page) -> None:
    """Confirm that the next person is at the screen."""
    page.click("I am")


def speak(page: Page, text: str) -> None:
    """Write the same text on all channels."""
    page.act(messages=dict.fromkeys(page.table["composer"]["channels"], text))


def asked(text: str, other: str | None = None) -> dict[str, str]:
    return {"prover0_channel": text, "prover1_channel": other or text}


# -- journeys --------------------------------------------------------------------------------------


def watching_one_channel(go: Journey) -> None:
    """A prover who reads one of two channels; the other is full of secrets."""
    world = go.world
    episode = Episode.from_setup(world.setup("mnip"))
    seat_all(episode, prover0="me", prover1="random", verifier="random")
    question = asked("to zero", world.secret("to one"))
    sure = world.choice(10, 60, 90)
    episode.play(Move("verifier", question, confidence=sure, raw=world.secret("raw")))
    mine = Move("prover0", {"prover0_channel": "mine"})
    other = Move("prover1", {"prover1_channel": world.secret("answer")}, raw=world.secret("raw"))
    # The order of the two moves is secret too.
    for move in (mine, other) if world.number else (other, mine):
        thought = {"kind": "llm", "reasoning": world.secret("thought"), "tokens_in": world.number}
        episode.play(move, at=world.secret("at"), origin=thought)
    episode.play(Move("verifier", asked("again", world.secret("again"))))
    episode.apply(Commented(node=0, text=world.secret("remark")))
    if world.number != 1:
        held = world.secret("held")
        episode.play(Move("prover1", {"prover1_channel": held}))
    go.begin(episode)
    page = go.open("play")
    page.act(messages={"prover0_channel": "word " * 1000})
    page.act(messages={"prover1_channel": "not mine"})
    page.act(goto=99)
    go.look(page)
    page.act(goto=0)
    go.look(page)
    go.look_around()


def judging(go: Journey) -> None:
    """A verifier who does not know the label, at a table whose other seats wait for it."""
    world = go.world
    episode = Episode.from_setup(world.setup("debate", informed=True))
    seat_all(episode, prover0="random", prover1="random", verifier="me")
    episode.play(Move("verifier", asked("first")))
    if world.number:
        # Taken back before any seat could see it.
        held = Move("prover1", {"prover1_channel": world.secret("held")})
        episode.play(held, at=world.secret("at"))
        episode.undo("prover1")
    episode.play(Move("prover0", {"prover0_channel": "reject"}, raw=world.secret("raw 0")))
    episode.play(Move("prover1", {"prover1_channel": "accept"}, raw=world.secret("raw 1")))
    go.begin(episode)
    page = go.open("play")
    page.act(messages=asked("Why?"), confidence=40)
    go.look(page)
    page.take_back()
    go.look(page)
    go.look_around()


def one_variation_ended(go: Journey) -> None:
    """The seat looks at a variation that has ended, beside one that goes on, and leaves it."""
    world = go.world
    episode = Episode.from_setup(world.setup("mnip", ended=True))
    seat_all(episode, prover0="me", prover1="random", verifier="random")
    episode.play(Move("verifier", asked("a question")))
    episode.play(Move("prover0", {"prover0_channel": "an answer"}))
    episode.play(Move("prover1", {"prover1_channel": "another"}))
    episode.play(Move("verifier", decision=1))
    end = episode.node.id
    episode.goto(0)
    hidden = asked("fresh", world.secret("to one"))
    refused = [{"answer": world.secret("refused"), "reason": world.secret("reason")}]
    thought = {"kind": "llm", "reasoning": world.secret("thought"), "refused": refused}
    sure = world.choice(5, 50, 95)
    episode.play(Move("verifier", hidden, confidence=sure), origin=thought)
    episode.play(Move("prover0", {"prover0_channel": "mine"}))
    if world.number == 2:
        episode.play(Move("prover1", {"prover1_channel": world.secret("of one")}))
    else:
        text = world.secret("of one")
        episode.play(Move("prover1", {"prover1_channel": text}), at=world.secret("at"))
    episode.apply(Commented(node=episode.node.id, text=world.secret("remark")))
    here = episode.node.id
    episode.play(Move("verifier", asked("on", world.secret("on"))))
    go.begin(episode)
    page = go.open("play")
    page.act(goto=end)
    go.look(page)
    read = go.open("transcripts")
    for eyes in ("Prover 2", "Everything"):
        read.choose("eyes", eyes)
        read.trigger("nip_table", "act", {"goto": here})
    go.look(read)
    go.look_around()
    page.act(goto=here)
    go.look(read)
    go.look(page)
    page.act(goto=0)
    go.look(page)


def brought_in(go: Journey) -> None:
    """The same as an uploaded file."""
    world = go.world
    episode = Episode.from_setup(world.setup("mnip", ended=True))
    seat_all(episode, prover0="me", prover1="random", verifier="random")
    episode.play(Move("verifier", asked("a question", world.secret("to one"))))
    left = episode.node.id
    episode.goto(0)
    episode.play(Move("verifier", decision=0))
    page = go.open("transcripts", search="")
    page.upload("Transcripts", "one.json", dumps(episode).encode())
    with patch("secrets.token_hex", lambda _: ID):
        page.click("Bring in")
    (entry,) = go.frames.storage.find()
    read = go.frames.open("transcripts", episode=entry.id)
    for name, content in read.downloads().items():
        go.seen += [name, *(text.replace(entry.id, ID) for text in steadied_file(content))]
    for text in ("aaaaa", "bbbbb"):
        found = go.frames.open("transcripts", search=text)
        go.seen.append(str(entry.id in found.said))
    assert left


def opened_as_a_log(go: Journey) -> None:
    """The same in an Inspect log: of an episode with several variations, the ended one is shown."""
    pytest.importorskip("inspect_ai", reason="needs the extra `inspect`")
    from explorer.studies.inspect.writing import Exported, write_log

    world = go.world
    episode = Episode.from_setup(world.setup("mnip", ended=True))
    seat_all(episode, prover0="me", prover1="random", verifier="random")
    episode.play(Move("verifier", asked("a question", world.secret("to one"))))
    episode.goto(0)
    episode.play(Move("verifier", decision=0))
    page = go.frames.open("studies", view="log")
    page.upload("Log", "one.eval", write_log("one", [Exported("one", episode)]))
    page.unfold("Export")
    page.forget()
    go.look(page, files=False)
    # Files in Inspect's format contain random names; they are made of the same episodes as the
    # others.
    for label in page.labels("download_button"):
        if "Inspect" not in label:
            go.seen += [f"file {label}", *steadied_file(page.download(label))]
    page.forget()
    page.query["episode"] = "one.1"
    page.choose("show", "Episodes")
    go.look(page, files=False)


def two_at_one_screen(go: Journey) -> None:
    """Two people who take turns at one screen: neither is shown what the other does."""
    world = go.world
    episode = Episode.from_setup(world.setup("mnip"))
    seat_all(episode, prover0="me", prover1="friend", verifier="friend")
    go.begin(episode)
    page = go.frames.open("play", episode=ID)
    with go.unseen(page):
        hand_over(page)
        question = asked("to zero", world.secret("to one"))
        page.act(messages=question, confidence=world.choice(20, 70, 30))
    page.rerun()
    hand_over(page)
    assert page.table["seat"] == "prover0"
    go.look(page)
    speak(page, "mine")
    with gone(go, page):
        page.act(messages={"prover1_channel": "word " * (500 + world.number)}, mark="1")
        page.act(messages={"prover1_channel": world.secret("answer")}, mark="1")
        hand_over(page)
        page.act(messages=asked("more", world.secret("more")), mark="1")
    hand_over(page)
    assert page.table["seat"] == "prover0"
    go.look(page)
    page.take_back()
    go.look(page, files=False)
    go.look_around()


@contextmanager
def gone(go: Journey, page: Page):
    """Somebody else takes over the screen, which shows a cover first."""
    with go.unseen(page):
        hand_over(page)
        yield
        page.rerun()
    page.forget()


class Service(ModelServer):
    """A model's server whose words are a world's secret; its address is the same in all worlds."""

    port = 0

    def __init__(self, world: World, *behaviours: str) -> None:
        super().__init__(Service.port, behaviours, lambda _: world.secret("a draft"))
        Service.port = self.server_address[1]
        self.RequestHandlerClass = Talkative
        self.world = world


class Talkative(Handler):
    def do_wordy(self, body: object) -> None:
        self.stream(self.server.world.secret("thought") + " word" * 400, size=50)

    def do_quotes(self, body: object) -> None:
        said = self.server.world.secret("quoted")
        self.plain(400, f'{{"error": {{"message": "{said}"}}}}')


def models_that_fail(go: Journey) -> None:
    """A model in another seat that fails, by its own fault or its service's."""
    episode = Episode.from_setup(go.world.setup("mnip"))
    seat_all(episode, prover0="me", prover1="random", verifier="random")
    go.begin(episode)
    for behaviour in ("wordy", "quotes"):
        with Service(go.world, *[behaviour] * 20) as service:
            page = go.frames.open("play", protocol="mnip", seat="prover0", sits__prover1="llm")
            set_models_up(page, service, "prover1")
            page.click("Begin")
            go.frames.call(finish_work)
            page.rerun()
            page.forget()
            speak(page, "mine")
            go.frames.call(finish_work)
            page.run_fragments()
            # How often the page was drawn while the model worked depends on the clock.
            secrets = map(go.world.secret, ("thought", "quoted"))
            go.seen += [secret for secret in secrets if secret in page.said]
            page.forget()
            page.rerun()
            assert any("Try again" in label for label in page.labels())
            for message in page.messages:
                go.seen.append(of_a_game(message, page))


def of_a_game(message: ForwardMsg, page: Page) -> str:
    """Return a frame of a game begun on the page, without its id and its task, which are random."""
    text = steadied(message).replace(page.query["episode"], "ID")
    return "" if "nip_seat" in text or "nip_updates" in text else text


def asking_for_a_draft(go: Journey) -> None:
    """One of two people asks a model for a draft, and hands over without making a move."""
    world = go.world
    episode = Episode.from_setup(world.setup("mnip"))
    seat_all(episode, prover0="friend", prover1="me", verifier="random")
    episode.play(Move("verifier", asked("to both")))
    go.begin(episode)
    page = go.frames.open("play", episode=ID)
    with Service(world) as service, go.unseen(page):
        hand_over(page)
        page.choose("Set models up", True)
        set_models_up(page, service, "the first model")
        page.click("Draft my move")
        assert world.secret("a draft") in str(page.table["draft"])
        page.click("What would both have said")
        speak(page, world.secret("what is said"))
        page.rerun()
        page.states.clear()  # a browser forgets the widgets that are no longer on the page
    hand_over(page)
    assert page.table["seat"] == "prover1"
    go.look(page)
    page.act(goto=0)
    go.look(page, files=False)


def set_models_up(page: Page, service: ModelServer, *seats: str) -> None:
    """Set up models of a service, as players or for advice."""
    (places,) = [e.options for k, e in page.elements() if k == "selectbox" and e.label == "Where"]
    page.choose("Where", next(place for place in places if "Another" in place))
    page.choose("Address", service.url)
    for seat in seats:
        page.choose(f"Model for {in_words(seat)}", "m")


def played_beside(go: Journey) -> None:
    """Two sessions: in one somebody plays, in the other somebody watches at another seat."""
    world = go.world
    episode = Episode.from_setup(world.setup("mnip"))
    seat_all(episode, prover0="me", prover1="friend", verifier="random")
    episode.play(Move("verifier", asked("to both")))
    go.begin(episode)
    page = go.frames.open("play", episode=ID)
    hand_over(page)
    assert page.table["seat"] == "prover0"
    go.look(page)
    # As on another screen: prover1 moves, takes it back and moves otherwise; prover0 sees nothing.
    stored = go.frames.storage.load(ID)
    theirs, version = stored.episode, stored.version
    window = page.open_seat()
    for turn in range(world.number):
        theirs.play(Move("prover1", {"prover1_channel": world.secret(f"turn {turn}")}))
        version = go.frames.storage.append(ID, theirs, version)
        window.ask()
        theirs.undo("prover1")
        version = go.frames.storage.append(ID, theirs, version)
        window.ask()
    # How often the server is asked depends on the test.
    go.seen += dict.fromkeys(RANDOM.sub("N", frame) for frame in window.frames)
    page.forget()
    go.look(page)
    go.open("transcripts", search="")


class RoomOfThree:
    """A room with one table, at which the page's person and two others sit."""

    def __init__(self, go: Journey, mine: str, task: Task) -> None:
        self.go, self.storage = go, go.frames.storage
        parameters = HyperParameters(interaction_protocol="mnip")
        plan = RoomPlan(
            conditions=(RoomCondition("apart", ProtocolChoice.of(parameters)),),
            tables=1,
            seating="choice",
            names=True,
            seed=7,
        )
        leader = "f" * 32
        self.others = [agent for agent in ("prover0", "prover1", "verifier") if agent != mine]
        with (
            patch("explorer.rooms.opening.new_code", lambda: CODE),
            patch("explorer.rooms.plan.find_task", lambda *_: task),
            patch("secrets.token_hex", lambda _: ID),
        ):
            open_room(self.storage, plan, leader)
            self.page = go.open("room", code=CODE)
            self.page.choose("Your name", "Mine")
            self.page.click("Join")
            for agent in self.others:
                person = join(Access(self.storage, CODE, self._visitor(agent)), f"{agent} <b>")
                take_seat(Access(self.storage, CODE, self._visitor(agent)), person.number, 1, agent)
            self.page.click(f"seat-take-1-{mine}")
            go.look(self.page)
            start(Access(self.storage, CODE, leader))
            self.page.rerun()

    def _visitor(self, agent: str) -> str:
        """Return the visitor at a seat."""
        return "abc"[self.others.index(agent)] * 32

    def act(self, agent: str, round_id: int, **move: object) -> None:
        """Let one of the others move."""
        said = {"messages": {}, "decision": 2, "round": round_id, "seat": agent, **move}
        person = 2 + self.others.index(agent)
        played = self.go.frames.call(leading.play, CODE, person, self._visitor(agent), said)
        assert played is None

    def look(self, page: Page, window: Window) -> None:
        """Record what a page was sent, and what its connection sends and answers."""
        self.go.look(page)
        window.ask()
        self.go.seen += ["connection", *(RANDOM.sub("N", frame) for frame in window.frames)]
        window.frames.clear()

    def look_elsewhere(self) -> None:
        """Check that no other address gives the seat more."""
        for way in ({"person": "2"}, {"as": "lead"}, {"as": "projector"}, {"as": "gallery"}):
            self.go.look(self.go.frames.open("room", visitor=self.page, code=CODE, **way))
        for name in ("play", "transcripts"):
            self.go.look(self.go.frames.open(name, visitor=self.page, episode=ID))


def a_prover_in_a_room(go: Journey) -> None:
    """A prover, who knows the truth, beside another one."""
    world = go.world
    room = RoomOfThree(go, "prover0", ONE_TASK)
    page = room.page
    window = page.open_seat()
    question = asked("to zero", world.secret("to one"))
    room.act("verifier", 0, messages=question, confidence=world.choice(10, 60, 90))
    window.changes()
    room.look(page, window)
    # Whether the other prover has moved already is secret, and so is what it wrote.
    answer = {"prover1_channel": world.secret("answer")}
    if world.number != 1:
        room.act("prover1", 1, messages=answer)
    room.look(page, window)
    beside = go.frames.open("room", visitor=page, code=CODE, person="1")
    twin = beside.open_seat()
    room.look(beside, twin)
    assert window.act(messages={"prover0_channel": "word " * 1000})
    assert window.act(messages={"prover1_channel": "not mine"})
    assert window.act(seat="prover1", messages={"prover1_channel": "not me"})
    assert window.act(place="0" * 16, messages={"prover0_channel": "not here"})
    # The page itself takes no acts.
    page.trigger("nip_seat", "act", {"seat": "prover1", "round": 1, "place": window.seat["place"]})
    room.look_elsewhere()
    if world.number == 1:
        room.act("prover1", 1, messages=answer)
    room.look(page, window)
    assert window.act(messages={"prover0_channel": "mine"}, mark="2") is None
    twin.changes()
    room.look(page, window)
    assert twin.act(messages={"prover0_channel": "too late"}, round=1)
    room.look(beside, twin)


def a_verifier_in_a_room(go: Journey) -> None:
    """A verifier, who sees the truth when it is revealed, and not before."""
    world = go.world
    room = RoomOfThree(go, "verifier", world.task())
    page = room.page
    window = page.open_seat()
    assert window.act(messages=asked("Why?")) is None
    first, second = ("prover0", "prover1") if world.number else ("prover1", "prover0")
    room.act(first, 1, messages={f"{first}_channel": f"{first} says"})
    room.look(page, window)
    room.act(second, 1, messages={f"{second}_channel": f"{second} says"})
    window.changes()
    assert window.act(decision=1) is None
    room.look(page, window)
    room.look_elsewhere()
    go.look_around()


JOURNEYS: dict[str, Callable[[Journey], None]] = {
    way.__name__: way
    for way in (
        watching_one_channel,
        judging,
        one_variation_ended,
        brought_in,
        opened_as_a_log,
        two_at_one_screen,
        models_that_fail,
        asking_for_a_draft,
        played_beside,
        a_prover_in_a_room,
        a_verifier_in_a_room,
        a_prover_in_a_study,
    )
}


def seen_in(frames: FrameServer, folder: str, world: World, name: str) -> list[str]:
    """Return what is seen on a journey in a world, with the same random draws in every world."""
    frames.use_database(f"sqlite:///{folder}/{name}-{world.number}.db")
    frames.call(begin_anew)
    journey = Journey(frames, world)
    JOURNEYS[name](journey)
    frames.close_pages()
    return journey.seen
