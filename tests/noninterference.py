"""Check that a seat gets nothing that it may not know.

A *world* is everything that makes an episode: the setup, the moves of the variation that is played,
moves that are held back, and other events (undone variations, comments, players). To *vary* a world
for a seat is to change randomly everything that the seat may not see. Every *surface* (the view,
the prompt, the chat, the redacted export, ...) must be the same text in both.

Pages and exports add their surfaces to :data:`SURFACES`.
"""

from __future__ import annotations

import dataclasses
import json
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from explorer.notebook.playing import view_html
from explorer.play.desks import made
from explorer.play.screens import Seen, screen
from nip_core.play import (
    INSTEAD_OF,
    STANDS_IN_FOR,
    Commented,
    Episode,
    Move,
    Origin,
    Refused,
    Seated,
    Setup,
    View,
)
from nip_core.tasks import Chip, Task
from nip_core.transcript import redact, to_markdown, to_plain_text

Moves = dict[str, Move]


def end_of_cell(view: View) -> tuple[str, ...]:
    """Return a view's text and table, as shown at the end of a cell."""
    return repr(view), view._repr_html_(), repr(view.table().rows)


Surface = Callable[[Episode, str], str]

# Surfaces of episodes of both versions.
COMMON: dict[str, Surface] = {
    "view": lambda episode, seat: episode.view_for(seat).to_json(),
    "prompt": lambda episode, seat: episode.view_for(seat).prompt,
    "portable": lambda episode, seat: json.dumps(episode.view_for(seat).portable_messages()),
    "export": lambda episode, seat: json.dumps(redact(episode, seat)),
    "markdown": to_markdown,
    "plain text": to_plain_text,
    "screen of a room": lambda episode, seat: json.dumps(
        Seen(episode, seat, revealed=False).screen
    ),
    "notebook": lambda episode, seat: view_html(episode.view_for(seat)),
    "desk": lambda episode, seat: json.dumps(made(episode.view_for(seat), None)),
    "legal moves": lambda episode, seat: repr(episode.legal(seat)),
    "end of a cell": lambda episode, seat: "".join(end_of_cell(episode.view_for(seat))),
}
# Surfaces of version 1, whose models can also be sent the documented conversation.
SURFACES: dict[str, Surface] = {
    **COMMON,
    "screen": lambda episode, seat: json.dumps(screen(episode.view_for(seat))),
}
# Surfaces of version 2.
TURN_SURFACES: dict[str, Surface] = {
    **COMMON,
    "seen": lambda episode, seat: repr([branch.seen for branch in episode.tree_for(seat)]),
}


@dataclass(frozen=True)
class World:
    """What makes an episode.

    Parameters
    ----------
    setup : Setup
    line : tuple of dict
        The moves of each played round, by agent.
    held : dict
        Moves of the present round that are held back.
    beside : int
        The seed of other events: undone variations, the order within a round, comments, players,
        times.
    bots : tuple of frozenset of str
        For each round, the agents for whom a bot has moved in somebody's place.
    """

    setup: Setup
    line: tuple[Moves, ...]
    held: Moves
    beside: int
    bots: tuple[frozenset[str], ...] = ()


WORDS = (
    "no",
    "yes",
    "because line 3 says so",
    "empty lists?",
    "0 and 1",
    "x" * 40,
    "ß 漢 🙂",
    "a\nb",
)


def some_text(rng: random.Random) -> str:
    return " ".join(rng.choice(WORDS) for _ in range(rng.randint(1, 6)))


def some_move(rng: random.Random, episode: Episode, agent: str, p_decide: float = 0.15) -> Move:
    """Return a random legal move."""
    legal = episode.legal(agent)
    verifier = agent in episode.rules.roles.deciders
    confidence = rng.randrange(101) if verifier and rng.random() < 0.5 else None
    if legal.may_decide and rng.random() < p_decide:
        raw = rng.choice([None, "Decision: accept", "I say: Decision: reject"])
        return Move(agent, {}, rng.randrange(2), confidence, raw)
    messages = {channel: some_text(rng) for channel in legal.channels}
    return Move(agent, messages, 2, confidence, rng.choice([None, some_text(rng)]))


