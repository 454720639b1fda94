"""What is imported ahead."""

import importlib.util
import subprocess
import sys

from PySide6.QtCore import QObject

from emberscope_app.latent_view.points import sprites
from emberscope_app.shell import early_imports


def test_every_module_that_is_imported_ahead_exists():
    names = (*early_imports.ENGINE, *early_imports.names())
    assert [name for name in names if importlib.util.find_spec(name) is None] == []


def test_nothing_heavy_comes_with_it():
    code = "import sys, importlib; from emberscope_app.shell import early_imports; " \
           "names = (*early_imports.ENGINE, *early_imports.names()); " \
           "[importlib.import_module(name) for name in names]; " \
           "print([name for name in ('sklearn', 'numba', 'torch', 'cv2') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_thread_that_draws_makes_every_class_of_qt():
    """PySide looks into the table of its classes without Python's lock: one that another thread
    makes at that moment crashes the process."""
    code = (
        "import sys, threading\n"
        "from PySide6 import QtCore, QtGui, QtSvg, QtWidgets\n"
        "from emberscope_app.shell import early_imports\n"
        "class Watch:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if threading.current_thread() is not threading.main_thread():\n"
        "            found.append(name)\n"
        "found = []\n"
        "sys.meta_path.insert(0, Watch())\n"
        "early_imports.ImportAhead(QtCore.QCoreApplication([])).wait()\n"
        "modules = (QtCore, QtGui, QtWidgets, QtSvg)\n"
        "missing = [name for m in modules for name in dir(m) if name not in vars(m)]\n"
        "of_qt = ('emberscope_app', 'PySide', 'pyqtgraph')\n"
        "print('h5py' in found, missing, [name for name in found if name.startswith(of_qt)])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "True [] []"


def test_docks_are_made_one_a_turn_while_nothing_is_open(qtbot):
    made = []

    class Made:
        def __getitem__(self, name):
            made.append(name)

    owner = QObject()
    early_imports.MakeAhead(owner, Made(), ["frame", "bags"], idle=lambda: True)
    qtbot.waitUntil(lambda: made == ["frame", "bags"])


def test_no_dock_is_made_while_something_is_open(qtbot):
    owner = QObject()
    # An empty dict would raise KeyError
    early_imports.MakeAhead(owner, {}, ["frame"], idle=lambda: False)
    qtbot.wait(300)


def test_the_glyphs_of_the_map_in_space_are_drawn_ahead():
    sprites.atlas.cache_clear()
    owner = QObject()
    early_imports.ImportAhead(owner, ratio=2.0).wait()
    drawn = sprites.atlas.cache_info().currsize
    sprites.deep_sprites(2.0)
    assert (drawn, sprites.atlas.cache_info().currsize) == (2, 2)
