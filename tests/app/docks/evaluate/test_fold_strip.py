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


def test_one_side_that_judges_once_is_as_long_as_its_share_of_the_bags(
    qtbot, monkeypatch, session
):
    fold = Fold(Side(10, 3, 10), Side(30, 6, 30), [])
    monkeypatch.setattr(changes, "folds_of_run", lambda run: [fold])
    strip = FoldStrip()
    qtbot.addWidget(strip)
    strip.resize(240, 24)
    assert strip.show_run(session.run) == "3 clips held out, no clip on both sides"
    image = strip.grab().toImage()
    light = [image.pixelColor(x, 12).lightness() for x in (30, 60, 90, 200)]
    assert light[0] == light[1] > light[2] + 40
    assert light[2] == light[3]
