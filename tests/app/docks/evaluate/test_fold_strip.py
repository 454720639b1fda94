"""The strip of the folds of a run."""

from emberscope.findings.split_sides import Fold, Side
from emberscope_app.docks.evaluate import changes
from emberscope_app.docks.evaluate.changes import FoldStrip


def test_folds_that_find_no_room_are_counted(qtbot, monkeypatch, session):
    fold = Fold(Side(1, 1, 1), Side(29, 29, 29), [])
    monkeypatch.setattr(changes, "folds_of_run", lambda run: [fold] * 30)
    monkeypatch.setattr(changes, "split_words", lambda run: "clip: 30 folds")
    strip = FoldStrip()
    qtbot.addWidget(strip)
    assert strip.show_run(session.run) == "30 folds, 6 more not drawn, no clip on both sides"
