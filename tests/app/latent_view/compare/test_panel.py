"""Several maps side by side."""

import msgspec
import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QFrame

from emberscope.project import PutRuns
from emberscope.project.model.run_notes import put_run_note
from emberscope.tasks.comparison import CompareMaps
from emberscope_app.latent_view.compare.morph import STEPS
from emberscope_app.latent_view.compare.panel import ComparePanel
from emberscope_app.latent_view.compare.shown import LOST
from emberscope_app.state.points.filter import filter_of
from emberscope_app.state.runs.checked_runs import checked_runs

TURN = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])


@pytest.fixture
def panel(session, worker, qtbot):
    """Run 11; run 12, the same turned and shrunk, its first instance gone off; run 13, of half of
    the instances and one of its own."""
    worker.answer_as_engine(CompareMaps)
    first = session.run
    Z = 0.5 * first.Z @ TURN + 3
    Z[0] += 5
    half = len(first.ids) // 2
    ids = np.concatenate([first.ids[: half - 1], [1]])
    rows = {"ids": ids, "Z": first.Z[:half], "source": first.source[:half], "y": first.y[:half],
            "frame": first.frame[:half], "box": first.box[:half], "point_scores": {},
            "indptr": np.array([0, half]), "members": np.arange(half), "diagnostics": {},
            "bag_labels": first.bag_labels[:1], "bag_ids": first.bag_ids[:1],
            "bag_classes": first.bag_classes[:1]}  # fmt: skip
    second = msgspec.structs.replace(first, id=12, Z=Z.astype(np.float32))
    session.do(PutRuns(after=[second, msgspec.structs.replace(first, id=13, **rows)]))
    found = ComparePanel(session)
    qtbot.addWidget(found)
    found.resize(900, 500)
    found.show()
    return found


def compare(panel, *ids, mode="side"):
    checked_runs(panel.session).set(ids)
    panel.session.jobs._poll()
    panel.mode.set_value(mode)
    panel.mode.chosen.emit(mode)
    return [pane for pane in panel.panes if pane.isVisible()]


def test_nothing_is_checked_and_the_panel_says_what_to_do(panel):
    assert panel.empty.isVisible()
    assert "Check two to four runs" in panel.empty.sentence.text()


def test_every_checked_run_has_a_map_and_its_number(panel):
    panes = compare(panel, 12, 11)
    assert [pane.title.text()[:2] for pane in panes] == ["11", "12"]


def test_the_second_map_is_laid_over_the_first(panel):
    first, second = compare(panel, 11, 12)
    far = np.abs(first.points.places - second.points.places).max(axis=1)
    assert np.median(far) < 0.2
    assert np.argmax(far) == 0


def test_how_equal_they_are_stands_above_the_second(panel):
    _, second = compare(panel, 11, 12)
    assert "% of neighbors kept, residual 0." in second.says.text()


def test_what_moved_most_is_traced_from_the_first_map(panel):
    first, second = compare(panel, 11, 12)
    assert not first.movers.ways.shape[1]
    np.testing.assert_allclose(second.movers.ways[0, 0], first.points.places[0], atol=1e-5)
    np.testing.assert_allclose(second.movers.ways[1, 0], second.points.places[0], atol=1e-5)


def test_a_selection_shows_on_every_map(panel):
    first, second = compare(panel, 11, 12)
    panel.session.selection.select(panel.session.run.ids[:3])
    assert first.points.chosen_count == second.points.chosen_count == 3


def test_pointing_at_one_map_points_at_the_same_instance_on_the_others(panel):
    panes = compare(panel, 11, 12)
    panel.session.selection.set_hover(int(panes[0].points.run.ids[7]))
    assert [pane.points.hover_row for pane in panes] == [7, 7]


def test_maps_move_together(panel):
    first, second = compare(panel, 11, 12)
    second.surface.zoom(QPointF(50, 50), 2.0)
    assert first.surface.view.width() == pytest.approx(second.surface.view.width(), rel=0.02)
    assert first.surface.view.center().x() == pytest.approx(
        second.surface.view.center().x(), abs=0.02)


