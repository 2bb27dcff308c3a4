"""The whole page that a seat is shown depends on nothing that the seat may not see."""

import dataclasses
import random
import re
import secrets

import pytest

from explorer.play.seats import HUMAN
from explorer.storage import open_storage
from nip_core.play import Seated, Setup
from tests.depth import first
from tests.explorer.ui.pages import open_page
from tests.noninterference import build, some_world, vary
from tests.play_worlds import ONE_TASK, protocols

ID = "5" * 32


def seated(world, seat):
    """Return the world's episode, with a person in one seat.

    Everybody at a screen knows who sits where, so it is the same in all worlds.
    """
    episode = build(world)
    for agent in episode.rules.seat_names:
        kind = HUMAN if agent == seat else "random"
        episode.apply(Seated(agent=agent, player={"kind": kind}))
    return episode


def page_of(world, seat, folder, monkeypatch):
    """Return everything on the page, as it is sent to the browser."""
    episode = seated(world, seat)
    folder.mkdir()
    url = f"sqlite:///{folder}/episodes.db"
    with open_storage(url) as storage, monkeypatch.context() as patch:
        patch.setattr(secrets, "token_hex", lambda _: ID)
        storage.create(episode)
    monkeypatch.setenv("NIP_EXPLORER_DATABASE", url)
    app = open_page("play", episode=ID)
    assert app.get("bidi_component")
    protos = [str(element.proto) for element in app.main if hasattr(element, "proto")]
    assert len(protos) > 3
    whole = "\n".join(protos)
    # Random numbers of elements, and signatures for the browser.
    return re.sub(r'\$\$ID-\w+|file_id: "\w+"|(?<=&key=)\w{32}', "", whole)


@pytest.mark.parametrize("name", first(1, ["mnip, drawn", "nip", "debate", "merlin_arthur"]))
def test_the_page_is_the_same_in_both_worlds(name, tmp_path, monkeypatch):
    rng = random.Random(f"page/{name}")
    setup = Setup.of(protocols()[name], ONE_TASK, 2)
    compared = 0
    while compared < 3:
        world = some_world(rng, setup, rng.randint(0, setup.rules.longest - 1))
        # A person who has seen an end knows the truth, and the page shows that variation too.
        if any(node.over for node in build(world).nodes):
            continue
        for seat in setup.rules.seat_names:
            if seat in world.held:
                continue
            # The page shows a seat the variations that it has been on, so those are the same.
            other = dataclasses.replace(vary(rng, world, seat), beside=world.beside)
            pages = [
                page_of(each, seat, tmp_path / f"{compared}-{seat}-{n}", monkeypatch)
                for n, each in enumerate((world, other))
            ]
            assert pages[0] == pages[1], (name, seat)
            compared += 1
