"""Synthetic chips under the points: asked for once, where the run can give them."""

import msgspec
import numpy as np
import pytest

from emberscope.features.recipe import FeatureRecipe
from emberscope.project import PutRuns, Recipe
from emberscope.tasks.synthetic import DrawChips, SyntheticChips
from emberscope_app.latent_view.layers.synthetic import Mosaic, grid, in_coordinates, why_no_chips
from emberscope_app.latent_view.surfaces.map2d import Map2DPanel


@pytest.fixture
def pixels(map_session):
    """A session whose run is a GTM of pixels."""
    session = map_session(n=60)
    recipe = Recipe(method="gtm", features=FeatureRecipe(kind="pixels", chip=4))
    run = msgspec.structs.replace(session.run, recipe=recipe, state={"embedding_": session.run.Z})
    session.do(PutRuns(before=[session.run], after=[run]))
    return session


def test_cells_cover_the_box_with_squares():
    cells = grid(np.array([0.0, 0.0]), np.array([4.0, 1.0]))
    side = cells[0, 2]
    assert side == 0.25
    assert len(cells) == 16 * 4
    assert cells[:, 0].min() - side / 2 == pytest.approx(0)
    assert cells[:, 1].max() + side / 2 == pytest.approx(1)


def test_cells_are_found_again_in_coordinates_of_the_run(map_session):
    run = map_session(n=30).run
    places = ((run.Z - 3) / 7).astype(float)
    cells = np.column_stack([places[:5, :2], np.ones(5)])
    np.testing.assert_allclose(in_coordinates(run, places, cells)[:, :2], run.Z[:5, :2], atol=1e-5)


def test_the_worker_is_asked_once_and_the_mosaic_is_painted(pixels, worker, qtbot):
    def chips(request):
        return SyntheticChips(
            np.random.default_rng(0).normal(size=(len(request.Z), 4, 4)).astype(np.float32)
        )

    worker.answers[DrawChips] = chips
    panel = Map2DPanel(pixels)
    qtbot.addWidget(panel)
    panel.resize(700, 560)
    panel.show()
    assert panel.toggles["synthetic"].isEnabled()
    plain = panel.surface.canvas.grab().toImage()
    panel.toggles["synthetic"].click()
    qtbot.waitUntil(lambda: bool(panel.layers["synthetic"].images))
    assert panel.surface.canvas.grab().toImage() != plain
    panel.toggles["synthetic"].click()
    panel.toggles["synthetic"].click()
    assert len(worker.asked(DrawChips)) == 1


def test_without_pixels_it_says_what_is_missing(map_session, qtbot):
    panel = Map2DPanel(map_session(n=30))
    qtbot.addWidget(panel)
    assert not panel.toggles["synthetic"].isEnabled()
    assert panel.toggles["synthetic"].toolTip() != Mosaic.title


def test_what_is_missing_is_said_for_method_features_and_dimensions(pixels):
    run = pixels.run
    assert why_no_chips(run) == ""
    other = msgspec.structs.replace(
        run, recipe=Recipe(method="isomap", features=run.recipe.features)
    )
    assert why_no_chips(other) == "Isomap has no way back from the map to features"
    other = msgspec.structs.replace(run, recipe=Recipe(method="gtm"))
    assert why_no_chips(other) == "Synthetic chips need pixels as features"
    other = msgspec.structs.replace(run, Z=run.Z[:, :1])
    assert why_no_chips(other) == "Needs a map of two dimensions"
