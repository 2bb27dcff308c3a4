"""One episode: a tree of lines that grows by moves, and who may see what of it."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from nip_core.errors import IllegalMoveError, PlayError, UnknownNameError
from nip_core.play.events import Commented, Event, Moved, Seated, Went, Withdrew
from nip_core.play.moves import MAX_CONFIDENCE, Legal, Move, verify_move
from nip_core.play.outcomes import counted_decision, rewards_by_agent, step
from nip_core.play.seeing import confidence_course, informed_seats, make_view, seen_round
from nip_core.play.setup import Protocol, Setup
from nip_core.play.untold import untold
from nip_core.play.view import View
from nip_core.spec import ProtocolSpec
from nip_core.tasks import Task
from nip_core.text.chat import SeenRound

__all__ = ["MAX_EVENTS", "MAX_POSITIONS", "Branch", "Episode", "Node", "Result"]

# More than anybody plays, and few enough that a stranger's file cannot keep a machine busy.
# Silent rounds pass by themselves, so that one event can make many positions.
MAX_EVENTS = 20_000
MAX_POSITIONS = 20_000


@dataclass(frozen=True, slots=True)
class Node:
    """A position: what stands after a round, once all its moves are revealed.

    Parameters
    ----------
    id : int
        Counted from 0, the beginning.
    parent : int, optional
    round : int
        How many rounds have been played.
    moves : mapping of str to Move
        The moves of the latest of them, by agent.
    done, terminated : bool
        Has a decision ended the episode? Have the rounds run out?
    rewards : tuple of float
        What the latest round paid, by agent.
    tainted : frozenset of str
        The seats that knew, when this round was played, what had come out on another line.
    """

    id: int
    parent: int | None
    round: int
    moves: Mapping[str, Move] = field(default_factory=dict[str, Move])
    done: bool = False
    terminated: bool = False
    rewards: tuple[float, ...] = ()
    tainted: frozenset[str] = frozenset()

    @property
    def over(self) -> bool:
        """Has the episode ended here?"""
        return self.done or self.terminated


@dataclass(frozen=True, slots=True)
class Branch:
    """A position of the tree as one seat may see it."""

    id: int
    parent: int | None
    round: int
    over: bool
    seen: SeenRound


@dataclass(frozen=True, slots=True)
class Result:
    """How a line has gone so far.

    Parameters
    ----------
    decision : {0, 1}, optional
        The verdict that counted.
    done, terminated : bool
    right : bool, optional
        Is the verdict the truth? None without a verdict.
    rewards : mapping of str to tuple of float
        By agent, then by round.
    totals : mapping of str to float
    confidence : mapping of str to tuple of (round, value)
        What each verifier noted, in percent.
    brier : mapping of str to float
        The mean of (confidence / 100 - y)^2 over those notes: 0 is best, 0.25 is what knowing
        nothing costs.
    tainted : frozenset of str
    """

    decision: int | None
    done: bool
    terminated: bool
    right: bool | None
    rewards: Mapping[str, tuple[float, ...]]
    totals: Mapping[str, float]
    confidence: Mapping[str, tuple[tuple[int, int], ...]]
    brier: Mapping[str, float]
    tainted: frozenset[str]


class Episode:
    """One play of a protocol on one task.

    Parameters
    ----------
    protocol : ProtocolSpec, ProtocolHandler or HyperParameters
    task : Task
    seed : int
        Picks the schedule where chance does, and draws the provers' side where it is drawn.
    stances : mapping of str to {0, 1}, optional
        The verdicts that provers argue for, where they are not the protocol's.
    **options
        ``informed_provers`` and ``max_response_words`` of :class:`~nip_core.play.Setup`.
    """

    def __init__(
        self,
        protocol: Protocol,
        task: Task,
        seed: int = 0,
        stances: Mapping[str, int] | None = None,
        **options: Any,
    ) -> None:
        self._begin(Setup.of(protocol, task, seed, stances, **options))

    @classmethod
    def from_setup(cls, setup: Setup, events: Iterable[Event] = ()) -> Episode:
        """Build an episode from its setup and what has happened, which is checked again."""
        episode = cls.__new__(cls)
        episode._begin(setup)
        for event in events:
            episode.apply(event)
        return episode

    def _begin(self, setup: Setup) -> None:
        self.setup = setup
        self._events: list[Event] = []
        self._nodes: list[Node] = [Node(0, None, 0)]
        # Counted for taint, which is asked for with every round: how many positions have shown a
        # seat something, of all and of those on the way to each.
        self._shown: Counter[str] = Counter()
        self._shown_on_path: list[Mapping[str, int]] = [{}]
        # Where play goes on behind each position from which nobody can.
        self._behind: dict[int, int] = {}
        # The numbers of the events that each position came from.
        self._made_by: list[tuple[int, ...]] = [()]
        self._current = 0
        # The moves that wait, with the numbers of their events.
        self._held: dict[str, tuple[int, Move]] = {}
        self._pass_silence()

    # -- what there is -------------------------------------------------------------------------

    @property
    def spec(self) -> ProtocolSpec:
        """The protocol."""
        return self.setup.spec

    @property
    def task(self) -> Task:
        """What the episode is about, label and all: not for a seat."""
        return self.setup.task

    @property
    def events(self) -> tuple[Event, ...]:
        """All that has happened, in order."""
        return tuple(self._events)

    @property
    def nodes(self) -> tuple[Node, ...]:
        """All positions, by their number."""
        return tuple(self._nodes)

    @property
    def node(self) -> Node:
        """The present position."""
        return self._nodes[self._current]

    @property
    def over(self) -> bool:
        """Has the present line ended?"""
        return self.node.over

    @property
    def held(self) -> Mapping[str, Move]:
        """The moves of the present round that wait for the others."""
        return {agent: move for agent, (_, move) in self._held.items()}

    @property
    def players(self) -> dict[str, Mapping[str, Any]]:
        """Who sits where, as far as it was said."""
        return {e.agent: e.player for e in self._events if isinstance(e, Seated)}

    @property
    def to_move(self) -> tuple[str, ...]:
        """The agents whose moves the present round still needs. Not for a seat."""
        return tuple(agent for agent in self._speakers(self.node) if agent not in self._held)

    def node_at(self, node: int) -> Node:
        """A position by its number."""
        if type(node) is not int or not 0 <= node < len(self._nodes):
            raise UnknownNameError("position", node, [f"0 to {len(self._nodes) - 1}"])
        return self._nodes[node]

    def path(self, node: int | None = None) -> tuple[Node, ...]:
        """The positions from the beginning to one, the present one if it is left out."""
        here = self.node if node is None else self.node_at(node)
        found = [here]
        while found[-1].parent is not None:
            found.append(self._nodes[found[-1].parent])
        return tuple(reversed(found))

    def children(self, node: int) -> tuple[Node, ...]:
        """The positions that came directly after one."""
        return tuple(n for n in self._nodes[node + 1 :] if n.parent == node)

    @property
    def leaves(self) -> tuple[Node, ...]:
        """The ends of all lines."""
        inner = {node.parent for node in self._nodes}
        return tuple(node for node in self._nodes if node.id not in inner)

    # -- what everybody may know ---------------------------------------------------------------

    @property
    def settled(self) -> bool:
        """Is there nothing to be kept from anybody any more: has every line ended, this one too?"""
        return self.over and all(leaf.over for leaf in self.leaves)

    def finished(self) -> Episode:
        """The episode as everybody may read it: the door for all that is more than a seat's view.

        Of lines that have not ended only their shape is in it, which all seats know, and of the
        task nothing that was prepared for a seat; somebody may yet play on there.

        Returns
        -------
        Episode
            With the same positions. The episode itself if it is settled.

        Raises
        ------
        PlayError
            While the present line goes on.
        """
        if not self.over:
            raise PlayError("The episode is not over: only its seats' own views can be shown.")
        if self.settled:
            return self
        ended = (leaf.id for leaf in self.leaves if leaf.over)
        told = frozenset(node.id for end in ended for node in self.path(end))
        events = untold(self._events, self._made_by, told)
        task = dataclasses.replace(self.task, openings=None, questions=())
        return Episode.from_setup(dataclasses.replace(self.setup, task=task), events)

    # -- moves ---------------------------------------------------------------------------------

    def legal(self, agent: str, node: int | None = None) -> Legal:
        """What an agent may do at a position, the present one if it is left out."""
        here = self.node if node is None else self.node_at(node)
        self.spec.agent_index(agent)
        if here.over:
            return Legal(reason="The episode is over.")
        spec, seed = self.spec, self.setup.seed
        channels = spec.turn(here.round, seed).channels_of(agent)
        if not channels:
            return Legal(reason="It is not your turn in this round.")
        if here.id == self._current and agent in self._held:
            return Legal(reason="Your move is made; it is revealed once all have moved.")
        decides = agent in spec.verifiers
        return Legal(
            channels=tuple(name for name in spec.channel_names if name in channels),
            may_decide=decides,
            decision_counts=decides and spec.decision_counts(here.round, seed),
            last_turn=here.round == spec.last_active_rounds.get(agent),
        )

    def verify(self, move: Move) -> None:
        """Check that a move may be played now.

        Raises
        ------
        IllegalMoveError
            With the reason, in the words of whoever made it.
        """
        if move.agent not in self.spec.agent_names:
            raise UnknownNameError("agent", move.agent, self.spec.agent_names)
        verify_move(move, self.legal(move.agent), self.spec, self.setup.max_response_words)

    def can(self, move: Move) -> bool:
        """May a move be played now?"""
        try:
            self.verify(move)
        except (IllegalMoveError, UnknownNameError):
            return False
        return True

    def play(
        self, move: Move, *, at: str | None = None, origin: Mapping[str, Any] | None = None
    ) -> Moved:
        """Make a move. When all who speak in the round have, their moves are revealed at once.

        Parameters
        ----------
        move : Move
        at : str, optional
            The time, for the record.
        origin : mapping, optional
            How the move came about, for the record.
        """
        event = Moved(move=move, at=at, origin=origin or {})
        self.apply(event)
        return event

    # -- the tree ------------------------------------------------------------------------------

    def undo(self, agent: str | None = None, *, at: str | None = None) -> Event:
        """Go back: by one round, or to where an agent has last moved.

        The line that is left stays in the tree. What decides is only what the agent itself has
        done, so that it learns nothing from where it comes out.

        Raises
        ------
        PlayError
            If there is nothing to take back.
        """
        if agent is not None and agent in self._held:
            event: Event = Withdrew(agent=agent, at=at)
        else:
            event = Went(node=self._position_before(agent), at=at)
        self.apply(event)
        return event

    def _position_before(self, agent: str | None) -> int:
        if agent is not None:
            self.spec.agent_index(agent)
        for node in reversed(self.path()):
            if node.parent is not None and (node.moves if agent is None else agent in node.moves):
                return node.parent
        raise PlayError("There is nothing to take back: this is the beginning.")

    def goto(self, node: int, *, at: str | None = None) -> Went:
        """Look at another position. What is played there begins a new line, if one exists."""
        event = Went(node=self.node_at(node).id, at=at)
        self.apply(event)
        return event

    def fork(self, node: int, *, at: str | None = None) -> Went:
        """Go to a position in order to play on from there.

        Raises
        ------
        PlayError
            If the episode has ended there.
        """
        if self.node_at(node).over:
            raise PlayError("The episode has ended there: choose an earlier position to fork from.")
        return self.goto(node, at=at)

    # -- seeing --------------------------------------------------------------------------------

    def view_for(self, agent: str, node: int | None = None) -> View:
        """What a seat may know, at the present position or as it was at another.

        The only door through which a seat's information leaves the episode.
        """
        present = node is None or node == self._current
        return make_view(
            self.setup,
            self.path(node),
            agent,
            legal=self.legal(agent, node),
            held=self.held.get(agent) if present else None,
        )

    def tree_for(self, agent: str) -> tuple[Branch, ...]:
        """All positions with what a seat has seen come out there; those that it knows of are all.

        A seat that has been on several lines knows more than its view says; see `tainted`.
        """
        return tuple(
            Branch(n.id, n.parent, n.round, n.over, seen_round(self.setup, n.moves, agent))
            for n in self._nodes
        )

    def tainted(self, node: int | None = None) -> frozenset[str]:
        """The seats that know, at a position, what has come out on another line."""
        here = self.node if node is None else self.node_at(node)
        on_path = self._shown_on_path[here.id]
        return frozenset(who for who, all_of in self._shown.items() if all_of > on_path.get(who, 0))

    def result(self, node: int | None = None) -> Result:
        """How a line has gone, as far as it was played. Not for a seat before the end."""
        path = self.path(node)
        here, y = path[-1], self.task.y
        decision = counted_decision(self.setup, here)
        rewards = rewards_by_agent(self.setup, path)
        courses = {agent: confidence_course(path, agent) for agent in self.spec.verifiers}
        courses = {agent: course for agent, course in courses.items() if course}
        return Result(
            decision=decision,
            done=here.done,
            terminated=here.terminated,
            right=None if decision is None else decision == y,
            rewards=rewards,
            totals={agent: sum(paid) for agent, paid in rewards.items()},
            confidence=courses,
            brier={
                agent: sum((value / MAX_CONFIDENCE - y) ** 2 for _, value in course) / len(course)
                for agent, course in courses.items()
            },
            tainted=frozenset[str]().union(*(n.tainted for n in path)),
        )

    # -- the fold ------------------------------------------------------------------------------

    def apply(self, event: Event) -> None:
        """Let something happen, if the rules allow it.

        Raises
        ------
        PlayError
            If they do not; nothing has happened then.
        """
        if len(self._events) >= MAX_EVENTS:
            raise PlayError(f"An episode has at most {MAX_EVENTS:,} events; begin another one.")
        match event:
            case Moved(move=move):
                self.verify(move)
                # All rounds that are left may pass in silence.
                left = self.spec.max_message_rounds - self.node.round
                if len(self._nodes) + left > MAX_POSITIONS:
                    raise PlayError(
                        f"An episode has at most {MAX_POSITIONS:,} positions; begin another one."
                    )
                self._held[move.agent] = len(self._events), move
                self._close_round()
            case Withdrew(agent=agent):
                if agent not in self._held:
                    raise PlayError(f"{agent!r} has no move that could be taken back.")
                del self._held[agent]
            case Went(node=node):
                self._current = self._behind_silence(self.node_at(node)).id
                self._held.clear()
            case Seated(agent=agent):
                self.spec.agent_index(agent)
            case Commented(node=node):
                self.node_at(node)
            case _:
                raise PlayError(f"There is no event of type {type(event).__name__}.")
        self._events.append(event)

    def _speakers(self, node: Node) -> tuple[str, ...]:
        if node.over:
            return ()
        speaking = set(self.spec.turn(node.round, self.setup.seed).agents)
        return tuple(a for a in self.spec.agent_names if a in speaking)

    def _close_round(self) -> None:
        if not self.to_move:
            moves, self._held = self._held, {}
            self._add_round(
                {agent: move for agent, (_, move) in moves.items()},
                tuple(number for number, _ in moves.values()),
            )
            self._pass_silence()

    def _pass_silence(self) -> None:
        """Rounds in which nobody speaks pass by themselves."""
        passed: list[int] = []
        while not self.over and not self._speakers(self.node):
            passed.append(self._current)
            self._add_round({})
        self._behind.update(dict.fromkeys(passed, self._current))

    def _behind_silence(self, node: Node) -> Node:
        """The position from which somebody can go on: silent rounds have passed already."""
        return self._nodes[self._behind.get(node.id, node.id)]

    def _add_round(self, moves: Mapping[str, Move], made_by: tuple[int, ...] = ()) -> None:
        parent, spec = self.node, self.spec
        tainted = self.tainted()
        done, terminated, rewards = step(self.setup, parent.round, moves)
        node = Node(
            id=len(self._nodes),
            parent=parent.id,
            round=parent.round + 1,
            moves={agent: moves[agent] for agent in spec.agent_names if agent in moves},
            done=done,
            terminated=terminated,
            rewards=rewards,
            tainted=tainted,
        )
        self._nodes.append(node)
        self._made_by.append(made_by)
        informed = informed_seats(spec, node.moves, over=node.over)
        self._shown.update(informed)
        before = self._shown_on_path[parent.id]
        self._shown_on_path.append(
            {**before, **{who: before.get(who, 0) + 1 for who in informed}} if informed else before
        )
        self._current = node.id
