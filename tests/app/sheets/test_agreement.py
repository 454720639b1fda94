"""The sheet that compares labels of two origins."""

import pytest

from emberscope.labels import Box
from emberscope.project import PutLabels
from emberscope_app.sheets import agreement
from emberscope_app.shell import commands


def box(key, frame=0, x0=4.0, class_id=1, origin="manual"):
    return Box(
        id=key, source=10, frame=frame, class_id=class_id, x0=x0, y0=4, x1=x0 + 20, y1=20,
        origin=origin,
    )  # fmt: skip


@pytest.fixture
def compared(used_window):
    """Two labels of mine and three that were imported: one object in both, one of another class,
    one that only the import has."""
    session = used_window.session
    session.do(PutLabels(title="Clear", before=list(session.project.labels)))
    labels = [
        box(1001), box(1002, frame=1), box(1003, x0=5, origin="imported"),
        box(1004, frame=1, class_id=2, origin="imported"),
        box(1005, frame=2, origin="imported"),
    ]  # fmt: skip
    session.do(PutLabels(title="Draw", after=labels))
    commands.compare_labels(used_window)
    return used_window


def cells(sheet):
    grid = sheet.rows
    found = {}
    for at in range(grid.count()):
        row, column, _, _ = grid.getItemPosition(at)
        found[row, column] = grid.itemAt(at).widget().text()
    return [
        [found[row, column] for column in range(5)] for row in sorted({row for row, _ in found})
    ]


def test_the_table_says_what_both_have_by_class(compared, screenshot):
    sheet = compared.sheet
    assert sheet.share.text() == "33 % of all objects are in both."
    assert cells(sheet) == [
        ["Class", "Both", "Only first", "Only second", "Other class"],
        ["Target", "1", "0", "1", "1"],
        ["Background", "0", "0", "0", "1"],
    ]
    screenshot(compared, "compare-labels")


def test_a_difference_leads_to_its_labels(compared):
    sheet, focus = compared.sheet, compared.session.focus
    assert [sheet.model.words(one, 0) for one in sheet.model.rows] == [
        "Target, Background: other class", "Target: only imported",
    ]  # fmt: skip
    sheet.list.setCurrentIndex(sheet.model.index(0, 0))
    assert (focus.frame, focus.labels) == (1, (1002, 1004))
    sheet.list.setCurrentIndex(sheet.model.index(1, 0))
    assert (focus.frame, focus.labels) == (2, (1005,))


def test_other_origins_are_chosen(compared):
    sheet = compared.sheet
    sheet.second.setCurrentIndex(0)  # mine with mine
    assert sheet.share.text() == "100 % of all objects are in both."


def test_an_edit_is_compared_again(compared, qtbot):
    labels = compared.session.project.labels
    compared.session.do(PutLabels(title="Delete", before=[labels[1005]]))
    qtbot.waitUntil(lambda: len(compared.sheet.model.rows) == 1)


def test_many_labels_are_compared_in_a_thread(compared, qtbot, monkeypatch):
    monkeypatch.setattr(agreement, "AT_ONCE", 1)
    compared.sheet.second.setCurrentIndex(0)
    assert compared.sheet.share.text() == "Comparing..."
    qtbot.waitUntil(lambda: compared.sheet.share.text() == "100 % of all objects are in both.")
