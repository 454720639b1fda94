"""The Concepts dock: cards of the kinds of targets a run found, linked with every view."""

from dataclasses import replace

import msgspec
import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from emberscope.findings.concept_looks import concept_color
from emberscope.findings.concepts import DISTANCES, ELLIPSES, HALVES, STARS, concepts_of
from emberscope.labels.model import BACKGROUND
from emberscope.project import PutRuns
from emberscope_app.chips.model import arrange
from emberscope_app.docks.concepts.panel import AGAIN, NOTHING, ConceptsPanel
from emberscope_app.sheets.export import ExportSheet
from emberscope_app.state.core.layers_on import GROUND_SQUARES
from emberscope_app.state.knowledge.points import style_points
from emberscope_app.theme.tokens import DARK

LEFT, CTRL = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ControlModifier


def with_concepts(run):
    """The hot instances of even positive bags are of concept 1, those of odd ones of concept 2; run
    12."""
    hot = run.point_scores["score"] > 0.5
    bag = run.bags.first_bag(len(run.ids))
    distances = np.full((len(run.ids), 2), 9.0, np.float32)
    for k in (0, 1):
        own = hot & (bag % 2 == k)
        distances[own, k] = 0.1 + 0.5 * (1 - run.point_scores["score"][own])
    return msgspec.structs.replace(
        run,
        id=12,
        recipe=msgspec.structs.replace(run.recipe, method="fcmi"),
        state={
            "coverage_": np.array([0.8, 0.5]),
            "contrast_": np.array([500.0, 3.0]),
            "purity_": np.array([1.0, np.nan]),
            "scales_": np.array([[400.0, 1.0], [1.0, 1.0]]),
            "gains_": np.array([0.5, 0.3, 0.05]),
            "suggested_": 2,
        },
        diagnostics={
            DISTANCES: distances,
            STARS: np.array([[2.0, 1, 0.5], [0, 0, 0]], np.float32),
            ELLIPSES: np.stack([np.eye(3), np.eye(3)]).astype(np.float32),
            HALVES: np.where(bag % 4 < 2, 1, 2)[:, None].repeat(2, axis=1).astype(np.int8),
        },
    )


@pytest.fixture
def panel(session, build_run, qtbot):
    session.do(PutRuns(after=[with_concepts(build_run())]))
    found = ConceptsPanel(session)
    qtbot.addWidget(found)
    found.resize(320, 640)
    with qtbot.waitExposed(found):
        found.show()
    return found


def click(panel, row, keys=Qt.KeyboardModifier.NoModifier):
    at = panel.table.visualRect(panel.model.index(row, 0)).center()
    QTest.mouseClick(panel.table.viewport(), LEFT, keys, at)


def test_a_run_without_concepts_says_which_methods_find_some(session, qtbot):
    panel = ConceptsPanel(session)
    qtbot.addWidget(panel)
    assert panel.empty.sentence.text() == NOTHING
    assert panel.count == ""


def test_a_run_of_an_older_version_says_to_run_again(session, build_run, qtbot):
    run = with_concepts(build_run())
    session.do(PutRuns(after=[msgspec.structs.replace(run, diagnostics={})]))
    panel = ConceptsPanel(session)
    qtbot.addWidget(panel)
    assert panel.empty.sentence.text() == AGAIN


def test_a_card_says_how_strong_a_concept_is(panel):
    assert panel.count == "2 shown"
    found = concepts_of(panel.session.run)
    assert panel.model.rows[0].words == (
        f"Concept 1, {len(found.bags(0))} bags, {len(found.witnesses(0))} witnesses, elongated 20 "
        ": 1, coverage 0.80, contrast > 100, purity 1.00"
    )
    assert "purity" not in panel.model.rows[1].words


def test_the_gain_curve_says_how_many_concepts_it_suggests(panel):
    assert panel.gains.words == "2 suggested"
    assert len(panel.gains.bars()) == 3


def test_a_card_of_a_concept_that_tells_nothing_says_so(panel):
    card = replace(panel.model.rows[0], contrast=0.977, tells=False)
    assert card.about.startswith("tells nothing")


def test_a_click_on_a_card_selects_its_instances_everywhere(panel):
    click(panel, 1)
    found = concepts_of(panel.session.run)
    assert panel.session.selection.ids.tolist() == sorted(found.run.ids[found.members(1)].tolist())
    assert len(panel.session.selection.ids)


def test_a_selection_made_elsewhere_takes_the_choice_away(panel):
    click(panel, 0)
    panel.session.selection.select(panel.session.run.ids[:3])
    assert panel.chosen == []
    assert not panel.bar.buttons["make"].isEnabled()


