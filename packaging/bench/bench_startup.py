"""Start to window, in fresh processes; what the GUI process has imported by then."""

import statistics
import subprocess
import sys
import time
from collections.abc import Iterator

_WINDOW = """
import sys
from PySide6.QtWidgets import QApplication
from emberscope_app.main import open_window
from emberscope_app.state.core.preferences import Preferences
from emberscope_app.theme import look
app = QApplication([]); look.prepare(app)
window = open_window(Preferences())
window.show(); app.processEvents()
heavy = [name for name in ("sklearn", "numba", "skimage", "torch", "cv2", "scipy.stats")
         if name in sys.modules]
print(len(heavy)); sys.stdout.flush()
import os; os._exit(0)
"""
_BARE = """
from PySide6 import QtWidgets
import pyqtgraph
app = QtWidgets.QApplication([]); w = pyqtgraph.PlotWidget(); w.show(); app.processEvents()
import os; os._exit(0)
"""


def rows() -> Iterator[tuple[str, float, str, str]]:
    ours, bare = [], []
    for _ in range(4):  # interleaved; the first pair warms the file cache and is dropped
        bare.append(_seconds(_BARE))
        ours.append(_seconds(_WINDOW))
    mine, peer = statistics.median(ours[1:]), statistics.median(bare[1:])
    yield "start to window", mine, "s", "<= 1 s warm"
    yield "the same, a bare pyqtgraph window", peer, "s", ""
    yield "ratio", mine / peer, "x", "<= 1.5 x"
    done = subprocess.run(
        [sys.executable, "-P", "-c", _WINDOW], capture_output=True, text=True, check=True
    )
    yield "heavy modules imported by then", float(done.stdout.split()[-1]), "", "0"


def _seconds(code: str) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, check=True)
    return time.perf_counter() - start
