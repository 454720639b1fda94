"""The history of runs: which numbers it has, what spoils them, and how much room it takes."""

import msgspec
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from emberscope.mil.rules.agreement import ABOUT_GROUND
from emberscope.project import PutRuns
from emberscope.project.model.parts import ALL, Part, packed
from emberscope_app.docks.run.finished_runs import classified_words
from emberscope_app.docks.run.panel import RunPanel
from emberscope_app.theme import tokens

TWO_CLIPS = {
    "method_bag_auc": 0.87,
    "method_bag_auc_low": 0.8,
    "method_bag_auc_high": 0.93,
    "method_bag_clips": 2.0,
    "method_bag_clips_not_judged": 0.0,
    "bag_auc_without_targets": 0.92,
}
TRUTHS = {"inside_auc": 0.85, "inside_auc_low": 0.8, "inside_auc_high": 0.9, "map_accuracy": 0.73,
          "witness_found_bags": 40.0}
BACKGROUND_TELLS = "Bag AUC 0.95: background alone tells the bags apart."


@pytest.fixture
def panel(session, qtbot):
    """As wide as in the usual window, and as tall."""
    found = RunPanel(session)
    qtbot.addWidget(found)
    found.resize(300, 930)
    found.show()
    return found


def with_runs(session, count, **fields):
    old = list(session.project.runs.values())
    new = [msgspec.structs.replace(session.run, id=20 + at, **fields) for at in range(count)]
    session.do(PutRuns(before=old, after=new))


def headings(model):
    return [model.headerData(at, Qt.Orientation.Horizontal) for at in range(model.columnCount())]


def rows_in_sight(panel):
    table = panel.history.table
    high = table.viewport().height()
    return sum(table.rowViewportPosition(row) + table.rowHeight(row) <= high
               for row in range(len(panel.history.model.runs)))


def test_with_truth_the_history_compares_the_ranking_inside_bags_and_the_map(panel, session):
    with_runs(session, 1, metrics={**TWO_CLIPS, **TRUTHS})
    model = panel.history.model
    assert headings(model)[2:] == ["Bag AUC", "Inside", "Map"]
    assert [model.index(0, at).data() for at in (2, 3, 4)] == ["0.87", "0.85", "0.73"]


def test_without_truth_one_number_has_the_room_with_its_interval(panel, session):
    with_runs(session, 1, metrics=TWO_CLIPS)
    assert headings(panel.history.model)[2:] == ["Held-out bag AUC"]
    assert panel.history.model.index(0, 2).data() == "0.87 (0.80 \u2013 0.93)"


def test_a_number_that_rests_on_fewer_than_five_bags_is_not_in_the_history(panel, session):
    with_runs(session, 1, metrics={**TWO_CLIPS, **TRUTHS, "witness_found_bags": 4.0})
    assert panel.history.model.index(0, 3).data() == "\u2013"
    assert panel.history.model.interval(0, 3) is None


def test_a_row_tells_its_intervals_to_who_cannot_see_their_lines(panel, session):
    with_runs(session, 1, metrics={**TWO_CLIPS, **TRUTHS})
    assert (
        panel.history.model.index(0, 3).data(Qt.ItemDataRole.AccessibleTextRole)
        == "0.85 (0.80 \u2013 0.90)"
    )


def test_a_decisive_note_stands_in_the_row_whose_number_it_spoils(panel, session):
    with_runs(session, 1, metrics=TWO_CLIPS, notes=[BACKGROUND_TELLS])
    assert panel.history.model.doubts(0) == "background alone 0.92"


def test_a_decisive_note_about_a_number_that_is_no_column_stands_in_the_row_too(panel, session):
    with_runs(session, 1, metrics=TWO_CLIPS, notes=[BACKGROUND_TELLS, ABOUT_GROUND])
    assert panel.history.model.doubts(0) == "witness often ground, background alone 0.92"


def test_that_a_number_was_left_out_hides_no_clip_far_below_the_mean(panel, session):
    low = {"map_accuracy": 0.55, "witness_found_bags": 20.0}
    left_out = (
        "Bags are not held out: the method would have to be fitted 5 times more, which "
        "takes about 97 s."
    )
    with_runs(
        session,
        1,
        metrics=TRUTHS,
        notes=[left_out],
        diagnostics=packed(
            "truths", [Part(10, ALL, low), Part(11, ALL, {**low, "map_accuracy": 0.91})]
        ),
    )
    assert panel.history.model.doubts(0) == "Map: worst clip 0.55"


def test_a_clip_far_below_the_mean_stands_in_the_row(panel, session):
    low = {"map_accuracy": 0.55, "witness_found_bags": 20.0}
    clips = [Part(10, ALL, low), Part(11, ALL, {**low, "map_accuracy": 0.91})]
    with_runs(session, 1, metrics={**TWO_CLIPS, **TRUTHS}, diagnostics=packed("truths", clips))
    assert panel.history.model.doubts(0) == "Map: worst clip 0.55"


def test_a_row_that_something_spoils_has_a_line_more(panel, session):
    with_runs(session, 1, metrics=TWO_CLIPS)
    before = panel.history.table.rowHeight(0)
    with_runs(session, 1, metrics=TWO_CLIPS, notes=[BACKGROUND_TELLS])
    assert panel.history.table.rowHeight(0) > before


@pytest.mark.parametrize("notes", [[], [BACKGROUND_TELLS]])
def test_five_runs_are_in_sight_at_the_usual_size(panel, session, qtbot, notes):
    with_runs(session, 12, metrics={**TWO_CLIPS, **TRUTHS}, notes=notes)
    qtbot.waitUntil(lambda: rows_in_sight(panel) >= 5)


def test_the_history_takes_no_more_room_than_its_runs_need(panel, session, qtbot):
    with_runs(session, 2, metrics=TWO_CLIPS)
    heights = sum(panel.history.table.rowHeight(row) for row in range(2))
    qtbot.waitUntil(lambda: panel.history.height() == tokens.ROW + heights + 2)


def test_in_a_low_panel_two_runs_are_in_sight_and_the_form_keeps_the_rest(panel, session, qtbot):
    with_runs(session, 12, metrics=TWO_CLIPS)
    panel.resize(300, 420)
    qtbot.waitUntil(lambda: panel.height() == 420)
    assert rows_in_sight(panel) >= 2
    assert panel.history.height() <= 420 * 0.4


def test_no_heading_of_the_history_is_cut(panel, session, qtbot):
    with_runs(session, 12, metrics={**TWO_CLIPS, **TRUTHS})
    header = panel.history.table.horizontalHeader()
    metrics = header.fontMetrics()
    assert isinstance(header, QWidget)
    for at, words in enumerate(headings(panel.history.model)):
        assert metrics.horizontalAdvance(words) <= header.sectionSize(at) - 6, words


@pytest.mark.parametrize(("more", "said"), [({}, False), ({"bag_r2": 0.974}, True)])
def test_a_classifier_that_predicts_numbers_of_bags_says_how_well(session, more, said):
    recipe = msgspec.structs.replace(session.run.recipe, classifier="mi-regression")
    metrics = {"bag_accuracy": 0.9, "bag_accuracy_low": 0.8, "bag_accuracy_high": 0.95,
               "bag_majority": 0.5, "bag_auc": 0.97, **more}
    run = msgspec.structs.replace(session.run, recipe=recipe, metrics=metrics)
    assert ("R² 0.97" in classified_words(run)) is said
