"""The facilitator's files, and who is reported missing on the board."""

import io

import pandas as pd
import pytest

from explorer import rooms
from explorer.files import unguarded
from tests.explorer.rooms.people import (
    LEADER,
    act_of,
    at,
    lead_board,
    opened,
    play_out,
    sits,
    visitor,
)
from tests.explorer.rooms.test_running import let_time_pass

FORMULA = "=HYPERLINK(1)"


def test_the_files(storage, access):
    code = opened(storage, 3, round_seconds=60, names=True)
    verifier, prover = sits(storage, code, "verifier"), sits(storage, code, "prover0")
    table = at(storage, code, verifier)
    table.play(act_of(table, words=FORMULA))
    rooms.replace_by_bot(access(code, LEADER), 1, "prover0")
    let_time_pass(storage, code)
    rooms.run_due(storage)
    rooms.hand_back(access(code, LEADER), 1, "prover0")
    rooms.answer(access(code, visitor(prover)), prover, "debrief", 1, "", "prediction", "0.5")
    play_out(storage, code)
    with pytest.raises(rooms.NotLeaderError):
        rooms.files(access(code, visitor(verifier)))
    made = rooms.files(access(code, LEADER))
    names = ("people", "tables", "seats", "moves", "answers", "result")
    assert list(made) == [f"{code}-{name}.csv" for name in names]
    read = {n: pd.read_csv(io.BytesIO(made[f"{code}-{n}.csv"])) for n in names}
    assert list(read["people"]["person"]) == [1, 2, 3]
    assert list(read["tables"]["decision"]) == [1]
    assert list(read["tables"]["answer"]) == ["accept"]
    moves = read["moves"]
    (decided,) = moves[moves["decision"].notna()].to_dict("records")
    assert (decided["choice"], decided["option"]) == ("verdict", "accept")
    assert [unguarded(text) for text in moves["text"][:2]] == [FORMULA, FORMULA]
    by_round = moves.groupby("turn")["seat"].agg(set).to_dict()
    assert by_round[1] == {"verifier"}
    assert by_round[2] == {"prover0", "prover1"}
    assert (moves["seconds"] >= 0).all()
    assert list(moves[moves["seat"] == "verifier"]["person"].unique()) == [verifier]
    seats = read["seats"]
    assert list(seats[seats["late"].notna()]["seat"]) == ["prover1"]
    assert set(seats["player"]) == {"human", "scripted"}
    assert f"person {prover}" in set(seats["instead_of"].dropna())
    assert list(read["answers"]["value"]) == [0.5]
    assert visitor(1) not in repr(made)


def test_who_is_reported_missing(storage, access):
    code = opened(storage, 3)
    number = rooms.load_room(access(code)).number
    assert storage.presence.there(number) == {}
    asked = sits(storage, code, "verifier")
    storage.presence.enter(code, "lead", "a" * 32)
    storage.presence.enter(code, f"person:{asked}", "b" * 32)
    seats = {s["agent"]: s for s in lead_board(rooms.room_of(access(code)))[0]["seats"]}
    assert {agent: seat["state"] for agent, seat in seats.items()} == {
        "verifier": "asked",
        "prover0": "lost",
        "prover1": "lost",
    }
    assert [agent for agent, seat in seats.items() if seat["asked"]] == ["verifier"]
    assert "lost" not in repr(rooms.board(rooms.room_of(access(code))))
