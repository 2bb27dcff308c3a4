"""A model's thoughts are in nobody else's frames, and in the record if that is wanted."""

import pytest

from nip_core import Episode, HyperParameters
from nip_core.play import Seated
from tests.explorer.players import misbehaving
from tests.explorer.test_how_moves_came_about import unpacked
from tests.explorer.ui.play.test_models_at_work import ask, settle
from tests.play_worlds import ONE_TASK

SAID = "Answer: the loop is right."
APART, INSIDE, REFUSED = "thought-apart", "thought-inside", "refused-for-its-length"


class Thinker(misbehaving.ModelServer):
    def __init__(self):
        super().__init__()
        self.RequestHandlerClass = Handler


class Handler(misbehaving.Handler):
    def do_good(self, body):
        self.begin()
        self.send({"reasoning_content": f"{APART}: the verifier must not see line 7."})
        self.send({"content": f"<scratchpad>{INSIDE}: line 7 is wrong.</scratch"})
        asked_again = "cannot be used" in body["messages"][-1]["content"]
        said = SAID if asked_again else f"{REFUSED} " * 200
        self.send({"content": f"pad>\n{said}"})
        self.send({}, "stop")
        self.send(raw="[DONE]")


def everything(page):
    return (page.said.encode() + b"".join(unpacked(page.downloads()))).decode("utf-8", "replace")


@pytest.mark.parametrize("kept", [False, True])
def test_thoughts_are_shown_to_nobody_at_the_table(frames, kept):
    with Thinker() as server:
        episode = Episode(HyperParameters(), ONE_TASK, 5)
        episode.apply(Seated(agent="verifier", player={"kind": "human", "who": "me"}))
        model = {"kind": "llm", "model": "m", "base_url": server.url, "keep_reasoning": kept}
        episode.apply(Seated(agent="prover", player=model))
        episode_id = frames.storage.create(episode)
        page = frames.open("play", episode=episode_id)
        ask(frames, page)  # until the page has found that no visitor has granted the model
        page.click("Let it move")
        settle(frames, page)
        page.run_fragments()
        assert SAID in page.said
        seen = everything(page)
        page.forget()
        page.act(decision=1)
        page.rerun()
        assert page.table["head"]["verdict"]
        seen += page.said
        for secret in (APART, INSIDE, REFUSED):
            assert secret not in seen
        # The model itself does not get its thoughts again either.
        assert all(
            secret not in str(request["messages"])
            for request in server.requests
            for secret in (APART, INSIDE)
        )
    read = frames.open("transcripts", episode=episode_id)
    read.trigger("nip_table", "act", {"goto": 2})
    text = everything(read)
    assert REFUSED in text
    assert "take out" in text
    assert (APART in text) == (INSIDE in text) == kept
    as_the_verifier = frames.open("transcripts", episode=episode_id, eyes="verifier")
    as_the_verifier.trigger("nip_table", "act", {"goto": 2})
    assert not any(secret in as_the_verifier.said for secret in (APART, INSIDE, REFUSED))
