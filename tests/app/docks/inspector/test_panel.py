"""The Inspector dock: what is true of one instance, or of many."""

import msgspec
import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from emberscope.labels import BACKGROUND
from emberscope.project import mark
from emberscope_app.docks.inspector.facts import facts, nearest, summary
from emberscope_app.docks.inspector.panel import InspectorPanel
from emberscope_app.pixels.chip_cache import chip_cache
from emberscope_app.theme.look import look

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def panel(session, qtbot):
    found = InspectorPanel(session)
    qtbot.addWidget(found)
    found.resize(368, 640)
    found.show()
    return found


def best_of(session, bag):
    members = session.run.bags.of(bag)
    return int(members[np.argmax(session.run.point_scores["score"][members])])


def test_votes_of_neighbors_name_no_witness(session):
    found = facts(session.project, session.run, best_of(session, 0))
    assert found.verdict == "Target, top score of its bag"


def test_what_a_method_ranks_first_in_a_positive_bag_is_its_likely_witness(session):
    first = int(session.run.bags.of(0)[-1])
    witness = np.full(len(session.run.ids), 0.2, np.float32)
    witness[first] = 0.9
    run = msgspec.structs.replace(
        session.run, point_scores={**session.run.point_scores, "witness": witness}
    )
    found = facts(session.project, run, first)
    assert found.verdict == "Target, likely witness"
    assert ("Witness", "0.90") in found.lines
    assert (found.ranking.unit, found.ranking.rows[0]) == ("witness", first)
    assert dict(found.lines)["Bag"] == "100, relaxed box r 0.80"
    assert dict(found.lines)["Frame"] == "range_pass_01, 1"


def test_what_is_marked_as_background_is_never_the_reason_of_its_bag(session):
    best = best_of(session, 0)
    before = facts(session.project, session.run, best).ranking.rows
    session.do(mark(session.project, [int(session.run.ids[best])], BACKGROUND))
    found = facts(session.project, session.run, best)
    assert (found.verdict, found.ranking.rows[0]) == ("Background, marked", before[1])
    assert best not in found.ranking.rows
    assert "Score" not in dict(found.lines)
    second = facts(session.project, session.run, int(before[1]))
    assert second.verdict == "Target, top score of its bag"


def test_votes_of_neighbors_do_not_contradict_the_witness_score(session):
    run = session.run
    votes = run.point_scores["score"]
    low = int(run.bags.of(0)[np.argmin(votes[run.bags.of(0)])])
    ranks = np.linspace(0.1, 0.9, len(run.ids)).astype(np.float32)
    found = facts(
        session.project,
        msgspec.structs.replace(run, point_scores={"witness": ranks, "score": votes}),
        low,
    )
    assert "looks like" not in found.verdict
    assert "Score" not in dict(found.lines)


def test_many_are_counted_by_witness_score_where_the_run_has_it(session):
    run = msgspec.structs.replace(
        session.run, point_scores={"witness": np.full(len(session.run.ids), 0.97)}
    )
    found = summary(session.project, run, np.arange(10))
    assert (found.unit, found.scores[-1]) == ("witness", 10)


def test_where_several_have_the_top_score_none_is_called_the_witness(session):
    run = session.run
    run.point_scores["score"][run.bags.of(0)] = 1.0
    assert facts(session.project, run, 0).verdict == "Target, shares the top score"


def test_an_instance_against_the_label_of_its_bag_says_what_it_looks_like(session):
    run = session.run
    low = int(run.bags.of(0)[np.argmin(run.point_scores["score"][run.bags.of(0)])])
    assert facts(session.project, run, low).verdict == "Target, looks like background"


def test_a_mark_is_named(session):
    session.do(mark(session.project, [int(session.run.ids[0])], 2))
    assert facts(session.project, session.run, 0).verdict == "Background, marked"


def test_shares_of_a_positive_bag_add_up_with_the_rest(session):
    run = session.run
    ranking = facts(session.project, run, 0).ranking
    scores = np.sort(run.point_scores["score"][run.bags.of(0)])[::-1]
    np.testing.assert_allclose(ranking.values, scores[:5] / scores.sum(), rtol=1e-6)
    assert ranking.title == "Why is bag 100 positive"
    assert ranking.more == "11 more"


def test_a_negative_bag_shows_what_looks_most_like_a_target(session):
    negative = int(np.flatnonzero(session.run.bag_labels < 0)[0])
    ranking = facts(session.project, session.run, int(session.run.bags.of(negative)[0])).ranking
    assert ranking.title.startswith("Most target-like in bag")
    assert ranking.unit == "score"


