"""The Labels dock: counts, selection, classes."""

import msgspec
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QLineEdit

from emberscope.labels import FrameLabel, Ignore, Scribble, TargetClass
from emberscope.labels.class_places import own_place
from emberscope.labels.model import About
from emberscope.project import PutLabels
from emberscope_app.docks.bags.panel import BagsPanel
from emberscope_app.docks.labels.model import size_of, title_of
from emberscope_app.docks.labels.panel import LabelsPanel
from emberscope_app.lists.model import THING
from emberscope_app.state.labels.signing import signature

from ...layout import written

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def panel(session, qtbot) -> LabelsPanel:
    found = LabelsPanel(session)
    qtbot.addWidget(found)
    found.resize(352, 420)
    found.show()
    return found


def middle(panel, row: int) -> QPoint:
    return panel.list.visualRect(panel.list.rows.index(row, 0)).center()


def row_of(panel, thing_id: int) -> int:
    return next(
        i
        for i, (_, thing) in enumerate(panel.list.rows.rows)
        if getattr(thing, "id", None) == thing_id
    )


def test_classes_count_labels_and_bags(panel):
    assert panel.list.rows.counts == {1: (13, 12), 2: (6, 6)}


def test_a_name_is_cut_only_where_its_count_begins(panel):
    panel.resize(280, 420)
    panel.grab()
    assert "Background" in [found.words for found in written(panel)]


def test_without_a_run_the_bags_of_the_labels_are_counted_as_the_bags_dock_does(
    empty_session, qtbot, tmp_path, build_project
):
    empty_session.replace(build_project(tmp_path, with_run=False), None)
    labels, bags = LabelsPanel(empty_session), BagsPanel(empty_session)
    qtbot.addWidget(labels)
    qtbot.addWidget(bags)
    assert bags.count == "12 positive, 6 negative"
    assert labels.list.rows.counts == {1: (13, 12), 2: (6, 6)}
    empty_session.do(PutLabels(title="Remove", before=[empty_session.project.labels[101]]))
    qtbot.waitUntil(lambda: labels.list.rows.counts == {1: (12, 11), 2: (6, 6)})


def test_the_list_shows_the_labels_of_this_frame(panel, session):
    assert panel.list.rows.total == 4
    session.go(frame=2)
    assert panel.list.rows.total == 3


def test_a_click_on_a_row_selects_the_label(panel, session, qtbot):
    qtbot.mouseClick(panel.list.viewport(), LEFT, pos=middle(panel, row_of(panel, 101)))
    assert session.focus.labels == (101,)


def test_a_row_of_another_frame_goes_there(panel, session, qtbot):
    panel.set_scope("clip")
    there = session.project.labels.on_frame(10, 4)[0]
    panel.list.scrollTo(panel.list.rows.index(row_of(panel, there.id), 0))
    qtbot.mouseClick(panel.list.viewport(), LEFT, pos=middle(panel, row_of(panel, there.id)))
    assert (session.focus.frame, session.focus.labels) == (4, (there.id,))


def test_delete_removes_the_label_with_undo(panel, session, qtbot):
    session.focus.set(labels=(101,))
    qtbot.keyClick(panel.list, Qt.Key.Key_Delete)
    assert 101 not in session.project.labels
    session.undo_stack.undo()
    assert 101 in session.project.labels


def test_a_digit_gives_the_selected_label_another_class(panel, session, qtbot):
    session.focus.set(labels=(101,))
    qtbot.keyClick(panel.list, Qt.Key.Key_2)
    assert session.project.labels[101].class_id == 2


def test_a_click_on_a_class_makes_it_the_one_of_new_labels(panel, session, qtbot):
    qtbot.mouseClick(panel.list.viewport(), LEFT, pos=middle(panel, row_of(panel, 2)))
    assert session.focus.class_id == 2


def test_the_eye_hides_a_class_and_alt_shows_only_it(panel, session, qtbot):
    at = middle(panel, row_of(panel, 2))
    at.setX(panel.list.viewport().width() - 15)
    qtbot.mouseClick(panel.list.viewport(), LEFT, pos=at)
    assert session.focus.hidden == {2}
    qtbot.mouseClick(panel.list.viewport(), LEFT, Qt.KeyboardModifier.AltModifier, pos=at)
    assert session.focus.hidden == {1}


