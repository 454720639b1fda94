"""How the frame panel, the timeline and the labels look on a generated scene: images in both themes
are kept."""

import pytest
from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from emberscope.frames.scene.generated import RangeScene
from emberscope.labels import (
    Box,
    Ellipse,
    FrameLabel,
    Ignore,
    Polygon,
    Polyline,
    Scribble,
    Spot,
    TargetClass,
)
from emberscope.project import Project, PutClasses, PutLabels
from emberscope.project.exchange.sources import add_source
from emberscope_app.docks.labels.panel import LabelsPanel
from emberscope_app.frame_view.frame_panel import FramePanel
from emberscope_app.frame_view.timeline.timeline_panel import TimelinePanel
from emberscope_app.theme import look as looks
from emberscope_app.theme.tokens import DARK


@pytest.fixture
def scene(empty_session, tmp_path):
    """Two frames of a range with every label kind on the first; the relaxed box is selected."""
    session = empty_session
    range_scene = RangeScene(vehicle="SUV", n_frames=2)
    session.replace(Project(), None)
    session.do(add_source(session.project, range_scene.write(tmp_path)))
    source = min(session.project.sources)
    session.do(
        PutClasses(title="Add class", after=[TargetClass(id=3, name="Person", role=1, slot=3)])
    )
    x0, y0, x1, y1 = core = range_scene.truth(0)[0].box
    line = tuple((80.0 + i, 380 + 0.35 * i) for i in range(140))
    labels = [
        Box(
            id=100,
            source=source,
            frame=0,
            x0=x0 - 30,
            y0=y0 - 14,
            x1=x1 + 8,
            y1=y1 + 14,
            looseness=0.8,
            core=core,
        ),
        Box(id=101, source=source, frame=0, class_id=2, x0=60, y0=90, x1=130, y1=140),
        Scribble(id=102, source=source, frame=0, class_id=2, points=line, rho=6),
        Spot(id=103, source=source, frame=0, class_id=3, x=480, y=150, rho=8),
        Spot(id=104, source=source, frame=0, class_id=3, x=500, y=158, rho=8),
        Ignore(id=105, source=source, frame=0, x0=540, y0=300, x1=610, y1=370),
        Polygon(
            id=108,
            source=source,
            frame=0,
            class_id=3,
            points=((300, 60), (380, 50), (400, 110), (330, 130)),
        ),
        Ellipse(id=109, source=source, frame=0, class_id=2, x0=420, y0=40, x1=520, y1=90),
        Polyline(
            id=110,
            source=source,
            frame=0,
            class_id=3,
            points=((180, 60), (220, 110), (270, 100)),
            width=10,
        ),
        FrameLabel(id=106, source=source, frame=0, says="contains"),
        FrameLabel(id=107, source=source, frame=1, class_id=2, says="empty"),
    ]
    session.do(PutLabels(title="Draw", after=labels))
    session.go(source, 0)
    session.focus.set(labels=(100,), tool="relaxed")
    return session


@pytest.fixture
def host(scene, qtbot) -> QWidget:
    found = QWidget()
    qtbot.addWidget(found)
    found.frame, found.timeline, found.labels = (
        FramePanel(scene),
        TimelinePanel(scene),
        LabelsPanel(scene),
    )
    found.labels.setFixedWidth(352)
    found.timeline.setFixedHeight(184)
    left = QVBoxLayout()
    left.addWidget(found.frame, 1)
    left.addWidget(found.timeline)
    row = QHBoxLayout(found)
    row.setContentsMargins(0, 0, 0, 0)
    row.addLayout(left, 1)
    row.addWidget(found.labels)
    found.resize(1296, 900)
    found.show()
    return found


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_every_label_kind_is_drawn_in_the_dark_column_in_both_themes(
    host, scene, screenshot, theme
):
    looks.look().apply(theme)
    canvas = host.frame.canvas
    canvas.controller.pointer = QPointF(300, 300)
    screenshot(host, "frame-panel")
    image = canvas.grab().toImage()
    edge = canvas.view.to_screen(95, 140).toPoint()  # lower edge of the background box
    assert image.pixelColor(edge).name().upper() == DARK.classes[2]


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_the_popover_and_the_mini_map_in_both_themes(host, scene, screenshot, theme):
    looks.look().apply(theme)
    canvas = host.frame.canvas
    canvas.view.zoom_to(4.0)
    scene.focus.set(tool="frame")
    assert canvas.controller.popover.isVisible()
    assert not canvas.view.everything_visible
    screenshot(host, "frame-popover")


def test_the_empty_panel(empty_session, qtbot, screenshot):
    panel = FramePanel(empty_session)
    qtbot.addWidget(panel)
    panel.resize(700, 500)
    panel.show()
    assert panel.empty.isVisible()
    screenshot(panel, "frame-empty")
