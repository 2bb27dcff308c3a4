"""An episode as a sample of Inspect: a solver that plays it, and scorers of its end."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, cast

import anyio.to_thread
from inspect_ai.dataset import Sample
from inspect_ai.log import transcript
from inspect_ai.model import ChatMessageAssistant
from inspect_ai.scorer import (
    CORRECT,
    INCORRECT,
    NOANSWER,
    Score,
    Scorer,
    Target,
    accuracy,
    ci,
    ci_wilson,
    grouped,
    mean,
    scorer,
    stderr,
)
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import collect, span

from explorer.play import Table
from explorer.players import Acted, ModelPlayer, Player
from explorer.studies.inspect.archive import STORED, stored
from explorer.studies.study import StudyTask
from nip_core.play import Episode, Move, View, chosen_in
from nip_core.tasks import VERDICTS, Passage, Task

if TYPE_CHECKING:
    from nip_core.language import Specification


# The name of the result in a sample's store.
RESULT = "nip_result"
# Metadata by which errors are clustered, since solutions of one problem, and epochs, are not
# independent.
CLUSTER = "problem"
# The metadata of a study's samples.
CONDITION = "condition"


def sample_of(
    task: StudyTask,
    problem: str,
    rules: Specification,
    name: str | None = None,
    **more: Any,
) -> Sample:
    """Return a protocol's task as a sample. The label is its target, which no seat sees.

    The input of a passage, or of a task with parts, consists of its parts. Solutions share a
    problem. The name is by default the task's id; `more` is further metadata.
    """
    return Sample(
        id=name or task.id,
        input=text_of(task),
        target=truth_of(task, rules),
        metadata={
            "task": task.id,
            CLUSTER: problem,
            "kind": task.kind,
            "difficulty": getattr(task, "difficulty", None) or "",
            **more,
        },
    )


def text_of(task: StudyTask) -> str:
    """Return a task's content as one text."""
    if isinstance(task, Task):
        return f"{task.question}\n\n{task.solution}"
    return "\n\n".join(f"{name}:\n{text}" for name, text in task.parts.items())


def truth_of(task: StudyTask, rules: Specification) -> str:
    """Return the truth if a task contains it; of a passage, the text of the right answer.

    Each episode draws the letter of that answer and the other answers.
    """
    if isinstance(task, Task):
        return VERDICTS[task.y]
    if isinstance(task, Passage):
        return task.answers[task.right].text
    return str(task.facts.get(rules.roles.truth or "", ""))


def said_in(move: Move, rules: Specification) -> dict[str, str]:
    """Return the texts and choices of a move, by channel and choice."""
    chosen = {name: str(option) for name, option in chosen_in(move, rules).items()}
    return {**move.messages, **chosen}


def verdict_of(episode: Episode) -> str:
    """Return the verdict of an episode; empty if there is none."""
    verdict = episode.result().verdict
    return "" if verdict is None else str(verdict)


@solver
def play(
    begin: Callable[[TaskState], Table],
    ended: Callable[[TaskState, Episode, Exception | None], None] | None = None,
) -> Solver:
    """Play a sample's episode, at the table that `begin` makes with its models.

    `ended` is called with the result before the sample ends.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        table = begin(state)
        episode = table.episode
        trouble: Exception | None = None
        try:
            for agent, player in table.players.items():
                if agent not in episode.players:
                    table.seat(agent, player.describe())
            while not episode.over:
                await _play_round(state, table)
        except Exception as error:
            trouble = error
            raise
        finally:
            # The moves before a failure are kept too.
            state.store.set(STORED, stored(episode))
            if ended is not None and (episode.over or trouble is not None):
                ended(state, episode, trouble)
        result = episode.result()
        state.store.set(
            RESULT,
            {
                "decision": result.decision,
                "right": result.right,
                "totals": dict(result.totals),
                "rounds": episode.node.round,
            },
        )
        state.output.completion = verdict_of(episode)
        state.completed = True
        return state

    return solve


async def _play_round(state: TaskState, table: Table) -> None:
    """Let all players of a turn move at the same time, so that none sees another's message."""
    number, players = table.round, table.players_to_move()
    turns = [_turn(player, table.episode.view_for(agent)) for agent, player in players.items()]
    # A single player needs no span to separate it from others in the log.
    acted = await collect(*turns) if len(turns) > 1 else [await turns[0]]
    for agent, act in zip(players, acted, strict=True):
        table.take(agent, act)
        texts = said_in(act.move, table.episode.rules)
        transcript().info({"seat": agent, "round": number, **texts}, source="nip")
        # For readers of Inspect's viewer; each seat's own conversation is in its span.
        text = "\n\n".join(f"{agent}, {where}: {words}" for where, words in texts.items())
        state.messages.append(
            ChatMessageAssistant(content=text, metadata={"seat": agent, "round": number})
        )


async def _turn(player: Player, view: View) -> Acted:
    async with span(view.agent, type="agent"):
        if isinstance(player, ModelPlayer):
            return await player.aturn(view)
        # Scripts compute for a while, so they run in a thread.
        return await anyio.to_thread.run_sync(player.turn, view)


@scorer(
    metrics=[
        accuracy(),
        stderr(cluster=CLUSTER),
        ci_wilson(),
        ci(method="bootstrap", cluster=CLUSTER),
    ]
)
def verdict() -> Scorer:
    """Score whether the verdict is the truth. No verdict is its own category and counts as 0."""
    return _score_verdict


@scorer(
    name="verdict",
    metrics=[
        grouped(accuracy(), CONDITION, all=False),
        grouped(stderr(cluster=CLUSTER), CONDITION, all=False, name_template="{group_name} ±"),
    ],
)
def verdict_by_condition() -> Scorer:
    """Score like :func:`verdict`, separately for each condition of a study."""
    return _score_verdict


async def _score_verdict(state: TaskState, target: Target) -> Score:
    answer, right = state.output.completion, _result(state).get("right")
    # The episode draws the answers of a passage, so it determines the right one.
    value = NOANSWER if right is None else CORRECT if right else INCORRECT
    return Score(value=value, answer=answer, metadata=_result(state))


@scorer(metrics={"*": [mean(), stderr(cluster=CLUSTER)]})
def reward() -> Scorer:
    """Score each seat's reward."""

    async def score(state: TaskState, target: Target) -> Score | None:
        # Inspect also scores samples that exceeded one of its limits; those have no rewards.
        totals = _totals(state)
        return Score(value=dict(totals)) if totals else None

    return score


def reward_by_condition(agent: str) -> Scorer:
    """Score one seat's reward, separately for each condition of a study that has the seat.

    Inspect needs the same keys in all scores, but conditions differ in their seats.
    """

    @scorer(name=f"reward_{agent}", metrics=[grouped(mean(), CONDITION, all=False)])
    def made() -> Scorer:
        async def score(state: TaskState, target: Target) -> Score | None:
            paid = _totals(state).get(agent)
            return None if paid is None else Score(value=paid)

        return score

    return made()


def _totals(state: TaskState) -> Mapping[str, float]:
    return _result(state).get("totals", {})


def _result(state: TaskState) -> dict[str, Any]:
    return cast("dict[str, Any]", state.store.get(RESULT) or {})
