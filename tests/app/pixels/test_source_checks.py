"""Sources that changed under their labels, and frames that look odd: found off the screen, said
once, in the way of nobody."""

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QApplication, QMenu

from emberscope.labels import Spot
from emberscope.project import Project, PutLabels
from emberscope.project.exchange.sources import add_sources
from emberscope.project.store.file import save
from emberscope_app.lists.model import THING
from emberscope_app.pixels.frame_service import frame_service
from emberscope_app.pixels.source_checks import source_checks

SHAPE = (2, 20, 24)


def noise(seed: int = 0, *, shape=SHAPE) -> np.ndarray:
    return np.random.default_rng(seed).integers(1000, 4000, shape).astype(np.uint16)


@pytest.fixture
def clips(tmp_path):
    paths = [tmp_path / f"clip_{number}.npy" for number in range(3)]
    for number, path in enumerate(paths):
        np.save(path, noise(number))
    return paths


@pytest.fixture
def saved(tmp_path, clips):
    """A project of three clips with a label each."""
    project = Project()
    project.apply(add_sources(project, clips)[0])
    labels = [Spot(id=100 + key, source=key, frame=0, x=3, y=4) for key in project.sources]
    project.apply(PutLabels(after=labels))
    save(project, tmp_path / "p.ember")
    return tmp_path / "p.ember"


def opened(window, path):
    """The panel of sources, as soon as the files were compared."""
    window.files.open([path])
    frame_service(window.session).wait()
    QApplication.processEvents()
    return window.panel("sources")


# --- sources that changed


def test_a_project_whose_sources_are_what_they_were_says_nothing(window, saved):
    panel = opened(window, saved)
    assert (window.messages.words, panel.model.count("warn")) == ([], 0)


def test_a_source_that_changed_is_named_once_and_keeps_its_labels(window, saved, clips):
    np.save(clips[1], noise(9))
    panel = opened(window, saved)
    assert window.messages.words == [
        "clip_1.npy changed since it was added. Its labels stay where they were in the frames. "
        "Right click to take it as it is now, or to locate the old file."
    ]
    assert len(window.session.project.labels) == 3
    assert [panel.model.warning(key) for key in panel.model.rows] == [
        "",
        "The file has changed",
        "",
    ]


def test_show_on_the_message_leads_to_the_clips_that_changed(window, saved, clips):
    np.save(clips[1], noise(9))
    panel = opened(window, saved)
    window.show_workspace("explore")
    bar = window.messages.bar
    next(button for button in bar.findChildren(QAbstractButton) if button.text() == "Show").click()
    assert panel.isVisible()
    assert [window.session.project.sources[key].name for key in panel.model.rows] == ["clip_1.npy"]


def test_changed_sources_taken_as_they_are_are_one_step_that_can_be_undone(window, saved, clips):
    for path in clips[:2]:
        np.save(path, noise(9))
    panel = opened(window, saved)
    panel.take_as_they_are(sorted(source_checks(window.session).changed))
    frame_service(window.session).wait()
    QApplication.processEvents()
    assert (panel.model.count("warn"), window.session.undo_stack.undoText()) == (
        0,
        "Read 2 sources again",
    )
    window.session.undo_stack.undo()
    frame_service(window.session).wait()
    QApplication.processEvents()
    assert panel.model.count("warn") == 2
    assert len(window.messages.words) == 1  # said when the project was opened, and not again


def test_a_changed_file_of_another_size_is_not_taken_for_the_one_that_was_labeled(
    window, saved, clips
):
    np.save(clips[1], noise(9, shape=(2, 8, 8)))
    panel = opened(window, saved)
    panel.take_as_they_are(sorted(source_checks(window.session).changed))
    refused = (
        "it has 2 frames of 8 x 8, not 2 frames of 24 x 20. Locate the file that was clip_1.npy."
    )
    assert refused in window.messages.words[0]
    assert not window.session.undo_stack.count()


def test_only_a_clip_that_changed_can_be_taken_as_it_is(window, saved, clips, monkeypatch):
    np.save(clips[1], noise(9))
    panel = opened(window, saved)
    menus = []
    monkeypatch.setattr(
        QMenu, "popup", lambda menu, where: menus.append([a.text() for a in menu.actions()])
    )
    for key in panel.model.rows[:2]:
        panel.view.menu_wanted.emit(key, panel.pos())
    assert ["Take as it is now" in menu for menu in menus] == [False, True]


