"""Tests of ui/database.py.

A facilitator lets a language model play, through the pages: requests, display, and record.
"""

from explorer import rooms
from explorer.rooms import models
from tests.explorer.frames.serve import finish_work
from tests.explorer.players.model_server import ModelServer
from tests.explorer.rooms.people import act_of, at, sits, visitor
from tests.explorer.ui.play.test_models_at_work import keys_of

KEY = "sk-of-the-facilitator"
NEXT_KEY = "sk-another-one"


# -- in the server's process --------------------------------------------------------------------


def look_on(seconds=0.0):
    """Advance the clock of the models, and run the rooms' scheduler."""
    from explorer.ui.database import storage

    clock = models.clock
    models.clock = lambda: clock() + seconds
    rooms.run_due(storage())
    finish_work()
    rooms.run_due(storage())


def forget_grants():
    """Forget all grants, as after a restart of the server."""
    models._lent.clear()
    models._waits.clear()


def test_a_room_with_a_model_from_the_page_to_the_record(frames):
    with ModelServer() as server:
        page = frames.open("room", new="1")
        page.choose("Prover 2 is", "A language model")
        page.choose("Where", "Another address (vLLM, llama.cpp, ...)")
        page.choose("Address", server.url)
        page.choose("Model for Prover 2", "mine")
        page.choose("Key", KEY)
        page.choose("Tokens for the whole episode, at most", 50_000)
        page.click("Open the room")
        storage = frames.storage
        (row,) = storage.rooms.listed()
        code = row["code"]
        for number in (1, 2):
            rooms.join(rooms.Access(storage, code, visitor(number)))
        page.rerun()
        page.click("Start")

        def speak(agent):
            mine = at(storage, code, sits(storage, code, agent))
            assert mine.play(act_of(mine, words="Well?")) is None

        speak("verifier")
        frames.call(look_on)
        assert keys_of(server) == {f"Bearer {KEY}"}
        speak("prover0")
        # Now it fails; the facilitator sees it, at the top and at the seat.
        server.behaviours = ["401"] * 50
        speak("verifier")
        speak("prover0")
        frames.call(look_on)
        page.rerun()
        assert "Table Blue 1: a language model has not answered." in page.said
        page.trigger("board", "table", 1)
        assert "Let a scripted player take over" in page.labels()
        frames.call(forget_grants)
        page.rerun()
        assert "The server has no keys for them" in page.said
        server.behaviours = []
        page.choose(f"Key for {server.url.split('/')[2]}", NEXT_KEY)
        page.click("Allow these requests")
        frames.call(look_on)
        assert f"Bearer {NEXT_KEY}" in keys_of(server)
        shown = page.said + frames.log
        assert KEY not in shown
        assert NEXT_KEY not in shown
