"""The id of a room's episode shows nothing of it anywhere before the reveal."""

from pathlib import Path

from explorer import rooms
from explorer.ui.shell import PAGES
from tests.explorer.rooms.people import LEADER, act_of, at, opened, play_out, visitor

SECRET = "Zwetschgendatschi"
# In addition to an episode's id, all parameters with which an address can ask a page for something;
# new pages are asked, too.
BESIDE = {
    "home": ({},),
    "learn": ({},),
    "protocols": ({}, {"protocol": "mnip"}),
    "play": ({"episode": "ID"},),
    "transcripts": ({"episode": "ID"}, {"search": SECRET}),
    "rewards": ({"protocol": "mnip", "play": "recorded", "episode": "ID"},),
    "room": tuple(
        {"code": "CODE", "episode": "ID", **way}
        for way in ({"person": "1"}, {"as": "lead"}, {"as": "projector"}, {"as": "gallery"})
    ),
}


def sent_by_all_pages(frames, code, episode_id):
    """Return everything that a stranger is sent by all pages, and their downloads."""
    named = {"ID": episode_id, "CODE": code}
    for entry in PAGES:
        name = Path(entry.file).stem
        for query in BESIDE.get(name, ({"episode": "ID"},)):
            asked = {key: named.get(value, value) for key, value in query.items()}
            page = frames.open("" if entry is PAGES[0] else name, **asked)
            yield name, page.said
            if name in ("transcripts", "rewards"):
                for label, content in page.downloads().items():
                    yield f"{name}: {label}", repr(content)
            page.close()


def test_all_pages(frames):
    storage = frames.storage
    code = opened(storage, 3)
    for person in (1, 2, 3):
        table = at(storage, code, person)
        if table.agent == "verifier":
            assert table.play(act_of(table, words=f"{SECRET}?")) is None
    play_out(storage, code)
    episode_id = rooms.load_room(rooms.Access(storage, code)).tables[0].episode_id
    title = (
        storage.within(rooms.load_room(rooms.Access(storage, code)).number).entry(episode_id).title
    )
    for place, said in sent_by_all_pages(frames, code, episode_id):
        # The search field repeats the searched text, and names of tasks are in a list.
        assert f"{SECRET}?" not in said, place
        assert title not in said or place in ("play", "home"), place
    # The same search finds it after the reveal, so the search itself works.
    rooms.reveal(rooms.Access(storage, code, LEADER))
    assert title in frames.open("transcripts").said
    page = frames.open("transcripts", episode=episode_id)
    assert f"{SECRET}?" in page.said
    # Opening it at the table does not change it.
    before = storage.entry(episode_id)
    play = frames.open("play", episode=episode_id)
    if play.has_table:
        play.act(undo=0)
        play.take_back()
    if "Take the Verifier's seat" in play.labels():
        play.click("Take the Verifier's seat")
    assert storage.entry(episode_id) == before
    assert visitor(1) not in play.said + page.said
