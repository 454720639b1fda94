"""The changes that do not matter, as a person sets them in the Run panel."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from emberscope.catalogue import METHODS
from emberscope.labels.side_info import Invariance
from emberscope.metric.dissimilarities import KINDS
from emberscope.project import PutRuns, PutSide
from emberscope_app.docks.run.invariances import InvarianceSection, some_of
from emberscope_app.state.labels.invariances import invariances_of


@pytest.fixture
def section(session, qtbot):
    found = InvarianceSection(session)
    qtbot.addWidget(found)
    found.resize(300, 400)
    found.show()
    found.show_method(takes=True, looks=True, side=32)
    return found


def check(row):
    row.box.click()


def type_in(field, words):
    field.selectAll()
    QTest.keyClicks(field, words)
    QTest.keyClick(field, Qt.Key.Key_Return)


def known(section):
    return {family: (record.reach, record.step) for family, record in
            invariances_of(section._session.project).items()}


def test_a_check_box_says_that_a_change_does_not_matter(section):
    check(section.rows["translate"])
    assert known(section) == {"translate": (2.0, 1.0)}


def test_every_edit_is_one_step_that_can_be_undone(section, session):
    check(section.rows["rotate"])
    type_in(section.rows["rotate"].reach, "20")
    type_in(section.rows["rotate"].step, "2,5")
    assert known(section) == {"rotate": (20.0, 2.5)}
    session.undo_stack.undo()
    assert known(section) == {"rotate": (20.0, 5.0)}
    assert section.rows["rotate"].step.text() == "5"
    session.undo_stack.undo()
    session.undo_stack.undo()
    assert known(section) == {}
    assert not section.rows["rotate"].box.isChecked()


def test_a_local_filter_has_a_window_only(section):
    check(section.rows["local-filter"])
    assert section.rows["local-filter"].step.isHidden()
    type_in(section.rows["local-filter"].reach, "5")
    assert known(section) == {"local-filter": (5.0, 5.0)}


def test_a_shift_may_go_one_way_only(section, session):
    row = section.rows["translate"]
    check(row)
    row.way.setCurrentIndex(1)
    row.way.activated.emit(1)
    assert invariances_of(session.project)["translate"].direction == 0.0


@pytest.mark.parametrize(
    ("family", "reach", "words"),
    [
        (
            "translate",
            "40",
            "Shift: a shift of 40 px is larger than chips of 32 x 32 px. Choose a smaller reach, "
            "or larger chips.",
        ),
        ("rotate", "far", "Rotation: far is no number."),
        ("gain", "0.5", "Gain: steps of 1.1 do not reach 0.5. Give a step above 0"),
        (
            "local-filter",
            "4",
            "Local filter: a local filter of 4 px does not fit chips of 32 x 32 px. Choose an odd "
            "width from 3 px to the side of the chip.",
        ),
    ],
)
def test_an_amount_that_cannot_be_is_said_and_nothing_is_set(section, family, reach, words):
    row = section.rows[family]
    check(row)
    before = known(section)
    type_in(row.reach, reach)
    assert section.wrong.text().startswith(words)
    assert known(section) == before
    assert row.reach.property("wrong")


def test_what_was_wrong_is_forgotten_with_the_next_edit(section):
    row = section.rows["translate"]
    check(row)
    type_in(row.reach, "99")
    type_in(row.reach, "3")
    assert section.wrong.isHidden()
    assert known(section) == {"translate": (3.0, 1.0)}


def test_the_strip_shows_what_the_change_does_to_the_selected_chip(section, session, qtbot):
    session.selection.select(session.run.ids[[7]])
    check(section.rows["rotate"])
    qtbot.waitUntil(lambda: section.strip.strip is not None)
    assert section.strip.strip.words == ["-15°", "-10°", "-5°", "as it is", "+5°", "+10°", "+15°"]
    assert section.strip.strip.images[0].width() == 32


def test_a_source_that_cannot_be_read_is_said_in_place_of_the_strip(section, session, qtbot):
    ref = next(iter(session.project.sources.values()))
    session.readers.close()
    Path(ref.path).unlink()
    check(section.rows["gain"])
    qtbot.waitUntil(lambda: bool(section.note.text()))
    assert section.strip.strip is None


def test_without_a_run_a_sentence_says_when_a_strip_comes(section, session):
    session.do(PutRuns(before=[session.run]))
    check(section.rows["gain"])
    assert "once a run has chips" in section.note.text()


def test_a_project_open_elsewhere_takes_no_edit(section, session, monkeypatch):
    monkeypatch.setattr(type(session), "read_only", property(lambda _: True))
    check(section.rows["scale"])
    assert known(section) == {}
    assert not section.rows["scale"].box.isChecked()


def test_a_direction_of_an_import_is_kept(section, session):
    session.do(
        PutSide(after=[Invariance(id=900, family="translate", step=1, reach=2, direction=30.0)])
    )
    assert section.rows["translate"].way.currentText() == "along 30°"
    type_in(section.rows["translate"].reach, "4")
    assert invariances_of(session.project)["translate"].direction == 30.0


def test_of_many_chips_the_ends_and_the_middle_are_shown():
    assert some_of(5, 7) == [0, 1, 2, 3, 4]
    assert some_of(11, 6) == [0, 2, 5, 8, 10]


def test_the_catalogue_names_the_ways_to_compare_chips():
    assert [method.compares_chips[1:] for method in METHODS if method.compares_chips] == [KINDS]
