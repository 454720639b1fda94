"""The window answers: whatever is done, the thread that draws never works long in one piece, nor
waits for a disk.

Bounds are the thread's own time, at the usual speed of a computer, and far above what was measured,
so that a busy computer fails none of them.
"""

import sys
import threading
import time
from itertools import pairwise
from pathlib import Path

import msgspec
import numpy as np
import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from emberscope.bags.model import Bags, Instances
from emberscope.base.ids import bag_id
from emberscope.labels import Box
from emberscope.labels.table import LabelTable
from emberscope.project import PutLabels, PutRuns, Recipe, Run
from emberscope.project.store import file as project_file
from emberscope_app.pixels import frame_service
from emberscope_app.pixels.frame_service import Frames
from emberscope_app.state.core import session as session_module
from emberscope_app.state.runs.jobs import Job
from emberscope_app.theme.look import current, look
from emberscope_app.when.turns import MANY, MANY_LABELS, Turns

from .watchdog import Watchdog

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "packaging" / "bench"))
from speed import slowness

LOOSE = 0.25  # s; 50 ms is what the bench asks for


@pytest.fixture
def dog(qapp):
    return Watchdog(bound=LOOSE, slowness=slowness)


def boxes(count: int) -> list[Box]:
    return [
        Box(
            id=1000 + k,
            source=10,
            frame=k % 6,
            class_id=1,
            x0=k % 180,
            y0=k % 120,
            x1=k % 180 + 9,
            y1=k % 120 + 9,
        )
        for k in range(count)
    ]


def test_the_watchdog_sees_a_stall_and_says_where(dog):
    dog.bound = 0.1

    def spin_in_place() -> None:
        until = time.thread_time() + 4 * dog.bound * slowness()
        while time.thread_time() < until:
            pass

    with dog:
        dog.during(spin_in_place)
    assert len(dog.stalls) == 1
    assert "spin_in_place" in str(dog.stalls[0])


def test_the_watchdog_does_not_count_what_the_thread_slept(dog):
    with dog:
        dog.during(lambda: time.sleep(2 * LOOSE))
    assert dog.stalls == []
    assert dog.longest_by_clock >= 2 * LOOSE


def test_steps_between_frames_with_a_thousand_labels(used_window, dog):
    used_window.session.do(PutLabels(title="Draw", after=boxes(6000)))
    with dog:
        for frame in (1, 2, 3):
            dog.during(lambda frame=frame: used_window.session.go(frame=frame))
    assert dog.stalls == []


def test_an_edit_among_thousands_of_labels_reads_that_label_only(used_window, monkeypatch, qtbot):
    session = used_window.session
    session.do(PutLabels(title="Draw", after=boxes(6000)))
    qtbot.waitUntil(lambda: not session.turns.busy)
    session.project.labels.table()
    read, make = [], LabelTable.of
    monkeypatch.setattr(
        LabelTable, "of", lambda labels: (read.append(len(labels)), make(labels))[1]
    )
    box = boxes(1)[0]
    session.do(
        PutLabels(title="Move", before=[box], after=[msgspec.structs.replace(box, x1=box.x1 + 3)])
    )
    qtbot.waitUntil(lambda: read == [1])
    session.undo_stack.undo()
    qtbot.waitUntil(lambda: read == [1, 1])
    session.go(frame=2)
    qtbot.waitUntil(lambda: not session.turns.busy)
    assert read == [1, 1]


def test_thousands_of_labels_are_copied_without_a_stall(used_window, dog):
    session = used_window.session
    session.do(PutLabels(title="Draw", after=boxes(6000)))
    count = len(session.project.labels)
    with dog:
        dog.during(
            used_window.panel("frame").canvas.copy_to_next,
            until=lambda: len(session.project.labels) > count,
        )
    assert len(session.project.labels) > count + 4000
    assert dog.stalls == []


def test_the_theme_changes_without_a_stall(used_window, dog):
    for workspace in ("explore", "label"):
        used_window.show_workspace(workspace)
    with dog:
        dog.during(used_window.toggle_theme)
        dog.during(used_window.toggle_theme)
    assert dog.stalls == []