def test_a_run_without_scores_has_no_ranking(session):
    session.run.point_scores.clear()
    found = facts(session.project, session.run, 0)
    assert found.ranking is None
    assert [name for name, _ in found.lines] == ["Bag", "Frame"]


def test_neighbors_are_the_nearest_in_the_map():
    Z = np.array([[0.0], [5.0], [1.0], [np.nan], [-2.0]])
    rows, far = nearest(Z, 0, count=3)
    assert rows.tolist() == [2, 4, 1]
    assert far.tolist() == [1.0, 2.0, 5.0]


def test_a_single_instance_has_no_neighbors():
    assert len(nearest(np.zeros((1, 2)), 0)[0]) == 0


def test_many_are_counted_by_class_bag_and_frame(session):
    found = summary(session.project, session.run, np.arange(288))
    assert [(title, count) for title, _, count in found.classes] == [
        ("Target", 192),
        ("Background", 96),
    ]
    assert (found.bags, found.frames) == (18, 6)
    assert found.scores.sum() == 288


def test_nothing_pointed_at_says_what_to_do(panel):
    assert panel.empty.isVisible()
    assert panel.empty.sentence.text() == "Point at a chip or a map point."


def test_while_nothing_is_pointed_at_the_likeliest_target_of_a_positive_bag_is_a_click_away(
    panel, session
):
    run = session.run
    run.point_scores["witness"] = np.linspace(0.0, 1.0, len(run.ids), dtype=np.float32)
    positive = run.members[np.repeat(run.bag_labels > 0, np.diff(run.indptr))]
    panel.read()
    panel.empty.button.click()
    assert session.selection.ids.tolist() == [run.ids[positive.max()]]


def test_a_run_without_witness_scores_offers_none(panel, session):
    session.run.point_scores.pop("witness", None)
    panel.read()
    assert panel.empty.button.isHidden()


def test_it_follows_the_pointer_then_the_selection(panel, session, qtbot):
    session.selection.set_hover(int(session.run.ids[7]))
    qtbot.waitUntil(lambda: panel.shown == session.run.ids[7])
    session.selection.select(session.run.ids[3:4])
    session.selection.set_hover(None)
    qtbot.waitUntil(lambda: panel.shown == session.run.ids[3])
    assert panel.count.startswith("instance ")


def test_many_selected_are_summed_up(panel, session, qtbot):
    session.selection.select(session.run.ids[:40])
    qtbot.waitUntil(lambda: panel.card.summary is not None)
    assert panel.count == "40 instances"


def test_a_pinned_instance_stays(panel, session, qtbot):
    session.selection.select(session.run.ids[3:4])
    qtbot.waitUntil(lambda: panel.shown == session.run.ids[3])
    panel.pin.show()
    QTest.mouseClick(panel.pin, LEFT)
    session.selection.select(session.run.ids[9:10])
    panel.read()
    assert panel.shown == session.run.ids[3]
    QTest.mouseClick(panel.pin, LEFT)
    assert panel.shown == session.run.ids[9]


def test_pointing_at_a_chip_points_everywhere_and_keeps_the_page(panel, session, qtbot):
    session.selection.select(session.run.ids[3:4])
    qtbot.waitUntil(lambda: panel.shown == session.run.ids[3])
    rect, row = panel.card.spots[-1]
    QTest.mouseMove(panel.card, rect.center())
    assert session.selection.hover == session.run.ids[row]
    assert not panel._timer.isActive()
    assert panel.shown == session.run.ids[3]


def test_a_click_inspects_the_neighbor(panel, session, qtbot):
    session.selection.select(session.run.ids[3:4])
    qtbot.waitUntil(lambda: panel.shown == session.run.ids[3])
    rect, row = panel.card.spots[-1]
    QTest.mouseClick(panel.card, LEFT, Qt.KeyboardModifier.NoModifier, rect.center())
    assert session.selection.ids.tolist() == [session.run.ids[row]]
    assert panel.shown == session.run.ids[row]


def test_a_new_mark_changes_the_verdict_on_show(panel, session, qtbot):
    session.selection.select(session.run.ids[3:4])
    session.mark_selection(2)
    qtbot.waitUntil(
        lambda: panel.card.facts is not None and panel.card.facts.verdict == "Background, marked"
    )


def test_screenshots(panel, session, qtbot, screenshot):
    session.selection.select(session.run.ids[best_of(session, 2) : best_of(session, 2) + 1])
    qtbot.waitUntil(lambda: panel.card.facts is not None)
    panel.grab()
    qtbot.waitUntil(lambda: not chip_cache(session).waiting)
    for theme in ("dark", "light"):
        look().apply(theme)
        assert screenshot(panel, "inspector").exists()
