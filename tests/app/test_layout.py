"""Docks, sheets and pages of the window: no words are cut, nothing overlaps; what they show is what
was reviewed."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QCheckBox, QComboBox, QLabel, QMenu, QPushButton, QWidget

from emberscope_app.theme.look import look
from emberscope_app.theme.text import Shortening

from .layout import digest, faults, menu_faults, paint_faults
from .layout_states import faults_of, open_run_form, settle

REVIEWED = Path(__file__).with_name("layout.json")
RENEW = (
    "The window shows something else than was reviewed. If that is meant, write layout.json again, "
    "read its diff and commit it: EMBERSCOPE_RENEW=1 python3 packaging/bootstrap.py test "
    "tests/app/test_layout.py -k reviewed"
)
USUAL, SMALL = (1600, 1000), (1280, 800)

# Screens in px and what the window is enlarged by on them: what is left of the last is 640 x 400.
SCREENS = ((1024, 600, 1.0), (1366, 768, 1.25), (1280, 720, 1.5), (1280, 800, 2.0))


def shown(part):
    """What a widget shows; how many methods there are says the catalogue."""
    return [re.sub(r"(fits your labels): \d+ of \d+", r"\1: ...", line) for line in digest(part)]


@pytest.mark.parametrize(("width", "height", "scale"), SCREENS)
def test_every_state_is_whole_on_a_small_screen_and_enlarged(tmp_path, width, height, scale):
    """In a process of its own: Qt reads the scale once, when it starts."""
    screen = {
        "name": "small",
        "x": 0,
        "y": 0,
        "width": width,
        "height": height,
        "logicalDpi": 96,
        "dpr": 1,
    }
    (tmp_path / "screens.json").write_text(json.dumps({"screens": [screen]}), encoding="utf-8")
    memory = {
        "QT_QPA_PLATFORM": f"offscreen:configfile={tmp_path / 'screens.json'}",
        "QT_SCALE_FACTOR": str(scale),
    }
    alone = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    tests = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "no:xdist",
        str(Path(__file__).with_name("layout_at_scale.py")),
    ]
    child = subprocess.run(tests, env=alone | memory, capture_output=True, text=True, check=False)
    assert child.returncode == 0, child.stdout[-4000:] + child.stderr[-1000:]


# Both themes have the same layout to the pixel, which the tests of the window check.
@pytest.mark.parametrize(("size", "theme"), [(USUAL, "dark"), (SMALL, "light")])
def test_nothing_is_cut_and_nothing_overlaps(inter, described, full_window, qtbot, size, theme):
    look().apply(theme)
    full_window.resize(*size)
    open_run_form(full_window, qtbot)
    full_window.session.selection.select(full_window.session.run.ids[:20])
    assert faults_of(full_window, shortens=size == SMALL) == ""


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_the_run_dock_has_room_while_a_run_goes_on_and_after_it(
    inter, described, full_window, qtbot, worker, build_run, theme
):
    look().apply(theme)
    full_window.resize(*USUAL)
    open_run_form(full_window, qtbot)
    part, runs = full_window.area.group_of("run"), full_window.session.runs
    runs.advice = [
        "The data seems to have about 11 dimensions: an embedding in 2 or 3 must fold or tear some "
        "of them."
    ]
    runs.changed.emit({"advice"})
    runs.start()
    number = worker.submitted[-1].job
    worker.start_job(number)
    worker.progress(number, 0.4, "Neighbors of 4000 instances in 281 features")
    qtbot.waitUntil(lambda: runs.job.fraction == 0.4)
    settle()
    assert faults(part) + paint_faults(part) == []
    worker.finish(number, build_run(run_id=12))
    qtbot.waitUntil(lambda: not runs.job.active)
    settle()
    assert faults(part) + paint_faults(part) == []


def test_menus_fit_and_say_each_thing_once(full_window, qtbot):
    full_window.resize(*SMALL)
    menus = [menu for menu in full_window.findChildren(QMenu) if menu.actions()]
    assert menus
    assert [fault for menu in menus for fault in menu_faults(menu, QSize(*SMALL))] == []


def test_long_names_are_shortened_but_never_cut(inter, described, window, crowded, qtbot):
    window.session.replace(crowded, None)
    window.resize(*SMALL)
    open_run_form(window, qtbot)
    window.session.focus.set(class_id=9)
    window.session.selection.select(window.session.run.ids)
    window.session.go(10, 0)
    window.session.focus.set(labels=(100,))
    assert faults_of(window, shortens=True) == ""


@pytest.mark.parametrize(
    "name",
    [
        "start",
        "label",
        "explore",
        "file.import-truth",
        "file.export",
        "label.add-class",
        "run.believe",
    ],
)
def test_the_window_shows_what_was_reviewed(described, window, small_project, qtbot, name):
    window.resize(*USUAL)
    part = window
    if name != "start":
        window.session.replace(small_project, None)
    if name == "explore":
        open_run_form(window, qtbot)
    if "." in name:
        window.actions_by_id[name].trigger()
        part = window.sheet
    settle()
    seen = shown(part)
    reviewed = json.loads(REVIEWED.read_text(encoding="utf-8")) if REVIEWED.exists() else {}
    if os.environ.get("EMBERSCOPE_RENEW"):
        everything = json.dumps(
            reviewed | {name: seen}, indent=1, ensure_ascii=False, sort_keys=True
        )
        REVIEWED.write_text(everything + "\n", encoding="utf-8")
    else:
        assert seen == reviewed[name], RENEW


# --- the checks find what they look for


def host(qtbot, *children):
    found = QWidget()
    qtbot.addWidget(found)
    found.resize(200, 100)
    for child, (x, y, width, height) in children:
        child.setParent(found)
        child.setGeometry(x, y, width, height)
    found.show()
    return found


@pytest.mark.parametrize("kind", [QLabel, QPushButton, QCheckBox])
def test_words_that_have_too_little_room_are_cut(qtbot, kind):
    (fault,) = faults(host(qtbot, (kind("Every target is labeled"), (0, 0, 40, 30))))
    assert fault.startswith(f"{kind.__name__} 'Every target is labeled' needs ")
    assert faults(host(qtbot, (kind("Every target is labeled"), (0, 0, 200, 30)))) == []


def test_a_widget_that_was_never_put_anywhere_is_a_fault(qtbot):
    found = host(qtbot, (QLabel("a"), (0, 0, 40, 30)))
    found.more = QLabel("b")
    assert faults(found) == ["more of QWidget lies in no widget"]
    found.more.setParent(found)
    assert faults(found) == []


def test_a_choice_that_is_wider_than_its_box_is_cut(qtbot):
    box = QComboBox()
    box.addItem("hog+statistics of the patch")
    (fault,) = faults(host(qtbot, (box, (0, 0, 60, 30))))
    assert "hog+statistics of the patch" in fault


def test_wrapped_words_need_their_lines(qtbot):
    label = QLabel("one two three four five six seven eight nine ten")
    label.setWordWrap(True)
    assert len(faults(host(qtbot, (label, (0, 0, 60, 16))))) == 1


def test_shortened_words_need_a_tooltip(qtbot):
    label = Shortening("a name of many words")
    parent = host(qtbot, (label, (0, 0, 60, 16)))
    assert faults(parent) == []
    label.setToolTip("")
    (fault,) = faults(parent)
    assert fault.endswith("is shortened and has no tooltip")


def test_neighbors_that_share_pixels_overlap(qtbot):
    (fault,) = faults(host(qtbot, (QLabel("a"), (0, 0, 40, 30)), (QLabel("b"), (30, 0, 40, 30))))
    assert fault == "QLabel 'a' (0, 0, 40, 30) overlaps QLabel 'b' (30, 0, 40, 30)"


def test_what_reaches_beyond_its_parent_sticks_out(qtbot):
    (fault,) = faults(host(qtbot, (QLabel("a"), (180, 0, 40, 30))))
    assert fault == "QLabel 'a' at (180, 0, 40, 30) sticks out of QWidget (0, 0, 200, 100)"


class Painted(QWidget):
    """Paints words: (place, words)."""

    texts = ()

    def paintEvent(self, event):
        painter = QPainter(self)
        for place, words in self.texts:
            painter.drawText(QRect(*place), Qt.AlignmentFlag.AlignVCenter, words)
        painter.end()


@pytest.mark.parametrize(("texts", "found"), [
    ([((0, 0, 200, 20), "left"), ((100, 0, 100, 20), "right")], []),
    ([((0, 0, 200, 20), "left"), ((5, 0, 100, 20), "right")], ["'left' is painted over 'right'"]),
    ([((0, 0, 100, 20), "le…")], ["'le…' is shortened"]),
])
def test_painted_words_are_looked_at_too(qtbot, texts, found):
    painted = Painted()
    painted.texts = texts
    qtbot.addWidget(painted)
    painted.resize(200, 40)
    assert paint_faults(painted) == found


def test_painted_words_may_need_more_room_than_they_have(qtbot):
    painted = Painted()
    painted.texts = [((0, 0, 10, 20), "Every target is labeled")]
    qtbot.addWidget(painted)
    (fault,) = paint_faults(painted)
    assert fault.endswith("px and has 10")
