"""The instances of a frame in the colors of their concepts."""

import msgspec
import numpy as np
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage, QPainter

from emberscope.findings.concept_looks import concept_color
from emberscope.findings.concepts import DISTANCES
from emberscope.findings.point_looks import CONCEPT
from emberscope.project import PutRuns
from emberscope.project.model.concept_edits import drop_concept
from emberscope_app.docks.preview.panel import PreviewPanel
from emberscope_app.frame_view.canvas.frame_canvas import FrameCanvas
from emberscope_app.frame_view.layers.concept_marks import (
    ConceptsOnFrame,
    concept_marks,
    legend_box,
    paint_concepts,
)
from emberscope_app.theme.tokens import DARK

# Squared distances: probabilities 1, .74, .22 and none
SURE, LIKELY, HARDLY, NOT = 0.0, 0.3, 1.5, 9.0


@pytest.fixture
def shown(session, build_run):
    """Rows 0 and 1 are of concept 1, surely and hardly; row 2 is likely of concept 2; the others of
    none."""
    run = build_run(run_id=12)
    distances = np.full((len(run.ids), 2), NOT, np.float32)
    distances[[0, 1], 0], distances[2, 1] = [SURE, HARDLY], LIKELY
    named = ("coverage_", "contrast_", "purity_")
    session.do(
        PutRuns(
            after=[
                msgspec.structs.replace(
                    run,
                    state={name: np.ones(2) for name in named},
                    diagnostics={DISTANCES: distances},
                )
            ]
        )
    )
    session.focus.set(color_by=CONCEPT)
    return session


def test_only_instances_of_a_concept_are_marked_the_likeliest_last(shown):
    marks = concept_marks(shown, np.arange(6))
    np.testing.assert_array_equal(marks.boxes, shown.run.box[[1, 2, 0]])
    assert QColor(*marks.rgb[2].tolist()).name().upper() == concept_color(0, DARK.name)


def test_likely_instances_bear_the_number_of_their_concept(shown):
    assert concept_marks(shown, np.arange(6)).numbers.tolist() == [0, 2, 1]


def test_the_legend_counts_what_is_on_the_frame(shown):
    assert concept_marks(shown, np.arange(6)).legend == (
        (1, "Concept 1", 2, False),
        (2, "Concept 2", 1, False),
    )
    assert concept_marks(shown, np.arange(2)).legend == ((1, "Concept 1", 2, False),)


def test_nothing_is_marked_where_colors_stand_for_something_else(shown):
    shown.focus.set(color_by="class")
    assert concept_marks(shown, np.arange(6)) is None


def test_a_frame_without_instances_of_a_concept_has_no_legend(shown):
    assert concept_marks(shown, np.arange(4, 6)) is None


def test_a_narrow_frame_has_its_legend_in_rows(shown):
    marks = concept_marks(shown, np.arange(6))
    wide, narrow = (legend_box(QRectF(0, 0, width, 300), marks) for width in (600, 150))
    assert narrow.height() > wide.height()
    assert narrow.right() < 150
    assert narrow.left() >= 0


def test_an_outline_is_painted_in_the_color_of_its_concept(shown):
    image = QImage(40, 40, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(QColor("#000000"))
    painter = QPainter(image)
    paint_concepts(
        painter, lambda *corners: QRectF(10, 10, 12, 12), concept_marks(shown, np.array([0]))
    )
    painter.end()
    assert image.pixelColor(16, 10).name().upper() == concept_color(0, DARK.name)


@pytest.mark.parametrize("view", [FrameCanvas, PreviewPanel])
def test_a_frame_follows_colors_and_edits_of_concepts(shown, qtbot, view):
    found = view(shown)
    qtbot.addWidget(found)
    run = shown.run
    on_canvas = next(
        (layer for layer in getattr(found, "layers", ()) if isinstance(layer, ConceptsOnFrame)),
        None,
    )

    def titles():
        marks = on_canvas.marks if view is FrameCanvas else found.view.marks
        return [title for _, title, *_ in marks.legend] if marks is not None else []

    shown.go(int(run.source[0]), int(run.frame[0]))
    assert "Concept 1" in titles()
    shown.do(drop_concept(shown.project, run, [0]))
    assert "Concept 1" not in titles()
    shown.undo_stack.undo()
    assert "Concept 1" in titles()
    shown.focus.set(color_by="class")
    assert titles() == []
