"""Pairs of people as the two provers of a lesson."""

from __future__ import annotations

import copy
import secrets
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from random import Random
from typing import Any

from explorer.lessons import PairGame, PairPosition, PairRound

MOST_QUESTIONS = 60  # of a pair in a round

Given = Mapping[int, Mapping[int, int]]
"""What each person has answered, by question."""
Seating = Mapping[str, Any]


def seated(people: Iterable[int], *, seed: str | None = None) -> dict[str, Any]:
    """Draw pairs at random; a person who is left over gets a bot.

    The seed, by default a fresh one, determines the pairs and their questions.
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
    """Return the pair and the seat, 0 or 1, of a person, even if a bot plays for them."""
    for number, pair in enumerate(seating["pairs"]):
        for seat, history in enumerate(pair):
            if person in history[-1][1:]:
                return number, seat
    return None


def sitters(seating: Seating, number: int) -> set[int]:
    """Return everybody who sits or has sat in a pair."""
    pair = seating["pairs"][number]
    return {who for history in pair for _, *people in history for who in people if who is not None}


def joined(
    seating: Seating, person: int, answers: Given, gone: Collection[int] = ()
) -> dict[str, object]:
    """Seat a latecomer in a bot's place, or in a new pair with a bot."""
    if seat_of(seating, person) is not None:
        return dict(seating)
    changed = copy.deepcopy(dict(seating))
    for number, pair in enumerate(changed["pairs"]):
        for seat, history in enumerate(pair):
            if _is_free(history, gone) and not _is_bot(pair[1 - seat], gone):
                history.append([_next_question(changed, number, answers, gone), person])
                return changed
    changed["pairs"].append([[[0, person]], [[0, None]]])
    return changed


def taken_over(
    seating: Seating, person: int, answers: Given, gone: Collection[int] = (), *, by_bot: bool
) -> dict[str, object]:
    """Let a bot play for an absent person from the open question on, or the person again."""
    by = None if by_bot else person
    place = seat_of(seating, person)
    if place is None:
        return dict(seating)
    number, seat = place
    changed = copy.deepcopy(dict(seating))
    history = changed["pairs"][number][seat]
    if history[-1][1] == by:
        return changed
    question = _next_question(changed, number, answers, gone)
    # If several changes affect the same question, the last one counts.
    now = [question, by] if by is not None else [question, None, person]
    history[:] = [*(entry for entry in history if entry[0] < question), now]
    return changed


def _is_free(history: Sequence[Sequence[Any]], gone: Collection[int]) -> bool:
    """Return whether a bot has the seat and no present person has a claim to it."""
    return all(who is None or who in gone for who in history[-1][1:])


def _is_bot(history: Sequence[Sequence[Any]], gone: Collection[int]) -> bool:
    last = history[-1][1]
    return last is None or last in gone


def _next_question(seating: Seating, number: int, answers: Given, gone: Collection[int]) -> int:
    """Return the first question that the pair has not both answered."""
    for question in range(MOST_QUESTIONS):
        partners = [_sits(history, question) for history in seating["pairs"][number]]
        answered = [question in answers.get(who or 0, {}) for who in partners]
        open_for = [
            done
            for who, done in zip(partners, answered, strict=True)
            if who is not None and (done or who not in gone)
        ]
        if not open_for or not all(open_for):
            return question
    return MOST_QUESTIONS


def _sits(history: Sequence[Sequence[Any]], question: int) -> int | None:
    """Return who sits in a seat at a question."""
    who: int | None = None
    for begins, person, *_ in history:
        if begins <= question:
            who = person
    return who


@dataclass(frozen=True, slots=True)
class PairPlay:
    """What a pair has played."""

    # All rounds in order; the last one is open unless the limit of questions is reached.
    rounds: tuple[PairRound, ...]
    seats: tuple[int | None, int | None]  # who sits there now; None for a bot

    def games(self, game: PairGame) -> tuple[tuple[PairRound, ...], ...]:
        """Return the rounds by game; a game ends when a round fails, or after the last round."""
        made: list[list[PairRound]] = [[]]
        for pair_round in self.rounds:
            if not pair_round.complete:
                made[-1].append(pair_round)
                break
            made[-1].append(pair_round)
            if not holds(game, pair_round) or len(made[-1]) == game.rounds:
                made.append([])
        return tuple(tuple(rounds) for rounds in made)


def holds(game: PairGame, played: PairRound) -> bool:
    """Return whether both have answered a round and the verifier accepts the answers."""
    first, second = played.answers
    return first is not None and second is not None and game.holds(played.asked, (first, second))


def play_of(
    seating: Seating,
    number: int,
    answered: Given,
    game: PairGame,
    *,
    wall: bool,
    gone: Collection[int] = (),
    bots: Collection[int] = (),
) -> PairPlay:
    """Return what the pair with this number has played, by its members' answers.

    A wall separates the two. For people who are gone a bot answers; `bots` are not counted.
    """
    pair = seating["pairs"][number]
    rounds: list[PairRound] = []
    seats: tuple[int | None, int | None] = (None, None)
    for question in range(MOST_QUESTIONS):
        drawn = sha256(f"question/{seating['seed']}/{number}/{question}".encode()).digest()
        words = game.question(Random(int.from_bytes(drawn, "big")))
        answers: list[int | None] = []
        partners: list[int | None] = []
        for seat, history in enumerate(pair):
            who = _sits(history, question)
            answer = None if who is None else answered.get(who, {}).get(question)
            bot = who is None or (who in gone and answer is None)
            answers.append(game.bot(seat, words, wall=wall) if bot else answer)
            partners.append(None if bot else who)
        seats = (partners[0], partners[1])
        if seats == (None, None):
            break  # bots do not play behind the wall
        by_people = all(who is not None and who not in bots for who in seats)
        by_bots = seats[0] is None, seats[1] is None
        rounds.append(PairRound(words, (answers[0], answers[1]), by_people, by_bots))
        if not rounds[-1].complete:
            break
    return PairPlay(tuple(rounds), seats)


def sight_of(
    play: PairPlay, seat: int, game: PairGame, *, wall: bool, partner: str
) -> PairPosition | None:
    """Return what the person in a seat may know; None when no question is left."""
    *ended, now = play.games(game)
    if not now or now[-1].complete:
        return None
    open_round = now[-1]
    mine = tuple(
        (pair_round.asked[seat], answer, pair_round.bots[seat])
        for pair_round in now[:-1]
        if (answer := pair_round.answers[seat]) is not None
    )
    return PairPosition(
        partner=partner,
        bot=play.seats[1 - seat] is None,
        wall=wall,
        passed=mine,
        asked=open_round.asked[seat],
        other=None if wall else open_round.asked[1 - seat],
        answer=open_round.answers[seat],
        before=ended[-1] if ended else (),
    )
