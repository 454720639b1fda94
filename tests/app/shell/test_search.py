"""The search: what a person means is found, and nonsense is not."""

import msgspec
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from emberscope.findings.shown_axes import of_axes
from emberscope.project import PutRuns
from emberscope.tasks.methods import DescribeMethods
from emberscope_app.shell.search.matching import match
from emberscope_app.shell.search.search_entries import _FRAME, NOTHING


def search(window, words):
    """(title, where) of what is found for words typed into the search."""
    window.actions_by_id["view.palette"].trigger()
    field = window.palette_sheet.field
    field.clear()
    QTest.keyClicks(field, words)
    return [(entry.title, entry.where) for entry in window.palette_sheet.model.rows]


@pytest.mark.parametrize(
    ("query", "title"),
    [
        ("Save as", "Save as"),
        ("sa", "Save as"),
        ("save", "Save as"),
        ("explorews", "Explore workspace"),
        ("wea lab", "Import truth as weak labels..."),
        ("palette", "A palette of colors"),
    ],
)
def test_words_match_by_their_beginnings(query, title):
    assert match(query, title) > 0


@pytest.mark.parametrize(("query", "title"), [
    ("svg", "Save a very long image"), ("roc", "From contour"), ("copy", "Concepts of pixels"),
    ("detect", "Reset the contrast"), ("xyz", "Save as"), ("save zebra", "Save as"),
])
def test_letters_that_lie_apart_are_no_match(query, title):
    assert match(query, title) == 0


def test_a_whole_word_is_better_than_a_beginning_and_a_beginning_than_letters_inside():
    assert match("run", "Run") > match("run", "Running jobs") > match("run", "Prune the cache") > 0


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("copy", ("Copy labels to the next frames", "Frame")),
        ("export", ("Export...", "File")),
        ("csv", ("Export...", "File, csv")),
        ("auc", ("What this run learned...", "Run, AUC")),
        ("roc", ("ROC", "Dock")),
        ("clahe", ("Contrast: CLAHE", "Setting")),
        ("color by score", ("Color by score", "Setting of the map")),
        ("range_pass", ("range_pass_01.npy", "Clip")),
        ("run 11", ("Run 11, s-le", "Run")),
        ("glossary", ("Glossary", "Help")),
        ("isomap", ("Isomap", "Help, method")),
    ],
)
def test_what_is_meant_comes_first(used_window, query, first):
    assert search(used_window, query)[0] == first


def test_colors_of_the_map_are_of_the_axes_on_show_or_of_all(used_window):
    run = used_window.session.run
    points = run.point_scores | {
        of_axes("trustworthiness", (0, 1)): run.point_scores["trustworthiness"]
    }
    used_window.session.do(
        PutRuns(before=[run], after=[msgspec.structs.replace(run, point_scores=points)])
    )
    found = [
        title
        for title, where in search(used_window, "color by trust")
        if where == "Setting of the map"
    ]
    assert sorted(found) == ["Color by trust", "Color by trust, all"]


@pytest.mark.parametrize("query", ["dwg", "qqqq", "zebra crossing"])
def test_nothing_is_better_than_nonsense(used_window, query):
    assert [title for title, _ in search(used_window, query)] == [NOTHING]


def test_detect_finds_what_is_called_so_then_pages_that_speak_of_it(used_window):
    found = search(used_window, "detect")
    speaks = [where == "Help, speaks of detect" for _, where in found]
    called = [title for (title, _), of in zip(found, speaks, strict=True) if not of]
    assert speaks == sorted(speaks)
    assert "MI-ACE, cosine detector" in called
    assert "Take detections as suggestions" in called


def test_a_page_that_speaks_of_it_opens_where_it_does(used_window):
    found = dict(search(used_window, "fingerprint"))
    (title,) = (title for title in found if title.startswith("Files and folders"))
    rows = used_window.palette_sheet.model.rows
    next(row for row in rows if row.title == title).choose()
    view, section = used_window.sheet.view, title.partition(" \u203a ")[2]
    view.finish()  # a long page comes in parts
    assert view.textCursor().block().text() == section


def test_what_cannot_be_chosen_says_where_it_is_and_why_not(window):
    window.actions_by_id["view.palette"].trigger()
    QTest.keyClicks(window.palette_sheet.field, "auc")
    assert window.palette_sheet.model.rows[0].beside == "Run, AUC. Needs a run"


def test_every_word_of_the_query_counts(used_window):
    assert ("Export...", "File") not in search(used_window, "export zebra")


@pytest.mark.parametrize(("title", "keys"), [(title, keys) for title, keys, _ in _FRAME])
def test_every_action_of_the_frame_can_be_found_and_its_key_means_something_there(
    used_window, title, keys
):
    from emberscope_app.frame_view.canvas.canvas_keys import press_key

    assert title in [found for found, _ in search(used_window, title)]
    struck = []
    entry = next(entry for entry in used_window.palette_sheet.model.rows if entry.title == title)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("emberscope_app.frame_view.canvas.canvas_keys.press_key",
                        lambda canvas, event: struck.append(press_key(canvas, event)))
        used_window.session.focus.set(labels=(100,))
        entry.choose()
    assert struck == [True]


def test_copy_from_the_search_copies(used_window):
    session = used_window.session
    session.focus.set(labels=(100,))
    search(used_window, "copy labels")
    QTest.keyClick(used_window.palette_sheet.field, Qt.Key.Key_Return)
    assert session.undo_stack.undoText().startswith("Copy relaxed box to next")


def test_a_parameter_of_the_method_leads_to_its_field(full_window, worker, methods, qtbot):
    worker.answers[DescribeMethods] = lambda request: methods
    full_window.show_workspace("explore")
    panel = full_window.panel("run")
    qtbot.waitUntil(lambda: not panel.loading.isVisible())
    panel.methods.chosen.emit("umap")
    qtbot.waitUntil(lambda: "min_dist" in panel.form.rows)
    label = panel.form.rows["min_dist"].param.label
    assert search(full_window, label)[0] == (label, "Setting of UMAP")
    QTest.keyClick(full_window.palette_sheet.field, Qt.Key.Key_Return)
    assert QApplication.focusWidget() is panel.form.rows["min_dist"].field
