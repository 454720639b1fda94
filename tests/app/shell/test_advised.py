"""What notes advise, done by a click: each button of a note leads to where a person can begin."""

import msgspec
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from emberscope.findings.notes import _KINDS, ACTIONS, Note
from emberscope.labels.model import BACKGROUND
from emberscope.project import PutLabels, PutRuns
from emberscope_app.sheets.notes import NoteList
from emberscope_app.shell.advised import largest_box, next_without

LEFT = Qt.MouseButton.LeftButton


def told(window, note, **metrics):
    """The sheet about belief over a run with this note."""
    run = window.session.run
    changed = msgspec.structs.replace(run, notes=[note], metrics={**run.metrics, **metrics})
    window.session.do(PutRuns(before=[run], after=[changed]))
    window.actions_by_id["run.believe"].trigger()
    return window.sheet


def click(sheet, kind, action=""):
    buttons = {**sheet.heavy.buttons, **sheet.notes.buttons}
    asked = (
        button for (id, does), button in buttons.items() if id == kind and action in ("", does)
    )
    QTest.mouseClick(next(asked), LEFT)


def test_every_action_that_notes_advise_is_one_of_the_window(used_window):
    assert all(used_window.actions_by_id[name] is not None for name in ACTIONS)


def test_label_background_puts_a_box_of_background_into_the_hand_where_none_is_yet(used_window):
    session = used_window.session
    sheet = told(
        used_window,
        "Bag AUC 0.95: background alone tells the bags apart.",
        bag_auc_without_targets=0.92,
    )
    click(sheet, "background-tells")
    assert used_window.workspace == "label"
    assert (session.focus.class_id, session.focus.tool) == (BACKGROUND, "box")


def test_draw_boxes_closer_selects_the_largest_loose_box_of_a_target(used_window):
    session = used_window.session
    click(told(used_window, "The rules agreed about ground in 5 bags."), "rules-about-ground")
    box = largest_box(session.project)
    assert box.looseness > 0
    assert session.focus.labels == (box.id,)
    assert (session.focus.source, session.focus.frame) == (box.source, box.frame)


def test_choose_patches_unfolds_how_patches_are_made(used_window, qtbot):
    click(
        told(used_window, "In 3 of 12 positive bags no patch lies on the target."), "targets-missed"
    )
    panel = used_window.panel("run")
    qtbot.waitUntil(panel.isVisible)
    assert panel.data.fold.isChecked()


def test_a_recipe_that_was_chosen_by_trial_leads_to_frames_that_took_no_part(used_window):
    session = used_window.session
    session.do(PutLabels(before=[label for label in session.project.labels if label.frame == 3]))
    click(
        told(used_window, "This recipe was chosen by held-out bags of these labels."),
        "chosen-by-trial",
    )
    assert used_window.workspace == "label"
    assert (session.focus.tool, session.focus.frame) == ("box", 3)


def test_hold_out_whole_clips_sets_the_split_of_the_next_run(used_window):
    session = used_window.session
    other = msgspec.structs.replace(next(iter(session.project.labels)), id=10**6, source=10**6)
    session.do(PutLabels(after=[other]))
    click(
        told(used_window, "Frames of one clip are on both sides of the split."),
        "clips-on-both-sides",
    )
    assert session.runs.draft.recipe.split.kind == "clip"


def test_whole_clips_cannot_be_held_out_where_labels_are_on_one(used_window):
    session = used_window.session
    click(
        told(used_window, "Frames of one clip are on both sides of the split."),
        "clips-on-both-sides",
    )
    assert session.runs.draft.recipe.split.kind == "default"
    assert used_window.messages.words == ["Labels are on one clip only. Label another one."]


def test_measure_asks_the_worker_for_what_is_missing(used_window):
    sheet = told(
        used_window,
        "Bags are not held out: the method would have to be fitted 5 times more.",
        method_bag_auc_seconds=40.0,
    )
    click(sheet, "too-long")
    assert [job.title for job in used_window.session.jobs.running] == [
        f"Measure run {used_window.session.run.id}"
    ]


@pytest.mark.parametrize(
    ("action", "color"), [("view.by-clip", "source"), ("view.by-frame", "frame")]
)
def test_an_axis_that_is_the_place_offers_the_colors_that_show_it(used_window, action, color):
    sheet = told(
        used_window, "Axis 2 is the place: it tells clips apart (AUC 0.88). Color by clip or frame."
    )
    click(sheet, "shows-places", action)
    assert (used_window.workspace, used_window.session.focus.color_by) == ("explore", color)


def test_change_its_settings_shows_the_form_of_the_run_on_show(used_window, qtbot):
    click(
        told(used_window, "Concepts still moved in the last round: ask for more rounds."),
        "of-method",
    )
    panel = used_window.panel("run")
    qtbot.waitUntil(panel.isVisible)
    assert used_window.session.runs.draft.recipe.method == used_window.session.run.recipe.method


@pytest.mark.parametrize(
    "kind", [kind for kind in _KINDS if kind.actions], ids=lambda kind: f"{kind.id}"
)
def test_every_kind_of_note_has_a_button_for_each_of_its_actions(used_window, kind):
    note = Note(kind.id, kind.weight, "A sentence.", kind.spoils, kind.short, kind.actions)
    notes = NoteList()
    notes.show_notes([note])
    assert [button.text() for button in notes.buttons.values()] == [
        ACTIONS[action] for action in kind.actions
    ]


@pytest.mark.parametrize(("role", "frame"), [(0, None), (-1, None)])
def test_where_every_frame_carries_a_label_no_frame_is_next(used_window, role, frame):
    assert next_without(used_window.session.project, 10, 0, role=role) == frame
