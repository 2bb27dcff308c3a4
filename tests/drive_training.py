"""Plays every protocol as an environment of verifiers; run where that is installed.

It prints a line of JSON for each protocol: what went wrong, and the records as a trainer writes
them.
"""

import asyncio
import json
import random
import sys
import types
from contextlib import ExitStack
from unittest.mock import patch

import verifiers.v1 as vf
from verifiers.v1.utils.loaders import resolve_env_config

from explorer.players import RandomPlayer
from explorer.players.models import player as models
from explorer.studies.inspect.errors import EvalsError
from explorer.studies.training import environment
from nip_core.language import Specification
from nip_core.play.answers import as_answer
from nip_core.registry import protocol_names, published_names, specification
from nip_core.transcript import read_training_record

ROUNDS = 2
ASKING, ANSWERED = models.asking, models.answered


class Scripted(vf.Client):
    """A client whose model makes random legal moves, but for some answers, which are none.

    It knows a view only by the conversation that was made from it, so a request with anything
    else, or anything more, is found out.
    """

    def __init__(self, useless=0.2):
        self.views, self.asked, self.rng = {}, 0, random.Random(1)
        self.useless = useless

    def asking(self, view, **how):
        chat = ASKING(view, **how)
        self.views[json.dumps(chat)] = view
        return chat

    def answered(self, chat, *said):
        longer = ANSWERED(chat, *said)
        self.views[json.dumps(longer)] = self.views[json.dumps(chat)]
        return longer

    async def get_response(self, dialect, body, sampling, **more):
        chat = [{"role": each["role"], "content": each["content"]} for each in body["messages"]]
        self.asked += 1
        view = self.views[json.dumps(chat)]
        move = RandomPlayer(self.rng.randrange(1000)).turn(view).move
        text = "<think>I know.</think>" + as_answer(view._named, move)
        if self.rng.random() < self.useless:
            text = ""
        raw = {
            "id": str(self.asked), "object": "chat.completion", "created": 0, "model": "scripted",
            "choices": [{
                "index": 0, "finish_reason": "stop",
                "message": {"role": "assistant", "content": text},
            }],
            "usage": {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10},
        }  # fmt: skip
        response = dialect.parse_response(dialect.validate_response(raw))
        response.raw = raw
        return response

    async def close(self):
        pass


def plugin(name, protocol, configured=None, **more):
    """Make the module that a file of a user's would be, and return the environment."""
    module = sys.modules[name] = types.ModuleType(name)
    module.Tasks, module.Environment, module.Seat = environment(protocol, **more)
    module.__all__ = ["Tasks", "Environment", "Seat"]
    return module.Environment(resolve_env_config({"taskset": {"id": name}, **(configured or {})}))


async def play(env, client):
    context = vf.ModelContext(
        model="scripted", client=vf.EvalClientConfig(base_url="http://127.0.0.1:1/v1")
    )
    tasks = list(env.taskset)
    chosen = [tasks[0], tasks[-1]][:ROUNDS]
    async with env.serving():
        return [await env.run_slot(slot, context) for task in chosen for slot in env.slots(task)]


def tried(protocol, client=None, **more):
    """Play some episodes of a protocol, and return what the test reads."""
    client = client or Scripted()
    with ExitStack() as stack:
        for name in ("asking", "answered"):
            stack.enter_context(patch.object(models, name, getattr(client, name)))
        where = "verifiers.v1.interception.server.resolve_client"
        stack.enter_context(patch(where, lambda config: client))
        frozen = specification(protocol).roles.deciders
        env = plugin(f"nip_{protocol}", protocol, frozen=frozen, repetitions=2, **more)
        episodes = asyncio.run(play(env, client))
    problems, records = [], []
    for each in episodes:
        problems += [error.message for error in each.errors]
        problems += [error.message for trace in each.traces for error in trace.errors]
        records.append(json.dumps(each.to_record()))
        read = read_training_record(records[-1])
        problems += read.differences
        if read.episode is None:
            continue
        totals = read.episode.result().totals
        for trace in each.traces:
            seat = trace.agent.name
            if trace.reward != totals[seat]:
                problems.append(f"{seat} has {trace.reward}, not {totals[seat]}")
            if trace.agent.trainable != (seat not in frozen):
                problems.append(f"{seat} is trained: {trace.agent.trainable}")
            if not trace.num_turns:
                problems.append(f"{seat} was not asked")
    return {
        "protocol": protocol,
        "problems": problems,
        "records": records,
        "agents": list(env._agent_specs),
        "stood_in": [
            {trace.agent.name: trace.metrics["stood_in"] for trace in each.traces}
            for each in episodes
        ],
    }


def refused(protocol, **more):
    try:
        environment(protocol, **more)
    except EvalsError as error:
        return str(error)
    return ""


def special():
    """Return what is refused, and two unusual environments."""
    seats = {"prover": "random", "verifier": "random"}
    spec = specification("nip").to_dict()
    named = json.loads(json.dumps(spec).replace('"prover"', '"retries"'))
    refusals = [
        refused("nip", frozen=["nobody"]),
        refused("nip", seats=seats),
        refused(Specification.from_dict(named)),
    ]
    never = tried("nip", Scripted(1.0), corrections=1, parameters={})
    scripted = tried("nip", seats={"verifier": "scripted"})
    stopped = tried("nip", Scripted(0.0), configured={"verifier": {"max_turns": 1}})
    return [refusals, never, scripted, stopped]


if __name__ == "__main__":
    if sys.argv[1:] == ["--special"]:
        print(json.dumps(special()))
        sys.exit()
    for name in sys.argv[1:] or (*protocol_names(), *published_names()):
        print(json.dumps(tried(name)), flush=True)
