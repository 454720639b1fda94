"""Plates of labels keep clear of what they could hide."""

import pytest
from PySide6.QtCore import QRectF

from emberscope.labels import Box
from emberscope.project import PutLabels
from emberscope_app.frame_view.canvas.viewport import Viewport
from emberscope_app.frame_view.layers import strokes
from emberscope_app.frame_view.layers.overlay import Scene, _plated


@pytest.fixture
def painted(monkeypatch):
    """Boxes of the plates painted since."""
    boxes = []
    monkeypatch.setattr(
        strokes, "name_plate", lambda painter, box, *a, **k: boxes.append(QRectF(box))
    )
    return boxes


def test_a_plate_does_not_cover_a_small_neighbor(session, canvas, painted):
    large = Box(id=901, source=10, frame=0, x0=120, y0=30, x1=150, y1=60)
    small = Box(id=902, source=10, frame=0, x0=122, y0=24, x1=128, y1=28)
    session.do(PutLabels(title="Draw", after=[large, small]))
    session.focus.set(labels=())
    canvas.grab()
    view: Viewport = canvas.view
    assert painted
    assert not any(
        box.intersects(view.rect(small.x0, small.y0, small.x1, small.y1)) for box in painted
    )


@pytest.mark.parametrize("origin", ["sampled", "sampled between labels"])
def test_background_that_the_program_drew_has_no_plate_until_it_is_selected(canvas, origin):
    mine, drawn = (Box(id=k, source=10, frame=0, origin=o, x0=10, y0=10, x1=60, y1=60)
                   for k, o in ((1, "manual"), (2, origin)))
    assert _plated(canvas.view, Scene(labels=(mine, drawn))) == [(mine, 1)]
    assert _plated(canvas.view, Scene(labels=(drawn,), selected=frozenset({2}))) == [(drawn, 1)]
