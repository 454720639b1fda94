"""Point sets in the Sources dock."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QApplication, QMenu

from emberscope.project import Project
from emberscope.project.exchange.sources import add_source
from emberscope_app.docks.sources.panel import SourcesPanel


@pytest.fixture
def panel(empty_session, tmp_path, qtbot):
    """Two bags of two instances that have labels of their own."""
    path = tmp_path / "bags.npz"
    np.savez(path, X=np.eye(4), y=[1, -1, -1, -1], bag=[0, 0, 1, 1], bag_y=[1, -1])
    project = Project()
    project.apply(add_source(project, path))
    empty_session.replace(project, None)
    found = SourcesPanel(empty_session)
    qtbot.addWidget(found)
    found.show()
    return found


def judges(panel):
    (source,) = panel._session.project.sources
    panel.view.menu_wanted.emit(source, QPoint(0, 0))
    menu = next(w for w in QApplication.topLevelWidgets() if isinstance(w, QMenu) and w.isVisible())
    action = next(a for a in menu.actions() if a.text() == "Labels of instances only judge")
    menu.close()
    return action


def test_labels_of_instances_are_let_judge_by_the_menu_and_undo_takes_it_back(panel):
    session = panel._session
    assert len(session.project.marks) == 4
    assert not judges(panel).isChecked()
    judges(panel).trigger()
    assert len(session.project.marks) == 0
    assert judges(panel).isChecked()
    session.undo_stack.undo()
    assert len(session.project.marks) == 4
