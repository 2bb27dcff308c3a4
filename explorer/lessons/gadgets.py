"""What lessons' games are played with: coins, shuffled graphs, sealed boxes, vertex questions.

All chance comes from the generator that is handed in, which a game takes from the machine's own
source: a prover who could foresee it could cheat.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from random import Random

__all__ = [
    "Edge",
    "SealedValue",
    "coin",
    "commit",
    "on_a_circle",
    "opens",
    "shuffled",
    "vertex_question",
]

Edge = tuple[int, int]


def coin(random: Random) -> int:
    """A fair coin: 0 or 1."""
    return random.getrandbits(1)


def shuffled(
    edges: Iterable[Edge], nodes: int, random: Random
) -> tuple[tuple[Edge, ...], list[int]]:
    """A copy of a graph under uniformly random new names, and each node's new name."""
    names = list(range(nodes))
    random.shuffle(names)
    renamed = (sorted((names[a], names[b])) for a, b in edges)
    return tuple(sorted((a, b) for a, b in renamed)), names


@dataclass(frozen=True, slots=True)
class SealedValue:
    """A sealed value: what is shown of it, and what opens it.

    Hiding and binding rest on the hash being one-way and free of collisions; the lessons'
    statements about zero knowledge are about ideal boxes, which are both without conditions.
    """

    seal: str
    value: str
    salt: str


def commit(value: str, random: Random) -> SealedValue:
    """Seal a value."""
    salt = f"{random.getrandbits(128):032x}"
    return SealedValue(_seal(value, salt), value, salt)


def opens(seal: str, value: str, salt: str) -> bool:
    """Is this what was sealed?"""
    return _seal(value, salt) == seal


def _seal(value: str, salt: str) -> str:
    return sha256(f"{salt}/{value}".encode()).hexdigest()


def vertex_question(nodes: int, random: Random) -> Edge:
    """An ordered pair of vertices, all ``nodes ** 2`` pairs with the same chance."""
    return random.randrange(nodes), random.randrange(nodes)


def on_a_circle(nodes: int) -> Mapping[int, tuple[float, float]]:
    """Where to draw the nodes of a graph."""
    angles = (2 * math.pi * n / nodes - math.pi / 2 for n in range(nodes))
    return {n: (0.5 + 0.46 * math.cos(a), 0.5 + 0.46 * math.sin(a)) for n, a in enumerate(angles)}
