"""Labels as columns."""

import numpy as np

from emberscope.labels.model import Box, FrameLabel, Ignore, Scribble, Spot
from emberscope.labels.table import BOX, FRAME, IGNORE, SCRIBBLE, SPOT, LabelTable

INF = np.inf
AT = {"source": 1, "frame": 0}
LABELS = [
    Spot(id=1, x=10, y=20, rho=5, class_id=3, **AT),
    Scribble(id=2, points=((0, 0), (4, 2)), **AT),
    Box(id=3, x0=1, y0=2, x1=3, y1=4, origin="propagated", **AT),
    Box(id=4, x0=0, y0=0, x1=9, y1=9, looseness=2.0, core=(3, 3, 6, 6), **AT),
    Box(id=5, x0=0, y0=0, x1=9, y1=9, looseness=2.0, **AT),
    FrameLabel(id=6, source=1, frame=4),
    Ignore(id=7, **AT),
]


def test_every_kind_has_its_row():
    table = LabelTable.of(LABELS)
    assert table.ids.tolist() == [1, 2, 3, 4, 5, 6, 7]
    assert table.kinds.tolist() == [SPOT, SCRIBBLE, BOX, BOX, BOX, FRAME, IGNORE]
    assert table.classes.tolist() == [3, 1, 1, 1, 1, 1, 0]
    assert table.copied.tolist() == [False, False, True, False, False, False, False]
    assert table.labels.tolist() == LABELS


def test_corners_are_those_of_the_shape_and_endless_for_words_about_the_frame():
    table = LabelTable.of(LABELS)
    assert table.corners[:3].tolist() == [[5, 15, 15, 25], [0, 0, 4, 2], [1, 2, 3, 4]]
    assert table.corners[5:].tolist() == [[-INF, -INF, INF, INF]] * 2


def test_the_box_of_the_target_is_known_of_tight_boxes_and_of_those_with_a_core():
    table = LabelTable.of(LABELS)
    assert np.flatnonzero(np.isfinite(table.tight[:, 0])).tolist() == [2, 3]
    assert table.tight[2:4].tolist() == [[1, 2, 3, 4], [3, 3, 6, 6]]
    assert table.looseness.tolist() == [0, 0, 0, 2, 2, 0, 0]


def test_rows_of_a_frame():
    assert LabelTable.of(LABELS).on_frame(1, 4).tolist() == [5]
    assert LabelTable.of([]).on_frame(1, 4).tolist() == []