def some_world(rng: random.Random, setup: Setup, rounds: int) -> World:
    """Return a random world with up to `rounds` rounds."""
    episode = Episode.from_setup(setup)
    line: list[Moves] = []
    while not episode.over and len(line) < rounds:
        moves = {agent: some_move(rng, episode, agent) for agent in episode.to_move}
        for move in moves.values():
            episode.play(move)
        line.append(moves)
    held = {}
    waiting = episode.to_move
    for agent in rng.sample(waiting, rng.randrange(max(len(waiting), 1))):
        held[agent] = some_move(rng, episode, agent)
    bots = tuple(_some_bots(rng, moves) for moves in line)
    return World(setup, tuple(line), held, rng.randrange(2**32), bots)


def _some_bots(rng: random.Random, moves: Moves) -> frozenset[str]:
    return frozenset(agent for agent in moves if rng.random() < 0.2)


def build(world: World) -> Episode:
    """Return the episode of a world."""
    rng = random.Random(world.beside)
    # A separate generator, so that bots change no other events.
    bots_rng = random.Random(world.beside)
    episode = Episode.from_setup(world.setup)
    for number, moves in enumerate(world.line):
        _happen_beside(rng, episode)
        bots = world.bots[number] if world.bots else frozenset()
        for agent in rng.sample(sorted(moves), len(moves)):
            sits = _some_stand_in(bots_rng) if agent in bots else {"kind": "human"}
            episode.apply(Seated(agent=agent, player=sits, at=str(rng.random())))
            episode.play(moves[agent], at=str(rng.random()), origin=some_origin(rng))
    _happen_beside(rng, episode)
    for agent in rng.sample(sorted(world.held), len(world.held)):
        episode.play(world.held[agent], at=str(rng.random()), origin=some_origin(rng))
    return episode


def _some_stand_in(rng: random.Random) -> dict[str, object]:
    """Return a random record of a bot in somebody's place: once, or until further notice."""
    whose = {STANDS_IN_FOR: {"kind": "human", "who": some_text(rng)}, "late": True}
    return {"kind": "scripted", **rng.choice([whose, {INSTEAD_OF: some_text(rng)}])}


def some_origin(rng: random.Random) -> dict[str, object]:
    """Return a random origin of a move, which nobody at the table may learn."""
    return Origin(
        kind="llm",
        model=some_text(rng),
        settings={"seed": rng.randrange(100)},
        tokens_in=rng.randrange(1000),
        tokens_out=rng.randrange(1000),
        seconds=rng.random(),
        refused=tuple(Refused(some_text(rng), some_text(rng)) for _ in range(rng.randrange(3))),
        reasoning=f"thought: {some_text(rng)}",
    ).to_dict()


def _happen_beside(rng: random.Random, episode: Episode) -> None:
    """Add events that do not affect the variation: an undone variation, a remark, a change of
    players.
    """
    here = episode.node.id
    for agent in episode.rules.seat_names:
        if rng.random() < 0.1:
            player = {"kind": rng.choice(["human", "llm"]), "name": some_text(rng)}
            episode.apply(Seated(agent=agent, player=player, at=str(rng.random())))
    if rng.random() < 0.1:
        episode.apply(Commented(node=here, text=some_text(rng)))
    if rng.random() < 0.3:
        for _ in range(rng.randint(1, 3)):
            for agent in episode.to_move:
                episode.play(some_move(rng, episode, agent, p_decide=0.5))
            if rng.random() < 0.5:
                break
        episode.goto(here)


def vary(rng: random.Random, world: World, seat: str) -> World:
    """Return another random world that is the same for a seat."""
    over = build(world).over
    setup = _vary_setup(rng, world, seat, over=over)
    line = tuple(
        {agent: _vary_move(rng, setup, seat, move) for agent, move in moves.items()}
        for moves in world.line
    )
    if setup.seed != world.setup.seed:
        line = tuple(_vary_speakers(setup, n, moves) for n, moves in enumerate(line))
    # Only the person in whose place a bot moved sees it; at the end, everybody does.
    bots = tuple(
        each if over else (each & {seat}) | (_some_bots(rng, moves) - {seat})
        for each, moves in zip(world.bots, line, strict=True)
    )
    varied = World(setup, line, {}, rng.randrange(2**32), bots)
    return dataclasses.replace(varied, held=_vary_held(rng, varied, world.held, seat))


