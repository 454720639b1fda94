"""What a run learned, read from its record without a window."""

import csv

import msgspec
import numpy as np
import pytest

from emberscope.course.classification import chosen_words as said_by_engine
from emberscope.course.scores import BY_SIZE
from emberscope.evaluate.loadings import loadings
from emberscope.evaluate.scores import roc as roc_of_engine
from emberscope.features.ehd import ehd
from emberscope.features.extract import feature_names
from emberscope.features.hog import hog
from emberscope.features.recipe import FeatureRecipe
from emberscope_app.state.knowledge.learned_facts import (
    chosen_words,
    edge_strokes,
    loadings_of,
    pixel_values,
    roc,
    rows_of_bags,
    short_names,
    size_words,
    strokes,
    verdicts,
    witness_words,
)
from emberscope_app.theme.feature_glyph import stroke_lines


def judged(run, score, **more):
    metrics = {
        **run.metrics,
        "bag_accuracy": 0.92,
        "bag_accuracy_low": 0.884,
        "bag_accuracy_high": 0.958,
        "bag_majority": 2 / 3,
    }
    recipe = msgspec.structs.replace(run.recipe, classifier="citation-knn")
    return msgspec.structs.replace(run, recipe=recipe, metrics=metrics,
                                   diagnostics={"bag_score": np.asarray(score, np.float32)}, **more)


# --- bags


@pytest.mark.parametrize("seed", range(4))
def test_the_curve_is_that_of_the_engine(seed):
    rng = np.random.default_rng(seed)
    labels = np.array([1, -1, *rng.choice([-1, 1], 30)])
    score = np.round(rng.normal(labels, 1.0), 1)  # with ties
    fpr, tpr, _ = roc_of_engine(labels, score)
    for ours, theirs in zip(roc(labels, score), (fpr, tpr), strict=True):
        np.testing.assert_allclose(ours, theirs)


def test_cells_and_the_threshold_count_the_same_bags(session):
    run = session.run
    score = np.where(run.bag_labels > 0, 1.0, -1.0)
    score[np.flatnonzero(run.bag_labels > 0)[:3]] = -0.5
    score[np.flatnonzero(run.bag_labels < 0)[0]] = 0.5
    found = verdicts(judged(run, score))
    assert [len(found.cell(label, judged)) for label in (1, -1) for judged in (1, -1)] == [
        9,
        3,
        1,
        5,
    ]
    assert found.at_zero == pytest.approx((1 / 6, 9 / 12))


def test_the_threshold_lies_on_the_curve(session):
    score = np.random.default_rng(0).normal(session.run.bag_labels, 1.0)
    found = verdicts(judged(session.run, score))
    assert found.at_zero in list(zip(found.fpr.tolist(), found.tpr.tolist(), strict=True))


def test_a_score_of_zero_is_negative(session):
    score = np.where(session.run.bag_labels > 0, 1.0, -1.0)
    score[0] = 0.0
    assert 0 in verdicts(judged(session.run, score)).cell(1, -1)


def test_bags_that_took_no_part_do_not_count(session):
    score = np.where(session.run.bag_labels > 0, 1.0, -1.0)
    score[:2] = np.nan
    found = verdicts(judged(session.run, score))
    assert len(found.bags) == 16
    assert found.majority.interval == "of 16 bags"


def test_numbers_of_bags_say_how_well_they_are_predicted(session):
    run = judged(session.run, session.run.bag_labels)
    run.metrics.update(bag_r2=0.97, bag_rmse=1.123)
    assert [(row.title, row.value) for row in verdicts(run).figures][1:] == [
        ("R² of numbers of bags", "0.97"), ("RMSE of numbers of bags", "1.12")]


def test_numbers_come_with_their_intervals(session):
    found = verdicts(judged(session.run, session.run.bag_labels))
    assert [(row.title, row.value, row.interval) for row in found.figures] == [
        ("Bag accuracy", "0.92", "0.88 \u2013 0.96")]
    assert found.majority.value == "0.67"


def test_values_chosen_inside_the_folds_are_said_without_the_name(session):
    note = said_by_engine("Citation-kNN", {"distance": {"max": 5}})
    run = msgspec.structs.replace(session.run, notes=["The graph had 3 parts.", note])
    assert chosen_words(run) == "Values chosen inside the training folds: distance max in 5 of 5."
    assert chosen_words(session.run) == ""


