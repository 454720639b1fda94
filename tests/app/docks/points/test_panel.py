"""The Points dock: the instances of point sets in a table."""

import numpy as np
import pytest

from emberscope.project import Project
from emberscope.project.exchange.sources import add_source
from emberscope_app.docks.points.panel import PointsPanel
from emberscope_app.docks.run.data import DataSection
from emberscope_app.frame_view.frame_panel import FramePanel
from emberscope_app.pixels.value_strips import SIDE, value_strip
from emberscope_app.shell.actions import ACTIONS, CONDITIONS
from emberscope_app.words import NO_FRAMES

TABLE = "bag,label,x1,x2\na,1,1,2\nb,0,3,4\na,1,5,6\nc,0,7,8\n"


@pytest.fixture
def opened(empty_session, tmp_path):
    """Three bags of one, one and two instances."""
    path = tmp_path / "bags.csv"
    path.write_text(TABLE)
    project = Project()
    project.apply(add_source(project, path))
    empty_session.replace(project, None)
    return empty_session


@pytest.fixture
def panel(opened, qtbot):
    found = PointsPanel(opened)
    qtbot.addWidget(found)
    found.resize(700, 300)
    found.show()
    return found


def classes(panel):
    return [panel.model.words(int(n), 3) for n in panel.model.order]


def test_each_instance_is_a_row(panel):
    assert panel.count == "4 instances, 3 bags"
    assert classes(panel) == ["Target", "Target", "Background", "Background"]


def test_rows_chosen_are_selected_everywhere(panel):
    panel.table.selectRow(2)
    assert panel.session.selection.ids.tolist() == [panel.model.points.ids[2]]


def test_what_is_selected_elsewhere_lights_up(panel):
    panel.session.selection.select(panel.model.points.ids[3:])
    assert panel.model.chosen.tolist() == [False, False, False, True]


def test_the_bags_of_a_selection_take_another_class_as_one_step(panel, qtbot):
    panel.table.selectRow(0)
    panel.label_bags_as(2)
    qtbot.waitUntil(lambda: classes(panel)[:2] == ["Background", "Background"])
    panel.session.undo_stack.undo()
    qtbot.waitUntil(lambda: classes(panel)[:2] == ["Target", "Target"])


def test_a_bag_may_be_unknown(panel, qtbot):
    panel.table.selectRow(0)
    panel.label_bags_as(0)
    qtbot.waitUntil(lambda: classes(panel)[0] == "Unknown")


def test_a_single_instance_is_marked_by_hand(panel, qtbot):
    panel.session.selection.select(panel.model.points.ids[:1])
    panel.session.mark_selection(2)
    qtbot.waitUntil(lambda: "Background, by hand" in classes(panel))


def test_rows_are_sorted_by_a_column(panel):
    panel.model.sort(3)
    assert classes(panel) == sorted(classes(panel), reverse=True)


def test_a_project_of_frames_has_no_points(session, qtbot):
    panel = PointsPanel(session)
    qtbot.addWidget(panel)
    assert panel.model.rowCount() == 0


def test_the_frame_dock_says_that_there_are_none(opened, qtbot):
    panel = FramePanel(opened)
    qtbot.addWidget(panel)
    assert panel.stack.currentWidget() is panel.without
    assert panel.without.sentence.text() == NO_FRAMES


def test_the_run_form_asks_for_no_patch(opened, qtbot):
    section = DataSection()
    qtbot.addWidget(section)
    section.show_recipe(opened.project.recipe)
    assert section.fold.text() == "Rows of 2 features"
    assert list(section.form.rows) == ["reduce"]


@pytest.mark.parametrize("id", ["tool.box", "score.clip", "file.import-truth", "run.patches"])
def test_what_needs_frames_is_not_offered(opened, id):
    row = next(row for row in ACTIONS if row.id == id)
    there, reason = CONDITIONS[row.when]
    assert not there(opened)
    assert reason.startswith("Needs frames")


def test_the_window_has_the_table_in_place_of_frames(window, opened):
    window.show_workspace("label")
    assert window.panel("points").isVisible()
    assert window.rail.isHidden()


def test_a_file_that_is_dropped_becomes_a_project_of_points(window, tmp_path, qtbot):
    path = tmp_path / "bags.csv"
    path.write_text(TABLE)
    window.files.open([str(path)])
    qtbot.waitUntil(lambda: window.session.project.of_points)
    assert len(window.session.project.labels) == 3


def test_menus_offer_what_needs_frames_in_a_project_of_frames_alone(window, tmp_path, qtbot):
    tools = [action for row, action in window.actions_by_id.by_id.items()
             if row.startswith("tool.")]
    window.actions_by_id.refresh()
    assert all(tool.isVisible() for tool in tools)
    path = tmp_path / "bags.csv"
    path.write_text(TABLE)
    window.files.open([str(path)])
    qtbot.waitUntil(lambda: window.session.project.of_points)
    window.actions_by_id.refresh()
    assert not any(tool.isVisible() for tool in tools)
    assert "Relaxed box" in [tool.text().partition("\t")[0] for tool in tools]


def test_a_gray_entry_of_a_menu_says_why(window):
    action = window.actions_by_id["run.learned"]
    assert not action.isEnabled()
    assert action.toolTip() == "Needs a run"


def test_a_strip_has_one_color_for_each_feature():
    image = value_strip(np.array([-9.0, 0.0, 9.0]), np.zeros(3), np.ones(3))
    colors = {image.pixel(x, 5) for x in range(image.width())}
    assert len(colors) == 3


def test_a_strip_of_many_features_is_no_wider_than_others():
    image = value_strip(np.arange(1000.0), np.zeros(1000), np.ones(1000))
    assert image.width() == SIDE
