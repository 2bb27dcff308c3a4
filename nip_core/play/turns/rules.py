"""The rules of an episode of a version 2 protocol: its turns by the language's rules."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import cast

from nip_core.displays import displayed
from nip_core.language import Deal, Release, Specification, State
from nip_core.language import Move as LanguageMove
from nip_core.language.data import ALWAYS, Act, Option
from nip_core.language.expressions import Value
from nip_core.language.structure import Place
from nip_core.language.view import outcome_of, seen_facts, seen_parts, seen_turn
from nip_core.play.events import Event
from nip_core.play.moves import Legal, Move
from nip_core.play.rules import Path, Rules
from nip_core.play.tree import Node, Tree
from nip_core.play.turns.answers import as_answer
from nip_core.play.turns.ended import ended_lines
from nip_core.play.turns.legal import TurnLegal, turn_legal, verify_turn
from nip_core.play.turns.outcomes import TurnEnding, TurnResult
from nip_core.play.turns.seen import SeenChoices, seen_choices
from nip_core.play.turns.setup import TurnSetup
from nip_core.play.turns.view import TurnView
from nip_core.spec import shown_round
from nip_core.text import SeenRound

__all__ = ["TurnNode", "TurnRules"]


@displayed
@dataclass(frozen=True, slots=True)
class TurnNode(Node):
    """A position: the state after a turn, once all its moves are revealed.

    Parameters
    ----------
    place : Place, optional
        The next turn; None once play is over.
    registers : mapping
        The value of each choice; see :class:`nip_core.language.State`.
    release : Release, optional
        The latest turn; None at the beginning.
    acts : tuple of Act
        What may be done in the next turn, also by chance.
    speakers : tuple of str
        The seats that act in it, in the protocol's order.
    """

    place: Place | None = None
    registers: Mapping[str, Value] = field(default_factory=dict[str, Value], repr=False)
    release: Release | None = None
    acts: tuple[Act, ...] = field(default=(), repr=False)
    speakers: tuple[str, ...] = field(default=(), repr=False)


class TurnRules(Rules):
    """The rules of an episode of a version 2 protocol."""

    version = 2
    setup: TurnSetup

    def __init__(self, setup: TurnSetup) -> None:
        self.setup = setup
        # What an act allows, which only limits that count earlier moves can change.
        self._allowed: dict[Act, TurnLegal] = {}
        # For each seat and stage, what its views have in common.
        self._views: dict[tuple[str, int | None], partial[TurnView]] = {}

    @property
    def spec(self) -> Specification:
        """The protocol."""
        return self.setup.spec

    @property
    def deal(self) -> Deal:
        """The setup in the form of the language's rules."""
        return self.setup.deal

    def beginning(self) -> TurnNode:
        state = self.deal.first()
        acts = self.deal.acts(state)
        return TurnNode(
            id=0,
            parent=None,
            round=0,
            place=state.place,
            registers=state.registers,
            acts=acts,
            speakers=self._speakers(acts),
        )

    def most_ahead(self, node: Node) -> int:
        return self.spec.longest - node.round

    def speakers(self, node: Node) -> Collection[str]:
        assert isinstance(node, TurnNode)
        return node.speakers

    def _speakers(self, acts: Sequence[Act]) -> tuple[str, ...]:
        acting = {act.seat for act in acts}
        return tuple(seat for seat in self.spec.seat_names if seat in acting)

    def legal(self, node: Node, agent: str, path: Callable[[Node], Path]) -> Legal | None:
        assert isinstance(node, TurnNode)
        act = next((act for act in node.acts if act.seat == agent), None)
        if act is None:
            return None
        # A limit for the whole play depends on all earlier messages.
        limited = any(each.seat == agent and each.per == "game" for each in self.spec.limits)
        if limited or self.spec.option_limits:
            return self._legal(_state(path(node)) if limited else _here(node), agent)
        found = self._allowed.get(act)
        if found is None:
            found = self._allowed[act] = self._legal(_here(node), agent)
        return found

    def _legal(self, state: State, agent: str) -> TurnLegal:
        return turn_legal(self.deal.legal(state, agent), agent, self.setup.max_response_words)

    def refusing(self, legal: Legal) -> TurnLegal:
        return TurnLegal(reason=legal.reason)

    def verify(self, move: Move, legal: Legal, *, recorded: bool) -> None:
        assert isinstance(legal, TurnLegal)
        verify_turn(self.spec, legal, move)

    def after(
        self,
        parent: Node,
        moves: Mapping[str, Move],
        number: int,
        tainted: frozenset[str],
        path: Callable[[Node], Path],
    ) -> tuple[Node, frozenset[str]]:
        assert isinstance(parent, TurnNode)
        spec = self.spec
        made = {seat: LanguageMove(seat, m.messages, m.choices) for seat, m in moves.items()}
        state = self.deal.release(_here(parent), made)
        release = state.releases[-1]
        acts = self.deal.acts(state)
        node = TurnNode(
            id=number,
            parent=parent.id,
            round=parent.round + 1,
            moves={agent: moves[agent] for agent in spec.seat_names if agent in moves},
            done=state.over,
            rewards=tuple(_as_float(release.paid.get(seat)) for seat in spec.seat_names),
            tainted=tainted,
            place=state.place,
            registers=state.registers,
            release=release,
            acts=acts,
            speakers=self._speakers(acts),
        )
        return node, self._informed(parent, node, release)

    def _informed(self, parent: TurnNode, node: TurnNode, release: Release) -> frozenset[str]:
        """Return the seats that may have learnt something; in doubt, a seat is included."""
        spec = self.spec
        if node.place is None:
            return frozenset(spec.seat_names)
        stage, before = node.place.stage, None if parent.place is None else parent.place.stage
        informed: set[str] = set()
        for seat in spec.seat_names:
            sight = spec.sight(seat, stage)
            if (
                any(m.seat != seat and m.channel in sight.channels for m in release.messages)
                or any(n in sight.choices and spec.choice(n).by != seat for n in release.choices)
                # What is seen from this stage on.
                or (stage != before and sight.more_than(spec.sight(seat, before)))
            ):
                informed.add(seat)
        # Whether it is a seat's turn may reveal what was chosen.
        informed |= {act.seat for act in spec.turn(node.place).acts if act.when != ALWAYS}
        return frozenset(informed & {*spec.seat_names})

    # -- seeing ----------------------------------------------------------------------------------

    def stage(self, node: Node) -> int | None:
        assert isinstance(node, TurnNode)
        return None if node.place is None else node.place.stage

    def seen(self, node: Node, agent: str, stage: int | None) -> SeenChoices:
        assert isinstance(node, TurnNode)
        if node.release is None:
            return SeenChoices()
        return seen_choices(
            seen_turn(self.spec, node.release, agent, stage), _own(self.spec, node, agent)
        )

    def view(
        self,
        path: Path,
        agent: str,
        *,
        seen: Callable[[Node, str, int | None], SeenRound],
        legal: Legal,
        held: Move | None,
        stood_in: Sequence[tuple[int, str]],
    ) -> TurnView:
        assert isinstance(legal, TurnLegal)
        here, setup, spec = path[-1], self.setup, self.spec
        assert isinstance(here, TurnNode)
        # Checked before any secret is read, since a traceback would show it.
        argues = spec.expression(spec.seat(agent).argues)
        stage = self.stage(here)
        if (agent, stage) not in self._views:
            self._views[agent, stage] = partial(
                TurnView,
                agent=agent,
                spec=spec,
                title=setup.task.title,
                parts=seen_parts(self.deal, agent, stage),
                facts=seen_facts(spec, here.registers, agent, stage),
                prompt=setup.prompt(agent),
                max_response_words=setup.max_response_words,
            )
        if here.place is None:
            state = _state(path)
            outcome, now = outcome_of(self.deal, state), self.deal.now(state)
            ending = TurnEnding(
                outcome.verdict, outcome.paid, self._rewards(path), outcome.on_the_word_of
            )
        else:
            ending, now = None, self.deal.machine.here(here.place, here.registers)
        return self._views[agent, stage](
            argues=argues.value(now),
            round=here.round,
            rounds=cast(
                tuple[SeenChoices, ...], tuple([seen(node, agent, stage) for node in path[1:]])
            ),
            legal=legal,
            held=held,
            ending=ending,
            # The seat itself may know this at once, all others once it is over.
            stood_in=tuple(each for each in stood_in if here.over or each[1] == agent),
        )

    # -- results ---------------------------------------------------------------------------------

    def result(self, path: Path) -> TurnResult:
        state = _state(path)
        verdict = self.deal.verdict(state) if state.over else None
        paid = state.paid
        return TurnResult(
            verdict=verdict,
            decision=_DECISIONS.get(verdict) if isinstance(verdict, str) else None,
            done=state.over,
            terminated=False,
            right=self._is_right(verdict, state) if state.over else None,
            choices={
                choice.name: option
                for choice in self.spec.choices
                if isinstance(option := state.registers[choice.name], str | int)
            },
            paid={seat: paid.get(seat, Fraction(0)) for seat in self.spec.seat_names},
            rewards=self._rewards(path),
            on_the_word_of={what: by for what, (by, _) in self.spec.statements.items()},
            tainted=frozenset[str]().union(*(n.tainted for n in path)),
        )

    def _is_right(self, verdict: Value, state: State) -> bool | None:
        name = self.spec.roles.truth
        truth = None if name is None else state.registers[name]
        if verdict is None or truth is None:
            return None
        return verdict == truth if type(verdict) is type(truth) else None

    def _rewards(self, path: Path) -> dict[str, tuple[float, ...]]:
        return {
            seat: tuple(node.rewards[index] for node in path[1:])
            for index, seat in enumerate(self.spec.seat_names)
        }

    def chosen(self, node: Node) -> Mapping[str, Option]:
        assert isinstance(node, TurnNode)
        if node.release is not None:
            return node.release.choices
        return {
            each.name: option
            for each in self.spec.drawn
            if isinstance(option := node.registers[each.name], str | int)
        }

    def progress(self, node: Node) -> str:
        return f"turn {shown_round(node.round)} of at most {self.spec.longest}"

    def verdict(self, path: Path) -> str | None:
        found = self.result(path).verdict
        return None if found is None else str(found)

    def said(self, move: Move) -> Iterator[tuple[str | None, str]]:
        yield from move.messages.items()
        yield from ((None, f"{name}: {option}") for name, option in move.choices.items())

    def finished(
        self, events: Sequence[Event], tree: Tree, ended: frozenset[int], current: int
    ) -> tuple[TurnSetup, Iterable[Event]]:
        return self.setup, ended_lines(events, tree, ended, current)


_DECISIONS = {"reject": 0, "accept": 1}


def _here(node: Node) -> State:
    """Return the state at a position, in which earlier turns are only counted."""
    assert isinstance(node, TurnNode)
    return State(node.place, node.registers, (_NOTHING,) * node.round)


_NOTHING = Release(Place(0, 0, 0), (), (), {}, {})


def _state(path: Path) -> State:
    here = path[-1]
    assert isinstance(here, TurnNode)
    releases = (n.release for n in path if isinstance(n, TurnNode))
    return State(here.place, here.registers, tuple(r for r in releases if r is not None))


def _own(spec: Specification, node: Node, agent: str) -> str | None:
    """Return a seat's move in a turn as the text that a model would write."""
    move = node.moves.get(agent)
    if move is None:
        return None
    return as_answer(spec, move) if move.raw is None else move.raw


def _as_float(amount: Value) -> float:
    return 0.0 if amount is None else float(amount)
