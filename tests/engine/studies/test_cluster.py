"""Cells on a scheduler of Dask with two workers of this computer."""

import os
import shutil
import signal
import subprocess

import pytest

from emberscope.base.errors import WorkerError
from emberscope.project.store.cell_folder import StudyFolder
from emberscope.studies import cluster
from emberscope.studies.cells import cells_of
from emberscope.studies.cluster import check_workers, fill_on
from emberscope.studies.fill import Work, fill

from .conftest import study

distributed = pytest.importorskip("distributed")


@pytest.fixture
def work(project, snapshot, tmp_path, monkeypatch):
    monkeypatch.setenv("EMBERSCOPE_CACHE", str(tmp_path / "cache"))
    cells = cells_of(study(method=["pca", "lpp"], seed=[0, 1]), project)
    return Work(snapshot, cells, StudyFolder(tmp_path / "out"), tmp_path / "own")


def numbers(filled):
    return {key: result.metrics for key, result in filled.results.items()}


def local(**more):
    return distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0",
                                    **more)


def test_a_cluster_gives_the_same_numbers_to_the_bit(work, tmp_path):
    alone = fill(Work(work.snapshot, work.cells, StudyFolder(tmp_path / "alone"), work.cache))
    assert numbers(fill_on("local:2", work)) == numbers(alone)


def test_what_is_done_is_not_sent(work, monkeypatch):
    done = fill(work)
    monkeypatch.setattr(cluster, "_compute", lambda *_: pytest.fail("it was computed again"))
    assert numbers(fill_on("local:1", work)) == numbers(done)


def test_a_worker_that_is_killed_costs_no_result(work):
    with local() as there:
        pids = [nanny.pid for nanny in there.workers.values()]
        os.kill(pids[0], signal.SIGKILL)
        assert len(fill_on(there.scheduler_address, work).results) == 4


def test_workers_with_other_code_are_refused_before_the_first_cell():
    class Client:
        def wait_for_workers(self, *_, **__): ...

        def run(self, function, on_error):
            return {"tcp://w:1": {**function(), "numpy": "0.1"}}

    with pytest.raises(WorkerError, match=r"other code: numpy 0\.1 for"):
        check_workers(Client())


def test_nobody_at_an_address_is_said(work, monkeypatch):
    monkeypatch.setattr(cluster, "_WAIT", "1s")
    with pytest.raises(WorkerError, match="no scheduler answers"):
        fill_on("tcp://127.0.0.1:9", work)


def test_what_goes_wrong_with_a_table_is_not_laid_to_the_scheduler(work):
    def show(results):
        raise OSError("the disk is full")

    with pytest.raises(OSError, match="the disk is full"):
        fill_on("local:1", work, show=show)


@pytest.mark.parametrize("address", [
    "local:0", "local:many", "local:\u00b2", "local:257", "nonsense://x",
])
def test_an_address_that_is_none_is_said(work, address):
    with pytest.raises(WorkerError):
        fill_on(address, work)


@pytest.mark.skipif(shutil.which("openssl") is None, reason="makes the certificate")
def test_a_cluster_that_asks_for_certificates(work, tmp_path):
    """As Dask's page on security has it, with its settings."""
    dask = pytest.importorskip("dask")
    cert, key = tmp_path / "c.pem", tmp_path / "k.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1",
                    "-subj", "/CN=127.0.0.1", "-keyout", key, "-out", cert],
                   check=True, capture_output=True)
    ends = {"cert": str(cert), "key": str(key)}
    tls = {"ca-file": str(cert), "scheduler": ends, "worker": ends, "client": ends}
    settings = {f"distributed.comm.tls.{name}": value for name, value in tls.items()}
    settings["distributed.comm.require-encryption"] = True
    with dask.config.set(settings), local(
        protocol="tls://", security=distributed.Security()
    ) as there:
        assert there.scheduler_address.startswith("tls://")
        assert len(fill_on(there.scheduler_address, work).results) == 4
