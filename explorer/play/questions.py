"""Which question would have helped a verifier most, once an episode is over.

Scripted players draw some of what they say. All that may come out is worked out, each with its
chance: nothing is sampled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations, pairwise
from typing import Any, TypeVar

from explorer.players import (
    LEVELS,
    Level,
    ScriptedExpert,
    ScriptedVerifier,
    Way,
    fit,
    questions_meant,
    scripted_player,
    subject_of,
)
from explorer.programs import program_of
from nip_core.displays import displayed
from nip_core.play import Episode, Move, Moved, Node, Seated
from nip_core.tasks import Graph, Statement

__all__ = [
    "LEAST_GAIN",
    "Answered",
    "Asked",
    "Draws",
    "Noting",
    "Undecided",
    "answers_of_liars",
    "best_question",
    "outcomes",
    "what_could_be_asked",
    "yardstick",
]

T = TypeVar("T")
Key = tuple[str, ...]


@dataclass
class Draws:
    """One way in which all draws may come out: some given, the first possible one for the rest.

    Parameters
    ----------
    given : tuple of int
        The options taken at the first draws.
    """

    given: tuple[int, ...] = ()
    taken: list[tuple[int, tuple[Fraction, ...]]] = field(
        default_factory=list[tuple[int, tuple[Fraction, ...]]]
    )

    @property
    def chance(self) -> Fraction:
        """How likely this way is."""
        product = Fraction(1)
        for option, chances in self.taken:
            product *= chances[option]
        return product

    def draw(self, chances: tuple[Fraction, ...]) -> int:
        """Return the option that comes out."""
        place = len(self.taken)
        option = self.given[place] if place < len(self.given) else 0
        self.taken.append((option, chances))
        return option


def outcomes(play: Callable[[Draws], T]) -> Iterator[tuple[Fraction, T]]:
    """Play in every way in which the draws can come out; yield each chance and result."""
    waiting: list[tuple[int, ...]] = [()]
    while waiting:
        draws = Draws(waiting.pop())
        result = play(draws)
        yield draws.chance, result
        options = tuple(option for option, _ in draws.taken)
        for place in range(len(draws.given), len(options)):
            for other in range(1, len(draws.taken[place][1])):
                waiting.append((*options[:place], other))


@dataclass(frozen=True)
class Undecided(Level):
    """A level whose draws are still open, but for those that a player has made before.

    Parameters
    ----------
    draws : Draws
    before : dict of tuple to int
        What came out, by what the draw was about; what is drawn is added. Players share it: what
        each draws about holds whose story it is.
    """

    draws: Draws = field(default_factory=Draws)
    before: dict[Key, int] = field(default_factory=dict[Key, int])

    def way(self, *about: str | int) -> Way:
        """Return what is done in one case: as before, or as drawn."""
        possible = tuple(dict.fromkeys(self.ways))
        return possible[self._drawn(tuple(map(self.chance, possible)), "way", *about)]

    def pick(self, choices: int, *about: str | int) -> int:
        """Return which invention is used: as before, or as drawn."""
        return self._drawn((Fraction(1, choices),) * choices, "pick", *about)

    def _drawn(self, chances: tuple[Fraction, ...], *about: str | int) -> int:
        key = (self.name, *map(str, about))
        if key not in self.before:
            self.before[key] = self.draws.draw(chances)
        return self.before[key]


@dataclass(frozen=True)
class Noting(Level):
    """A level that notes its draws, for the `before` of :class:`Undecided`."""

    noted: dict[Key, int] = field(default_factory=dict[Key, int])

    def way(self, *about: str | int) -> Way:
        """Return what is done in one case."""
        drawn = super().way(*about)
        self.noted[self.name, "way", *map(str, about)] = [*dict.fromkeys(self.ways)].index(drawn)
        return drawn

    def pick(self, choices: int, *about: str | int) -> int:
        """Return which invention is used."""
        drawn = super().pick(choices, *about)
        self.noted[self.name, "pick", *map(str, about)] = drawn
        return drawn


# The level of the verifier whose belief counts: at it, a verifier overlooks nothing.
YARDSTICK_LEVEL = "hard"
# The fewest points of belief by which a question is worth suggesting.
LEAST_GAIN = 10
# How many of the latest positions are tried, and how many questions at each: enough for any game
# that a person has played, and bounded for files of others.
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
        How likely the yardstick thought the statement there, in percent.
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


@displayed
@dataclass(frozen=True, slots=True)
class Answered:
    """One way in which a question may be answered.

    Parameters
    ----------
    chance : Fraction
    belief : int
        How likely the yardstick thinks the statement after it, in percent.
    texts : tuple of str
        What the provers say, in the order of their seats.
    """

    chance: Fraction
    belief: int
    texts: tuple[str, ...]


def yardstick(statement: Statement, provers: int) -> str:
    """Return the name of the scripted verifier that is best at a kind of task.

    Where claims can be checked (bundled programs, graphs) that is the tester, as
    ``explorer/studies/strengths.json`` says. Elsewhere it knows nothing, and answers can be
    compared if there are several provers.
    """
    match statement.payload:
        case (Graph(), Graph()):
            return "tester"
        case _ if program_of(statement) is not None:
            return "tester"
        case _:
            return "comparer" if provers > 1 else "careful"


def best_question(found: Iterable[Asked]) -> Asked | None:
    """Return the question that would have moved the yardstick most towards the truth.

    The earliest of equals; None if none would have moved it by :data:`LEAST_GAIN` points.
    """
    helpful = (each for each in found if each.gain >= LEAST_GAIN)
    return max(helpful, key=lambda each: (each.gain, each.differ), default=None)


def what_could_be_asked(episode: Episode, node: int | None = None) -> list[Asked]:
    """What would have come of each question that was never asked, wherever it could have been.

    A question that was asked in other words, earlier or later on the line, was asked.

    This goes through the verifier's turns after it had heard something, or, if it decided before
    that, its first: a first argument alone moves a verifier that has heard nothing.

    Empty unless all provers are scripted, and while a line of the episode is open: what was
    prepared is not revealed before. A PlayError while the episode goes on.
    """
    public = episode.finished()
    experts = _experts(public)
    asks = _at_hand(public)
    if experts is None or not asks:
        return []
    path = public.path(node)
    verifier = public.spec.verifier
    found: list[Asked] = []
    heard = False
    open_asks = _not_asked(public, path, asks)
    places: list[tuple[Node, Node]] = []
    unheard: list[tuple[Node, Node]] = []
    for here, following in pairwise(path):
        legal = public.setup.rounds[here.round].legal.get(verifier)
        if legal is not None and not legal.last_turn:
            (places if heard else unheard).append((here, following))
        heard = heard or any(prover in following.moves for prover in public.spec.provers)
    for here, following in places[-MOST_POSITIONS:] or unheard[:1]:
        game = _Game(public, here, following, experts)
        found += [game.asked(ask) for ask in open_asks]
    return found


def answers_of_liars(
    episode: Episode, node: int, levels: Iterable[Level]
) -> tuple[int, dict[str, list[Answered]]]:
    """What liars of some levels may answer to each question never asked, at one position.

    All provers are of one level, each level as likely as any other before the game. What they have
    said so far makes some levels likelier than others.

    Returns
    -------
    tuple
        The belief of the yardstick before, in percent; and for each question all that may be
        answered.
    """
    public = episode.finished()
    experts = _experts(public)
    if experts is None:
        return 0, {}
    path = public.path()
    here, following = next(pair for pair in pairwise(path) if pair[0].id == node)
    game = _Game(public, here, following, experts)
    upto = path[: path.index(following)]
    asks = _not_asked(public, upto, _at_hand(public))
    return game.before, {ask: game.answers(ask, tuple(levels)) for ask in asks}


def _not_asked(public: Episode, path: Iterable[Node], asks: list[str]) -> list[str]:
    """Return the questions at hand that the verifier has asked in no words."""
    statement = public.task.statement
    known = statement.asks, program_of(statement), statement.solution
    verifier = public.spec.verifier
    texts = {
        text
        for position in path
        if verifier in position.moves
        for text in position.moves[verifier].messages.values()
    }
    done = frozenset[str]().union(*(questions_meant(text, *known) for text in texts))
    return [ask for ask in asks if not (questions_meant(ask, *known) & done or ask in texts)]


def _experts(public: Episode) -> Mapping[str, ScriptedExpert] | None:
    """Return the scripted provers; None if there are none, or a prover was not scripted."""
    made: dict[str, ScriptedExpert] = {}
    sat = [event for event in public.events if isinstance(event, Seated)]
    for prover in public.spec.provers:
        records = [event.player for event in sat if event.agent == prover]
        if not records or any(each.get("kind") != ScriptedExpert.kind for each in records):
            return None
        player = scripted_player(public.setup, prover, records[-1])
        assert isinstance(player, ScriptedExpert)
        made[prover] = player
    return made or None


def _at_hand(public: Episode) -> list[str]:
    """Return the task's prepared questions, and those about the results of its inputs."""
    if not public.task.questions:
        return []
    inputs = subject_of(public.task.statement).first_questions("inputs", unusual=False)
    return list(dict.fromkeys([*public.task.statement.asks, *inputs]))[:MOST_QUESTIONS]


