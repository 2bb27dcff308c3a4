"""The rules of an episode of a version 1 protocol: its rounds, their outcomes, and seats' views."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial

from nip_core.documents import stable_hash
from nip_core.handler.rules import Item
from nip_core.play.events import Event
from nip_core.play.moves import MAX_CONFIDENCE, NO_DECISION, Legal, Move, verify_move
from nip_core.play.outcomes import Result
from nip_core.play.redacted import redacted
from nip_core.play.rules import Path, Rules
from nip_core.play.setup import Outcome, Setup
from nip_core.play.tree import Node, Tree
from nip_core.play.view import Briefing, Ending, View
from nip_core.spec import ProtocolSpec, shown_round
from nip_core.tasks import VERDICTS
from nip_core.text import SeenMessage, SeenRound
from nip_core.text.parsing import Decision

__all__ = ["RoundRules"]


class RoundRules(Rules):
    """The rules of an episode of a version 1 protocol."""

    version = 1
    setup: Setup

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        # For each seat, what its views have in common at all positions.
        self._views: dict[str, partial[View]] = {}

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

    def seen(self, node: Node, agent: str, stage: int | None) -> SeenRound:
        return seen_round(self.setup, node.moves, agent)

    def view(
        self,
        path: Path,
        agent: str,
        *,
        seen: Callable[[Node, str, int | None], SeenRound],
        legal: Legal,
        held: Move | None,
        stood_in: Sequence[tuple[int, str]],
    ) -> View:
        here, played = path[-1], path[1:]
        if agent not in self._views:
            self._views[agent] = _view_of(self.setup, agent)
        return self._views[agent](
            round=here.round,
            rounds=tuple(seen(node, agent, None) for node in played),
            legal=legal,
            held=held,
            confidence=confidence_course(played, agent),
            ending=_ending(self.setup, path) if here.over else None,
            # The seat itself may know this at once, all others once it is over.
            stood_in=tuple(each for each in stood_in if here.over or each[1] == agent),
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


# -- what a round's moves lead to -----------------------------------------------------------------


def step(setup: Setup, round_id: int, moves: Mapping[str, Move]) -> Outcome:
    """Return the outcome of a round's moves.

    Returns
    -------
    done, terminated : bool
    rewards : tuple of float
        By agent.
    """
    if setup.handler.overrides_rules:
        return _step_by_handler(setup, round_id, moves)
    decision = _decision(setup.spec.verifier, moves)
    # The outcome depends only on the decision and on facts that equal rounds share.
    case = setup.rounds[round_id], decision
    found = setup.known_outcomes.get(case)
    if found is None:
        found = setup.known_outcomes[case] = _step_by_rules(setup, round_id, decision)
    return found


def _step_by_rules(setup: Setup, round_id: int, decision: Decision) -> Outcome:
    rules = setup.handler.rules
    settled = rules.step(
        Item(
            y=setup.task.y,
            round=round_id,
            guess=setup.rounds[round_id].may_decide,
            decisions=(decision,),
            done=False,
            terminated=False,
            agents_done=(False,) * len(setup.spec.agents),
            stance=setup.prover_stance,
        )
    )
    return settled.shared_done, settled.terminated, rules.rewards(settled)


def _step_by_handler(setup: Setup, round_id: int, moves: Mapping[str, Move]) -> Outcome:
    """Return the outcome by a handler with its own rules, which use tensors."""
    # Imported here, since only such handlers need numpy.
    from nip_core.nested_array_dict import NestedArrayDict

    names = setup.spec.agent_names
    env = NestedArrayDict(
        {
            "y": [setup.task.y],
            "round": [round_id],
            "seed": [setup.seed],
            "done": [False],
            "terminated": [False],
            "prover_stance": [setup.prover_stance or 0],  # read only if it is drawn
            "agents": {
                "decision": [[_decision(name, moves) for name in names]],
                "done": [[False] * len(names)],
            },
        },
        batch_size=[1],
    )
    shared_done, _, terminated, reward = setup.handler.step_interaction_protocol(env)
    return bool(shared_done), bool(terminated), tuple(float(paid) for paid in reward[0])


def _decision(agent: str, moves: Mapping[str, Move]) -> Decision:
    return moves[agent].decision if agent in moves else NO_DECISION


def counted_decision(setup: Setup, node: Node) -> int | None:
    """Return the verdict that ended an episode, which may have been forced on the verifier."""
    if not node.done:
        return None
    return setup.handler.rules.forced(_decision(setup.spec.verifier, node.moves), setup.task.y)


def rewards_by_agent(setup: Setup, path: Sequence[Node]) -> dict[str, tuple[float, ...]]:
    """Return each agent's rewards round by round."""
    played = [node for node in path if node.parent is not None]
    return {
        agent: tuple(node.rewards[index] for node in played)
        for index, agent in enumerate(setup.spec.agent_names)
    }


