"""Training rollouts as episodes: decisions, messages and rewards, read from tensors.

A rollout is a ``TensorDict`` (or a ``NestedArrayDict``, a mapping, or a list of them) whose last
batch dimension is time. It contains the keys that a protocol's step takes and returns; see
:func:`read_rollouts`. Nothing here loads torch before a rollout is read.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from nip_core.displays import Table, Tabular, brief, displayed, line
from nip_core.errors import StepInputError, UnsupportedError
from nip_core.play import MAX_POSITIONS, NO_DECISION, Episode, Move, Setup
from nip_core.registry import AnyProtocol, protocol
from nip_core.spec import ProtocolSpec, shown_round
from nip_core.tasks import Task
from nip_core.tasks.parts import Stance
from nip_core.text.parsing import Decision
from nip_core.transcript.document import dump

if TYPE_CHECKING:
    from nip_core.handler import ProtocolHandler
    from nip_core.transcript.tensors import Steps

__all__ = ["NOT_RECORDED", "Rollout", "RolloutStep", "Rollouts", "read_rollouts"]

NOT_RECORDED = "(not recorded)"
# The statement of an episode whose task was not text.
QUESTION = "What this episode was about is not in the rollout."
SOLUTION = "The label is: the statement holds, or it does not."


@displayed
@dataclass(frozen=True, slots=True)
class RolloutStep:
    """One round of a rollout.

    Parameters
    ----------
    round : int
    decisions : mapping of str to {0, 1}
        The decisions of verifiers whose turn it was. Whether they count depends on the protocol.
    messages : mapping of str to mapping of str to str
        Messages by agent and channel, if they were recorded.
    rewards : mapping of str to float
        The round's rewards, as recorded or else by the rules. Empty if neither is known.
    """

    round: int
    decisions: Mapping[str, int]
    messages: Mapping[str, Mapping[str, str]]
    rewards: Mapping[str, float]


@dataclass(frozen=True, eq=False)
class Rollout(Tabular):
    """One episode of a rollout.

    Parameters
    ----------
    name : str
        Its beginning in the batch: ``"2,0"`` is row 2, step 0.
    y : {0, 1}
    seed : int
    stance : {0, 1}, optional
        The provers' side, if it is drawn.
    steps : tuple of RolloutStep
    done, terminated : bool
        Whether it was decided, and whether the rounds ran out. Both are False if it was cut off.
    decision : {0, 1, 2}
        The verdict that counted, or 2 for none.
    """

    name: str
    y: int
    seed: int
    stance: int | None
    steps: tuple[RolloutStep, ...]
    done: bool
    terminated: bool
    decision: int

    @property
    def over(self) -> bool:
        """Whether it was played to its end."""
        return self.done or self.terminated

    @property
    def whole(self) -> bool:
        """Whether it begins with the first round."""
        return self.steps[0].round == 0

    @cached_property
    def totals(self) -> Mapping[str, float]:
        """Each agent's total reward."""
        agents = self.steps[0].rewards
        return {agent: sum(step.rewards[agent] for step in self.steps) for agent in agents}

    def spoke(self, step: RolloutStep, agent: str, spec: ProtocolSpec) -> bool:
        """Return whether an agent wrote in a round: it was its turn, and it did not decide."""
        turns = {name for name, _ in spec.turn(step.round, self.seed).speakers}
        return agent in turns and agent not in step.decisions

    def __repr__(self) -> str:
        rounds = f"{len(self.steps):,} round{'s' * (len(self.steps) != 1)}"
        end = "" if self.over else "cut off"
        return line(self, brief(self.name), f"y={self.y}", rounds, *filter(None, [end]))

    def table(self) -> Table:
        """Return each agent's actions and rewards in each round."""
        rows = [
            (
                step.round,
                agent,
                {0: "reject", 1: "accept"}.get(step.decisions.get(agent, NO_DECISION), ""),
                " / ".join(step.messages.get(agent, {}).values()),
                step.rewards.get(agent),
            )
            for step in self.steps
            for agent in step.rewards or step.decisions
        ]
        head = ("round", "agent", "decision", "messages", "reward")
        return Table(head, rows, {"round": shown_round})


