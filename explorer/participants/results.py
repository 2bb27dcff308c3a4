"""What the organiser gets: progress, files without outside ids, the ids apart, and the analysis.

Nothing here but `outside_ids` reads an id of another site.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from explorer.files import csv_bytes
from explorer.participants.machine import Game, seconds_between
from explorer.participants.opened import Here
from explorer.participants.taking_part import StudyDesk
from explorer.rooms import Access, room_of, study_episode
from explorer.studies import (
    ENDS,
    MEASURES,
    Estimate,
    PeoplePlan,
    ResultRow,
    Study,
    bootstrap_interval,
    fields_of,
    finished_episode,
    shown_estimate,
    summarize,
)
from nip_core.displays import displayed
from nip_core.play import Episode
from nip_core.transcript import dump

Row = Mapping[str, Any]


@displayed
@dataclass(frozen=True, slots=True)
class PlayedGame:
    """A game that was dealt."""

    game: Game
    people: tuple[int, ...]  # the numbers of the people who played it, in the study
    episode: Episode | None = field(repr=False)  # None if it was deleted
    bots: bool  # whether a bot has moved for a person


def everybody(desk: StudyDesk) -> list[Here]:
    """Return all people as they are now; whose time is up has ended."""
    rows = desk.storage.participants.everybody(desk.opened.row.number)
    return [desk.look(desk.here(person.id), waits=False) for person, _ in rows]


def games_of(desk: StudyDesk, people: Sequence[Here]) -> list[PlayedGame]:
    """Return all games, by table."""
    room = room_of(Access(desk.storage, desk.opened.row.room))
    by_table: dict[int, tuple[Game, list[int]]] = {}
    for here in people:
        for game in (*here.state.games, *filter(None, [here.state.at])):
            by_table.setdefault(game.table, (game, []))[1].append(here.person.number)
    found: list[PlayedGame] = []
    for table, (game, numbers) in sorted(by_table.items()):
        episode = study_episode(room, table)
        bots = episode is not None and bool(episode.stood_in())
        found.append(PlayedGame(game, tuple(numbers), episode, bots))
    return found


def progress(plan: PeoplePlan, people: Sequence[Here]) -> Counter[str]:
    """Return how many people have reached each end, and how many are at each stage."""
    counts = Counter[str](dict.fromkeys(ENDS, 0))
    for here in people:
        at = (
            f"at stage {here.state.stage + 1} ({plan.stages[here.state.stage].kind})"
            if (here.state.end is None)
            else here.state.end
        )
        counts[at] += 1
    return counts


# -- files ----------------------------------------------------------------------------------------


def export_files(desk: StudyDesk) -> Iterator[tuple[str, bytes]]:
    """Yield the names and contents of files without outside ids.

    Each person is a number. `games.csv` says which number a person has in an episode.
    """
    people = everybody(desk)
    games = games_of(desk, people)
    yield "people.csv", _csv([_person(desk.plan, here) for here in people])
    yield "answers.csv", _csv([row for here in people for row in _answers(desk.plan, here)])
    yield "times.csv", _csv([row for here in people for row in _times(desk.plan, here)])
    yield "games.csv", _csv([row for here in people for row in _games(here, games)])
    lines = [
        json.dumps({"table": played.game.table, "episode": dump(played.episode)})
        for played in games
        if played.episode is not None
    ]
    yield "episodes.jsonl", "".join(f"{line}\n" for line in lines).encode()
    yield "study.toml", desk.opened.row.body.encode()


def outside_ids(desk: StudyDesk) -> bytes:
    """Return each person's ids on other sites, and what they are to be paid, as CSV."""
    rows: list[Row] = []
    for here in everybody(desk):
        end = desk.plan.ends.get(here.state.end or "")
        rows.append(
            {
                "number": here.person.number,
                **{name: here.person.outside.get(name, "") for name in desk.plan.ids},
                "end": here.state.end or "",
                "code": end.code if end else "",
                "pay": end.pay if end else "",
            }
        )
    return _csv(rows)


def _csv(rows: Sequence[Row]) -> bytes:
    import pandas as pd

    return csv_bytes(pd.DataFrame(list(rows)))


def _person(plan: PeoplePlan, here: Here) -> Row:
    state = here.state
    return {
        "number": here.person.number,
        "consent": state.version,
        "began": state.began,
        "end": state.end or "",
        "ended": state.ended,
        "seconds": seconds_between(state.began, state.ended) if state.end else "",
        "failed_attention": state.failed_attention(plan),
        "told": json.dumps(dict(state.told)) if state.told is not None else "",
        "told_when": plan.others,
        **{note: state.notes.get(note, 0) for note in plan.notes},
    }


def _answers(plan: PeoplePlan, here: Here) -> Iterator[Row]:
    for given in here.state.answers:
        yield {
            "number": here.person.number,
            "stage": given.stage + 1,
            "kind": plan.stages[given.stage].kind,
            "question": given.question,
            "answer": "" if given.answer is None else given.answer,
            "right": "" if given.right is None else given.right,
            "at": given.at,
        }


def _times(plan: PeoplePlan, here: Here) -> Iterator[Row]:
    for period in here.state.periods:
        yield {
            "number": here.person.number,
            "stage": period.stage + 1,
            "kind": plan.stages[period.stage].kind,
            "began": period.began,
            "ended": period.ended,
            "seconds": period.seconds,
        }


