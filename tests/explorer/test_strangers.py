"""Protocols written by strangers, through the surfaces of the explorer.

What all protocols in files have in common (sentences, pictures, secrecy, values) is tested where it
is made; these tests only lead each of them from one end to the other.
"""

import json
import random
import re
from concurrent.futures import ThreadPoolExecutor

import pytest

from explorer import rooms
from explorer.choice import ProtocolChoice
from explorer.notebook import play, read, replay_html, show_schedule
from explorer.rooms import RoomCondition, RoomPlan
from explorer.storage import open_storage
from explorer.studies import Record, load_study, provers_table, run_study
from explorer.studies.findings import of_record
from explorer.studies.inspect.archive import read_log
from nip_core import Episode
from nip_core.play import Material
from nip_core.transcript import dumps
from tests.explorer.rooms.people import LEADER, at, visitor
from tests.explorer.site.test_site import Page
from tests.language.zoo import BESIDE, STRANGERS, published
from tests.later import later
from tests.play.turn_players import begun, given, play_on, random_turn
from tests.sentences import need_words

writing = later("explorer.studies.inspect.writing")

strangers = pytest.mark.parametrize("name", STRANGERS)
# Markup in the titles of one of them.
MARKUP = re.compile(r"<(?:script>alert|img src=x|b>Bold|/div><h1)")


def over(name):
    """Return a game that has been played by random players."""
    episode, rng = begun(published(name), 3)
    play_on(episode, rng)
    return episode


@strangers
def test_it_is_found_again_by_its_link_and_in_kept_documents(name):
    choice = ProtocolChoice.of(published(name))
    found, problems = ProtocolChoice.read(choice.to_query(), "nip")
    assert (found.rules, problems) == (published(name), [])
    assert ProtocolChoice.from_dict(choice.to_dict()) == choice
    need_words(choice.rules, f"{choice.title}.", name)


@strangers
def test_it_is_played_in_a_notebook_from_each_seat(name):
    spec = published(name)
    assert not MARKUP.search(show_schedule(spec).html())
    for seat in spec.seat_names:
        rng = random.Random(seat)
        game = play(Episode(spec, given(spec, rng), 3), seat)
        while not game.episode.over:
            assert seat in game.episode.to_move
            assert game.make(random_turn(game.episode.view_for(seat), rng)), game.refusal
        shown = game.data()["table"]
        assert shown["ending"]["rewards"][0]["seat"] == spec.seat_names[0]
        need_words(spec, shown["head"]["now"], name)


@strangers
def test_a_finished_game_is_shown_by_the_site_a_page_and_a_notebook(name):
    episode = over(name)
    page = Page()
    assert page.send(does="load", text=dumps(episode), game="g") is None
    assert page.game["over"]
    assert page.send(does="transcript") is None
    assert not MARKUP.search(replay_html(episode))
    assert not MARKUP.search(read(episode).html())


@strangers
def test_a_finished_game_is_a_log_of_inspect(name):
    episode = over(name)
    _, samples = read_log(writing.write_log(name, [writing.Exported("one", episode)]))
    (sample,) = samples
    assert dumps(sample.episode) == dumps(episode)


@strangers
def test_people_play_it_in_a_room(name, tmp_path):
    spec, rng = published(name), random.Random(1)
    written = Material.of(spec, given(spec, rng), 0).to_dict()
    plan = RoomPlan(
        conditions=(RoomCondition("it", ProtocolChoice.of(spec)),),
        tasks=rooms.plan.written_names(1),
        written=(written,),
        seed=1,
    )
    assert RoomPlan.from_dict(json.loads(json.dumps(plan.to_dict()))) == plan
    with open_storage(f"sqlite:///{tmp_path}/rooms.db") as storage:
        code = rooms.open_room(storage, plan, LEADER).code
        people = range(1, len(spec.seat_names) + 1)
        for number in people:
            rooms.join(rooms.Access(storage, code, visitor(number)))
        leader = rooms.Access(storage, code, LEADER)
        rooms.start(leader)
        seats = [at(storage, code, number) for number in people]
        while not seats[0].over:
            for seat in seats:
                view = seat.seen.view
                if not seat.over and view.legal.may_act and view.held is None:
                    move = random_turn(view, rng).to_dict()
                    act = {"seat": seat.agent, "round": view.round, "mark": "m", **move}
                    assert seat.play(act) is None
            seats = [at(storage, code, number) for number in people]
        rooms.reveal(leader)
        moves = rooms.files(leader)[f"{code}-moves.csv"].decode()
        assert len(moves.splitlines()) > 1


@strangers
def test_it_is_played_in_a_study(name, tmp_path):
    spec = published(name)
    (tmp_path / "it.toml").write_text((BESIDE / f"{name}.toml").read_text("utf-8"), "utf-8")
    task = Material.of(spec, given(spec, random.Random(2)), 0).to_dict()
    line = {"parts": task["parts"], "facts": task["facts"], "title": "One"}
    (tmp_path / "tasks.jsonl").write_text(json.dumps(line), "utf-8")
    (tmp_path / "study.toml").write_text(STUDY)
    study, record = load_study(tmp_path / "study.toml"), Record(tmp_path / "record")
    run_study(study, record, executor=lambda: ThreadPoolExecutor(1))
    rows = record.results()
    assert [row.condition for row in rows]
    assert not [row for row in rows if row.verdict == "failed"]
    # Where nothing says what is true, or nobody argues, nobody is convinced of it.
    tried = provers_table(of_record(record)).rows
    assert bool(tried) == (spec.roles.truth is not None and bool(spec.roles.sides))


STUDY = """
format = "nip-study/1"
name = "strangers"
[[tasks]]
file = "tasks.jsonl"
format = "parts"
[protocols.it]
document = "it.toml"
[players.chance]
kind = "random"
[players.script]
kind = "scripted"
level = "easy"
[[conditions]]
verifiers = "chance"
provers = ["chance", "script"]
"""


@strangers
def test_every_page_shows_it(name, frames):
    """By its link: a picture, a comparison, a game to its end, its transcript."""
    spec, rng = published(name), random.Random(1)
    link = ProtocolChoice.of(spec).to_query()
    for view in ("Grid", "Sequence", "Who reads what"):
        page = frames.open("protocols", view=view, **link)
        assert not page.texts("alert"), page.texts("alert")
    beside = frames.open("protocols", **link, compare="true", protocol_2="nip")
    assert not beside.texts("alert")
    page = frames.open("play", **link)
    for part in spec.parts:
        page.choose(f"play-own-part-{part.name}", f"The {part.name}.")
    page.click("Begin")
    number = 0
    while page.table["ending"] is None:
        number += 1
        episode = frames.storage.load(page.query["episode"]).episode
        move = random_turn(episode.view_for(page.table["seat"]), rng)
        acts = {"messages": dict(move.messages), "choices": dict(move.choices)}
        assert page.act(**acts, mark=str(number)) is None
    read_page = frames.open("transcripts", episode=page.query["episode"])
    assert not read_page.texts("alert")
    assert "Markdown" in read_page.downloads()
    shown = [element for kind, element in read_page.elements() if kind in ("html", "markdown")]
    assert not [element for element in shown if MARKUP.search(element.body)]
