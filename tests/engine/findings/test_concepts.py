"""The concepts of a run: two kinds of targets in three positive bags, and one negative bag."""

import numpy as np
import pytest

from emberscope.findings.concepts import (
    DISTANCES,
    concepts_of,
    concepts_on,
    contrast_words,
    has_concepts,
)

from ..project.builders import a_run

NEAR, FAR = 0.1, 9.0  # squared distances: probabilities .90 and .0001


@pytest.fixture
def found():
    return concepts_of(concept_run())


def concept_run(**changes):
    """Bags of two: {0, 1} holds concept 0, {2, 3} concept 1, {4, 5} both, {6, 7} is negative with
    one like concept 1.
    """
    of_0, of_1, none = (NEAR, FAR), (FAR, NEAR), (FAR, FAR)
    distances = np.array([of_0, none, none, of_1, of_0, of_1, none, of_1], np.float32)
    state = {
        "coverage_": np.array([0.6, 0.5]),
        "contrast_": np.array([9.0, 3.0]),
        "purity_": np.array([1.0, 0.7]),
        "scales_": np.array([[1.0, 4.0], [1.0, 0.0]]),
        "gains_": np.array([0.4, 0.3, 0.01]),
        "suggested_": 2,
    }
    fields = {
        "indptr": np.array([0, 2, 4, 6, 8]),
        "members": np.arange(8),
        "bag_labels": np.array([1, 1, 1, -1], np.int8),
        "bag_ids": np.arange(1, 5) << 16,
        "bag_classes": np.array([1, 1, 1, 2]),
        "state": state,
        "diagnostics": {DISTANCES: distances},
    }
    return a_run(n=8, **{**fields, **changes})


def test_an_instance_is_of_its_likeliest_concept_or_of_none(found):
    assert found.concept.tolist() == [0, -1, -1, 1, 0, 1, -1, 1]
    assert found.probability[0] == pytest.approx(np.exp(-NEAR))


def test_witnesses_are_the_nearest_of_positive_bags_only(found):
    assert found.witnesses(0).tolist() == [0, 4]
    assert found.witnesses(1).tolist() == [3, 5]


def test_bags_are_the_positive_ones_that_hold_the_concept(found):
    assert found.bags(0).tolist() == [0, 2]
    assert found.bags(1).tolist() == [1, 2]


def test_members_are_likely_ones_or_else_the_nearest(found):
    assert found.members(1).tolist() == [3, 5, 7]
    far = concepts_of(
        concept_run(
            diagnostics={DISTANCES: np.array([[3.0], [5], [2], [9], [9], [9], [9], [9]], "f4")},
            state={name: np.ones(1) for name in ("coverage_", "contrast_", "purity_")},
        )
    )
    assert far.members(0, otherwise=2).tolist() == [2, 0]


def test_an_instance_of_a_negative_bag_that_is_like_a_concept_is_a_conflict(found):
    assert found.conflicts.negative.tolist() == [7]


def test_a_contrast_to_nothing_is_no_number():
    assert [contrast_words(value) for value in (3.0, 1000.0, np.nan)] == ["3", "> 100", "unknown"]


def test_features_that_do_not_count_make_no_concept_long(found):
    assert found.elongation.tolist() == [2.0, 1.0]


def test_the_cause_of_the_only_likely_instance_of_a_bag_is_nearly_sure(found):
    assert found.cause[0] == pytest.approx(1.0, abs=1e-3)


def test_the_cause_of_a_bag_is_its_likeliest_concept_and_the_nearest_instance_of_it(found):
    assert [(of.bag, of.concept, of.row) for of in found.bag_causes] == [
        (0, 0, 0),
        (1, 1, 3),
        (2, 0, 4),
    ]
    assert found.bag_causes[0].p == pytest.approx(np.exp(-NEAR))


def test_a_bag_that_surely_holds_two_concepts_names_both(found):
    assert [of.surely for of in found.bag_causes] == [(), (), (0, 1)]


def test_a_bag_that_no_concept_explains_has_no_cause():
    far = np.full((8, 2), FAR, np.float32)
    first = concepts_of(concept_run(diagnostics={DISTANCES: far})).bag_causes[0]
    assert (first.concept, first.row, first.surely) == (-1, -1, ())


def test_disagreements_are_counted(found):
    assert found.disagreements == {
        "positive bags without a concept": 0,
        "bags of two concepts": 1,
        "background like a concept": 1,
    }


def test_a_run_without_distances_has_no_concepts():
    assert not has_concepts(a_run())
    assert concepts_of(None) is None


def test_a_concept_as_likely_in_negative_bags_tells_nothing():
    state = concept_run().state | {"contrast_": np.array([9.0, 0.977])}
    assert concepts_of(concept_run(state=state)).tells.tolist() == [True, False]


def test_the_table_names_each_concept_by_number_with_its_nearest_instance(found):
    row = found.table()[1]
    assert row[0] == "2"
    assert row[4:6] == ["2", "2"]


def test_a_run_of_other_instances_takes_concepts_along_by_their_ids():
    Z = np.array([[0.0, 0.0], [1.0, 0.0], [5.0, 5.0]], np.float32)
    placed = concepts_on(concept_run(), a_run(run_id=12, n=3, Z=Z, ids=np.array([5, 1, 99])))
    assert placed.rows.tolist() == [4, 0, -1]
    assert placed.estimated
    np.testing.assert_allclose(placed.stars[0], [0.5, 0.0], atol=1e-3)


def test_a_linear_map_of_the_same_features_takes_the_centers_and_the_shadows_of_ellipsoids():
    axes = np.array([[2.0, 0.0], [0.0, 1.0]])
    made = concept_run()
    made.state["centers_"] = np.array([[3.0, 1.0], [1.0, 1.0]])
    linear = a_run(
        run_id=12, state={"mean_": np.ones(2), "components_": axes}, diagnostics={"loadings": axes}
    )
    placed = concepts_on(made, linear)
    assert not placed.estimated
    np.testing.assert_allclose(placed.stars, [[4.0, 0.0], [0.0, 0.0]])
    np.testing.assert_allclose(placed.shapes[0], 2 * np.log(2) * np.diag([4 * 0.5, 0.125]))
    np.testing.assert_allclose(placed.shapes[1], 2 * np.log(2) * np.diag([4 * 0.5, 0.0]))


def test_stars_that_the_other_map_places_itself_are_kept_with_instances_around_them():
    placed = concepts_on(concept_run(), a_run(run_id=12, n=8), stars=np.ones((2, 2)))
    assert not placed.estimated
    assert (placed.stars == 1).all()
    assert np.isfinite(placed.shapes).all()


def test_instances_that_are_nowhere_near_give_no_star():
    placed = concepts_on(concept_run(), a_run(run_id=12, n=2, ids=np.array([98, 99])))
    assert np.isnan(placed.stars).all()
    assert np.isnan(placed.outlines).all()


def test_a_run_without_concepts_has_none_to_take_along():
    assert concepts_on(a_run(), concept_run()) is None
