"""Several processes that fill one folder."""

import logging
import os
import signal
import time
from collections import Counter
from dataclasses import dataclass
from multiprocessing import Pipe, parent_process
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess

from emberscope.base.errors import WorkerError
from emberscope.base.monitor import Monitor, Watch, monitored
from emberscope.base.process.log_file import keep_log
from emberscope.base.process.starting import start
from emberscope.base.process.threads import COUNTS
from emberscope.project.store.cell_folder import Result
from emberscope.studies.fill import Filled, Show, Work, fill
from emberscope.studies.pace import Told

log = logging.getLogger(__name__)

_LOOK = 0.3    # s between two looks at the folder
_PATIENCE = 5.0  # s for a process to stop before it is killed
_DEATHS = 2    # of processes that computed a cell, after which it is given up


def fill_with(
    workers: int, work: Work, *, monitor: Monitor | None = None, show: Show | None = None
) -> Filled:
    """As `fill`, by several processes of this computer, each with its share of the cores.

    A process that dies costs the cell it was at: another takes that up, and after two deaths the
    cell is given up, with a sentence. Raises Cancelled, and WorkerError where processes cannot be
    started.
    """
    crew, cells, folder = _Crew(workers, work), work.cells, work.folder
    watch, results, shown = Told(monitored(monitor), work.pace), folder.results(cells), 0
    work.pace.at_once = workers
    work.pace.begin(cells, results)
    try:
        crew.begin()
        while crew.is_busy():
            results |= folder.results(cell for cell in cells if cell.key not in results)
            work.pace.see(results, crew.failed)
            watch.step()
            if show is not None and len(results) > shown:
                show(results)
                shown = len(results)
            time.sleep(_LOOK)
    finally:
        crew.stop()
    results |= folder.results(cell for cell in cells if cell.key not in results)
    work.pace.see(results, crew.failed)
    return Filled(results, crew.failed)


class _Crew:
    """The processes, those that died replaced."""

    def __init__(self, count: int, work: Work) -> None:
        self._work, self._count = work, count
        self._cells = {cell.key: cell for cell in work.cells}
        self._cores = max((os.cpu_count() or 1) // count, 1)
        self._deaths, self.failed = Counter[str](), dict[str, str]()
        self._members = list[_Member]()

    def begin(self) -> None:
        """Start them."""
        for number in range(self._count):
            first = number * len(self._cells) // self._count
            self._members.append(self._hire(first))

    def is_busy(self) -> bool:
        """Whether one of them works; what they said is taken in."""
        for at, member in enumerate(self._members):
            self._listen(member)
            if member.process.is_alive() or member.is_done:
                continue
            self._listen(member)  # what it said last
            if not member.is_done:
                self._bury(member)
                self._members[at] = self._hire(member.first)
        return not all(member.is_done for member in self._members)

    def stop(self) -> None:
        """End all that still work."""
        for member in self._members:
            member.process.terminate()
        for member in self._members:
            member.process.join(_PATIENCE)
            if member.process.is_alive():
                member.process.kill()
                member.process.join()
            member.pipe.close()

    def _hire(self, first: int) -> "_Member":
        mine, theirs = Pipe(duplex=False)
        counts = dict.fromkeys(COUNTS, str(self._cores))
        try:
            with theirs:
                process = start(_fill_here, (self._work, first, theirs), name="study",
                                environment=counts)
        except OSError as error:
            raise WorkerError(f"no process could be started: {error.strerror}",
                              hint="Close other programs, or take fewer workers.") from error
        return _Member(process, mine, first)

    def _listen(self, member: "_Member") -> None:
        try:
            while member.pipe.poll():
                said = member.pipe.recv()
                if isinstance(said, str):
                    member.cell = said
                else:
                    member.is_done = True
                    self.failed.update(said)
        except (EOFError, OSError):
            pass

    def _bury(self, member: "_Member") -> None:
        """A process died: of the second one at a cell that is given up. One that died after its
        cell was done died at none."""
        code, key = member.process.exitcode, member.cell
        member.pipe.close()
        if key and self._work.folder.result(key) is not None:
            key = ""
        log.warning("a process of a study died with code %s at cell %s", code, key or "none")
        self._deaths[key] += 1
        if self._deaths[key] < _DEATHS:
            return
        if not key:
            raise WorkerError("the processes of the study die, and at no cell",
                              hint="The log file says more.")
        cell = self._cells[key]
        words = f"{_DEATHS} processes died here (code {code}), perhaps for want of memory"
        self._work.folder.put(Result(key=key, values=cell.values, error=words, given_up=True))
        self.failed[key] = f"{cell.words}: {words}"


@dataclass(slots=True, eq=False)
class _Member:
    """A process. first : the cell it began with. cell : the key of the one it is at."""

    process: BaseProcess
    pipe: Connection
    first: int
    cell: str = ""
    is_done: bool = False


def _fill_here(work: Work, first: int, pipe: Connection) -> None:
    """What a process does: fill, and say which cell it is at; in the end which it could not."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is for whoever started it
    keep_log()
    found = fill(work, first=first, monitor=Watch(stop=_is_orphan),
                 begins=lambda cell: pipe.send(cell.key))
    pipe.send(found.failed)


def _is_orphan() -> bool:
    parent = parent_process()
    return parent is not None and not parent.is_alive()