def _vary_setup(rng: random.Random, world: World, seat: str, *, over: bool) -> Setup:
    setup, spec = world.setup, world.setup.handler.spec
    if over:
        # The end reveals the label, the stances and the rewards.
        return setup
    changes = {}
    knows_label = setup.informed_provers and seat in spec.provers
    if not knows_label and rng.random() < 0.8:
        changes["task"] = _other_label(setup.task)
    if setup.prover_stance is not None and seat not in spec.provers and rng.random() < 0.5:
        changes["prover_stance"] = 1 - setup.prover_stance
    for _ in range(4):
        seed = setup.seed + rng.randrange(1, 100)
        if _same_to(setup, seed, seat, len(world.line)):
            changes["seed"] = seed
            break
    return dataclasses.replace(setup, **changes)


def _other_label(task: Task) -> Task:
    """Return the same statement with everything else changed; a renaming cannot be invented."""
    same = {"question": task.question, "solution": task.solution, "title": task.title}
    same |= {"kind": task.kind, "difficulty": task.difficulty}
    pair = task.payload
    if pair is not None:
        if task.y == 0:
            return task
        pair = dataclasses.replace(pair, certificate=None)
    return Task(
        **same,
        y=1 - task.y,
        explanation=f"not {task.explanation}",
        openings=("the other way", "round"),
        questions=tuple(Chip(chip.ask, ("no?", "yes?")) for chip in task.questions),
        source_id="somebody else's",
        prover_stance=1 - (task.prover_stance or 0),
        payload=pair,
    )


def _same_to(setup: Setup, seed: int, seat: str, rounds: int) -> bool:
    """Return whether another seed is possible, by what the seat has seen so far."""
    spec, hidden = setup.handler.spec, setup.anonymous_agents
    order = setup.handler.agent_specs[seat].channel_order or []
    if any(not isinstance(item, str) for item in order):
        return False

    def seen(seed: int, number: int) -> list[tuple[str, str]]:
        speakers = spec.turn(number, seed).speakers
        return sorted(
            ("?" if agent in hidden and agent != seat else agent, channel)
            for agent, channel in speakers
            if spec.can_see(seat, channel)
        )

    now = spec.turn(rounds, setup.seed).channels_of(seat) == spec.turn(rounds, seed).channels_of(
        seat
    )
    silent = [bool(spec.turn(n, s).speakers) for s in (setup.seed, seed) for n in range(rounds + 1)]
    # Silent rounds pass automatically, so the world's rounds may differ from the episode's.
    return now and all(silent) and all(seen(setup.seed, n) == seen(seed, n) for n in range(rounds))


def _vary_speakers(setup: Setup, number: int, moves: Moves) -> Moves:
    """Return the same messages by those who speak under another seed."""
    turn, spec = setup.handler.spec.turn(number, setup.seed), setup.handler.spec
    left = [move for agent, move in moves.items() if agent not in turn.agents]
    texts = {c: t for move in left for c, t in move.messages.items()}
    varied: Moves = {}
    for agent in turn.agents:
        if agent in moves and set(turn.channels_of(agent)) >= set(moves[agent].messages):
            varied[agent] = moves[agent]
        else:
            channels = turn.channels_of(agent)
            varied[agent] = Move(agent, {c: texts.get(c, "nobody hears") for c in channels})
    assert set(varied) == {a for a in spec.agent_names if a in turn.agents}
    return varied


def _vary_move(rng: random.Random, setup: Setup, seat: str, move: Move) -> Move:
    if move.agent == seat:
        return move
    spec = setup.handler.spec
    confidence = rng.randrange(101) if move.agent in spec.verifiers else None
    raw = rng.choice([None, some_text(rng)])
    if move.decision != 2:
        return Move(move.agent, {}, move.decision, confidence, raw)
    messages = {
        channel: text if spec.can_see(seat, channel) else some_text(rng)
        for channel, text in move.messages.items()
    }
    return Move(move.agent, messages, 2, confidence, raw)


def _vary_held(rng: random.Random, world: World, held: Mapping[str, Move], seat: str) -> Moves:
    """Change other held-back moves; the seat's own stays, and the round stays incomplete."""
    episode = build(dataclasses.replace(world, beside=0))
    kept = {seat: held[seat]} if seat in held else {}
    waiting = [agent for agent in episode.to_move if agent != seat]
    most = len(waiting) - (1 if kept or seat not in episode.to_move else 0)
    for agent in rng.sample(waiting, rng.randint(0, max(most, 0))):
        kept[agent] = some_move(rng, episode, agent)
    return kept


def leaks(one: Episode, other: Episode, seat: str, surfaces: Mapping[str, Surface]) -> list[str]:
    """Return the surfaces by which a seat can distinguish the episodes of two worlds."""
    return [name for name, show in surfaces.items() if show(one, seat) != show(other, seat)]