def test_long_pages_of_help_open_without_a_stall(used_window, dog):
    with dog:
        for name in ("help.methods", "help.commands"):
            dog.during(used_window.actions_by_id[name].trigger)
            used_window.sheet.close_sheet()
    assert dog.stalls == []


def test_saving_on_a_slow_disk(full_window, dog, tmp_path, slowly):
    answered, saved = slowly(project_file, "save"), []
    full_window.files.saved.connect(lambda: saved.append(1))
    with dog:
        dog.during(
            lambda: full_window.files.save_to(tmp_path / "a.ember"), until=lambda: bool(saved)
        )
    assert answered == [True]
    assert dog.stalls == []


def test_opening_on_a_slow_disk(window, small_project, tmp_path, slowly):
    path = tmp_path / "a.ember"
    project_file.save(small_project, path)
    answered = slowly(project_file, "load")
    assert window.files.open_project(path)
    assert answered == [True]


def test_what_every_view_asks_for_first_is_made_in_the_thread_that_reads(
    window, small_project, tmp_path, monkeypatch
):
    path, makers, make = tmp_path / "a.ember", [], LabelTable.of
    project_file.save(small_project, path)
    monkeypatch.setattr(LabelTable, "of", lambda labels: (
        makers.append((len(labels), threading.current_thread().name)), make(labels))[1])
    assert window.files.open_project(path)
    assert [maker for maker in makers if maker[0]] == [(len(small_project.labels), "aside")]


def test_edits_made_while_another_project_opens_are_asked_about(
    full_window, small_project, tmp_path, monkeypatch
):
    path = tmp_path / "a.ember"
    project_file.save(small_project, path)
    asked, load = [], project_file.load

    def slow(*arguments):
        time.sleep(0.5)
        return load(*arguments)

    monkeypatch.setattr(project_file, "load", slow)
    monkeypatch.setattr(
        full_window.files, "may_close", lambda *doing: (asked.append(1), len(asked) == 1)[1]
    )
    session = full_window.session
    QTimer.singleShot(60, session, lambda: session.do(PutLabels(title="Draw", after=boxes(1))))
    assert not full_window.files.open_project(path)
    assert len(asked) == 2
    assert 1000 in session.project.labels


def test_live_layouts_leave_the_thread_to_others(used_window, dog):
    session = used_window.session
    used_window.show_workspace("explore")
    job = Job(4711, "Run", makes_run=True)
    job.state = "running"
    session.jobs.jobs[job.id] = job
    layout = np.random.default_rng(0).normal(0, 1, (50_000, 3)).astype(np.float32)

    def come() -> None:
        job.partial = layout.copy()
        session.jobs.partial.emit(job)

    with dog:
        for _ in range(10):
            dog.during(come, settle=0.02)
    assert dog.stalls == []
    contours = used_window.panel("map2d").layers["contours"]
    assert contours.found is None  # the next layout would come before they are made


@pytest.fixture
def slow_source(used_window, monkeypatch):
    """Frames of the open source come when the event is set; the window does not wait."""
    go, read = threading.Event(), Frames.read
    monkeypatch.setattr(frame_service, "PATIENCE", 0.02)
    monkeypatch.setattr(Frames, "read", lambda frames, index: (go.wait(60), read(frames, index))[1])
    frame_service.frame_service(used_window.session)._kept.clear()
    yield go
    go.set()


def test_a_step_on_a_slow_disk_keeps_the_last_frame_until_the_next_is_there(
    used_window, slow_source, qtbot
):
    frame_image = used_window.panel("frame").canvas.frame_image
    used_window.session.go(frame=5)
    assert frame_image.frame == 0
    qtbot.waitUntil(lambda: frame_image.note == "Reading frame 6.")
    slow_source.set()
    qtbot.waitUntil(lambda: frame_image.frame == 5)
    assert frame_image.note == ""


def test_of_many_steps_on_a_slow_disk_the_last_one_is_shown(used_window, slow_source, dog, qtbot):
    frame_image = used_window.panel("frame").canvas.frame_image
    with dog:
        for frame in (3, 4, 5):
            dog.during(lambda frame=frame: used_window.session.go(frame=frame), settle=0.02)
    slow_source.set()
    qtbot.waitUntil(lambda: frame_image.frame == 5)
    assert dog.stalls == []


