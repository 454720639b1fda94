"""A project of points speaks of bags and instances in every dock, and of no frames."""

import pytest
from PySide6.QtCore import Qt

from emberscope.findings.judged.levels import BAG, DETECTION
from emberscope.judging.judge import judge_run
from emberscope.pipeline.project_run import run
from emberscope.project import Project, PutRuns
from emberscope.project.exchange.found_sources import found_sources
from emberscope.project.exchange.sources import add_source
from emberscope.project.nouns import OF_POINTS
from emberscope_app.docks.evaluate.roc import RocPanel
from emberscope_app.docks.evaluate.study import StudyPanel
from emberscope_app.docks.labels.panel import LabelsPanel
from emberscope_app.docks.points.panel import PointsPanel
from emberscope_app.docks.run.split import SplitSection
from emberscope_app.docks.sources.panel import SourcesPanel
from emberscope_app.sheets.found_list import groups_of, summary
from emberscope_app.state.runs.evaluation import evaluation_of

from ...layout import written

BAGS = 12
ROWS = [f"{k},{k % 2},{k % 2 * 3 + n},{n}" for k in range(BAGS) for n in range(2)]


@pytest.fixture
def points(tmp_path):
    """Twelve bags of two instances of two features."""
    path = tmp_path / "bags.csv"
    path.write_text("\n".join(["bag,label,x1,x2", *ROWS]))
    project = Project()
    project.apply(add_source(project, path))
    return project


@pytest.fixture
def opened(empty_session, points):
    empty_session.replace(points, None)
    return empty_session


@pytest.fixture
def judged(opened, tmp_path, points):
    """The same with a run that is judged."""
    recipe = points.recipe.__class__(**{**as_fields(points.recipe), "method": "pca"})
    found = run(points, recipe, cache=tmp_path / "cache")
    opened.do(PutRuns(title="Run", after=[found]))
    opened.focus.set(run=found.id)
    return opened


def as_fields(recipe):
    return {name: getattr(recipe, name) for name in recipe.__struct_fields__}


def made(kind, session, qtbot):
    panel = kind(session)
    qtbot.addWidget(panel)
    panel.resize(400, 400)
    panel.show()
    return panel


def test_labels_lists_those_of_a_bag(opened, qtbot):
    panel = made(LabelsPanel, opened, qtbot)
    assert panel.count == "1 on this bag"
    rows = [panel.list.rows.words(thing, 0) for thing in panel.list.rows.rows]
    assert "On this bag" in rows
    assert "Bag, 2 instances" in rows


def test_sources_counts_point_sets(opened, qtbot):
    assert made(SourcesPanel, opened, qtbot).count == "1 point set"


def test_bags_are_held_out(qtbot):
    section = SplitSection()
    qtbot.addWidget(section)
    section.show_nouns(OF_POINTS)
    words = [section.choice.itemText(at) for at in range(section.choice.count())]
    assert words == ["single bags", "whole point sets", "bags, always"]


def test_what_was_found_is_bags_of_features(points):
    found = found_sources(list(points.sources.values()), new=points.sources, notes={})
    assert summary(found) == "1 point set; 12 bags"
    assert [(one.words, one.count) for one in groups_of(found)] == [
        ("point set, 2 features", "12 bags")
    ]


def test_a_run_on_points_is_judged_by_bags_first(judged, qtbot):
    panel = made(RocPanel, judged, qtbot)
    evaluation = evaluation_of(judged)
    evaluation._keep(judge_run(judged.project, judged.run))
    assert evaluation.level == BAG
    assert panel.count == "12 bags, held out"
    assert not panel.levels.button(DETECTION).isVisible()


def test_a_level_that_somebody_chose_stays_and_its_button_goes_to_bags(judged, qtbot):
    panel = made(RocPanel, judged, qtbot)
    evaluation = evaluation_of(judged)
    evaluation.show(level="instance")
    evaluation._keep(judge_run(judged.project, judged.run))
    assert panel.empty.button.text() == "Judge by bags"
    panel.empty.button.click()
    assert evaluation.level == BAG


def test_a_level_that_was_chosen_in_another_project_does_not_stay(judged):
    evaluation = evaluation_of(judged)
    evaluation.show(level="instance")
    judged.replace(judged.project, None)
    evaluation._keep(judge_run(judged.project, next(iter(judged.project.runs.values()))))
    assert evaluation.level == BAG


def test_a_study_of_one_run_offers_another_run(judged, qtbot):
    panel = made(StudyPanel, judged, qtbot)
    evaluation_of(judged)._keep(judge_run(judged.project, judged.run))
    assert panel.empty.button.text() == "Run again"


def test_points_lists_how_unlike_what_taught_each_instance_is(judged, qtbot):
    panel = made(PointsPanel, judged, qtbot)
    run = judged.run
    for n in map(int, panel.model.order[:3]):
        row = int((run.ids == panel.model.points.ids[n]).argmax())
        assert panel.model.words(n, 5) == f"{run.point_scores['novelty'][row]:.2f}"
    panel.model.sort(5, Qt.SortOrder.DescendingOrder)
    shown = [float(panel.model.words(int(n), 5)) for n in panel.model.order]
    assert shown == sorted(shown, reverse=True)


def test_numbers_of_novelty_end_where_their_heading_does(judged, qtbot):
    panel = made(PointsPanel, judged, qtbot)
    panel.resize(900, 400)
    left = panel.table.columnViewportPosition(5)
    ends = {text.place.right() for text in written(panel.table) if text.place.left() >= left}
    assert len(ends) == 1
