"""Taking part in a study: from the link to the end, with the database, the room and the clock."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from explorer.participants import machine
from explorer.participants.machine import Event, Game, State, fold
from explorer.rooms import (
    Access,
    Room,
    RoomCondition,
    RoomPlan,
    deal_table,
    delete,
    enter_table,
    forget_at_table,
    leave_table,
    open_study_room,
    room_of,
    table_over,
)
from explorer.storage import (
    ConflictError,
    Participant,
    PeopleStudyRow,
    Storage,
    StudyChange,
    stamp,
)
from explorer.studies import (
    Condition,
    PeoplePlan,
    Point,
    Study,
    arms,
    people_seats,
    people_tasks,
    read_study,
    seed_of,
)
from nip_core.displays import brief, displayed, line
from nip_core.errors import NipError
from nip_core.play import Episode

ID = re.compile(r"[!-~]{1,100}")
ATTEMPTS = 20
# A person who waits is given a game only if their page was open this many seconds ago.
PRESENT = 15.0
MOST_SEATS = 10  # people at a table; a person's number at a table is made of both
NOW = "by a person", "by a computer program"


class TakingPartError(NipError, ValueError):
    """Why somebody cannot take part, or an organiser's command cannot be done."""


@displayed
@dataclass(frozen=True)
class OpenStudy:
    """A study that people take part in."""

    row: PeopleStudyRow
    study: Study
    plan: PeoplePlan


@displayed
@dataclass(frozen=True, slots=True)
class Here:
    """A person who takes part, as they are now."""

    person: Participant
    state: State


@lru_cache(64)
def _read(body: str, folder: str) -> Study:
    return read_study(body, folder)


def open_of(row: PeopleStudyRow) -> OpenStudy:
    """Return a stored study as it was read from its file."""
    study = _read(row.body, row.folder)
    assert study.people is not None
    return OpenStudy(row, study, study.people)


def utc_now() -> datetime:
    """Return the present time; tests give another clock."""
    return datetime.now(UTC)