def confidence_course(played: Sequence[Node], agent: str) -> tuple[tuple[int, int], ...]:
    """Return an agent's confidence by round."""
    return tuple(
        (node.round - 1, move.confidence)
        for node in played
        if (move := node.moves.get(agent)) is not None and move.confidence is not None
    )


def result(setup: Setup, path: Sequence[Node]) -> Result:
    """Return the result of a variation up to the end of a path through the tree."""
    here, y = path[-1], setup.task.y
    decision = counted_decision(setup, here)
    rewards = rewards_by_agent(setup, path)
    courses = {agent: confidence_course(path, agent) for agent in setup.spec.verifiers}
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


# -- what a seat sees -----------------------------------------------------------------------------


def _view_of(setup: Setup, agent: str) -> partial[View]:
    """Return a seat's view without what changes during play."""
    is_prover = agent in setup.spec.provers
    return partial(
        View,
        agent=agent,
        spec=setup.spec,
        statement=setup.task.statement,
        stance=setup.stance(agent),
        prompt=setup.prompt(agent),
        max_response_words=setup.max_response_words,
        informed_provers=setup.informed_provers,
        briefing=_briefing(setup, agent) if is_prover and setup.informed_provers else None,
        reading_seed=_reading_seed(setup, agent),
        _handler=setup.handler,
    )


def seen_round(setup: Setup, moves: Mapping[str, Move], agent: str) -> SeenRound:
    """Return what a seat sees of the moves of one round, once they are revealed."""
    spec = setup.spec
    anonymous = setup.anonymous_agents
    messages: list[SeenMessage] = []
    for channel in spec.visible_channels(agent):
        here = [
            SeenMessage(channel, sender if sender == agent or sender not in anonymous else None, t)
            for sender in spec.agent_names
            if (move := moves.get(sender)) is not None
            and (t := move.messages.get(channel)) is not None
        ]
        # The agents' order would reveal anonymous senders.
        here.sort(key=lambda m: (m.sender is None, m.text if m.sender is None else ""))
        messages += here
    own = moves.get(agent)
    return SeenRound(tuple(messages), None if own is None else own_text(setup, own))


def own_text(setup: Setup, move: Move) -> str:
    """Return a seat's move as the text that a model would write to make it."""
    if move.raw is not None:
        return move.raw
    if not move.messages:
        return f"Decision: {VERDICTS[move.decision]}"
    if len(move.messages) == 1:
        return next(iter(move.messages.values()))
    headers = setup.handler.response_headers(move.agent)
    channels = (c for c in setup.spec.channel_names if c in move.messages)
    return "\n\n".join(
        text if (text := move.messages[c]).startswith(headers[c]) else f"{headers[c]} {text}"
        for c in channels
    )


def informed_seats(spec: ProtocolSpec, moves: Mapping[str, Move], *, over: bool) -> frozenset[str]:
    """Return the seats to which a round has shown something written by others."""
    if over:
        return frozenset(spec.agent_names)
    return frozenset(
        viewer
        for sender, move in moves.items()
        for channel in move.messages
        for viewer in spec.channel(channel).viewers
        if viewer != sender
    )


def _briefing(setup: Setup, agent: str) -> Briefing:
    task, stance = setup.task, setup.stance(agent)
    return Briefing(
        y=task.y,
        explanation=task.explanation,
        exposing=task.exposing,
        opening=None if stance is None else task.opening(stance),
        answers={} if stance is None else {c.ask: c.answers[stance] for c in task.questions},
    )


def _ending(setup: Setup, path: Sequence[Node]) -> Ending:
    task = setup.task
    return Ending(
        decision=counted_decision(setup, path[-1]),
        y=task.y,
        explanation=task.explanation,
        exposing=task.exposing,
        proof=None if task.payload is None else task.payload.proof,
        stances={agent: setup.stance(agent) for agent in setup.spec.agent_names},
        rewards=rewards_by_agent(setup, path),
    )


def _reading_seed(setup: Setup, agent: str) -> int:
    """Return one byte of a hash, which suffices to draw an order but does not reveal the seed."""
    order = setup.handler.agent_specs[agent].channel_order or []
    drawn = any(not isinstance(item, str) for item in order)
    return stable_hash("nip-reading/1", setup.seed, agent)[0] if drawn else 0
