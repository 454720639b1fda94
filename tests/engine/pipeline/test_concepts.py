"""A run of a method that finds concepts keeps where its instances stand to them, and draws them on
its map."""

import msgspec
import numpy as np
import pytest

from emberscope.base.errors import ProjectError
from emberscope.course.stages.concepts import ONE
from emberscope.features.extract import extract, feature_names
from emberscope.features.recipe import FeatureRecipe
from emberscope.findings.concepts import ELLIPSES, HALVES, STARS, concepts_of, concepts_on
from emberscope.mil.concepts.model import Concepts
from emberscope.pipeline import concept_chips, mapped_centers, run
from emberscope.project.exchange.sources import OpenSources
from emberscope.project.model.concept_edits import merge_concepts
from emberscope.project.store.run_records import check_run

from .conftest import RECIPE


@pytest.fixture
def made(project, cache):
    recipe = msgspec.structs.replace(RECIPE, method="fcmi", reduce=4, params={"n_concepts": 2})
    return run(project, recipe, cache=cache)


def test_every_concept_has_a_witness_among_the_instances_near_it(made):
    found = concepts_of(made)
    assert found is not None
    witnesses = np.concatenate([found.witnesses(k) for k in range(len(found))])
    assert len(witnesses)
    assert (found.probability[witnesses] > 0.5).all()


def test_stars_lie_where_the_map_takes_the_centers(made):
    from emberscope.mil.concepts.clustering import FCMI

    fitted = FCMI.from_state(made.state)
    assert isinstance(fitted.concepts, Concepts)
    np.testing.assert_allclose(
        made.diagnostics[STARS], fitted.transform(fitted.centers_), rtol=1e-3, atol=1e-3
    )
    assert made.diagnostics[ELLIPSES].shape == (len(fitted.centers_), 2, 2)
    check_run(made)


def test_clusters_of_negative_instances_lie_where_the_map_takes_them(made):
    from emberscope.mil.concepts.clustering import FCMI

    fitted = FCMI.from_state(made.state)
    wanted = fitted.transform(fitted.negative_concepts.centers)
    np.testing.assert_allclose(concepts_of(made).ground, wanted, rtol=1e-3, atol=1e-3)


def test_every_instance_is_in_a_half_of_a_concept_that_has_two_witnesses(made):
    halves, found = made.diagnostics[HALVES], concepts_of(made)
    for k in range(len(found)):
        assert set(np.unique(halves[:, k])) == ({1, 2} if len(found.witnesses(k)) > 1 else {0})


@pytest.mark.parametrize("asked", [1, 2])
def test_a_run_with_one_concept_says_what_else_to_ask_for(project, cache, asked):
    recipe = msgspec.structs.replace(
        RECIPE, method="fcmi", reduce=4, params={"n_concepts": asked, "prune": False}
    )
    assert (ONE in run(project, recipe, cache=cache).notes) == (asked == 1)


def test_another_method_keeps_none(project, cache):
    assert concepts_of(run(project, RECIPE, cache=cache)) is None


def test_a_linear_map_takes_the_centers_as_its_method_would(made, project, cache):
    pca = run(project, RECIPE, cache=cache, run_id=made.id + 1)
    np.testing.assert_allclose(
        concepts_on(made, pca).stars, mapped_centers(made, pca), rtol=1e-3, atol=1e-3
    )


def test_a_map_of_other_features_does_not_take_the_centers(made, project, cache):
    ehd = msgspec.structs.replace(RECIPE, features=FeatureRecipe(kind="ehd", chip=16))
    other = run(project, ehd, cache=cache, run_id=made.id + 1)
    assert mapped_centers(made, other) is None
    assert concepts_on(made, other).estimated


def test_a_profile_names_the_heaviest_features_with_shares_of_one(made):
    found = concepts_of(made)
    profile = found.profile(0, n=100)
    assert [feature.weight for feature in profile] == sorted(
        (f.weight for f in profile), reverse=True
    )
    assert sum(feature.weight for feature in profile) == pytest.approx(1.0, abs=1e-4)
    assert found.profile(0, n=3) == profile[:3]
    assert {feature.name for feature in profile} <= set(feature_names(made.recipe.features))


def test_the_profile_of_a_bright_target_lies_above_the_mean_of_a_bright_feature(made):
    center = {feature.name: feature.center for feature in concepts_of(made).profile(0, n=100)}
    assert center["mean"] > 0


def test_of_statistics_a_chip_is_the_mean_of_the_nearest(made, project):
    found = concept_chips(project, made)
    assert set(found.titles) == {"Mean of nearest chips"}
    assert found.chips.shape == (len(concepts_of(made)), 16, 16)
    first = concept_chips(project, made, nearest=1).chips[0]
    assert first.max() > 3.0  # MADs: the square is far brighter than the ground


def test_of_pixels_a_chip_is_the_center(project, cache):
    recipe = msgspec.structs.replace(
        RECIPE,
        method="fcmi",
        reduce=4,
        params={"n_concepts": 2},
        features=FeatureRecipe(kind="pixels", chip=8),
    )
    made = run(project, recipe, cache=cache)
    found = concept_chips(project, made)
    assert set(found.titles) == {"Center"}
    assert found.chips.shape == (len(concepts_of(made)), 8, 8)
    nearest = concepts_of(made).nearest(0, 1)
    own = extract(made.instances.take(nearest), OpenSources(project), recipe.features)
    # Six other draws: 0.996 to 0.9996
    assert np.corrcoef(found.chips[0].ravel(), own.ravel())[0, 1] > 0.8


def test_of_pixels_of_several_bands_a_chip_is_the_mean_of_the_nearest(project, made):
    features = FeatureRecipe(kind="pixels", chip=8, bands=3)
    other = msgspec.structs.replace(made.recipe, features=features)
    found = concept_chips(project, msgspec.structs.replace(made, recipe=other))
    assert set(found.titles) == {"Mean of nearest chips"}
    assert found.chips.shape[1:] == (8, 8)


def test_a_chip_of_a_source_that_is_gone_says_so(made, project):
    project.sources.clear()
    with pytest.raises(ProjectError, match="not in the project any more"):
        concept_chips(project, made)


def test_a_run_without_concepts_has_no_chips(project, cache):
    assert concept_chips(project, run(project, RECIPE, cache=cache)) is None


def test_a_merged_concept_shows_the_mean_of_its_nearest_chips_and_of_its_profiles(project, cache):
    recipe = msgspec.structs.replace(
        RECIPE, method="fcmi", reduce=4, params={"n_concepts": 2, "prune": False},
        features=FeatureRecipe(kind="pixels", chip=8),
    )  # fmt: skip
    made = run(project, recipe, cache=cache)
    before = [feature.weight for feature in concepts_of(made).profile(0, n=64)]
    project.apply(merge_concepts(project, made, [0, 1]))
    assert concept_chips(project, made).titles == ["Mean of nearest chips"]
    merged = [feature.weight for feature in concepts_of(made, project).profile(0, n=64)]
    assert sum(merged) == pytest.approx(1.0, abs=1e-4)
    assert merged != before
