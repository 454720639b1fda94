"""The engine's tests run where Qt does not exist: EMBERSCOPE_TEST_WITHOUT_QT makes importing it fail."""

import os
import sys

import pytest

_QT = ("PySide6", "pyqtgraph", "vispy", "shiboken6")


class _NoQt:
    """An import finder that knows no Qt."""

    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in _QT:
            raise ModuleNotFoundError(f"No module named {name!r} (engine tests run without Qt)", name=name)


if os.environ.get("EMBERSCOPE_TEST_WITHOUT_QT"):
    sys.meta_path.insert(0, _NoQt())


@pytest.fixture
def few_trees(monkeypatch):
    """Runs ask what their bag AUC rests on by 4 trees, rules and ceilings have 10: with 40 and 100 that is nine tenths
    of the time of a small run."""
    monkeypatch.setattr("emberscope.pipeline.background_checks._TREES", 4)
    monkeypatch.setattr("emberscope.mil.imputation.selectors._TREES", 10)
    monkeypatch.setattr("emberscope.pipeline.ceiling._TREES", 10)
