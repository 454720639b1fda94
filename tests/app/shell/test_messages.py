"""A message lies over the picture: it moves nothing, covers no track and no log, and leaves by
itself."""

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel

from emberscope_app.shell import messages
from emberscope_app.state.core.message import Message
from emberscope_app.theme.controls import MessageBar


def place_of(window, widget):
    return widget.mapTo(window, QPoint(0, 0)), widget.size()


def test_messages_do_not_move_the_frame(used_window):
    canvas = used_window.panels["frame"].canvas
    before = place_of(used_window, canvas)
    for words in ("One file cannot be read.", "Another cannot.", "And a third."):
        used_window.session.say(words, level="err")
    QApplication.processEvents()
    assert len(used_window.messages.words) == 3
    assert place_of(used_window, canvas) == before


def cross_of(bar):
    return next(b for b in bar.findChildren(QAbstractButton) if b.accessibleName() == "Dismiss")


def test_the_cross_of_a_bar_lies_over_no_button_of_the_window(used_window):
    used_window.session.say("One file cannot be read.", level="err")
    QApplication.processEvents()
    cross = cross_of(used_window.messages.bar)
    where = cross.mapTo(used_window, cross.rect().center())
    QTest.mouseClick(cross, Qt.MouseButton.LeftButton)
    assert used_window.messages.words == []
    assert not isinstance(used_window.childAt(where), QAbstractButton)


def rect_of(window, widget):
    return QRect(*(place_of(window, widget)))


@pytest.mark.parametrize("workspace", ["label", "explore"])
@pytest.mark.parametrize("dock", ["timeline", "log", "chips", "jobs"])
def test_messages_cover_nothing_but_the_picture(used_window, workspace, dock):
    used_window.show_workspace(workspace)
    for words in ("One file cannot be read.", "Another cannot."):
        used_window.session.say(words, level="err")
    used_window.panel(dock)
    for _ in range(3):  # the layout of a workspace that was not on show yet settles first
        QApplication.processEvents()
    where = rect_of(used_window, used_window.messages)
    covered = [group.current for group in used_window.area.groups
               if group.isVisible() and where.intersects(rect_of(used_window, group))]
    assert covered == [{"label": "frame", "explore": "map2d"}[workspace]]
    assert rect_of(used_window, used_window.panels[covered[0]].takes_messages).contains(where)


def test_a_log_that_fills_the_window_is_not_covered(used_window, qtbot):
    used_window.session.say("One file cannot be read.", level="err")
    log = used_window.panel("log")
    used_window.area.zoom(used_window.area.group_of("log"))
    qtbot.waitUntil(
        lambda: (
            log.isVisible()
            and not rect_of(used_window, used_window.messages).intersects(rect_of(used_window, log))
        )
    )
    used_window.area.zoom(None)


def test_the_plate_of_short_news_stands_above_the_bar(used_window):
    used_window.session.say("One file cannot be read.", level="err")
    used_window.session.say("Copied.")
    QApplication.processEvents()
    pile = used_window.messages
    assert pile.plate.isVisible()
    assert not rect_of(used_window, pile.plate).intersects(rect_of(used_window, pile))


def test_one_bar_at_a_time_says_how_many_wait(used_window):
    for words in ("One.", "Two.", "Three."):
        used_window.session.say(words, level="err")
    pile = used_window.messages
    shown = [bar for bar in used_window.findChildren(MessageBar) if bar.isVisible()]
    assert [bar.words for bar in shown] == ["Three."]
    assert "2 more" in [
        label.text() for label in pile.bar.findChildren(QLabel) if label.isVisible()
    ]
    QTest.mouseClick(cross_of(pile.bar), Qt.MouseButton.LeftButton)
    assert pile.bar.words == "Two."
    assert pile.words == ["Two.", "One."]


def test_the_same_words_stand_there_once(used_window):
    for words in ("One.", "Two.", "One."):
        used_window.session.say(words, level="err")
    assert used_window.messages.words == ["One.", "Two."]


@pytest.mark.parametrize(
    "options", [{"level": "warn"}, {"level": "info", "action": "Show"}, {"stays": True}]
)
def test_a_message_leaves_by_itself_unless_it_is_an_error(used_window, qtbot, monkeypatch, options):
    monkeypatch.setattr(messages, "_BAR_MS", 20)
    monkeypatch.setattr(messages, "_LONG_MS", 30)
    used_window.session.say("This one is an error.", level="err")
    used_window.session.say("This one is none.", **options)
    assert used_window.messages.bar.words == "This one is none."
    qtbot.waitUntil(lambda: used_window.messages.words == ["This one is an error."])
    qtbot.wait(60)
    assert used_window.messages.bar.isVisible()


def test_what_is_about_something_under_way_stays_until_that_is_over(
    used_window, qtbot, monkeypatch
):
    monkeypatch.setattr(messages, "_BAR_MS", 20)
    message = Message("Opening day.ember", action="Cancel", lasts=True)
    used_window.session.message.emit(message)
    qtbot.wait(60)
    assert used_window.messages.words == ["Opening day.ember"]
    used_window.session.settled.emit(message)
    assert used_window.messages.words == []


def test_long_words_are_shown_whole(used_window, screenshot):
    used_window.session.say(
        "The clip range_pass_01.npy has other content than it had. " * 4, level="warn"
    )
    used_window.session.say("6 of 19 files cannot be opened.", level="err", action="Show the log")
    QApplication.processEvents()
    messages = used_window.messages
    assert messages.height() >= messages.layout().totalHeightForWidth(messages.width())
    assert messages.geometry().bottom() < used_window.status.mapTo(used_window, QPoint(0, 0)).y()
    screenshot(used_window, "messages")


@pytest.mark.parametrize(
    ("words", "title"), [("log", "Log"), ("compare", "Compare"), ("history", "Edits")]
)
def test_the_palette_finds_docks_and_other_words_for_them(used_window, words, title):
    palette = used_window.palette_sheet
    palette.open()
    palette.field.setText(words)
    assert title in [entry.title for entry in palette.model.rows[:3]]


def test_the_palette_brings_a_dock_to_the_front(used_window):
    palette = used_window.palette_sheet
    palette.open()
    palette.field.setText("log")
    palette.choose(0)
    assert used_window.panels["log"].isVisible()
    assert used_window.workspace == "label"


def test_the_palette_says_where_nothing_is_found(used_window):
    palette = used_window.palette_sheet
    palette.open()
    palette.field.setText("qqqq")
    assert [entry.title for entry in palette.model.rows] == ["Nothing matches"]
    palette.choose(0)
    assert palette.isVisible()
