"""What each protocol buys: a row for each, and a story in sentences that numbers prove.

The rows are kept in ``protocols.json``, since all of them take minutes;
``tests/make_comparison.py`` computes them again, and tests compute a sample.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

from explorer.choice import ProtocolChoice
from explorer.rewards.wit import COMPARED, SCEPTICAL, TRUSTING, ByWit
from nip_core.displays import displayed, with_minus
from nip_core.language import Specification
from nip_core.registry import protocol_infos, published_names
from nip_core.values import Evidence, Reading, card

__all__ = ["STORY", "Claim", "Row", "kept_rows", "kept_story", "row_of", "sweep"]

KEPT = Path(__file__).with_name("protocols.json")
SECONDS = 60.0


@displayed
@dataclass(frozen=True, slots=True)
class Row:
    """What one protocol buys, with the default evidence.

    Parameters
    ----------
    name, title, family, digest : str
    measure : str
        ``"verdict right"``, or whose pay stands for it.
    random, honest, trusting, reply, deceived, together : float, optional
        The measure by chance; if experts are honest, for a sceptical judge and for a trusting one;
        with the worst of single best replies, for both; and if all experts reply best together.
    gain : float, optional
        The most that one expert gains by that.
    missing : str
        Why numbers are missing; empty if none is.
    """

    name: str
    title: str
    family: str
    digest: str
    measure: str
    random: float | None = None
    honest: float | None = None
    trusting: float | None = None
    reply: float | None = None
    deceived: float | None = None
    together: float | None = None
    gain: float | None = None
    missing: str = ""


def row_of(name: str, evidence: Evidence | None = None, **settings: Any) -> Row:
    """Compute the row of a protocol."""
    choice = ProtocolChoice.of(name).with_settings(settings)
    spec = choice.rules
    wit = ByWit(spec, card(spec, evidence, seconds=SECONDS, keys=COMPARED))
    gains = [
        float(reading.value)
        for seat in wit.experts
        for judge, reading in wit.readings("one", f"gain of {spec.seat_phrase(seat)}").items()
        if judge != TRUSTING and reading.how == "exact"
    ]
    return Row(
        name,
        choice.title,
        choice.family,
        spec.digest,
        wit.measure,
        _one(wit.readings("random", wit.measure)),
        _one(wit.readings("honest", wit.measure)),
        _one(wit.readings("honest", wit.measure), trusting=True),
        None if wit.worst is None else float(wit.worst.value),
        _least(wit, trusting=True),
        _one(wit.readings("together", f"{wit.measure} with another plan of all")),
        # The most is known once that of each expert is.
        max(gains, default=None) if len(gains) == len(wit.experts) else None,
        " ".join(wit.missing),
    )


def _one(found: Mapping[str, Reading], *, trusting: bool = False) -> float | None:
    """Return the number for a sceptical judge, or for a trusting one."""
    for judge, reading in found.items():
        if (judge == TRUSTING) == trusting or judge not in (SCEPTICAL, TRUSTING):
            return float(reading.value)
    return None


def _least(wit: ByWit, *, trusting: bool) -> float | None:
    found = (
        _one(
            wit.readings("one", f"{wit.measure} with another plan of {wit.spec.seat_phrase(s)}"),
            trusting=trusting,
        )
        for s in wit.experts
    )
    return min((value for value in found if value is not None), default=None)


# -- sweeps of two sliders -----------------------------------------------------------------------

PLACES = (0.0, 0.25, 0.5, 0.75, 1.0)


@displayed
@dataclass(frozen=True, slots=True)
class Swept:
    """A number of a protocol for each pair of two chances, as far as it is computed.

    Parameters
    ----------
    measure : str
    values : mapping of (float, float) to (honest, reply)
        For the first and the second chance: if experts are honest, and with the worst best reply.
    """

    measure: str
    values: Mapping[tuple[float, float], tuple[float | None, float | None]]


def sweep(
    spec: Specification,
    across: str,
    up: str,
    evidence: tuple[tuple[str, Any], ...],
    *,
    cancelled: threading.Event | None = None,
) -> Iterator[Swept]:
    """Yield how honest play and best replies depend on two chances, from coarse to fine."""
    places = sorted(product(PLACES, PLACES), key=lambda at: sum(x not in (0, 0.5, 1) for x in at))
    values: dict[tuple[float, float], tuple[float | None, float | None]] = {}
    until = time.monotonic() + SECONDS
    for x, y in places:
        told: dict[str, Any] = {**dict(evidence), across: str(x), up: str(y)}
        left = max(0.1, until - time.monotonic())
        wit = ByWit(
            spec,
            card(spec, Evidence(**told), seconds=left, cancelled=cancelled, keys=COMPARED),
        )
        worst = None if wit.worst is None else float(wit.worst.value)
        values[x, y] = _one(wit.readings("honest", wit.measure)), worst
        yield Swept(wit.measure, dict(values))
        if time.monotonic() > until:
            return


# -- the story ---------------------------------------------------------------------------------


@displayed
@dataclass(frozen=True)
class Claim:
    """A sentence about protocols, the numbers in it, and what must hold of them.

    Parameters
    ----------
    text : str
        A format with the names of the numbers.
    numbers : mapping of str to (protocol, evidence, settings, field of a row)
    holds : callable
        Takes the numbers; returns whether the sentence is true.
    """

    text: str
    numbers: Mapping[str, tuple[str, dict[str, Any], dict[str, Any], str]]
    holds: Callable[[Mapping[str, float]], bool] = field(repr=False)

    def computed(self) -> dict[str, float]:
        """Compute its numbers."""
        found: dict[str, float] = {}
        for name, (protocol, evidence, settings, what) in self.numbers.items():
            found[name] = _number(protocol, Evidence(**evidence), settings, what)
        return found

    def sentence(self, numbers: Mapping[str, float]) -> str:
        """Return the sentence with its numbers."""
        told = {
            n: f"{v:.1%}" if 0 <= v <= 1 else with_minus(f"{v:.2f}") for n, v in numbers.items()
        }
        return self.text.format(**told)


def _number(protocol: str, evidence: Evidence, settings: dict[str, Any], what: str) -> float:
    """Return a number of a row, or what the judge is paid if experts are honest ("score")."""
    if what != "score":
        return float(getattr(row_of(protocol, evidence, **settings), what))
    spec = ProtocolChoice.of(protocol).with_settings(settings).rules
    wit = ByWit(spec, card(spec, evidence, seconds=SECONDS, keys=COMPARED))
    paid = _one(wit.readings("honest", f"pay of {spec.seat_phrase(wit.judge)}"))
    assert paid is not None
    return paid


CLOSE = 1e-9
BLIND, KNOWS, FRESH = {"own": "0.5"}, {"own": "0.6"}, {"own": "0.5", "fresh": "1"}
AGAIN = {"own": "0.5", "repeat": True}

STORY = (
    Claim(
        "Choosing one's own side makes consultancy worse: against the best reply the judge is "
        "right in {chosen} of cases, where a side is assigned in {assigned}. An opponent repairs "
        "most of it: {opposed}.",
        {
            "assigned": ("khan_consultancy", BLIND, {}, "reply"),
            "chosen": ("open_consultancy", BLIND, {}, "reply"),
            "opposed": ("open_debate", BLIND, {}, "reply"),
        },
        lambda n: (
            n["chosen"] < n["opposed"] <= n["assigned"] + CLOSE
            and n["opposed"] - n["chosen"] > (n["assigned"] - n["chosen"]) / 2
        ),
    ),
    Claim(
        "Debate beats assigned consultancy only if the judge knows something ({debate} against "
        "{consultancy}; without that both {blind}), is scored by probability (a mean score of "
        "{scored} against {scored_one}), or evidence keeps coming ({fresh} against {fresh_one}).",
        {
            "debate": ("khan_debate", KNOWS, {}, "honest"),
            "consultancy": ("khan_consultancy", KNOWS, {}, "honest"),
            "blind": ("khan_debate", BLIND, {}, "honest"),
            "blind_one": ("khan_consultancy", BLIND, {}, "honest"),
            "scored": ("michael_debate", BLIND, {}, "score"),
            "scored_one": ("michael_consultancy", BLIND, {}, "score"),
            "fresh": ("khan_debate", FRESH, {}, "honest"),
            "fresh_one": ("khan_consultancy", FRESH, {}, "honest"),
        },
        lambda n: (
            n["debate"] > n["consultancy"]
            and abs(n["blind"] - n["blind_one"]) < CLOSE
            and n["scored"] > n["scored_one"]
            and n["fresh"] > n["fresh_one"]
        ),
    ),
    Claim(
        "Rebuttals add nothing ({with_} with one, {without} without) unless evidence is fresh "
        "({fresh_with} against {fresh_without}).",
        {
            "with_": ("critique_rebuttal", BLIND, {}, "honest"),
            "without": ("single_critique", BLIND, {}, "honest"),
            "fresh_with": ("critique_rebuttal", FRESH, {}, "honest"),
            "fresh_without": ("single_critique", FRESH, {}, "honest"),
        },
        lambda n: abs(n["with_"] - n["without"]) < CLOSE and n["fresh_with"] > n["fresh_without"],
    ),
    Claim(
        "Isolation is worth nothing while both provers speak at once: {apart} apart, {together} "
        "together; one prover alone has {one}.",
        {
            "apart": ("mnip", BLIND, {}, "honest"),
            "together": ("mnip_together", BLIND, {}, "honest"),
            "one": ("nip", BLIND, {}, "honest"),
        },
        lambda n: abs(n["apart"] - n["together"]) < CLOSE and n["apart"] > n["one"],
    ),
    Claim(
        "If they speak in turn and may repeat what they heard, isolation is worth a whole prover: "
        "{apart} apart, {together} together, as little as one prover alone ({one}).",
        {
            "apart": ("mnip", AGAIN, {"sequential": True}, "honest"),
            "together": ("mnip_together", AGAIN, {"sequential": True}, "honest"),
            "one": ("nip", AGAIN, {}, "honest"),
        },
        lambda n: abs(n["together"] - n["one"]) < CLOSE and n["apart"] > n["together"],
    ),
)


# -- what is kept ------------------------------------------------------------------------------


def names() -> list[str]:
    """Return the names of all protocols but those for developers."""
    own = [info.name for info in protocol_infos() if not info.for_developers]
    return [*own, *published_names()]


@cache
def _kept() -> dict[str, Any]:
    return json.loads(KEPT.read_text("utf-8"))


def kept_rows() -> list[Row]:
    """Return the rows of all protocols, as they were computed last."""
    return [Row(**row) for row in _kept()["rows"]]


def kept_story() -> list[tuple[str, bool]]:
    """Return the sentences of the story with their numbers, and whether each is true."""
    told = zip(STORY, _kept()["story"], strict=True)
    return [(claim.sentence(numbers), claim.holds(numbers)) for claim, numbers in told]
