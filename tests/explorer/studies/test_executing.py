"""The same episodes, played here, in processes or on a cluster.

The Dask cluster is a real one of two workers on this machine; one of them is killed at work.
"""

import os
import signal
import sys

import pytest

from explorer.studies import Record, StudyError, processes, read_study, run_study
from explorer.studies.executing import dask_cluster
from tests.explorer.studies.files import SMALL
from tests.explorer.studies.test_record import Here


def kept(record: Record) -> list[dict]:
    return [row.to_dict() for row in record.results()]


def test_a_cluster_needs_its_extra_everywhere(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(StudyError, match="here and on all its machines"):
        dask_cluster("tcp://127.0.0.1:1")


@pytest.mark.exhaustive
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
    local = Record(tmp_path / "processes")
    run_study(read_study(text), local, executor=processes(2))
    assert kept(local) == kept(reference)
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as cluster:
        make = dask_cluster(cluster.scheduler_address)
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
