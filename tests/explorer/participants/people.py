"""Studies for tests, and simulated people who take part in them."""

from datetime import UTC, datetime, timedelta
from importlib.resources import files
from pathlib import Path

from explorer.participants import Here, StudyDesk, open_study, stage_of
from explorer.rooms import Access, seat_at
from explorer.storage import Storage
from explorer.studies import Study, read_study

EXAMPLE = (files("explorer.participants") / "example.toml").read_text("utf-8")
ANSWERS = {
    "adult": "yes",
    "reading": 3,
    "may_lie": "yes",
    "sure": 4,
    "attention": "green",
    "comment": "It was fun.",
}


def study_text(**said: str) -> str:
    """Return the example with other lines; the keys are the first words of lines."""
    lines = EXAMPLE.splitlines()
    for key, value in said.items():
        places = [n for n, line in enumerate(lines) if line.startswith(f"{key} = ")]
        assert places, key
        for place in places:
            lines[place] = f"{key} = {value}"
    return "\n".join(lines) + "\n"


def with_two_people(**said: str) -> str:
    """Return a study with one condition, in which a person also argues."""
    text = study_text(provers='"judge"', wait="60", protocols='["khan_consultancy"]', **said)
    before, _, after = text.partition('[[conditions]]\nname = "debate"')
    after = after.partition("[people]")[2].replace('compare = ["consultancy", "debate"]\n', "")
    return f"{before}[people]{after}"


def study_of(text: str = EXAMPLE) -> Study:
    """Return a study with people."""
    return read_study(text)


def outside(number: int, **said: str) -> dict[str, str]:
    """Return the ids in a person's link."""
    ids = {"PROLIFIC_PID": f"SECRETPID{number}", "STUDY_ID": "SECRETSTUDY"}
    return {**ids, "SESSION_ID": f"SECRETVISIT{number}", **said}


def browser(number: int) -> str:
    """Return the name of a person's browser."""
    return f"{number:032x}"


class Clock:
    """A clock that tests move."""

    def __init__(self) -> None:
        self.now = datetime(2026, 1, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def pass_seconds(self, seconds: float) -> None:
        """Let time pass."""
        self.now += timedelta(seconds=seconds)


def opened(
    storage: Storage, folder: Path, text: str = EXAMPLE, clock: Clock | None = None
) -> StudyDesk:
    """Open a study."""
    (folder / "study.toml").write_text(text, "utf-8")
    code = open_study(storage, folder / "study.toml", clock)
    return StudyDesk(storage, code, clock)


def agreed(desk: StudyDesk, number: int) -> Here:
    """Return a person who has agreed."""
    return desk.consent(browser(number), outside(number), desk.plan.version)


def stepped(desk: StudyDesk, here: Here, **answers: object) -> Here:
    """Do what is next, once."""
    here = desk.look(desk.here(here.person.id))
    stage = stage_of(desk.plan, here.state)
    if stage is None:
        return here
    if here.state.at is not None:
        move(desk, here)
        return desk.look(desk.here(here.person.id))
    if stage.kind == "text":
        return desk.read(here, here.state.step)
    if stage.questions:
        return desk.answer(here, here.state.step, {**ANSWERS, **answers})
    return desk.ready(here, here.state.step)


def move(desk: StudyDesk, here: Here) -> dict | None:
    """Make the person's move at their table, if it is their turn; return a refusal."""
    game = here.state.at
    room = desk.games.room(here)
    at = seat_at(Access(desk.storage, room.code, here.person.id), game.person)
    legal = at.seen.view.legal
    if at.over or not legal.may_act:
        return None
    choices = {name: options[0] for name, options in legal.choices.items()}
    act = {"seat": at.agent, "round": at.seen.view.round, "mark": "m", "choices": choices}
    return at.play({**act, "messages": dict.fromkeys(legal.channels, f"SECRETWORDS {game.person}")})


def to_stage(desk: StudyDesk, here: Here, kind: str) -> Here:
    """Go on until a kind of stage."""
    for _ in range(60):
        stage = stage_of(desk.plan, here.state)
        if stage is None or stage.kind == kind:
            return here
        here = stepped(desk, here)
    raise AssertionError(here.state)


def to_the_end(desk: StudyDesk, here: Here, **answers: object) -> Here:
    """Go on until an end."""
    for _ in range(120):
        if here.state.end:
            return here
        here = stepped(desk, here, **answers)
    raise AssertionError(here.state)


def everything_stored(place, storage):
    """Return all that the database says about people and games, as text."""
    tables = "participants", "participant_events", "events", "room_private", "people", "setups"
    with storage._engine.connect() as connection:
        return "\n".join(
            str(row) for table in tables for row in connection.exec_driver_sql(
                f"SELECT * FROM {table}"
            )
        )  # fmt: skip
