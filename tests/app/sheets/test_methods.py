"""All methods, found by what they do; the run panel shows a few of them."""

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from emberscope import catalogue
from emberscope.base.param import Param
from emberscope.tasks.methods import Methods
from emberscope_app.sheets.methods import LIST, MethodSheet, facts, matching, traits
from emberscope_app.state.runs.method_choices import SHORT, choices, short_list
from emberscope_app.theme import tokens

Key = Qt.Key
BOTH = {catalogue.TARGET, catalogue.BACKGROUND}


@pytest.fixture
def taken():
    return []


@pytest.fixture
def asked_help():
    return []


@pytest.fixture
def sheet(qtbot, empty_session, taken, asked_help):
    host = QWidget()
    qtbot.addWidget(host)
    host.resize(1200, 800)
    host.show()
    return MethodSheet(choices(BOTH), "isomap", host, session=empty_session, choose=taken.append,
                       show_help=asked_help.append, n=2000, d=324)


def ids(rows):
    return [row.method.id for row in rows if not isinstance(row, str)]


def test_without_words_all_methods_stand_under_their_families():
    rows = matching(choices(BOTH), "")
    assert ids(rows) == [m.id for m in catalogue.EMBEDDERS]
    assert [row for row in rows if isinstance(row, str)] == list(
        dict.fromkeys(m.family for m in catalogue.EMBEDDERS)
    )


@pytest.mark.parametrize("query", ["isomap", "ISO", "reads bags", "unrolls sheet", "Pearson 1901"])
def test_a_method_is_found_by_name_purpose_or_source(query):
    assert set(ids(matching(choices(BOTH), query))) & {"isomap", "mida", "pca"}


def test_linear_does_not_find_what_is_nonlinear():
    assert (
        {"pca"}
        <= set(ids(matching(choices(BOTH), "linear")))
        <= {m.id for m in catalogue.EMBEDDERS} - {"tsne"}
    )
    assert "pca" not in ids(matching(choices(BOTH), "nonlinear"))


def test_the_list_keeps_its_height_while_one_walks(sheet):
    heights = set()
    for _ in range(12):
        QTest.keyClick(sheet.field, Key.Key_Down)
        heights.add(sheet.facts.height())
    assert len(heights) == 1


def test_no_method_has_more_to_say_than_there_is_room_for(sheet):
    room, width = sheet.facts.height(), LIST - 2 * tokens.PAD
    for choice in choices(BOTH):
        sheet.facts.show_choice(choice)
        assert sheet.facts.heightForWidth(width) <= room


def test_nothing_found_is_no_row_and_no_heading():
    assert matching(choices(BOTH), "zebra") == []


def test_traits_tell_what_is_kept_and_read():
    assert traits(catalogue.method("pca")) == "Keeps large distances, reads no labels, linear"
    assert ("Optimum", "one") in facts(catalogue.method("pca"))


def test_it_opens_on_the_method_of_the_panel(sheet):
    assert sheet.current_id == "isomap"
    assert "Unrolls" in sheet.page.toPlainText()


def test_the_page_follows_the_row(sheet):
    before = sheet.page.toPlainText()
    QTest.keyClick(sheet.field, Key.Key_Down)
    assert sheet.page.toPlainText() != before
    assert catalogue.method(sheet.current_id).summary in sheet.page.toPlainText()


def test_a_link_to_a_method_of_the_list_chooses_it(sheet, asked_help):
    sheet.field.setText("isomap")
    sheet.page.anchorClicked.emit(QUrl("methods/lle"))
    assert (sheet.current_id, sheet.field.text(), asked_help) == ("lle", "", [])


def test_a_link_to_another_page_asks_for_help(sheet, asked_help):
    sheet.page.anchorClicked.emit(QUrl("commands#classify"))
    sheet.page.anchorClicked.emit(QUrl("methods/dd-svm"))
    assert asked_help == ["commands#classify", "methods/dd-svm"]
    assert sheet.current_id == "isomap"


def test_the_page_has_the_parameters_once_the_worker_has_answered(sheet, empty_session, worker):
    width = Param("width", "float", 0.5, low=0, title="Width", help="How wide.")
    worker.finish(worker.submitted[-1].job, Methods({"isomap": (width,)}))
    empty_session.jobs._poll()
    assert "How wide." in sheet.page.toPlainText()


def test_typing_narrows_and_enter_takes_the_first(sheet, taken):
    QTest.keyClicks(sheet.field, "Chai bags")
    QTest.keyClick(sheet.field, Key.Key_Return)
    assert taken == ["mida"]
    assert not sheet.isVisible()


def test_arrows_walk_over_headings(sheet):
    sheet.field.setText("")
    before = sheet.current_id
    for _ in range(3):
        QTest.keyClick(sheet.field, Key.Key_Down)
    methods = [m.id for m in catalogue.EMBEDDERS]
    assert methods.index(sheet.current_id) == methods.index(before) + 3


def test_words_nobody_has_leave_the_sheet_open_and_say_so(sheet, taken):
    QTest.keyClicks(sheet.field, "zebra")
    QTest.keyClick(sheet.field, Key.Key_Return)
    assert taken == []
    assert "No method mentions" in sheet.page.toPlainText()
    assert not sheet.use.isEnabled()


def test_a_method_that_lacks_labels_cannot_be_taken(qtbot, empty_session, taken):
    host = QWidget()
    qtbot.addWidget(host)
    sheet = MethodSheet(
        choices(set()),
        "lda",
        host,
        session=empty_session,
        choose=taken.append,
        show_help=taken.append,
    )
    sheet.accept()
    assert taken == []
    assert sheet.use.toolTip() == "Needs labels of target and background"


def test_the_panel_shows_a_few_with_the_chosen_and_the_used_ones():
    rows = short_list(choices(BOTH), "tsne", ["isomap"])
    assert len(rows) <= SHORT
    assert {"mi-umap", "tsne", "isomap"} <= set(ids(rows))
