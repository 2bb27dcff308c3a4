"""Tests of storage.py, entries.py and records.py.

Stored episodes come back, are found, and can be deleted.
"""

import random
from datetime import UTC, datetime

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from explorer.storage import (
    ConflictError,
    Criteria,
    DamagedEpisodeError,
    NoSuchEpisodeError,
    StorageInputError,
)
from nip_core.play import Episode, Move
from tests.depth import cases, each
from tests.explorer.storage.play import NIP, SETUPS, finished, played, same, step

MISSING = "0" * 32


@settings(
    max_examples=cases(40),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    rng=st.randoms(use_true_random=False),
    setup=st.sampled_from(list(SETUPS.values())),
    chunks=st.lists(st.integers(1, 6), max_size=6),
)
def test_stored_episodes_are_loaded_unchanged(storage, rng, setup, chunks):
    episode = Episode.from_setup(setup)
    episode_id, version = storage.create(episode), 0
    known = storage.load(episode_id)
    for chunk in chunks:
        # Nothing has happened since.
        assert storage.catch_up(known) is known
        for _ in range(chunk):
            step(rng, episode)
        version = storage.append(episode_id, episode, version)
        assert version == len(episode.events) == storage.entry(episode_id).version
        known = storage.catch_up(known)
        assert same(known.episode, episode)
        assert known.version == version
    stored = storage.load(episode_id)
    assert same(stored.episode, episode)
    assert stored.version == version
    assert stored.entry == storage.entry(episode_id)
    assert stored.entry.rounds == episode.node.round
    assert (stored.entry.protocol, stored.entry.kind) == (setup.rules.name, "code_validation")
    assert (stored.entry.task, stored.entry.title) == (episode.task.id, episode.task.title)
    assert stored.entry.y == episode.task.y


def test_outcome(storage):
    found = {}
    for seed in range(20):
        episode = finished(seed=seed)
        entry = storage.entry(storage.create(episode))
        result = episode.result()
        assert entry.right == result.right
        assert entry.outcome == {0: "reject", 1: "accept", None: "terminated"}[result.decision]
        found.setdefault(entry.outcome, []).append(episode)
    assert len(found) == 3
    # When somebody plays on from an earlier position, the episode is running again.
    episode = found["accept"][0]
    episode_id = storage.create(episode)
    version = len(episode.events)
    episode.undo()
    storage.append(episode_id, episode, version)
    entry = storage.entry(episode_id)
    assert (entry.outcome, entry.right) == ("running", None)


def test_only_one_plays_on_from_a_version(storage):
    episode_id = storage.create(Episode.from_setup(NIP))
    first, second = storage.load(episode_id).episode, storage.load(episode_id).episode
    for episode, text in ((first, "I came first."), (second, "No, I did.")):
        episode.play(Move("verifier", {"main": text}))
    assert storage.append(episode_id, first, 0) == 1
    with pytest.raises(ConflictError, match="1 events are stored, and you have seen 0"):
        storage.append(episode_id, second, 0)
    assert same(storage.load(episode_id).episode, first)
    assert storage.append(episode_id, first, 1) == 1  # nothing has happened since
    for never in (2, -1):
        with pytest.raises(ValueError, match=f"no version {never}"):
            storage.append(episode_id, first, never)


@each("wrong", [MISSING, "", "x", "\0", "\ud800", "A" * 32, "0" * 33, None, 1])
def test_unknown_ids(storage, wrong):
    episode = played(random.Random(1), 1)
    for action in (
        storage.load,
        storage.entry,
        storage.delete,
        storage.restore,
        storage.describe,
        lambda i: storage.append(i, episode, 0),
        lambda i: storage.find(after=i) if i is not None else storage.load(i),
    ):
        with pytest.raises(NoSuchEpisodeError, match="no such episode"):
            action(wrong)