@dataclass(frozen=True, eq=False)
class Rollouts(Tabular):
    """The episodes of a rollout, in the order of the batch.

    Parameters
    ----------
    handler : ProtocolHandler
    items : tuple of Rollout
    """

    handler: ProtocolHandler
    items: tuple[Rollout, ...]

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, place: int) -> Rollout:
        return self.items[place]

    def __iter__(self) -> Iterator[Rollout]:
        return iter(self.items)

    def __repr__(self) -> str:
        over = sum(item.over for item in self.items)
        return line(
            self, brief(self.handler.spec.name), f"{len(self):,} episodes", f"{over:,} over"
        )

    def table(self) -> Table:
        """Return a row for each episode: how it ended, and each agent's reward."""
        agents = self.handler.spec.agent_names
        rows = [
            (
                item.name,
                item.y,
                len(item.steps),
                {0: "reject", 1: "accept"}.get(item.decision, ""),
                *(item.totals.get(agent) for agent in agents),
            )
            for item in self.items
        ]
        return Table(("episode", "y", "rounds", "decision", *agents), rows)

    def episode(self, item: Rollout, task: Task | None = None) -> Episode:
        """Replay an episode of a rollout, so that it can be read like any other.

        Parameters
        ----------
        item : Rollout
        task : Task, optional
            The episode's task, whose label must be the rollout's.

        Raises
        ------
        UnsupportedError
            If it does not begin with the first round.
        """
        if not item.whole:
            raise UnsupportedError(
                f"Episode {item.name} of the rollout begins with round {item.steps[0].round}; "
                "only what begins with round 0 can be played again."
            )
        if task is None:
            task = Task(
                question=QUESTION,
                solution=SOLUTION,
                y=cast("Stance", item.y),
                title=f"Rollout {item.name}",
            )
        if task.y != item.y:
            raise StepInputError(f"The task's label is {task.y}; that of the rollout is {item.y}.")
        return _played_again(self.handler, item, task)

    def episodes(self) -> Iterator[tuple[str, Episode]]:
        """Yield names and episodes of all that are complete, from the first round to the end."""
        for item in self.items:
            if item.whole and item.over:
                yield item.name, self.episode(item)

    def to_jsonl(self) -> Iterator[str]:
        """Yield the transcripts of :meth:`episodes` as lines of a file for the Transcripts page.

        A saved TensorDict is a pickle, which may execute code when it is opened; a transcript is
        plain text and is checked by replaying it.
        """
        for _, episode in self.episodes():
            yield json.dumps(dump(episode), sort_keys=True, allow_nan=False) + "\n"

    def save(self, path: str | Path) -> int:
        """Write :meth:`to_jsonl` to a file, and return how many episodes are in it."""
        with Path(path).open("w", encoding="utf-8") as file:
            return sum(bool(file.write(text)) for text in self.to_jsonl())


def read_rollouts(rollouts: Any, which: AnyProtocol) -> Rollouts:
    """Read rollouts of any batch shape, with episodes of any lengths.

    Parameters
    ----------
    rollouts : TensorDict, NestedArrayDict, mapping, or list of them
        The last dimension of the batch ``(... time)`` is time; several episodes may follow each
        other in it. It holds, as the library's step takes and gives them:

        - ``"y"``, integer ``(... time)`` or ``(... time 1)``: the labels;
        - ``"round"``, integer ``(... time)``: a new episode begins where it is 0 again;
        - ``("agents", "decision")``, integer ``(... time agent)``: 0 reject, 1 accept, 2 none;
        - ``"done"`` and ``"terminated"``, boolean ``(... time)`` or ``(... time 1)``, if there:
          a step with which an episode ends, or that comes after its end. What follows an end is
          left out until a new episode begins;
        - ``"seed"``, integer ``(... time)``, where the seed picks the schedule, and
          ``"prover_stance"``, integer ``(... time)``, where stances are drawn;
        - ``("agents", "reward")``, number ``(... time agent)``, if there;
        - ``("agents", "message")``, if there: texts, or numbers of symbols,
          ``(... time agent channel)`` or ``(... time agent channel position)``;
        - ``"mask"`` or ``("collector", "mask")``, boolean ``(... time)``, if there: False where a
          step is padding.

        ``"done"``, ``"terminated"`` and the rewards may be under ``"next"``, as TorchRL has it;
        ``"decision"``, ``"reward"`` and ``"message"`` need not be under ``"agents"``.
    which : str, ProtocolSpec, ProtocolHandler or its class, or HyperParameters
        The protocol that was played; see :func:`nip_core.protocol`.

    Raises
    ------
    StepInputError
        If an entry is missing or invalid; names the key and the expected shape or value.
    """
    # Imported here, since it needs numpy, which other transcripts do not.
    from nip_core.transcript.tensors import read_steps

    handler = protocol(which)
    items: list[Rollout] = []
    for number, (part, prefix) in enumerate(_parts(rollouts)):
        steps = read_steps(part, handler, limit_used=sum(len(item.steps) for item in items))
        for name, places, end in steps.episodes():
            items.append(
                _rollout(steps, handler, f"{number}:{name}" if prefix else name, places, end)
            )
    return Rollouts(handler, tuple(items))


