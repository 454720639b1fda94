"""Cells on a scheduler of Dask with two workers of this computer."""

import os
import shutil
import signal
import subprocess

import pytest

from emberscope.base.errors import WorkerError
from emberscope.base.monitor import Silent
from emberscope.project.store.cell_folder import StudyFolder
from emberscope.studies import cluster
from emberscope.studies.cells import cells_of
from emberscope.studies.cluster import check_workers, fill_on, load_of, risk_of
from emberscope.studies.fill import Work, fill
from emberscope.studies.where import Where

from .conftest import study

distributed = pytest.importorskip("distributed")
dask = pytest.importorskip("dask")


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


def test_certificates_that_dask_lacks_are_asked_for(work):
    with pytest.raises(WorkerError, match="no certificates for tls"):
        fill_on("tls://127.0.0.1:9", work)


def dies(snapshot, cell):
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_cell_at_which_worker_after_worker_dies_is_given_up_and_left_alone(
    work, monkeypatch
):
    one = Work(work.snapshot, work.cells[:1], work.folder)
    with dask.config.set({"distributed.scheduler.allowed-failures": 0}):
        monkeypatch.setattr(cluster, "_compute", dies)
        (found,) = fill_on("local:1", one).results.values()
    assert found.given_up
    assert found.error == "worker after worker died here, perhaps for want of memory"
    monkeypatch.setattr(cluster, "_compute", lambda *_: pytest.fail("it was tried again"))
    assert fill_on("local:1", one).results == {found.key: found}


def test_a_scheduler_that_goes_in_the_middle_is_said_and_what_is_done_is_kept(work, project):
    cells = cells_of(study(method=["pca", "lpp"], seed=list(range(8))), project)
    work = Work(work.snapshot, cells, work.folder, work.cache)
    short = {"distributed.comm.timeouts.connect": "2s"}
    with dask.config.set(short), local(death_timeout=10) as there:
        closed = []

        def close(results):
            if not closed:
                closed.append(there.sync(there.scheduler.close))

        with pytest.raises(WorkerError, match="the scheduler is gone"):
            fill_on(there.scheduler_address, work, show=close)
    done = len(work.folder.results(work.cells))
    assert done >= 1  # as many as workers ended before they knew
    assert Where(dask="tcp://127.0.0.1:9", fall_back=True).fill(work, Silent(), print)
    assert len(work.folder.results(work.cells)) == 16


def test_own_workers_keep_memory_and_dask_keeps_its_settings():
    asked = "distributed.nanny.pre-spawn-environ.MALLOC_TRIM_THRESHOLD_"
    before = dask.config.get(asked)
    with cluster._client("local:1") as client:
        (found,) = client.run(lambda: os.environ["MALLOC_TRIM_THRESHOLD_"]).values()
    assert (int(found) > int(before), dask.config.get(asked)) == (True, before)


def test_how_busy_the_workers_are_is_said(work):
    with local() as there:
        load = load_of(there.scheduler_address)
    assert (load.workers, load.threads, load.cells, load.differs) == (2, 2, 0, "")
    assert load.memory > 0
    assert load.spoken.startswith("2 workers, ")


def test_workers_with_other_code_are_said_beside_how_busy_they_are(work, monkeypatch):
    with local() as there:
        monkeypatch.setattr(cluster, "code_version", lambda: "other")
        assert "computes with other code" in load_of(there.scheduler_address).differs


@pytest.mark.parametrize(("address", "is_open"), [
    ("tcp://head:8786", True), ("tcp://127.0.0.1:8786", False), ("tcp://[::1]:8786", False),
    ("tls://head:8786", False), ("local:2", False), ("head:8786", True), ("localhost:8786", False),
])
def test_an_address_that_anybody_may_join_is_said(address, is_open):
    assert bool(risk_of(address)) is is_open


@pytest.mark.skipif(shutil.which("openssl") is None, reason="makes the certificate")
def test_a_cluster_that_asks_for_certificates(work, tmp_path):
    """By the settings that the page of studies shows."""
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