def test_a_card_chosen_again_selects_again(panel):
    click(panel, 0)
    panel.session.selection.clear()
    click(panel, 0)
    assert len(panel.session.selection)


def test_pointing_at_a_chip_points_at_its_instance_in_every_view(panel):
    cells = panel.table.delegate.cells(panel.model.index(0, 0))
    place = [rect for cell, rect in cells if cell.does is not None][2]
    QTest.mouseMove(panel.table.viewport(), place.center() + QPoint(-1, 0))
    QTest.mouseMove(panel.table.viewport(), place.center())
    assert panel.table.chip_at(place.center()) == panel.model.rows[0].nearest[2]
    assert panel.session.selection.hover == panel.session.run.ids[panel.model.rows[0].nearest[2]]


def test_the_concept_of_the_instance_pointed_at_lights_up(panel):
    found = concepts_of(panel.session.run)
    panel.session.selection.set_hover(int(found.run.ids[found.members(1)[0]]))
    assert panel.model.pointed == 1


def test_a_concept_becomes_a_class_in_one_step_that_can_be_taken_back(panel):
    session = panel.session
    found, steps = concepts_of(session.run), session.undo_stack.count()
    click(panel, 0)
    panel.bar.name.setText("Truck")
    panel.bar.buttons["make"].click()
    info = next(info for info in session.project.classes.values() if info.name == "Truck")
    ids = found.run.ids[found.witnesses(0)]
    assert info.role == 1
    assert session.project.marks.of(ids).tolist() == [info.id] * len(ids)
    assert panel.model.rows[0].name == "1 Truck"
    assert session.undo_stack.count() == steps + 1
    session.undo_stack.undo()
    assert "Truck" not in {known.name for known in session.project.classes.values()}
    assert not session.project.marks
    assert panel.model.rows[0].name == "Concept 1"


def test_witnesses_join_the_class_that_has_the_name(panel):
    session = panel.session
    known = session.project.classes[1]
    before = len(session.project.classes)
    click(panel, 0)
    panel.bar.name.setText(known.name.upper())
    panel.bar.make_class()
    assert len(session.project.classes) == before
    assert set(session.project.marks.values()) == {known.id}


def test_two_cards_chosen_are_merged_in_one_step(panel):
    session, steps = panel.session, panel.session.undo_stack.count()
    click(panel, 0)
    assert not panel.bar.buttons["merge"].isEnabled()
    click(panel, 1, CTRL)
    panel.bar.buttons["merge"].click()
    assert [card.name for card in panel.model.rows] == ["Concept 1"]
    assert panel.model.rows[0].made_of == "1 and 2 merged"
    assert panel.chosen == [0]
    assert session.undo_stack.count() == steps + 1
    session.undo_stack.undo()
    assert [card.name for card in panel.model.rows] == ["Concept 1", "Concept 2"]


def test_cards_chosen_together_select_the_instances_of_all(panel):
    found = concepts_of(panel.session.run)
    click(panel, 0)
    click(panel, 1, CTRL)
    assert len(panel.session.selection) == len(found.members(0)) + len(found.members(1))


def test_a_split_concept_has_two_cards_and_keeps_its_number(panel):
    click(panel, 0)
    panel.bar.buttons["split"].click()
    assert [card.name for card in panel.model.rows] == ["Concept 1", "Concept 3", "Concept 2"]
    assert panel.model.rows[1].made_of == "half of 1"
    click(panel, 0)
    assert "cannot be split again" in panel.bar.buttons["split"].toolTip()


def test_a_dropped_concept_is_gone_from_cards_colors_and_groups_of_chips(panel):
    session = panel.session
    click(panel, 0)
    panel.bar.buttons["drop"].click()
    assert [card.name for card in panel.model.rows] == ["Concept 2"]
    legend = style_points(session.project, session.run, "concept", DARK).legend
    assert [(entry.title, entry.color) for entry in legend[:1]] == [
        ("Concept 2", concept_color(1, DARK.name))
    ]
    chips = arrange(
        session.project, session.run, np.arange(len(session.run.ids)), group="concept", sort="time"
    )
    assert [chips.heading(g).title for g in range(2)] == ["Concept 2", "No concept"]


def test_the_last_concept_stays(panel):
    click(panel, 0)
    panel.bar.buttons["drop"].click()
    click(panel, 0)
    assert panel.bar.buttons["drop"].toolTip() == "The last concept cannot be left out"


def test_a_concept_is_renamed_by_enter(panel):
    click(panel, 1)
    QTest.keyClicks(panel.bar.name, "pickup")
    QTest.keyClick(panel.bar.name, Qt.Key.Key_Return)
    assert panel.model.rows[1].name == "2 pickup"
    click(panel, 0)
    assert panel.bar.name.text() == ""
    click(panel, 1)
    assert panel.bar.name.text() == "pickup"


