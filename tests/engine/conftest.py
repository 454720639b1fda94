"""The engine's tests run where Qt does not exist: EMBERSCOPE_TEST_WITHOUT_QT makes importing it
fail."""

import os
import sys
from contextlib import contextmanager

import pytest

_QT = ("PySide6", "pyqtgraph", "vispy", "shiboken6")


class _NoQt:
    """An import finder that knows no Qt."""

    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in _QT:
            raise ModuleNotFoundError(
                f"No module named {name!r} (engine tests run without Qt)", name=name
            )


if os.environ.get("EMBERSCOPE_TEST_WITHOUT_QT"):
    sys.meta_path.insert(0, _NoQt())


@contextmanager
def _few_trees():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("emberscope.course.background_checks._TREES", 4)
        patch.setattr("emberscope.evaluate.doubts._TREES", 20)
        patch.setattr("emberscope.mil.rules.forest._TREES", 10)
        patch.setattr("emberscope.pipeline.ceiling._TREES", 10)
        yield


@pytest.fixture
def few_trees():
    """Runs ask what their bag AUC rests on by 4 trees, rules and ceilings have 10, doubts 20: with
    40 and 100 that is nine tenths of the time of a small run."""
    with _few_trees():
        yield


@pytest.fixture(scope="module")
def few_trees_in_fixtures():
    """`few_trees` for all of a module, what its tests share included."""
    with _few_trees():
        yield
