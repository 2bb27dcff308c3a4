"""The episodes of a study, determined by its file alone.

Every episode has its own seed, which depends on the study's seed and the episode's content, and not
on when and where it is played. So it is the same on one processor, on a cluster, and in a resumed
run.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from explorer.choice import ProtocolChoice, Source, Value
from explorer.players import Scripts, scripts_for
from explorer.studies.scripts import scripts_digest
from explorer.studies.study import (
    Condition,
    PlayerChoice,
    Study,
    StudyError,
    StudyTask,
    argues_for_an_answer,
    drawn,
    leading_side,
    sides_of,
    with_dealt,
)
from nip_core.displays import displayed
from nip_core.documents import canonical, stable_hash
from nip_core.errors import NipError
from nip_core.language import Specification
from nip_core.play import Episode, Seated, Setup
from nip_core.tasks import Passage, Task

if TYPE_CHECKING:
    from nip_core.play import Material
    from nip_core.text import CodeValidationProtocolHandler


def has_orders(choice: ProtocolChoice) -> bool:
    """Return whether the parameter for which prover speaks first has an effect."""
    return choice.value("sequential") is True and choice.value("prover0_first") is not None


def handler_of(
    choice: ProtocolChoice, *, draws_side: bool = False, prover0_first: bool | None = None
) -> CodeValidationProtocolHandler | None:
    """Return the protocol with its text layer; None if it is a document with stages.

    With `draws_side`, the provers' side is chosen although the protocol fixes one; and
    `prover0_first` says which of two alternating provers speaks first, instead of the parameters.
    """
    parameters = dict(choice.settings)
    if draws_side:
        parameters["randomize_prover_stance"] = True
    if prover0_first is not None:
        parameters["prover0_first"] = prover0_first
    return _layer(choice.source, tuple(parameters.items()), repr(parameters))


@lru_cache(64)
def _layer(
    source: Source, parameters: tuple[tuple[str, Value], ...], exactly: str
) -> CodeValidationProtocolHandler | None:
    # As a text, 1 and 1.0 differ, which the keys of kept studies tell apart.
    del exactly
    return source.text_layer(dict(parameters))


def layer_in(choice: ProtocolChoice, arm: Arm) -> CodeValidationProtocolHandler | None:
    """Return the documented text layer through which an arm is played, if there is one."""
    return handler_of(choice, draws_side=arm.side != "protocol", prover0_first=arm.prover0_first)


def digest_of(choice: ProtocolChoice, arm: Arm) -> str:
    """Return a digest of everything that determines the protocol's rules and prompts."""
    layer = layer_in(choice, arm)
    return _digest_of_rules(choice.rules) if layer is None else _digest_of_layer(layer)


@lru_cache(64)
def _digest_of_rules(rules: Specification) -> str:
    return sha256(json.dumps(rules.to_dict()).encode()).hexdigest()


@lru_cache(64)
def _digest_of_layer(layer: CodeValidationProtocolHandler) -> str:
    document = [layer.spec.to_dict(), layer.hyper_params.to_dict()]
    return sha256(canonical(document).encode()).hexdigest()


MAX_EPISODES = 1_000_000
_SIDES = {"accept": 1, "reject": 0}


@displayed
@dataclass(frozen=True, slots=True)
class Arm:
    """One of the ways in which a counterbalanced condition plays a task."""

    name: str  # its name; empty if there is only one
    side: str  # what provers argue for: ``protocol``, ``accept``, ``reject``, ``truth`` or ``lie``
    swapped: bool  # whether the provers' players are rotated by a seat
    prover0_first: bool | None  # which prover speaks first, if it is chosen


@cache
def _arms(sides: tuple[str, ...], swap: bool, both_orders: bool) -> tuple[Arm, ...]:
    ways: list[Arm] = []
    for side in sides:
        for swapped in (False, True) if swap else (False,):
            for first in (True, False) if both_orders else (None,):
                words = [
                    side if len(sides) > 1 else "",
                    ("swapped" if swapped else "as listed") if swap else "",
                    "" if first is None else f"prover{1 - first} first",
                ]
                ways.append(Arm(", ".join(filter(None, words)), side, swapped, first))
    return tuple(ways)


