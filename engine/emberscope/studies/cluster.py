"""The cells of a study on a cluster of Dask: paths and hashes travel, frames do not.

Every worker reads the frames by the paths that the project has, so that a shared disk is needed,
and keeps stages in its own cache. The connection is as safe as Dask is configured: addresses of
tls:// take certificates from its settings.
"""

import contextlib
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from emberscope.base.errors import EmberscopeError, WorkerError
from emberscope.base.folders import cache_folder
from emberscope.base.monitor import Monitor, monitored
from emberscope.base.process.threads import COUNTS
from emberscope.course.versions import code_version, versions
from emberscope.findings.studied.load import ClusterLoad
from emberscope.project.model.snapshot import Snapshot
from emberscope.project.store.cell_folder import Result
from emberscope.studies.cells import Cell
from emberscope.studies.fill import Filled, Show, Work
from emberscope.studies.results import compute

LOCAL = "local:"
_TLS = "tls://"   # takes certificates from the settings of Dask
_WAIT = "10s"     # for a scheduler that answers
_LOOK = 0.3       # s between two looks at what is done
_RETRIES = 2      # of a cell whose worker failed
_MOST = 256       # processes of this computer
_OF_CPU = "blas"  # differs with the processor, not with what is installed
_LOAD_EVERY = 5.0  # s between two questions how busy the workers are
_DIED = "KilledWorker"  # what Dask says of a task at which worker after worker died
_RUNNING = "running"    # the state of a client whose scheduler is there
# Memory stays with a process that ends a cell, as the C library has it by itself; the settings of
# Dask give all of it back, which the next cell fetches again
_MEMORY = {"MALLOC_TRIM_THRESHOLD_": 512 << 20, "MALLOC_MMAP_THRESHOLD_": 32 << 20}
_NEW_PROCESS = "distributed.nanny.pre-spawn-environ"  # what it finds at its start
_GONE = "What is done is kept: start it again, or compute the rest on this computer."
_OWN_HOSTS = ("127.0.0.1", "localhost", "::1")


class OtherCode(WorkerError):
    """A worker of a cluster computes with other code than this."""


def load_of(address: str) -> ClusterLoad:
    """How busy the workers of a scheduler are; asks, and changes nothing there. Raises WorkerError
    where Dask is not installed, nobody answers, or there is no worker."""
    with _client(address) as client:
        try:
            check_workers(client)
        except OtherCode as error:
            return _load(client, str(error))
        return _load(client)


def _load(client: Any, differs: str = "") -> ClusterLoad:
    # Not `scheduler_info`, whose answer another question of the client may replace
    said = client.sync(client.scheduler.identity)
    found: Mapping[str, Any] = said["workers"]
    threads = sum(int(each["nthreads"]) for each in found.values())
    metrics = [each.get("metrics", {}) for each in found.values()]
    percent = sum(float(own.get("cpu", 0.0)) for own in metrics)
    return ClusterLoad(
        len(found), threads, percent / 100 / max(threads, 1),
        sum(int(own.get("memory", 0)) for own in metrics),
        sum(int(each.get("memory_limit") or 0) for each in found.values()),
        sum(int(own.get("task_counts", {}).get("executing", 0)) for own in metrics), differs,
    )  # fmt: skip


def risk_of(address: str) -> str:
    """A sentence on an address whose connection anybody may join, "" for a safe one. One without
    a scheme is read as tcp://, as Dask does."""
    scheme, _, place = address.rpartition("://")
    host = place.rpartition(":")[0].strip("[]")
    if address.startswith(LOCAL) or scheme not in ("", "tcp") or host in _OWN_HOSTS:
        return ""
    return ("tcp:// is not encrypted: whoever reaches the scheduler can run code on its workers, "
            "and here. Take tls:// with certificates.")


def fill_on(
    address: str, work: Work, *, monitor: Monitor | None = None, show: Show | None = None
) -> Filled:
    """As `fill`, by the workers of a scheduler.

    address : of it, as "tcp://host:8786", or "local:N" for N processes that last as long as this.
    A worker that dies costs the cell it was at; a cell at which worker after worker died is given
    up. Raises WorkerError where Dask is not installed, nobody answers, workers have other code, or
    the scheduler is gone in the middle: what is done until then is kept; Cancelled.
    """
    cells, folder, pace, watch = work.cells, work.folder, work.pace, monitored(monitor)
    results, failed = folder.results(cells), dict[str, str]()
    pace.begin(cells, results)
    todo = {f"emberscope-{cell.key}": cell for cell in cells if cell.key not in results}
    with _client(address) as client:
        check_workers(client)
        pace.at_once = max(_load(client).threads, 1)
        (sent,) = client.scatter([work.snapshot], broadcast=True)
        waiting = {name: client.submit(_compute, sent, cell, key=name, retries=_RETRIES, pure=True)
                   for name, cell in todo.items()}
        try:
            busy = _Busy(client)
            while waiting:
                done = {name: each for name, each in waiting.items() if each.done()}
                for name, each in done.items():
                    cell, found = todo[name], _result(each, todo[name])
                    _refuse_gone(client)  # then nothing is known of the others
                    del waiting[name]
                    if isinstance(found, Result):
                        folder.put(found)
                        results[cell.key] = found
                    else:
                        failed[cell.key] = f"{cell.words}: {found}"
                if done and show is not None:
                    show(results)
                _refuse_gone(client)
                pace.see(results, failed)
                watch.step(pace.fraction, f"{pace.words}, {busy.words()}")
                time.sleep(_LOOK)
        finally:
            with contextlib.suppress(OSError, TimeoutError):  # of a scheduler that is gone
                client.cancel(list(waiting.values()))
    return Filled(results, failed)


