"""How scripted players of statements play, measured in played text: levels, verifiers and risks.

Half of the bundled programs were used to choose the numbers, and the tables are about the other
half. ``nip-explorer study players`` plays the games again, prints the tables, and writes the risks.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from importlib import resources
from pathlib import Path
from typing import Any, cast

from explorer.players import (
    LEVELS,
    RISKS_FILE,
    STRATEGIES,
    Calibration,
    Features,
    Level,
    Risk,
    ScriptedExpert,
    ScriptedVerifier,
    arguments_in,
    calibration,
    code_of,
    desk_for,
    features,
    play_out,
    questions_left,
    script_for,
)
from explorer.studies.statistics import bootstrap_interval
from nip_core import HyperParameters
from nip_core.play import Episode, Move, Moved
from nip_core.tasks import Problem, Task, problems

# Verifiers that listen; the two middle ones are those against whom levels were chosen.
LISTENERS = tuple(name for name, each in STRATEGIES.items() if each.decides == "evidence")
KINDS = {"agrees": "true", "plan": "story"}
LIES = ("story", "concede", "invent")


def halves() -> tuple[Sequence[Problem], Sequence[Problem]]:
    """Return the problems on which numbers were chosen, and those that tables are about."""
    return problems()[::2], problems()[1::2]


def played(task: Task, level: Level, verifier: str, seed: int) -> Episode:
    """Return a finished game in the protocol with one prover and questions."""
    episode = Episode(HyperParameters(interaction_protocol="nip"), task, seed=seed)
    players: Mapping[str, Any] = {
        "verifier": ScriptedVerifier(verifier, seed),
        "prover": ScriptedExpert(script_for(task, 1), level, 7 * seed + 1),
    }
    play_out(episode, players)
    return episode


def accepted(
    tasks: Sequence[Problem], level: str, verifier: str, games: int, *, honest: bool = False
) -> list[float]:
    """Return for each problem how often a prover of its program was believed."""
    shares: list[float] = []
    for number, problem in enumerate(tasks):
        task = problem.correct if honest else problem.wrong
        seeds = (1000 * game + number for game in range(games))
        ends = [played(task, LEVELS[level], verifier, seed).result() for seed in seeds]
        shares.append(sum(end.decision == 1 for end in ends) / games)
    return shares


def clumsy(task: Task, verifier: str, seed: int) -> tuple[bool, bool]:
    """Return whether somebody who always takes the desk's story was believed, and had to lie."""
    parameters = HyperParameters(interaction_protocol="nip")
    episode = Episode(parameters, task, seed=seed, informed_provers=True)
    player, lied = ScriptedVerifier(verifier, seed), False
    while not episode.over:
        (seat,) = episode.to_move
        view = episode.view_for(seat)
        if seat == "verifier":
            episode.play(player.turn(view).move)
            continue
        ways = desk_for(view, verifier).suggestions
        taken = next((way for way in ways if way.kind == "story"), ways[0])
        lied = lied or taken.kind == "story"
        episode.play(Move(seat, {"main": taken.text}))
    return episode.result().decision == 1, lied


def believed(tasks: Sequence[Problem], verifier: str, games: int, *, lied: bool) -> list[float]:
    """Return how often clumsy liars were believed on each wrong program; see :func:`clumsy`.

    With `lied`, only games count in which they had to lie.
    """
    shares: list[float] = []
    for number, problem in enumerate(tasks):
        seeds = (1000 * game + number for game in range(games))
        ends = [clumsy(problem.wrong, verifier, seed) for seed in seeds]
        counted = [won for won, had_to in ends if had_to or not lied]
        if counted:
            shares.append(sum(counted) / len(counted))
    return shares


def interval(shares: Sequence[float]) -> tuple[float, float, float]:
    """Return a mean over tasks with its 95% interval, in percent."""
    mean = sum(shares) / len(shares)
    groups = [str(number) for number in range(len(shares))]
    low, high = bootstrap_interval([shares], groups) or (mean, mean)
    return 100 * mean, 100 * low, 100 * high