@pytest.mark.parametrize("mode", ["side", "morph"])
@pytest.mark.parametrize("flat", [11, 12])
def test_a_map_of_two_dimensions_is_laid_over_one_of_three(panel, mode, flat):
    runs = panel.session.project.runs
    Z = np.ascontiguousarray(runs[flat].Z[:, :2])
    runs[flat] = msgspec.structs.replace(runs[flat], Z=Z)
    panes = compare(panel, 11, 12, mode=mode)
    assert np.isfinite(panes[-1].points.places).all()
    assert panes[-1].movers.ways.shape[1] > 0


def test_what_no_other_run_has_is_hollow(panel):
    compare(panel, 11, 13)
    alone = panel.panes[1].points
    assert alone.slots[-1] == 0
    assert alone.slots[0] != 0


def test_neighbors_lost_color_the_maps(panel):
    _, second = compare(panel, 11, 12)
    panel._choose_color(LOST)
    assert second.points.style.scale.means == ("all kept", "all lost")
    values = panel._shown[1].view.shades.values
    assert values[0] == np.nanmax(values) > 0.5


def test_the_list_of_colors_says_what_the_maps_show(panel):
    panes = compare(panel, 11, 12)
    assert panel.session.focus.color_by not in panes[0].points.run.point_scores
    assert panel.color.currentData() == "score"


def test_a_class_hidden_on_one_map_is_hidden_on_all(panel):
    panes = compare(panel, 11, 12)
    panel.session.focus.set(color_by="class")
    panes[0].points.hide(frozenset({1}))
    assert panes[1].points.hidden == {1}


