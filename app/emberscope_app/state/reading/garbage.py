"""Garbage is collected in the thread that draws, between two of its turns, and nowhere else.

Python collects in whichever thread makes an object at the wrong moment. Widgets and timers that are
garbage would be taken apart there: Qt allows that in the thread they live in only, and not while it
walks over them; the process ends.
"""

import gc

from PySide6.QtCore import QObject

from emberscope_app.when.timers import Every

EVERY_MS = 100
_FULL = 600  # looks between two passes over everything: such a pass takes the longest


class Garbage(QObject):
    """From now on collects what Python would have, as long as its parent lives."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        gc.disable()
        gc.freeze()  # what the program is made of stays
        self._looks = 0
        Every(self, self.look, EVERY_MS).start()

    def look(self) -> None:
        """Collect where so much was made since the last time that it is due."""
        self._looks += 1
        due = [
            count > limit for count, limit in zip(gc.get_count(), gc.get_threshold(), strict=True)
        ]
        if due[2] and self._looks >= _FULL:
            self._looks = 0
            gc.collect(2)
        elif due[0]:
            gc.collect(int(due[1]))