def test_the_eye_may_be_missed_by_a_few_pixels(panel, session, qtbot):
    at, edge = middle(panel, row_of(panel, 2)), panel.list.viewport().width()
    for x in (edge - 2, edge - 27):
        at.setX(x)
        qtbot.mouseClick(panel.list.viewport(), LEFT, pos=at)
        assert session.focus.hidden == ({2} if x == edge - 2 else frozenset())


def test_adding_a_class_edits_its_name_at_once(panel, session, qtbot):
    row = next(i for i, (what, _) in enumerate(panel.list.rows.rows) if what == "add")
    qtbot.mouseClick(panel.list.viewport(), LEFT, pos=middle(panel, row))
    editor = panel.list.findChild(QLineEdit)
    editor.setText("Person")
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: session.project.classes[max(session.project.classes)].name == "Person")
    new = session.project.classes[max(session.project.classes)]
    assert (new.name, new.role, new.slot) == ("Person", 1, own_place("Person"))
    assert session.focus.class_id == new.id
    session.undo_stack.undo()
    session.undo_stack.undo()
    assert set(session.project.classes) == {1, 2}


def test_a_class_in_use_cannot_be_deleted(panel):
    menu = panel.list.menu(panel.list.rows.index(row_of(panel, 1), 0))
    delete = menu.actions()[-1]
    assert delete.text() == "Delete class (13 labels use it)"
    assert not delete.isEnabled()


def test_every_label_kind_has_a_name_and_a_size():
    line = Scribble(id=1, source=1, frame=0, points=((0, 0), (30, 40)), rho=4)
    assert (title_of(line), size_of(line)) == ("Scribble", "50 px long · ρ 4.0")
    assert title_of(FrameLabel(id=1, source=1, frame=0, says="empty")) == "Empty frame"
    assert (
        title_of(Ignore(id=1, source=1, frame=0)),
        size_of(Ignore(id=1, source=1, frame=0)),
    ) == ("Ignore frame", "")


def test_a_frame_without_labels_says_how_to_draw_one(panel, session):
    gone = session.project.labels.on_frame(10, 0)
    session.do(PutLabels(title="Delete", before=gone))
    count = panel.list.rows.rowCount()
    rows = [panel.list.rows.index(row, 0).data(THING) for row in (count - 2, count - 1)]
    assert rows == [
        ("none", "No labels on this frame."),
        ("none", "Press R and drag around a target."),
    ]


def test_classes_are_listed_by_key(panel, session):
    session.project.classes[5] = TargetClass(id=5, name="Person", role=1, slot=3)
    panel.reload()
    assert [thing.name for what, thing in panel.list.rows.rows if what == "class"] == [
        "Target",
        "Background",
        "Person",
    ]


# ---- what is said about labels


def chosen(panel, key, words):
    """The entry of the menu of a label."""
    menu = panel.list.menu(panel.list.rows.index(row_of(panel, key), 0))
    return next(action for action in menu.actions() if action.text() == words)


@pytest.mark.parametrize(("words", "field"), [("Uncertain", "uncertain"), ("Checked", "checked")])
def test_the_menu_of_a_label_says_that_it_is_uncertain_or_checked_and_takes_it_back(
    panel, session, words, field
):
    chosen(panel, 101, words).trigger()
    assert getattr(session.project.labels[101].about, field)
    assert chosen(panel, 101, words).isChecked()
    chosen(panel, 101, words).trigger()
    assert session.project.labels[101].about is None


def test_what_is_said_of_one_selected_label_is_said_of_all_of_them_in_one_step(panel, session):
    keys = [
        label.id
        for label in session.project.labels.on_frame(*[session.focus.source, session.focus.frame])
    ][:2]
    session.focus.set(labels=tuple(keys))
    chosen(panel, keys[0], "Uncertain").trigger()
    assert [session.project.labels[key].about.uncertain for key in keys] == [True, True]
    session.undo_stack.undo()
    assert [session.project.labels[key].about for key in keys] == [None, None]


