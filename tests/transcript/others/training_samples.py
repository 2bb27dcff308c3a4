"""Records of training runs, in the form of those that verifiers 0.4 writes."""

import json

from nip_core import Episode
from nip_core.play import Move
from nip_core.tasks import bundled_tasks
from nip_core.transcript import dump

TASKS = bundled_tasks()


def played(number=0, verdict=1):
    """Return an episode in which the verifier accepts or rejects at once."""
    episode = Episode("nip", TASKS[number], seed=number)
    while not episode.over:
        (seat,) = episode.to_move
        if seat == "verifier":
            episode.play(Move(seat, decision=verdict))
        else:
            episode.play(Move(seat, dict.fromkeys(episode.legal(seat).channels, "It holds.")))
    return episode


def record(step, episode, **changed):
    """Return a record as a document."""
    totals = episode.result().totals
    traces = [
        {
            "id": f"{number:032x}",
            "agent": {"name": seat, "trainable": True},
            "nodes": [],
            "rewards": {"payoff": {"score": paid, "weight": 1.0}},
            "metrics": {"stood_in": 0.0},
            "info": {"nip": {"payoff": paid, "right": 1.0, "stood_in": 0.0}},
        }
        for number, (seat, paid) in enumerate(totals.items())
    ]
    traces[0]["info"]["nip"]["transcript"] = dump(episode)
    run = {"run": {"type": "train", "id": "r", "work": {"type": "train", "step": step}}}
    return {
        "id": "e",
        "env": {"id": "my_env"},
        "task": {"type": "NipTask", "data": {"name": "A task"}},
        "ok": True,
        "errors": [],
        "traces": traces,
        **({} if step is None else run),
        **changed,
    }


def line(step, episode, **changed):
    """Return a record as a line of a file."""
    return json.dumps(record(step, episode, **changed)).encode() + b"\n"
