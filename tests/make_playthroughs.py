"""Writes the golden playthroughs: whole episodes of every protocol, under random moves.

Run ``python -m tests.make_playthroughs`` after adding a protocol or changing the rules on purpose,
and read the difference before committing it.
"""

import json
import random
from pathlib import Path
from typing import Any

import torch
from tensordict import TensorDict

from nip_core import (
    ExperimentSettings,
    HyperParameters,
    build_protocol_handler,
    protocol_names,
    published_names,
    specification,
)
from nip_core.transcript import dump
from tests.play.turn_players import begun, play_on

FOLDER = Path(__file__).parent / "playthroughs"
# The protocols of version 2.
PUBLISHED = FOLDER / "published"
SEEDS = range(4)


def play(handler: Any, seed: int) -> dict[str, Any]:
    """Return one episode from its first round to its end."""
    rng, spec = random.Random(seed), handler.spec
    agents, channels = len(spec.agents), len(spec.channels)
    y, stance = rng.randrange(2), rng.randrange(2)
    state = {"done": False, "terminated": False, "agents_done": [False] * agents}
    rounds = []
    while not (state["done"] or state["terminated"]):
        round_id = len(rounds)
        decision = [rng.choice([0, 1, 2, 2, 2]) for _ in range(agents)]
        seats: dict[str, Any] = {
            "decision": torch.tensor(decision),
            "done": torch.tensor(state["agents_done"]),
        }
        if spec.is_zero_knowledge:
            # Halves, so that the written digits of cosines are the same on every machine.
            def logits(*shape: int) -> list[Any]:
                return [
                    logits(*shape[1:]) if shape[1:] else rng.randint(-4, 4) / 2
                    for _ in range(shape[0])
                ]

            seats["main_message_logits"] = torch.tensor(logits(agents, channels, 1, 2))
            seats["decision_logits"] = torch.tensor(logits(agents, 3))
        env = TensorDict(
            {
                "y": torch.tensor([y]),
                "round": torch.tensor(round_id),
                "seed": torch.tensor(seed),
                "prover_stance": torch.tensor(stance),
                "done": torch.tensor(state["done"]),
                "terminated": torch.tensor(state["terminated"]),
                "agents": seats,
            },
            batch_size=[],
        )
        shared_done, agent_done, terminated, reward = handler.step_interaction_protocol(env)
        state = {
            "done": shared_done.item(),
            "terminated": terminated.item(),
            "agents_done": agent_done.tolist(),
        }
        speakers = [
            f"{agent} on {channel}" for agent, channel in spec.turn(round_id, seed).speakers
        ]
        rounds.append(
            {
                "speakers": speakers,
                "may_decide": spec.may_decide(round_id, seed),
                "decision": dict(zip(spec.agent_names, decision, strict=True)),
                "reward": {
                    name: round(value, 4) + 0.0
                    for name, value in zip(spec.agent_names, reward.tolist(), strict=True)
                },
                **state,
            }
        )
    return {"seed": seed, "y": y, "rounds": rounds}


def playthrough(name: str) -> str:
    """Return the file of a protocol."""
    content: dict[str, Any] = {}
    for variant in ("plain", "zero_knowledge"):
        common = {"zero_knowledge": variant == "zero_knowledge"}
        parameters = HyperParameters(interaction_protocol=name, protocol_common=common)
        handler = build_protocol_handler(parameters, ExperimentSettings())
        content[variant] = [play(handler, seed) for seed in SEEDS]
    return json.dumps(content, indent=1) + "\n"


def turns(name: str) -> str:
    """Return the file of a published protocol: who acted, what was chosen, paid and readable."""
    content: list[dict[str, Any]] = []
    for seed in SEEDS:
        episode, rng = begun(specification(name), seed)
        play_on(episode, rng)
        result = episode.result()
        played = zip(dump(episode)["positions"][1:], episode.nodes[1:], strict=True)
        content.append(
            {
                "seed": seed,
                "turns": [
                    {
                        "acted": list(node.moves),
                        "choices": position["choices"],
                        "rewards": {s: round(p, 6) + 0.0 for s, p in position["rewards"].items()},
                        "reads": position["reads"],
                    }
                    for position, node in played
                ],
                "verdict": result.verdict,
                "right": result.right,
                "paid": {seat: round(float(p), 6) + 0.0 for seat, p in result.paid.items()},
            }
        )
    return json.dumps(content, separators=(",", ":")).replace('{"acted"', '\n {"acted"') + "\n"


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    PUBLISHED.mkdir(exist_ok=True)
    for name in published_names():
        (PUBLISHED / f"{name}.json").write_text(turns(name), encoding="utf-8")
    for name in protocol_names():
        (FOLDER / f"{name}.json").write_text(playthrough(name), encoding="utf-8")


if __name__ == "__main__":
    main()
