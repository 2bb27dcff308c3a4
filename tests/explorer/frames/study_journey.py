"""A journey through a study with people: what a person's page is sent, beside two other people."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING
from unittest.mock import patch

from explorer.participants import Here, StudyDesk, open_study
from tests.explorer.connections import leading
from tests.explorer.frames.worlds import ID, RANDOM

if TYPE_CHECKING:
    from tests.explorer.frames.client import Page
    from tests.explorer.frames.journeys import Journey

CODE, ROOM = "5" * 16, "BCDFG"
FILE = """
format = "nip-study/1"
name = "Three people"
seed = 7
tasks = [{source = "bundled"}]
protocols.mnip = {}
players.person = {kind = "person"}
conditions = [{name = "apart", protocols = ["mnip"], verifiers = "person", provers = "person"}]
[people]
pay = "Nothing."
minutes = 60
ids = []
consent = {version = "1", text = "We keep what you write."}
stages = [{kind = "play", title = "A game"}]
analysis = {measures = ["accuracy"]}
[people.ends]
""" + "\n".join(
    f'{how} = {{pay = "Nothing."}}'
    for how in ("done", "screened_out", "timed_out", "left", "removed")
)


class StudyOfThree:
    """A study in which the page's person is the first prover, and two others play with them."""

    def __init__(self, go: Journey) -> None:
        self.go = go
        with (
            TemporaryDirectory() as folder,
            patch("secrets.token_hex", lambda _: CODE),
            patch("explorer.rooms.study_tables.new_code", lambda: ROOM),
        ):
            file = Path(folder) / "study.toml"
            file.write_text(FILE, "utf-8")
            open_study(go.frames.storage, file)
        self.desk = StudyDesk(go.frames.storage, CODE)
        self.page = go.open("take_part", study=CODE)
        self.page.click("I agree")
        self.page.click("Begin")
        ((mine, _),) = go.frames.storage.participants.everybody(self.desk.opened.row.number)
        self.me, self.people = mine.id, dict[str, Here]()
        for visitor in ("b" * 32, "c" * 32):
            with patch("secrets.token_hex", lambda _, visitor=visitor: visitor):
                here = self.desk.consent(visitor, {}, "1")
            with (
                patch("explorer.participants.games.people_tasks", lambda *_: [go.world.task()]),
                patch("secrets.token_hex", lambda _: ID),
            ):
                self.desk.ready(here, here.state.step)
        for visitor in "bc":
            here = self.desk.find(visitor * 32, {})
            self.desk.games.room(here)
            self.people[here.state.at.agent] = here
        self.look()

    def act(self, agent: str, round_id: int, **move: object) -> None:
        """Let one of the others move."""
        here = self.people[agent]
        said = {"messages": {}, "decision": 2, "round": round_id, "seat": agent, **move}
        person = here.state.at.person
        assert self.go.frames.call(leading.play, ROOM, person, here.person.id, said) is None

    def look(self) -> None:
        """Record what the page was sent, and what its connection sends."""
        self.page.rerun()
        window = self.page.open_seat()
        window.ask()
        self.go.look(self.page)
        self.go.seen += ["connection", *(RANDOM.sub("N", frame) for frame in window.frames)]
        self.go.seen = [text.replace(self.me, "ME") for text in self.go.seen]


def a_prover_in_a_study(go: Journey) -> None:
    """A prover on the page of a study, beside two other people."""
    world = go.world
    study = StudyOfThree(go)
    page: Page = study.page
    question = {"prover0_channel": "to zero", "prover1_channel": world.secret("to one")}
    study.act("verifier", 0, messages=question, confidence=world.choice(10, 60))
    study.look()
    # Whether the other prover has moved already is secret, and so is what it wrote.
    answer = {"prover1_channel": world.secret("answer")}
    if world.number != 1:
        study.act("prover1", 1, messages=answer)
    study.look()
    window = page.open_seat()
    assert window.act(messages={"prover1_channel": "not mine"})
    assert window.act(seat="prover1", messages={"prover1_channel": "not me"})
    # No other page shows the game, and nobody else's link leads to it.
    for name in ("play", "transcripts"):
        go.look(go.frames.open(name, visitor=page, episode=ID))
    go.look(go.frames.open("room", visitor=page, code=ROOM))
    go.look(go.frames.open("take_part", study=CODE))
    if world.number == 1:
        study.act("prover1", 1, messages=answer)
    study.look()
    assert window.act(messages={"prover0_channel": "mine"}, round=1) is None
    study.look()
