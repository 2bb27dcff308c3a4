"""The meaning of a text as a vector: the sum of its words' vectors, which come with the package.

``python -m tests.make_vectors`` made them from the sentence model all-MiniLM-L6-v2 (see
``APACHE.txt``) and from the wordings of our prepared questions. They need neither this model nor
NumPy.
"""

from __future__ import annotations

import json
import math
import re
from array import array
from base64 import b64decode
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from operator import mul
from typing import Any

WORD = re.compile(r"[a-z]+|\d")
FILE = "vectors.json"


@cache
def _file() -> Mapping[str, Any]:
    return json.loads((files("explorer.players.scripted") / FILE).read_text("utf-8"))


def weights() -> Mapping[str, float]:
    """Return what likeness of each kind counts where prepared questions are compared."""
    return _file()["weights"]


@cache
def _table() -> tuple[dict[str, int], int, array[int]]:
    """Return the place of each word, the length of a vector, and all vectors in a row."""
    table = _file()
    words = {word: place for place, word in enumerate(table["words"].split())}
    return words, table["size"], array("b", b64decode(table["vectors"]))


@lru_cache(8192)
def vector(text: str) -> tuple[float, ...]:
    """Return the vector of a text, of length 1; zeros if it has no known word."""
    places, size, numbers = _table()
    known = (places[word] for word in WORD.findall(text.lower()) if word in places)
    rows = [numbers[place * size : (place + 1) * size] for place in known]
    total = [*map(sum, zip(*rows, strict=True))] if rows else [0] * size
    length = math.hypot(*total) or 1.0
    return tuple(each / length for each in total)


def cosine(one: Sequence[float], other: Sequence[float]) -> float:
    """Return how alike two texts are, by their vectors: at most 1."""
    return sum(map(mul, one, other))
