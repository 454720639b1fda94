"""What is to know about sources besides their frames: whether files changed, what is odd about how frames look.

Both are found in a thread, one source after the other, after what asked for them is on screen.
"""

import threading
from collections.abc import Iterable

from PySide6.QtCore import QObject, QRunnable, QThreadPool, Signal

from emberscope.base.errors import Cancelled
from emberscope.base.monitor import Watch
from emberscope.frames.quality import Finding
from emberscope.project import SourceRef
from emberscope_app.state.read_errors import READ_ERRORS

_SOON, _LATER = 1, 0  # priority in the pool: changes take 0.1 ms per file, looking at frames 0.1 s per clip


class _Told(QObject):
    compared = Signal(object, object)  # the sources compared, ids of those that changed
    looked = Signal(object, object)    # a source, what is odd about it


class _Compare(QRunnable):
    def __init__(self, refs: list[SourceRef], told: _Told, stop: threading.Event) -> None:
        super().__init__()
        self._refs, self._told, self._stop = refs, told, stop

    def run(self) -> None:
        from emberscope.project.sources import has_changed

        changed = set()
        for ref in self._refs:
            if self._stop.is_set():
                return
            if has_changed(ref):
                changed.add(ref.id)
        self._told.compared.emit(self._refs, changed)


class _Look(QRunnable):
    def __init__(self, ref: SourceRef, told: _Told, stop: threading.Event) -> None:
        super().__init__()
        self._ref, self._told, self._stop = ref, told, stop

    def run(self) -> None:
        from emberscope.frames.quality import assess
        from emberscope.project.sources import open_ref

        try:
            with open_ref(self._ref) as source:
                found = assess(source, monitor=Watch(stop=self._stop.is_set)).findings
        except Cancelled:
            return
        except READ_ERRORS:  # the thumbnail of its row says why
            found = []
        self._told.looked.emit(self._ref, found)


class SourceChecks(QObject):
    """`changed`: ids of sources with other content than labels were drawn on; `findings` of those looked at so far.

    told(): an answer came, one of them may be another. compared(refs): `changed` is known for these now.
    """

    told = Signal()
    compared = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.changed: set[int] = set()
        self.findings: dict[int, list[Finding]] = {}
        self._asked: dict[int, SourceRef] = {}  # what frames were or are looked at
        self._compared: dict[int, SourceRef] = {}
        self._stop = threading.Event()
        self._told = _Told(self)
        self._told.compared.connect(self._take_compared)
        self._told.looked.connect(self._take_look)
        self._pool = QThreadPool(self)
        self._pool.setMaxThreadCount(1)

    def compare(self, refs: Iterable[SourceRef]) -> None:
        """Find out which of these files are no longer what they were."""
        refs = list(refs)
        self._compared.update((ref.id, ref) for ref in refs)
        if refs:
            self._pool.start(_Compare(refs, self._told, self._stop), _SOON)

    def look_at(self, ref: SourceRef) -> None:
        """Find out what is odd about the frames of a source, once."""
        if self._asked.get(ref.id) is not ref:
            self._asked[ref.id] = ref
            self._pool.start(_Look(ref, self._told, self._stop), _LATER)

    def forget(self, source_ids: Iterable[int]) -> None:
        """These sources are other files now, or gone."""
        for key in source_ids:
            self.changed.discard(key)
            self.findings.pop(key, None)
            self._asked.pop(key, None)
            self._compared.pop(key, None)

    def clear(self) -> None:
        """Another project is open now: what is under way ends at the next frame."""
        self._pool.clear()
        self._stop.set()
        self._stop = threading.Event()
        self.forget([*self._asked, *self._compared])

    def close(self) -> None:
        """Until nothing is being read: before the program ends."""
        self.clear()
        self._pool.waitForDone()

    def wait(self) -> None:
        """Until all that was asked for is found."""
        self._pool.waitForDone()

    def _take_compared(self, refs: list[SourceRef], changed: set[int]) -> None:
        refs = [ref for ref in refs if self._compared.get(ref.id) is ref]
        for ref in refs:
            (self.changed.add if ref.id in changed else self.changed.discard)(ref.id)
        self.told.emit()
        self.compared.emit(refs)

    def _take_look(self, ref: SourceRef, found: list[Finding]) -> None:
        if self._asked.get(ref.id) is ref:
            self.findings[ref.id] = found
            self.told.emit()
