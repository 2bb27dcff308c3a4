"""What the table shows a seat: a function of its view, and so of nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from explorer.figures.palette import agent_styles
from explorer.game_table.rewards import paid_at_random, why_paid
from nip_core.play import NO_DECISION, Episode, View
from nip_core.tasks import LAYOUTS, VERDICTS, Graph

__all__ = ["gallery", "read_only", "screen", "tree"]


def screen(view: View) -> dict[str, Any]:
    """All that the table shows a seat, as plain data for the browser.

    Every text in it is shown as text, never as markup.
    """
    spec = view.spec
    return {
        "seat": view.agent,
        "role": view.role,
        "headline": _headline(view),
        "round": view.round,
        "rounds": spec.max_message_rounds,
        "agents": {
            look.agent: {
                "name": view.human_name(look.agent),
                "label": look.label,
                "light": [look.light, look.ink("light")],
                "dark": [look.dark, look.ink("dark")],
            }
            for look in agent_styles(spec).values()
        },
        "statement": _statement(view),
        "channels": [_channel(view, name) for name in spec.channel_names],
        "composer": _composer(view),
        "schedule": list(_schedule(view)),
        "stance": None if view.stance is None else VERDICTS[view.stance],
        "prompt": view.prompt,
        "briefing": _briefing(view),
        "confidence": [list(note) for note in view.confidence],
        "ending": _ending(view),
    }


def gallery(episode: Episode, node: int | None = None) -> dict[str, Any]:
    """A position as nobody at the table saw it: all channels, all names, all decisions.

    Raises
    ------
    PlayError
        While the episode goes on: whoever looked would know what its seats may not.
    """
    episode = episode.finished()
    spec = episode.spec
    shown = screen(episode.view_for(spec.verifier, node))
    path = episode.path(node)[1:]
    for channel in shown["channels"]:
        channel["closed"] = False
        channel["messages"] = [
            {"round": position.round - 1, "sender": sender, "text": text}
            for position in path
            for sender, move in position.moves.items()
            if (text := move.messages.get(channel["name"])) is not None
        ]
    nobody: dict[str, Any] = {"channels": [], "reason": "", "asks": [], "held": None}
    return {
        **shown,
        "headline": f"After round {path[-1].round - 1}" if path else "The beginning",
        "composer": {**shown["composer"], **nobody, "may_decide": False},
        "briefing": None,
    }


def read_only(shown: dict[str, Any]) -> dict[str, Any]:
    """A screen without the place for a move."""
    return {**shown, "composer": {**shown["composer"], "channels": [], "held": None}}


def tree(episode: Episode, agent: str) -> dict[str, Any]:
    """The shape of an episode's tree, which a seat that has been on all its lines knows."""
    return {
        "here": episode.node.id,
        "nodes": [
            {"id": b.id, "parent": b.parent, "round": b.round, "over": b.over}
            for b in episode.tree_for(agent)
        ],
    }


def _headline(view: View) -> str:
    legal = view.legal
    if view.ending is not None:
        return "The episode is over."
    if view.held is not None:
        return "Your move is made. It is revealed once all have moved."
    if not legal.channels:
        return "Not your turn: the others are to move."
    if legal.may_decide and legal.last_turn:
        return "Your last turn: decide now."
    if legal.may_decide:
        heard = any(m.sender != view.agent for seen in view.rounds for m in seen.messages)
        return "Your move: ask on, or decide." if heard else "Your move: ask a question, or decide."
    return "Your move: make your case." if not view.rounds else "Your move: answer."


def _statement(view: View) -> dict[str, Any]:
    statement, pair = view.statement, _pair(view)
    return {
        "kind": statement.kind,
        "title": statement.title,
        "difficulty": statement.difficulty,
        "question": statement.question,
        "solution": statement.solution,
        "graphs": None
        if pair is None
        else [{"name": name, **_graph(graph)} for name, graph in zip("GH", pair, strict=True)],
        "layouts": list(LAYOUTS) if pair else [],
    }


