"""The window says of point sets what they are: it speaks of no frames where there are none."""

import re

import pytest
from PySide6.QtWidgets import QAbstractButton, QComboBox, QLabel, QLineEdit

from emberscope.pipeline.project_run import run
from emberscope.project import Project, PutRuns, Recipe
from emberscope.project.exchange.sources import add_source
from emberscope_app.shell.actions import ACTIONS, title_of, why_not

from .layout import shown, written
from .layout_states import docks, settle, sheets

OF_FRAMES = re.compile(
    r"\b(frames?|clips?|patch(es)?|box(es)?|pixels?|px|detections?|draw)\b",
    re.IGNORECASE,
)
SHEETS = ("file.export", "file.known", "label.add-class", "label.edit-class", "run.methods",
          "run.believe", "run.learned", "run.note", "run.study", "label.doubtful")  # fmt: skip
BAGS = 12
ROWS = [f"{k},{k % 2},{k % 2 * 3 + n},{n}" for k in range(BAGS) for n in range(3)]


@pytest.fixture
def points(tmp_path):
    """Twelve bags of three instances of two features, and two runs."""
    path = tmp_path / "bags.csv"
    path.write_text("\n".join(["bag,label,x1,x2", *ROWS]))
    project = Project()
    project.apply(add_source(project, path))
    for method in ("pca", "mi-umap"):
        found = run(project, Recipe(method=method, bags=project.recipe.bags,
                                    features=project.recipe.features), cache=tmp_path / "cache")
        project.apply(PutRuns(title="Run", after=[found]))
    return project


def words_of(root):
    """All that a widget and what it holds say: words, tooltips, choices."""
    found = [text.words for text in written(root)]
    for widget in (root, *shown(root)):
        found += [widget.toolTip(), widget.accessibleName()]
        if isinstance(widget, QLabel | QAbstractButton):
            found.append(widget.text())
        elif isinstance(widget, QComboBox):
            found += [widget.itemText(at) for at in range(widget.count())]
        elif isinstance(widget, QLineEdit):
            found += [widget.text(), widget.placeholderText()]
    return found


def of_frames(words):
    return sorted({text for text in words if OF_FRAMES.search(text)})


def states(window):
    yield from docks(window)
    able = (action for action in SHEETS if window.actions_by_id[action].isEnabled())
    yield from sheets(window, able)  # without a run some are not


@pytest.mark.parametrize("runs", [0, 2])
def test_no_state_of_the_window_speaks_of_frames(window, points, described, runs):
    if not runs:
        points.apply(PutRuns(title="Remove", before=list(points.runs.values())))
    window.session.replace(points, None)
    settle()
    said = {}
    for state, part in states(window):
        for words in of_frames(words_of(part)):
            said.setdefault(words, state)
    found = "\n".join(f"{state}: {words!r}" for words, state in said.items())
    assert not found, found


def test_what_is_offered_speaks_of_no_frames(window, points):
    window.session.replace(points, None)
    session = window.session
    offered = [title_of(row, session) for row in ACTIONS
               if row.when != "always" and not why_not(row, session)]
    found = of_frames(offered)
    assert not found, "\n".join(found)