class _Game:
    """An episode at a point at which its verifier could have asked something else."""

    def __init__(
        self, public: Episode, here: Node, following: Node, experts: Mapping[str, ScriptedExpert]
    ) -> None:
        self.spec, self.here, self.experts = public.spec, here, experts
        self.verifier = public.spec.verifier
        # Moves of the same round were made without having read the question.
        self.beside = [m for agent, m in following.moves.items() if agent != self.verifier]
        self.scratch = _replayed(public, here)
        self.start = self.scratch.node.id
        self.drawn = {key: drawn for agent in experts for key, drawn in self._drawn(agent).items()}
        name = yardstick(public.task.statement, len(public.spec.provers))
        self.yardstick = ScriptedVerifier(name, YARDSTICK_LEVEL)
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

    def answers(self, question: str, levels: tuple[Level, ...]) -> list[Answered]:
        """What provers of one of some levels may answer, the likeliest first."""
        weights = [self._weight(level) for level in levels]
        found: dict[tuple[int, tuple[str, ...]], Fraction] = {}
        for level, weight in zip(levels, weights, strict=True):
            if not weight:
                continue
            for chance, answer in outcomes(
                lambda d, level=level: self._answers(question, d, level)
            ):
                share = chance * weight / sum(weights)
                found[answer] = found.get(answer, Fraction(0)) + share
        made = [Answered(chance, *answer) for answer, chance in found.items()]
        return sorted(made, key=lambda each: (-each.chance, each.texts))

    def _weight(self, level: Level) -> Fraction:
        """How likely provers of a level are to have done what these did so far."""
        product = Fraction(1)
        for (name, what, *_), drawn in self.drawn.items():
            if what == "way":
                ways = tuple(dict.fromkeys(LEVELS[name].ways))
                product *= level.chance(ways[drawn])
        return product

    def _answers(self, question: str, draws: Draws, level: Level) -> tuple[int, tuple[str, ...]]:
        before = {(level.name, *key[1:]): drawn for key, drawn in self.drawn.items()}
        undecided = Undecided(*_plain(level), draws, before)
        players = {name: _with_level(each, undecided) for name, each in self.experts.items()}
        belief, _ = self._ask_players(question, players)
        said = {
            agent: text
            for position in self.scratch.path()
            for agent, move in position.moves.items()
            if agent in self.experts and position.round > self.here.round
            for text in move.messages.values()
        }
        return belief, tuple(said[agent] for agent in self.spec.provers)

    def _ask(self, question: str, draws: Draws) -> tuple[int, bool]:
        return self._ask_players(question, self._players(draws))

    def _ask_players(
        self, question: str, players: Mapping[str, ScriptedExpert]
    ) -> tuple[int, bool]:
        """Ask, and return the belief after the answers, and whether they contradict each other."""
        game = self.scratch
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
        """How likely the yardstick thinks the statement, in percent."""
        view = self.scratch.view_for(self.verifier)
        return self.yardstick.turn(view).move.confidence or 0

    def _contradict(self, claims: list[tuple[str, str, str]]) -> bool:
        side = self.scratch.setup.stance
        return any(
            one != other and side(one) == side(other) and about == same and says != denies
            for (one, about, says), (other, same, denies) in combinations(claims, 2)
        )

    def _players(self, draws: Draws) -> dict[str, ScriptedExpert]:
        before = dict(self.drawn)
        return {
            agent: _with_level(expert, Undecided(*_plain(expert.level), draws, before))
            for agent, expert in self.experts.items()
        }

    def _drawn(self, agent: str) -> dict[tuple[str, ...], int]:
        """Return what a prover has drawn so far; the same question gets the same answer."""
        expert = self.experts[agent]
        noting = Noting(*_plain(expert.level))
        player = _with_level(expert, noting)
        for position in self.scratch.path()[1:]:
            if agent in position.moves and position.parent is not None:
                view = self.scratch.view_for(agent, position.parent)
                player.turn(view)
        return noting.noted


def _plain(level: Level) -> tuple[str, str, tuple[Way, ...]]:
    return level.name, level.about, level.ways


def _with_level(expert: ScriptedExpert, level: Level) -> ScriptedExpert:
    return ScriptedExpert(expert.script, level, expert.seed, story=expert.story)


def _replayed(public: Episode, here: Node) -> Episode:
    """Return a copy of an episode up to a position."""
    game = Episode.from_setup(public.setup)
    for position in public.path(here.id)[1:]:
        for move in position.moves.values():
            game.apply(Moved(move=move))
    return game


def _claims(agent: str, origin: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    for part in origin["said"]:
        if part.get("claimed"):
            yield agent, part["about"], part["claimed"]
