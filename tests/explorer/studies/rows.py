"""Hand-written rows."""

import itertools

from explorer.studies import ResultRow, Usage

_numbers = itertools.count()


def row(
    verdict: str = "right",
    *,
    y: int = 1,
    problem: str = "p",
    condition: str = "a",
    task: str | None = None,
    used: Usage | None = None,
    **more,
) -> ResultRow:
    decision = {"right": y, "wrong": 1 - y, "none": None}[verdict]
    fields = {
        "key": f"{next(_numbers):032x}",
        "condition": condition,
        "protocol": "nip",
        "verifier": "v",
        "provers": "p",
        "side": "protocol",
        "task": task or f"{problem}{y}",
        "problem": problem,
        "kind": "code_validation",
        "title": "T",
        "difficulty": "easy",
        "y": y,
        "epoch": 0,
        "seed": 0,
        "arm": "",
        "seats": {"prover": "p", "verifier": "v"},
        "stances": {"prover": 1},
        "verdict": verdict,
        "decision": decision,
        "rounds": 2,
        "terminated": verdict == "none",
        "rewards": {"prover": 1.0, "verifier": -1.0},
        "use": {"p": used} if used else {},
        "engine": "executor",
        "digest": "",
    }
    return ResultRow(**(fields | more))
