"""The split of the Run panel."""

import msgspec
import pytest

from emberscope.bags.clip_sides import ClipSides
from emberscope.bags.split_recipe import SplitRecipe, split_of
from emberscope.labels.model import About
from emberscope.project import PutLabels
from emberscope_app.docks.run.split import SplitSection

DAY = ClipSides("day", 0, 12, 0)
NIGHT = ClipSides("night", 8, 0, 0, (0,))
BOTH = ClipSides("dusk", 4, 4, 2, (0,))


@pytest.fixture
def section(qtbot):
    found = SplitSection()
    qtbot.addWidget(found)
    found.resize(300, 200)
    found.show()
    found.show_columns(["light", "range"])
    return found


def choose(section, key):
    section.choice.setCurrentIndex(section.choice.findData(key))
    section.choice.activated.emit(section.choice.currentIndex())


def test_a_column_and_its_values_make_a_split(section, qtbot):
    with qtbot.waitSignal(section.changed):
        choose(section, "column:range")
    assert section.split() == SplitRecipe(kind="column", column="range")
    section.values.setText("1500, 1400..1600 shared")
    with qtbot.waitSignal(section.changed):
        section.values.editingFinished.emit()
    assert section.split() == split_of("column:range test=1500,1400..1600 shared")


@pytest.mark.parametrize("text", [
    "default", "clip", "bags", "column:light", "column:range test=1500", "column:rain test=3",
    "clip folds=3", "hold-out:night.arf", "column:range test=1500 train=1000",
    "column:light test='the shared road, east' shared",
])
def test_every_split_of_a_recipe_is_shown_and_said_again(section, text):
    section.show_split(split_of(text))
    assert section.split() == split_of(text)


def test_the_values_are_asked_for_where_a_column_decides(section):
    section.show_split(split_of("column:range test=1500"))
    assert section.values.isVisible()
    assert section.values.text() == "1500"
    choose(section, "clip")
    assert not section.values.isVisible()


def test_values_of_one_column_do_not_stay_for_another(section):
    section.show_split(split_of("column:light test=night"))
    choose(section, "column:range")
    assert section.split() == SplitRecipe(kind="column", column="range")


def test_the_values_stay_where_the_same_column_is_chosen_again(section):
    section.show_split(split_of("column:light test=night"))
    choose(section, "column:light")
    assert section.split() == split_of("column:light test=night")


def test_a_range_judges_and_two_ranges_teach(section, qtbot):
    choose(section, "column:range")
    section.values.setText("1500")
    section.taught.setText("1000, 2000")
    with qtbot.waitSignal(section.changed):
        section.taught.editingFinished.emit()
    assert section.split() == split_of("column:range test=1500 train=1000,2000")


def test_a_value_with_a_comma_stands_in_quotes(section):
    section.show_split(split_of("column:light test='dusk, clear',night"))
    assert section.values.text() == '"dusk, clear", night'
    assert section.split() == SplitRecipe(kind="column", column="light",
                                          test=("dusk, clear", "night"))


def test_the_strip_says_on_which_side_the_clips_lie(section):
    section.show_sides((DAY, NIGHT))
    assert section.said.text() == "1 clip held out in 1 fold, no clip on both"
    assert section.strip.toolTip() == "day: 12 learned from\nnight: 8 bags held out in fold 1"


def test_frames_on_both_sides_and_bags_left_out_are_said(section):
    section.show_sides((BOTH,))
    assert "frames of 1 clip on both sides, 2 bags left out" in section.said.text()


def test_a_clip_that_judges_looks_unlike_one_that_teaches(section):
    section.show_sides((DAY, NIGHT))
    image = section.strip.grab().toImage()
    y = image.height() // 2
    left, right = image.pixelColor(20, y), image.pixelColor(image.width() - 20, y)
    assert right.lightness() > left.lightness() + 40


def test_the_run_panel_gives_it_to_the_recipe(full_window, qtbot):
    full_window.show_workspace("explore")
    panel = full_window.panel("run")
    choose(panel.split, "clip")
    assert full_window.session.runs.draft.recipe.split == SplitRecipe(kind="clip")


def test_columns_of_labels_are_offered_before_there_is_a_run(window, small_project, qtbot):
    small_project.runs.clear()
    before = list(small_project.labels)[:2]  # of one clip, which has no range for it
    after = [msgspec.structs.replace(label, about=About(columns={"range": said}))
             for label, said in zip(before, (1000.0, 1500.0), strict=True)]
    small_project.apply(PutLabels(before=before, after=after))
    window.session.replace(small_project, None)
    choice = window.panel("run").split.choice
    qtbot.waitUntil(lambda: choice.findText("by range") >= 0)
