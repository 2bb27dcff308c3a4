"""The outcome of a round by the protocol's rules, and the result of a variation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from nip_core.displays import Table, Tabular, line
from nip_core.handler.rules import Item
from nip_core.play.moves import MAX_CONFIDENCE, NO_DECISION, Move
from nip_core.play.setup import Outcome, Setup
from nip_core.play.tree import Node
from nip_core.spec import shown_round
from nip_core.tasks import VERDICTS
from nip_core.text.parsing import Decision

__all__ = [
    "Result",
    "confidence_course",
    "counted_decision",
    "result",
    "rewards_by_agent",
    "step",
]


@dataclass(frozen=True, slots=True)
class Result(Tabular):
    """The result of a variation so far.

    Parameters
    ----------
    decision : {0, 1}, optional
        The verdict that counted.
    done, terminated : bool
    right : bool, optional
        Whether the verdict is the truth; None without a verdict.
    rewards : mapping of str to tuple of float
        By agent, then by round.
    totals : mapping of str to float
    confidence : mapping of str to tuple of (round, value)
        Each verifier's confidence, in percent.
    brier : mapping of str to float
        The mean of (confidence / 100 - y)^2: 0 is best, and always saying 50 gives 0.25.
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

    def __repr__(self) -> str:
        if not (self.done or self.terminated):
            return line(self, "not over")
        verdict = "no verdict" if self.decision is None else VERDICTS[self.decision]
        judged = {True: ["right"], False: ["wrong"], None: list[str]()}[self.right]
        paid = (f"{agent} {reward:+g}" for agent, reward in self.totals.items())
        known = [f"tainted for {', '.join(sorted(self.tainted))}"] if self.tainted else []
        return line(self, verdict, *judged, *paid, *known)

    def table(self) -> Table:
        """Return each agent's reward in each round, and in total."""
        rounds = range(max(map(len, self.rewards.values()), default=0))
        head = ("agent", *(f"round {shown_round(r)}" for r in rounds), "in all")
        return Table(
            head, [(agent, *paid, self.totals[agent]) for agent, paid in self.rewards.items()]
        )


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
