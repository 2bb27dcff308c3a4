"""Episodes as tables agree with the episodes."""

import csv
import io
import json
import random

import pandas as pd
import pytest

from explorer.files import csv_bytes
from explorer.play.dataframes import COLUMNS, episodes_df, messages_df, rounds_df
from nip_core import HyperParameters
from nip_core.play import Episode, Move, Origin, Refused, Seated
from tests.depth import each
from tests.noninterference import build, some_world
from tests.play_worlds import FOREIGN, GRAPHS, ONE_TASK, Setup, protocols


@pytest.fixture(scope="module")
def episodes():
    rng = random.Random(0)
    found = []
    for name, protocol in protocols().items():
        setup = Setup.of(protocol, rng.choice([ONE_TASK, GRAPHS, FOREIGN]), rng.randrange(99))
        for number in range(3):
            found.append((f"{name} {number}", build(some_world(rng, setup, 6))))
    player = {"kind": "llm", "model": "m-1", "name": "x"}
    found[0][1].apply(Seated(agent="verifier", player=player))
    return found


@each(
    ("table", "make"), [("episodes", episodes_df), ("rounds", rounds_df), ("messages", messages_df)]
)
def test_columns_are_the_documented_ones(table, make, episodes):
    for some in (episodes, []):
        assert list(make(some).columns) == list(COLUMNS[table])


def test_ids_are_unique_and_stable(episodes):
    for make, key in (
        (episodes_df, ["episode", "line", "agent"]),
        (rounds_df, ["episode", "line", "round", "agent"]),
        (messages_df, ["episode", "line", "round", "agent", "channel"]),
    ):
        frame = make(episodes)
        assert not frame.duplicated(key).any()
        assert frame.equals(make(episodes))


def test_rewards_add_up(episodes):
    whole = episodes_df(episodes).set_index(["episode", "line", "agent"])["reward"]
    parts = rounds_df(episodes).groupby(["episode", "line", "agent"])["reward"].sum()
    assert len(parts) > 100
    for key, total in parts.items():
        assert whole[key] == pytest.approx(total)


def test_outcomes_are_the_episodes(episodes):
    frame = episodes_df(episodes)
    for name, episode in episodes:
        for leaf in episode.leaves:
            result = episode.result(leaf.id)
            rows = frame[(frame["episode"] == name) & (frame["line"] == leaf.id)]
            assert len(rows) == len(episode.rules.seats)
            assert (rows["done"] == result.done).all()
            if result.decision is None:
                assert rows["decision"].isna().all()
            else:
                assert (rows["decision"] == result.decision).all()
                assert (rows["right"] == result.right).all()
            brier = rows.set_index("agent")["brier"].dropna().to_dict()
            assert brier == pytest.approx(result.brier)
    seated = frame[frame["model"] == "m-1"]
    assert set(seated["player"]) == {"llm"}


def test_messages_are_the_moves(episodes):
    frame = messages_df(episodes)
    for name, episode in episodes:
        for leaf in episode.leaves:
            expected = [
                (node.round - 1, agent, channel, text)
                for node in episode.path(leaf.id)[1:]
                for agent, move in node.moves.items()
                for channel, text in move.messages.items()
            ]
            rows = frame[(frame["episode"] == name) & (frame["line"] == leaf.id)]
            columns = rows[["round", "agent", "channel", "text"]]
            assert [tuple(row) for row in columns.itertuples(index=False)] == expected
    assert frame["seconds"].notna().any()
    assert frame["tokens"].notna().any()
    assert frame["model"].notna().any()
    assert (frame["words"] > 0).all()


def test_how_moves_came_about(episodes):
    frame = rounds_df(episodes)
    spoken = frame[frame["made_by"] == "llm"]
    assert len(spoken) > 100
    assert spoken["reasoning"].str.startswith("thought: ").all()
    assert (spoken["tokens_in"] >= 0).all()
    for number, answers in zip(spoken["refused"], spoken["refused_answers"], strict=True):
        refusals = [] if answers is None or answers is pd.NA else json.loads(answers)
        assert len(refusals) == number
        assert all(set(one) == {"answer", "reason"} for one in refusals)
    assert all("seed" in json.loads(text) for text in spoken["settings"])
    silent = frame[frame["made_by"].isna()]
    assert silent["model"].isna().all()
    assert silent["refused"].isna().all()


def test_what_a_model_wrote_becomes_no_formula():
    episode = Episode(HyperParameters(), ONE_TASK)
    evil = "=HYPERLINK(1)"
    origin = Origin(kind="llm", model=evil, reasoning=evil, refused=(Refused(evil, evil),))
    episode.play(Move("verifier", decision=1), origin=origin.to_dict())
    frame = rounds_df([("e", episode)])
    rows = list(csv.DictReader(io.StringIO(csv_bytes(frame).decode(), newline="")))
    (row,) = (row for row in rows if row["agent"] == "verifier")
    written = {name for name, cell in row.items() if cell.lstrip("'") == evil}
    assert {"model", "reasoning"} <= written
    assert {row[name] for name in written} == {f"'{evil}"}


def test_a_model_s_confidence_gives_a_brier_score():
    episode = Episode(HyperParameters(), ONE_TASK)
    said = f"Decision: {('accept', 'reject')[ONE_TASK.y]}\nConfidence: 80%"
    episode.play(episode.view_for("verifier").read_answer(said))
    frame = episodes_df([("e", episode)]).set_index("agent")
    # It is confident of the wrong verdict.
    assert frame.loc["verifier", "brier"] == pytest.approx(0.64)
    sure_of_accept = (80, 20)[ONE_TASK.y]
    assert (
        rounds_df([("e", episode)]).set_index("agent").loc["verifier", "confidence"]
        == sure_of_accept
    )