def test_the_engine_says_that_size_tells_bags_apart_in_the_words_looked_for(session):
    note = BY_SIZE.format(0.97)
    assert (
        size_words(msgspec.structs.replace(session.run, notes=["The graph had 3 parts.", note]))
        == note
    )


def test_verdicts_on_bags_of_one_kind_make_no_curve(session):
    score = np.where(session.run.bag_labels > 0, 1.0, np.nan)
    assert verdicts(judged(session.run, score)) is None
    assert verdicts(session.run) is None


def test_rows_of_bags_are_their_members_once(session):
    run = session.run
    wanted = np.unique(np.concatenate([run.bags.of(0), run.bags.of(5)]))
    np.testing.assert_array_equal(rows_of_bags(run, np.array([0, 5])), wanted)


# --- axes


def with_loadings(run, values, names):
    return msgspec.structs.replace(
        run, state={"feature_names": names}, diagnostics={"loadings": np.asarray(values)}
    )


def test_the_strongest_features_come_first_whatever_their_sign(session):
    run = with_loadings(session.run, [[0.1, 0], [-0.9, 0], [0.5, 0], [0, 1]], ["a", "b", "c", "d"])
    assert loadings_of(run).strongest(0) == [("b", -0.9), ("c", 0.5), ("a", 0.1)]
    assert loadings_of(run).strongest(1) == [("d", 1.0)]


def test_no_loadings_without_names_of_features(session):
    assert loadings_of(session.run) is None
    assert loadings_of(with_loadings(session.run, [[0.1]], ["a", "b"])) is None


def test_the_table_holds_every_feature(session):
    names = ["hog block 0,0 cell 0,0 20 deg", "mean"]
    text = loadings_of(with_loadings(session.run, [[0.25, -1], [0, 0.5]], names)).table()
    rows = list(csv.reader(text.splitlines()))
    assert rows == [
        ["feature", "axis 1", "axis 2"],
        [names[0], "0.2500", "-1.0000"],
        ["mean", "0.0000", "0.5000"],
    ]


def test_a_feature_that_is_called_like_a_formula_is_none_in_the_table(session):
    text = loadings_of(with_loadings(session.run, [[0.25], [0.5]], ["=1+1", "mean"])).table()
    assert [row[0] for row in csv.reader(text.splitlines())] == ["feature", "'=1+1", "mean"]


def test_short_names_count_cells_over_the_chip():
    names = ["hog block 1,0 cell 0,1 22.5 deg", "center contrast"]
    assert short_names(names) == ["cell 1,1 22.5\u00b0", "center contrast"]


def test_short_names_that_would_be_equal_name_their_blocks():
    names = [
        "hog block 0,0 cell 0,1 0 deg",
        "hog block 0,1 cell 0,0 0 deg",
        "hog block 0,0 cell 0,1 20 deg",
    ]
    assert short_names(names) == [
        "cell 0,1 0\u00b0 block 0,0",
        "cell 0,1 0\u00b0 block 0,1",
        "cell 0,1 20\u00b0",
    ]


def test_overlapping_blocks_are_averaged():
    names = [
        "hog block 0,0 cell 0,1 0 deg",
        "hog block 0,1 cell 0,0 0 deg",
        "hog block 0,0 cell 0,0 0 deg",
        "mean",
    ]
    np.testing.assert_allclose(strokes(names, np.array([1.0, 0.5, -1.0, 9.0])), [[[-1.0], [0.75]]])


@pytest.mark.parametrize(("kind", "shape"), [("hog", (4, 4, 9)), ("hog+statistics", (4, 4, 9)),
                                             ("hog-seed", (31, 45, 8))])
def test_names_of_the_engine_are_read(kind, shape):
    names = feature_names(FeatureRecipe(kind=kind, chip=32))
    assert strokes(names, np.ones(len(names))).shape == shape


def test_pixels_are_laid_out_as_the_chip():
    names = feature_names(FeatureRecipe(kind="pixels", chip=8))
    np.testing.assert_array_equal(
        pixel_values(names, np.arange(64.0)), np.arange(64.0).reshape(8, 8)
    )
    assert strokes(names, np.arange(64.0)) is None
    assert pixel_values(["mean", "kurtosis"], np.ones(2)) is None


