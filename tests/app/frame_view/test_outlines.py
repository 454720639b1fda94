"""Polygons, ellipses and lines: drawn click by click or in one drag, then changed by hand."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from emberscope.labels import Ellipse, Polygon, Polyline
from emberscope.project import PutLabels
from emberscope_app.frame_view.tool_strip import ToolStrip

from .conftest import LEFT, NONE, at

CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
CORNERS = ((150, 20), (190, 25), (180, 60))


def clicks(hand, *points):
    for x, y in points:
        hand.move(x, y)
        hand.click(x, y)


@pytest.fixture
def begun(session, hand):
    """A polygon of three corners that is not closed yet."""
    session.focus.set(tool="polygon", class_id=2)
    clicks(hand, *CORNERS)
    return hand


def test_enter_closes_a_polygon_of_clicks_as_one_step(session, begun, new_labels):
    assert new_labels() == []
    steps = session.undo_stack.count()
    begun.key(Qt.Key.Key_Return)
    (polygon,) = new_labels()
    assert isinstance(polygon, Polygon)
    assert (polygon.points, polygon.class_id) == (CORNERS, 2)
    assert session.undo_stack.count() == steps + 1
    assert session.undo_stack.undoText() == "Draw polygon"
    assert session.focus.labels == (polygon.id,)


def test_a_double_click_ends_with_the_corner_under_it(canvas, begun, new_labels):
    begun.click(160, 70)
    QTest.mouseDClick(canvas, LEFT, NONE, at(160, 70))
    assert [label.points for label in new_labels()] == [(*CORNERS, (160, 70))]
    assert canvas.controller.gesture is None


def test_a_click_on_the_first_corner_closes(canvas, begun, new_labels):
    begun.click(151, 21)
    assert [label.points for label in new_labels()] == [CORNERS]
    assert canvas.controller.gesture is None


@pytest.mark.parametrize("keys", [(Qt.Key.Key_Backspace, NONE), (Qt.Key.Key_Z, CTRL)])
def test_the_last_corner_is_taken_back(begun, new_labels, keys):
    begun.click(160, 70)
    begun.key(*keys)
    begun.key(Qt.Key.Key_Return)
    assert [label.points for label in new_labels()] == [CORNERS]


def test_with_the_first_corner_taken_back_nothing_is_drawn(canvas, begun, new_labels):
    for _ in CORNERS:
        begun.key(Qt.Key.Key_Backspace)
    assert canvas.controller.gesture is None
    assert new_labels() == []


def test_escape_drops_what_is_begun(canvas, begun, new_labels):
    begun.key(Qt.Key.Key_Escape)
    assert canvas.controller.gesture is None
    assert new_labels() == []


def test_two_corners_are_no_polygon_and_it_goes_on(session, canvas, hand, new_labels):
    said = []
    session.message.connect(lambda message: said.append(message.words))
    session.focus.set(tool="polygon")
    clicks(hand, *CORNERS[:2])
    hand.key(Qt.Key.Key_Return)
    assert new_labels() == []
    assert canvas.controller.draws_on
    assert said == ["A polygon has 3 corners or more. Esc drops it."]


def test_the_class_is_the_one_in_hand_when_it_closes(session, begun, new_labels):
    begun.key(Qt.Key.Key_1)
    begun.key(Qt.Key.Key_Return)
    assert [label.class_id for label in new_labels()] == [1]


def test_another_frame_keeps_what_was_drawn_on_the_frame_before(session, begun, new_labels):
    session.go(frame=1)
    (polygon,) = new_labels()
    assert (polygon.frame, polygon.points) == (0, CORNERS)
    assert session.focus.labels == ()


def test_another_tool_keeps_it_too_and_drops_what_is_too_little(session, begun, hand, new_labels):
    session.focus.set(tool="select")
    assert [label.points for label in new_labels()] == [CORNERS]
    session.focus.set(tool="polygon")
    clicks(hand, *CORNERS[:2])
    session.focus.set(tool="select")
    assert len(new_labels()) == 1


def test_a_drag_with_the_ellipse_tool_fills_a_box(session, hand, new_labels):
    session.focus.set(tool="ellipse", class_id=2)
    hand.drag((150, 20), (170, 30), (190, 45))
    hand.drag((100, 100), (120, 110), (140, 120), keys=SHIFT)
    ellipse, circle = new_labels()
    assert isinstance(ellipse, Ellipse)
    assert (ellipse.x0, ellipse.y0, ellipse.x1, ellipse.y1) == (150, 20, 190, 45)
    assert (circle.x1 - circle.x0, circle.y1 - circle.y0) == (40, 40)


def test_a_drag_with_the_line_tool_is_a_straight_line(session, canvas, hand, new_labels):
    session.focus.set(tool="line")
    canvas.settings.set("line_width", 2.5)
    hand.drag((150, 20), (160, 40), (190, 45))
    (line,) = new_labels()
    assert isinstance(line, Polyline)
    assert (line.points, line.width) == (((150, 20), (190, 45)), 2.5)
    assert canvas.controller.gesture is None


def test_clicks_with_the_line_tool_bend_it(session, hand, new_labels):
    session.focus.set(tool="line")
    clicks(hand, (150, 20), (160, 40), (190, 45))
    hand.key(Qt.Key.Key_Enter)
    assert [label.points for label in new_labels()] == [((150, 20), (160, 40), (190, 45))]


def test_the_map_in_the_corner_is_used_while_a_polygon_is_drawn(canvas, begun, new_labels):
    canvas.view.zoom_by(4, canvas.rect().center().toPointF())
    place = canvas.minimap.box(canvas.frame_image).center().toPoint()
    QTest.mouseClick(canvas, LEFT, NONE, place)
    begun.key(Qt.Key.Key_Return)
    assert [label.points for label in new_labels()] == [CORNERS]


# ---- editing -------------------------------------------------------------------------------------


@pytest.fixture
def drawn(session):
    """`drawn(kind, ...)`: such a label on free ground, selected, the select tool in hand."""

    def put(kind, **shape):
        label = kind(id=session.project.new_label_ids()[0], source=10, frame=0, **shape)
        session.do(PutLabels(title="Draw", after=[label]))
        session.focus.set(labels=(label.id,), tool="select")
        return lambda: session.project.labels[label.id]

    return put


SQUARE = ((120, 20), (150, 20), (150, 50), (120, 50))


def test_a_corner_of_a_polygon_is_dragged(session, hand, drawn):
    polygon = drawn(Polygon, points=SQUARE)
    hand.drag((150, 50), (155, 55), (162, 58))
    assert polygon().points == (*SQUARE[:2], (162, 58), SQUARE[3])
    assert session.undo_stack.undoText() == "Reshape polygon"


def test_the_middle_of_an_edge_makes_a_corner(hand, drawn):
    polygon = drawn(Polygon, points=SQUARE)
    hand.drag((150, 35), (160, 35), (170, 35))
    assert polygon().points == (*SQUARE[:2], (170, 35), *SQUARE[2:])


def test_a_corner_that_is_dropped_on_the_next_one_goes(hand, drawn):
    polygon = drawn(Polygon, points=(*SQUARE, (110, 35)))
    hand.drag((110, 35), (115, 45), (120, 50))
    assert polygon().points == SQUARE


@pytest.mark.parametrize(
    ("kind", "shape", "moved"),
    [
        (Polygon, {"points": SQUARE}, {"points": tuple((x + 10, y + 6) for x, y in SQUARE)}),
        (
            Ellipse,
            {"x0": 120, "y0": 20, "x1": 150, "y1": 50},
            {"x0": 130, "y0": 26, "x1": 160, "y1": 56},
        ),
        (Polyline, {"points": ((120, 20), (140, 40))}, {"points": ((130, 26), (150, 46))}),
    ],
)
def test_a_drag_inside_moves_the_whole(hand, drawn, kind, shape, moved):
    label = drawn(kind, **shape)
    hand.drag((132, 32), (136, 34), (142, 38))
    assert {name: getattr(label(), name) for name in moved} == moved


def test_a_polygon_stays_on_the_frame(hand, drawn):
    polygon = drawn(Polygon, points=SQUARE)
    hand.drag((135, 35), (190, 40), (199, 40))
    assert max(x for x, _ in polygon().points) == 200


def test_an_edge_of_an_ellipse_is_dragged(hand, drawn):
    ellipse = drawn(Ellipse, x0=120, y0=20, x1=150, y1=50)
    hand.drag((150, 35), (160, 35), (165, 35))
    assert (ellipse().x0, ellipse().x1) == (120, 165)


def test_the_width_of_a_selected_line_is_set_in_the_strip(session, canvas, drawn, qtbot):
    line = drawn(Polyline, points=((120, 20), (140, 40)))
    strip = ToolStrip(session, canvas)
    qtbot.addWidget(strip)
    assert strip.line_width.isVisibleTo(strip)
    strip.line_width.slider.setValue(14)  # steps of half a pixel
    assert line().width == 7.0


def test_a_click_with_the_eraser_removes_an_outline(session, hand, drawn):
    polygon = drawn(Polygon, points=SQUARE)
    key = polygon().id
    session.focus.set(tool="erase")
    hand.click(135, 35)
    assert key not in session.project.labels


def test_a_click_beside_a_polygon_inside_its_box_is_not_on_it(session, hand, drawn):
    drawn(Polygon, points=((120, 20), (150, 20), (120, 50)))
    session.focus.set(labels=())
    hand.click(146, 46)
    assert session.focus.labels == ()
