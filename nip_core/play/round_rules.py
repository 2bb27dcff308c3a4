"""The rules of an episode of a version 1 protocol: its rounds."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from nip_core.play.events import Event
from nip_core.play.moves import NO_DECISION, Legal, Move, verify_move
from nip_core.play.outcomes import Result, result, step
from nip_core.play.redacted import redacted
from nip_core.play.rules import Path, Rules
from nip_core.play.seeing import informed_seats, make_view, seen_round
from nip_core.play.setup import Setup
from nip_core.play.tree import Node, Tree
from nip_core.play.view import View
from nip_core.spec import shown_round
from nip_core.tasks import VERDICTS
from nip_core.text import SeenRound

__all__ = ["RoundRules"]


class RoundRules(Rules):
    """The rules of an episode of a version 1 protocol."""

    version = 1
    setup: Setup

    def __init__(self, setup: Setup) -> None:
        self.setup = setup

    def beginning(self) -> Node:
        return Node(0, None, 0)

    def most_ahead(self, node: Node) -> int:
        return self.setup.spec.max_message_rounds - node.round

    def speakers(self, node: Node) -> Collection[str]:
        return () if node.over else self.setup.rounds[node.round].legal

    def legal(self, node: Node, agent: str, path: Callable[[Node], Path]) -> Legal | None:
        return self.setup.rounds[node.round].legal.get(agent)

    def verify(self, move: Move, legal: Legal, *, recorded: bool) -> None:
        most = self.setup.max_response_words
        verify_move(move, legal, self.setup.spec, most, recorded=recorded)

    def after(
        self,
        parent: Node,
        moves: Mapping[str, Move],
        number: int,
        tainted: frozenset[str],
        path: Callable[[Node], Path],
    ) -> tuple[Node, frozenset[str]]:
        spec = self.setup.spec
        done, terminated, rewards = step(self.setup, parent.round, moves)
        node = Node(
            id=number,
            parent=parent.id,
            round=parent.round + 1,
            moves={agent: moves[agent] for agent in spec.agent_names if agent in moves},
            done=done,
            terminated=terminated,
            rewards=rewards,
            tainted=tainted,
        )
        return node, informed_seats(spec, node.moves, over=node.over)

    def seen(self, node: Node, agent: str, path: Callable[[Node], Path]) -> SeenRound:
        return seen_round(self.setup, node.moves, agent)

    def view(
        self,
        path: Path,
        agent: str,
        *,
        seen: Callable[[Node, str], SeenRound],
        legal: Legal,
        held: Move | None,
        stood_in: Sequence[tuple[int, str]],
    ) -> View:
        return make_view(
            self.setup,
            path,
            agent,
            rounds=tuple(seen(node, agent) for node in path[1:]),
            legal=legal,
            held=held,
            stood_in=stood_in,
        )

    def result(self, path: Path) -> Result:
        return result(self.setup, path)

    def progress(self, node: Node) -> str:
        return f"round {shown_round(node.round)} of {self.setup.spec.max_message_rounds}"

    def verdict(self, path: Path) -> str | None:
        decision = self.result(path).decision
        return None if decision is None else VERDICTS[decision]

    def said(self, move: Move) -> Iterator[tuple[str | None, str]]:
        yield from move.messages.items()
        if move.decision != NO_DECISION:
            yield None, VERDICTS[move.decision]

    def finished(
        self, events: Sequence[Event], tree: Tree, ended: frozenset[int], current: int
    ) -> tuple[Setup, Iterable[Event]]:
        task = dataclasses.replace(self.setup.task, openings=None, questions=())
        setup = dataclasses.replace(self.setup, task=task)
        return setup, redacted(events, tree.made_by, ended)
