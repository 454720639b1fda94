"""Very many labels on one frame: what is painted one by one, what as a crowd, and what lies under
the pointer."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest

from emberscope.labels import Box, Ignore, Spot
from emberscope.labels.geometry import hit
from emberscope.labels.table import LabelTable
from emberscope.project import PutLabels
from emberscope_app.frame_view.layers.label_index import LabelIndex
from emberscope_app.frame_view.layers.many_labels import FROM, path_of

MANY = 2 * FROM


def boxes(count: int) -> list[Box]:
    """In rows of 40 over the frame of 200 x 160, 3 x 3 px each."""
    return [Box(id=1000 + k, source=10, frame=0, class_id=1, x0=5.0 * (k % 40), y0=6.0 * (k // 40),
                x1=5.0 * (k % 40) + 3, y1=6.0 * (k // 40) + 3) for k in range(count)]


@pytest.fixture
def crowded(session, canvas):
    """The frame on show has `MANY` more labels, none selected."""
    session.do(PutLabels(title="Draw", after=boxes(MANY)))
    session.focus.set(labels=())
    return canvas


def test_few_labels_are_painted_one_by_one(canvas):
    scene = canvas.scene()
    assert scene.crowd is None
    assert len(scene.labels) == 4


def test_many_labels_are_painted_as_a_crowd(crowded):
    scene = crowded.scene()
    assert scene.labels == []
    assert len(scene.crowd.rows) == MANY + 4


def test_a_selected_label_of_a_crowd_is_painted_with_its_handles(crowded):
    crowded.session.focus.set(labels=(1005,))
    assert [label.id for label in crowded.scene().labels] == [1005]


def test_so_many_selected_labels_have_no_handles_but_another_color(crowded):
    crowded.session.focus.set(labels=tuple(range(1000, 1000 + FROM)))
    scene = crowded.scene()
    assert scene.labels == []
    assert len(scene.crowd.chosen) == FROM


def test_labels_out_of_view_are_not_painted(crowded):
    crowded.view.zoom_to(32.0, crowded.view.to_screen(20, 20))
    scene = crowded.scene()
    assert scene.crowd is None
    assert 0 < len(scene.labels) < 60


def test_a_crowd_shows_the_color_of_its_class(crowded):
    image = crowded.grab().toImage()
    corner = crowded.view.to_screen(5.0, 0.0).toPoint() + QPoint(6, 0)
    near = [QColor(image.pixel(corner.x(), max(corner.y() + dy, 0))) for dy in (-1, 0, 1)]
    # Class 1 is orange, the frame is gray
    assert any(color.red() > color.blue() + 60 for color in near)


def test_an_edit_is_seen_at_once(crowded):
    before = crowded.grab().toImage()
    crowded.session.do(PutLabels(title="Delete", before=boxes(MANY)))
    assert crowded.grab().toImage() != before


def test_a_click_takes_a_label_out_of_a_crowd(crowded):
    QTest.keyClick(crowded, Qt.Key.Key_V)
    at = crowded.view.to_screen(5 * 7 + 1.5, 6 * 3 + 1.5).toPoint()
    QTest.mouseClick(crowded, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, at)
    assert crowded.session.focus.labels == (1000 + 3 * 40 + 7,)


def test_the_index_finds_what_the_hit_test_finds():
    labels = [
        Spot(id=1, source=1, frame=0, x=10, y=10, rho=4),
        *boxes(50),
        Ignore(id=2, source=1, frame=0),
    ]
    found = LabelIndex(LabelTable.of(labels)).hit(9, 9, tolerance=1.0)
    assert len(found) == 2
    assert found == hit(labels, 9, 9, tolerance=1.0)


def test_a_word_about_the_whole_frame_is_always_in_view():
    assert LabelIndex(LabelTable.of([Ignore(id=2, source=1, frame=0)])).within(
        50, 50, 60, 60
    ).tolist() == [0]


def test_a_path_of_many_lines_has_their_points():
    path = path_of(np.array([[(0, 0), (3, 0)], [(0, 2), (3, 2)]], float))
    assert [(e.x, e.y) for e in (path.elementAt(k) for k in range(4))] == [
        (0, 0),
        (3, 0),
        (0, 2),
        (3, 2),
    ]
    assert [path.elementAt(k).isMoveTo() for k in range(4)] == [True, False, True, False]
