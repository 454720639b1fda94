"""The cards judge by the method of a run, or by its classifier."""

import pytest

from emberscope.findings.judged.levels import CLASSIFIER, METHOD
from emberscope_app.docks.evaluate.roc import RocPanel
from emberscope_app.docks.evaluate.runs import RunsPanel
from emberscope_app.docks.ranking.panel import RankingPanel

from .conftest import with_classifier


@pytest.fixture
def classified(judged_session):
    """The last run has a classifier, and the others have none."""
    runs = judged_session.project.runs
    runs[3] = with_classifier(runs[3])
    return judged_session


def chosen(card, by, qtbot):
    card.scores_of.choice.button(by).click()
    found = card.evaluation
    qtbot.waitUntil(lambda: found.judged(found.active.id) is not None)


def test_a_click_judges_by_the_classifier(classified, show, evaluation, qtbot):
    card = show(RunsPanel)
    chosen(card, CLASSIFIER, qtbot)
    held = classified.project.runs[3].diagnostics["classifier_held"]
    assert set(evaluation.tally().level.score) <= set(held.astype(float))


def test_and_back_by_the_method(classified, show, evaluation, qtbot):
    card = show(RunsPanel)
    before = evaluation.tally().level.area
    chosen(card, CLASSIFIER, qtbot)
    chosen(card, METHOD, qtbot)
    assert evaluation.tally().level.area == before


def test_without_a_classifier_there_is_nothing_to_choose(show):
    assert not show(RunsPanel).scores_of.isVisible()


def test_a_run_without_a_classifier_offers_to_be_judged_by_its_method(
    classified, show, evaluation, qtbot
):
    roc = show(RocPanel)
    evaluation.show(by=CLASSIFIER)
    classified.focus.set(run=2)
    evaluation.check(2, True)
    qtbot.waitUntil(lambda: evaluation.judged(2) is not None)
    assert roc.empty.sentence.text().startswith("Run 2 has no classifier.")
    assert roc.empty.button.text() == "Judge by its method"
    roc.empty.button.click()
    assert evaluation.by == METHOD


def test_the_command_says_whose_scores(classified, show, evaluation):
    card = show(RunsPanel)
    evaluation.show(by=CLASSIFIER)
    assert card.command_words.endswith("--level instance --by classifier")


def test_heat_on_scored_clips_follows_no_threshold_of_a_classifier(
    classified, show, evaluation, qtbot
):
    card = show(RunsPanel)
    chosen(card, CLASSIFIER, qtbot)
    assert evaluation.shown_threshold() is None


def test_the_ranking_ranks_by_the_same_scores(classified, show, evaluation, qtbot):
    card = show(RankingPanel)
    evaluation.show(by=CLASSIFIER)
    qtbot.waitUntil(lambda: evaluation.judged(3) is not None)
    held = classified.project.runs[3].diagnostics["classifier_held"]
    assert card.ranking.score[0] == pytest.approx(held.max())
