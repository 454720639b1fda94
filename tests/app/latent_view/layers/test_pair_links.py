"""Links between paired chips on the map, and which of them the map does not keep."""

import numpy as np

from emberscope.labels.side_info import Pair
from emberscope.project import PutSide
from emberscope_app.latent_view.layers.pair_links import violated
from emberscope_app.latent_view.surfaces.map2d import Map2DPanel
from emberscope_app.latent_view.surfaces.map3d import Map3DPanel
from emberscope_app.state.labels.side import say_alike


class OnALine:
    Z = np.arange(10.0)[:, None]


def wrong(rows, same):
    return violated(OnALine.Z, np.array(rows), np.array(same)).tolist()


def test_far_pairs_that_are_the_same_and_near_ones_that_differ_are_violated():
    rows, same = [(0, 1), (2, 3), (0, 9), (1, 8), (4, 5)], [True, True, False, False, False]
    assert wrong(rows, same) == [False, False, False, False, True]


def test_pairs_of_one_kind_are_measured_against_any_two():
    assert wrong([(0, 1), (0, 9)], [True, True]) == [False, True]
    assert wrong([(0, 1), (0, 9)], [False, False]) == [True, False]


def test_pairs_that_the_map_keeps_are_not_violated():
    assert wrong([(0, 1), (0, 9)], [True, False]) == [False, False]


def test_without_pairs_there_is_nothing_to_draw():
    assert violated(OnALine.Z, np.zeros((0, 2), np.int64), np.zeros(0, bool)).tolist() == []


def test_a_pair_that_is_marked_is_drawn_and_one_that_is_gone_is_not(session, qtbot):
    panel = Map2DPanel(session)
    qtbot.addWidget(panel)
    assert not panel.toggles["pair_links"].isEnabled()
    session.selection.select(session.run.ids[[0, 5]])
    say_alike(session)
    assert [sorted(pair) for pair in panel.layers["pair_links"].links()[0].tolist()] == [[0, 5]]
    assert panel.toggles["pair_links"].isEnabled()
    session.undo_stack.undo()
    assert len(panel.layers["pair_links"].links()[0]) == 0


def test_pairs_of_chips_that_this_run_has_not_are_not_drawn(session, qtbot):
    session.do(PutSide(after=[Pair(id=500, a=1, b=2, same=True)]))
    panel = Map2DPanel(session)
    qtbot.addWidget(panel)
    assert panel.layers["pair_links"].why_not().startswith("No pairs of chips of this run")


def test_links_are_drawn_on_the_map_in_space_too_and_one_switch_is_for_both(map_session, qtbot):
    session = map_session(n=300)
    flat, space = Map2DPanel(session), Map3DPanel(session)
    for panel in (flat, space):
        qtbot.addWidget(panel)
        panel.resize(500, 500)
        panel.show()
    without = space.grab().toImage()
    session.do(PutSide(after=[Pair(id=900 + k, a=int(a), b=int(b), same=False)
                              for k, (a, b) in enumerate(session.run.ids[:40].reshape(-1, 2))]))
    assert space.grab().toImage() != without
    flat.toggles["pair_links"].click()
    assert space.grab().toImage() == without