def _pair(view: View) -> tuple[Graph, Graph] | None:
    """The two graphs that the statement is about, if it is about such a thing."""
    match view.statement.payload:
        case (Graph() as first, Graph() as second):
            return first, second
        case _:
            return None


def _graph(graph: Graph) -> dict[str, Any]:
    return {
        "nodes": list(graph.names),
        "edges": [list(edge) for edge in graph.edges],
        "layouts": {name: [list(place) for place in graph.layout(name)] for name in LAYOUTS},
    }


def _channel(view: View, name: str) -> dict[str, Any]:
    """A channel as a conversation; of a closed one only that it exists, and who reads it."""
    spec = view.spec
    readers = [view.human_name(viewer) for viewer in spec.channel(name).viewers]
    shown: dict[str, Any] = {"name": name, "readers": readers, "closed": False}
    if not spec.can_see(view.agent, name):
        return {**shown, "closed": True, "messages": []}
    messages = [
        {"round": number, "sender": message.sender, "text": message.text}
        for number, seen in enumerate(view.rounds)
        for message in seen.messages
        if message.channel == name
    ]
    return {**shown, "messages": messages}


def _composer(view: View) -> dict[str, Any]:
    legal = view.legal
    return {
        "channels": list(legal.channels),
        "reason": legal.reason,
        "may_decide": legal.may_decide,
        "counts": legal.decision_counts,
        "last_turn": legal.last_turn,
        "max_words": view.max_response_words,
        "asks": list(view.statement.asks) if view.role != "prover" else [],
        "held": None if view.held is None else _held(view),
    }


def _held(view: View) -> dict[str, Any]:
    assert view.held is not None
    decided = view.held.decision != NO_DECISION
    return {
        "messages": dict(view.held.messages),
        "decision": VERDICTS[view.held.decision] if decided else None,
    }


def _schedule(view: View) -> Iterator[dict[str, Any]]:
    """Who may speak in each round, by the rules alone."""
    spec = view.spec
    seeds = range(spec.num_variants)
    for number in range(spec.max_message_rounds):
        turns = [set(spec.turn(number, seed).agents) for seed in seeds]
        speakers = [agent for agent in spec.agent_names if any(agent in turn for turn in turns)]
        yield {
            "speakers": speakers,
            "sure": all(turn == turns[0] for turn in turns),
            "decides": any(spec.decision_counts(number, seed) for seed in seeds),
        }


def _briefing(view: View) -> dict[str, Any] | None:
    told = view.briefing
    if told is None:
        return None
    return {
        "truth": VERDICTS[told.y],
        "explanation": told.explanation,
        "exposing": _exposing(told.exposing),
        "opening": told.opening,
        "answers": [[ask, answer] for ask, answer in told.answers.items()],
    }


def _exposing(exposing: Any) -> dict[str, str] | None:
    if exposing is None:
        return None
    return {"input": exposing.input, "expected": exposing.expected, "got": exposing.got}


def _ending(view: View) -> dict[str, Any] | None:
    end = view.ending
    if end is None:
        return None
    at_random = paid_at_random(view.spec, end)
    return {
        "verdict": None if end.decision is None else VERDICTS[end.decision],
        "truth": VERDICTS[end.y],
        "explanation": end.explanation,
        "exposing": _exposing(end.exposing),
        "renaming": _renaming(view),
        "rewards": [
            {
                "seat": agent,
                "total": total,
                "why": why_paid(view.spec, end, agent),
                "random": at_random.get(agent),
            }
            for agent, total in end.totals.items()
        ],
    }


def _renaming(view: View) -> list[list[str]] | None:
    """The certificate of two isomorphic graphs, by the nodes' names."""
    end, pair = view.ending, _pair(view)
    if end is None or not isinstance(end.proof, tuple) or pair is None:
        return None
    first, second = pair
    renamed = cast("tuple[int, ...]", end.proof)
    return [[name, second.names[node]] for name, node in zip(first.names, renamed, strict=True)]