def wide_run(n: int) -> Run:
    """n instances in bags of 100 on the frames of the small project."""
    rng = np.random.default_rng(0)
    corner = rng.uniform(0, 100, (n, 2))
    instances = Instances.at(
        np.full(n, 10), np.arange(n) % 6, np.concatenate([corner, corner + 16], axis=1)
    )
    bag = np.arange(n) // 100
    signs = np.where(np.arange(bag[-1] + 1) % 2, 1, -1).astype(np.int8)
    bags = Bags.from_column(bag, signs)
    return Run(
        id=12,
        recipe=Recipe(method="mi-umap"),
        created="2026-01-05T10:41:00+00:00",
        seconds=1.0,
        versions={},
        ids=instances.ids,
        source=instances.source,
        frame=instances.frame,
        box=instances.box,
        indptr=bags.indptr,
        members=bags.members,
        bag_labels=bags.labels,
        bag_ids=np.array([bag_id(k) for k in range(len(signs))]),
        bag_classes=np.where(signs > 0, 1, 2),
        y=bags.instance_labels(n),
        Z=rng.normal(0, 1, (n, 3)).astype(np.float32),
        point_scores={"score": rng.uniform(0, 1, n).astype(np.float32)},
        metrics={},
    )


def test_200_000_instances_are_shown_selected_marked_and_unmarked(used_window, dog):
    used_window.show_workspace("explore")
    session, run = used_window.session, wide_run(200_000)
    dog.bound = 1.0
    with dog:
        dog.during(
            lambda: session.do(PutRuns(title="Run", after=[run])), until=lambda: session.run is run
        )
        dog.during(lambda: session.selection.select(run.ids[:100_000]))
        dog.during(lambda: session.mark_selection(0))
        dog.during(session.undo_stack.undo)
    assert dog.stalls == []
    assert len(session.selection) == len(np.unique(run.ids[:100_000]))


def test_chips_whose_turn_comes_before_that_of_another_run_are_read_with_it(used_window, qtbot):
    used_window.show_workspace("explore")
    session, panel, run = used_window.session, used_window.panel("chips"), wide_run(MANY)
    session.do(PutRuns(title="Run", after=[run]))
    qtbot.waitUntil(lambda: len(panel.grid.model.chips) == MANY)
    session.turns.take(panel._read_from_top)
    session.do(PutRuns(title="Run", after=[msgspec.structs.replace(run, id=13)]))
    qtbot.waitUntil(lambda: not session.turns.busy)
    assert panel.grid.model.run.id == 13
    assert len(panel.grid.model.chips) == MANY


@pytest.fixture
def each_turn(monkeypatch):
    """`each_turn(look)`: what `look()` says after every turn in which a view read."""
    def watch(look) -> list:
        seen, take_one = [], Turns._take_one
        monkeypatch.setattr(
            Turns, "_take_one", lambda turns: (take_one(turns), seen.append(look()))
        )
        return seen

    return watch


def test_a_large_run_is_read_view_by_view_and_nothing_of_the_one_before_stays(
    used_window, qtbot, each_turn
):
    used_window.show_workspace("explore")
    session, run = used_window.session, wide_run(MANY)
    cloud, chips = used_window.panel("map2d").cloud, used_window.panel("chips").grid.model
    assert len(cloud) == len(chips.chips) > 0
    seen = each_turn(lambda: (len(cloud), len(chips.chips)))
    session.do(PutRuns(title="Run", after=[run]))
    assert cloud.coming
    assert (len(cloud), len(chips.chips)) == (0, 0)
    qtbot.waitUntil(lambda: (MANY, MANY) in seen)
    assert seen.index((MANY, 0)) < seen.index((MANY, MANY))
    assert not cloud.coming


