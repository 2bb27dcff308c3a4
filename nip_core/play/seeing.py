"""What a seat sees of an episode. Views are made only here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from nip_core.documents import stable_hash
from nip_core.play.moves import Legal, Move
from nip_core.play.outcomes import confidence_course, counted_decision, rewards_by_agent
from nip_core.play.setup import Setup
from nip_core.play.tree import Node
from nip_core.play.view import Briefing, Ending, View
from nip_core.spec import ProtocolSpec
from nip_core.tasks import VERDICTS
from nip_core.text import SeenMessage, SeenRound

__all__ = ["informed_seats", "make_view", "seen_round"]


def make_view(
    setup: Setup,
    path: Sequence[Node],
    agent: str,
    *,
    rounds: tuple[SeenRound, ...],
    legal: Legal,
    held: Move | None,
    stood_in: Sequence[tuple[int, str]] = (),
) -> View:
    """Return a seat's view at the end of a path through the tree."""
    here = path[-1]
    played = [node for node in path if node.parent is not None]
    is_prover = agent in setup.spec.provers
    return View(
        agent=agent,
        spec=setup.spec,
        statement=setup.task.statement,
        stance=setup.stance(agent),
        prompt=setup.prompt(agent),
        max_response_words=setup.max_response_words,
        informed_provers=setup.informed_provers,
        round=here.round,
        rounds=rounds,
        legal=legal,
        held=held,
        confidence=confidence_course(played, agent),
        briefing=_briefing(setup, agent) if is_prover and setup.informed_provers else None,
        ending=_ending(setup, path) if here.over else None,
        reading_seed=_reading_seed(setup, agent),
        # The seat itself may know this at once, all others once it is over.
        stood_in=tuple(each for each in stood_in if here.over or each[1] == agent),
        _handler=setup.handler,
    )


def seen_round(setup: Setup, moves: Mapping[str, Move], agent: str) -> SeenRound:
    """Return what a seat sees of the moves of one round, once they are revealed."""
    spec = setup.spec
    anonymous = setup.anonymous_agents
    messages: list[SeenMessage] = []
    for channel in spec.visible_channels(agent):
        here = [
            SeenMessage(channel, sender if sender == agent or sender not in anonymous else None, t)
            for sender in spec.agent_names
            if (move := moves.get(sender)) is not None
            and (t := move.messages.get(channel)) is not None
        ]
        # The agents' order would reveal anonymous senders.
        here.sort(key=lambda m: (m.sender is None, m.text if m.sender is None else ""))
        messages += here
    own = moves.get(agent)
    return SeenRound(tuple(messages), None if own is None else own_text(setup, own))


def own_text(setup: Setup, move: Move) -> str:
    """Return a seat's move as the text that a model would write to make it."""
    if move.raw is not None:
        return move.raw
    if not move.messages:
        return f"Decision: {VERDICTS[move.decision]}"
    if len(move.messages) == 1:
        return next(iter(move.messages.values()))
    headers = setup.handler.response_headers(move.agent)
    channels = (c for c in setup.spec.channel_names if c in move.messages)
    return "\n\n".join(
        text if (text := move.messages[c]).startswith(headers[c]) else f"{headers[c]} {text}"
        for c in channels
    )


def informed_seats(spec: ProtocolSpec, moves: Mapping[str, Move], *, over: bool) -> frozenset[str]:
    """Return the seats to which a round has shown something written by others."""
    if over:
        return frozenset(spec.agent_names)
    return frozenset(
        viewer
        for sender, move in moves.items()
        for channel in move.messages
        for viewer in spec.channel(channel).viewers
        if viewer != sender
    )


def _briefing(setup: Setup, agent: str) -> Briefing:
    task, stance = setup.task, setup.stance(agent)
    return Briefing(
        y=task.y,
        explanation=task.explanation,
        exposing=task.exposing,
        opening=None if stance is None else task.opening(stance),
        answers={} if stance is None else {c.ask: c.answers[stance] for c in task.questions},
    )


def _ending(setup: Setup, path: Sequence[Node]) -> Ending:
    task = setup.task
    return Ending(
        decision=counted_decision(setup, path[-1]),
        y=task.y,
        explanation=task.explanation,
        exposing=task.exposing,
        proof=None if task.payload is None else task.payload.proof,
        stances={agent: setup.stance(agent) for agent in setup.spec.agent_names},
        rewards=rewards_by_agent(setup, path),
    )


def _reading_seed(setup: Setup, agent: str) -> int:
    """Return one byte of a hash, which suffices to draw an order but does not reveal the seed."""
    order = setup.handler.agent_specs[agent].channel_order or []
    drawn = any(not isinstance(item, str) for item in order)
    return stable_hash("nip-reading/1", setup.seed, agent)[0] if drawn else 0
