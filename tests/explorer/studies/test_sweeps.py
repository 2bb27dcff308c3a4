"""The same numbers, bit for bit, computed here, in processes or on a cluster.

The Dask cluster is a real one of two workers on this machine; one of them is killed at work.
"""

import json
import os
import signal
import sys

import pytest

from explorer.studies import Record, StudyError, processes, read_study, run_study, sweep
from explorer.studies.executing import dask_cluster
from explorer.studies.sweeps import commitment, exact, sampled
from tests.explorer.studies.files import SMALL
from tests.explorer.studies.test_record import Here

GRID = {
    "protocol": ["nip", "adp"],
    "nip_protocol.max_message_rounds": [4, 8],
    "accepts_false": [0.1, 0.25],
}
SAMPLED = {**GRID, "episodes": [2_000]}
GAMES = {"protocol": ["adp", "solo_verifier", "mnip"], "prior": [0.3, 0.5]}


def bits(rows) -> str:
    return json.dumps(rows)  # the shortest text that gives the same float


def kept(record: Record) -> list[dict]:
    return [row.to_dict() for row in record.results()]


def test_sweeps_by_hand():
    rows = sweep(exact, GRID, Here)
    assert len(rows) == 8
    assert rows[0]["right"] == pytest.approx(0.5 * 0.5 + 0.5 * 0.9)
    drawn = sweep(sampled, SAMPLED, Here)
    assert drawn[0]["right"] == pytest.approx(rows[0]["right"], abs=0.05)
    assert bits(drawn) != bits(sweep(sampled, SAMPLED, Here, seed=1))
    worth = sweep(commitment, GAMES, Here)
    # A single prover who always wants the same reveals nothing: the verifier can only guess.
    assert worth[0]["kind"] == pytest.approx(0.7 - 0.3)
    # A point that cannot be computed says why, and affects no other.
    assert worth[-1]["error"].endswith("in 'mnip' there are 2 provers.")
    with pytest.raises(StudyError, match="points"):
        sweep(exact, {"protocol": []}, Here)
    assert "parameter of this sweep" in sweep(exact, {"decide": [1]}, Here)[0]["error"]


def test_a_cluster_needs_its_extra_everywhere(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(StudyError, match="here and on all its machines"):
        dask_cluster("tcp://127.0.0.1:1")


def test_nobody_answers():
    pytest.importorskip("distributed", reason="needs the extra `cluster`")
    with pytest.raises(StudyError, match=r"No Dask scheduler answers at .*dask scheduler"):
        dask_cluster("tcp://127.0.0.1:1", timeout=1)


@pytest.mark.exhaustive
def test_a_dask_cluster_gives_the_same_with_one_worker_two_and_one_that_dies(tmp_path):
    distributed = pytest.importorskip("distributed", reason="needs the extra `cluster`")
    text = SMALL.replace("seed = 3", "seed = 3\nepochs = 3")
    reference = Record(tmp_path / "here")
    run_study(read_study(text), reference, executor=Here)
    expected = [bits(sweep(*each, Here)) for each in ((exact, GRID), (sampled, SAMPLED))]

    assert bits(sweep(exact, GRID, processes(2))) == expected[0]
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as cluster:
        make = dask_cluster(cluster.scheduler_address)
        made = [bits(sweep(*each, make)) for each in ((exact, GRID), (sampled, SAMPLED))]
        assert made == expected
        record, killed = Record(tmp_path / "two"), []

        def kill_one(stage):
            if stage.done >= 8 and not killed:
                nanny = next(iter(cluster.workers.values()))
                killed.append(nanny.pid)
                os.kill(nanny.pid, signal.SIGKILL)

        stage = run_study(read_study(text), record, executor=make, watch=kill_one)
        assert killed
        assert (stage.done, stage.failed) == (48, 0)
        assert kept(record) == kept(reference)

        cluster.scale(1)
        alone = Record(tmp_path / "one")
        run_study(read_study(text), alone, executor=make)
        assert kept(alone) == kept(reference)
