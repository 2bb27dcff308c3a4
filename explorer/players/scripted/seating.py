"""The scripted player that a seat's record means."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from explorer.players.base import Player
from explorer.players.scripted.provers import ScriptedExpert, script_for
from explorer.players.scripted.verifiers import ScriptedVerifier
from nip_core.play import Setup

__all__ = ["scripted_player"]


def scripted_player(setup: Setup, agent: str, record: Mapping[str, Any] | None = None) -> Player:
    """What plays a seat whose record says ``kind = "scripted"``.

    Parameters
    ----------
    setup : Setup
    agent : str
    record : mapping, optional
        What the transcript says of the seat. What it leaves out is usual.
    """
    if agent in setup.spec.verifiers:
        return ScriptedVerifier(seed=setup.seed)
    return ScriptedExpert(script_for(setup.task, setup.stance(agent)))
