"""The Sources dock: what is left to label, what is done, the order of clips, and where a clip
opens."""

import msgspec
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu

from emberscope.labels import Spot, TargetClass
from emberscope.labels.model import About
from emberscope.project import Changes, PutClasses, PutLabels, PutSources
from emberscope_app.docks.sources.panel import SourcesPanel
from emberscope_app.docks.sources.rows import COLUMN, titles_of
from emberscope_app.lists.cells import Spot as Place
from emberscope_app.lists.cells import Words
from emberscope_app.lists.model import THING
from emberscope_app.state.labels.done import toggle_clip, toggle_frame
from emberscope_app.theme.look import look

from ...layout import faults

LEFT, CTRL = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def clips(session):
    """Clip 10 with labels on all of its 6 frames; 30 "pass_2" of 300 frames with one label, 31
    "pass_10" with none."""
    first = session.project.sources[10]
    more = [msgspec.structs.replace(first, id=key, name=name, n_frames=n, fingerprint=name)
            for key, name, n in ((30, "pass_2.npy", 300), (31, "pass_10.npy", 4))]
    session.do(PutSources(after=more))
    session.do(PutLabels(after=[Spot(id=900, source=30, frame=7, x=4.0, y=5.0)]))
    return session


@pytest.fixture
def panel(clips, qtbot):
    found = SourcesPanel(clips)
    qtbot.addWidget(found)
    found.resize(256, 600)
    found.show()
    return found


def shown(panel):
    return [panel.model.index(row, 0).data(THING) for row in range(panel.model.rowCount())]


def menu_of(panel, source):
    panel._menu(source, panel.mapToGlobal(panel.rect().center()))
    return next(menu for menu in panel.findChildren(QMenu) if menu.isVisible())


def test_a_clip_that_is_done_leaves_to_label_and_comes_back_with_undo(panel, clips):
    QTest.mouseClick(panel.chips["todo"], LEFT)
    assert shown(panel) == [30, 31]
    menu = menu_of(panel, 30)
    next(action for action in menu.actions() if action.text() == "Clip is done").trigger()
    menu.close()
    assert shown(panel) == [31]
    assert panel.chips["done"].text() == "Done 1"
    assert panel.count == "3 clips, 1 done"
    assert clips.undo_stack.undoText() == "pass_2.npy is done"
    clips.undo_stack.undo()
    assert shown(panel) == [30, 31]
    assert panel.count == "3 clips"


def test_the_last_frame_that_is_done_takes_its_clip_off_to_label(panel, clips):
    clips.go(31, 0)
    for frame in range(4):
        clips.go(frame=frame)
        toggle_frame(clips)
    QTest.mouseClick(panel.chips["todo"], LEFT)
    assert shown(panel) == [30]
    assert panel.model.facts(31).left == 0


@pytest.mark.parametrize(
    ("order", "found"),
    [
        ("added", [10, 30, 31]),
        ("name", [30, 31, 10]),
        ("left", [30, 31, 10]),
        ("labels", [10, 30, 31]),
    ],
)
def test_clips_are_sorted(panel, order, found):
    panel.set_order(order)
    assert shown(panel) == found


def test_a_row_says_the_labels_of_each_class_and_what_is_left(panel):
    words = panel.model.index(0, 0).data(Qt.ItemDataRole.ToolTipRole)
    assert "Labels: 13 Target, 6 Background. 0 frames to label." in words
    words = panel.model.index(1, 0).data(Qt.ItemDataRole.ToolTipRole)
    assert "Labels: 1 Target. 299 frames to label." in words


def test_titles_tell_clips_of_one_name_apart(small_project):
    first = small_project.sources[10]
    paths = ["/a/pass.npy", "/a/pass.png", "/b/pass.npy", "/b/other.npy", "/c/night.v2"]
    refs = [
        msgspec.structs.replace(
            first,
            id=key,
            path=path,
            name=path.rpartition("/")[2],
            format="folder" if key == 4 else "npy",
        )
        for key, path in enumerate(paths)
    ]
    assert [titles_of(refs)[key] for key in range(5)] == [
        "a/pass.npy",
        "pass.png",
        "b/pass.npy",
        "other",
        "night.v2",
    ]


@pytest.mark.parametrize("width", [220, 256, 400])
def test_all_filters_fit_whatever_the_width(panel, clips, monkeypatch, width):
    panel.resize(width, 600)
    monkeypatch.setattr(
        panel.model, "count", {"all": 300, "todo": 180, "done": 120, "warn": 20}.get
    )
    clips.changed.emit(Changes(labels=frozenset({900})))
    QApplication.processEvents()
    assert panel.width() == width
    assert faults(panel) == []
    chips = [panel.chips[key].geometry() for key in ("all", "todo", "done", "warn")]
    assert all(panel.rect().contains(chip) for chip in chips)
    assert chips[0].y() == chips[1].y()
    assert (chips[3].y() > chips[0].y()) is (width < 400)


def test_a_clip_opens_where_it_was_left(panel, clips):
    clips.go(30, 250)
    for row in (0, 1):
        QTest.mouseClick(
            panel.view.viewport(),
            LEFT,
            pos=panel.view.visualRect(panel.model.index(row, 0)).topLeft() + QPoint(120, 20),
        )
        QApplication.processEvents()
    assert (clips.focus.source, clips.focus.frame) == (30, 250)


