"""Neighbors before and after the metric, and triplet rows."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from emberscope.findings.neighborhoods import Neighborhoods
from emberscope.labels.side_info import Pair
from emberscope.metric.triplet_rows import EASY, HARD, SEMI_HARD, TripletRows
from emberscope.project import PutRuns, PutSide
from emberscope.tasks.neighbors import CompareNeighbors
from emberscope_app.docks.side.neighbors import NO_RUN, NO_TRIPLETS, OFFER, POINT, WAITING
from emberscope_app.docks.side.panel import SidePanel
from emberscope_app.lists.cells import Picture, Strokes

from ...layout import faults, paint_faults

TRIPLETS = np.array([(0, 1, 100), (2, 3, 101), (4, 5, 102)])


def found_of(run, *, triplets=TRIPLETS):
    """Neighbors are the next rows before, and every second one after; the first 48 are targets."""
    n, step = len(run.ids), np.arange(1, 9)
    before = (np.arange(n)[:, None] + step).astype(np.int32) % n
    after = (np.arange(n)[:, None] + 2 * step).astype(np.int32) % n
    kind = np.where(np.arange(n) < 48, 1, -1).astype(np.int8)
    near, far = (
        np.array([2.0, 1.0, 1.0])[: len(triplets)],
        np.array([1.0, 1.5, 9.0])[: len(triplets)],
    )
    rows = TripletRows(
        triplets, near, far, np.array([HARD, SEMI_HARD, EASY], np.int8)[: len(triplets)]
    )
    names = [f"hog block 0,0 cell {r},{c} {a} deg" for r in (0, 1) for c in (0, 1) for a in (0, 90)]
    edges_of = np.unique(triplets)
    edges = np.ones((len(edges_of), len(names)), np.float32)
    return Neighborhoods(before, after, kind, np.tile(np.array([[5, 1]], np.int32), (n, 1)), rows,
                         "LMNN", 1.0, edges_of, edges, names)


@pytest.fixture
def panel(session, worker, qtbot):
    worker.answers[CompareNeighbors] = lambda request: found_of(request.run)
    found = SidePanel(session)
    qtbot.addWidget(found)
    found.resize(368, 520)
    with qtbot.waitExposed(found):
        found.show()
    return found


@pytest.fixture
def page(panel, qtbot):
    panel.compare()
    qtbot.waitUntil(lambda: panel.neighbors_page.made.result is not None)
    return panel.neighbors_page


def rows_of(session):
    return np.flatnonzero(np.isin(session.run.ids, session.selection.ids)).tolist()


def test_nothing_is_compared_before_somebody_asks(panel, worker):
    panel.show_page("neighbors")
    assert panel.neighbors_page.empty.sentence.text() == OFFER
    assert not worker.submitted
    panel.neighbors_page.empty.button.click()
    assert panel.neighbors_page.empty.sentence.text() == WAITING


def test_without_a_run_it_says_what_to_do(panel, session):
    session.do(PutRuns(title="Delete", before=list(session.project.runs.values())))
    assert panel.neighbors_page.empty.sentence.text() == NO_RUN


def test_what_cannot_be_read_is_said(panel, worker, qtbot):
    worker.answers.clear()
    panel.compare()
    worker.fail(1, "range_pass_01.npy: there is no such file")
    qtbot.waitUntil(lambda: "no such file" in panel.neighbors_page.empty.sentence.text())
    assert panel.neighbors_page.empty.button.isVisible()


def test_neighbors_of_the_selected_chip_are_shown_before_and_after(page, session):
    assert page.strips.accessibleName() == POINT
    session.selection.select(session.run.ids[[10]])
    shown = [row for _, row in page.strips.spots]
    half = len(shown) // 2
    assert shown[:half] == [11, 12, 13, 14][:half]
    assert shown[half:] == [12, 14, 16, 18][:half]


def test_nothing_is_cut_in_the_smallest_dock(page, panel, session):
    session.selection.select(session.run.ids[[10]])
    panel.resize(264, 300)
    assert faults(panel) + paint_faults(panel) == []


def test_how_many_are_of_the_other_kind_is_said(page, session):
    session.selection.select(session.run.ids[[45]])
    assert (
        "6 of 8 nearest in the features are of the other kind, 7 by LMNN"
        in page.strips.accessibleName()
    )


def test_a_click_on_a_neighbor_goes_on_from_there(page, session):
    session.selection.select(session.run.ids[[10]])
    QTest.mouseClick(page.strips, Qt.MouseButton.LeftButton, pos=page.strips.spots[0][0].center())
    assert rows_of(session) == [11]
    assert page.strips.row == 11


def test_triplets_are_listed_the_hardest_first(page):
    assert [page.model.index(row, 0).data() for row in range(3)] == [
        "Hard: negative at 1.00, positive at 2.00", "Semi-hard: negative at 1.50, positive at 1.00",
        "Easy: negative at 9.00, positive at 1.00"]
    assert page.counts.text() == "1 hard, 1 semi-hard, 1 easy"


def test_a_triplet_selects_its_three_and_shows_the_neighbors_of_its_anchor(page, session):
    page.table.selectRow(1)
    assert rows_of(session) == [2, 3, 101]
    assert page.strips.row == 2


def test_a_double_click_goes_to_the_frame_of_the_chip_under_it(page, session, qtbot):
    cells = page.table.delegate.cells(page.model.index(0, 0))
    negative = next(place for cell, place in cells if cell.does == 2)
    QTest.mouseDClick(page.table.viewport(), Qt.MouseButton.LeftButton, pos=negative.center())
    assert session.focus.frame == session.run.frame[100]


def test_enter_goes_to_the_frame_of_the_anchor(page, session):
    session.go(frame=5)
    page.table.setFocus()
    page.table.setCurrentIndex(page.model.index(0, 0))
    page.table.activated.emit(page.model.index(0, 0))
    assert session.focus.frame == session.run.frame[0]


def test_a_selection_from_elsewhere_lets_go_of_the_triplet(page, session):
    page.table.selectRow(1)
    session.selection.select(session.run.ids[[10]])
    assert page.table.rows_chosen() == []


def test_without_triplets_it_says_what_they_need(panel, worker, qtbot):
    worker.answers[CompareNeighbors] = lambda request: found_of(request.run, triplets=TRIPLETS[:0])
    panel.compare()
    page = panel.neighbors_page
    qtbot.waitUntil(lambda: page.made.result is not None)
    assert page._lists.currentWidget() is page.none
    assert page.none.sentence.text() == NO_TRIPLETS


def test_edges_take_no_room_where_chips_could_not_be_read(page):
    def pictures():
        return [
            type(cell)
            for cell, _ in page.table.delegate.cells(page.model.index(0, 0))
            if cell.does is not None
        ]

    assert pictures() == [Picture, Strokes] * 3
    run = page.model.run
    unread = replace(page.model.found, edges_of=page.model.found.edges_of[:0])
    page.model.show_found(unread, run)
    assert pictures() == [Picture] * 3


def test_del_removes_no_record_from_here(page, panel, session):
    a, b = session.run.ids[:2].tolist()
    session.do(PutSide(after=[Pair(id=501, a=a, b=b, same=True)]))
    panel.choose({501})
    QTest.keyClick(panel, Qt.Key.Key_Delete)
    assert 501 in session.project.side