def test_what_was_deleted_can_be_restored_until_it_is_purged(place, storage):
    episode = played(random.Random(1), 5)
    kept, gone = storage.create(episode), storage.create(episode, tags=["x"])
    storage.delete(gone)
    step(random.Random(2), episode)
    for action in (
        storage.load,
        storage.entry,
        storage.describe,
        lambda i: storage.append(i, episode, 5),
    ):
        with pytest.raises(NoSuchEpisodeError):
            action(gone)
    assert [e.id for e in storage.find()] == [kept]
    (entry,) = storage.find(Criteria(deleted=True))
    assert entry.id == gone
    assert entry.deleted
    assert storage.tags() == {}

    storage.restore(gone)
    assert storage.load(gone).version == 5
    assert storage.tags() == {"x": 1}

    # What was not deleted is not purged, nor what else was deleted.
    other = storage.create(episode)
    storage.delete(gone)
    storage.delete(other)
    storage.purge(gone)
    for not_deleted in (kept, gone, "no id"):
        with pytest.raises(NoSuchEpisodeError):
            storage.purge(not_deleted)
    with pytest.raises(NoSuchEpisodeError):
        storage.restore(gone)
    assert [e.id for e in storage.find(Criteria(deleted=True))] == [other]
    storage.restore(other)
    assert {e.id for e in storage.find()} == {kept, other}
    assert (storage.count(), storage.count(Criteria(deleted=True))) == (2, 0)
    for episode_id in (kept, other):
        storage.delete(episode_id)
        storage.purge(episode_id)
    for table in ("episodes", "setups", "events", "tags"):
        assert place.execute(f"SELECT count(*) FROM {table}") == [(0,)]


def test_titles_and_tags(storage):
    episode_id = storage.create(
        Episode.from_setup(NIP), title="  A  first\ntitle ", tags=["b", " a  c ", "b"]
    )
    entry = storage.entry(episode_id)
    assert (entry.title, entry.tags) == ("A first title", ("a c", "b"))
    storage.describe(episode_id, title="Another")
    storage.describe(episode_id, tags=["ß", "100%"])
    entry = storage.entry(episode_id)
    assert (entry.title, entry.tags) == ("Another", ("100%", "ß"))
    assert [found.id for found in storage.find(Criteria(text="another ß"))] == [episode_id]
    assert storage.find(Criteria(text="first")) == []
    storage.describe(episode_id, tags=[])
    assert storage.entry(episode_id).tags == ()
    assert storage.find(Criteria(text="ß")) == []


@each("wrong", ["", " ", "x" * 201, "a\0b", "\ud800"])
def test_impossible_titles_and_tags(storage, wrong):
    episode_id = storage.create(Episode.from_setup(NIP), title="T", tags=["t"])
    with pytest.raises(StorageInputError):
        storage.describe(episode_id, tags=[wrong])
    with pytest.raises(StorageInputError):
        storage.describe(episode_id, title=wrong)
    with pytest.raises(StorageInputError):
        storage.create(Episode.from_setup(NIP), tags=[wrong])
    with pytest.raises(StorageInputError, match="at most 20"):
        storage.describe(episode_id, title="U", tags=map(str, range(21)))
    entry = storage.entry(episode_id)
    assert (entry.title, entry.tags) == ("T", ("t",))


def say(storage, text, *, over=True, **labels):
    episode = Episode.from_setup(NIP)
    episode.play(Move("verifier", {"main": text}))
    if over:
        episode.play(Move("prover", {"main": "Well."}))
        episode.play(Move("verifier", decision=1))
    return storage.create(episode, **labels)


def test_search(storage):
    def ids(text):
        return {entry.id for entry in storage.find(Criteria(text=text))}

    first = say(storage, "Is the STRASSE 100% sure?", title="Straße", tags=["Workshop 7"])
    second = say(storage, "under_score \\ and Übermut", title="b")
    hidden = say(storage, "Übermut", over=False, title="c")
    assert ids("") == {first, second, hidden}
    assert ids("strasse") == ids("STRAẞE") == ids("trass") == {first}
    assert ids("workshop STRASSE 100%") == {first}
    assert ids("workshop übermut") == set()
    assert ids("100_") == ids("1%0") == set()
    assert ids("_score") == ids("\\") == {second}
    # A search does not find the words of a game in progress, but does find its title.
    assert ids("U\u0308bermut") == {second}
    assert ids("c") >= {hidden}
    # The names of fields in records are not found.
    assert ids("moved") == ids("decision") == set()
    for strange in ("\0", "\ud800", "'; DROP TABLE episodes; --", "x" * 10_000, "%", "[a-z]"):
        ids(strange)
    # Only so much of it is read.
    assert ids("strasse" + " " * 200 + "nowhere") == {first}
    assert storage.count() == 3


