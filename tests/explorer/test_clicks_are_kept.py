"""A click counts, even if the page's own updates interrupt the run that it begins."""

from __future__ import annotations

from explorer.play.stored import StoredTable
from nip_core import HyperParameters, bundled_tasks
from nip_core.play import Episode, Seated

PLAYERS = {"verifier": {"kind": "human"}, "prover": {"kind": "scripted"}}


def test_take_back_counts(frames):
    episode = Episode(HyperParameters(interaction_protocol="nip"), bundled_tasks("easy")[0])
    for agent, player in PLAYERS.items():
        episode.apply(Seated(agent=agent, player=player))
    name = frames.storage.create(episode)
    page = frames.open("play", episode=name)
    for _ in range(5):
        channels = page.table["composer"]["channels"]
        assert page.act(messages=dict.fromkeys(channels, "Is line 1 right?")) is None
        page.rerun()
        assert StoredTable(frames.storage, name).round == 2
        page.interrupt_click("Take back")
        assert StoredTable(frames.storage, name).round == 0
