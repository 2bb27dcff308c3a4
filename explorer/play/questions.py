"""Which question would have helped a verifier most, once an episode is over.

Scripted players choose some of what they say at random. All possible outcomes are enumerated with
their probabilities; nothing is sampled.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations, pairwise, repeat
from typing import Any, TypeVar

from explorer.play.seats import watched
from explorer.players import (
    LEVELS,
    Level,
    ScriptedExpert,
    ScriptedVerifier,
    Strategy,
    Topic,
    Way,
    code_of,
    fit,
    questions_meant,
    scripted_player,
    subject_of,
)
from nip_core.displays import displayed
from nip_core.play import Episode, Move, Moved, Node, Seated
from nip_core.tasks import Statement

T = TypeVar("T")
Key = tuple[str, ...]


@dataclass
class Draws:
    """One outcome of all random draws: given for the first ones, the first option for the rest."""

    given: tuple[int, ...] = ()  # the options taken at the first draws
    taken: list[tuple[int, tuple[Fraction, ...]]] = field(
        default_factory=list[tuple[int, tuple[Fraction, ...]]]
    )

    @property
    def chance(self) -> Fraction:
        """The probability of this outcome."""
        product = Fraction(1)
        for option, chances in self.taken:
            product *= chances[option]
        return product

    def draw(self, chances: tuple[Fraction, ...]) -> int:
        """Return the option that is drawn in this outcome."""
        place = len(self.taken)
        option = self.given[place] if place < len(self.given) else 0
        self.taken.append((option, chances))
        return option


def outcomes(play: Callable[[Draws], T]) -> Iterator[tuple[Fraction, T]]:
    """Play with every possible outcome of the draws; yield the probability and result of each."""
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
    """A player's level that repeats the draws made already and takes further ones from `draws`."""

    draws: Draws = field(default_factory=Draws)
    # The option drawn, by the subject of the draw; new draws are added. Players may share it, since
    # the subject of a draw names the player.
    before: dict[Key, int] = field(default_factory=dict[Key, int])

    def way(self, *about: str | int) -> Way:
        """Return how the player acts in one case: as before, or as drawn."""
        possible = self.ways
        return possible[self._drawn(tuple(map(self.chance, possible)), "way", *about)]

    def pick(self, choices: int, *about: str | int) -> int:
        """Return the number of the invented claim to use: as before, or as drawn."""
        return self._drawn((Fraction(1, choices),) * choices, "pick", *about)

    def _drawn(self, chances: tuple[Fraction, ...], *about: str | int) -> int:
        key = (self.name, *map(str, about))
        if key not in self.before:
            self.before[key] = self.draws.draw(chances)
        return self.before[key]


@dataclass(frozen=True)
class Noting(Level):
    """A level that records its draws, to be passed to :class:`Undecided` as `before`."""

    noted: dict[Key, int] = field(default_factory=dict[Key, int])

    def way(self, *about: str | int) -> Way:
        """Return how the player acts in one case."""
        drawn = super().way(*about)
        self.noted[self.name, "way", *map(str, about)] = self.ways.index(drawn)
        return drawn

    def pick(self, choices: int, *about: str | int) -> int:
        """Return the number of the invented claim to use."""
        drawn = super().pick(choices, *about)
        self.noted[self.name, "pick", *map(str, about)] = drawn
        return drawn


# The verifier whose belief is measured: it overlooks nothing.
YARDSTICK = Strategy(
    "thorough",
    "thorough verifier",
    "It runs every answer, and works out for each what would be right.",
    asks=99,
    runs=999,
    works_out=999,
)
# The least gain in percentage points of belief for which a question is suggested.
LEAST_GAIN = 10
# How many of the latest positions are tried, and how many questions at each. No game played by a
# person reaches this; it bounds the work for uploaded files.
MOST_POSITIONS, MOST_QUESTIONS = 4, 14