def arms(condition: Condition) -> tuple[Arm, ...]:
    """Return the ways in which a condition plays each task."""
    sides = (condition.side,)
    if condition.side == "both":
        choice = condition.protocol.choice
        rules, sides = choice.rules, ("accept", "reject")
        name = rules.roles.dealt
        if not choice.can_draw_side and name is None:
            sides = ("truth", "lie")
        elif name is not None and not argues_for_an_answer(rules):
            sides = tuple(map(str, rules.options[name]))
    return _arms(sides, condition.swap, condition.both_orders)


@displayed
@dataclass(frozen=True, slots=True)
class Point:
    """One episode of a study, before it is played."""

    # 32 hexadecimal digits that depend on everything that affects the episode, so a recorded
    # episode with this key need not be repeated.
    key: str
    number: int  # its position in the study, from 0
    condition: Condition
    task: StudyTask
    epoch: int  # counted from 0
    arm: Arm
    seed: int

    def setup(self) -> Setup:
        """Return the episode's setup."""
        # Imported here, since making its tasks loads what games of people need.
        from explorer.play import task_for

        of, choice = self.condition.protocol, self.condition.protocol.choice
        task: Any = task_for(choice.rules, self.task, self.seed)
        layer, rules, stances = layer_in(choice, self.arm), choice.rules, dict[str, int]()
        if self.arm.side != "protocol" and layer is None:
            rules, task = _with_side(rules, task, self.arm.side, self.seed)
        elif self.arm.side != "protocol" and isinstance(task, Task):
            side = {**_SIDES, "truth": task.y, "lie": 1 - task.y}[self.arm.side]
            stances = dict.fromkeys(rules.provers, side)
        return Setup.of(
            layer or rules,
            task,
            self.seed,
            stances,
            informed_provers=of.informed_provers,
            max_response_words=of.max_response_words,
        )

    def seats(self) -> dict[str, PlayerChoice]:
        """Return the players by agent."""
        return _seated(self.condition, swapped=self.arm.swapped)

    def record(self, agent: str) -> dict[str, Any]:
        """Return the transcript's record of a seat, without what a model's engine adds."""
        player = self.seats()[agent]
        name = {"player": player.name}
        if player.kind == "scripted":
            scripts = scripts_for(self.condition.protocol.choice, agent)
            return {**scripts.record(self.seed, agent, player.level, player.strategy), **name}
        if player.kind == "random":
            return {"kind": "random", **name}
        return {"kind": "llm", "model": player.model, "settings": dict(player.settings), **name}

    def episode(self) -> Episode:
        """Return the episode before its first move, with all players seated."""
        episode = Episode.from_setup(self.setup())
        for agent in episode.rules.seat_names:
            episode.apply(Seated(agent=agent, player=self.record(agent)))
        return episode


def _with_side(
    spec: Specification, task: Any, side: str, seed: int
) -> tuple[Specification, Material]:
    """Return a protocol and a task with the side that is drawn or picked otherwise."""
    from nip_core.play import Material

    name, truth = spec.roles.dealt, spec.roles.truth or ""
    if name is None:
        return spec, Material.of(spec, _ordered(spec, task, side, seed), seed)
    made, options = Material.of(spec, task, seed), spec.options[name]
    option = next((other for other in options if str(other) == side), None)
    if option is None:
        if side in ("truth", "lie") and truth not in made.facts:
            raise StudyError(
                f"The task {made.title!r} says no truth, so nobody can be made to argue for the "
                f"{side}. Give it a truth, or choose another `side`."
            )
        true = made.facts.get(truth) if side in ("truth", "lie") else spec.roles.first_answer
        wants_it = side in ("truth", "accept")
        option = next(other for other in options if (other == true) == wants_it)
    return with_dealt(spec, name), replace(made, facts={**made.facts, name: option})


def _ordered(spec: Specification, task: Any, side: str, seed: int) -> Passage:
    """Return a passage whose answers are so ordered that the first debater argues for a side."""
    if not isinstance(task, Passage):
        raise StudyError(
            f"{spec.name!r} gives each debater an answer, and {side!r} is chosen by the order of a "
            "passage's answers. Name passages as `tasks`, or leave `side` out."
        )
    two = task.two(seed)
    if (two.truth == leading_side(spec)) == (side == "truth"):
        return two
    rival = None if two.rival is None else 1 - two.rival
    return replace(two, answers=two.answers[::-1], right=1 - two.right, rival=rival)


