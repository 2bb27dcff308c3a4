# verifiers needs an older client of OpenAI than Inspect, so it is missing where types are checked.
# pyright: basic, reportMissingImports=false
"""Any protocol as a multi-agent environment of `verifiers`, on which models are trained.

A file of your own names the protocol, and its name is the environment's id there:

.. code-block:: python

    # debates.py
    from explorer.studies.training import environment

    Tasks, Environment, Seat = environment("khan_debate", frozen=["judge"])
    __all__ = ["Tasks", "Environment", "Seat"]

Each seat is an agent with its own model, whose prompt is made from the seat's view alone, as for
every model here. Payoffs are rewards. Records of such runs contain the transcripts, so that
``nip-explorer open`` shows them.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack
from typing import Any

import httpx
import verifiers.v1 as vf
from pydantic import create_model
from verifiers.v1.dialects.chat import message_to_wire
from verifiers.v1.runtimes import ProgramResult, SubprocessConfig

from explorer.play import Table
from explorer.players import (
    Acted,
    AnswerWait,
    LLMFailedError,
    LLMSettings,
    ModelAnswer,
    ModelPlayer,
    Player,
    RandomPlayer,
)
from explorer.studies.dealing import Dealer, chosen, player_named, role_of
from explorer.studies.inspect.errors import EvalsError
from explorer.usage import Usage
from nip_core.language import Specification
from nip_core.play import Episode
from nip_core.text import PortableMessage, split_thoughts
from nip_core.transcript import TRAINING_NOTES, dump

PURPOSE = "nip-training-episode/1"


class NipData(vf.TaskData):
    """The task of an episode, by its id: what it says reaches seats through their views only."""

    repetition: int = 0


class NipTask(vf.Task[NipData, vf.State, vf.TaskConfig]):
    """A task of the protocol's kind."""


class Seat(vf.Harness[vf.HarnessConfig]):
    """Sends a seat's whole conversation to its model. Nothing runs on any machine.

    A conversation that begins like the last one continues its branch of the trace, and another one
    begins a new branch.
    """

    EXECUTES_CODE = False
    NEEDS_CONTAINER = False
    SUPPORTS_RESUME = True

    async def launch(self, ctx, trace, runtime, endpoint, secret, mcp_urls, data) -> ProgramResult:
        """Ask the model for one answer."""
        asked = {"model": ctx.model, "messages": [message_to_wire(each) for each in data.prompt]}
        headers = {"Authorization": f"Bearer {secret}"}
        async with httpx.AsyncClient(timeout=None) as client:
            reply = await client.post(f"{endpoint}/chat/completions", json=asked, headers=headers)
        trouble = "" if reply.is_success else f"HTTP {reply.status_code}: {reply.text[:500]}"
        return ProgramResult(int(not reply.is_success), "", trouble)

    async def resume(
        self, ctx, trace, runtime, endpoint, secret, mcp_urls, data, messages, tools=None
    ) -> ProgramResult:
        """Ask with this conversation, which is whole."""
        asked = data.model_copy(update={"prompt": messages})
        return await self.launch(ctx, trace, runtime, endpoint, secret, mcp_urls, asked)


class _Asked:
    """An agent as the client of a model; see :class:`~explorer.players.models.ModelClient`."""

    offers_scratchpad = True

    def __init__(self, agent: vf.Agent, corrections: int) -> None:
        self.settings = LLMSettings(str(agent.config.model), corrections=corrections)
        self.agent = agent
        self.interaction: vf.Interaction | None = None
        self.unusable = 0

    def describe(self) -> dict[str, object]:
        """Return the transcript's record of the model."""
        return {"engine": "verifiers", "model": self.settings.model}

    async def complete(
        self, messages: Sequence[PortableMessage], waiting: AnswerWait | None = None
    ) -> ModelAnswer:
        """Ask the model; an LLMFailedError says that one of the agent's limits is reached."""
        assert self.interaction is not None
        trace, begun = self.interaction.trace, time.monotonic()
        over = trace.stop_condition is not None
        segment = None if over else await self.interaction.turn([dict(each) for each in messages])
        if segment is None or segment.terminated:
            if trace.errors:
                raise EvalsError(f"The model was not asked: {trace.errors[-1].message}")
            raise LLMFailedError(str(trace.stop_condition), "")
        call, said = trace.calls[-1], segment.messages[-1]
        used = call.usage
        usage = Usage(1, seconds=time.monotonic() - begun)
        if used is not None:
            usage += Usage(0, used.input_tokens, used.completion_tokens, used.cost or 0.0)
        if waiting is not None:
            waiting.used += usage
        answer = split_thoughts((said.content or "").replace("\0", "\ufffd"))
        thoughts = filter(None, (said.reasoning_content, answer.thoughts))
        return ModelAnswer(
            answer.text,
            "\n\n".join(thoughts),
            call.finish_reason or "stop",
            tools=bool(said.tool_calls),
            unclosed=answer.unclosed,
            usage=usage,
        )