@displayed
@dataclass(frozen=True, slots=True)
class Asked:
    """The effect that a question would have had."""

    node: int  # the position at which it could have been asked
    round: int  # the round, from 0
    question: str
    before: int  # the yardstick's belief in the statement there, in percent
    after: Fraction  # its belief after the answers, on average
    shift: Fraction  # the change of its belief in points, up or down, on average
    gain: Fraction  # the change towards the truth, on average; negative if away from it
    differ: Fraction  # the probability that provers of one side would have contradicted each other


@displayed
@dataclass(frozen=True, slots=True)
class Answered:
    """A possible answer to a question."""

    chance: Fraction
    belief: int  # the yardstick's belief in the statement after the answer, in percent
    texts: tuple[str, ...]  # what the provers say, in the order of their seats


def best_question(found: Iterable[Asked], least: int = LEAST_GAIN) -> Asked | None:
    """Return the question that would have moved the yardstick most towards the truth.

    Of equal ones, return the earliest. Return None if none would have moved it by `least` points.
    """
    helpful = (each for each in found if each.gain >= least)
    return max(helpful, key=lambda each: (each.gain, each.differ), default=None)


def what_could_be_asked(episode: Episode, node: int | None = None) -> list[Asked]:
    """Return the effect of each question that was never asked, at each position that allowed it.

    A question that was asked in other words, earlier or later in the variation, counts as asked.

    Only the verifier's turns after it has heard something count, since a first argument alone moves
    a verifier that has heard nothing. If it decided before that, its first turn counts.

    The list is empty unless all provers are scripted, and while a variation is unfinished, since
    prepared arguments are not revealed before the end. Raise a PlayError while the episode goes on.
    """
    public = episode.finished()
    if not public.setup.is_about_a_statement:
        return []
    experts = _experts(public)
    asks = _at_hand(public)
    if experts is None or not asks:
        return []
    path = public.path(node)
    verifier = watched(public.rules)
    found: list[Asked] = []
    heard = False
    open_asks = _not_asked(public, path, asks)
    places: list[tuple[Node, Node]] = []
    unheard: list[tuple[Node, Node]] = []
    for here, following in pairwise(path):
        legal = public.legal(verifier, here.id)
        if legal.may_act and not legal.last_turn:
            (places if heard else unheard).append((here, following))
        heard = heard or any(prover in following.moves for prover in public.rules.provers)
    for here, following in places[-MOST_POSITIONS:] or unheard[:1]:
        game = _Game(public, here, following, experts)
        found += [game.asked(ask) for ask in open_asks]
    return found


def answers_of_liars(
    episode: Episode,
    node: int,
    levels: Iterable[Level],
    *,
    end: int | None = None,
    only: str | None = None,
) -> tuple[int, dict[str, list[Answered]]]:
    """Return the possible answers of liars to each question that was not asked, at one position.

    All provers have the same level. Before the game each level is equally likely; what the provers
    have said so far makes some levels likelier. With `end`, the variation that ends there counts
    instead of the present one; with `only`, this one question.

    The result is the yardstick's belief before, in percent, and all possible answers to each
    question.
    """
    public = episode.finished()
    experts = _experts(public)
    if experts is None:
        return 0, {}
    path = public.path(end)
    here, following = next(pair for pair in pairwise(path) if pair[0].id == node)
    game = _Game(public, here, following, experts)
    upto = path[: path.index(following)]
    asks = _not_asked(public, upto, _at_hand(public)) if only is None else [only]
    return game.before, {ask: game.answers(ask, tuple(levels)) for ask in asks}


def is_about(question: str, statement: Statement, call: str) -> bool:
    """Return whether a question asks for the result of a call, such as ``full_label('12')``."""
    topic = _topic(statement)
    return bool(questions_meant(question, topic) & questions_meant(f"{call}?", topic))


def _topic(statement: Statement) -> Topic:
    return Topic(code_of(statement), statement.solution, tuple(statement.asks))