def _seated(condition: Condition, *, swapped: bool) -> dict[str, PlayerChoice]:
    seats = dict(condition.seats)
    if swapped:
        _, provers = sides_of(condition.protocol.choice.rules)
        players = [seats[agent] for agent in provers]
        seats.update(zip(provers, players[1:] + players[:1], strict=True))
    return seats


def points(study: Study) -> list[Point]:
    """Return all episodes of a study.

    They are ordered by epoch and task, so that a study that is stopped early has played all
    conditions on the same tasks. A StudyError says that there are too many.
    """
    planned: list[Point] = []
    pairs = list(_pairs(study))
    ways = {
        condition.name: [(arm, canonical(_identity(condition, arm))) for arm in arms(condition)]
        for condition in study.conditions
    }
    # Each takes a hash of a whole text, and there are hundreds of episodes with each task.
    known = {id(task): (task.id, task.digest) for task in {id(t): t for _, t in pairs}.values()}
    if study.epochs * sum(len(ways[condition.name]) for condition, _ in pairs) > MAX_EPISODES:
        raise StudyError(
            f"The study has more than {MAX_EPISODES:,} episodes; lower `epochs`, or name fewer "
            "tasks or conditions."
        )
    for epoch in range(study.epochs):
        for condition, task in pairs:
            name, (task_id, digest) = condition.name, known[id(task)]
            seed = seed_of(study, name, task_id, epoch)
            for arm, identity in ways[name]:
                what = (name, identity, digest, epoch, arm.name, seed)
                key = stable_hash("nip-study-episode/1", *what).hex()[:32]
                planned.append(Point(key, len(planned), condition, task, epoch, arm, seed))
    return planned


def seed_of(study: Study, condition: str, task: str, epoch: int) -> int:
    """Return the seed of an episode, whether or not the study still has its task."""
    pairing = "" if study.paired else condition
    drawn_seed = stable_hash("nip-study-seed/1", study.seed, pairing, task, epoch)
    return int.from_bytes(drawn_seed[:6])


def _pairs(study: Study) -> Iterator[tuple[Condition, StudyTask]]:
    if study.paired:
        for task in drawn(study.sources, study.seed):
            for condition in study.conditions:
                yield condition, task
        return
    own = {
        condition.name: drawn(study.sources, study.seed, condition.name)
        for condition in study.conditions
    }
    for number in range(max(map(len, own.values()))):
        for condition in study.conditions:
            if number < len(own[condition.name]):
                yield condition, own[condition.name][number]


def _identity(condition: Condition, arm: Arm) -> Mapping[str, Any]:
    """Return everything about a condition that affects its episodes."""
    choice = condition.protocol.choice
    seats = {
        agent: _described(player, scripts_for(choice, agent))
        for agent, player in condition.seats.items()
    }
    return {
        "protocol": digest_of(choice, arm),
        "seats": seats,
        "side": arm.side,
        "swapped": arm.swapped,
        "words": condition.protocol.max_response_words,
        "informed": condition.protocol.informed_provers,
    }


_digest_of_scripts = cache(scripts_digest)


def _described(player: PlayerChoice, scripts: Scripts) -> list[Any]:
    """Return what determines a player's behaviour: not its name or prices."""
    if player.kind == "scripted":
        return ["scripted", player.level, player.strategy, _digest_of_scripts(scripts.family)]
    about_model = [player.model, player.base_url, dict(player.settings), dict(player.arguments)]
    return (
        [player.kind, *about_model, player.corrections] if player.kind == "model" else [player.kind]
    )


def check_playable(study: Study) -> None:
    """Check that every condition and arm can begin an episode on each kind of task."""
    kinds = {(type(task), task.kind): task for source in study.sources for task in source.tasks}
    for condition in study.conditions:
        for arm in arms(condition):
            for task in kinds.values():
                try:
                    Point("", 0, condition, task, 0, arm, 0).setup()
                except NipError as error:
                    raise StudyError(f"The condition {condition.name!r}: {error}") from None
