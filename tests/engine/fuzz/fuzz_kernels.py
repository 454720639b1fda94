"""Code of a kernel as it is kept on the disk: written, and run from a file that is damaged."""

import importlib.util
import os
from pathlib import Path
from types import ModuleType

SOURCE = """
from emberscope.base.kernels import njit

@njit(cache=True)
def more(a, b):
    return a * b + 1
"""


def beside_code(folder: Path) -> None:
    """The module of the kernel. Its time is always the same: code of an older one is not
    believed."""
    (folder / "more.py").write_text(SOURCE)
    os.utime(folder / "more.py", (0, 0))


def write_code(path: Path) -> None:
    beside_code(path.parent)
    assert _module(path.parent).more(2, 3) == 7
    (kept,) = (path.parent / "__pycache__").glob("*.nbc")
    _names[:] = [kept.name]
    kept.replace(path)


def read_code(path: Path) -> None:
    """The damaged file lies where code is looked for; what runs is right."""
    folder = path.parent / "__pycache__"
    folder.mkdir(exist_ok=True)
    path.replace(folder / _names[0])
    assert _module(path.parent).more(2, 3) == 7, "the code of the kernel was believed"


_names: list[str] = []  # under which the code was kept


def _module(folder: Path) -> ModuleType:
    """As another process imports it."""
    spec = importlib.util.spec_from_file_location("more", folder / "more.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
