"""Pairs of phones as the two provers of a lesson: who sits with whom, and what came of it.

Who sits where is a small document in the room's state; what was answered are the room's answers.
A pair's game is worked out of both, so that nothing that two people send at once can be lost. A
seat has a history: from which question on who sat there, None for a bot; and for whom the bot
stands in, if it does.
"""

from __future__ import annotations

import copy
import secrets
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from random import Random
from typing import Any

from explorer.lessons.pair_game import PairGame, PairRound, Sight

__all__ = [
    "MOST_QUESTIONS",
    "Given",
    "PairPlay",
    "handed_back",
    "joined",
    "play_of",
    "seat_of",
    "seated",
    "sight_of",
    "sitters",
    "stood_in",
]

MOST_QUESTIONS = 60  # of a pair in a round

Given = Mapping[int, Mapping[int, int]]
"""What each person has answered, by question."""
Seating = Mapping[str, Any]


def seated(people: Iterable[int], *, seed: str | None = None) -> dict[str, Any]:
    """Two and two by chance; a bot sits with the one who is left over.

    Parameters
    ----------
    people : iterable of int
    seed : str, optional
        Draws the pairs and their questions; a fresh one that nobody knows without it.
    """
    seed = seed or secrets.token_hex(16)
    drawn = sorted(people)
    Random(f"pairs/{seed}").shuffle(drawn)
    pairs = [
        [[[0, drawn[n]]], [[0, drawn[n + 1] if n + 1 < len(drawn) else None]]]
        for n in range(0, len(drawn), 2)
    ]
    return {"seed": seed, "pairs": pairs}


def seat_of(seating: Seating, person: int) -> tuple[int, int] | None:
    """The pair and the seat, 0 or 1, where somebody sits, or a bot in their place."""
    for number, pair in enumerate(seating["pairs"]):
        for seat, history in enumerate(pair):
            if person in history[-1][1:]:
                return number, seat
    return None


def sitters(seating: Seating, number: int) -> set[int]:
    """All who sit in a pair, or have sat there."""
    pair = seating["pairs"][number]
    return {who for history in pair for _, *people in history for who in people if who is not None}


def joined(
    seating: Seating, person: int, given: Given, gone: Collection[int] = ()
) -> dict[str, Any]:
    """Somebody who comes late takes a bot's place, or gets a bot as partner."""
    if seat_of(seating, person) is not None:
        return dict(seating)
    changed = copy.deepcopy(dict(seating))
    for number, pair in enumerate(changed["pairs"]):
        for seat, history in enumerate(pair):
            if _is_free(history, gone) and not _is_bot(pair[1 - seat], gone):
                history.append([_next_question(changed, number, given, gone), person])
                return changed
    changed["pairs"].append([[[0, person]], [[0, None]]])
    return changed


def stood_in(
    seating: Seating, person: int, given: Given, gone: Collection[int] = ()
) -> dict[str, Any]:
    """A bot goes on for somebody who is away, from the question on that is open."""
    return _taken_over(seating, person, None, given, gone)


def handed_back(
    seating: Seating, person: int, given: Given, gone: Collection[int] = ()
) -> dict[str, Any]:
    """Whoever was away goes on."""
    return _taken_over(seating, person, person, given, gone)


def _taken_over(
    seating: Seating, person: int, by: int | None, given: Given, gone: Collection[int]
) -> dict[str, Any]:
    place = seat_of(seating, person)
    if place is None:
        return dict(seating)
    number, seat = place
    changed = copy.deepcopy(dict(seating))
    history = changed["pairs"][number][seat]
    if history[-1][1] == by:
        return changed
    question = _next_question(changed, number, given, gone)
    # Of what happens within one question, the last counts.
    now = [question, by] if by is not None else [question, None, person]
    history[:] = [*(each for each in history if each[0] < question), now]
    return changed


def _is_free(history: Sequence[Sequence[Any]], gone: Collection[int]) -> bool:
    """Sits a bot there for nobody who may come back?"""
    return all(who is None or who in gone for who in history[-1][1:])


def _is_bot(history: Sequence[Sequence[Any]], gone: Collection[int]) -> bool:
    last = history[-1][1]
    return last is None or last in gone