def test_the_row_of_a_label_says_who_signed_it_unless_that_is_you(panel, session, monkeypatch):
    monkeypatch.setattr("emberscope_app.docks.labels.model.own_name", lambda: "Änne")
    labels = [session.project.labels[key] for key in (100, 101)]
    signed = [msgspec.structs.replace(label, about=About(author=name))
              for label, name in zip(labels, ("Änne", "Bo"), strict=True)]  # fmt: skip
    session.do(PutLabels(title="Sign", before=labels, after=signed))
    panel.set_scope("project")
    rows = panel.list.rows
    said = [rows.words(rows.rows[row_of(panel, key)], 0) for key in (100, 101)]
    assert [" · Bo" in words for words in said] == [False, True]
    assert not any("Änne" in words for words in said)


def test_a_note_is_written_in_the_row_of_its_label(panel, session, qtbot, screenshot):
    index = panel.list.rows.index(row_of(panel, 101), 0)
    panel.list.edit(index)
    editor = panel.list.findChild(QLineEdit)
    assert editor.accessibleName() == "Note"
    qtbot.keyClicks(editor, "behind a pole")
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: session.project.labels[101].about is not None)
    assert session.project.labels[101].about.note == "behind a pole"
    row = panel.list.rows.index(row_of(panel, 101), 0)
    assert row.data().startswith("Relaxed box · behind a pole, ")
    screenshot(panel, "labels-note")


# ---- where labels come from


def with_imported(session):
    label = session.project.labels[101]
    key = session.project.next_label
    session.do(
        PutLabels(
            after=[msgspec.structs.replace(label, id=key, origin="imported, relaxed u=1 seed=0")]
        )
    )
    return key


def entries(panel):
    return {action.text(): action for action in panel.scope_menu().actions()}


def test_labels_of_one_origin_can_be_taken_off_the_frame_and_are_not_selected_then(panel, session):
    key = with_imported(session)
    entries(panel)["Imported"].trigger()
    session.select_labels()
    assert key not in session.focus.labels
    assert 101 in session.focus.labels
    assert not entries(panel)["Imported"].isChecked()
    entries(panel)["Imported"].trigger()
    session.select_labels()
    assert key in session.focus.labels


def test_where_all_labels_come_from_one_place_there_is_nothing_to_choose(panel, session):
    assert "Imported" not in entries(panel)


def test_labels_on_which_mine_and_others_differ_are_a_list_to_walk_through(
    panel, session, qtbot, screenshot
):
    label = session.project.labels[101]
    key = session.project.next_label
    moved = msgspec.structs.replace(
        label, id=key, x0=0.0, y0=0.0, x1=3.0, y1=3.0, core=None, origin="model", frame=2
    )
    session.do(PutLabels(after=[moved]))
    panel.set_scope("differences")
    row = panel.list.rows.index(row_of(panel, key), 0)
    assert "only theirs" in row.data()
    qtbot.mouseClick(panel.list.viewport(), LEFT, pos=panel.list.visualRect(row).center())
    assert (session.focus.frame, session.focus.labels) == (2, (key,))
    assert row_of(panel, key) >= 0
    screenshot(panel, "labels-differences")


def test_without_labels_of_others_nothing_differs(panel):
    panel.set_scope("differences")
    assert panel.list.rows.total == 0


def test_new_labels_carry_a_name_and_the_time_once_that_is_chosen(panel, session, monkeypatch):
    monkeypatch.setattr("emberscope_app.state.labels.signing.own_name", lambda: "anne")
    monkeypatch.setattr("emberscope_app.docks.labels.panel.own_name", lambda: "anne")
    assert signature() is None
    entries(panel)["Sign new labels as anne"].trigger()
    assert (signature().author, len(signature().time)) == ("anne", 25)
    assert entries(panel)["Sign new labels as anne"].isChecked()
    entries(panel)["Sign new labels as anne"].trigger()
    assert signature() is None
