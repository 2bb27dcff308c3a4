"""Only the person at the screen lets a table's models be asked, at their own expense."""

import os

from explorer.play.workers import grants
from nip_core import Episode, HyperParameters, bundled_tasks
from nip_core.play import Move, Seated
from nip_core.transcript import dumps, load
from tests.depth import exhaustive
from tests.explorer.frames.serve import finish_work
from tests.explorer.ui.play.test_models_at_work import ask, begin, keys_of, settle

KEY = "sk-of-the-first-visitor"


# -- in the server's process --------------------------------------------------------------------


def keys_in_memory():
    return sum(len(grant.keys) for grant in grants._grants.values())


def be_openai(url, key):
    from explorer.players.models import wire

    wire.OPENAI_URL, before = url, wire.OPENAI_URL
    os.environ.pop("OPENAI_API_KEY", None)
    if key:
        os.environ["OPENAI_API_KEY"] = key
    return before


# -- in the test's process ----------------------------------------------------------------------


def strangers(server, *, base_url=True, protocol="nip"):
    """A stranger's transcript, which names a server of theirs."""
    episode = Episode(HyperParameters(interaction_protocol=protocol), bundled_tasks("easy")[0], 5)
    for agent in episode.rules.seat_names:
        player = {"kind": "human", "who": "me"}
        if agent in episode.rules.provers:
            address = server.url if base_url else None
            player = {"kind": "llm", "model": "the-stranger's-model", "base_url": address}
        episode.apply(Seated(agent=agent, player=player))
    return episode


def test_a_strangers_model_is_not_asked_before_the_person_confirms_it(frames, server):
    """Even if this browser has imported the transcript."""
    home = frames.open("transcripts")
    home.upload("Transcripts", "a.json", dumps(strangers(server)).encode())
    home.click("Bring in")
    (entry,) = frames.storage.find()
    page = frames.open("play", visitor=home, episode=entry.id)
    ask(frames, page)
    page.run_fragments()
    page.rerun()
    frames.call(finish_work)
    assert server.requests == []
    assert server.url in [element.code_text for kind, element in page.elements() if kind == "code"]
    assert any("stranger" in text for text in page.texts("markdown"))
    assert "Play on" not in page.labels()
    page.click("Let it move")
    settle(frames, page)
    assert len(server.requests) == 1
    assert page.table["round"] == 2
    # It was confirmed for this episode, and is not asked about again.
    ask(frames, page)
    assert len(server.requests) == 2


def test_not_with_the_operators_key_either(frames, server):
    before = frames.call(be_openai, server.url, "sk-of-the-operator")
    try:
        episode = frames.storage.create(load(dumps(strangers(server, base_url=False))))
        page = frames.open("play", episode=episode)
        ask(frames, page)
        assert server.requests == []
        assert any("own is used" in text for text in page.texts("markdown"))
        page.click("Let it move")
        settle(frames, page)
        assert keys_of(server) == {"Bearer sk-of-the-operator"}
    finally:
        frames.call(be_openai, before, None)


def test_a_confirmation_covers_only_what_was_shown(frames, server):
    """Somebody else at the table replaces the model that is shown."""
    episode = frames.storage.create(load(dumps(strangers(server))))
    page = frames.open("play", episode=episode)
    ask(frames, page)
    button = page.widget("Let it move", "button").delta.new_element.button.id
    stored = frames.storage.load(episode)
    other = {"kind": "llm", "model": "another", "base_url": server.url}
    stored.episode.apply(Seated(agent="prover", player=other))
    frames.storage.append(episode, stored.episode, stored.version)
    from streamlit.proto.WidgetStates_pb2 import WidgetState

    page.rerun([WidgetState(id=button, trigger_value=True)])
    assert any("at this table have changed since" in text for text in page.texts("alert"))
    settle(frames, page)
    assert server.requests == []
    page.click("Let it move")
    settle(frames, page)
    assert [request["model"] for request in server.requests] == ["another"]


def test_playing_again_confirms_nothing(frames, server):
    whole = strangers(server)
    whole.play(Move("verifier", {"main": "Why?"}))
    whole.play(Move("prover", {"main": "So."}))
    whole.play(Move("verifier", decision=1))
    page = frames.open("play", episode=frames.storage.create(load(dumps(whole))))
    page.click("Play again")
    ask(frames, page)
    assert server.requests == []
    assert "Let it move" in page.labels()


@exhaustive
def test_a_lent_key_pays_for_its_owner_only(frames, server):
    mine = begin(frames, server, KEY)
    theirs = frames.open("play", episode=mine.query["episode"])
    ask(frames, theirs)
    assert server.requests == []
    assert any("the person who chose" in text for text in theirs.texts("markdown"))
    # The owner may let play continue, in the same session or after a reload.
    again = frames.open("play", visitor=mine, episode=mine.query["episode"])
    again.click("Play on")
    settle(frames, again)
    assert keys_of(server) == {f"Bearer {KEY}"}
    # Another visitor may pay for it.
    theirs.rerun()
    ask(frames, theirs)
    theirs.choose("Key for", "sk-theirs")
    theirs.click("Let it move")
    settle(frames, theirs)
    assert len(server.requests) == 2
    assert keys_of(server) == {f"Bearer {KEY}", "Bearer sk-theirs"}


def test_keys_are_given_back_when_the_episode_is_over(frames, server):
    page = begin(frames, server, KEY)
    ask(frames, page)
    before = frames.call(keys_in_memory)
    page.act(decision=1)
    settle(frames, page)
    assert frames.storage.load(page.query["episode"]).episode.over
    assert frames.call(keys_in_memory) == before - 1


@exhaustive
def test_another_key_gives_no_more_tokens(frames, server):
    page = begin(frames, server, KEY, tokens=1000)
    for _ in range(4):
        if not used_up(page):
            ask(frames, page)
    assert used_up(page)
    sent = len(server.requests)
    page.choose("Change the models", True)
    page.choose("Key", "sk-another")
    page.click("Use it from now on")
    settle(frames, page)
    assert used_up(page)
    assert len(server.requests) == sent
    # Raising the cap is a separate action, which says so.
    page.choose("Tokens for the whole episode, at most", 100_000)
    page.click("Try again")
    settle(frames, page)
    assert len(server.requests) == sent + 1
    assert keys_of(server) == {f"Bearer {KEY}", "Bearer sk-another"}


def used_up(page):
    return any("may use" in text for text in page.texts("alert"))


def test_that_a_key_is_missing_is_said_beside_its_field_before_anything_begins(frames, server):
    """Only of services that need one: a model on one's own machine begins without."""

    def lacks(page):
        return [text.replace("\\", "") for text in page.texts("alert") if "needs a key" in text]

    def disabled(page):
        return page.widget("Begin", "button").delta.new_element.button.disabled

    before = frames.call(be_openai, server.url, None)
    try:
        page = frames.open("play", protocol="nip", sits__prover="llm")
        (said,) = lacks(page)
        assert "OpenAI needs a key. Type yours into the key's field" in said
        assert disabled(page)
        page.choose("Key", KEY)
        assert not lacks(page)
        assert not disabled(page)
        own = frames.open("play", protocol="nip", sits__prover="llm")
        own.choose("Where", "Another address (vLLM, llama.cpp, ...)")
        own.choose("Model for the prover", "mine")
        assert not lacks(own)
        assert not disabled(own)
        assert server.requests == []
    finally:
        frames.call(be_openai, before, None)
