"""The slider that moves the map: other strengths of a hybrid run, another softness of an
equivalence metric."""

import json

import msgspec
import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from emberscope.labels.side_info import Pair
from emberscope.project import PutRuns, PutSide, Recipe
from emberscope_app.latent_view.live_slider import at_size, dial_of
from emberscope_app.latent_view.surfaces.map2d import Map2DPanel
from emberscope_app.latent_view.surfaces.map3d import Map3DPanel

LEFT = Qt.MouseButton.LeftButton


def kept(run, param, value):
    """The run as if its method had kept other maps: four axes, of which far and near want
    others."""
    axes = np.linalg.qr(np.random.default_rng(0).normal(size=(len(run.Z), 4)))[0].astype(np.float32)
    state = {
        "strength": {
            "basis_": axes,
            "far_": np.diag([4.0, 3, 2, 1]),
            "near_": np.diag([4.0, 3, 2, 1]),
        },
        "softness": {
            "soft_scores_": axes,
            "soft_values_": np.array([-1.0, -0.5, 0.5, 1.0]),
            "softness_": value,
        },
    }[param]
    recipe = Recipe(
        method={"strength": "hybrid", "softness": "equivalence-metric"}[param],
        params={"n_components": 2},
    )
    return msgspec.structs.replace(
        run, id=40, recipe=recipe, state={**state, "params": json.dumps({param: value})}
    )


@pytest.fixture(params=["strength", "softness"])
def panel(request, map_session, make_run, qtbot):
    session = map_session(n=300, d=2)
    session.do(PutRuns(after=[kept(make_run(n=300, d=2), request.param, 0.5)]))
    found = Map2DPanel(session)
    qtbot.addWidget(found)
    found.resize(900, 500)
    with qtbot.waitExposed(found):
        found.show()
    return found


def slide(panel, place):
    panel.slider.slider.setValue(place)


def test_the_points_move_while_the_slider_does_and_the_view_stays(panel, qtbot):
    before, view = panel.surface.positions().copy(), panel.surface.box.viewRect()
    slide(panel, 480)
    assert not np.allclose(panel.surface.positions(), before)
    assert panel.surface.box.viewRect() == view
    assert panel.cloud.at == pytest.approx(float(panel.slider.value.text()), rel=1e-3)


def test_the_size_of_the_map_stays_however_often_it_moves(panel, qtbot):
    own = np.linalg.norm(panel.cloud.run.Z - panel.cloud.run.Z.mean(axis=0))
    for place in (50, 450, 100, 400, 20):
        slide(panel, place)
        qtbot.waitUntil(lambda: not panel.slider._share._busy)
    assert np.linalg.norm(panel.cloud.Z - panel.cloud.Z.mean(axis=0)) == pytest.approx(
        own, rel=1e-3
    )


@pytest.mark.parametrize("held", [True, False])
def test_no_contours_are_made_of_points_that_a_held_slider_moves(panel, qtbot, held):
    panel.session.focus.set(color_by="class")
    panel.slider.slider.setSliderDown(held)
    slide(panel, 480)
    panel.surface.canvas.grab()
    qtbot.waitUntil(lambda: not panel.session.turns.busy)
    assert (panel.layers["contours"].found is None) == held


@pytest.mark.parametrize("how", ["double click", "button"])
def test_it_goes_back_to_the_map_of_the_run(panel, how):
    before = panel.surface.positions().copy()
    slide(panel, 480)
    if how == "button":
        panel.slider.back.click()
    else:
        QTest.mouseDClick(panel.slider.slider, LEFT, pos=QPoint(4, 8))
    assert panel.cloud.at is None
    np.testing.assert_array_equal(panel.surface.positions(), before)
    assert panel.slider.value.text() == "0.5"


def test_what_it_shows_can_be_run(panel, monkeypatch):
    started = []
    runs, ids = panel.session.runs, panel.cloud.run.ids
    panel.session.do(PutSide(after=[Pair(id=900, a=int(ids[0]), b=int(ids[1]), same=True)]))
    monkeypatch.setattr(runs, "start", lambda: started.append(runs.draft.recipe))
    assert not panel.slider.keep.isEnabled()
    slide(panel, 480)
    panel.slider.keep.click()
    dial = dial_of(panel.cloud.run)
    assert started[0].method == panel.cloud.run.recipe.method
    assert runs.draft.given.params[dial.name] == panel.cloud.at


def test_another_run_has_its_own_map(panel):
    slide(panel, 480)
    panel.session.focus.set(run=12)
    assert panel.cloud.at is None
    assert panel.slider.isHidden()


def test_both_maps_move(panel, qtbot):
    space = Map3DPanel(panel.session)
    qtbot.addWidget(space)
    space.resize(300, 300)
    space.show()
    before = space.surface.positions().copy()
    slide(panel, 480)
    assert not np.allclose(space.surface.positions(), before)
    assert space.slider.slider.value() == 480


def test_a_map_that_is_laid_on_another_takes_its_size():
    like = np.array([[0.0, 0], [2, 0]])
    np.testing.assert_allclose(at_size(np.array([[5.0, 5], [5, 6]]), like), [[1, -1], [1, 1]])


def test_a_metric_without_its_pairs_does_not_run_as_something_else(map_session, make_run, qtbot):
    session = map_session(n=300, d=2)
    session.do(PutRuns(after=[kept(make_run(n=300, d=2), "softness", 0.5)]))
    panel = Map2DPanel(session)
    qtbot.addWidget(panel)
    slide(panel, 480)
    with qtbot.waitSignal(session.message) as said:
        panel.slider.run_it()
    assert said.args[0].words.startswith("This cannot run again: needs pairs")
