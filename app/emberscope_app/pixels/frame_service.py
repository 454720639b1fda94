"""The frame service: whatever reads frames off the screen is a request here, and the most urgent
one is served first.

Two threads serve the requests of a session; one of them is kept free for the frame on show and its
neighbors. A request ends in exactly one way: its result is taken, its error is, or it is canceled
and nobody hears of it again.
"""

import heapq
import logging
import threading
from collections.abc import Callable
from enum import IntEnum
from functools import partial
from itertools import count
from typing import Any

from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal
from shiboken6 import isValid

from emberscope.base.errors import Cancelled
from emberscope.frames.source import RowSource
from emberscope.project import Changes, Project, SourceRef
from emberscope_app.pixels.byte_cache import ByteCache
from emberscope_app.pixels.read_errors import ReadFailure, failure_of
from emberscope_app.state.core.session import Session
from emberscope_app.when.threads import threads

THREADS = 2
LETTING_GO = 1.0  # s that a disk may take for what is being read when the session ends
PATIENCE = 0.04  # s that the screen's thread waits for a frame; what takes longer comes later
FRAMES_BUDGET = 128 << 20  # bytes of raw counts kept: 200 frames of 640 x 512 at 16 bits
log = logging.getLogger(__name__)


class Priority(IntEnum):
    """What is served first. From CHIP on one thread does the work."""

    SHOWN = 0      # a frame somebody looks at
    NEIGHBOR = 1   # the frames the playhead comes to next
    CHIP = 2       # chips in view
    THUMBNAIL = 3  # small frames of lists
    FILE = 4       # whether files changed
    QUALITY = 5    # what is odd about the frames of a source


class Request:
    """Something to do with the frames of a source, in a thread; `take(result)` or `fail(failure)`
    on the screen's."""

    def __init__(
        self,
        owner: QObject,
        project: Project,
        ref: SourceRef | None,
        work: Callable[["Frames"], Any],
        *,
        priority: Priority,
        frame: int,
        take: Callable[[Any], object] | None,
        fail: Callable[[ReadFailure], object] | None,
    ) -> None:
        self.owner, self.project, self.ref, self.work = owner, project, ref, work
        self.priority, self.frame, self.take, self.fail = priority, frame, take, fail
        self.result: Any = None
        self.failure: ReadFailure | None = None
        self.begun = False
        self.canceled = False
        self.over = threading.Event()


class Frames:
    """The frames of one source, for the work of a request: before each frame, what is more urgent
    goes first."""

    def __init__(self, service: "FrameService", request: Request) -> None:
        self._service, self._request = service, request
        self.n_frames = request.ref.n_frames if request.ref is not None else 0

    def read(self, index: int) -> NDArray:
        """Frame `index`, (rows, cols) raw counts, not to be written to. Raises what the reader
        does, and Cancelled."""
        self.pause()
        ref = self._request.ref
        assert ref is not None, "this request has no source"
        kept = self._service.kept(ref, index)
        if kept is not None:
            return kept
        on_show = self._request.priority <= Priority.NEIGHBOR
        with self._service.session.readers.use(ref, on_show=on_show) as source:
            return source.read(index)

    def spread(self) -> tuple[NDArray, NDArray]:
        """(D,) mean and standard deviation of the features of a point set. Raises what the reader
        does."""
        ref = self._request.ref
        assert ref is not None, "this request has no source"
        with self._service.session.readers.use(ref) as source:
            assert isinstance(source, RowSource)
            return source.spread

    def pause(self) -> None:
        """Let what is more urgent go first. Raises Cancelled where this request is."""
        self._service.serve_before(self._request)
        if self._request.canceled:
            raise Cancelled


def frame_service(session: Session) -> "FrameService":
    """The one frame service of a session."""
    return session.only(FrameService)


