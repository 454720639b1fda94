"""Embedding and classifying point sets."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial import procrustes
from scipy.spatial.distance import cdist

from emberscope.bags.model import Bags
from emberscope.base.errors import DataError, MissingLabels, ParamError
from emberscope.datasets.model import Points
from emberscope.datasets.points import read_points
from emberscope.labels.side_info import SideInfo
from emberscope.neighbors.distances import Distances
from emberscope.point_tasks import (
    classify_points,
    convert_points,
    describe_points,
    embed_points,
    save_arrays,
)

from .course.toy_metric import ToyMetric, put_into_catalogue


def _two_clouds(n_bags: int = 20) -> Points:
    """Bags of four instances; those of positive bags lie at +3, the others at -3."""
    rng = np.random.default_rng(0)
    labels = np.where(np.arange(n_bags) % 2, 1, -1)
    y = np.repeat(labels, 4)
    X = rng.normal(size=(len(y), 5)) + 3 * y[:, None]
    return Points(X, y, Bags.from_column(np.repeat(np.arange(n_bags), 4), labels))


def test_the_pairs_that_far_distances_are_judged_by_are_drawn_with_the_seed():
    X = np.random.default_rng(0).normal(size=(900, 5))  # 404 550 pairs, of which some are drawn
    one, again, other = (
        embed_points(Points(X), method="pca", settings={}, seed=seed)[1]["quality"]
        for seed in (1, 1, 2)
    )
    assert one["spearman_global"] == again["spearman_global"] != other["spearman_global"]
    assert one["trustworthiness"] == other["trustworthiness"]  # of so few, nothing is drawn


def test_embedding_reports_coordinates_quality_and_new_points():
    points = _two_clouds()
    points = Points(points.X, points.y, points.bags, points.X[:3])
    arrays, report = embed_points(points, method="pca", settings={"n_components": "2"})
    assert arrays["Z"].shape == (80, 2)
    np.testing.assert_allclose(arrays["Z_new"], arrays["Z"][:3], atol=1e-6)
    assert arrays["quality_trustworthiness"].shape == (80,)
    assert 0 <= report["quality"]["trustworthiness"] <= 1


def test_every_score_per_point_is_an_array_and_every_number_is_in_the_report():
    arrays, report = embed_points(_two_clouds(), method="pca", settings={})
    names = {"trustworthiness", "continuity", "preservation", "stretch", "anisotropy", "purity"}
    assert {f"quality_{name}" for name in names} == {
        name for name in arrays if name.startswith("quality_")
    }
    assert list(report["quality"])[:2] == ["trustworthiness", "continuity"]
    assert report["quality"]["purity"] == 1.0
    assert "spread" not in report["quality"]


def _by_first_feature(points):
    """Distances along the first feature alone."""
    return Distances(cdist(points.X[:, :1], points.X[:, :1], "sqeuclidean"))


def test_given_distances_are_what_is_embedded_and_what_it_is_judged_by():
    points = _two_clouds()
    arrays, report = embed_points(
        points, method="smacof", settings={}, distances=_by_first_feature(points)
    )
    assert report["quality"]["stress"] < 0.01
    line = arrays["Z"][:, 0]
    assert abs(np.corrcoef(line, points.X[:, 0])[0, 1]) > 0.999


def test_more_fits_take_the_given_distances_too():
    points = _two_clouds()
    report = embed_points(
        points, method="isomap", settings={}, distances=_by_first_feature(points), spread=True
    )[1]
    assert report["quality"]["spread"] < 0.2


def test_given_distances_say_nothing_of_new_points_and_of_bags_held_out():
    points = replace(_two_clouds(), X_new=_two_clouds().X[:3])
    arrays, report = embed_points(
        points, method="s-le", settings={}, distances=_by_first_feature(points), held_out=True
    )
    assert "Z_new" not in arrays
    for note in (
        "No Z_new: only distances between the training",
        "Bags are not held out: distances that are given",
    ):
        assert any(said.startswith(note) for said in report["notes"])


def test_given_distances_are_refused_by_what_cannot_take_them():
    points = _two_clouds()
    with pytest.raises(ParamError, match=r"^PCA takes no distances\. Methods that do: .*umap"):
        embed_points(points, method="pca", settings={}, distances=_by_first_feature(points))
    with pytest.raises(ParamError, match="LMNN changes features, and distances are given"):
        embed_points(
            points, method="umap", settings={}, metric="lmnn", distances=_by_first_feature(points)
        )


def test_without_labels_there_is_no_purity():
    arrays, report = embed_points(Points(_two_clouds().X), method="pca", settings={})
    assert "quality_purity" not in arrays
    assert "purity" not in report["quality"]


def test_bags_alone_teach_where_asked_and_y_still_judges():
    points = _two_clouds()
    wrong = replace(points, y=np.where(np.arange(len(points.y)) % 4, points.y, -1))
    alone, report = embed_points(wrong, method="mida", settings={}, bags_only=True)
    np.testing.assert_array_equal(
        alone["Z"], embed_points(replace(points, y=None), method="mida", settings={})[0]["Z"]
    )
    assert report["quality"]["purity"] < 1
    assert not any("--bags-only" in note for note in report["notes"])


def test_labels_of_instances_beside_bags_are_said_to_take_part():
    _, report = embed_points(_two_clouds(), method="mida", settings={})
    assert any("--bags-only" in note for note in report["notes"])
    with pytest.raises(DataError, match="no bags to learn from"):
        embed_points(replace(_two_clouds(), bags=None), method="mida", settings={}, bags_only=True)


def test_on_demand_the_spread_between_fits_is_found():
    arrays, report = embed_points(
        _two_clouds(), method="laplacian-eigenmaps", settings={}, spread=True
    )
    assert 0 < report["quality"]["spread"] < 1
    assert arrays["quality_stability"].shape == (80,)


def test_a_method_with_nothing_to_vary_says_so():
    arrays, report = embed_points(_two_clouds(), method="pca", settings={}, spread=True)
    assert "quality_stability" not in arrays
    assert report["notes"][-1].startswith("No spread between fits")


@pytest.mark.parametrize("method", ["pca", "lda", "mida"])
def test_on_demand_bags_are_held_out(method):
    points = replace(_two_clouds(), y=None) if method == "mida" else _two_clouds()
    quality = embed_points(points, method=method, settings={}, held_out=True)[1]["quality"]
    assert quality["method_bag_auc"] > 0.9
    assert (
        quality["method_bag_auc_low"] < quality["method_bag_auc"] <= quality["method_bag_auc_high"]
    )
    assert "method_bag_auc" not in embed_points(points, method="pca", settings={})[1]["quality"]


def test_bags_of_one_group_are_not_held_out_and_a_set_without_bags_has_none():
    points = replace(_two_clouds(), groups=np.zeros(20, int))
    (*_, note) = embed_points(points, method="pca", settings={}, held_out=True)[1]["notes"]
    assert note.startswith("Bags are not held out")
    with pytest.raises(DataError, match="no bags to hold out"):
        embed_points(replace(points, bags=None), method="pca", settings={}, held_out=True)


def test_purity_of_a_picture_made_from_its_labels_says_so():
    notes_of = [
        embed_points(_two_clouds(), method=method, settings={})[1]["notes"]
        for method in ("pca", "lda")
    ]
    assert [
        any(note.startswith("Purity rests on labels") for note in notes) for notes in notes_of
    ] == [False, True]


def test_a_point_set_is_described_with_the_parts_of_its_graph():
    points = _two_clouds()
    copies = Points(np.vstack([points.X, points.X[:3]]), np.append(points.y, [0, 0, 0]))
    found = describe_points(copies)
    assert {
        name: found[name] for name in ("instances", "features", "copies", "target", "background")
    } == {"instances": 83, "features": 5, "copies": 3, "target": 40, "background": 40}
    assert found["components"] == 2
    assert found["notes"][0].startswith("The neighborhood graph has 2 components")


def test_a_point_set_says_what_one_more_kind_of_label_would_open():
    points = _two_clouds()
    assert any(
        "abels of target and background open" in note
        for note in describe_points(Points(points.X))["notes"]
    )
    assert any("second class" in note for note in describe_points(points)["notes"])


def test_two_points_have_no_graph_to_describe():
    assert "components" not in describe_points(Points(np.eye(2)))


def test_instances_of_bags_of_one_group_say_less_than_those_of_as_many_single_bags():
    points = _two_clouds()
    loose = classify_points(points, settings={}, folds=4)[1]["instance_auc_interval"]
    bound = classify_points(replace(points, groups=np.arange(20) // 4), settings={}, folds=4)[1]
    assert bound["instance_auc_interval"][0] < loose[0]


def test_separable_bags_are_all_classified_right():
    arrays, report = classify_points(_two_clouds(), settings={}, folds=5)
    assert report["accuracy"] == 1.0
    assert report["auc"] == 1.0
    assert report["instance_auc"] == 1.0
    assert arrays["bag_score"].shape == (20,)
    assert set(arrays["fold"]) == set(range(5))


def test_bags_that_chance_tells_as_well_make_a_note():
    labels = np.where(np.arange(20) % 2, 1, -1)
    noise = Points(
        np.random.default_rng(0).normal(size=(100, 5)),
        None,
        Bags.from_column(np.arange(100) // 5, labels),
    )
    _, report = classify_points(noise, settings={}, folds=5)
    assert any("no better than by chance" in note for note in report["notes"])


def test_separable_bags_make_no_note_of_chance():
    _, report = classify_points(_two_clouds(), settings={}, folds=5)
    assert not report["notes"]


def test_the_witness_of_a_bag_is_its_best_instance():
    points = _two_clouds()
    arrays, _ = classify_points(points, settings={}, folds=5)
    for k, row in enumerate(arrays["witness"]):
        assert row in points.bags.of(k)
        assert arrays["instance_score"][row] == arrays["instance_score"][points.bags.of(k)].max()


def test_a_linear_method_that_reads_bags_tells_its_axes_and_its_witnesses():
    points = _two_clouds()
    arrays, _ = embed_points(points, method="mida", settings={})
    assert arrays["loadings"].shape == (5, 2)
    assert arrays["witness"][points.y > 0].mean() > arrays["witness"][points.y < 0].mean()


def test_bags_become_single_vectors_that_are_a_point_set():
    points = _two_clouds()
    arrays, report = convert_points(points, n_components=3)
    assert arrays["X"].shape == (20, 3)
    assert report["bags"] == 20
    _, classified = classify_points(Points(arrays["X"], arrays["y"]), settings={}, folds=5)
    assert classified["accuracy"] == 1.0


def test_maps_of_single_bags_come_with_a_warning():
    _, report = convert_points(_two_clouds(), variant="per-bag", n_components=2)
    assert "not comparable" in report["notes"][0]


def test_converted_bags_that_shared_instances_stay_in_one_fold():
    points = _two_clouds()
    members = points.bags.members.copy()
    members[points.bags.indptr[1]] = members[0]
    arrays, _ = convert_points(
        replace(points, bags=replace(points.bags, members=members)), n_components=2
    )
    assert arrays["group"][0] == arrays["group"][1] != arrays["group"][2]


def test_bags_of_one_group_are_never_told_apart_by_each_other():
    points = _two_clouds()
    groups = np.arange(20) // 2
    arrays, _ = classify_points(replace(points, groups=groups), settings={}, folds=5)
    assert all(len(np.unique(arrays["fold"][groups == group])) == 1 for group in range(10))


def test_without_bags_there_is_nothing_to_convert():
    with pytest.raises(DataError, match="no bags"):
        convert_points(Points(np.eye(4)))


def test_a_reduction_is_fitted_inside_the_folds():
    _, report = classify_points(_two_clouds(), reduce="mida", settings={}, folds=4)
    assert report["accuracy"] == 1.0
    assert report["reduce"] == "mida"


def test_shuffled_bag_labels_score_like_chance():
    points = _two_clouds(60)
    rng = np.random.default_rng(3)
    bags = Bags.from_column(np.repeat(np.arange(60), 4), rng.permutation(points.bags.labels))
    _, report = classify_points(Points(points.X, None, bags), settings={"k": "5"}, folds=6)
    assert report["auc"] == pytest.approx(0.5, abs=0.2)


def test_true_labels_of_instances_only_judge_where_there_are_bags():
    points = _two_clouds()
    with_y, report = classify_points(points, settings={}, folds=5)
    without, _ = classify_points(Points(points.X, None, points.bags), settings={}, folds=5)
    against, judged = classify_points(
        Points(points.X, -points.y, points.bags), settings={}, folds=5
    )
    np.testing.assert_array_equal(with_y["instance_score"], without["instance_score"])
    np.testing.assert_array_equal(with_y["instance_score"], against["instance_score"])
    assert (report["instance_auc"], judged["instance_auc"]) == (1.0, 0.0)


@pytest.mark.parametrize("settings", [{"n_components": "3"}, {"k": "0"}, {"k": "many"}])
def test_a_setting_nobody_reads_is_refused(settings):
    with pytest.raises(ParamError):
        classify_points(_two_clouds(), settings=settings)


@pytest.mark.parametrize("X", [np.ones((40, 3)), np.repeat(np.eye(3), 10, axis=0), np.ones((1, 2))])
def test_fewer_than_four_different_instances_are_no_map(X):
    with pytest.raises(DataError, match="different row"):
        embed_points(Points(X), method="pca", settings={})


def test_instances_that_are_all_the_same_cannot_be_told_apart():
    with pytest.raises(DataError, match="1 different row"):
        classify_points(Points(np.ones((80, 5)), None, _two_clouds().bags), settings={})


def test_what_lies_in_no_labeled_bag_has_no_score():
    points = _two_clouds()
    labels = points.bags.labels.copy()
    labels[:2] = 0
    bags = Bags.from_column(np.repeat(np.arange(20), 4), labels)
    arrays, report = classify_points(Points(points.X, points.y, bags), settings={}, folds=4)
    assert np.isnan(arrays["instance_score"][:8]).all()
    assert np.isfinite(arrays["instance_score"][8:]).all()
    assert np.flatnonzero(np.isnan(arrays["bag_score"])).tolist() == [0, 1]
    assert (report["accuracy"], report["instance_auc"]) == (1.0, 1.0)


def test_no_repeat_is_no_classification():
    with pytest.raises(ParamError, match="repeats"):
        classify_points(_two_clouds(), settings={}, repeats=0)


def test_bags_of_one_class_cannot_be_classified():
    points = _two_clouds()
    bags = Bags.from_column(np.repeat(np.arange(20), 4), np.ones(20))
    with pytest.raises(MissingLabels):
        classify_points(Points(points.X, None, bags), settings={})


def test_an_unknown_setting_names_the_known_ones():
    with pytest.raises(ParamError, match="n_components"):
        embed_points(_two_clouds(), method="pca", settings={"n_dims": "2"})


def test_a_classifier_makes_no_picture():
    points = Points(np.random.default_rng(0).normal(size=(20, 3)), np.repeat([1, -1], 10))
    with pytest.raises(ParamError, match="knn is a classifier and makes no embedding"):
        embed_points(points, method="knn", settings={})


def test_arrays_are_written_whole_or_not_at_all(tmp_path):
    target = tmp_path / "out.npz"
    save_arrays(target, {"Z": np.ones(3)})
    with pytest.raises(ValueError):
        save_arrays(target, {"Z": _Unwritable()})
    assert np.load(target)["Z"].tolist() == [1, 1, 1]
    assert [path.name for path in tmp_path.iterdir()] == ["out.npz"]


class _Unwritable:
    def __array__(self, dtype=None, copy=None):
        raise ValueError("no array")


def test_k_may_be_chosen_inside_the_training_folds():
    points = _two_clouds()
    _, report = classify_points(points, settings={"k": "auto"}, folds=4)
    assert report["accuracy"] == 1.0


def test_a_parameter_without_values_to_try_cannot_be_chosen():
    with pytest.raises(ParamError, match="aggregate has no values to choose among"):
        classify_points(_two_clouds(), settings={"aggregate": "auto"})


def test_what_was_chosen_is_reported():
    _, report = classify_points(_two_clouds(), settings={"k": "auto"}, folds=4)
    assert sum(report["chosen"]["k"].values()) == 4


def test_missing_values_are_placed_by_a_method_that_takes_them(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2)) @ rng.normal(size=(2, 6)) + 0.01 * rng.normal(size=(60, 6))
    dead = X.copy()
    dead[::7, 3] = np.nan
    np.savez(tmp_path / "dead.npz", X=dead)
    arrays, report = embed_points(
        read_points(tmp_path / "dead.npz", missing=True), method="ppca", settings={}
    )
    whole = embed_points(Points(X), method="ppca", settings={})[0]["Z"]
    assert procrustes(whole, arrays["Z"])[2] < 0.02  # the axes may turn
    assert report["quality"]["trustworthiness"] > 0.9
    with pytest.raises(DataError, match="nan"):
        read_points(tmp_path / "dead.npz")


def test_places_of_a_map_lead_back_to_features():
    X = np.random.default_rng(0).normal(size=(40, 3))
    arrays, _ = embed_points(Points(X, Z_at=np.zeros((1, 2))), method="pca", settings={})
    np.testing.assert_allclose(arrays["X_at"][0], X.mean(axis=0), atol=1e-9)
    with pytest.raises(ParamError, match="Isomap has no way back from the map"):
        embed_points(Points(X, Z_at=np.zeros((1, 2))), method="isomap", settings={})


def _three_kinds() -> Points:
    """Ninety instances of three named classes, ten of them without a name."""
    rng = np.random.default_rng(0)
    kinds = np.arange(90) % 3
    words = np.array(["car", "ground", "person"])[kinds]
    words[:10] = ""
    return Points(rng.normal(size=(90, 5)) + 4 * np.eye(5)[kinds], classes=words)


@pytest.mark.parametrize("method", ["lda", "lfda", "s-le", "se-isomap", "smds", "supervised-pca"])
def test_methods_that_read_labels_embed_any_classes(method):
    _, report = embed_points(_three_kinds(), method=method, settings={})
    assert report["quality"]["purity"] > 0.9  # six other draws: 0.96 to 1.0
    assert "3 classes: car, ground, person; 10 instances without a label." in report["notes"]


@pytest.mark.parametrize("method", ["mida", "mi-le"])
def test_methods_of_target_and_background_refuse_classes_and_name_those_that_take_them(method):
    with pytest.raises(DataError, match=r"y names classes, and .* choose one of lda, lfda"):
        embed_points(_three_kinds(), method=method, settings={})


def test_classifiers_refuse_classes_in_words():
    with pytest.raises(DataError, match="y names classes"):
        classify_points(_three_kinds(), method="knn", settings={})


def test_classes_are_counted_in_the_description():
    facts = describe_points(_three_kinds())
    assert (facts["classes"], facts["labeled"]) == (3, 80)


def test_zero_and_one_are_judged_as_the_two_classes_they_are_read_as():
    points = _two_clouds()
    ones = Points(points.X, (points.y > 0).astype(int))
    _, report = embed_points(ones, method="lda", settings={})
    _, signed = embed_points(replace(ones, y=points.y), method="lda", settings={})
    assert report["quality"]["purity"] == signed["quality"]["purity"]


# Side information


@pytest.fixture
def toy_metric(monkeypatch):
    put_into_catalogue(monkeypatch)


def _with_pairs() -> Points:
    points = _two_clouds()
    rows = np.arange(79)
    return replace(points, side=SideInfo.of_pairs(np.stack([rows, rows + 1], axis=1)))


def test_a_metric_is_learned_from_the_pairs_before_the_method(toy_metric):
    plain, _ = embed_points(_with_pairs(), method="pca", settings={})
    arrays, report = embed_points(_with_pairs(), method="pca", metric="toy-metric", settings={})
    assert not np.allclose(arrays["Z"], plain["Z"])
    assert {"pair_agreement", "pair_agreement_low", "pair_agreement_high"} <= report[
        "quality"
    ].keys()
    assert "75 % of held-out pairs agree." in report["notes"]


def test_a_metric_maps_new_points_too(toy_metric):
    points = _with_pairs()
    arrays, _ = embed_points(
        replace(points, X_new=points.X[:3]), method="pca", metric="toy-metric", settings={}
    )
    np.testing.assert_allclose(arrays["Z_new"], arrays["Z"][:3], atol=1e-6)


def test_settings_of_the_metric_have_its_name_before_them(toy_metric):
    settings = {"metric.power": "0", "n_components": "3"}
    arrays, _ = embed_points(_with_pairs(), method="pca", metric="toy-metric", settings=settings)
    plain, _ = embed_points(_with_pairs(), method="pca", settings={"n_components": "3"})
    np.testing.assert_allclose(np.abs(arrays["Z"]), np.abs(plain["Z"]), rtol=1e-6, atol=1e-6)


def test_bags_are_held_out_from_the_metric_too(toy_metric):
    _, report = embed_points(
        _with_pairs(), method="pca", metric="toy-metric", settings={}, held_out=True
    )
    assert report["quality"]["method_bag_auc"] > 0.9
    assert len(ToyMetric.seen[1].pairs) < len(ToyMetric.seen[0].pairs)


def test_a_metric_without_pairs_says_that_they_are_missing(toy_metric):
    with pytest.raises(MissingLabels, match="pairs are needed"):
        embed_points(_two_clouds(), method="pca", metric="toy-metric", settings={})


def test_what_is_no_metric_is_refused(toy_metric):
    with pytest.raises(ParamError, match="pca is no metric"):
        embed_points(_with_pairs(), method="pca", metric="pca", settings={})


def test_concepts_of_a_point_set_come_with_what_describes_them():
    arrays, report = embed_points(_two_clouds(), method="fcmi", settings={"n_concepts": "1"})
    shapes = {name: values.shape for name, values in arrays.items() if name.startswith("concept_")}
    gains = shapes.pop("concept_gains")
    assert len(gains) == 1
    (rounds,) = shapes.pop("concept_objectives")
    assert shapes.pop("concept_paths") == (rounds + 1, 1, 2)
    assert report["concepts_suggested"] >= 1
    assert shapes == {
        "concept_centers": (1, 5), "concept_widths": (1, 5), "concept_weights": (1, 5),
        "concept_memberships": (1, 20),
    }
    np.testing.assert_allclose(arrays["concept_centers"], 3.0, atol=2.0)
    (record,) = report["concepts"]
    assert set(record) == {"concept", "coverage", "contrast", "purity", "bags"}
    assert record["bags"] == pytest.approx(10)  # all ten positive ones


@pytest.mark.parametrize("method", ["fcmi", "efcmi-svm"])
def test_a_classifier_behind_concepts_gives_those_of_all_bags(method):
    arrays, report = classify_points(
        _two_clouds(), method=method, settings={"n_concepts": "1"}, folds=3
    )
    np.testing.assert_allclose(arrays["concept_centers"], 3.0, atol=2.0)
    assert arrays["concept_memberships"].shape == (1, 20)
    assert arrays["concept_gains"].argmax() == 0
    assert [record["concept"] for record in report["concepts"]] == [1]


def test_concepts_of_all_bags_have_the_values_that_most_folds_chose():
    arrays, report = classify_points(
        _two_clouds(), method="fcmi", settings={"n_concepts": "auto"}, folds=3
    )
    chosen = report["chosen"]["n_concepts"]
    asked = max(chosen, key=chosen.get)
    assert len(arrays["concept_centers"]) <= int(asked)


def test_behind_a_reduction_there_are_no_concepts_in_features():
    arrays, report = classify_points(
        _two_clouds(), method="fcmi", reduce="pca", settings={"n_concepts": "1"}, folds=3
    )
    assert "concepts" not in report
    assert "concept_centers" not in arrays


def test_a_method_without_concepts_reports_none():
    arrays, report = embed_points(_two_clouds(), method="pca", settings={})
    assert "concepts" not in report
    assert not [name for name in arrays if name.startswith("concept_")]


def test_new_points_say_how_unlike_what_was_learned_they_are():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    points = Points(X, X_new=np.vstack([X[:2], [[50.0, 50, 50]]]))
    arrays, report = embed_points(points, method="pca", settings={})
    assert arrays["novelty_new"][:2].tolist() == [0, 0]
    assert arrays["novelty_new"][2] > 10
    assert any(note.startswith("1 of 3 new instances lie") for note in report["notes"])


def test_columns_that_are_no_features_are_named():
    points = replace(_two_clouds(), columns={"light": ["day"] * 40, "fold": ["1"] * 40})
    assert describe_points(points)["columns"] == "light, fold"


def _numbered():
    """40 bags of two instances, whose number is five times feature 0 of the larger one."""
    X = np.random.default_rng(0).normal(size=(80, 3))
    value = 5 * X[:, 0].reshape(40, 2).max(axis=1)
    value -= np.median(value)
    bags = Bags.from_column(np.repeat(np.arange(40), 2), np.where(value > 0, 1, -1))
    return Points(X, None, replace(bags, values=value))


def test_numbers_of_bags_are_predicted_out_of_fold():
    arrays, report = classify_points(_numbered(), method="mi-regression", settings={}, folds=5)
    assert report["r2"] > 0.99
    error = arrays["bag_score"] - _numbered().bags.values
    assert report["rmse"] == pytest.approx(np.sqrt(np.mean(error**2)))


def test_a_method_that_predicts_no_numbers_is_not_judged_by_them():
    assert "r2" not in classify_points(_numbered(), settings={}, folds=5)[1]


def test_where_bags_have_groups_the_best_of_each_is_asked_for():
    groups = np.arange(20) // 4
    report = classify_points(replace(_two_clouds(), groups=groups), settings={}, folds=5)[1]
    assert report["group_first"] == 1.0
    assert report["group_first_chance"] == pytest.approx(0.5)
    assert "group_first" not in classify_points(_two_clouds(), settings={}, folds=5)[1]
