"""Games as people start them."""

from explorer.play import Start
from nip_core.play import Episode, Seated


def begun(start: Start) -> Episode:
    """Return the game of a start before its first move, with its players in their seats."""
    episode = Episode.from_setup(start.setup())
    for agent, player in start.players().items():
        episode.apply(Seated(agent=agent, player=player))
    return episode
