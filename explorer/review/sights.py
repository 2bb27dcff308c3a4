"""Who could read what: every message of a line, and which seats' views held it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from nip_core.displays import displayed
from nip_core.play import Episode

__all__ = ["Sighting", "sightings"]


@displayed
@dataclass(frozen=True, slots=True)
class Sighting:
    """A message, and who read it.

    Parameters
    ----------
    round : int
        From 0.
    sender, channel, text : str
    read_by : mapping of str to (str or None)
        For each seat that read it, whom it took for the sender: None if it was not told.
    """

    round: int
    sender: str
    channel: str
    text: str
    read_by: Mapping[str, str | None]


def sightings(episode: Episode, node: int | None = None) -> list[Sighting]:
    """All messages of a line in order, as the seats' own views hold them.

    Raises
    ------
    PlayError
        While the episode goes on.
    """
    told = episode.finished()
    path = told.path(node)
    seen = {agent: told.view_for(agent, path[-1].id).rounds for agent in told.spec.agent_names}
    found: list[Sighting] = []
    for position in path[1:]:
        round_id = position.round - 1
        for sender, move in position.moves.items():
            for channel, text in move.messages.items():
                # A seat sees at most one message of a round on a channel from each sender; where
                # senders have no names, equal texts cannot be told apart, and need not be.
                read_by = {
                    agent: message.sender
                    for agent, rounds in seen.items()
                    for message in rounds[round_id].messages
                    if (message.channel, message.text) == (channel, text)
                    and message.sender in (sender, None)
                }
                found.append(Sighting(round_id, sender, channel, text, read_by))
    return found