def test_the_slider_turns_the_first_map_into_the_second(panel):
    (pane,) = compare(panel, 11, 12, mode="morph")
    start = pane.points.places.copy()
    panel.morph.slider.setValue(STEPS)
    end = pane.points.places
    np.testing.assert_allclose(end, panel._ends[1], atol=1e-5)
    panel.morph.slider.setValue(STEPS // 2)
    np.testing.assert_allclose(pane.points.places, (start + end) / 2, atol=1e-5)


def test_playing_ends_at_the_second_map(panel, qtbot):
    compare(panel, 11, 12, mode="morph")
    panel.morph.toggle()
    qtbot.waitUntil(lambda: not panel.morph.plays)
    assert panel.morph.share == 1.0


def test_one_run_in_parts_needs_nothing_checked(panel):
    panel.session.focus.set(run=11)
    panes = compare(panel, mode="parts")
    assert {pane.title.text() for pane in panes} == {"Background", "Target"}
    shown = sum(pane.points.shown_count for pane in panes)
    assert shown == len(panel.session.run.ids)


def test_no_instance_is_in_sight_in_two_parts(panel):
    panel.session.focus.set(run=11)
    first, second = compare(panel, mode="parts")
    assert not (first.points.visible & second.points.visible).any()


def test_a_run_that_was_deleted_leaves(panel):
    compare(panel, 11, 12, 13)
    run = panel.session.project.runs[12]
    panel.session.do(PutRuns(before=[run]))
    assert [pane.title.text()[:2] for pane in panel.panes if pane.isVisible()] == ["11", "13"]


def test_the_name_that_somebody_gave_stands_above_the_map(panel):
    panes = compare(panel, 11, 12)
    panel.session.do(put_run_note(panel.session.project, 12, title="", name="turned"))
    assert panes[1].title.text() == "12  turned"


def test_f_fits_every_map(panel):
    panes = compare(panel, 11, 12)
    panel.fit_all()
    whole = panes[0].surface.view.width()
    panes[0].surface.zoom(QPointF(50, 50), 4.0)
    key = QKeyEvent(QKeyEvent.Type.KeyPress, Qt.Key.Key_F, Qt.KeyboardModifier.NoModifier)
    panes[1].eventFilter(panes[1].surface, key)
    assert [pane.surface.view.width() for pane in panes] == [pytest.approx(whole, rel=0.05)] * 2


def test_all_of_every_map_is_in_sight(panel):
    runs = panel.session.project.runs
    runs[12] = msgspec.structs.replace(runs[12], Z=runs[12].Z * np.float32([8, 0.1, 1]))
    panes = compare(panel, 11, 12)
    panel.fit_all()
    for pane in panes:
        low, high = pane.points.limits
        view = pane.surface.view
        assert view.left() <= low[0] <= high[0] <= view.right()


def saved(panel, path):
    """What the first entry of the menu of the first map writes, as text."""
    wanted = []
    panel.session.figure_wanted.connect(wanted.append)
    menu = panel.panes[0].menu()
    next(one for one in menu.actions() if one.text() == "Save figure...").trigger()
    wanted[0].save(path)
    return path.read_text()


def test_a_figure_has_every_map_that_is_seen_and_what_moved(panel, tmp_path):
    compare(panel, 11, 12)
    with_ways = saved(panel, tmp_path / "a.svg")
    assert "of neighbors kept" in with_ways
    assert "Run 11" in with_ways
    assert "Run 12" in with_ways
    panel.trace.setChecked(False)
    assert saved(panel, tmp_path / "b.svg").count("<polyline") < with_ways.count("<polyline")


def test_the_figure_of_a_morph_has_the_places_of_that_moment(panel, tmp_path):
    compare(panel, 11, 12, mode="morph")
    start = saved(panel, tmp_path / "a.svg")
    panel.morph.slider.setValue(STEPS)
    assert saved(panel, tmp_path / "b.svg") != start


def test_the_data_of_parts_say_which_part_an_instance_is_in(panel, tmp_path):
    compare(panel, mode="parts")
    lines = saved(panel, tmp_path / "parts.csv").splitlines()
    assert lines[0].startswith("map,instance")
    assert len(lines) == 1 + sum(pane.points.shown_count for pane in panel.panes
                                 if pane.isVisible())


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_screenshots(panel, screenshot, theme):
    from emberscope_app.theme.look import look

    look().apply(theme)
    compare(panel, 11, 12)
    assert screenshot(panel, f"compare_{theme}").exists()


def test_no_line_ends_a_strip_whose_tools_have_no_room(panel):
    compare(panel, 11, 12, mode="morph")
    lines = [part for part in panel.strip.findChildren(QFrame) if part.property("role") == "vline"]
    panel.resize(420, 500)
    assert not any(tool.isVisible() for tool in panel.tools.values())
    assert not any(part.isVisible() for part in lines)


def test_many_parts_stand_in_a_square(panel):
    panel.resize(604, 500)
    assert [panel._columns(count) for count in (2, 4, 9)] == [2, 2, 2]
    panel.mode.set_value("parts")
    assert [panel._columns(count) for count in (2, 4, 9)] == [2, 2, 3]


def test_the_names_of_the_modes_are_whole_beside_the_slider(panel):
    compare(panel, 11, 12, 13, mode="morph")
    panel.to.show()
    panel.resize(600, 500)
    QApplication.processEvents()
    assert panel.mode.width() >= panel.mode.sizeHint().width()


def test_a_legend_stands_on_a_map_only_where_it_is_whole(panel):
    panel.session.focus.set(color_by="trustworthiness")
    pane = compare(panel, 11, 12)[0]
    assert pane.legend.isVisible()
    panes = compare(panel, 11, 12, mode="parts")
    panel.resize(310, 700)
    QApplication.processEvents()
    for pane in panes:
        if pane.legend.isVisible():
            assert pane.surface.canvas.rect().contains(pane.legend.geometry())


def test_parts_and_colors_are_offered_by_columns_and_by_no_pair_of_axes(panel):
    session = panel.session
    for source in session.project.sources.values():
        source.columns["range"] = 1000.0
    session.run.point_scores["continuity_axes_1_2"] = np.zeros(len(session.run.ids))
    filter_of(session)._read()
    compare(panel, mode="parts")
    names = [panel.by.itemData(at) for at in range(panel.by.count())]
    assert "column:range" in names
    assert "continuity_axes_1_2" not in names


def test_what_goes_far_on_the_second_map_is_in_the_view_of_the_morph(panel):
    first = panel.session.run
    Z, gone = first.Z.copy(), len(first.ids) // 20
    Z[:gone, 0] += 5
    panel.session.do(PutRuns(after=[msgspec.structs.replace(first, id=14, Z=Z)]))
    compare(panel, 11, 14, mode="morph")
    panel.fit_all()
    view = panel.panes[0].surface.view
    end = panel._ends[1][:gone, :2].astype(float)
    assert sum(view.contains(QPointF(*place)) for place in end) > 0.9 * gone
