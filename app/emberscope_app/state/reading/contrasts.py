"""How each source is shown: one gray for the frame, thumbnails, chips and preview alike. Display
only."""

from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import replace

import msgspec
import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from emberscope.frames.contrast import Contrast, Lut, apply, lookup_table

MODES = (
    ("linear", "Linear"),
    ("percentile", "Percentile"),
    ("plateau", "Plateau"),
    ("clahe", "CLAHE"),
)
_KEPT = 64  # tables of (source, frame) kept; 64 KiB to 320 KiB each


class Contrasts(QObject):
    """Contrast per source, lock and polarity.

    changed(source id or None): the gray of a source (None: of all) is another one now. Unlocked,
    every frame gets its own table; locked, the table that was on show stays for all frames and
    clips.
    """

    changed = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._settings: dict[int, Contrast] = {}
        self._locked: Lut | None = None
        self._tables: OrderedDict[tuple[int, int], Lut] = OrderedDict()

    def of(self, source_id: int) -> Contrast:
        """The contrast of a source."""
        return self._settings.get(source_id, Contrast())

    def set(self, source_id: int, contrast: Contrast) -> None:
        """Show a source differently; a lock is let go."""
        self._locked = None
        self._settings[source_id] = contrast
        self._forget(source_id)

    def adjust(self, source_id: int, **values: object) -> None:
        """Change single parameters, e.g. ``adjust(3, mode="manual", level_low=7000.0)``."""
        self.set(source_id, msgspec.structs.replace(self.of(source_id), **values))

    def reset(self, source_id: int) -> None:
        """Automatic limits again; mode and polarity stay, hand-set levels become percentile."""
        old = self.of(source_id)
        mode = "percentile" if old.mode == "manual" else old.mode
        self.set(source_id, Contrast(mode=mode, polarity=old.polarity))

    def lut_for(self, source_id: int, frame_index: int, frame: NDArray) -> Lut:
        """The table that shows a frame; computed once per frame and contrast, about 1 ms."""
        if self._locked is not None:
            return self._locked
        key = (source_id, frame_index)
        found = self._tables.get(key)
        if found is None:
            found = self._tables[key] = lookup_table(frame, self.of(source_id))
            while len(self._tables) > _KEPT:
                self._tables.popitem(last=False)
        self._tables.move_to_end(key)
        return found

    def gray(self, source_id: int, frame_index: int, frame: NDArray) -> NDArray[np.uint8]:
        """A frame in gray, (rows, cols) uint8, C-contiguous."""
        return np.ascontiguousarray(apply(self.lut_for(source_id, frame_index, frame), frame))

    @property
    def locked(self) -> bool:
        return self._locked is not None

    def lock(self, lut: Lut) -> None:
        """Keep a table over frames and clips."""
        self._locked = lut
        self.changed.emit(None)

    def unlock(self) -> None:
        if self._locked is not None:
            self._locked = None
            self.changed.emit(None)

    def flip(self, source_id: int) -> None:
        """The other polarity; a locked table is reversed in place."""
        old = self.of(source_id)
        other = "white_hot" if old.polarity == "black_hot" else "black_hot"
        self._settings[source_id] = msgspec.structs.replace(old, polarity=other)
        if self._locked is not None:
            self._locked = _reversed(self._locked)
        self._forget(source_id)

    def read_otherwise(self, sources: Iterable[int]) -> None:
        """Frames of sources hold other numbers now, perhaps of other units: tables, levels set by
        hand, a lock go.

        Tells nobody: who hears that sources changed reads them again.
        """
        for source in sources:
            shown = [key for key in self._tables if key[0] == source]
            for key in shown:
                del self._tables[key]
            old = self._settings.get(source)
            if old is not None and old.mode == "manual":
                self._settings[source] = Contrast(polarity=old.polarity)
            if shown:
                self._locked = None

    def forget(self) -> None:
        """Start afresh: another project was opened. Tells nobody."""
        self._settings.clear()
        self._locked = None
        self._tables.clear()

    def announce(self) -> None:
        self.changed.emit(None)

    def _forget(self, source_id: int | None) -> None:
        for key in [key for key in self._tables if source_id is None or key[0] == source_id]:
            del self._tables[key]
        self.changed.emit(source_id if self._locked is None else None)


def _reversed(lut: Lut) -> Lut:
    polarity = "white_hot" if lut.polarity == "black_hot" else "black_hot"
    return replace(lut, table=np.subtract(255, lut.table, dtype=np.uint8), polarity=polarity)
