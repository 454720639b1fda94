"""Diagnosis of this installation and computer: what `emberscope doctor` prints."""

import os
import platform
import shutil
import subprocess
import sys
from importlib import metadata
from typing import Any

from emberscope.base.errors import EmberscopeError
from emberscope.base.folders import cache_folder
from emberscope.base.log_file import log_path

WINDOW_PACKAGES = ("PySide6-Essentials", "pyqtgraph", "vispy")
PACKAGES = (
    "emberscope", "numpy", "scipy", "scikit-learn", "numba", "h5py", "av", "tifffile", "imagecodecs", "pillow",
    "msgspec", "psutil", "platformdirs", "joblib", "threadpoolctl", "rich", *WINDOW_PACKAGES,
)  # fmt: skip
_GL_PROBE = """
from PySide6 import QtGui, QtWidgets
app = QtWidgets.QApplication([])
surface = QtGui.QOffscreenSurface(); surface.create()
context = QtGui.QOpenGLContext()
assert context.create() and context.makeCurrent(surface)
print(context.functions().glGetString(0x1F01))
"""


def examine() -> dict[str, Any]:
    """Versions, processor, memory, threads, OpenGL renderer, caches. Takes a second or two."""
    import psutil

    found: dict[str, Any] = {name: version(name) for name in PACKAGES}
    found |= {
        "python": sys.version.split()[0],
        "system": platform.platform(),
        "cores": psutil.cpu_count(logical=True),
        "memory": f"{psutil.virtual_memory().total / 2**30:.1f} GiB",
        "threads": os.environ.get("OMP_NUM_THREADS", "all"),
        "BLAS core type": os.environ.get("OPENBLAS_CORETYPE", "chosen by the library"),
        "OpenGL": renderer(),
    }
    return found | _cache() | {"log": str(log_path())}


def _cache() -> dict[str, str]:
    try:
        folder = cache_folder()
    except EmberscopeError as error:
        return {"cache folder": str(error)}
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    free = shutil.disk_usage(folder).free
    return {
        "cache folder": str(folder), "cache size": f"{size / 2**20:.0f} MiB", "free there": f"{free / 2**30:.1f} GiB",
    }


def version(name: str) -> str:
    """The version of a distribution that is installed, else "missing"."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "missing"


def renderer() -> str:
    """The OpenGL renderer, asked in a process of its own: a broken driver takes only that down."""
    try:
        probe = [sys.executable, "-c", _GL_PROBE]
        done = subprocess.run(probe, capture_output=True, text=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return "none; the 3-D map is drawn in software"
    return done.stdout.strip() if done.returncode == 0 else "none; the 3-D map is drawn in software"