class StudyDesk:
    """Everything that people and the organiser do with one study."""

    def __init__(
        self, storage: Storage, code: str, clock: Callable[[], datetime] | None = None
    ) -> None:
        row = storage.participants.study(code[:64])
        if row is None:
            raise TakingPartError("There is no such study here. Check the link.")
        self.storage = storage
        self.opened = open_of(row)
        self._clock = clock or utc_now

    def __repr__(self) -> str:
        return line(self, brief(self.opened.row.title))

    @property
    def plan(self) -> PeoplePlan:
        """Return what the study does with people."""
        return self.opened.plan

    def _now(self) -> str:
        return stamp(self._clock())

    # -- coming in -------------------------------------------------------------------------------

    def find(self, visitor: str, query: Mapping[str, str]) -> Here | None:
        """Return the person of a link and a browser; None if nobody has begun with them.

        A TakingPartError says why this link cannot be used here. Nothing is stored, except that a
        person with the right secret of their visit goes on in this browser.
        """
        ids, rows = self._ids(query), self.storage.participants
        if self._trace(visitor, ids) in self.opened.row.counts:
            raise TakingPartError(
                "Everything that was given here was deleted, as you asked. You cannot begin again."
            )
        known = rows.find(self.opened.row.number, visitor, self._hashed(ids))
        mine = [person for person in known if person.visitor == visitor]
        if not ids:
            if not mine and self.plan.ids:
                raise TakingPartError(
                    "This link lacks the ids by which the study knows you. Open the link that you "
                    "were given once more."
                )
            return self._at(mine[0]) if mine else None
        same = [person for person in known if person.person == self._hashed(ids)]
        if not same:
            if mine:
                raise TakingPartError(
                    "Somebody has taken part in this browser under another id. Use the link with "
                    "that id, or another browser."
                )
            return None
        person = same[0]
        if person.visitor != visitor:
            secret = self.plan.ids[-1]
            given, right = ids[secret], person.outside.get(secret, "")
            if len(self.plan.ids) < 3 or not secrets.compare_digest(given, right):
                raise TakingPartError(
                    "This id has begun in another browser. Go on there, with the same link."
                )
            rows.note_seen(person.id, self._now(), visitor)
            person = replace(person, visitor=visitor)
        return self._at(person)

    def _ids(self, query: Mapping[str, str]) -> dict[str, str]:
        """Return the ids in a link; empty if it has none of them."""
        ids = {name: query[name] for name in self.plan.ids if query.get(name)}
        wrong = [name for name, value in ids.items() if not ID.fullmatch(value)]
        missing = [name for name in self.plan.ids if name not in ids] if ids else []
        if wrong or missing:
            raise TakingPartError(
                f"In this link, {', '.join(wrong or missing)} is missing or is no id. Open the "
                "link that you were given once more."
            )
        return ids

    def _hashed(self, ids: Mapping[str, str]) -> str | None:
        if not ids:
            return None
        return sha256(f"{self.opened.row.code} {ids[self.plan.ids[0]]}".encode()).hexdigest()

    def _trace(self, visitor: str, ids: Mapping[str, str]) -> str:
        """Return what is kept of somebody who had everything deleted: a hash of the id."""
        who = self._hashed(ids)
        if who is None:
            who = sha256(f"{self.opened.row.code} {visitor}".encode()).hexdigest()
        return f"gone {who}"

    def consent(self, visitor: str, query: Mapping[str, str], version: str) -> Here:
        """Begin, once a person has agreed to a version of the consent; twice counts once."""
        here = self.find(visitor, query)
        if here is not None:
            return here
        if version != self.plan.version:
            raise TakingPartError("The text that you agreed to has changed. Read it again.")
        ids = self._ids(query)
        with self.storage.participants.changing(self.opened.row.code) as change:
            if change is None or change.study.closed is not None:
                raise TakingPartError("This study is closed: nobody can begin any more.")
            number = change.counts.get("people", 0) + 1
            if number > self.plan.places:
                raise TakingPartError("All places of this study are taken.")
            change.counts["people"] = number
            person = Participant(
                id=secrets.token_hex(16),
                study=change.study.number,
                number=number,
                visitor=visitor,
                person=self._hashed(ids),
                outside=ids,
                seen=self._now(),
            )
            twice = self.storage.participants.find(change.study.number, visitor, None)
            if not twice and change.add(
                person, machine.begun(self.plan), self._now(), self.plan.fixed
            ):
                change.save()
        found = self.find(visitor, query)
        assert found is not None
        return found

    # -- what happens to a person -----------------------------------------------------------------

    def here(self, participant: str) -> Here:
        """Return a person as they are now."""
        person = self.storage.participants.by_id(participant)
        if person is None or person.study != self.opened.row.number:
            raise TakingPartError("Your data were deleted.")
        return self._at(person)

    def _at(self, person: Participant) -> Here:
        events = self.storage.participants.events(person.id)
        return Here(person, fold(self.plan, events))

    def _add(self, here: Here, make: Callable[[State], list[Event]]) -> Here:
        """Append what a request adds to the present state; read again if something came first."""
        for _ in range(ATTEMPTS):
            new, at = make(here.state), self._now()
            if not new:
                return here
            try:
                self.storage.participants.append(here.person.id, here.state.count + 1, new, at)
            except ConflictError:
                here = self.here(here.person.id)
                continue
            state = fold(self.plan, [(event, at) for event in new], here.state)
            return self._tidy(Here(here.person, state))
        raise TakingPartError("The server is busy. Try again.")

    def read(self, here: Here, step: str) -> Here:
        """Go on from a text."""
        return self._add(here, lambda state: machine.read(self.plan, state, step))

    def answer(self, here: Here, step: str, values: Mapping[str, object]) -> Here:
        """Give the answers of a step."""
        return self._add(here, lambda state: machine.answered(self.plan, state, step, values))

    def ready(self, here: Here, step: str) -> Here:
        """Wait for a game, and begin it if the others are there."""
        here = self._add(here, lambda state: machine.ready(self.plan, state, step))
        return self.look(here)

    def note(self, here: Here, counts: Mapping[str, object]) -> Here:
        """Keep what the browser has counted."""
        return self._add(here, lambda state: machine.noted(self.plan, state, counts))

    def stop(self, here: Here, how: str = "left") -> Here:
        """End taking part; what was given so far is kept."""
        return self._add(here, lambda state: machine.ended(state, how))

    def forget(self, here: Here) -> None:
        """End taking part, and delete everything that the person gave and wrote."""
        here = self.stop(self.here(here.person.id))
        for game in here.state.games:
            if self._dealt(game):
                access, alone = self._access(here.person), len(game.people) == 1
                forget_at_table(access, game.table, game.person, alone=alone)
        trace = self._trace(here.person.visitor, here.person.outside)
        with self.storage.participants.changing(self.opened.row.code) as change:
            if change is not None:
                change.counts[trace] = 1
                change.save()
        self.storage.participants.forget(here.person.id)

    def look(self, here: Here, *, waits: bool = True) -> Here:
        """Do what is due: an end by time, a game that is over, and one that can begin.

        The person `waits` for a game only while their page is open.
        """
        here = self._add(here, lambda state: machine.due(self.plan, state, self._now()))
        if here.state.waits is not None and waits:
            self.storage.participants.note_seen(here.person.id, self._now())
            here = self._match(here)
        if here.state.at is not None and (waits or self._dealt(here.state.at)):
            self._deal(here.person, here.state.at)
            whole = table_over(self.room(here), here.state.at.table)
            if whole is not None:
                game = here.state.at
                others = self.others(game)
                here = self._add(
                    here,
                    lambda state: (
                        machine.played(self.plan, state, whole=whole, others=others)
                        if state.at == game
                        else []
                    ),
                )
        return self._tidy(here)

    def _tidy(self, here: Here) -> Here:
        """Leave the table at which an end has come, so that others do not wait."""
        last = here.state.games[-1] if here.state.end and here.state.games else None
        if last is not None and last.whole is False and self._dealt(last):
            access = self._access(here.person)
            room = enter_table(access, last.person)
            if table_over(room, last.table) is None and not room.person(last.person).left:
                leave_table(access, last.table, last.person, alone=len(last.people) == 1)
        return here

    # -- games -----------------------------------------------------------------------------------

    def _access(self, person: Participant) -> Access:
        # The random id stands for the browser, so that the room knows no cookie.
        return Access(self.storage, self.opened.row.room, person.id)

    def room(self, here: Here) -> Room:
        """Return the room of the study, in which a person sits at a table."""
        assert here.state.at is not None
        return enter_table(self._access(here.person), here.state.at.person)

    def _dealt(self, game: Game) -> bool:
        return room_of(Access(self.storage, self.opened.row.room)).table(game.table) is not None

    def condition_of(self, person: Participant, state: State, *, practice: bool) -> Condition:
        """Return the condition of a person's next game."""
        study = self.opened.study
        names = [condition.name for condition in study.conditions]
        order = self.plan.order(names, study.seed, person.number)
        counted = sum(not game.practice for game in state.games)
        return study.condition(order[0 if practice else counted % len(order)])

    def _match(self, here: Here) -> Here:
        """Give those who wait for the same condition a game, the longest waiting first."""
        stage = machine.stage_of(self.plan, here.state)
        assert stage is not None
        practice = stage.kind == "practice"
        wanted = self.condition_of(here.person, here.state, practice=practice)
        try:
            with self.storage.participants.changing(self.opened.row.code) as change:
                if change is not None:
                    self._seat(change, here, wanted, practice=practice)
        except ConflictError:
            pass  # one of them has left, or was given a game by another process
        return self.here(here.person.id)

    def _seat(self, change: StudyChange, here: Here, wanted: Condition, *, practice: bool) -> None:
        known = change.counts.get(wanted.name, 0)
        number = 0 if practice else known
        point = self._point(wanted, "", number)
        agents = [agent for agent, player in point.seats().items() if player.kind == "person"]
        since = stamp(self._clock() - timedelta(seconds=PRESENT))
        waiting: list[tuple[Participant, State]] = []
        for person, events in change.everybody(since):
            state = fold(self.plan, events)
            at = machine.stage_of(self.plan, state)
            if at is None or state.waits is None or (at.kind == "practice") != practice:
                continue
            if practice and person.id != here.person.id:
                continue
            if self.condition_of(person, state, practice=practice) == wanted:
                waiting.append((person, state))
        waiting.sort(key=lambda each: (each[1].waits or "", each[0].number))
        needed = 1 if practice else len(agents)
        group = waiting[:needed]
        if len(group) < needed:
            return
        table = change.counts.get("tables", 0) + 1
        change.counts["tables"] = table
        if not practice:
            change.counts[wanted.name] = known + 1
        task = self._task(wanted, [state for _, state in group], number, practice=practice)
        # In turn, so that nobody who comes early always has the first seat.
        first = number % needed
        people = {agent: table * MOST_SEATS + place for place, agent in enumerate(agents[:needed])}
        for (person, state), agent in zip(
            group, [*list(people)[first:], *list(people)[:first]], strict=True
        ):
            game = Game(
                table=table,
                person=people[agent],
                agent=agent,
                condition=wanted.name,
                task=task,
                number=number,
                people=people,
                practice=practice,
                stage=state.stage,
            )
            told = self.others(game) if self.plan.others == "before" else None
            seated = machine.seated(game, told)
            change.append(person.id, state.count + 1, [seated], self._now())
        change.save()

    def _task(self, wanted: Condition, states: list[State], number: int, *, practice: bool) -> str:
        """Return the next task of a condition that none of some people have met."""
        tasks = [task.id for task in people_tasks(self.opened.study, wanted)]
        if any(stage.kind == "practice" for stage in self.plan.stages):
            if practice:
                return tasks[-1]
            tasks = tasks[:-1]
        met = {game.task for state in states for game in state.games}
        turned = tasks[number % len(tasks) :] + tasks[: number % len(tasks)]
        return next((task for task in turned if task not in met), turned[0])

    def _point(self, condition: Condition, task: str, number: int) -> Point:
        study = self.opened.study
        tasks = people_tasks(study, condition)
        about = next((each for each in tasks if each.id == task), tasks[0])
        ways = arms(condition)
        seed = seed_of(study, condition.name, about.id, number)
        key = f"{self.opened.row.code}-{condition.name}-{number}"
        return Point(key, number, condition, about, 0, ways[number % len(ways)], seed)

    def point(self, game: Game) -> Point:
        """Return a game as an episode of the study."""
        return self._point(self.opened.study.condition(game.condition), game.task, game.number)

    def others(self, game: Game) -> dict[str, str]:
        """Return who plays the other seats of a game: a person, or a computer program."""
        rules = self.point(game).condition.protocol.choice.rules
        return {
            rules.seat_name(agent): NOW[agent not in game.people]
            for agent in rules.seat_names
            if agent != game.agent
        }

    def coming(self, here: Here) -> dict[str, str]:
        """Return who plays each seat of a person's next game, their own left out if it is known."""
        stage = machine.stage_of(self.plan, here.state)
        practice = stage is not None and stage.kind == "practice"
        condition = self.condition_of(here.person, here.state, practice=practice)
        agents = people_seats(condition)
        mine = agents[:1] if practice or len(agents) == 1 else ()
        rules = condition.protocol.choice.rules
        return {
            rules.seat_name(agent): NOW[agent not in agents or practice]
            for agent in rules.seat_names
            if agent not in mine
        }

    def waits_until(self, here: Here) -> float:
        """Return for how many seconds a person still waits for others."""
        stage = machine.stage_of(self.plan, here.state)
        if stage is None or here.state.waits is None:
            return 0.0
        return max(0.0, stage.wait - machine.seconds_between(here.state.waits, self._now()))

    def _deal(self, person: Participant, game: Game) -> None:
        """Deal the table of a game, if that was not done before."""
        if self._dealt(game):
            return
        point = self.point(game)
        bots: dict[str, Mapping[str, Any]] = {
            agent: {} if player.kind == "person" else point.record(agent)
            for agent, player in point.seats().items()
            if agent not in game.people
        }
        episode = Episode.from_setup(point.setup())
        deal_table(self._access(person), game.table, game.condition, episode, game.people, bots)


def open_study(storage: Storage, file: Path, clock: Callable[[], datetime] | None = None) -> str:
    """Open a study for people; return the code in its link."""
    body = file.read_text("utf-8")
    study = read_study(body, file.parent)
    plan = study.people
    if plan is None:
        raise TakingPartError(
            f"{file} has no table `people`, so nobody can take part. Play it with "
            f"nip-explorer study {file}."
        )
    conditions = tuple(RoomCondition(c.name, c.protocol.choice) for c in study.conditions)
    room = open_study_room(
        storage,
        RoomPlan(
            title="Study",
            conditions=conditions,
            gallery="none",
            round_seconds=plan.round_seconds,
        ),
    )
    code = secrets.token_hex(8)
    at = stamp((clock or utc_now)())
    folder = str(file.parent.absolute())
    storage.participants.add_study(code, study.name, body, folder, room, at=at)
    return code


def delete_study(storage: Storage, code: str) -> None:
    """Delete a study with all that people gave and played."""
    row = StudyDesk(storage, code).opened.row
    delete(Access(storage, row.room))
    storage.participants.delete_study(code)
