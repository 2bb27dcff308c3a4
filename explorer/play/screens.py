"""What the table shows a seat, as a function of its view only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from functools import lru_cache
from typing import Any, cast

from explorer.pictures import miniature, plain_styles
from explorer.play.headline import (
    headline,
    headline_before_the_reveal,
    paid_at_random,
    why_paid,
)
from nip_core.displays import join_names
from nip_core.play import NO_DECISION, Commented, Episode, View, comments_of
from nip_core.spec import ProtocolSpec, shown_round
from nip_core.tasks import LAYOUTS, VERDICTS, Exposing, Graph

# The type of View.stood_in.
Moves = Sequence[tuple[int, str]]


def screen(view: View, *, played: bool = True) -> dict[str, Any]:
    """Return everything that the table shows a seat, as plain data for the browser.

    Every text in it is shown as text, never as markup. Rounds count from 0 where they are numbers,
    and from 1 in texts. If the seat is watched and not played, nobody is "you", and no move can be
    made.
    """
    return _screen(view, headline(view, view.agent if played else None), played=played)


def screen_before_the_reveal(
    view: View, decision: int | None, *, played: bool = True
) -> dict[str, Any]:
    """Return the screen of a finished variation whose outcome is not revealed yet.

    `view` has no ending, and `decision` is the verdict, if there was one.
    """
    head = headline_before_the_reveal(view, decision, view.agent if played else None)
    shown = _screen(view, head, played=played)
    over = without_a_move(shown, "The conversation is over. It can still be read.")
    # The last round stays framed.
    return {**over, "round": view.round - 1}


def without_a_move(shown: dict[str, Any], reason: str) -> dict[str, Any]:
    """Return a screen on which no move can be made, with the reason in place of the composer."""
    return {**shown, "composer": _closed(shown["composer"], reason)}


def _closed(composer: dict[str, Any], reason: str) -> dict[str, Any]:
    # Screens of version 2 show the possible choices in addition.
    nothing: dict[str, Any] = {"channels": [], "asks": [], "may_decide": False, "reason": reason}
    return {**composer, **nothing, **({"choices": []} if "choices" in composer else {})}


def _screen(view: View, head: dict[str, Any], *, played: bool) -> dict[str, Any]:
    spec, composer = view.spec, _composer(view)
    you = view.agent if played else None
    rules = _by_the_rules(spec, you)
    return {
        "seat": view.agent,
        "you": you,
        "role": view.role,
        "head": head,
        "round": view.round,
        "rounds": spec.max_message_rounds,
        "agents": rules["agents"],
        "statement": _statement(view),
        "channels": [{**whose, **_read(view, whose["name"])} for whose in rules["channels"]],
        "composer": composer if played else {**_closed(composer, ""), "held": None, "hint": ""},
        "grid": rules["grid"],
        "stance": None if view.stance is None else VERDICTS[view.stance],
        "prompt": view.prompt,
        "briefing": _briefing(view) if played else None,
        "confidence": [list(note) for note in view.confidence],
        "ending": _ending(view),
        # `Seen.screen` adds the review, which contains more than the view.
        "review": None,
        **_moves_of_bots(spec, view.stood_in, you),
    }


def _moves_of_bots(spec: ProtocolSpec, stood_in: Moves, you: str | None) -> dict[str, str]:
    """Return a note about moves that bots made in place of people; empty if there are none."""
    rounds: dict[str, list[str]] = {}
    for number, agent in stood_in:
        rounds.setdefault(agent, []).append(str(shown_round(number)))
    if not rounds:
        return {}
    whom = [
        f"for {'you' if agent == you else spec.seat_phrase(agent)} in "
        f"{'round' if len(numbers) == 1 else 'rounds'} {join_names(numbers)}"
        for agent, numbers in rounds.items()
    ]
    why = " You were late or away." if you in rounds else ""
    return {"note": f"A bot moved {join_names(whom)}.{why}"}


def screen_at(episode: Episode, agent: str, node: int) -> dict[str, Any]:
    """Return what a seat saw at a position, for somebody who watches."""
    view = episode.view_for(agent, node)
    if episode.version == 1:
        return screen(view, played=False)
    from explorer.play.turn_screens import turn_screen

    return turn_screen(cast("Any", view), played=False)


def gallery(episode: Episode, node: int | None = None) -> dict[str, Any]:
    """Return a position with all channels, names and decisions, also those hidden from seats.

    Raise a PlayError while the episode goes on, since it shows more than a seat may know.
    """
    episode = episode.finished()
    if episode.version == 2:
        from explorer.play.turn_screens import turn_gallery

        return turn_gallery(episode, node)
    spec = episode.spec
    shown = screen(episode.view_for(spec.verifier, node), played=False)
    path, stood_in = episode.path(node)[1:], episode.stood_in(node)
    for channel in shown["channels"]:
        channel["closed"] = False
        channel["messages"] = [
            _message(position.round - 1, sender, text, stood_in)
            for position in path
            for sender, move in position.moves.items()
            if (text := move.messages.get(channel["name"])) is not None
        ]
    now = (
        f"After round {path[-1].round} of {spec.max_message_rounds}." if path else "The beginning."
    )
    head = {**shown["head"], "now": now, "means": ""}
    return {**shown, **_moves_of_bots(spec, stood_in, None), "head": head}


def place_comments(shown: dict[str, Any], episode: Episode, node: int) -> list[Commented]:
    """Put comments beside the messages that are shown, and return those that were placed.

    `shown` is the screen of a position, `node`; its messages get their ``comments``. The episode is
    one as everybody may read it.
    """
    messages = {
        (channel["name"], message["round"], message["sender"]): message
        for channel in shown["channels"]
        for message in channel["messages"]
    }
    rounds = {position.id: position.round - 1 for position in episode.path(node)}
    placed: list[Commented] = []
    for comment in comments_of(episode.events):
        # Anonymous messages get no comments, since a comment names the message's author.
        place = comment.channel, rounds.get(comment.node), comment.agent
        if comment.agent is None or place not in messages:
            continue
        by = ", ".join(filter(None, (comment.author or "Somebody", minute_of(comment))))
        said = {"by": by, "quote": comment.quote, "text": comment.text}
        messages[place].setdefault("comments", []).append(said)
        placed.append(comment)
    return placed


def minute_of(comment: Commented) -> str:
    """Return when a comment was written, to the minute; empty if that is unknown."""
    return (comment.at or "")[:16].replace("T", " ")


@lru_cache(maxsize=256)
def _by_the_rules(spec: ProtocolSpec, you: str | None) -> dict[str, Any]:
    """Return what a screen shows of the rules alone: who speaks when and where, and their looks.

    The schedule is that of the rules too: the episode's seed is a secret.
    """
    return {
        "agents": plain_styles(spec),
        "channels": [_whose(spec, name, you) for name in spec.channel_names],
        "grid": miniature(spec).to_plain(),
    }


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
    """Return the two graphs of a statement about graphs."""
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


def _read(view: View, name: str) -> dict[str, Any]:
    """Return what a seat has read on a channel; one that it cannot read is closed."""
    closed = not view.spec.can_see(view.agent, name)
    messages = [
        _message(number, message.sender, message.text, view.stood_in)
        for number, seen in enumerate(() if closed else view.rounds)
        for message in seen.messages
        if message.channel == name
    ]
    return {"closed": closed, "messages": messages}


def _message(round_id: int, sender: str | None, text: str, stood_in: Moves) -> dict[str, Any]:
    """Return a message; ``bot`` means that a bot wrote it in its sender's place."""
    return {
        "round": round_id,
        "when": f"round {shown_round(round_id)}",
        "sender": sender,
        "text": text,
        **({"bot": True} if (round_id, sender) in stood_in else {}),
    }


