"""Deleting on the Transcripts page affects what was named, and nothing else."""

from explorer.storage import Criteria
from nip_core import Episode, HyperParameters, Move, bundled_tasks


def begun(task, seed):
    """Return an episode with a first move, without which it is not listed."""
    episode = Episode(HyperParameters(interaction_protocol="nip"), task, seed)
    episode.play(Move("verifier", {"main": "Why?"}))
    return episode


def fill(storage, count=3):
    return [storage.create(begun(bundled_tasks("easy")[n], n)) for n in range(count)]


def delete(page, storage, episode):
    title = storage.entry(episode).title
    (box,) = [e for kind, e in page.elements() if kind == "selectbox" and "Which" in e.label]
    page.choose("to-delete", next(name for name in box.options if name.startswith(title)))
    page.click(f"delete-{episode}")


def in_the_bin(storage):
    return {entry.id for entry in storage.find(Criteria(deleted=True))}


def test_deleting_for_good_deletes_this_episode_only(frames):
    first, second, third = fill(frames.storage)
    others = frames.open("transcripts")
    delete(others, frames.storage, first)
    mine = frames.open("transcripts")
    delete(mine, frames.storage, second)
    mine.click("Delete for good")
    assert in_the_bin(frames.storage) == {first}
    assert {entry.id for entry in frames.storage.find()} == {third}
    others.rerun()
    others.click("Undo")
    assert {entry.id for entry in frames.storage.find()} == {first, third}


def test_an_episode_restored_meanwhile_stays(frames):
    first, _, _ = fill(frames.storage)
    page = frames.open("transcripts")
    delete(page, frames.storage, first)
    frames.storage.restore(first)
    page.click("Delete for good")
    assert any("In the meantime" in text for text in page.texts("alert"))
    assert len(frames.storage.find()) == 3
    page.rerun()
    assert "Undo" not in page.labels()
    assert page.texts("alert") == []


def test_an_episode_deleted_meanwhile_is_not_asked_about_again(frames):
    first, _, _ = fill(frames.storage)
    page = frames.open("transcripts")
    delete(page, frames.storage, first)
    frames.storage.purge(first)
    page.click("Undo")
    assert any("In the meantime" in text for text in page.texts("alert"))
    page.rerun()
    assert len(page.labels()) >= 2
    assert page.texts("alert") == []
