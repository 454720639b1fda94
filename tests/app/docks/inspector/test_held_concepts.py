"""The Inspector: which concepts made a bag positive, and by which instance."""

import msgspec
import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from emberscope.findings.concepts import DISTANCES
from emberscope.project import PutRuns
from emberscope_app.docks.inspector.facts import facts
from emberscope_app.docks.inspector.panel import InspectorPanel


@pytest.fixture
def shown(session, build_run):
    """Bag 0 surely holds concept 2 by its second instance and concept 1 by its first; bag 1 holds
    concept 1 alone."""
    run = build_run(run_id=12)
    distances = np.full((len(run.ids), 3), 9.0, np.float32)
    first, second = run.bags.of(0)[:2]
    distances[first, 0], distances[second, 1], distances[run.bags.of(1)[0], 0] = 0.05, 0.01, 0.3
    named = ("coverage_", "contrast_", "purity_")
    session.do(
        PutRuns(
            after=[
                msgspec.structs.replace(
                    run,
                    state={name: np.ones(3) for name in named},
                    diagnostics={DISTANCES: distances},
                )
            ]
        )
    )
    return session


def about(session, bag, nth=2):
    return facts(session.project, session.run, int(session.run.bags.of(bag)[nth]))


def test_concepts_of_a_bag_come_the_likeliest_first_each_with_the_instance_that_holds_it(shown):
    first, second = shown.run.bags.of(0)[:2].tolist()
    assert [(one.name, one.row) for one in about(shown, 0).held] == [
        ("Concept 2", second),
        ("Concept 1", first),
    ]
    assert about(shown, 0).held[0].probability == pytest.approx(np.exp(-0.01), abs=0.01)


def test_a_concept_that_tells_nothing_is_no_star(shown):
    """Contrast 1: as likely in negative bags."""
    assert [one.tells for one in about(shown, 0).held] == [False, False]
    telling = msgspec.structs.replace(
        shown.run, state={**shown.run.state, "contrast_": np.array([1.0, 9.0, 1.0])}
    )
    shown.do(PutRuns(before=[shown.run], after=[telling]))
    assert [one.tells for one in about(shown, 0).held] == [True, False]


def test_two_sure_concepts_are_said(shown):
    assert about(shown, 0).several == "two concepts"
    assert about(shown, 1).several == ""


def test_a_bag_without_concepts_has_no_such_part(shown):
    assert about(shown, 2).held == ()


def test_a_click_goes_to_the_instance_that_holds_the_concept(shown, qtbot):
    panel = InspectorPanel(shown)
    qtbot.addWidget(panel)
    panel.resize(368, 800)
    panel.show()
    run = shown.run
    shown.selection.select(run.ids[run.bags.of(0)[2:3]])
    qtbot.waitUntil(lambda: panel.card.facts is not None and bool(panel.card.facts.held))
    assert "holds Concept 2" in panel.card.accessibleName()
    held = panel.card.facts.held[0]
    neighbors = len(panel.card.spots) - 1 - len(panel.card.facts.ranking.rows) - 2
    rect, row = panel.card.spots[-neighbors - 2]
    assert row == held.row
    QTest.mouseClick(
        panel.card, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, rect.center()
    )
    assert shown.selection.ids.tolist() == [run.ids[held.row]]
