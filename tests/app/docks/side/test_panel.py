"""The Side information dock: records, their chips, contradictions, distances."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog

from emberscope.labels.side_info import Actions, Distance, Invariance, Pair
from emberscope.project import PutSide
from emberscope_app.docks.side.panel import NOTHING, SidePanel


def records(session):
    a, b, c, d = map(int, session.run.ids[[0, 5, 9, 20]])
    return [
        Pair(id=501, a=a, b=b, same=True),
        Pair(id=502, a=b, b=c, same=True, origin="lasso", weight=0.1),
        Pair(id=503, a=a, b=c, same=False),
        Distance(id=504, a=a, b=d, distance=30, unit="deg", attribute="aspect"),
        Invariance(id=505, family="translate", step=1, reach=3),
        Actions(id=506, instances=(a, b), actions=("pan",)),
    ]


@pytest.fixture
def panel(session, qtbot):
    session.do(PutSide(after=records(session)))
    found = SidePanel(session)
    qtbot.addWidget(found)
    found.resize(320, 640)
    with qtbot.waitExposed(found):
        found.show()
    return found


def choose(panel, *keys):
    panel.choose(set(keys))


def test_an_empty_dock_says_which_keys_to_press(session, qtbot):
    panel = SidePanel(session)
    qtbot.addWidget(panel)
    assert panel.empty.sentence.text() == NOTHING


def test_every_record_has_a_row_the_newest_first(panel):
    assert [panel.model.index(row, 0).data() for row in range(6)] == [
        "2 chips, 1 known action", "Shift up to 3 px", "30 deg", "Different", "Same", "Same"]
    assert panel.count == "6"


def test_contradictions_are_said_and_can_be_selected(panel):
    assert panel.message.words == "Records 503, 501, 502 contradict each other"
    assert "contradicted" in panel.model.spoken(panel.session.project.side[502], 0)
    assert "contradicted" not in panel.model.spoken(panel.session.project.side[504], 0)


def test_a_contradiction_goes_with_the_record_that_was_wrong(panel):
    choose(panel, 503)
    QTest.keyClick(panel.table, Qt.Key.Key_Delete)
    assert 503 not in panel.session.project.side
    assert panel.message.isHidden()
    panel.session.undo_stack.undo()
    assert list(panel.session.project.side) == [501, 502, 503, 504, 505, 506]


def test_a_record_that_is_chosen_selects_its_chips(panel):
    choose(panel, 504)
    assert sorted(panel.session.selection.ids) == sorted(panel.session.run.ids[[0, 20]])


def test_s_says_that_the_chips_of_a_record_are_alike(panel):
    choose(panel, 503)
    QTest.keyClick(panel.table, Qt.Key.Key_S)
    assert [r.same for r in panel.session.project.side.values() if isinstance(r, Pair)] == [
        True,
        True,
        True,
    ]


def test_a_distance_of_two_chips_is_a_number_and_a_unit(panel):
    panel.session.selection.select(panel.session.run.ids[[3, 4]])
    panel.distance.setText("2,5")
    panel.unit.setText("m")
    panel.set_distance.click()
    record = list(panel.session.project.side.values())[-1]
    assert (record.distance, record.unit) == (2.5, "m")


def test_a_distance_needs_two_chips(panel):
    panel.session.selection.select(panel.session.run.ids[[3]])
    panel.distance.setText("2")
    assert not panel.set_distance.isEnabled()
    assert panel.set_distance.toolTip() == "Select two chips"


@pytest.mark.parametrize("words", ["far", "-3"])
def test_what_is_no_distance_is_refused_in_words(panel, words):
    heard = []
    panel.session.message.connect(heard.append)
    panel.session.selection.select(panel.session.run.ids[[3, 4]])
    panel.distance.setText(words)
    panel.set_distance.click()
    assert heard[0].level == "warn"
    assert len(panel.session.project.side) == 6


def test_what_pairs_are_compared_by_can_be_chosen_and_written(panel):
    assert [panel.attribute.itemText(i) for i in range(panel.attribute.count())] == ["", "aspect"]
    panel.attribute.setEditText("vehicle type")
    assert panel.session.focus.attribute == "vehicle type"


def choose_file(monkeypatch, path):
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(path), ""))


def test_distances_come_from_a_table_in_one_step(panel, tmp_path, monkeypatch):
    a, b, c = panel.session.run.ids[:3]
    (tmp_path / "d.csv").write_text(f"a,b,distance,unit\n{a},{b},12,m\n{b},{c},7,m\n")
    choose_file(monkeypatch, tmp_path / "d.csv")
    panel.choose_table()
    assert [r.distance for r in panel.session.project.side.values() if isinstance(r, Distance)] == [
        30,
        12,
        7,
    ]
    panel.session.undo_stack.undo()
    assert len(panel.session.project.side) == 6


def test_pairs_come_from_a_table_in_one_step(panel, tmp_path, monkeypatch):
    a, b, c = panel.session.run.ids[:3]
    heard = []
    panel.session.message.connect(heard.append)
    (tmp_path / "p.csv").write_text(f"{a},{b},same\n{b},{c},different,aspect\n")
    choose_file(monkeypatch, tmp_path / "p.csv")
    panel.choose_table()
    assert [
        (r.same, r.attribute) for r in panel.session.project.side.values() if isinstance(r, Pair)
    ][-2:] == [(True, ""), (False, "aspect")]
    assert heard[0].words == "2 pairs imported."


def test_a_table_of_something_else_says_so(panel, tmp_path, monkeypatch):
    heard = []
    panel.session.message.connect(heard.append)
    (tmp_path / "d.csv").write_text("x,y\n1,2\n")
    choose_file(monkeypatch, tmp_path / "d.csv")
    panel.choose_table()
    assert "no column a" in heard[0].words
