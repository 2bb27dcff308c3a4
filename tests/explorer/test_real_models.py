"""Whole games with models on llama.cpp's own server, not an imitation."""

import asyncio
from itertools import pairwise

import pytest

from explorer.players.errors import LLMError
from explorer.players.models import AnswerWait, Client, LLMSettings, Retries, Secret, ServerPolicy
from nip_core.play import Moved
from tests.depth import exhaustive, first
from tests.explorer.frames.journeys import set_models_up
from tests.explorer.frames.serve import finish_work
from tests.explorer.llama.server import LlamaServer
from tests.judges import judge
from tests.text.chat_templates import CHATML, GEMMA, LLAMA, MISTRAL, QWEN

KEY = "sk-real-0123456789-secret"
OWN = ServerPolicy(custom_addresses=True, server_keys=True, private_addresses=True)
ASKED = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Well?"}]

# What a seat may write in a round: a question or a verdict, by a coin toss. A missing verdict is
# asked for again, as with any model.
GRAMMAR = """
root ::= {question} | "Decision: " ("accept" | "reject")
words ::= [a-z] [a-z ]{{5,30}} "?"
"""
TO_ONE = GRAMMAR.format(question='"Question: " words')
TO_TWO = GRAMMAR.format(
    question=r'"Question for Expert_1: " words "\n\nQuestion for Expert_2: " words'
)
TEMPLATES = {
    "Qwen 3.5": QWEN,
    "Gemma": GEMMA,
    "Llama 2": LLAMA,
    "Mistral": MISTRAL,
    "ChatML": CHATML,
}
# The other templates answer one question each, below.
GAMES = [("nip", "Qwen 3.5", TO_ONE), ("debate", "Gemma", TO_TWO), ("mnip", "Llama 2", TO_TWO)]


@pytest.fixture(autouse=True)
def _llama():
    judge("xllamacpp")


@pytest.mark.parametrize(
    "game", first(0, GAMES), ids=[f"{protocol}, {kind}" for protocol, kind, _ in GAMES]
)
def test_models_play_a_game_from_first_to_last_move(frames, tmp_path, game):
    protocol, kind, grammar = game
    with LlamaServer(tmp_path, TEMPLATES[kind], KEY, grammar) as server:
        # A decision counts in the verifier's last turn only, so that all rounds are played.
        rounds = {f"{protocol}_protocol__min_message_rounds": "7"}
        prover = ["prover"] if protocol == "nip" else ["prover0", "prover1"]
        seats = [*prover, "verifier"]
        sits = {f"sits__{seat}": "llm" for seat in seats}
        page = frames.open("play", protocol=protocol, **rounds, **sits)
        # The other seats have the same model unless another one is chosen.
        set_models_up(page, server, seats[0])
        page.choose("Key", KEY)
        page.choose("Tokens for the whole episode, at most", 10_000_000)
        page.click("Test m")
        assert any("First words after" in text for text in page.texts("alert"))
        page.click("Begin")
        played_out(frames, page)
        episode = frames.storage.load(page.query["episode"]).episode
        assert episode.result().decision is not None
        assert len(episode.path()) == 8
        moves = [event for event in episode.events if isinstance(event, Moved)]
        assert {event.move.agent for event in moves} == set(seats)
        for event in moves:
            assert event.origin["answered_by"] == "random"
            # A character is a token to this model; what it has read grows with the game.
            assert event.origin["tokens_in"] > 1_000
            assert event.origin["tokens_out"] > len("Decision: accept")
        read = frames.open("transcripts", episode=page.query["episode"])
        files = read.downloads()
        assert files
        texts = [frames.log, server.log, page.said, read.said, *map(repr, files.values())]
        kept = [repr(file.read_bytes()) for file in tmp_path.glob("frames.db*")]
        assert any("Decision: " in text for text in kept)
        assert not any(KEY in text for text in texts + kept)


def played_out(frames, page):
    """Let the models continue until the game is over; a failed one is asked again."""
    for _ in range(50):
        frames.call(finish_work)
        page.rerun()
        if frames.storage.load(page.query["episode"]).episode.over:
            return
        page.click(next(label for label in page.labels() if label in ("Play on", "Try again")))
    raise AssertionError(page.texts("alert"))


# -- the behaviour of a real server ----------------------------------------------------------------


def client(server, key=KEY, **settings):
    return Client(
        LLMSettings("m", server.url, **settings), Secret(key), OWN, retries=Retries(attempts=3)
    )


@pytest.mark.parametrize("kind", first(2, TEMPLATES))
def test_an_answer_comes_in_pieces_and_is_counted(tmp_path, kind):
    seen = []
    # Long enough for several pieces, though a busy machine reads many at once.
    grammar = 'root ::= "Question: " [a-z]{400} "?"'
    with LlamaServer(tmp_path, TEMPLATES[kind], KEY, grammar) as server:
        reply = asyncio.run(client(server).complete(ASKED, AnswerWait(on_text=seen.append)))
    assert len(seen) > 2
    assert all(later.startswith(earlier) for earlier, later in pairwise(seen))
    assert seen[-1] == reply.text
    assert reply.finish == "stop"
    # Each character is a token, and so is the end.
    assert reply.usage.tokens_out == len(reply.text) + 1
    # No template has dropped anything.
    assert reply.usage.tokens_in > sum(len(message["content"]) for message in ASKED)


def test_an_answer_in_characters_of_several_tokens(tmp_path):
    """This server cannot always send them; then it aborts, and is asked again."""
    with LlamaServer(tmp_path, CHATML, KEY, "root ::= [\\x80-\\U0010ffff]{60,90}") as server:
        for _ in range(5):
            asking = client(server, max_tokens=50)
            asking.retries = Retries(attempts=50, first=0.001)
            reply = asyncio.run(asking.complete(ASKED))
            assert reply.finish == "length"
            assert len(reply.text) > 10
            # Failed answers are counted too.
            assert reply.usage.tokens_out >= 50
            assert reply.usage.calls > 1 or reply.usage.tokens_out == 50


def test_a_conversation_that_is_too_long(tmp_path):
    long = [ASKED[0], {"role": "user", "content": "Well? " * 200}]
    with (
        LlamaServer(tmp_path, CHATML, KEY, context=256) as server,
        pytest.raises(LLMError, match="conversation has become too long"),
    ):
        asyncio.run(client(server).complete(long))


def test_a_key_that_is_not_the_servers(tmp_path):
    with LlamaServer(tmp_path, CHATML, KEY) as server:
        with pytest.raises(LLMError, match="does not accept the key"):
            asyncio.run(client(server, key="sk-of-somebody-else").complete(ASKED))
        assert "sk-of-somebody-else" not in server.log


@exhaustive
def test_a_server_that_loads_its_model_is_waited_for(tmp_path):
    for _ in range(5):
        progress_seen = []
        # Large enough that loading it takes longer than asking.
        with LlamaServer(tmp_path, CHATML, KEY, context=512, width=1024, layers=6) as server:
            asking = client(server, max_tokens=2)
            asking.on_progress = progress_seen.append
            assert asyncio.run(asking.complete(ASKED)).usage.tokens_out
        if any("is loading its model" in progress.trouble for progress in progress_seen):
            return
    raise AssertionError("It was never asked early enough.")
