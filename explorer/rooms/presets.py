"""Workshops that are ready to be opened: what is compared, or simply played."""

from __future__ import annotations

import random
from dataclasses import dataclass

from explorer.rooms.plan import Condition
from nip_core.parameters import HyperParameters
from nip_core.registry import protocol_info, protocol_title
from nip_core.tasks import Difficulty, problems

__all__ = ["CODE", "PRESETS", "TASKS", "Preset", "conditions_of", "tasks_of"]

CODE = "code"
# Of how many tasks the tables share one each at a time, where nothing else is chosen.
TASKS = 8


@dataclass(frozen=True, slots=True)
class Preset:
    """What a workshop is about.

    Parameters
    ----------
    name : str
        For people.
    about : str
        One sentence.
    conditions : tuple of (str, str)
        What each is called, and its protocol.
    truth : str
        As of :class:`~explorer.rooms.Plan`.
    """

    name: str
    about: str
    conditions: tuple[tuple[str, str], ...]
    truth: str = "drawn"


PRESETS: dict[str, Preset] = {
    "apart": Preset(
        "Two provers, apart",
        "Tables of three: a verifier questions two provers who cannot hear each other.",
        (("Provers apart", "mnip"),),
    ),
    "one": Preset(
        "One prover",
        "Tables of two: a verifier questions a prover who may be lying.",
        (("One prover", "nip"),),
    ),
    "debate": Preset(
        "Debate",
        "Tables of three: two provers argue for opposite verdicts before a verifier.",
        (("Debate", "debate"),),
    ),
    "isolation": Preset(
        "Experiment: does isolation help?",
        "The same false statements everywhere. At half of the tables the two provers hear each "
        "other, at the others they do not; chance draws which.",
        (("Provers together", "mnip_together"), ("Provers apart", "mnip")),
        "false",
    ),
    "opponent": Preset(
        "Experiment: does an opponent help?",
        "The same false statements everywhere. Half of the tables have one prover, the others a "
        "debate; chance draws which.",
        (("One prover", "nip"), ("Debate", "debate")),
        "false",
    ),
}


def conditions_of(preset: str, parameters: HyperParameters | None = None) -> tuple[Condition, ...]:
    """The conditions of a preset; or a single one of any parameters, if it is none.

    Raises
    ------
    KeyError
        If it is neither.
    """
    if preset in PRESETS:
        return tuple(
            Condition(name, HyperParameters(interaction_protocol=protocol))
            for name, protocol in PRESETS[preset].conditions
        )
    if parameters is None:
        raise KeyError(preset)
    protocol = parameters.interaction_protocol
    assert protocol_info(protocol)
    return (Condition(protocol_title(protocol), parameters),)


def tasks_of(kind: str, difficulty: Difficulty | None, count: int, seed: int) -> tuple[str, ...]:
    """What a room plays on: of programs, as many different problems as there are.

    Parameters
    ----------
    kind : str
        Of the kinds of tasks that are bundled.
    difficulty : str, optional
    count : int
        How many.
    seed : int
        Draws them.
    """
    if kind == CODE:
        named = [problem.slug for problem in problems(difficulty)]
        random.Random(seed).shuffle(named)
        return tuple(f"problem:{slug}" for slug in named[:count])
    return (kind if difficulty is None else f"{kind}:{difficulty}",) * count