def test_docks_beside_the_map_show_what_threads_found_of_a_large_run(
    used_window, qtbot, monkeypatch
):
    monkeypatch.setattr(session_module, "VERY_MANY", MANY)
    used_window.show_workspace("explore")
    session, run = used_window.session, wide_run(MANY)
    inspector, bags, chips = (used_window.panel(name) for name in ("inspector", "bags", "chips"))
    for name in ("bags", "inspector"):
        used_window.panel(name)
    session.do(PutRuns(title="Run", after=[run]))
    qtbot.waitUntil(lambda: not session.turns.busy)
    session.selection.select(run.ids[:200])
    qtbot.waitUntil(lambda: inspector.count == "200 instances" and not session.turns.busy)
    assert chips.counted.text() == "200 selected"
    assert bags.model.chosen[:3].tolist() == [True, True, False]
    session.selection.set_hover(int(run.ids[300]))
    qtbot.waitUntil(lambda: inspector.shown == int(run.ids[300]))


def test_the_docks_of_a_workspace_are_made_one_a_turn_for_a_large_run(
    window, small_project, qtbot, each_turn
):
    made = window.panels._made
    seen = each_turn(lambda: len(made))
    small_project.runs[12] = wide_run(MANY)
    window.session.replace(small_project, None)
    begun = len(made)
    qtbot.waitUntil(lambda: {group.current for group in window.area.groups} <= made.keys())
    assert max(after - before for before, after in pairwise([begun, *seen])) == 1
    assert seen[-1] - begun > 3


def test_the_frame_looks_for_selected_instances_only_while_it_is_seen(used_window, monkeypatch):
    canvas, asked = used_window.panel("frame").canvas, []
    selected = type(canvas.instances).selected
    monkeypatch.setattr(
        type(canvas.instances), "selected", lambda found: (asked.append(1), selected(found))[1]
    )
    used_window.show_workspace("explore")
    used_window.session.selection.select(used_window.session.run.ids[:5])
    assert asked == []
    used_window.show_workspace("label")
    assert asked == [1]


FEW = 500  # instances, which `counts_as_many` has taken for very many


@pytest.fixture
def counts_as_many(used_window, monkeypatch):
    """As if there were much to read, so that a busy computer is asked for little."""
    monkeypatch.setattr(used_window.session.turns, "_much", lambda: True)


@pytest.mark.usefixtures("counts_as_many")
def test_the_contours_of_a_large_run_come_a_turn_after_its_points(used_window, qtbot, each_turn):
    used_window.show_workspace("explore")
    panel = used_window.panel("map2d")
    used_window.session.focus.set(color_by="class")
    seen = each_turn(lambda: (len(panel.cloud), panel.layers["contours"].found is not None))
    used_window.session.do(PutRuns(title="Run", after=[wide_run(FEW)]))
    qtbot.waitUntil(lambda: (FEW, True) in seen)
    assert (FEW, False) in seen[:seen.index((FEW, True))]


def test_the_map_in_space_is_fitted_once_however_often_a_layout_resizes_it(
    used_window, qtbot, monkeypatch
):
    used_window.show_workspace("explore")
    used_window.session.do(PutRuns(title="Run", after=[wide_run(MANY)]))
    space, turns = used_window.panel("map3d").surface, used_window.session.turns
    qtbot.waitUntil(lambda: not turns.busy)
    fitted, fit = [], type(space).fit
    monkeypatch.setattr(type(space), "fit", lambda space, *rows, **options: (
        fitted.append(space.width()), fit(space, *rows, **options)))
    for width in (300, 280, 260):
        space.resize(width, 200)
    qtbot.waitUntil(lambda: not turns.busy)
    assert fitted == [260]


def test_a_view_out_of_sight_reads_once_it_is_shown_again(used_window, monkeypatch):
    bags, read = used_window.panel("bags"), []
    take = type(bags).read
    monkeypatch.setattr(
        type(bags), "read", lambda panel: (read.append(panel.isVisible()), take(panel))
    )
    bags.hide()  # another dock is in front
    used_window.session.selection.select(used_window.session.run.ids[:20])
    used_window.session.mark_selection(0)
    used_window.session.undo_stack.undo()
    assert read == []
    bags.show()
    assert read == [True]


