"""Taking part in a study: from the link to the end, with the database, the room and the clock."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from hashlib import sha256

from explorer.participants import machine
from explorer.participants.games import Games
from explorer.participants.machine import Event, State, fold
from explorer.participants.opened import Here, TakingPartError, opened_study, utc_now
from explorer.storage import ConflictError, Participant, Storage, stamp
from explorer.studies import PeoplePlan
from nip_core.displays import brief, line

ID = re.compile(r"[!-~]{1,100}")
ATTEMPTS = 20


class StudyDesk:
    """Everything that people and the organiser do with one study."""

    def __init__(
        self, storage: Storage, code: str, clock: Callable[[], datetime] | None = None
    ) -> None:
        self.storage = storage
        self.opened = opened_study(storage, code)
        self._clock = clock or utc_now
        self.games = Games(storage, self.opened, self._clock)

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
            if self.games.dealt(game):
                self.games.forget(here.person, game)
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
            self.games.match(here)
            here = self.here(here.person.id)
        game = here.state.at
        if game is not None and (waits or self.games.dealt(game)):
            self.games.deal(here.person, game)
            whole = self.games.over(here)
            if whole is not None:
                others = self.games.others(game)
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
        if last is not None and last.whole is False and self.games.dealt(last):
            self.games.leave(here.person, last)
        return here

    def waits_until(self, here: Here) -> float:
        """Return for how many seconds a person still waits for others."""
        stage = machine.stage_of(self.plan, here.state)
        if stage is None or here.state.waits is None:
            return 0.0
        return max(0.0, stage.wait - machine.seconds_between(here.state.waits, self._now()))
