"""Diagnosis of this installation and computer: what `emberscope doctor` prints."""

import os
import platform
import shutil
import sys
from importlib import import_module, metadata
from typing import Any

from emberscope.base.errors import EmberscopeError
from emberscope.base.folders import cache_folder
from emberscope.base.process.log_file import log_path
from emberscope.base.process.starting import ask

WINDOW_PACKAGES = ("PySide6-Essentials", "pyqtgraph", "vispy", "contourpy")
PACKAGES = (
    "emberscope", "numpy", "scipy", "scikit-learn", "numba", "h5py", "av", "tifffile",
    "imagecodecs", "pillow",
    "msgspec", "psutil", "platformdirs", "joblib", "threadpoolctl", "rich", *WINDOW_PACKAGES,
)  # fmt: skip
_SOFTWARE = "none; the 3-D map is drawn in software"
_PATIENCE = 30.0  # s for a driver to answer
_RENDERER = 0x1F01  # GL_RENDERER


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
        "cache folder": str(folder),
        "cache size": f"{size / 2**20:.0f} MiB",
        "free there": f"{free / 2**30:.1f} GiB",
    }


def version(name: str) -> str:
    """The version of a distribution that is installed, else "missing"."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "missing"


def renderer() -> str:
    """The OpenGL renderer, asked in a process of its own: a broken driver takes only that down."""
    return ask(_renderer, name="emberscope renderer", seconds=_PATIENCE) or _SOFTWARE


def _renderer() -> str:
    """Qt is the business of the window; here it is only looked for."""
    widgets, gui = import_module("PySide6.QtWidgets"), import_module("PySide6.QtGui")
    app = widgets.QApplication([])  # noqa: F841 - as long as the context
    surface, context = gui.QOffscreenSurface(), gui.QOpenGLContext()
    surface.create()
    if not (context.create() and context.makeCurrent(surface)):
        return ""
    return str(context.functions().glGetString(_RENDERER))
