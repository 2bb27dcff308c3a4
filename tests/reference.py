"""A second implementation of the rules: for one item, in plain Python, from a plain document.

Independent of the code under test: it imports nothing from it, and reads the plain document that
`spec.to_dict()` gives.
"""

import math
from typing import Any

Document = dict[str, Any]


def turn(doc: Document, round_id: int, seed: int) -> dict[str, list[str]]:
    """Return who speaks on which channels in a round."""
    if not 0 <= round_id < doc["max_message_rounds"]:
        return {}
    schedule = doc["schedules"][seed % len(doc["schedules"])]
    prelude, cycle = schedule["prelude"], schedule["cycle"]
    if round_id < len(prelude):
        return prelude[round_id]
    return cycle[(round_id - len(prelude)) % len(cycle)] if cycle else {}


def names(doc: Document, *roles: str) -> list[str]:
    return [a["name"] for a in doc["agents"] if a["role"] in roles]


def active_mask(doc: Document, round_id: int, seed: int) -> list[list[bool]]:
    now = turn(doc, round_id, seed)
    channels = [c["name"] for c in doc["channels"]]
    return [[c in now.get(a["name"], []) for c in channels] for a in doc["agents"]]


def may_decide(doc: Document, round_id: int, seed: int) -> bool:
    return bool(turn(doc, round_id, seed).get(names(doc, "verifier")[0]))


def cosine(a: list[float], b: list[float]) -> float:
    na, nb = math.sqrt(sum(x * x for x in a)), math.sqrt(sum(x * x for x in b))
    return 0.0 if na == 0 or nb == 0 else sum(x * y for x, y in zip(a, b, strict=True)) / (na * nb)


def step(doc: Document, item: dict[str, Any], draws_stance: bool = False) -> dict[str, Any]:
    """Return the outcome of one item's round."""
    agents = [a["name"] for a in doc["agents"]]
    if item["done"] or item["terminated"]:
        return {
            "shared_done": item["done"],
            "agent_done": [d or item["done"] for d in item["agents_done"]],
            "terminated": item["terminated"],
            "reward": [0.0] * len(agents),
        }
    pay, y, round_id, seed = doc["payoff"], item["y"], item["round"], item["seed"]
    assert 0 <= round_id < doc["max_message_rounds"]
    last = round_id == doc["max_message_rounds"] - 1
    guess = may_decide(doc, round_id, seed)
    open_now = guess and round_id >= doc["min_message_rounds"] - 1
    forced = {None: None, "zero": 0, "one": 1, "y": y}[pay["force_guess"]]
    verifiers = names(doc, "verifier", "adversarial_verifier")
    was_done, made, now_done, choice = {}, {}, {}, {}
    for name in verifiers:
        at = agents.index(name)
        choice[name] = item["decision"][at] if forced is None else forced
        was_done[name] = item["agents_done"][at] if len(verifiers) == 2 else False
        made[name] = open_now and choice[name] != 2 and not was_done[name]
        now_done[name] = was_done[name] or made[name]
    shared_done = all(now_done.values())
    terminated = last and not shared_done

    verifier = names(doc, "verifier")[0]
    reward = dict.fromkeys(agents, 0.0)
    if made[verifier]:
        right = choice[verifier] == y
        reward[verifier] = pay["verifier_reward" if right else "verifier_incorrect_penalty"]
    elif terminated and not now_done[verifier]:
        reward[verifier] = pay["verifier_terminated_penalty"]
    elif guess and not now_done[verifier]:
        reward[verifier] = pay["verifier_no_guess_reward"]
    for agent in doc["agents"]:
        if agent["role"] != "prover":
            continue
        stance = item["prover_stance"] if draws_stance else agent.get("stance")
        if pay["shared_reward"]:
            reward[agent["name"]] = reward[verifier]
        elif made[verifier] and stance is not None and stance == choice[verifier]:
            reward[agent["name"]] = pay["prover_reward"]

    if len(verifiers) == 2:
        adversary = names(doc, "adversarial_verifier")[0]
        similarity = simulator_reward(doc, item, guess)
        if terminated and now_done[verifier]:
            reward[adversary] += pay["verifier_terminated_penalty"]
        reward[adversary] -= similarity
        reward[names(doc, "simulator")[0]] += similarity
        for prover in names(doc, "prover"):
            reward[prover] += pay["aux_prover_reward_coefficient"] * similarity
        agent_done = [now_done.get(name, shared_done) for name in agents]
    else:
        agent_done = [d or shared_done for d in item["agents_done"]]
    return {
        "shared_done": shared_done,
        "agent_done": agent_done,
        "terminated": terminated,
        "reward": [reward[name] for name in agents],
    }


def simulator_reward(doc: Document, item: dict[str, Any], guess: bool) -> float:
    agents = [a["name"] for a in doc["agents"]]
    adversary = names(doc, "adversarial_verifier")[0]
    at, sim = agents.index(adversary), agents.index(names(doc, "simulator")[0])
    place = {(c["base"], c["copy"]): i for i, c in enumerate(doc["channels"])}
    bases = list(dict.fromkeys(c["base"] for c in doc["channels"]))
    speaks = turn(doc, item["round"], item["seed"]).get(adversary, [])
    theirs: list[float] = []
    own: list[float] = []
    for base in bases:
        index = place[base, "adversarial"]
        if doc["channels"][index]["name"] in speaks:
            for position in item["main_message_logits"][at][index]:
                theirs += position
            for position in item["main_message_logits"][sim][place[base, "simulator"]]:
                own += position
    total = cosine(theirs, own) if theirs else 0.0
    if guess:
        total += cosine(item["decision_logits"][at], item["decision_logits"][sim])
    return doc["payoff"]["simulator_reward_coefficient"] * total