@pytest.mark.parametrize(("dock", "reader"), [("timeline", "reload"), ("labels", "read")])
def test_labels_are_not_read_by_a_dock_behind_another_one(used_window, monkeypatch, dock, reader):
    panel, read = used_window.panel(dock), []
    take = getattr(type(panel), reader)
    monkeypatch.setattr(
        type(panel), reader, lambda panel: (read.append(panel.isVisible()), take(panel))[1]
    )
    panel.hide()
    used_window.session.do(PutLabels(title="Draw", after=boxes(3)))
    used_window.session.undo_stack.undo()
    assert read == []
    panel.show()
    assert read == [True]


def test_the_timeline_shows_once_it_is_seen_what_was_drawn_while_it_was_hidden(used_window):
    timeline = used_window.panel("timeline")
    timeline.hide()
    used_window.session.do(PutLabels(title="Draw", after=boxes(1)))
    before = timeline.view.marks.tracks[0].counts.sum()
    timeline.show()
    assert timeline.view.marks.tracks[0].counts.sum() == before + 1


def test_the_labels_dock_lists_once_it_is_seen_the_frame_that_was_gone_to_while_it_was_hidden(
    used_window,
):
    labels = used_window.panel("labels")
    labels.hide()
    used_window.session.go(frame=2)
    assert labels.count == "4 on this frame"
    labels.show()
    assert labels.count == "3 on this frame"


def test_of_very_many_labels_each_dock_reads_an_edit_in_a_turn_of_its_own(
    used_window, qtbot, each_turn
):
    session, labels, timeline = (
        used_window.session,
        used_window.panel("labels"),
        used_window.panel("timeline"),
    )
    session.do(PutLabels(title="Draw", after=boxes(MANY_LABELS)))
    qtbot.waitUntil(lambda: not session.turns.busy)
    drawn = labels.list.rows.counts[1][0], int(timeline.view.marks.tracks[0].counts.sum())
    seen = each_turn(lambda: (labels.list.rows.counts[1][0] - drawn[0],
                              int(timeline.view.marks.tracks[0].counts.sum()) - drawn[1]))
    session.do(PutLabels(title="Draw", after=[msgspec.structs.replace(boxes(1)[0], id=99_000)]))
    qtbot.waitUntil(lambda: (1, 1) in seen)
    assert {(1, 0), (0, 1)} & set(seen)  # one of them was first


def test_the_theme_changes_in_steps_and_nothing_is_painted_between_them(used_window, qtbot):
    used_window.toggle_theme()
    qtbot.waitUntil(lambda: not used_window.updatesEnabled())
    with qtbot.waitSignal(look().changed):
        pass
    assert used_window.updatesEnabled()


def test_a_theme_that_is_asked_for_amid_a_switch_is_the_one_in_force(used_window):
    used_window.toggle_theme()
    look().apply("dark")
    assert used_window.updatesEnabled()
    assert QApplication.palette().window().color() == current().color("bg1")
    assert current().name == "dark"


def test_marks_since_a_large_run_are_counted_a_turn_after_its_row_is_painted(used_window, qtbot):
    used_window.show_workspace("explore")
    session, history = used_window.session, used_window.panel("run").history.model
    session.do(PutRuns(title="Run", after=[wide_run(MANY)]))
    qtbot.waitUntil(lambda: history.beside(0) != "" and not session.turns.busy)
    before = history.beside(0)
    session.selection.select(session.run.ids[:5])
    session.mark_selection(0)
    assert history.beside(0) == before
    qtbot.waitUntil(lambda: "5 marks since" in history.beside(0))


@pytest.mark.usefixtures("counts_as_many")
def test_contours_that_are_being_made_are_given_up_when_another_run_comes(used_window, qtbot):
    used_window.show_workspace("explore")
    session, panel, run = used_window.session, used_window.panel("map2d"), wide_run(FEW)
    session.focus.set(color_by="class")
    session.do(PutRuns(title="Run", after=[run]))
    qtbot.waitUntil(lambda: not session.turns.busy and bool(panel.layers["contours"].found))
    panel.layers["contours"]._outline()
    session.do(PutRuns(title="Run", after=[msgspec.structs.replace(run, id=13)]))
    assert (panel.cloud.limits, panel.layers["contours"].found) == (None, {})
    qtbot.waitUntil(lambda: not session.turns.busy and bool(panel.layers["contours"].found))
    assert len(panel.layers["contours"].found) == 2
