"""Scripted seats of protocols with stages, by what their tasks are about."""

from __future__ import annotations

from nip_core.lazy import exported
from explorer.players.scripted.seats.arguments import arguments as arguments
from explorer.players.scripted.seats.player import (
    SeatScript as SeatScript,
    kind_of_seat as kind_of_seat,
    levels_of_seat as levels_of_seat,
)

__all__, __getattr__, __dir__ = exported(__name__)