def known(clips, source, **columns):
    old = clips.project.sources[source]
    clips.do(PutSources(before=[old], after=[msgspec.structs.replace(old, columns=columns)]))


def second_line(panel, source):
    return panel.model.row(source, Place(width=240)).lines[2].cells[0].text


def test_a_row_says_light_range_and_aspect_of_a_clip(panel, clips):
    known(clips, 30, aspect=45.0, light="night", range=1500.0, weather="rain")
    assert second_line(panel, 30) == "300 fr  ·  night  ·  1500 m  ·  45 degrees"
    assert second_line(panel, 31) == "4 fr  ·  200 × 160"


def test_the_tip_of_a_row_says_all_that_is_known_of_a_clip(panel, clips):
    known(clips, 30, range=1500.0, weather="rain")
    words = panel.model.index(1, 0).data(Qt.ItemDataRole.ToolTipRole)
    assert "300 frames of 200 × 160." in words
    assert "Known of it: range: 1500 m, weather: rain." in words


def test_screenshots(panel, clips, screenshot):
    clips.go(30, 7)
    toggle_clip(clips, 31)
    known(clips, 10, light="night", range=1500.0)
    for theme in ("dark", "light"):
        look().apply(theme)
        QApplication.processEvents()
        screenshot(panel, "sources-done")


@pytest.fixture
def foldered(panel, clips):
    """Clip 10 where it is; 30 and 31 in a folder of their own."""
    for key in (30, 31):
        old = clips.project.sources[key]
        name = "/campaign/night/" + old.name
        clips.do(PutSources(before=[old], after=[msgspec.structs.replace(old, path=name)]))
    panel.set_order("folder")
    return panel


def heads(panel):
    first = [panel.model.row(key, Place(width=240)).lines[0].cells[0] for key in shown(panel)]
    return [cell.text for cell in first if isinstance(cell, Words)]


def test_clips_are_listed_below_their_folders(foldered):
    assert "campaign/night  ·  2 clips" in heads(foldered)
    assert len(heads(foldered)) == 2


def test_the_first_clip_of_a_folder_is_higher_than_the_others(foldered):
    high = {key: foldered.model.height(key, 240) for key in (30, 31)}
    assert sorted(high.values()) == [72, 96]


def test_in_another_order_no_folder_stands_above_a_clip(foldered):
    foldered.set_order("name")
    assert heads(foldered) == []


def test_clips_are_sorted_by_what_is_known_of_them_those_without_it_last(panel, clips, qtbot):
    for key, meters in ((30, 2000.0), (31, 1000.0)):
        old = clips.project.sources[key]
        clips.do(PutSources(before=[old],
                            after=[msgspec.structs.replace(old, columns={"range": meters})]))
    qtbot.waitUntil(lambda: (f"{COLUMN}range", "By range") in panel.orders())
    panel.set_order(f"{COLUMN}range")
    assert shown(panel) == [31, 30, 10]


def test_clips_are_sorted_by_the_class_of_their_targets_those_without_last(panel, clips):
    other = TargetClass(id=7, name="Truck", role=1, slot=3)
    clips.do(PutClasses(after=[other]))
    label = clips.project.labels[900]
    clips.do(PutLabels(before=[label], after=[msgspec.structs.replace(label, class_id=7)]))
    panel.set_order("class")
    assert shown(panel) == [10, 30, 31]
    clips.do(PutLabels(after=[Spot(id=901 + n, source=31, frame=n, x=4.0, y=5.0)
                              for n in range(2)]))
    panel.set_order("class")
    assert shown(panel) == [10, 31, 30]


def test_a_clip_has_the_range_of_labels_that_say_about_the_same(panel, clips, qtbot):
    for key, near in ((30, 2000.0), (31, 1000.0)):
        clips.do(PutLabels(after=[
            Spot(id=1000 * key + n, source=key, frame=n, x=4.0, y=5.0,
                 about=About(columns={"range": near + 15.0 * way}))
            for n, way in enumerate((-1, 1))]))
    qtbot.waitUntil(lambda: (f"{COLUMN}range", "By range") in panel.orders())
    panel.set_order(f"{COLUMN}range")
    assert shown(panel) == [31, 30, 10]


def order_menu(panel):
    return next(menu for menu in panel.findChildren(QMenu) if menu.isVisible())


def test_the_order_is_chosen_with_the_mouse_and_with_the_keyboard(panel, clips):
    QTest.mouseClick(panel._sort, LEFT)
    menu = order_menu(panel)
    assert [action.text() for action in menu.actions() if action.isChecked()] == [
        "As they were added"]
    by_name = next(action for action in menu.actions() if action.text() == "By name")
    QTest.mouseClick(menu, LEFT, pos=menu.actionGeometry(by_name).center())
    assert shown(panel) == [30, 31, 10]
    panel._sort.setFocus()
    QTest.keyClick(panel._sort, Qt.Key.Key_Space)
    menu = order_menu(panel)
    QTest.keyClick(menu, Qt.Key.Key_Down)
    QTest.keyClick(menu, Qt.Key.Key_Return)
    assert panel.model.order == "added"
    assert shown(panel) == [10, 30, 31]