class FrameService(QObject):
    """`ask` for work in a thread; `show` for a frame now. Belongs to the session and ends with
    it."""

    file_changed = Signal(object)  # SourceRef whose file is another one than when it was opened
    _ended = Signal(object)  # Request, out of the thread

    def __init__(self, session: Session, *, budget: int = FRAMES_BUDGET) -> None:
        super().__init__(session)
        self.session = session
        self._kept: ByteCache[tuple[int, int], tuple[SourceRef, NDArray]] = ByteCache(
            budget, lambda e: e[1].nbytes
        )
        self._shown: tuple[SourceRef, int] | None = None
        self._late: Request | None = None  # a frame to show that was not there in time
        self._asked: set[Request] = set()  # all that have not ended; the screen's thread only
        # Of the queue, the counts of threads, and the frames kept
        self._lock = threading.Lock()
        self._queue: list[tuple[Priority, int, Request]] = []
        self._serial = count()
        self._working = 0
        self._background = False           # a thread does something from CHIP on
        self._pool = threads().pool(self, most=THREADS, name="frames")
        self._ended.connect(self._hand_over)
        session.changed.connect(self._on_project)
        session.closing.connect(self.close)

    def ask(
        self,
        owner: QObject,
        ref: SourceRef | None,
        work: Callable[[Frames], Any],
        *,
        priority: Priority,
        frame: int = -1,
        take: Callable[[Any], object] | None = None,
        fail: Callable[[ReadFailure], object] | None = None,
    ) -> Request:
        """Have `work` done in a thread.

        Parameters
        ----------
        owner : the request ends with this object.
        ref : source of the project as it is now, None for work that opens none; the request ends
        with it.
        work : called in a thread with the `Frames` of the source; touches no widget. Whatever it
            raises becomes a ReadFailure.
        frame : which frame an error names; -1 for the source as a whole.
        take, fail : called in the thread of the screen, one of them, once, unless the request is
        canceled.
        """
        request = Request(
            owner,
            self.session.project,
            ref,
            work,
            priority=priority,
            frame=frame,
            take=take,
            fail=fail,
        )
        if self.session.closed:
            request.canceled = True
            request.over.set()
            return request
        self._asked.add(request)
        with self._lock:
            heapq.heappush(self._queue, (priority, next(self._serial), request))
            start = self._working < THREADS and not (priority >= Priority.CHIP and self._background)
            self._working += start
        if start:
            self._pool.start(self.serve)
        return request

    def show(
        self,
        ref: SourceRef,
        frame: int,
        *,
        late: Callable[[NDArray | ReadFailure], object] = lambda result: None,
    ) -> NDArray | ReadFailure | None:
        """A frame now, (rows, cols) raw counts, not to be written to; its neighbors are read
        meanwhile.

        None where the disk is slow: then `late` is called with it once it is there, unless another
        one is asked for before.
        """
        if self._late is not None:
            self._late.canceled = True
            self._late = None
        counts: NDArray | ReadFailure | None = self.kept(ref, frame)
        if counts is None:
            take = partial(self._take_late, ref, frame, late)
            request = self.ask(
                self,
                ref,
                partial(self._read_and_keep, ref, frame),
                priority=Priority.SHOWN,
                frame=frame,
                take=take,
                fail=take,
            )
            if not request.over.wait(PATIENCE):
                self._late = request
                return None
            counts = request.result if request.failure is None else request.failure
        if counts is None:  # the source went while it was read
            counts = ReadFailure(f"{ref.name} is not open.")
        self._look_ahead(ref, frame)
        return counts

    def _take_late(
        self,
        ref: SourceRef,
        frame: int,
        late: Callable[[NDArray | ReadFailure], object],
        result: NDArray | ReadFailure,
    ) -> None:
        """A frame to show came; in time nobody waits for it any more."""
        if self._late is not None and (self._late.ref, self._late.frame) == (ref, frame):
            self._late = None
            late(result)
            self._look_ahead(ref, frame)

    def cancel(self, owner: QObject, *, begun: bool = True) -> None:
        """End the requests of an owner; where not `begun`, what is being read now is still handed
        over."""
        with self._lock:
            for request in self._asked:
                if request.owner is owner and (begun or not request.begun):
                    request.canceled = True
        self._asked = {request for request in self._asked if not request.canceled}

    @property
    def waiting(self) -> int:
        """Requests that have not ended."""
        return len(self._asked)

    def wait(self) -> None:
        """Until the threads have done all that was asked for; results are handed over by the event
        loop."""
        self._pool.waitForDone()

    def close(self) -> None:
        """End all requests and let the threads run out, where the disk answers."""
        self._cancel_where(lambda request: True)
        self._pool.waitForDone(round(1e3 * LETTING_GO))
        self._kept.clear()

    # --- in the threads

    def serve(self) -> None:
        """Do what waits, the most urgent first, until nothing is left for this thread."""
        while (request := self._next()) is not None:
            self._do(request)
            if request.priority >= Priority.CHIP:
                with self._lock:
                    self._background = False

    def serve_before(self, request: Request) -> None:
        """Do what waits and is more urgent than a request, in its thread."""
        while (other := self._more_urgent(request.priority)) is not None:
            self._do(other)

    def kept(self, ref: SourceRef, frame: int) -> NDArray | None:
        """A frame that is in memory."""
        with self._lock:
            entry = self._kept.get((ref.id, frame))
        return entry[1] if entry is not None and entry[0] is ref else None

    def _next(self) -> Request | None:
        with self._lock:
            if not self._queue or (self._queue[0][0] >= Priority.CHIP and self._background):
                self._working -= 1
                return None
            request = heapq.heappop(self._queue)[2]
            request.begun = True
            self._background = self._background or request.priority >= Priority.CHIP
            return request

    def _more_urgent(self, than: Priority) -> Request | None:
        with self._lock:
            if not self._queue or self._queue[0][0] >= than:
                return None
            request = heapq.heappop(self._queue)[2]
            request.begun = True
            return request

    def _do(self, request: Request) -> None:
        try:
            if not request.canceled:
                request.result = request.work(Frames(self, request))
        except Cancelled:
            request.canceled = True
        # Whatever a reader raises ends this request, and the thread goes on
        except Exception as error:
            request.failure = failure_of(error, request.ref, request.frame)
        request.over.set()
        self._ended.emit(request)

    def _read_and_keep(self, ref: SourceRef, frame: int, frames: Frames) -> NDArray:
        counts = frames.read(frame)
        counts.flags.writeable = False  # several views show the same array
        with self._lock:
            self._kept.put((ref.id, frame), (ref, counts))
        return counts

    # --- in the thread of the screen

    def _look_ahead(self, ref: SourceRef, frame: int) -> None:
        """Read the two frames ahead in the direction of the last step, and the one behind."""
        last, self._shown = self._shown, (ref, frame)
        step = -1 if last is not None and last[0] is ref and last[1] > frame else 1
        self._cancel_where(lambda request: request.priority == Priority.NEIGHBOR)
        for near in (frame + step, frame + 2 * step, frame - step):
            if 0 <= near < ref.n_frames and self.kept(ref, near) is None:
                work = partial(self._read_and_keep, ref, near)
                self.ask(self, ref, work, priority=Priority.NEIGHBOR, frame=near)

    def _hand_over(self, request: Request) -> None:
        self._asked.discard(request)
        if request.canceled or self._is_stale(request) or not isValid(request.owner):
            return
        if request.failure is None:
            if request.take is not None:
                request.take(request.result)
            return
        if request.failure.changed:
            with self._lock:
                self._kept.drop_where(lambda key, entry: entry[0] is request.ref)
            self.file_changed.emit(request.ref)
        if request.failure.details:
            log.error("%s\n%s", request.failure.words, request.failure.details)
        if request.fail is not None:
            request.fail(request.failure)

    def _is_stale(self, request: Request) -> bool:
        """Its project is not open any more, or its source was removed or replaced."""
        project, ref = self.session.project, request.ref
        return request.project is not project or (
            ref is not None and project.sources.get(ref.id) is not ref
        )

    def _cancel_where(self, ends: Callable[[Request], bool]) -> None:
        for request in self._asked:
            request.canceled = request.canceled or ends(request)
        self._asked = {request for request in self._asked if not request.canceled}

    def _on_project(self, changes: Changes) -> None:
        if changes.touch("sources"):
            self._cancel_where(self._is_stale)
            sources = self.session.project.sources
            with self._lock:
                self._kept.drop_where(lambda key, entry: sources.get(key[0]) is not entry[0])