def environment(
    protocol: str | Specification,
    *,
    parameters: Mapping[str, Any] | None = None,
    tasks: str = "bundled",
    difficulty: str | None = None,
    seats: Mapping[str, str] | None = None,
    frozen: Collection[str] = (),
    repetitions: int = 1,
    seed: int = 0,
    corrections: int = 2,
    informed_provers: bool = False,
    max_response_words: int = 150,
) -> tuple[type[vf.Taskset], type[vf.Env], type[vf.Harness]]:
    """Return a protocol's tasks, environment and harness, for a file to export.

    Parameters
    ----------
    protocol : str or Specification
    parameters, tasks, difficulty, seats, seed, informed_provers, max_response_words
        As for Inspect's tasks. Seats named in `seats` are scripts and no agents.
    frozen : collection of str
        Seats or roles (``verifier``, ``prover``) that models play without being trained.
    repetitions : int
        How many episodes with other draws (sides, orders, chance) each task has.
    corrections : int
        How often an answer that is no move goes back with the reason. After the last one, a random
        legal move is played instead, and counted in the metric ``stood_in``.

    Raises
    ------
    EvalsError
        If the protocol, a setting or a seat is impossible.
    """
    dealer = Dealer(
        chosen(protocol, parameters or {}),
        tasks,
        difficulty,
        seats or {},
        seed,
        informed_provers=informed_provers,
        max_response_words=max_response_words,
    )
    rules = dealer.choice.rules
    roles = {seat: role_of(rules, seat) for seat in rules.seat_names}
    if unknown := sorted({*frozen} - {*roles, *roles.values()}):
        raise EvalsError(f"There is no seat or role {', '.join(unknown)} to freeze.")
    agents = [seat for seat in rules.seat_names if seat not in dealer.named]
    if not agents:
        raise EvalsError("All seats are scripts; at least one must be left to a model.")
    if taken := [seat for seat in agents if seat in vf.EnvConfig.model_fields]:
        raise EvalsError(f"verifiers has a field of its own with the name of {', '.join(taken)}.")
    # What a seat's agent does runs here; nothing is sent to a sandbox.
    agent = vf.AgentConfig(runtime=SubprocessConfig())
    fields: dict[str, Any] = dict.fromkeys(agents, (vf.AgentConfig, agent))
    config = create_model("NipConfig", __base__=vf.EnvConfig, **fields)

    class Tasks(vf.Taskset[NipTask, vf.TasksetConfig]):
        def load(self) -> Iterator[NipTask]:
            for repetition in range(repetitions):
                for one in dealer.known.values():
                    data = NipData(id=one.id, name=one.title, repetition=repetition)
                    yield NipTask(data, self.config.task)

    class Environment(vf.Env[config]):
        async def setup(self, agents: vf.Agents) -> None:
            for seat in names:
                if seat in frozen or roles[seat] in frozen:
                    getattr(agents, seat).trainable = False

        async def run(self, task: vf.Task, agents: vf.Agents) -> None:
            drawn = dealer.deal(task.data.id, task.data.repetition, purpose=PURPOSE)
            asked = {seat: _Asked(getattr(agents, seat), corrections) for seat in names}
            players: dict[str, Player] = {
                seat: ModelPlayer(asked[seat])
                if seat in asked
                else player_named(drawn, seat, dealer.named[seat])
                for seat in rules.seat_names
            }
            table = Table(Episode.from_setup(drawn), players=players, timed=False)
            for seat, player in players.items():
                table.seat(seat, player.describe())
            async with AsyncExitStack() as stack:
                while not table.over:
                    await _play_round(table, asked, task, stack)
            _record(table.episode, asked)

        async def finalize(self, task: vf.Task, episode: vf.Episode) -> None:
            for trace in episode.traces:
                found = trace.info[TRAINING_NOTES]
                trace.record_reward("payoff", found["payoff"])
                trace.record_metric("stood_in", found["stood_in"])
                if found["right"] is not None:
                    trace.record_metric("right", found["right"])

    names = agents
    return Tasks, Environment, Seat


async def _play_round(
    table: Table, asked: Mapping[str, _Asked], task: vf.Task, stack: AsyncExitStack
) -> None:
    """Let all players of a turn move at the same time, so that none sees another's message."""
    players = table.players_to_move()
    for seat in players:
        client = asked.get(seat)
        if client is not None and client.interaction is None:
            # The seat's own words reach its model through its view, and nothing else does.
            blank = vf.Task(vf.TaskData(id=task.data.id, name=f"{task.data.name}: {seat}"))
            client.interaction = await stack.enter_async_context(client.agent.interaction(blank))
    turns = [_turn(table, seat, player, asked.get(seat)) for seat, player in players.items()]
    for seat, acted in zip(players, await asyncio.gather(*turns), strict=True):
        table.take(seat, acted)


async def _turn(table: Table, seat: str, player: Player, client: _Asked | None) -> Acted:
    view = table.episode.view_for(seat)
    try:
        return await player.aturn(view)
    except LLMFailedError:
        if client is None:
            raise
        client.unusable += 1
        stand_in = RandomPlayer(table.episode.setup.seed)
        return Acted(stand_in.turn(view).move, stand_in.describe())


def _record(episode: Episode, asked: Mapping[str, _Asked]) -> None:
    """Note on each seat's trace what it was paid, and on the first one the whole episode."""
    result = episode.result()
    traces = {seat: each.interaction.trace for seat, each in asked.items() if each.interaction}
    for seat, trace in traces.items():
        trace.info[TRAINING_NOTES] = {
            "payoff": float(result.totals[seat]),
            "right": None if result.right is None else float(result.right),
            "stood_in": float(asked[seat].unusable),
        }
    for trace in [*traces.values()][:1]:
        trace.info[TRAINING_NOTES]["transcript"] = dump(episode)
