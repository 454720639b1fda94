"""Whatever belongs to a project goes with it: another project opens in a window as a fresh window
would show it."""

import numpy as np
import pytest
from PySide6.QtWidgets import QAbstractButton, QComboBox, QLabel, QLineEdit

from emberscope.course.estimate import Estimate
from emberscope.frames.readers.parts.base import fingerprint
from emberscope.project.model.project import Project, SourceRef
from emberscope.tasks.runs import EstimateRun
from emberscope_app.shell.dock_areas import DOCKS
from emberscope_app.theme.controls import MessageBar


def clip(folder, *, low):
    """A project of one clip with source id 10: 3 frames, a ramp of counts from `low` up."""
    path = folder / f"ramp_{low}.npy"
    np.save(path, np.tile(np.linspace(low, low + 500, 200, dtype=np.uint16), (3, 160, 1)))
    project = Project()
    project.sources[10] = SourceRef(
        id=10,
        path=str(path),
        name=path.name,
        fingerprint=fingerprint(path),
        n_frames=3,
        rows=160,
        cols=200,
        format="npy",
    )
    return project


def gray(window):
    return window.panels["frame"].canvas.frame_image.gray


@pytest.mark.parametrize("opens", ["with New", "over the last one"])
def test_the_first_frame_has_its_own_contrast(window, tmp_path, opens):
    window.session.replace(clip(tmp_path, low=2000), None)
    if opens == "with New":
        window.files.new()
    window.session.replace(clip(tmp_path, low=9000), None)
    assert gray(window).min() < 20
    assert gray(window).max() > 235


def test_a_locked_contrast_is_not_kept_for_the_next_project(window, tmp_path):
    window.session.replace(clip(tmp_path, low=2000), None)
    window.panels["frame"].canvas.toggle_lock()
    window.session.replace(clip(tmp_path, low=9000), None)
    assert gray(window).max() - gray(window).min() > 200


def test_the_filter_of_the_clips_does_not_hide_those_of_the_next_project(window, tmp_path):
    window.session.replace(clip(tmp_path, low=2000), None)
    window.panels["sources"].field.setText("2000")
    window.session.replace(clip(tmp_path, low=9000), None)
    assert window.panels["sources"].field.text() == ""
    assert window.panels["sources"].model.rows == [10]


def test_the_frame_is_fitted_although_it_has_the_size_of_the_last_one(window, tmp_path):
    window.session.replace(clip(tmp_path, low=2000), None)
    view = window.panels["frame"].canvas.view
    fitted = view.zoom
    view.zoom_to(8.0)
    window.session.replace(clip(tmp_path, low=9000), None)
    assert view.zoom == fitted


def test_a_sheet_about_the_last_project_closes_and_a_help_page_stays(full_window, tmp_path):
    full_window.actions_by_id["file.export"].trigger()
    full_window.session.replace(clip(tmp_path, low=2000), None)
    assert full_window.sheet is None
    full_window.actions_by_id["help.first"].trigger()
    full_window.session.replace(clip(tmp_path, low=9000), None)
    assert full_window.sheet is not None


def shown(window):
    """What every field, list and button of every dock says, and the state the docks share."""
    session, found = window.session, {}
    for name in DOCKS:
        panel = window.panels[name]
        for kind, read in ((QLineEdit, QLineEdit.text), (QComboBox, QComboBox.currentText),
                           (QAbstractButton, lambda b: (b.isChecked(), b.text()))):
            widgets = panel.findChildren(kind)
            found[name, kind.__name__] = sorted(
                f"{widget.accessibleName()}: {read(widget)}" for widget in widgets
            )
    found["focus"] = {key: value for key, value in vars(session.focus).items() if key != "tool"}
    found["selected"], found["hover"] = session.selection.ids.tolist(), session.selection.hover
    found["contrast"], found["locked"] = session.contrast.of(10), session.contrast.locked
    found["scope"] = window.panels["labels"].list.rows.scope
    found["bags"] = len(window.panels["bags"].model.order)
    found["span"] = window.panels["timeline"].view.span
    return found


