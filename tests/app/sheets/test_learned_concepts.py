"""What this run learned: its target concepts, a row each."""

import msgspec
import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from emberscope.findings.concept_counts import counts_of
from emberscope.findings.concepts import DISTANCES, concepts_of
from emberscope.project import PutRuns
from emberscope.project.model.concept_edits import drop_concept, rename_concept
from emberscope_app.docks.concepts.panel import ConceptsPanel
from emberscope_app.docks.run.finished_runs import HistoryModel
from emberscope_app.sheets.learned import ConceptsPart
from emberscope_app.theme import tokens
from emberscope_app.theme.look import look


@pytest.fixture
def shown(session, build_run):
    """Run 12 has two concepts, of coverage .8 and .4: the first in bag 0, the second in bag 1."""
    run = build_run(run_id=12)
    distances = np.full((len(run.ids), 2), 9.0, np.float32)
    distances[run.bags.of(0)[0], 0], distances[run.bags.of(1)[1], 1] = 0.1, 0.2
    state = {
        "coverage_": np.array([0.8, 0.4]),
        "contrast_": np.array([9.0, 400.0]),
        "purity_": np.ones(2),
        "suggested_": 1,
    }
    session.do(
        PutRuns(
            after=[msgspec.structs.replace(run, state=state, diagnostics={DISTANCES: distances})]
        )
    )
    return session


@pytest.fixture
def part(shown, qtbot):
    found = ConceptsPart(shown)
    qtbot.addWidget(found)
    found.resize(396, 200)
    found.show_run(shown.run)
    found.show()
    return found


def test_every_concept_has_a_row(part):
    assert part.table.accessibleName() == (
        "Concept 1, coverage 0.80, contrast 9, 1 bag; Concept 2, coverage 0.40, contrast > 100, 1 "
        "bag"
    )


def test_a_concept_that_tells_nothing_says_so_and_has_no_star(shown, qtbot):
    weak = msgspec.structs.replace(
        shown.run, state=shown.run.state | {"contrast_": np.array([9.0, 0.977])}
    )
    shown.do(PutRuns(before=[shown.run], after=[weak]))
    found = ConceptsPart(shown)
    qtbot.addWidget(found)
    found.show_run(weak)
    assert [row.tells for row in found.table.rows] == [True, False]
    assert found.table.accessibleName().endswith("contrast 0.977, 1 bag, tells nothing")
    assert found.words.text().startswith(
        "1 suggested, 2 looked for: 2 found and shown, of which 1 tells nothing."
    )


def test_a_click_on_a_row_selects_its_instances(part, shown):
    QTest.mouseClick(part.table, Qt.MouseButton.LeftButton, pos=QPoint(30, tokens.ROW * 2 + 5))
    found = concepts_of(shown.run)
    assert shown.selection.ids.tolist() == shown.run.ids[found.members(1)].tolist()


def test_names_are_those_given_in_the_dock(part, shown):
    shown.do(rename_concept(shown.project, shown.run, 1, "van"))
    part.show_run(shown.run)
    assert part.table.rows[1].name == "2 van"


def test_a_run_without_concepts_has_no_such_part(part, shown):
    assert not part.show_run(shown.project.runs[11])


def test_dock_sheet_and_history_say_the_same_of_how_many_there_are(part, shown, qtbot):
    shown.do(drop_concept(shown.project, shown.run, [1]))
    counts = counts_of(concepts_of(shown.run, shown.project))
    assert counts.words == "1 suggested, 2 looked for: 2 found, by hand 1 dropped: 1 shown"
    part.show_run(shown.run)
    dock, history = ConceptsPanel(shown), HistoryModel(shown)
    qtbot.addWidget(dock)
    history.read()
    assert part.words.text() == dock.counts.text() == counts.sentence
    assert (dock.count, dock.gains.words) == ("1 shown", "1 suggested")
    assert history.beside(0).startswith("1 concept shown")
    assert history.data(history.index(0, 0), Qt.ItemDataRole.ToolTipRole).endswith(counts.sentence)
    assert "concept" not in history.beside(1)


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_screenshots(part, screenshot, theme):
    look().apply(theme)
    screenshot(part, "learned-concepts")


def test_the_objective_and_the_paths_of_concepts_are_shown_where_a_run_keeps_them(shown, part):
    assert not part.search.isVisibleTo(part)
    state = shown.run.state | {
        "objectives_": np.array([3.0, 2.0]),
        "paths_": np.array([[[0.0, 0.0], [4.0, 4.0]], [[1.0, 2.0], [4.0, 3.0]]]),
    }
    part.show_run(msgspec.structs.replace(shown.run, state=state))
    assert part.search.objective.isVisibleTo(part)
    assert part.search.paths.accessibleName() == "Paths of 2 concepts on the map over 1 round"


def test_a_figure_of_the_paths_can_be_saved_with_the_command_that_draws_it(shown, part):
    wanted = []
    shown.figure_wanted.connect(wanted.append)
    state = {"paths_": np.array([[[0.0, 0.0]], [[1.0, 2.0]]]), "coverage_": np.ones(1)}
    part.search.show_run(msgspec.structs.replace(shown.run, state=state))
    part.search.paths.actions()[0].trigger()
    assert wanted[0].name == "run12-concept-paths"