def test_the_menu_of_a_card_leads_back_to_what_the_run_found(panel):
    click(panel, 0)
    back = panel.bar.menu(panel).actions()[-1]
    assert not back.isEnabled()
    panel.bar.buttons["drop"].click()
    back = panel.bar.menu(panel).actions()[-1]
    back.trigger()
    assert len(panel.model.rows) == 2


def test_an_edited_concept_becomes_a_class_of_its_own_witnesses(panel):
    session = panel.session
    click(panel, 0)
    panel.bar.buttons["split"].click()
    found = concepts_of(session.run, session.project)
    click(panel, 1)
    panel.bar.name.setText("Truck")
    panel.bar.buttons["make"].click()
    assert sorted(session.project.marks) == sorted(found.run.ids[found.witnesses(1)].tolist())


def test_the_inspector_says_of_which_concept_an_instance_is(panel):
    found = concepts_of(panel.session.run)
    row, none = int(found.members(1)[0]), int(np.flatnonzero(found.concept < 0)[0])
    assert (
        "Concept",
        f"2, p {found.probability[row]:.2f}, cause {found.cause[row]:.2f}",
    ) in lines_of(panel, row)
    assert ("Concept", "none") in lines_of(panel, none)


def lines_of(panel, row):
    from emberscope_app.docks.inspector.facts import facts

    return facts(panel.session.project, panel.session.run, row).lines


def test_chips_are_grouped_by_concept_the_strongest_first(panel):
    run = panel.session.run
    found = concepts_of(run)
    chips = arrange(
        panel.session.project, run, np.arange(len(run.ids)), group="concept", sort="time"
    )
    assert [chips.heading(g).title for g in range(3)] == ["Concept 1", "Concept 2", "No concept"]
    assert [chips.heading(g).count for g in range(2)] == [
        int((found.concept == k).sum()) for k in (0, 1)
    ]
    signs = [(0, True), (1, True), None]  # whose stars they bear
    assert [chips.heading(g).concept for g in range(3)] == signs


def test_concepts_of_another_run_are_shown_with_this_one(panel):
    session = panel.session
    session.focus.set(run=11)
    assert panel.count == ""
    assert [panel.source.itemText(i) for i in range(panel.source.count())] == [
        "none",
        "Run 12, FCMI",
    ]
    panel.source.setCurrentIndex(1)
    panel.source.activated.emit(1)
    assert panel.count == "2 shown"
    assert (
        style_points(session.project, session.run, "concept", DARK).legend[0].title == "Concept 1"
    )
    click(panel, 0)
    panel.bar.buttons["drop"].click()  # an edit is of the run that found them
    session.focus.set(run=12)
    assert panel.count == "1 shown"
    session.undo_stack.undo()
    session.undo_stack.undo()
    session.focus.set(run=11)
    assert panel.count == ""


def test_a_project_with_one_run_offers_no_others(panel):
    panel.session.do(PutRuns(before=[panel.session.project.runs[11]]))
    assert panel.source.count() == 1
    assert not panel.source.isVisible()


def test_a_run_that_keeps_no_negative_clusters_cannot_show_them(panel):
    assert not panel.ground.isEnabled()
    assert "keeps no clusters" in panel.ground.toolTip()


def test_the_switch_of_clusters_is_one_with_that_of_the_search(panel):
    (ground, _) = panel.icons()
    panel.session.layers.switch(GROUND_SQUARES, True)
    assert ground.isChecked()
    ground.setChecked(False)
    assert not panel.session.layers.is_on(GROUND_SQUARES)


def test_targets_are_not_made_background(panel):
    click(panel, 0)
    panel.bar.name.setText(panel.session.project.classes[BACKGROUND].name)
    assert not panel.bar.buttons["make"].isEnabled()
    assert "is background" in panel.bar.buttons["make"].toolTip()


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_screenshots(panel, screenshot, qtbot, theme):
    from emberscope_app.theme.look import look

    look().apply(theme)
    click(panel, 0)
    panel.bar.name.setText("Truck")
    qtbot.waitUntil(lambda: panel.table.viewport().isVisible())
    screenshot(panel, "concepts")


def test_concepts_are_offered_for_export_where_a_run_has_some(session, build_run, qtbot):
    def offered():
        window = QWidget()
        qtbot.addWidget(window)
        sheet = ExportSheet(session, window)
        return sheet.forms["concepts"].isEnabled()

    assert not offered()
    session.do(PutRuns(after=[with_concepts(build_run())]))
    assert offered()