def test_criteria(storage):
    a = say(storage, "x", title="a", tags=["t", "u"])
    b = say(storage, "x", title="b", tags=["t"], over=False)
    c = storage.create(Episode.from_setup(SETUPS["debate"]), title="c")
    right = storage.entry(a).right

    def ids(**criteria):
        found = storage.find(Criteria(**criteria))
        assert storage.count(Criteria(**criteria)) == len(found)
        return [entry.id for entry in found]

    assert ids() == [c, b, a]
    assert ids(tag="t") == [b, a]
    assert ids(tag="u") == [a]
    assert ids(protocol="debate") == [c]
    assert ids(kind="code_validation", task=NIP.task.id) == [c, b, a]
    assert ids(kind="graph_isomorphism") == []
    assert ids(outcome="running") == [c, b]
    assert ids(outcome="accept", right=right) == [a]
    assert ids(right=not right) == []
    assert ids(tag="t", protocol="nip", outcome="running", text="b") == [b]
    for strange in ("\0", "\ud800", "'"):
        assert ids(tag=strange) == ids(protocol=strange) == []
    assert storage.tags() == {"t": 2, "u": 1}


def test_results_come_in_pages(storage):
    before = datetime.now(UTC)
    made = [storage.create(Episode.from_setup(NIP)) for _ in range(7)]
    for entry in map(storage.entry, made):
        assert entry.created == entry.updated
        assert before <= datetime.fromisoformat(entry.created) <= datetime.now(UTC)
    episode = played(random.Random(1), 1)
    storage.append(made[2], episode, 0)
    latest_first = [made[2], *(i for i in reversed(made) if i != made[2])]
    pages, after = [], None
    while page := storage.find(limit=3, after=after):
        pages.append([entry.id for entry in page])
        after = page[-1].id
    assert [len(page) for page in pages] == [3, 3, 1]
    assert [one for page in pages for one in page] == latest_first


def test_an_episode_that_cannot_be_replayed_is_reported(place, storage):
    episode_id = storage.create(finished())
    place.execute('UPDATE events SET body = \'{"type": "went", "node": 99}\' WHERE number = 1')
    with pytest.raises(DamagedEpisodeError, match=r"event 1 is not possible \(UnknownNameError\)"):
        storage.load(episode_id)
    place.execute("UPDATE events SET body = 'half a li' WHERE number = 1")
    with pytest.raises(DamagedEpisodeError, match="event 1 is not possible"):
        storage.load(episode_id)
    place.execute("DELETE FROM events WHERE number > 0")
    with pytest.raises(DamagedEpisodeError, match="of which 1 are found"):
        storage.load(episode_id)
    place.execute("UPDATE setups SET body = '[]'")
    with pytest.raises(DamagedEpisodeError, match="its setup is not possible"):
        storage.load(episode_id)


def test_drafts(place, storage):
    drafts = storage.drafts
    assert drafts.get("token", "play") is None
    drafts.put("token", "play", {"main": "half a thought\0\ud800", "confidence": 40})
    drafts.put("token", "notes", "abc")
    drafts.put("other", "play", None)
    drafts.put("token", "play", {"main": "a thought"})
    with place.open() as elsewhere:
        assert elsewhere.drafts.get("token", "play") == {"main": "a thought"}
    assert drafts.get("other", "play") is None
    assert "token" not in str(place.execute("SELECT owner FROM drafts"))
    drafts.clear("token", "play")
    assert drafts.get("token", "play") is None
    assert drafts.get("token", "notes") == "abc"
    drafts.forget("token")
    assert drafts.get("token", "notes") is None
    drafts.put("token", "notes", "short")
    with pytest.raises(StorageInputError, match="at most"):
        drafts.put("token", "notes", "x" * 499_999)
    with pytest.raises(ValueError, match="JSON"):
        drafts.put("token", "notes", float("nan"))
    assert drafts.get("token", "notes") == "short"
    # Two quotation marks are stored too.
    drafts.put("token", "notes", "x" * 499_998)
    with pytest.raises(StorageInputError):
        drafts.put("token", "a\0b", "x")
