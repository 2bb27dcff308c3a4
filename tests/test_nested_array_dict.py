"""Nested dictionaries of arrays."""

import copy
import pickle

import numpy as np
import pytest

from nip_core import NestedArrayDict


@pytest.fixture
def data():
    agents = {"message": np.array([["a", "b"], ["c", "d"], ["e", "f"]])}
    return NestedArrayDict({"round": np.arange(3), "agents": agents}, batch_size=3)


def test_keys_reach_arrays_and_branches(data):
    assert data["agents", "message"][1].tolist() == ["c", "d"]
    assert data["agents"]["message"].shape == (3, 2)
    assert data.keys() == [("round",), ("agents", "message")]
    assert ("agents", "message") in data
    assert "seed" not in data
    assert data.get("seed", 7) == 7
    with pytest.raises(KeyError):
        _ = data["seed"]


def test_indexing_selects_items(data):
    assert data[1]["round"] == 1
    assert data[1].batch_size == ()
    assert data[1:]["agents", "message"].tolist() == [["c", "d"], ["e", "f"]]
    assert data[np.array([True, False, True])].batch_size == (2,)
    assert [item["round"] for item in data] == [0, 1, 2]
    assert len(data) == 3
    with pytest.raises(IndexError):
        _ = data[:, 0]


def test_the_batch_size_is_kept(data):
    with pytest.raises(ValueError, match=r"begin with the batch size \(3,\)"):
        data["seed"] = np.zeros(2)
    with pytest.raises(ValueError, match="batch_size must be given"):
        NestedArrayDict({"round": [1]})
    with pytest.raises(KeyError, match="is an array"):
        data["round", "x"] = np.zeros(3)
    with pytest.raises(KeyError, match="string or a tuple"):
        data[3] = np.zeros(3)


def test_copies_and_stacks(data):
    other = data.clone()
    other["round"][0] = 9
    assert data["round"][0] == 0
    assert other != data
    assert copy.deepcopy(data) == data == pickle.loads(pickle.dumps(data))
    both = NestedArrayDict.stack([data, other])
    assert both.batch_size == (2, 3)
    assert both[1] == other
    assert NestedArrayDict(data) == data
    with pytest.raises(ValueError, match="There is nothing to stack"):
        NestedArrayDict.stack([])
    with pytest.raises(ValueError, match="Only dictionaries with the same keys"):
        NestedArrayDict.stack([data, NestedArrayDict({"x": [1, 2, 3]}, 3)])