@pytest.mark.parametrize("tilt", [0, 45, 90, 135])
def test_a_stroke_lies_along_the_edge_that_made_it(tilt):
    """Chips with an edge and without: the strongest stroke of the axis that tells them apart is
    that edge."""
    along = np.deg2rad(tilt)
    y, x = np.mgrid[:32, :32] - 15.5
    # The edge runs at `tilt`, y downwards
    edge = (y * np.cos(along) - x * np.sin(along) > 0).astype(np.float32)
    chips = np.stack([edge, np.zeros_like(edge)])
    names = feature_names(FeatureRecipe(kind="hog", chip=32))
    values = loadings(hog(chips), np.array([[1.0], [-1.0]]))[:, 0]
    strongest = [line for _, lines in stroke_lines(strokes(names, values), 10.0) for line in lines][
        -1
    ]
    angle = np.rad2deg(np.arctan2(strongest.dy(), strongest.dx()))
    assert abs((angle - tilt + 90) % 180 - 90) <= 25  # bins are 20 degrees wide


@pytest.mark.parametrize("tilt", [0, 45, 90, 135])
def test_a_stroke_of_an_edge_histogram_lies_along_the_edge_that_made_it(tilt):
    along = np.deg2rad(tilt)
    y, x = np.mgrid[:32, :32] - 15.5
    edge = 9.0 * (y * np.cos(along) - x * np.sin(along) > 0).astype(np.float32)
    chips = np.stack([edge, np.zeros_like(edge)])
    names = feature_names(FeatureRecipe(kind="ehd", chip=32))
    values = loadings(ehd(chips), np.array([[1.0], [-1.0]]))[:, 0]
    # The most frequent direction of the strongest window
    drawn = edge_strokes(names, values * ehd(chips)[0])
    strongest = [line for _, lines in stroke_lines(drawn, 10.0, exact=True) for line in lines][-1]
    angle = np.rad2deg(np.arctan2(strongest.dy(), strongest.dx()))
    assert abs((angle - tilt + 90) % 180 - 90) < 1


def test_edge_histograms_have_four_strokes_a_cell_and_short_names():
    names = feature_names(FeatureRecipe(kind="ehd", chip=32))
    assert edge_strokes(names, np.ones(len(names))).shape == (4, 4, 4)
    assert edge_strokes(["mean"], np.ones(1)) is None
    assert short_names(["ehd cell 1,2 diagonal"]) == ["cell 1,2 diagonal"]


# --- witnesses


def test_witnesses_come_from_the_classifier_where_the_method_has_none(session):
    points = {"witness": np.zeros(len(session.run.ids), np.float32)}
    run = judged(session.run, session.run.bag_labels, point_scores=points)
    knn = msgspec.structs.replace(run, recipe=msgspec.structs.replace(run.recipe, classifier="knn"))
    assert "k-NN" in witness_words(knn)
    assert "not fitted on" in witness_words(knn)


def test_else_from_the_method_which_has_seen_the_labels(session):
    points, n = {"witness": np.zeros(len(session.run.ids), np.float32)}, len(session.run.ids)
    own = msgspec.structs.replace(session.run, point_scores=points, state={"score_": np.zeros(n)})
    assert (
        witness_words(own)
        == "Ranks of the scores of S-LE, which has seen the labels of these bags."
    )


def test_scores_from_held_out_bags_rest_on_rules_that_have_not_seen_them(session):
    run, score = session.run, np.zeros(len(session.run.ids))
    own = msgspec.structs.replace(run, point_scores={"witness": score.astype(np.float32)},
                                  state={"score_": score, "held_score_": score})
    assert (
        witness_words(own)
        == "Ranks of the scores of S-LE; each rests on rules that have not seen its bag."
    )


def test_the_scores_of_a_classifier_beside_the_method_are_pointed_at(session):
    n = len(session.run.ids)
    points = {name: np.zeros(n, np.float32) for name in ("witness", "classifier")}
    run = judged(session.run, session.run.bag_labels, point_scores=points)
    knn = msgspec.structs.replace(run, recipe=msgspec.structs.replace(run.recipe, classifier="knn"))
    assert witness_words(knn).startswith("Ranks of the scores of S-LE")
    assert witness_words(knn).endswith("on frames it was not fitted on: color by classifier.")


def test_without_witness_scores_nothing_is_said(session):
    assert witness_words(session.run) == ""