def _not_asked(public: Episode, path: Iterable[Node], asks: list[str]) -> list[str]:
    """Return the available questions that the verifier has not asked in any wording."""
    topic, verifier = _topic(public.task.statement), watched(public.rules)
    texts = {
        text
        for position in path
        if verifier in position.moves
        for text in position.moves[verifier].messages.values()
    }
    done = frozenset[str]().union(*(questions_meant(text, topic) for text in texts))
    freely = [_parts(text) for text in texts.difference(asks)]

    def is_asked(ask: str) -> bool:
        means = questions_meant(ask, topic)
        inputs = [_parts(each) for each in means if each.startswith(CALL)]
        return bool(means & done) or ask in texts or any(map(_names_one, freely, repeat(inputs)))

    return [ask for ask in asks if not is_asked(ask)]


CALL = "call: "
# The words and numbers of a text, since "(9, 7, 4)" and "[9, 7, 4]" are the same input.
PART = re.compile(r"-?\d+(?:\.\d+)?|\w+")


def _parts(text: str) -> list[str]:
    return PART.findall(text.removeprefix(CALL))


def _names_one(parts: list[str], inputs: list[list[str]]) -> bool:
    """Return whether a text names an input, with brackets and quotation marks or without."""
    return any(
        given and given == [part for part in parts if part in given or part[-1].isdigit()]
        for given in inputs
    )


def _experts(public: Episode) -> Mapping[str, ScriptedExpert] | None:
    """Return the scripted provers; None if there are none, or a prover was not scripted."""
    made: dict[str, ScriptedExpert] = {}
    sat = [event for event in public.events if isinstance(event, Seated)]
    for prover in public.rules.provers:
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
    subject = subject_of(public.task.statement)
    inputs = [*subject.questions(unusual=True), *subject.questions(unusual=False)]
    return list(dict.fromkeys([*public.task.statement.asks, *inputs]))[:MOST_QUESTIONS]


class _Game:
    """An episode at a position where its verifier could have asked another question."""

    def __init__(
        self, public: Episode, here: Node, following: Node, experts: Mapping[str, ScriptedExpert]
    ) -> None:
        self.provers, self.here, self.experts = public.rules.provers, here, experts
        self.verifier = watched(public.rules)
        # Moves of the same round were made before their authors could read the question.
        self.beside = [m for agent, m in following.moves.items() if agent != self.verifier]
        self.scratch = _replayed(public, here)
        self.start = self.scratch.node.id
        self.drawn = {key: drawn for agent in experts for key, drawn in self._drawn(agent).items()}
        self.yardstick = ScriptedVerifier(YARDSTICK)
        self.before = self._belief()

    def asked(self, question: str) -> Asked:
        """Return the effect that a question would have had."""
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
        """Return the possible answers of provers of these levels, the likeliest first."""
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
        """Return the probability that provers of a level act as these did so far."""
        product = Fraction(1)
        for (name, what, *_), drawn in self.drawn.items():
            if what == "way":
                product *= level.chance(LEVELS[name].ways[drawn])
        return product

    def _answers(self, question: str, draws: Draws, level: Level) -> tuple[int, tuple[str, ...]]:
        before = {(level.name, *key[1:]): drawn for key, drawn in self.drawn.items()}
        undecided = Undecided(*_plain(level), draws=draws, before=before)
        players = {name: _with_level(each, undecided) for name, each in self.experts.items()}
        belief, _ = self._ask_players(question, players)
        said = {
            agent: text
            for position in self.scratch.path()
            for agent, move in position.moves.items()
            if agent in self.experts and position.round > self.here.round
            for text in move.messages.values()
        }
        return belief, tuple(said[agent] for agent in self.provers)

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
        """Return the yardstick's belief in the statement, in percent."""
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
            agent: _with_level(expert, Undecided(*_plain(expert.level), draws=draws, before=before))
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


def _plain(level: Level) -> tuple[str, str, Fraction, Fraction, Fraction, int]:
    return level.name, level.about, level.slip, level.invent, level.concede, level.aside


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
