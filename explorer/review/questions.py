"""The question that would have moved a tester most, of those that were at hand.

After the end, what scripted provers would have answered can be worked out. Where they must lie,
they draw whether they keep to the plan, make something up, slip or evade: every way is gone
through, with its chance. So a question is worth what it moves the belief of a verifier who runs the
program, on the average over all that could have been answered, and not what chance made of it once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, pairwise
from typing import Any

from explorer.players.scripted import (
    ScriptedExpert,
    ScriptedVerifier,
    questions_in,
    scripted_player,
    subject_of,
)
from explorer.players.wording import fit
from explorer.review.draws import Draws, Noting, Undecided, outcomes
from nip_core.displays import displayed
from nip_core.play import Episode, Move, Moved, Node, Seated

__all__ = ["Asked", "best_question", "what_could_be_asked"]

# The verifier whose belief is looked at: it checks what it is told, and overlooks nothing.
YARDSTICK = ScriptedVerifier("tester", "hard")
# Positions that are looked at, the latest ones, and questions at each: enough for any game that
# somebody has played, and bounded for files of others.
MOST_POSITIONS, MOST_QUESTIONS = 4, 14


@displayed
@dataclass(frozen=True, slots=True)
class Asked:
    """What would have come of a question.

    Parameters
    ----------
    node : int
        The position at which it could have been asked.
    round : int
        The round, from 0.
    question : str
    before : int
        How likely the tester thought the statement there, in percent.
    after : Fraction
        How likely it would have thought it on the average, once it had the answers.
    shift : Fraction
        By how many points its belief would have moved on the average, up or down.
    gain : Fraction
        By how many of them towards the truth on the average; negative if away from it.
    differ : Fraction
        How often provers of one side would have contradicted each other.
    """

    node: int
    round: int
    question: str
    before: int
    after: Fraction
    shift: Fraction
    gain: Fraction
    differ: Fraction


def best_question(found: Iterable[Asked]) -> Asked | None:
    """The question that would have moved the tester most towards the truth.

    The earliest of equals; None if none would have.
    """
    helpful = (each for each in found if each.gain > 0)
    return max(helpful, key=lambda each: (each.gain, each.differ), default=None)


def what_could_be_asked(episode: Episode, node: int | None = None) -> list[Asked]:
    """What would have come of each question that was not asked, wherever it could have been.

    Looked at are the verifier's turns after it had heard something, or, if it has decided before
    that, its first: the first argument alone moves whoever has heard nothing.

    Empty unless all provers are scripted, and while a line of the episode is open: what was
    prepared is not told before.

    Raises
    ------
    PlayError
        While the episode goes on.
    """
    told = episode.finished()
    experts = _experts(told)
    asks = _at_hand(told)
    if experts is None or not asks:
        return []
    path = told.path(node)
    verifier = told.spec.verifier
    found: list[Asked] = []
    said, heard = "", False
    places: list[tuple[Node, Node, list[str]]] = []
    unheard: list[tuple[Node, Node, list[str]]] = []
    for here, following in pairwise(path):
        legal = told.setup.rounds[here.round].legal.get(verifier)
        if legal is not None and not legal.last_turn:
            done = set(questions_in(said, asks))
            place = (here, following, [ask for ask in asks if ask not in done])
            (places if heard else unheard).append(place)
        heard = heard or any(prover in following.moves for prover in told.spec.provers)
        if verifier in following.moves:
            said += "\n".join(["", *following.moves[verifier].messages.values()])
    for here, following, open_asks in places[-MOST_POSITIONS:] or unheard[:1]:
        game = _Game(told, here, following, experts)
        found += [game.asked(ask) for ask in open_asks]
    return found


def _experts(told: Episode) -> Mapping[str, ScriptedExpert] | None:
    """The scripted provers; None if somebody else sat there, or they speak to nobody."""
    made: dict[str, ScriptedExpert] = {}
    sat = [event for event in told.events if isinstance(event, Seated)]
    for prover in told.spec.provers:
        records = [event.player for event in sat if event.agent == prover]
        if not records or any(each.get("kind") != ScriptedExpert.kind for each in records):
            return None
        player = scripted_player(told.setup, prover, records[-1])
        assert isinstance(player, ScriptedExpert)
        made[prover] = player
    return made or None


def _at_hand(told: Episode) -> list[str]:
    """What was prepared to be asked, and what comes out for the inputs that come with the task."""
    if not told.task.questions:
        return []
    inputs = subject_of(told.task.statement).first_questions("inputs", unusual=False)
    return list(dict.fromkeys([*told.task.statement.asks, *inputs]))[:MOST_QUESTIONS]


class _Game:
    """An episode at a point at which its verifier could have asked something else."""

    def __init__(
        self, told: Episode, here: Node, following: Node, experts: Mapping[str, ScriptedExpert]
    ) -> None:
        self.spec, self.here, self.experts = told.spec, here, experts
        self.verifier = told.spec.verifier
        # What others said in that round they said without having read the question.
        self.beside = [m for agent, m in following.moves.items() if agent != self.verifier]
        self.scratch = _replayed(told, here)
        self.start = self.scratch.node.id
        self.drawn = {key: drawn for agent in experts for key, drawn in self._drawn(agent).items()}
        self.before = self._belief()

    def asked(self, question: str) -> Asked:
        """What would have come of a question."""
        after = shift = differ = Fraction(0)
        for chance, (belief, contradicted) in outcomes(lambda draws: self._ask(question, draws)):
            after += chance * belief
            shift += chance * abs(belief - self.before)
            differ += chance * contradicted
        towards = 1 if self.scratch.task.y else -1
        gain = towards * (after - self.before)
        return Asked(
            self.here.id, self.here.round, question, self.before, after, shift, gain, differ
        )

    def _ask(self, question: str, draws: Draws) -> tuple[int, bool]:
        """Ask, and hear the answers; the belief then, and whether fellows contradict each other."""
        game, players = self.scratch, self._players(draws)
        game.goto(self.start)
        self._question(question)
        for move in self.beside:
            game.play(move)
        claims: list[tuple[str, str, str]] = []
        heard = False
        while not game.over and not (heard and self.verifier in game.to_move):
            for agent in game.to_move:
                if agent == self.verifier:
                    self._question(question)
                    continue
                acted = players[agent].turn(game.view_for(agent))
                claims += _claims(agent, acted.origin)
                heard = True
                game.play(acted.move)
        return self._belief(), self._contradict(claims)

    def _question(self, question: str) -> None:
        channels = self.scratch.legal(self.verifier).channels
        text = fit(question, self.scratch.setup.max_response_words)
        self.scratch.play(Move(self.verifier, dict.fromkeys(channels, text)))

    def _belief(self) -> int:
        """How likely the tester thinks the statement, in percent."""
        view = self.scratch.view_for(self.verifier)
        return YARDSTICK.turn(view).move.confidence or 0

    def _contradict(self, claims: list[tuple[str, str, str]]) -> bool:
        side = self.scratch.setup.stance
        return any(
            one != other and side(one) == side(other) and about == same and says != denies
            for (one, about, says), (other, same, denies) in combinations(claims, 2)
        )

    def _players(self, draws: Draws) -> dict[str, ScriptedExpert]:
        before = dict(self.drawn)
        return {
            agent: ScriptedExpert(
                expert.script,
                Undecided.of(expert.level, draws, before),
                expert.seed,
                story=expert.story,
            )
            for agent, expert in self.experts.items()
        }

    def _drawn(self, agent: str) -> dict[tuple[str, ...], int]:
        """What a prover has drawn so far: to the same question it answers the same."""
        expert = self.experts[agent]
        noting = Noting(expert.level.name, expert.level.about, expert.level.ways)
        player = ScriptedExpert(expert.script, noting, expert.seed, story=expert.story)
        for position in self.scratch.path()[1:]:
            if agent in position.moves and position.parent is not None:
                view = self.scratch.view_for(agent, position.parent)
                player.turn(view)
        return noting.noted


def _replayed(told: Episode, here: Node) -> Episode:
    """A game of its own that stands where an episode stood."""
    game = Episode.from_setup(told.setup)
    for position in told.path(here.id)[1:]:
        for move in position.moves.values():
            game.apply(Moved(move=move))
    return game


def _claims(agent: str, origin: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    for part in origin["said"]:
        if part.get("claimed"):
            yield agent, part["about"], part["claimed"]
