"""Gestures with their check, beside the check alone, and the text that follows them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from benchmarks.timing import best_seconds, size
from nip_core import specification
from nip_core.editing import Draft, do, follow, mutations_of, text_of
from nip_core.language import load_specification

AT = {"stage": 0, "turn": 3}


def large(seats: int = 6, turns: int = 30) -> Draft:
    """Return a protocol in which two of many seats write at once, on one of three channels."""
    names = [f"s{number}" for number in range(seats)]
    rows = [
        {names[(n + k) % seats]: {"say": [f"c{n % 3}"]} for k in range(2)} for n in range(turns)
    ]
    document = {
        "format": "nip-protocol/2",
        "name": "large",
        "seats": {name: {"title": name.upper()} for name in names},
        "channels": {f"c{number}": {"seen": "everyone"} for number in range(3)},
        "stages": [
            {"name": f"stage{n}", "turns": rows[n * turns // 3 : (n + 1) * turns // 3]}
            for n in range(3)
        ],
    }
    return Draft.read(document)


def measure() -> Iterator[dict[str, Any]]:
    """Yield milliseconds of gestures; the aim is 1 for mnip and 5 for 30 turns of 6 seats."""
    mnip = Draft.of(specification("mnip"))
    wall = {"one": "prover0", "other": "verifier"}
    for name, draft, gesture, arguments in (
        ("mnip", mnip, "repeat", {"stage": 0, "times": 5}),
        ("mnip", mnip, "wall", wall),
        ("mnip", mnip, "remove", {"kind": "seat", "name": "prover0"}),
        ("30 turns, 6 seats", large(), "repeat", {"stage": 0, "times": 5}),
        ("30 turns, 6 seats", large(), "write", {"seat": "s5", "channel": "c1", **AT}),
        ("30 turns, 6 seats", large(), "wall", {"one": "s0", "other": "s1"}),
        ("100 turns, 10 seats", large(10, size(99, 9)), "repeat", {"stage": 0, "times": 5}),
    ):
        result = do(draft, gesture, arguments)
        assert result.refused is None, result.refused
        made, text = result.draft, text_of(draft)
        yield {
            "protocol": name,
            "gesture": gesture,
            "ms": best_seconds(lambda d=draft, g=gesture, a=arguments: do(d, g, a)) * 1e3,
            "check_ms": best_seconds(lambda d=made: load_specification(d.document)) * 1e3,
            "text_ms": best_seconds(lambda t=text, a=draft, b=made: follow(t, a, b)) * 1e3,
        }
    yield {"protocol": "mnip", "mutations_ms": best_seconds(lambda: mutations_of(mnip)) * 1e3}