# --- frames that look odd


@pytest.fixture
def saturated(tmp_path):
    frames = noise()
    frames[1, :10] = 4095
    np.save(tmp_path / "hot.npy", frames)
    return tmp_path / "hot.npy"


def test_saturated_frames_are_a_remark_on_the_row_and_a_sentence_in_its_tip(
    window, qtbot, saturated
):
    window.files.open([saturated])
    panel = window.panel("sources")
    qtbot.waitUntil(lambda: panel.model.count("warn") == 1)
    index = panel.model.index(0, 0)
    assert [finding.short for finding in index.model().findings(index.data(THING))] == ["saturated"]
    assert index.data(Qt.ItemDataRole.ToolTipRole) == (
        "2 frames of 24 × 20.\n"
        "1 of 2 frames looked at: 50 % of pixels are at 0 or 4095, the ends of the "
        f"range.\n{saturated}"
    )
    assert window.messages.words == []  # quiet: nothing is asked of anybody


def test_a_clip_of_sound_frames_has_nothing_but_its_path_in_its_tip(window, qtbot, clips):
    window.files.open([clips[0]])
    panel, checks = window.panel("sources"), source_checks(window.session)
    qtbot.waitUntil(lambda: bool(checks.findings))
    assert checks.findings == {min(window.session.project.sources): []}
    assert panel.model.index(0, 0).data(Qt.ItemDataRole.ToolTipRole) == str(clips[0])


def test_frames_are_looked_at_once_and_again_where_the_file_is_another(
    window, qtbot, saturated, clips
):
    window.files.open([saturated])
    panel, session = window.panel("sources"), window.session
    qtbot.waitUntil(lambda: panel.model.count("warn") == 1)
    panel.relocate(min(session.project.sources), clips[0])
    qtbot.waitUntil(lambda: source_checks(session).findings == {min(session.project.sources): []})


def test_findings_end_with_their_project(window, qtbot, saturated):
    window.files.open([saturated])
    qtbot.waitUntil(lambda: bool(source_checks(window.session).findings))
    window.session.replace(Project(), None)
    frame_service(window.session).wait()
    QApplication.processEvents()
    assert source_checks(window.session).findings == {}


# --- files that change while they are open


@pytest.fixture
def recording(window, tmp_path):
    """A clip of 12 frames, the first of which is on show; and its file."""
    np.save(tmp_path / "long.npy", noise(shape=(12, 20, 24)))
    project = Project()
    project.apply(add_sources(project, [tmp_path / "long.npy"])[0])
    save(project, tmp_path / "long.ember")
    opened(window, tmp_path / "long.ember")
    (ref,) = window.session.project.sources.values()
    frame_service(window.session).show(ref, 0)
    return ref, tmp_path / "long.npy"


def show_after_change(window, ref, path):
    """What the service has for another frame after the file was written anew."""
    service = frame_service(window.session)
    service.wait()
    np.save(path, noise(7, shape=(12, 20, 24)))
    shown = service.show(ref, 9)
    for _ in range(3):
        service.wait()
        QApplication.processEvents()
    return shown


def test_a_file_that_changes_while_it_is_open_is_said_once(window, recording):
    assert show_after_change(window, *recording).changed
    (words,) = window.messages.words
    assert words.startswith("long.npy changed on disk while it was open.")
    assert source_checks(window.session).changed == {recording[0].id}


def test_frames_kept_of_a_file_that_changed_are_not_shown_any_more(window, recording):
    service = frame_service(window.session)
    assert service.kept(recording[0], 0) is not None
    show_after_change(window, *recording)
    assert (service.show(recording[0], 0) == noise(7, shape=(12, 20, 24))[0]).all()


def test_a_click_takes_the_file_as_it_is_now(window, recording, screenshot):
    show_after_change(window, *recording)
    screenshot(window, "changed-while-open")
    bar = window.messages.bar
    next(
        button for button in bar.findChildren(QAbstractButton) if button.text() == "Read it again"
    ).click()
    (now,) = window.session.project.sources.values()
    assert now is not recording[0]
    assert (frame_service(window.session).show(now, 9) == noise(7, shape=(12, 20, 24))[9]).all()
