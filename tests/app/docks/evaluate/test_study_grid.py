"""The grid of a study in the Study card."""

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from emberscope.findings.studied.grid import PlaceScore
from emberscope.project import Recipe
from emberscope.project.model.study import Study
from emberscope.tasks.studies import FillStudy, StudyPlan
from emberscope.tasks.trial import WaitUntilStopped
from emberscope_app.docks.evaluate.study import StudyPanel
from emberscope_app.state.points.cloud import cloud_of
from emberscope_app.state.runs.studying import Studying

NO_KEY = Qt.KeyboardModifier.NoModifier


@pytest.fixture
def studying(judged_session):
    """A study of two methods in three dimensions, of which one place is to do."""
    found = judged_session.only(Studying)
    found.study = Study(title="How many", axes={"method": ["pca", "lpp"], "d": [2, 3, 5]})
    found.places = [PlaceScore({"method": m, "d": d}, 0.6 + d / 20) for m in ("pca", "lpp")
                    for d in (2, 3, 5)]
    found.places[-1] = PlaceScore({"method": "lpp", "d": 5})
    found.recipes = [Recipe(method=m) for m in ("pca", "lpp") for _ in range(3)]
    found.score = "inside_auc"
    return found


def test_the_grid_of_a_study_stands_in_the_card(show, studying):
    card = show(StudyPanel)
    assert [[tile.big for tile in row] for row in card.grid.views[0].tiles.tiles] == [
        ["0.70", "0.70"], ["0.75", "0.75"], ["0.85", ""]]
    assert card.count == "AUC inside positive bags over method, d; 5 of 6 places done"


def test_the_best_place_is_said_first_and_a_click_says_another(show, studying):
    card = show(StudyPanel)
    assert card.said.text().startswith("method pca, d 5: 0.850")
    view = card.grid.views[0]
    QTest.mouseClick(view, Qt.MouseButton.LeftButton, NO_KEY, view.place(0, 1).center().toPoint())
    assert card.said.text().startswith("method lpp, d 2: 0.700")


def test_the_best_place_is_followed_while_the_study_fills(show, studying):
    card, done = show(StudyPanel), studying.places
    studying.places = [*done[:-1], PlaceScore({"method": "lpp", "d": 5}, 0.9)]
    studying.changed.emit()
    assert card.said.text().startswith("method lpp, d 5: 0.900")


def test_of_an_error_the_lowest_place_is_the_best(show, studying):
    studying.score = "bag_rmse"
    studying.places[0] = PlaceScore({"method": "pca", "d": 2}, 0.0)
    assert show(StudyPanel).said.text().startswith("method pca, d 2: 0.000")


def test_the_figure_keeps_the_title_of_the_study_that_was_filled(show, studying):
    studying.plan = StudyPlan(6, 6, 0, 0.0, studying.places, studying.recipes, "inside_auc", [])
    studying.start()
    studying.write(Study(title="Another one", axes={"d": [2]}))
    assert studying.title == "How many"


def test_what_a_study_reached_so_far_is_no_layout_for_the_maps(
    studying, judged_session, worker, qtbot
):
    cloud, shown = cloud_of(judged_session), []
    cloud.changed.connect(lambda _: shown.append(cloud.partial))
    studying.plan = StudyPlan(6, 6, 0, 0.0, studying.places, studying.recipes, "inside_auc", [])
    studying.start()
    study = worker.asked(FillStudy)[0].job
    run = judged_session.jobs.ask(WaitUntilStopped(), title="Run")
    worker.start_job(study)
    worker.partial(study, np.full((6, 3), 0.5))
    qtbot.waitUntil(lambda: studying.places[0].mean == 0.5)
    worker.start_job(run.id)
    worker.partial(run.id, np.zeros((9, 2), np.float32))
    qtbot.waitUntil(lambda: run in shown)
    assert {job.title for job in shown if job is not None} == {"Run"}


def test_a_place_can_be_run_to_have_its_map(show, studying, judged_session, monkeypatch):
    started = []
    monkeypatch.setattr(judged_session.runs, "start", lambda: started.append(True))
    card = show(StudyPanel)
    QTest.mouseClick(card.open_run, Qt.MouseButton.LeftButton)
    assert (started, judged_session.runs.draft.method) == ([True], "pca")


def test_the_card_can_show_the_runs_instead(show, studying):
    card = show(StudyPanel)
    action = next(each for each in card.menu().actions() if each.text() == "Runs that differ")
    action.trigger()
    assert "in one setting alone" in card.empty.sentence.text()


def test_its_data_have_a_row_for_each_place(show, studying):
    assert show(StudyPanel).data().splitlines()[0].startswith("method\td\tinside_auc")


def test_the_grid_is_saved_as_a_figure(show, studying, judged_session, tmp_path):
    wanted = []
    judged_session.figure_wanted.connect(wanted.append)
    card = show(StudyPanel)
    card.save(("svg",))
    wanted[0].save(tmp_path / "grid.svg")
    assert "How many" in (tmp_path / "grid.svg").read_text()


def test_a_place_that_is_to_do_says_what_a_click_does_not(show, studying):
    view = show(StudyPanel).grid.views[0]
    asked = []
    view.wanted.connect(lambda *at: asked.append(at))
    QTest.mouseClick(view, Qt.MouseButton.LeftButton, NO_KEY, view.place(2, 1).center().toPoint())
    assert asked == []
