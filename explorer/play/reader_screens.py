"""Screens for people who read an episode, or look at the tables of a room after the end."""

from __future__ import annotations

from typing import Any

from explorer.play.headline import place_of
from explorer.play.screen_parts import choices_shown, message_shown
from explorer.play.screens import moves_of_bots, screen
from explorer.play.seats import watched
from nip_core.displays import capitalized
from nip_core.play import Episode


def screen_at(episode: Episode, agent: str, node: int) -> dict[str, Any]:
    """Return what a seat saw at a position, for somebody who watches."""
    return screen(episode.view_for(agent, node), played=False)


def gallery(episode: Episode, node: int | None = None) -> dict[str, Any]:
    """Return a position with every part, message and choice, also those hidden from seats.

    Raise a PlayError while the episode goes on, since it shows more than a seat may know.
    """
    episode = episode.finished()
    spec, path, stood_in = episode.rules, episode.path(node), episode.stood_in(node)
    shown = screen(episode.view_for(watched(spec), path[-1].id), played=False)
    for part in shown["statement"]["parts"]:
        part["text"] = episode.setup.deal.parts[part["name"]]
    for channel in shown["channels"]:
        channel["closed"] = False
        channel["messages"] = [
            message_shown(
                spec,
                number,
                message.seat,
                message.text,
                message.quotes,
                stood_in,
                copied=bool(message.source),
            )
            for number, position in enumerate(path[1:])
            if position.release is not None
            for message in position.release.messages
            if message.channel == channel["name"]
        ]
    made = [(episode.chosen(step.id), episode.changed(step.id)) for step in path[1:]]
    shown["chosen"] = choices_shown(spec, made, over=path[-1].over)
    after = place_of(spec, path[-1].round - 1)
    now = capitalized(f"after {after}.") if path[1:] else "The beginning."
    head = {**shown["head"], "now": now, "means": ""}
    return {**shown, **moves_of_bots(spec, stood_in, None), "head": head}