def _next_question(seating: Seating, number: int, given: Given, gone: Collection[int]) -> int:
    """The first question of a pair that not both have answered."""
    for question in range(MOST_QUESTIONS):
        sitting = [_sits(history, question) for history in seating["pairs"][number]]
        answered = [question in given.get(who or 0, {}) for who in sitting]
        asked = [
            done
            for who, done in zip(sitting, answered, strict=True)
            if who is not None and (done or who not in gone)
        ]
        if not asked or not all(asked):
            return question
    return MOST_QUESTIONS


def _sits(history: Sequence[Sequence[Any]], question: int) -> int | None:
    """Who sits in a seat at a question."""
    who: int | None = None
    for begins, person, *_ in history:
        if begins <= question:
            who = person
    return who


@dataclass(frozen=True, slots=True)
class PairPlay:
    """What a pair has played.

    Parameters
    ----------
    rounds : tuple of PairRound
        All, in order; the last one is open unless as many were asked as may be.
    seats : (int or None, int or None)
        Who sits there now; None for a bot.
    """

    rounds: tuple[PairRound, ...]
    seats: tuple[int | None, int | None]

    def games(self, game: PairGame) -> tuple[tuple[PairRound, ...], ...]:
        """The rounds by game; a game ends when the verifier is not content, or content enough."""
        made: list[list[PairRound]] = [[]]
        for each in self.rounds:
            if not each.complete:
                made[-1].append(each)
                break
            made[-1].append(each)
            if not holds(game, each) or len(made[-1]) == game.rounds:
                made.append([])
        return tuple(tuple(rounds) for rounds in made)


def holds(game: PairGame, played: PairRound) -> bool:
    """Is the verifier content with a round that both have answered?"""
    first, second = played.answers
    return first is not None and second is not None and game.holds(played.asked, (first, second))


def play_of(
    seating: Seating,
    number: int,
    given: Given,
    game: PairGame,
    *,
    wall: bool,
    gone: Collection[int] = (),
    bots: Collection[int] = (),
) -> PairPlay:
    """What a pair has played.

    Parameters
    ----------
    seating : mapping
    number : int
        Which pair.
    given : mapping
        What was answered, by person and question.
    game : PairGame
    wall : bool
        Are the two in two rooms?
    gone : collection of int
        People who have left; a bot answers what they did not.
    bots : collection of int
        Those among the people who are bots, and not to be counted as people.
    """
    pair = seating["pairs"][number]
    rounds: list[PairRound] = []
    seats: tuple[int | None, int | None] = (None, None)
    for question in range(MOST_QUESTIONS):
        drawn = sha256(f"question/{seating['seed']}/{number}/{question}".encode()).digest()
        asked = game.question(Random(int.from_bytes(drawn, "big")))
        answers: list[int | None] = []
        sitting: list[int | None] = []
        for seat, history in enumerate(pair):
            who = _sits(history, question)
            answer = None if who is None else given.get(who, {}).get(question)
            bot = who is None or (who in gone and answer is None)
            answers.append(game.bot(seat, asked, wall=wall) if bot else answer)
            sitting.append(None if bot else who)
        seats = (sitting[0], sitting[1])
        if seats == (None, None):
            break  # bots do not play against the wall
        by_people = all(who is not None and who not in bots for who in seats)
        by_bots = seats[0] is None, seats[1] is None
        rounds.append(PairRound(asked, (answers[0], answers[1]), by_people, by_bots))
        if not rounds[-1].complete:
            break
    return PairPlay(tuple(rounds), seats)


def sight_of(
    play: PairPlay, seat: int, game: PairGame, *, wall: bool, partner: str
) -> Sight | None:
    """What the person in a seat may know of it; None when no question is left."""
    *ended, now = play.games(game)
    if not now or now[-1].complete:
        return None
    open_round = now[-1]
    mine = tuple(
        (each.asked[seat], answer, each.bots[seat])
        for each in now[:-1]
        if (answer := each.answers[seat]) is not None
    )
    return Sight(
        partner=partner,
        bot=play.seats[1 - seat] is None,
        wall=wall,
        passed=mine,
        asked=open_round.asked[seat],
        other=None if wall else open_round.asked[1 - seat],
        answer=open_round.answers[seat],
        before=ended[-1] if ended else (),
    )