def _games(here: Here, games: Sequence[PlayedGame]) -> Iterator[Row]:
    by_table = {played.game.table: played for played in games}
    for game in here.state.games:
        played = by_table[game.table]
        ended = played.episode.result() if played.episode and game.whole else None
        yield {
            "number": here.person.number,
            "table": game.table,
            "person": game.person,
            "seat": game.agent,
            "condition": game.condition,
            "task": game.task,
            "practice": game.practice,
            "whole": game.whole,
            "bots": played.bots,
            "right": "" if ended is None or ended.right is None else ended.right,
            "stage": game.stage + 1,
        }


# -- the analysis ---------------------------------------------------------------------------------


def excluded(plan: PeoplePlan, here: Here) -> list[str]:
    """Return the rules of the file by which a person is left out."""
    rules, state = plan.exclude, here.state
    seconds = seconds_between(state.began, state.ended) if state.end else None
    found = {
        "unfinished": rules.unfinished and state.end != "done",
        "attention": rules.attention is not None
        and state.failed_attention(plan) >= rules.attention,
        "faster_than": rules.faster_than is not None
        and seconds is not None
        and seconds < rules.faster_than,
        "pastes": rules.pastes is not None and state.notes.get("paste", 0) >= rules.pastes,
        "left_page": rules.left_page is not None and state.notes.get("focus", 0) >= rules.left_page,
    }
    return [name for name, holds in found.items() if holds]


@displayed
@dataclass(frozen=True, slots=True)
class PeopleTable:
    """The analysis that the study's file states."""

    remarks: tuple[str, ...]  # who was left out, and whether the analysis is as it was at first
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def analysed(desk: StudyDesk, now: Study | None = None) -> PeopleTable:
    """Return the table of the analysis.

    With the file as it is `now`, its exclusions and its analysis are used; the remarks say whether
    they have changed since the first person took part.
    """
    plan = desk.plan if now is None else now.people
    assert plan is not None
    people = everybody(desk)
    out = {here.person.number: why for here in people if (why := excluded(plan, here))}
    rules = Counter(rule for why in out.values() for rule in why)
    counted, dropped = list[ResultRow](), Counter[str]()
    for played in games_of(desk, people):
        if played.game.practice:
            continue
        if played.game.whole is not True or played.episode is None:
            dropped["not played to the end, or deleted"] += 1
        elif any(number in out for number in played.people):
            dropped["of people who are left out"] += 1
        elif plan.exclude.bots and played.bots:
            dropped["in which a bot moved for a person"] += 1
        else:
            counted.append(_row(desk, played, plan))
    measures, level = plan.analysis.measures, plan.analysis.level
    found = summarize(counted, ("condition",), measures, level)
    names = [condition.name for condition in desk.opened.study.conditions]
    rows: list[tuple[str, ...]] = []
    for name in names:
        mine = {line.measure: line.estimate for line in found if line.group == (name,)}
        games = sum(row.condition == name for row in counted)
        cells = (
            shown_estimate(measure, mine[measure]) if measure in mine else "–"
            for measure in measures
        )
        rows.append((name, str(games), *cells))
    if plan.analysis.compare:
        first, second = plan.analysis.compare
        cells = (_difference(counted, first, second, measure, level) for measure in measures)
        rows.append((f"{second} minus {first}", "", *cells))
    row = desk.storage.participants.study(desk.opened.row.code)
    began = None if row is None else row.fixed
    remarks = [
        f"{len(people)} people agreed; {len(people) - len(out)} are counted.",
        *(f"Left out: {number} by “{rule}”." for rule, number in sorted(rules.items())),
        *(f"{number} games are left out: {why}." for why, number in sorted(dropped.items())),
        f"Intervals of {level:.0%}; all games of a {plan.analysis.cluster} are one observation.",
    ]
    if began is not None and began != plan.fixed:
        remarks.append(
            "Changed after the first person took part: the exclusions or the analysis. They were "
            f"fixed as {began}, and are now {plan.fixed}."
        )
    elif began is not None:
        remarks.append(f"The exclusions and the analysis were fixed before data, as {began}.")
    return PeopleTable(tuple(remarks), ("condition", "games", *measures), tuple(rows))


def _row(desk: StudyDesk, played: PlayedGame, plan: PeoplePlan) -> ResultRow:
    assert played.episode is not None
    point = desk.games.point(played.game)
    place = {**fields_of(point), "engine": "people"}
    row = finished_episode(played.episode, place, about=point.task).result
    if plan.analysis.cluster == "person":
        row = replace(row, problem=f"person {min(played.people)}")
    return row


def _difference(
    rows: Sequence[ResultRow], first: str, second: str, measure: str, level: float
) -> str:
    """Return the difference of two conditions' means, with an interval from drawing clusters."""
    import numpy as np

    of = MEASURES[measure].of
    pairs = [(row, of(row)) for row in rows if row.condition in (first, second)]
    known = [(row, value) for row, value in pairs if value is not None]
    in_first = np.array([float(row.condition == first) for row, _ in known])
    values = np.array([value for _, value in known])
    if not 0 < in_first.sum() < len(known):
        return "–"
    columns = [in_first, in_first * values, 1 - in_first, (1 - in_first) * values]

    def difference(ones: Any, one: Any, others: Any, other: Any) -> Any:
        return other / others - one / ones

    groups = [row.problem for row, _ in known]
    low, high = bootstrap_interval([*map(list, columns)], groups, difference, level) or (None, None)
    value = float(difference(*(column.mean() for column in columns)))
    return shown_estimate(
        "difference", Estimate(value, low, high, None, len(known), len({*groups}))
    )