def _whose(spec: ProtocolSpec, name: str, you: str | None) -> dict[str, Any]:
    """Return in words who writes on a channel, who only reads it, and who cannot read it."""
    viewers = spec.channel(name).viewers
    written_by = {
        agent
        for schedule in spec.schedules
        for turn, _ in schedule.rounds_of_turns(spec.max_message_rounds)
        for agent, channel in turn.speakers
        if channel == name
    }
    talk = [agent for agent in spec.agent_names if agent in written_by]
    along = [agent for agent in viewers if agent not in written_by]
    apart = [agent for agent in spec.agent_names if agent not in viewers]
    title = spec.channel_title(name)
    if talk:
        alone = talk == [you] and not along
        title = "You alone" if alone else _sentence(_phrases(spec, talk, you))
    notes = [
        _sentence(_phrases(spec, agents, you), does if len(agents) == 1 and agents != [you] else do)
        for agents, does, do in (
            (along, "reads along.", "read along."),
            (apart, "cannot read this.", "cannot read this."),
        )
        if agents
    ]
    seats = [agent for agent in talk if agent != you]
    return {"name": name, "title": title, "note": " ".join(notes), "seats": seats}


def _phrases(spec: ProtocolSpec, agents: list[str], you: str | None) -> str:
    """Name seats within a sentence; "you" comes last."""
    names = [spec.seat_phrase(agent) for agent in agents if agent != you]
    return join_names([*names, "you"] if you in agents else names)


def _sentence(*parts: str) -> str:
    text = " ".join(parts)
    return text[0].upper() + text[1:]


def _composer(view: View) -> dict[str, Any]:
    legal = view.legal
    judges = view.agent in view.spec.verifiers and bool(legal.channels)
    # There is no text on the last turn: nobody could answer, and without a verdict the verifier
    # loses.
    return {
        "channels": [] if legal.must_decide else list(legal.channels),
        "reason": legal.reason,
        "judges": judges,
        "may_decide": legal.may_decide,
        "last_turn": legal.last_turn,
        "max_words": view.max_response_words,
        "verb": "Ask" if judges else "Send",
        "hint": _hint(view),
        "asks": list(view.statement.asks) if view.role != "prover" else [],
        "held": None if view.held is None else _held(view),
    }


def _hint(view: View) -> str:
    if view.role != "prover":
        # Scripted experts understand English only.
        return "Your question, in English. Enter sends it."
    return "Your answer. Enter sends it." if view.rounds else "Make your case. Enter sends it."


def _held(view: View) -> dict[str, Any]:
    assert view.held is not None
    decided = view.held.decision != NO_DECISION
    return {
        "messages": dict(view.held.messages),
        "decision": VERDICTS[view.held.decision] if decided else None,
    }


def _briefing(view: View) -> dict[str, Any] | None:
    briefing = view.briefing
    if briefing is None:
        return None
    return {
        "truth": VERDICTS[briefing.y],
        "explanation": briefing.explanation,
        "exposing": _exposing(briefing.exposing),
        "opening": briefing.opening,
        "answers": [[ask, answer] for ask, answer in briefing.answers.items()],
    }


def _exposing(exposing: Exposing | None) -> dict[str, str] | None:
    return None if exposing is None else asdict(exposing)


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
    """Return the isomorphism of two graphs as pairs of node names, if the view contains it."""
    end, pair = view.ending, _pair(view)
    if end is None or not isinstance(end.proof, tuple) or pair is None:
        return None
    first, second = pair
    renamed = cast("tuple[int, ...]", end.proof)
    return [[name, second.names[node]] for name, node in zip(first.names, renamed, strict=True)]
