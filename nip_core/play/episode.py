"""One episode: a tree of variations that grows by moves, and what seats may see of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import copy
from itertools import pairwise
from typing import Any

from nip_core.displays import Table, Tabular, brief, line, text_html
from nip_core.errors import IllegalMoveError, PlayError, UnknownNameError
from nip_core.language import Specification, Value
from nip_core.play.ended import ended_lines
from nip_core.play.events import Commented, Event, Moved, Seated, Went, Withdrew, stands_in
from nip_core.play.legal import Legal
from nip_core.play.moves import DEFAULT_MAX_WORDS, Move
from nip_core.play.origin import Origin
from nip_core.play.outcomes import Result
from nip_core.play.rules import Rules
from nip_core.play.setup import AnyTask, Setup
from nip_core.play.tree import Branch, Node, Tree
from nip_core.play.view import View
from nip_core.registry import AnyProtocol
from nip_core.spec import shown_round
from nip_core.tasks import Task
from nip_core.text import SeenRound

__all__ = ["MAX_EVENTS", "MAX_POSITIONS", "Episode"]

# More than anybody plays; an untrusted file with more could keep a machine busy. Silent rounds pass
# automatically, so one event can make many positions.
MAX_EVENTS = 20_000
MAX_POSITIONS = 20_000


_OVER = Legal(reason="The episode is over.")
_NOT_NOW = Legal(reason="It is not your turn.")
_MOVED = Legal(reason="Your move is made; it is revealed once all have moved.")


class Episode(Tabular):
    """One play of a protocol on one task.

    Parameters
    ----------
    protocol : str, ProtocolSpec, ProtocolHandler or its class, or HyperParameters
        Anything that :func:`nip_core.protocol` takes, such as ``"mnip"``; or a ``Specification``,
        or the name of a published one.
    task : Task
        For a specification: a ``Material``, a ``Passage``, a ``Task`` that has what the protocol
        names, or a mapping with the protocol's parts and facts by name.
    seed : int
        Picks the schedule if there are variants, and draws the provers' side if it is random.
    stances : mapping of str to {0, 1}, optional
        The verdicts that provers argue for, if they differ from the protocol's.
    informed_provers : bool
        Whether provers see the label and its explanation.
    max_response_words : int
        The limit of a message's words.
    """

    def __init__(
        self,
        protocol: AnyProtocol,
        task: AnyTask,
        seed: int = 0,
        stances: Mapping[str, int] | None = None,
        *,
        informed_provers: bool = False,
        max_response_words: int = DEFAULT_MAX_WORDS,
    ) -> None:
        setup = Setup.of(
            protocol,
            task,
            seed,
            stances,
            informed_provers=informed_provers,
            max_response_words=max_response_words,
        )
        self._begin(setup)

    @classmethod
    def from_setup(cls, setup: Setup, events: Iterable[Event] = ()) -> Episode:
        """Build an episode from its setup and its events, which are checked again."""
        episode = cls.__new__(cls)
        episode._begin(setup)
        for event in events:
            episode.apply(event)
        return episode

    def _begin(self, setup: Setup) -> None:
        self.setup = setup
        self._rules = Rules(setup)
        self._events: list[Event] = []
        self._tree = Tree(self._rules.beginning())
        self._current = 0
        # The moves that are held back, with the numbers of their events.
        self._held: dict[str, tuple[int, Move]] = {}
        # The seats with a substitute at present, and the numbers of the moves by substitutes.
        self._standing_in: set[str] = set()
        self._stood_in: set[int] = set()
        # Cache of what a seat sees of a position's latest round in a stage, which cannot change.
        self._seen: dict[tuple[object, ...], SeenRound] = {}
        # Seats' views of the present position, until the next event.
        self._views: dict[str, View] = {}
        self._pass_silence()

    def __copy__(self) -> Episode:
        """Return an independent copy, which can be played further."""
        other = type(self).__new__(type(self))
        vars(other).update(vars(self))
        other._events, other._held = list(self._events), dict(self._held)
        other._standing_in, other._stood_in = set(self._standing_in), set(self._stood_in)
        other._tree, other._seen = copy(self._tree), dict(self._seen)
        other._views = dict(self._views)
        return other

    # -- content -------------------------------------------------------------------------------

    @property
    def rules(self) -> Specification:
        """The rules of the protocol as data, whatever way it was written down."""
        return self.setup.rules

    def chosen(self, node: int | None = None) -> Mapping[str, str | int]:
        """Return the choices of a position's latest turn, including chance's. Secret from seats.

        At the beginning, return what was drawn before.
        """
        return self._rules.chosen(self._here(node))

    def changed(self, node: int | None = None) -> Mapping[str, Value]:
        """Return the values that a position's latest turn has changed. Secret from seats.

        At the beginning, return those that are known then.
        """
        return self._rules.changed(self._here(node))

    @property
    def task(self) -> Task:
        """The task of the episode, with its label. Secret from seats."""
        return self.setup.task

    @property
    def events(self) -> tuple[Event, ...]:
        """All events in order."""
        return tuple(self._events)

    @property
    def nodes(self) -> tuple[Node, ...]:
        """All positions, by their number."""
        return tuple(self._tree.nodes)

    # -- display -------------------------------------------------------------------------------

    def __repr__(self) -> str:
        if "setup" not in vars(
            self
        ):  # the episode was not fully initialised, and a traceback shows it
            return line(self, "not begun")
        what = brief(self.rules.name), repr(self.task)
        if not self.over:
            return line(self, *what, self._rules.progress(self.node))
        return line(self, *what, f"over: {self._rules.verdict(self.path()) or 'no verdict'}")

    def table(self) -> Table:
        """Return all messages of the present variation. Secret from seats."""
        return Table(
            ("round", "agent", "channel", "text"),
            [
                (before.round, move.agent, channel, text)
                for before, after in pairwise(self.path())
                for move in after.moves.values()
                for channel, text in self._rules.said(move)
            ],
            {"round": shown_round},
        )

    def _repr_html_(self) -> str:
        """Return the messages once the episode has no secrets; before that, one line."""
        if not self.settled:
            return text_html(repr(self))
        shown = self.task._repr_html_(), super()._repr_html_(), self.result()._repr_html_()
        return "".join(shown)

    @property
    def node(self) -> Node:
        """The present position."""
        return self._tree.nodes[self._current]

    @property
    def over(self) -> bool:
        """Whether the present variation has ended."""
        return self.node.over

    @property
    def held(self) -> Mapping[str, Move]:
        """The moves of the present round that are held back until all have moved."""
        return {agent: move for agent, (_, move) in self._held.items()}

    @property
    def players(self) -> dict[str, Mapping[str, Any]]:
        """The recorded players by seat."""
        return {e.agent: e.player for e in self._events if isinstance(e, Seated)}

    @property
    def to_move(self) -> tuple[str, ...]:
        """The agents whose moves the present round still needs. Secret from seats."""
        return tuple(agent for agent in self.node.speakers if agent not in self._held)

    def node_at(self, node: int) -> Node:
        """Return a position by its number."""
        return self._tree.at(node)

    def path(self, node: int | None = None) -> tuple[Node, ...]:
        """Return the positions from the beginning to one, by default the present one."""
        return self._tree.path(self._here(node))

    def _here(self, node: int | None) -> Node:
        return self.node if node is None else self.node_at(node)

    def children(self, node: int) -> tuple[Node, ...]:
        """Return the positions directly after one."""
        return self._tree.children(node)

    @property
    def leaves(self) -> tuple[Node, ...]:
        """The ends of all variations."""
        return self._tree.leaves

    # -- public content ------------------------------------------------------------------------

    @property
    def settled(self) -> bool:
        """Whether the episode has no secrets left, since every variation has ended."""
        return self.over and all(leaf.over for leaf in self.leaves)

    def finished(self) -> Episode:
        """Return the episode as everybody may read it, for everything beyond a seat's view.

        While a variation is unfinished, it contains no prepared arguments, since play may continue
        there.

        Returns
        -------
        Episode
            The episode itself if it is settled. Otherwise one with only the positions of finished
            variations.

        Raises
        ------
        PlayError
            While the present variation goes on.
        """
        return self.finished_with_numbers()[0]

    def finished_with_numbers(self) -> tuple[Episode, Mapping[int, int]]:
        """Return the same, and its numbers of positions by this episode's numbers."""
        if not self.over:
            raise PlayError("The episode is not over: only its seats' own views can be shown.")
        if self.settled:
            return self, {node.id: node.id for node in self.nodes}
        ended = (leaf.id for leaf in self.leaves if leaf.over)
        ended_at = frozenset(node.id for end in ended for node in self.path(end))
        numbers: dict[int, int] = {}
        lines = ended_lines(self._events, self._tree, ended_at, self._current, numbers)
        return Episode.from_setup(self.setup.without_preparation(), lines), numbers

    # -- moves ---------------------------------------------------------------------------------

    def legal(self, agent: str, node: int | None = None) -> Legal:
        """Return what an agent may do at a position, by default the present one."""
        here = self._here(node)
        self.rules.agent_index(agent)
        if here.over:
            return _OVER
        found = self._rules.legal(here, agent, self._tree.path)
        if found is None:
            return _NOT_NOW
        if here.id == self._current and agent in self._held:
            return _MOVED
        return found

    def verify(self, move: Move) -> None:
        """Check that a move may be played now.

        Raises
        ------
        IllegalMoveError
            If it is illegal, with the reason in words for the player.
        """
        self._verify(move, recorded=False)

    def _verify(self, move: Move, *, recorded: bool) -> None:
        if move.agent not in self.rules.seat_names:
            raise UnknownNameError("agent", move.agent, self.rules.seat_names)
        self._rules.verify(move, self.legal(move.agent), recorded=recorded)

    def can(self, move: Move) -> bool:
        """Return whether a move may be played now."""
        try:
            self.verify(move)
        except (IllegalMoveError, UnknownNameError):
            return False
        return True

    def play(
        self, move: Move, *, at: str | None = None, origin: Mapping[str, Any] | None = None
    ) -> Moved:
        """Make a move. When all seats of the round have moved, their moves are revealed together.

        Parameters
        ----------
        move : Move
        at : str, optional
            The time, for the record.
        origin : mapping, optional
            The move's origin, for the record.
        """
        event = Moved(move=self._rules.recorded(move), at=at, origin=origin or {})
        self._apply(event, recorded=False)
        return event

    # -- the tree ------------------------------------------------------------------------------

    def undo(self, agent: str | None = None, *, at: str | None = None) -> Event:
        """Go back by one round, or to before an agent's last move.

        The variation stays in the tree. The new position depends only on the agent's own moves, so
        that it reveals nothing to the agent.

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
            self.rules.agent_index(agent)
        for node in reversed(self.path()):
            if node.parent is not None and (node.moves if agent is None else agent in node.moves):
                return node.parent
        raise PlayError("There is nothing to take back: this is the beginning.")

    def goto(self, node: int, *, at: str | None = None) -> Went:
        """Go to another position. A move there begins a new variation if there are others."""
        event = Went(node=self.node_at(node).id, at=at)
        self.apply(event)
        return event

    def fork(self, node: int, *, at: str | None = None) -> Went:
        """Go to a position in order to continue play from there.

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
        """Return what a seat may know at a position, by default the present one.

        A seat's information leaves the episode only through this method.
        """
        # Checked before any secret is read, since a traceback would show it.
        self.rules.agent_index(agent)
        present = node is None or node == self._current
        if present and agent in self._views:
            return self._views[agent]
        view: View = self._rules.view(
            self.path(node),
            agent,
            seen=self._seen_round,
            legal=self.legal(agent, node),
            held=self.held.get(agent) if present else None,
            stood_in=self.stood_in(node),
        )
        if present:
            self._views[agent] = view
        return view

    def tree_for(self, agent: str) -> tuple[Branch, ...]:
        """Return all positions with what a seat has seen there.

        A seat that has played several variations knows more than its view shows; see `tainted`.
        """
        return tuple(
            Branch(n.id, n.parent, n.round, n.over, self._seen_round(n, agent, n))
            for n in self._tree.nodes
        )

    def _seen_round(self, node: Node, agent: str, here: Node) -> SeenRound:
        key = node.id, agent, *self._rules.moment(node, here)
        found = self._seen.get(key)
        if found is None:
            found = self._seen[key] = self._rules.seen(node, agent, here)
        return found

    def tainted(self, node: int | None = None) -> frozenset[str]:
        """Return the seats that know, at a position, the outcome of another variation."""
        return self._tree.tainted(self._here(node).id)

    def result(self, node: int | None = None) -> Result:
        """Return the result of a variation so far. Secret from seats before the end."""
        return self._rules.result(self.path(node))

    def text_of(self, move: Move) -> str:
        """Return a move as the text that a model would write to make it."""
        return self._rules.own_text(self._rules.recorded(move))

    def origins(self, node: int) -> dict[str, Origin]:
        """Return the origins of the moves of a position's latest round. Secret from seats."""
        made_by = self._tree.made_by[self.node_at(node).id]
        moved = [event for n in made_by if isinstance(event := self._events[n], Moved)]
        return {event.move.agent: Origin.from_dict(event.origin) for event in moved}

    def stood_in(self, node: int | None = None) -> tuple[tuple[int, str], ...]:
        """Return the moves of a variation that substitutes made. Secret from seats.

        Each is a round, counted from 0, and an agent: its person was late or absent, the seat was
        empty, or a model did not answer.
        """
        if not self._stood_in:
            return ()
        found: list[tuple[int, str]] = []
        for here in self.path(node)[1:]:
            made_by = self._stood_in.intersection(self._tree.made_by[here.id])
            moved = {e.move.agent for n in made_by if isinstance(e := self._events[n], Moved)}
            # In the agents' order, so that the order of moves within a round stays hidden.
            found += [(here.round - 1, agent) for agent in here.moves if agent in moved]
        return tuple(found)

    # -- the fold ------------------------------------------------------------------------------

    def apply(self, event: Event) -> None:
        """Apply a recorded event, if the rules allow it.

        An early decision, which :meth:`play` refuses, may occur in old records, where it has no
        effect.

        Raises
        ------
        PlayError
            If they do not; the episode is then unchanged.
        """
        self._apply(event, recorded=True)

    def _apply(self, event: Event, *, recorded: bool) -> None:
        if len(self._events) >= MAX_EVENTS:
            raise PlayError(f"An episode has at most {MAX_EVENTS:,} events; begin another one.")
        match event:
            case Moved(move=move):
                self._verify(move, recorded=recorded)
                # All remaining rounds may be silent.
                left = self._rules.most_ahead(self.node)
                if len(self._tree) + left > MAX_POSITIONS:
                    raise PlayError(
                        f"An episode has at most {MAX_POSITIONS:,} positions; begin another one."
                    )
                self._held[move.agent] = len(self._events), move
                if move.agent in self._standing_in:
                    self._stood_in.add(len(self._events))
                self._close_round()
            case Withdrew(agent=agent):
                if agent not in self._held:
                    raise PlayError(f"{agent!r} has no move that could be taken back.")
                del self._held[agent]
            case Went(node=node):
                self._current = self._tree.behind_silence(self.node_at(node).id)
                self._held.clear()
            case Seated(agent=agent, player=player):
                self.rules.agent_index(agent)
                note = self._standing_in.add if stands_in(player) else self._standing_in.discard
                note(agent)
            case Commented(node=node):
                self.node_at(node)
            case _:
                raise PlayError(f"There is no event of type {type(event).__name__}.")
        self._events.append(event)
        self._views.clear()

    def _close_round(self) -> None:
        # All moves that are held back belong to this round.
        if len(self._held) == len(self.node.speakers):
            moves, self._held = self._held, {}
            self._add_round(
                {agent: move for agent, (_, move) in moves.items()},
                tuple(number for number, _ in moves.values()),
            )
            self._pass_silence()

    def _pass_silence(self) -> None:
        """Pass rounds in which nobody speaks."""
        passed: list[int] = []
        while not self.over and not self.node.speakers:
            passed.append(self._current)
            self._add_round({})
        self._tree.pass_by(passed, self._current)

    def _add_round(self, moves: Mapping[str, Move], made_by: tuple[int, ...] = ()) -> None:
        node, shown_to = self._rules.after(self.node, moves, len(self._tree), self.tainted())
        self._tree.add(node, shown_to, made_by)
        self._current = node.id
