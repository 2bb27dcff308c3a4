"""The games of a study with people: who is seated when, on which task, and at which table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any

from explorer.participants import machine
from explorer.participants.machine import Game, State, fold
from explorer.participants.opened import Here, OpenStudy
from explorer.rooms import (
    Access,
    Room,
    deal_table,
    enter_table,
    forget_at_table,
    leave_table,
    room_of,
    table_over,
)
from explorer.storage import ConflictError, Participant, Storage, StudyChange, stamp
from explorer.studies import Condition, Point, arms, people_seats, people_tasks, seed_of
from nip_core.displays import brief, line
from nip_core.play import Episode

# A person who waits is given a game only if their page was open this many seconds ago.
PRESENT = 15.0
MOST_SEATS = 10  # people at a table; a person's number at a table is made of both
NOW = "by a person", "by a computer program"


class Games:
    """The games that people play in one study, at the tables of its room."""

    def __init__(self, storage: Storage, opened: OpenStudy, clock: Callable[[], datetime]) -> None:
        self.storage = storage
        self.opened = opened
        self._clock = clock

    def __repr__(self) -> str:
        return line(self, brief(self.opened.row.title))

    def _access(self, person: Participant) -> Access:
        # The random id stands for the browser, so that the room knows no cookie.
        return Access(self.storage, self.opened.row.room, person.id)

    def room(self, here: Here) -> Room:
        """Return the room of the study, in which a person sits at a table."""
        assert here.state.at is not None
        return enter_table(self._access(here.person), here.state.at.person)

    def dealt(self, game: Game) -> bool:
        """Return whether the table of a game was dealt."""
        return room_of(Access(self.storage, self.opened.row.room)).table(game.table) is not None

    # -- who is seated ---------------------------------------------------------------------------

    def condition_of(self, person: Participant, state: State, *, practice: bool) -> Condition:
        """Return the condition of a person's next game."""
        study = self.opened.study
        names = [condition.name for condition in study.conditions]
        order = self.opened.plan.order(names, study.seed, person.number)
        counted = sum(not game.practice for game in state.games)
        return study.condition(order[0 if practice else counted % len(order)])

    def match(self, here: Here) -> None:
        """Give those who wait for the same condition a game, the longest waiting first."""
        stage = machine.stage_of(self.opened.plan, here.state)
        assert stage is not None
        practice = stage.kind == "practice"
        wanted = self.condition_of(here.person, here.state, practice=practice)
        try:
            with self.storage.participants.changing(self.opened.row.code) as change:
                if change is not None:
                    self._seat(change, here, wanted, practice=practice)
        except ConflictError:
            pass  # one of them has left, or was given a game by another process

    def _seat(self, change: StudyChange, here: Here, wanted: Condition, *, practice: bool) -> None:
        known = change.counts.get(wanted.name, 0)
        number = 0 if practice else known
        point = self._point(wanted, "", number)
        agents = [agent for agent, player in point.seats().items() if player.kind == "person"]
        since = stamp(self._clock() - timedelta(seconds=PRESENT))
        waiting: list[tuple[Participant, State]] = []
        for person, events in change.everybody(since):
            state = fold(self.opened.plan, events)
            at = machine.stage_of(self.opened.plan, state)
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
            told = self.others(game) if self.opened.plan.others == "before" else None
            seated = machine.seated(game, told)
            change.append(person.id, state.count + 1, [seated], stamp(self._clock()))
        change.save()

    def _task(self, wanted: Condition, states: list[State], number: int, *, practice: bool) -> str:
        """Return the next task of a condition that none of some people have met."""
        tasks = [task.id for task in people_tasks(self.opened.study, wanted)]
        if any(stage.kind == "practice" for stage in self.opened.plan.stages):
            if practice:
                return tasks[-1]
            tasks = tasks[:-1]
        met = {game.task for state in states for game in state.games}
        turned = tasks[number % len(tasks) :] + tasks[: number % len(tasks)]
        return next((task for task in turned if task not in met), turned[0])

    # -- what is played --------------------------------------------------------------------------

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
        stage = machine.stage_of(self.opened.plan, here.state)
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

    # -- tables ----------------------------------------------------------------------------------

    def deal(self, person: Participant, game: Game) -> None:
        """Deal the table of a game, if that was not done before."""
        if self.dealt(game):
            return
        point = self.point(game)
        bots: dict[str, Mapping[str, Any]] = {
            agent: {} if player.kind == "person" else point.record(agent)
            for agent, player in point.seats().items()
            if agent not in game.people
        }
        episode = Episode.from_setup(point.setup())
        deal_table(self._access(person), game.table, game.condition, episode, game.people, bots)

    def over(self, here: Here) -> bool | None:
        """Return whether a person's game was played to its end; None while it is played."""
        assert here.state.at is not None
        return table_over(self.room(here), here.state.at.table)

    def leave(self, person: Participant, game: Game) -> None:
        """Leave the table of a game that was not played to its end, so that others do not wait."""
        access = self._access(person)
        room = enter_table(access, game.person)
        if table_over(room, game.table) is None and not room.person(game.person).left:
            leave_table(access, game.table, game.person, alone=len(game.people) == 1)

    def forget(self, person: Participant, game: Game) -> None:
        """Delete what a person wrote in a game."""
        access, alone = self._access(person), len(game.people) == 1
        forget_at_table(access, game.table, game.person, alone=alone)