def _parts(rollouts: Any) -> list[tuple[Any, bool]]:
    """Return the rollouts to read one after the other; a lazy stack may contain ragged ones."""
    if isinstance(rollouts, list | tuple):
        return [(rollout, True) for rollout in cast("Sequence[Any]", rollouts)]
    lazy: Any = getattr(rollouts, "tensordicts", None)
    if isinstance(lazy, list):
        return [(rollout, True) for rollout in cast("list[Any]", lazy)]
    return [(rollouts, False)]


def _rollout(
    steps: Steps, handler: ProtocolHandler, name: str, places: list[int], end: str
) -> Rollout:
    spec, last = handler.spec, places[-1]
    agents, verifier = spec.agent_names, spec.agent_index(spec.verifier)
    seed = 0 if steps.seed is None else int(steps.seed[places[0]])

    def decides(agent: str, round_id: int) -> bool:
        """Return whether it is a verifier's turn; a policy's output out of turn has no effect."""
        return agent in spec.verifiers and agent in spec.turn(round_id, seed).agents

    steps_read = [
        RolloutStep(
            round=int(steps.round[place]),
            decisions={
                agent: int(decision)
                for agent, decision in zip(agents, steps.decision[place], strict=True)
                if decision != NO_DECISION and decides(agent, int(steps.round[place]))
            },
            messages=steps.messages_at(place, spec),
            rewards={}
            if steps.reward is None
            else dict(zip(agents, steps.reward[place].tolist(), strict=True)),
        )
        for place in places
    ]
    verdict = steps.verdict[last] if steps.verdict is not None else steps.decision[last, verifier]
    return Rollout(
        name=name,
        y=int(steps.y[places[0]]),
        seed=seed,
        stance=None if steps.stance is None else int(steps.stance[places[0]]),
        steps=tuple(steps_read),
        done=end == "done",
        terminated=end == "terminated",
        decision=int(verdict) if end == "done" else NO_DECISION,
    )


def _played_again(handler: ProtocolHandler, item: Rollout, task: Task) -> Episode:
    if len(item.steps) > MAX_POSITIONS:
        raise UnsupportedError(f"Episode {item.name} has more than {MAX_POSITIONS:,} rounds.")
    stances = {} if item.stance is None else dict.fromkeys(handler.spec.provers, item.stance)
    words = max(
        (
            len(text.split())
            for step in item.steps
            for own in step.messages.values()
            for text in own.values()
        ),
        default=1,
    )
    setup = Setup.of(handler, task, item.seed, stances, max_response_words=max(words, 100))
    episode = Episode.from_setup(setup)
    for step in item.steps:
        for agent in handler.spec.agent_names:
            if episode.over or episode.node.round > step.round:
                break
            legal = episode.legal(agent)
            if not legal.channels:
                continue
            decision = step.decisions.get(agent, NO_DECISION)
            if legal.may_decide and decision != NO_DECISION:
                episode.play(Move(agent, decision=cast("Decision", decision)))
                continue
            messages = step.messages.get(agent, {})
            texts = {channel: messages.get(channel) or NOT_RECORDED for channel in legal.channels}
            episode.play(Move(agent, texts))
    return episode
