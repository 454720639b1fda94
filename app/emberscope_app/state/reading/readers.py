"""The open readers of the project's sources. Whatever reads frames takes its reader here; no other
place opens one.

They live with the session, which says what the sources are, since the player needs the rate of a
source as well.
"""

import logging
import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import NamedTuple

from emberscope.base.errors import Cancelled, SourceChanged
from emberscope.frames.source import FrameSource
from emberscope.project import SourceRef

MOST_OPEN = 32  # readers; each holds a file or a decoder, and a project may have a thousand sources
log = logging.getLogger(__name__)


class Facts(NamedTuple):
    """What a reader says of its source besides the frames; the default where it cannot be opened.

    names : of a folder of images the file of each frame.
    """

    fps: float | None = None
    units: str = ""
    names: tuple[str, ...] = ()


class _Reader:
    """One open source, for one thread at a time."""

    def __init__(self, ref: SourceRef, key: tuple[int, bool]) -> None:
        self.ref, self.key = ref, key
        self.lock = threading.Lock()
        self.source: FrameSource | None = None
        self.gone = False  # nobody may take it any more; whoever still reads closes it

    def close_if_idle(self) -> None:
        if self.lock.acquire(blocking=False):
            try:
                if self.source is not None:
                    self.source.close()
            # A file that cannot be closed must not keep another one from being read
            except Exception:
                log.exception("Cannot close %s", self.ref.name)
            finally:
                self.source = None
                self.lock.release()


class Readers:
    """Readers by source, opened when first used. Safe from every thread.

    A source has a reader for the frames on show and one for everything else: a film is decoded
    forwards, and each thumbnail in between would send the player back to a key frame (0.2 s at 640
    x 512).
    """

    def __init__(self, *, most: int = MOST_OPEN) -> None:
        self._most = most
        # Of the three tables below; never held while a file is opened or read
        self._lock = threading.Lock()
        self._refs: dict[int, SourceRef] = {}
        # The one used last at the end
        self._readers: OrderedDict[tuple[int, bool], _Reader] = OrderedDict()
        self._facts: dict[int, Facts] = {}

    def follow(self, sources: Mapping[int, SourceRef]) -> None:
        """These are the sources now. Readers of removed and replaced ones are closed: at once, or
        after the frame that is being read."""
        with self._lock:
            self._refs = dict(sources)
            gone = [
                reader
                for reader in self._readers.values()
                if self._refs.get(reader.ref.id) is not reader.ref
            ]
            for reader in gone:
                self._take_out(reader)
                self._facts.pop(reader.ref.id, None)
        for reader in gone:
            reader.close_if_idle()

    def close(self) -> None:
        """No source is open from now on."""
        self.follow({})

    @contextmanager
    def use(self, ref: SourceRef, *, on_show: bool = False) -> Iterator[FrameSource]:
        """A reader of a source, for this thread alone until the block ends; waits while another
        thread has it.

        Raises Cancelled where the source was removed or replaced, and whatever opening raises.
        """
        reader = self._reader(ref, (ref.id, on_show))
        try:
            with reader.lock:
                if reader.source is None:
                    reader.source = self._open(ref)
                try:
                    yield reader.source
                except SourceChanged:  # whoever asks next gets the file as it is then
                    reader.source.close()
                    reader.source = None
                    raise
        finally:
            if reader.gone:
                reader.close_if_idle()

    def facts(self, ref: SourceRef) -> Facts:
        """Rate and units of a source; it is opened where it never was. Never raises."""
        known = self.known(ref)
        if known is not None:
            return known
        try:
            with self.use(ref, on_show=True) as source:
                return _facts(source)
        except Exception:  # the frame itself cannot be shown either, and that says why
            return Facts()

    def known(self, ref: SourceRef) -> Facts | None:
        """The same where the source was opened before, else None. Never waits."""
        with self._lock:
            return self._facts.get(ref.id) if self._refs.get(ref.id) is ref else None

    @property
    def open_now(self) -> list[int]:
        """Ids of the sources, once for each of their readers, the one used last at the end."""
        with self._lock:
            return [source for source, _ in self._readers]

    def _open(self, ref: SourceRef) -> FrameSource:
        from emberscope.project.exchange.sources import open_ref

        source = open_ref(ref)
        with self._lock:
            if self._refs.get(ref.id) is ref:
                self._facts[ref.id] = _facts(source)
        return source

    def _reader(self, ref: SourceRef, key: tuple[int, bool]) -> _Reader:
        with self._lock:
            if self._refs.get(ref.id) is not ref:
                raise Cancelled
            reader = self._readers.setdefault(key, _Reader(ref, key))
            self._readers.move_to_end(key)
            surplus = list(self._readers.values())[: -self._most]
            for old in surplus:
                self._take_out(old)
        for old in surplus:
            old.close_if_idle()
        return reader

    def _take_out(self, reader: _Reader) -> None:
        reader.gone = True
        del self._readers[reader.key]


def _facts(source: FrameSource) -> Facts:
    names = getattr(source, "names", None)
    return Facts(source.fps, source.units, tuple(names()) if names is not None else ())
