"""What follows from an episode that is played, for whoever shows it: the app, or a notebook."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from explorer.game_table.seats import humans, model_seats, once_models
from explorer.game_table.seen import Seen
from explorer.game_table.start import Start, next_games
from nip_core.play import Episode
from nip_core.spec import ProtocolSpec
from nip_core.tasks import Task

__all__ = ["AtTable", "now"]


def now() -> str:
    """The time, for the record."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


class AtTable:
    """An episode that people and players sit at.

    `episode` itself is for those who play: what is on a page comes from :meth:`seen_by`,
    :meth:`told`, and the facts beside them.
    """

    episode: Episode

    @property
    def humans(self) -> list[str]:
        """The seats of people."""
        return humans(self.episode)

    @property
    def waits_for(self) -> list[str]:
        """The people whose moves the present round needs."""
        return [agent for agent in self.episode.to_move if agent in self.humans]

    def called(self, seat: str) -> list[str]:
        """The people of whom one is called when a seat is: of those without a name, all."""
        anonymous = self.episode.setup.anonymous_agents
        return [a for a in self.humans if a in anonymous] if seat in anonymous else [seat]

    # -- what pages may show: one seat's view, what is told, and what every seat knows ----------

    def seen_by(self, seat: str) -> Seen:
        """The episode as a seat sees it."""
        return Seen(self.episode, seat)

    def told(self) -> Episode:
        """The episode as everybody may read it; see :meth:`Episode.finished`."""
        return self.episode.finished()

    @property
    def spec(self) -> ProtocolSpec:
        """The rules."""
        return self.episode.spec

    @property
    def over(self) -> bool:
        """Has the present line ended?"""
        return self.episode.over

    @property
    def settled(self) -> bool:
        """Have all lines ended?"""
        return self.episode.settled

    @property
    def round(self) -> int:
        """How many rounds have been played on the present line."""
        return self.episode.node.round

    @property
    def model_seats(self) -> dict[str, Mapping[str, Any]]:
        """The seats of language models, and what the transcript says of each."""
        return model_seats(self.episode)

    @property
    def models_in_turn(self) -> list[str]:
        """The seats of models that speak in this round, or may, as everybody knows."""
        if self.over:
            return []
        spec, round_id = self.spec, self.round
        turns = [spec.turn(round_id, seed).agents for seed in range(spec.num_variants)]
        return [agent for agent in self.model_seats if any(agent in turn for turn in turns)]

    @property
    def once_models(self) -> dict[str, Mapping[str, Any]]:
        """The seats in which language models have sat, and what was last said of each."""
        return once_models(self.episode)

    @property
    def next_games(self) -> list[tuple[str, Start, Task | None]]:
        """What one may want to play once it is over; see :func:`next_games`."""
        return next_games(self.episode) if self.over else []
