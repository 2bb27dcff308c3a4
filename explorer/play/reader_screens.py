"""Screens for people who read an episode, or look at the tables of a room after the end."""

from __future__ import annotations

from typing import Any, cast

from explorer.play.screens import message_shown, moves_of_bots, screen
from nip_core.play import Commented, Episode, comments_of


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
            message_shown(position.round - 1, sender, text, stood_in)
            for position in path
            for sender, move in position.moves.items()
            if (text := move.messages.get(channel["name"])) is not None
        ]
    now = (
        f"After round {path[-1].round} of {spec.max_message_rounds}." if path else "The beginning."
    )
    head = {**shown["head"], "now": now, "means": ""}
    return {**shown, **moves_of_bots(spec, stood_in, None), "head": head}


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
