"""The filter bar of the window."""

import msgspec
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from emberscope.findings.point_looks import COLUMN
from emberscope.project import PutSources
from emberscope_app.state.points.filter import filter_of


@pytest.fixture
def known(full_window, qtbot):
    """The window with a clip of three frames by day and three by night."""
    session = full_window.session
    (ref,) = session.project.sources.values()
    light = ["day", "day", "day", "night", "night", "night"]
    session.do(PutSources(before=[ref], after=[msgspec.structs.replace(
        ref, frame_columns={"light": light}, columns={"range": 1500.0})]))
    full_window.show_workspace("explore")
    qtbot.waitUntil(lambda: "light" in filter_of(session).columns)
    return full_window


def choose(window, column, value):
    menu = window.filter_bar.columns_menu()
    (own,) = [action.menu() for action in menu.actions() if action.text() == column]
    (action,) = [each for each in own.actions() if each.text().split("\t")[0] == value]
    action.trigger()


def test_a_value_of_the_menu_filters_maps_chips_bags_and_clips(known):
    bar, session = known.filter_bar, known.session
    choose(known, "light", "night")
    shown, n = filter_of(session).counts
    assert 0 < shown < n == 288
    assert bar.isVisible()
    assert bar.counted.text() == f"{shown} of 288 instances"
    assert known.panel("chips").count == f"{shown} of 288"
    assert known.panel("map2d").cloud.shown_count == shown
    assert known.panel("bags").model.rowCount() < len(session.run.bag_ids)


def test_bags_and_clips_say_how_many_of_how_many_pass(known, qtbot):
    run, night = known.session.run, []
    choose(known, "light", "night")
    for k in range(len(run.bags)):
        night += [run.bag_labels[k]] if (run.frame[run.bags.of(k)] >= 3).any() else []
    counts = [f"{sum(sign == each for each in night)} of {(run.bag_labels == sign).sum()}"
              for sign in (1, -1)]
    qtbot.waitUntil(lambda: known.panel("bags").count == (
        f"{counts[0]} positive, {counts[1]} negative"))
    filter_of(known.session).choose("range", frozenset({"none"}))
    known.show_workspace("label")
    sources = known.panel("sources")
    assert sources.count == "0 of 1 clip"
    assert sources.chips["all"].text() == "All 0"


def test_one_key_lets_everything_through_and_the_bar_goes(known):
    choose(known, "light", "night")
    QTest.keyClick(known, Qt.Key.Key_F9)
    assert filter_of(known.session).counts == (288, 288)
    assert not known.filter_bar.isVisible()


def test_a_clip_of_which_nothing_passes_leaves_the_list(known):
    sources = known.panel("sources")
    choose(known, "range", "1500")
    assert len(sources.model.rows) == 1
    filter_of(known.session).choose("range", frozenset({"none"}))
    assert len(sources.model.rows) == 0


def test_a_map_is_colored_by_a_column_and_says_what_its_colors_mean(known):
    panel = known.panel("map2d")
    names = [panel.color_box.itemData(k) for k in range(panel.color_box.count())]
    assert f"{COLUMN}light" in names
    known.session.focus.set(color_by=f"{COLUMN}light")
    assert {entry.title for entry in panel.cloud.legend} == {"day", "night"}


def test_chips_are_grouped_and_sorted_by_a_column(known):
    chips = known.panel("chips")
    chips.set_show("all")
    chips.group.setCurrentIndex(chips.group.findData(f"{COLUMN}light"))
    chips.group.activated.emit(chips.group.currentIndex())
    model = chips.grid.model.chips
    assert [model.heading(g).title for g in range(len(model.keys))] == ["light day", "light night"]
    assert chips.sort.findData(f"{COLUMN}range") >= 0