def answers(
    tasks: Sequence[Problem], verifier: str, games: int, seed: str
) -> Iterator[tuple[Features, bool]]:
    """Yield what a prover's answers were in games of random liars, and whether each was lost."""
    for problem in tasks:
        for game in range(games):
            rng = random.Random(f"{seed}/{problem.slug}/{game}")
            level = Level(
                "any",
                "",
                slip=Fraction(rng.choice((0, 1)), 10),
                invent=Fraction(rng.choice((0, 2)), 10),
                concede=Fraction(rng.choice((1, 3, 6)), 10),
                aside=rng.choice((0, 0, 1, 2)),
            )
            task = problem.correct if rng.random() < 0.3 else problem.wrong
            episode = played(task, level, verifier, rng.randrange(10**6))
            lost = episode.result().decision != 1
            for at in _answers_in(episode):
                yield at, lost


def _answers_in(episode: Episode) -> Iterator[Features]:
    code = code_of(episode.task.statement)
    assert code is not None
    lies = asides = 0
    asked = ""
    origins = {id(e.move): e.origin for e in episode.events if isinstance(e, Moved)}
    for position in episode.path()[1:]:
        if "verifier" in position.moves:
            asked = " ".join(position.moves["verifier"].messages.values())
        move = position.moves.get("prover")
        if move is None:
            continue
        said = cast("list[dict[str, Any]]", origins[id(move)].get("said", []))
        ways = ["aside" if part["how"] == "aside" else part["way"] for part in said[-1:]]
        kind = KINDS.get(ways[0], ways[0]) if ways else "true"
        asides += kind == "aside"
        unusual = any(repr(each) in code.unusual for each in arguments_in(asked, code.program))
        view = episode.view_for("prover", position.parent)
        yield features(kind, unusual, lies, asides, questions_left(view))
        lies += kind in LIES


def measured_risks(games: int, tests: int) -> tuple[dict[str, Risk], dict[str, Calibration]]:
    """Return the risks counted on one half of the tasks, and how good they are on the other."""
    fit, test = halves()
    found = {name: Risk.of(answers(fit, name, games, "fit")) for name in LISTENERS}
    good = {
        name: calibration(risk, answers(test, name, tests, "test")) for name, risk in found.items()
    }
    return found, good


def report(games: int = 12) -> Iterator[str]:
    """Yield the tables line by line, and write the risks at the end."""
    _, test = halves()
    yield "Accepted in % of games, on the half of the programs on which no number was chosen:"
    for name in LISTENERS:
        cells = [f"{name:9}"]
        for level in LEVELS:
            mean, low, high = interval(accepted(test, level, name, games))
            cells.append(f"{level} {mean:.0f} ({low:.0f} to {high:.0f})")
        mean, low, high = interval(accepted(test, "hard", name, games // 4 + 1, honest=True))
        cells.append(f"honest {mean:.0f} ({low:.0f} to {high:.0f})")
        yield "  ".join(cells)
    yield "Believed in % of games, if somebody always takes the story's answer from the desk:"
    for name in LISTENERS:
        cells = [f"{name:9}"]
        for lied, title in ((False, "all games"), (True, "games with a lie")):
            mean, low, high = interval(believed(test, name, games // 2, lied=lied))
            cells.append(f"{title} {mean:.0f} ({low:.0f} to {high:.0f})")
        yield "  ".join(cells)
    found, good = measured_risks(2 * games, games)
    for name, each in good.items():
        yield (
            f"Risk with {name}: {each.answers:,} answers, base rate {each.base:.2f}, Brier score "
            f"{each.brier:.3f} (always the base rate: {each.of_base:.3f}), calibration error "
            f"{each.error:.3f}"
        )
    file = Path(str(resources.files("explorer.players.scripted") / RISKS_FILE))
    rows = {name: risk.to_rows() for name, risk in found.items()}
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(each)}" for name, each in rows.items())
    file.write_text(f'{{"format": "nip-risks/1", "verifiers": {{\n{lines}\n}}}}\n', "utf-8")
    yield f"{file.name} was written."
