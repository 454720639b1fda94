"""The cells of a study on a cluster of Dask: paths and hashes travel, frames do not.

Every worker reads the frames by the paths that the project has, so that a shared disk is needed,
and keeps stages in its own cache. The connection is as safe as Dask is configured: addresses of
tls:// take certificates from its settings.
"""

import contextlib
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from emberscope.base.errors import EmberscopeError, WorkerError
from emberscope.base.folders import cache_folder
from emberscope.base.monitor import Monitor, monitored
from emberscope.base.process.threads import COUNTS
from emberscope.course.versions import code_version, versions
from emberscope.project.model.snapshot import Snapshot
from emberscope.studies.cells import Cell
from emberscope.studies.fill import Filled, Show, Work, progress_words
from emberscope.studies.results import Result, compute

LOCAL = "local:"
_WAIT = "10s"     # for a scheduler that answers
_LOOK = 0.3       # s between two looks at what is done
_RETRIES = 2      # of a cell whose worker failed
_MOST = 256       # processes of this computer
_OF_CPU = "blas"  # differs with the processor, not with what is installed


def fill_on(
    address: str, work: Work, *, monitor: Monitor | None = None, show: Show | None = None
) -> Filled:
    """As `fill`, by the workers of a scheduler.

    address : of it, as "tcp://host:8786", or "local:N" for N processes that last as long as this.
    A worker that dies costs the cell it was at. Raises WorkerError where Dask is not installed,
    nobody answers, or workers have other code; Cancelled.
    """
    cells, folder, watch = work.cells, work.folder, monitored(monitor)
    results, failed = folder.results(cells), dict[str, str]()
    todo = {f"emberscope-{cell.key}": cell for cell in cells if cell.key not in results}
    there, began = len(results), time.monotonic()
    with _client(address) as client:
        check_workers(client)
        (sent,) = client.scatter([work.snapshot], broadcast=True)
        waiting = {name: client.submit(_compute, sent, cell, key=name, retries=_RETRIES, pure=True)
                   for name, cell in todo.items()}
        try:
            while waiting:
                done = {name: each for name, each in waiting.items() if each.done()}
                for name, each in done.items():
                    cell, found = todo[name], _result(each)
                    del waiting[name]
                    if isinstance(found, Result):
                        folder.put(found)
                        results[cell.key] = found
                    else:
                        failed[cell.key] = f"{cell.words}: {found}"
                if done and show is not None:
                    show(results)
                watch.step(len(results) / max(len(cells), 1), progress_words(
                    len(results), len(cells), len(results) - there, began))
                time.sleep(_LOOK)
        finally:
            client.cancel(list(waiting.values()))
    return Filled(results, failed)


def _result(future: Any) -> Result | str:
    """What a cell came to, or why it has no result."""
    try:
        return future.result()
    except EmberscopeError as error:
        return str(error)
    except Exception as error:  # of Dask: a worker that died again and again, say
        return f"the workers could not compute it ({type(error).__name__})"


def _compute(snapshot: Snapshot, cell: Cell) -> Result:
    """What a worker does."""
    return compute(snapshot, cell, cache_folder())


@contextmanager
def _client(address: str) -> Iterator[Any]:
    """A client of the scheduler at an address."""
    try:
        from distributed import Client, LocalCluster
    except ImportError as error:
        raise WorkerError("Dask is not installed",
                          hint="Install it: pip install 'emberscope[cluster]'.") from error
    with contextlib.ExitStack() as stack:
        if address.startswith(LOCAL):
            count = _count(address.removeprefix(LOCAL))
            threads = str(max((os.cpu_count() or 1) // count, 1))
            # As here, so that the numbers are the same to the bit
            cluster = LocalCluster(n_workers=count, threads_per_worker=1, dashboard_address=":0",
                                   env=dict.fromkeys(COUNTS, threads))
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
    """Raise WorkerError where there is no worker, or one computes with other code than this."""
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
            raise WorkerError(f"the worker {worker} computes with other code: {pairs}",
                              hint="Install the same versions there.")


def _installed() -> dict[str, str]:
    return {**{name: version for name, version in versions().items() if name != _OF_CPU},
            "code": code_version()}