class _Busy:
    """How busy the workers are, asked now and then."""

    def __init__(self, client: Any) -> None:
        self._client, self._asked, self._said = client, -_LOAD_EVERY, ""

    def words(self) -> str:
        if time.monotonic() - self._asked >= _LOAD_EVERY:
            self._asked = time.monotonic()
            try:
                self._said = _load(self._client).words
            except (OSError, TimeoutError):  # gone, which is noticed in a moment
                self._said = "the scheduler does not answer"
        return self._said


def _refuse_gone(client: Any) -> None:
    if client.status != _RUNNING:
        raise WorkerError("the scheduler is gone", hint=_GONE)


def _result(future: Any, cell: Cell) -> Result | str:
    """What a cell came to, or why it has no result."""
    try:
        return future.result()
    except EmberscopeError as error:
        return str(error)
    except Exception as error:  # of Dask
        kind = type(error).__name__
        if kind != _DIED:
            return f"the workers could not compute it ({kind})"
        words = "worker after worker died here, perhaps for want of memory"
        return Result(key=cell.key, values=cell.values, error=words, given_up=True)


def _compute(snapshot: Snapshot, cell: Cell) -> Result:
    """What a worker does."""
    return compute(snapshot, cell, cache_folder())


@contextmanager
def _client(address: str) -> Iterator[Any]:
    """A client of the scheduler at an address."""
    try:
        import dask
        from distributed import Client, LocalCluster, Security
    except ImportError as error:
        raise WorkerError("Dask is not installed",
                          hint='Install it: pip install "emberscope[cluster]".') from error
    if address.startswith(_TLS) and not Security().get_connection_args("client")["ssl_context"]:
        raise WorkerError(f"Dask has no certificates for {address:.80}",
                          hint="Set distributed.comm.tls in the settings of Dask.")
    with contextlib.ExitStack() as stack:
        if address.startswith(LOCAL):
            count = _count(address.removeprefix(LOCAL))
            threads = str(max((os.cpu_count() or 1) // count, 1))
            # As here, so that the numbers are the same to the bit
            with dask.config.set({f"{_NEW_PROCESS}.{name}": n for name, n in _MEMORY.items()}):
                cluster = LocalCluster(n_workers=count, threads_per_worker=1,
                                       dashboard_address=":0", env=dict.fromkeys(COUNTS, threads))
            address = stack.enter_context(cluster).scheduler_address
        try:
            client = stack.enter_context(Client(address, timeout=_WAIT, set_as_default=False))
        except (OSError, TimeoutError, ValueError) as error:
            raise WorkerError(f"no scheduler answers at {address:.80}",
                              hint="Start one: dask scheduler, and dask worker ADDRESS.") from error
        yield client


def _count(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text[:9]) <= _MOST:
        raise WorkerError(f"{text!r:.20} is no number of processes",
                          hint=f"Write local:2, say; {_MOST} are the most.")
    return int(text)


def check_workers(client: Any) -> None:
    """Raise WorkerError where there is no worker, OtherCode where one computes with other code than
    this."""
    with contextlib.suppress(TimeoutError):
        client.wait_for_workers(1, timeout=_WAIT)
    found = {worker: said for worker, said in client.run(_installed, on_error="return").items()
             if isinstance(said, dict)}  # one that died meanwhile will be replaced
    if not found:
        raise WorkerError("the scheduler has no worker", hint="Start some: dask worker ADDRESS.")
    mine = _installed()
    for worker, theirs in found.items():
        other = [name for name in sorted(mine) if theirs.get(name) != mine[name]]
        if other:
            pairs = ", ".join(f"{name} {theirs.get(name)} for {mine[name]}" for name in other)
            raise OtherCode(f"the worker {worker} computes with other code: {pairs}",
                            hint="Install the same versions there.")


def _installed() -> dict[str, str]:
    return {**{name: version for name, version in versions().items() if name != _OF_CPU},
            "code": code_version()}