def use(window):
    """Touch what a person touches in a project: filters, lists, contrast, selection, colors, zoom
    of the time."""
    session, panels = window.session, window.panels
    panels["sources"].field.setText("xyz")
    panels["labels"].set_scope("project")
    panels["chips"].set_show("conflicts")
    panels["chips"]._mark_as(1)
    panels["bags"].show_only("small")
    panels["map2d"]._on_size("score")
    panels["map2d"].cloud.hide(frozenset({1}))
    panels["timeline"].view.span = (1.0, 3.0)
    session.contrast.adjust(10, mode="clahe")
    session.contrast.flip(10)
    session.selection.select(session.run.ids[:9])
    session.selection.set_hover(int(session.run.ids[0]))
    session.focus.set(
        color_by="score", hidden=frozenset({1}), labels=(100,), frame=3, round=1, class_id=2
    )


def test_a_used_window_shows_the_next_project_as_a_fresh_one_would(
    full_window, tmp_path, build_project
):
    fresh = shown(full_window)
    use(full_window)
    assert shown(full_window) != fresh
    folder = tmp_path / "again"
    folder.mkdir()
    full_window.session.replace(build_project(folder), None)
    after = shown(full_window)
    assert {
        key: (fresh[key], after.get(key)) for key in fresh if after.get(key) != fresh[key]
    } == {}


def words(window):
    """What every label, count, bar and part of the status bar says now, but the memory in use and
    the log."""
    found = {}
    for name in DOCKS.keys() - {"log"}:
        panel = window.panels[name]
        labels = [label for label in panel.findChildren(QLabel) if label.isVisibleTo(panel)]
        found[name] = (panel.count, sorted(label.text() for label in labels if label.text()))
    found["status"] = {
        name: part.text() for name, part in window.status.parts.items() if name != "memory"
    }
    found["messages"], found["plate"] = (
        window.messages.words,
        window.messages.plate.isVisibleTo(window),
    )
    found["undo"] = window.actions_by_id["edit.undo"].text()
    found["title"] = window.windowTitle()
    return found


def say_much(window):
    """Have every place say something about the project that is open."""
    session, runs = window.session, window.session.runs
    session.say("163 bags have under 4 instances", level="warn", stays=True)
    session.say("Marked 163 as background")
    window.status.hint("163 instances in 3 bags")
    runs.estimate, runs.facts, runs.advice = (
        "about 163 s",
        "163 instances in 163 bags",
        ("About 163 dimensions",),
    )
    runs.suggestions.reasons = "It has 163 reasons"
    runs.changed.emit({"estimate", "advice", "stale", "job"})
    runs.suggestions.changed.emit({"reasons", "asked"})
    for name in DOCKS:
        window.panels[name].set_count("163 of them")
        for bar in window.panels[name].findChildren(MessageBar):
            bar.show_message("163 bags have under 4 instances")
    session.mark_selection(1)


@pytest.mark.parametrize("comes", ["another project", "a new one"])
def test_nothing_that_was_said_of_the_last_project_stays_for_a_moment(
    full_window, tmp_path, build_project, comes
):
    window, session = full_window, full_window.session

    def next_project(name):
        (tmp_path / name).mkdir()
        return build_project(tmp_path / name) if comes == "another project" else Project()

    words(window)  # all docks are made
    session.replace(next_project("first"), None)
    fresh = words(window)
    session.replace(build_project(tmp_path), None)
    session.selection.select(session.run.ids[:9])
    say_much(window)
    assert "163" in str(words(window))
    session.replace(next_project("second"), None)
    after = words(window)
    assert {key: (fresh[key], after[key]) for key in fresh if after[key] != fresh[key]} == {}
    assert "163" not in str(after)


def test_an_answer_about_the_last_project_that_comes_late_is_dropped(
    full_window, worker, qtbot, tmp_path
):
    session = full_window.session
    session.runs.prepare()
    session.runs.ask()
    asked = worker.asked(EstimateRun)
    session.replace(clip(tmp_path, low=2000), None)
    answer = Estimate(
        instances=163,
        bags=163,
        new_instances=0,
        features=9,
        stages={"method": 1.0},
        bytes=1,
        advice=("About 163 dimensions",),
    )
    for found in asked:
        worker.finish(found.job, answer)
    qtbot.wait(80)
    assert "163" not in f"{session.runs.facts} {session.runs.estimate} {session.runs.advice}"
