"""What is made before PyInstaller packs the program: its icon, and what no first start shall wait
for, bytecode of its modules and kernels for a processor that most computers have."""

import os
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

# What numba compiles for: its name and what it can do. Computers since about 2013 can; others
# compile for themselves.
_LEVEL_3 = (
    "x86-64-v3",
    "+avx,+avx2,+bmi,+bmi2,+cmov,+cx16,+cx8,+f16c,+fma,+fxsr,+lzcnt,+mmx,+movbe,+popcnt,+sahf,"
    "+sse,+sse2,+sse3,+sse4.1,+sse4.2,+ssse3,+xsave",
)
_PROCESSORS = {
    "x86_64": _LEVEL_3, "AMD64": _LEVEL_3,
    "aarch64": ("generic", "+fp-armv8,+neon"), "arm64": ("apple-m1", "+fp-armv8,+neon"),
}  # fmt: skip
_COMPILE = """
import itertools
import sys
from pathlib import Path
import emberscope.base.kernels
from numba.np.ufunc import array_exprs
from emberscope.demo import make_demo
from emberscope.jobs.warm import steps
from emberscope_app.latent_view.points import kernels
from emberscope_app.latent_view.points.rasterizer import warm
folder = Path(sys.argv[1])
# numba names code of array expressions by places in memory: here by their number
numbers = itertools.count()
array_exprs.hash = lambda expression: next(numbers)
for name, step in steps(folder):
    print("kernels of", name, flush=True)
    step()
print("kernels of the sample and of the maps", flush=True)
make_demo(folder / "sample")
warm(kernels)
"""
_BYTECODE = """
import sys
from importlib.util import cache_from_source
from pathlib import Path
from py_compile import PycInvalidationMode, compile
target, *packages = map(Path, sys.argv[1:])
for package in packages:
    for source in sorted(package.rglob("*.py")):
        name = source.relative_to(package.parent)
        compile(source, target / cache_from_source(name), name.as_posix(), doraise=True,
                invalidation_mode=PycInvalidationMode.UNCHECKED_HASH)
"""
_ICON = 512  # px


def compile_kernels(folder: Path, environment: dict[str, str]) -> int:
    """Compile the kernels of every method into a folder; returns how many there are.

    One process in one order: names inside the code count what was compiled before.
    """
    name, features = _PROCESSORS[platform.machine()]
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as work:
        own = {"NUMBA_CACHE_DIR": f"{work}/code", "EMBERSCOPE_CACHE": f"{work}/cache",
               "EMBERSCOPE_STATE": f"{work}/state", "NUMBA_CPU_NAME": name,
               "NUMBA_CPU_FEATURES": features}  # fmt: skip
        Path(work, "tiny").mkdir()
        subprocess.run([sys.executable, "-c", _COMPILE, f"{work}/tiny"], check=True, cwd=work,
                       env=os.environ | environment | own)  # fmt: skip
        found = sorted(Path(work, "code").rglob("*.nbc"))
        for path in found:
            shutil.copyfile(path, folder / path.name)
    (folder / "processor.txt").write_text(f"{name} {features}\n", encoding="ascii")
    return len(found)


def compile_modules(packages: list[Path], folder: Path, environment: dict[str, str]) -> None:
    """Bytecode of packages, below a folder as Python looks for it beside their source.

    It is believed without a look at the source: a program may lie where nothing can be written, and
    a frozen Python keeps none itself.
    """
    subprocess.run([sys.executable, "-c", _BYTECODE, folder, *packages], check=True,
                   env=os.environ | environment)  # fmt: skip


def draw_icon(drawn: Path, path: Path) -> None:
    """The icon as PNG, which PyInstaller makes those of Windows and macOS from."""
    from PySide6.QtCore import Qt
    from PySide6.QtGui import QImage, QPainter
    from PySide6.QtSvg import QSvgRenderer

    image = QImage(_ICON, _ICON, QImage.Format.Format_ARGB32)
    image.fill(Qt.GlobalColor.transparent)
    with QPainter(image) as painter:
        QSvgRenderer(str(drawn)).render(painter)
    image.save(str(path))
