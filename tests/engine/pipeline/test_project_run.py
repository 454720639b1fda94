"""From labels to an embedding."""

from dataclasses import replace

import msgspec
import numpy as np
import pytest

from emberscope import catalogue
from emberscope.bags import Bags, Instances
from emberscope.bags.make import MadeBags
from emberscope.base.errors import Cancelled, FormatError, MissingLabels, ParamError, TooLarge
from emberscope.base.monitor import Watch
from emberscope.course import cost, inputs
from emberscope.course.labels import Labels, known_labels
from emberscope.course.plan import plan_of
from emberscope.course.stages import faithful, separation, spread
from emberscope.course.stages.embed import held_together
from emberscope.labels import BACKGROUND
from emberscope.mil.rules import ensemble
from emberscope.mil.rules.held_out import held_out
from emberscope.pipeline import run
from emberscope.project import Project, PutLabels, PutRuns, from_record, mark, to_record
from emberscope.project.model.compare import same

from .conftest import N_FRAMES, RECIPE, a_box

QUICK = {"contrastive": {"n_epochs": 2}, "triplet": {"n_epochs": 2},
         "siamese": {"n_epochs": 2}, "siamese-triplet": {"n_epochs": 2}, "lmnn": {"n_iter": 20},
         "mi-umap": {"n_epochs": 20}, "mi-le": {"start": "density", "max_rounds": 1},
         "mi-isomap": {"start": "density", "max_rounds": 1}}


def with_method(method, **params):
    return msgspec.structs.replace(RECIPE, method=method, params=params)


@pytest.mark.parametrize(
    "method",
    [
        row.id
        for row in catalogue.EMBEDDERS
        if row.needs not in ("classes", "pairs", "distances", "actions")
    ],
)
def test_every_method_of_the_catalogue_makes_a_picture(project, cache, method, monkeypatch):
    # More fits with other seeds would show nothing new
    monkeypatch.setattr(spread, "SPREAD_SECONDS", 0.0)
    found = run(project, with_method(method, n_components=3, **QUICK.get(method, {})), cache=cache)
    assert found.Z.shape == (len(found.ids), 3)
    assert np.isfinite(found.Z).all()


def test_a_run_holds_the_bags_it_was_made_of(project, cache):
    found = run(project, RECIPE, cache=cache)
    assert len(found.bags) == len(project.labels)
    assert found.bags.instance_labels(len(found.ids)).tolist() == found.y.tolist()


def test_the_scores_tell_target_from_background(project, cache):
    found = run(project, RECIPE, cache=cache)
    assert found.metrics["method_bag_auc"] > 0.9
    assert found.metrics["knn_balanced"] > 0.9
    assert found.point_scores["score"][found.y > 0].mean() > 0.8


def test_every_point_has_its_trust(project, cache):
    found = run(project, RECIPE, cache=cache)
    assert (
        found.point_scores["trustworthiness"].shape
        == found.point_scores["continuity"].shape
        == found.ids.shape
    )


def test_a_run_says_how_far_to_believe_it_per_instance_overall_and_in_curves(project, cache):
    found = run(project, RECIPE, cache=cache)
    per_instance = {
        "trustworthiness",
        "continuity",
        "preservation",
        "stretch",
        "anisotropy",
        "purity",
        "score",
        "novelty",
    }
    assert per_instance == set(found.point_scores)
    assert {
        "r_nx_auc",
        "q_nx",
        "lcmc",
        "stress",
        "spearman_local",
        "spearman_global",
        "purity",
    } <= found.metrics.keys()
    assert found.diagnostics["ellipses"].shape == (
        len(found.ids),
        found.Z.shape[1],
        found.Z.shape[1],
    )
    assert found.diagnostics["bag_purity"].shape == found.bag_ids.shape
    assert found.diagnostics["q_nx"].shape == found.diagnostics["curve_k"].shape


def test_a_run_keeps_who_is_near_whom_in_the_features(project, cache):
    found = run(project, RECIPE, cache=cache)
    near = found.diagnostics["neighbors"]
    assert near.shape == (len(found.ids), 10)
    assert near.dtype == np.int32
    assert (near != np.arange(len(near))[:, None]).all()


def test_marking_an_instance_leaves_the_faithfulness_that_was_found(project, cache, monkeypatch):
    first = run(project, RECIPE, cache=cache)
    monkeypatch.setattr(faithful, "faithfulness", None)  # would fail where it was asked for
    project.apply(mark(project, first.ids[:1].tolist(), BACKGROUND))
    again = run(project, RECIPE, cache=cache)
    assert same(again.point_scores["stretch"], first.point_scores["stretch"])
    assert not same(again.point_scores["purity"], first.point_scores["purity"])


def test_a_picture_that_depends_on_its_seed_says_where_it_does(project, cache):
    found = run(project, with_method("tsne", perplexity=5.0, n_iter=30), cache=cache)
    assert found.point_scores["stability"].shape == found.ids.shape
    assert found.metrics["spread"] > 0
    assert "stability" not in run(project, RECIPE, cache=cache).point_scores


def test_without_the_time_for_more_fits_a_note_says_so(project, cache, monkeypatch):
    monkeypatch.setattr(spread, "SPREAD_SECONDS", 0.0)
    found = run(project, with_method("tsne", perplexity=5.0, n_iter=30), cache=cache)
    assert "stability" not in found.point_scores
    assert any(note.startswith("No spread between fits: 2 more") for note in found.notes)
    assert found.metrics["spread_seconds"] > 0


def test_at_any_cost_what_takes_long_is_measured_too(project, cache, monkeypatch):
    monkeypatch.setattr(spread, "SPREAD_SECONDS", 0.0)
    monkeypatch.setattr(separation, "REFIT_SECONDS", 0.0)
    found = run(project, with_method("s-le"), cache=cache, at_any_cost=True)
    assert {"spread", "method_bag_auc"} <= found.metrics.keys()
    assert not {"spread_seconds", "method_bag_auc_seconds"} & found.metrics.keys()


def test_a_run_keeps_the_marks_it_was_made_with(project, cache):
    first = run(project, RECIPE, cache=cache)
    project.apply(mark(project, first.ids[:1].tolist(), BACKGROUND))
    assert run(project, RECIPE, cache=cache).diagnostics["marks"].tolist() == [
        [int(first.ids[0]), BACKGROUND]
    ]


def test_with_truth_a_run_says_how_many_witnesses_are_targets(project, cache):
    loose = [msgspec.structs.replace(label, looseness=1.0, core=(24.0, 24.0, 40.0, 40.0))
             for label in project.labels if label.class_id == 1]
    project.apply(PutLabels(before=[project.labels[label.id] for label in loose], after=loose))
    metrics = run(project, with_method("mida"), cache=cache).metrics
    assert metrics["witness_found_bags"] == N_FRAMES
    assert metrics["witness_found_low"] <= metrics["witness_found"] <= metrics["witness_found_high"]
    # PCA has no witness score
    assert "witness_found" not in run(project, RECIPE, cache=cache).metrics


def test_targets_that_no_patch_shows_are_counted_and_said(project, cache):
    assert run(project, RECIPE, cache=cache).metrics["bags_missed"] == 0
    corner = [msgspec.structs.replace(label, looseness=1.0, core=(33.0, 33.0, 40.0, 40.0))
              for label in project.labels if label.class_id == 1]
    project.apply(PutLabels(before=[project.labels[label.id] for label in corner], after=corner))
    found = run(project, RECIPE, cache=cache)
    assert found.metrics["bags_missed"] == N_FRAMES
    assert (
        f"In {N_FRAMES} of {N_FRAMES} positive bags no patch lies on the target" in found.notes[0]
    )


def test_the_picture_of_a_supervised_method_is_not_its_accuracy(project, cache):
    metrics = run(project, with_method("lda"), cache=cache).metrics
    assert {
        "method_bag_auc",
        "knn_balanced",
        "knn_balanced_map",
        "knn_balanced_features",
    } <= metrics.keys()
    assert metrics["made_from_labels"] == 1.0


@pytest.mark.parametrize("method", ["s-le", "tsne"])
def test_the_same_recipe_gives_the_same_run_with_and_without_what_was_kept(
    project, cache, tmp_path, method
):
    first = run(project, with_method(method), cache=cache)
    for folder in (cache, tmp_path / "other"):
        again = run(project, with_method(method), cache=folder)
        assert same(again.Z, first.Z)
        assert same(again.point_scores, first.point_scores)


def test_rules_that_held_bags_back_serve_maps_of_other_dimensions_to_the_bit(
    project, cache, tmp_path, monkeypatch
):
    learned = []

    def counted(*args, **given):
        learned.append(1)
        return held_out(*args, **given)

    monkeypatch.setattr(ensemble, "held_out", counted)
    flat, deep = (msgspec.structs.replace(
        RECIPE, method="mi-umap", params={"n_components": d, "n_epochs": 5}) for d in (2, 3))
    run(project, flat, cache=cache)
    before = len(learned)
    again = run(project, deep, cache=cache)
    assert (before > 0, len(learned)) == (True, before)
    fresh = run(project, deep, cache=tmp_path / "empty")
    assert same((again.Z, again.metrics), (fresh.Z, fresh.metrics))


def test_a_run_travels_in_an_operation(project, cache):
    found = run(project, with_method("s-le"), cache=cache)
    assert same(from_record(to_record(PutRuns(after=[found]))).after[0], found)


def test_the_state_makes_the_fitted_method_again(project, cache):
    found = run(project, RECIPE, cache=cache)
    again = catalogue.load("pca").from_state(found.state)
    assert np.array_equal(again.embedding_, found.Z)


def test_a_run_does_not_change_the_project(project, cache):
    before = project.next_id
    assert run(project, RECIPE, cache=cache).id == 1
    assert (project.next_id, project.next_run, len(project.runs)) == (before, 1, 0)


def extracted(monkeypatch):
    """Ids whose features are computed from now on."""
    seen = []
    extract = inputs.extract
    monkeypatch.setattr(inputs, "extract", lambda found, *args, **options: (
        seen.extend(found.ids.tolist()), extract(found, *args, **options))[1])  # fmt: skip
    return seen


def test_one_more_label_costs_the_features_of_its_own_instances_only(project, cache, monkeypatch):
    known = set(run(project, RECIPE, cache=cache).ids.tolist())
    seen = extracted(monkeypatch)
    project.apply(PutLabels(after=[a_box(project, 3, BACKGROUND, 48, 0)]))
    found = run(project, RECIPE, cache=cache)
    assert set(seen) == set(found.ids.tolist()) - known
    assert len(seen) == len(set(seen)) > 0


def test_relabelled_instances_cost_no_features(project, cache, monkeypatch):
    ids = run(project, RECIPE, cache=cache).ids
    seen = extracted(monkeypatch)
    project.apply(mark(project, ids[:1].tolist(), BACKGROUND))
    assert run(project, RECIPE, cache=cache).y[0] == -1
    assert seen == []


def test_features_of_a_file_that_changed_are_computed_again(project, cache, monkeypatch):
    run(project, RECIPE, cache=cache)
    path = project.sources[min(project.sources)].path
    np.save(path, np.load(path) + 1)
    seen = extracted(monkeypatch)
    run(project, RECIPE, cache=cache)
    assert seen


def test_a_damaged_cache_is_computed_again(project, cache):
    first = run(project, RECIPE, cache=cache)
    inputs._kept_open.cache_clear()
    for path in cache.rglob("*.npy"):
        path.write_bytes(b"rubbish")
    assert same(run(project, RECIPE, cache=cache).Z, first.Z)


def test_an_ignored_instance_takes_no_part(project, cache):
    ids = run(project, RECIPE, cache=cache).ids
    project.apply(mark(project, ids[:1].tolist(), 0))
    assert ids[0] not in run(project, RECIPE, cache=cache).ids


def test_progress_rises_to_the_end(project, cache):
    seen = []
    run(
        project, RECIPE, cache=cache, monitor=Watch(lambda fraction, message: seen.append(fraction))
    )
    assert seen == sorted(seen)
    assert 0.9 < seen[-1] <= 1


def test_the_picture_is_shown_before_it_is_scored(project, cache):
    seen = []
    watch = Watch(
        lambda fraction, message: seen.append(message), on_partial=lambda Z: seen.append(Z.shape)
    )
    found = run(project, RECIPE, cache=cache, monitor=watch)
    assert "Faithfulness" in seen[seen.index(found.Z.shape) :]


@pytest.mark.parametrize("stage", ["Chips of frame 0", "Neighbors", "PCA", "Faithfulness"])
def test_a_run_stops_in_any_stage(project, cache, stage):
    def stop_at(fraction, message):
        if message == stage:
            raise Cancelled

    with pytest.raises(Cancelled):
        run(project, RECIPE, cache=cache, monitor=Watch(stop_at))


# What cannot be run


def test_without_labels_the_next_step_is_named(cache):
    with pytest.raises(MissingLabels, match="Label a target and some background"):
        run(Project(), RECIPE, cache=cache)


@pytest.mark.parametrize(("method", "left"), [("lda", 1), ("mida", BACKGROUND)])
def test_a_method_that_needs_both_says_which_is_missing(project, cache, method, left):
    project.apply(PutLabels(before=[label for label in project.labels if label.class_id != left]))
    with pytest.raises(
        MissingLabels, match=f"there is no {'background' if left == 1 else 'target'}"
    ):
        run(project, with_method(method), cache=cache)


@pytest.mark.parametrize(
    "recipe",
    [
        with_method("magic"),
        with_method("pca", k=3),
        with_method("pca", n_components=0),
        with_method("knn"),
    ],
)
def test_an_unknown_method_or_parameter_is_refused_before_any_work(project, cache, recipe):
    with pytest.raises(ParamError):
        run(project, recipe, cache=cache)
    assert not cache.exists()


def test_a_source_that_is_gone_is_named(project, cache, tmp_path):
    (tmp_path / "frames.npy").unlink()
    with pytest.raises(FormatError, match="the source is not there"):
        run(project, RECIPE, cache=cache)


def test_with_all_features_kept_a_source_that_is_gone_is_no_hindrance(project, cache, tmp_path):
    first = run(project, RECIPE, cache=cache)
    (tmp_path / "frames.npy").rename(tmp_path / "moved.npy")
    assert same(run(project, RECIPE, cache=cache).Z, first.Z)


def test_what_does_not_fit_in_memory_is_refused_with_the_alternative(project, cache, monkeypatch):
    monkeypatch.setattr(cost, "_free_memory", lambda: 1000.0)
    with pytest.raises(TooLarge, match="Choose smaller features, a larger stride or PCA"):
        run(project, RECIPE, cache=cache)


def test_labels_on_one_frame_give_a_picture_without_held_out_bags(project, cache):
    project.apply(PutLabels(before=[label for label in project.labels if label.frame]))
    found = run(project, RECIPE, cache=cache)
    assert not {"method_bag_auc", "knn_balanced"} & found.metrics.keys()
    assert any(note.startswith("Bags are not held out") for note in found.notes)


def test_a_method_that_ranks_instances_says_which_are_witnesses(project, cache):
    found = run(project, msgspec.structs.replace(RECIPE, method="mida"), cache=cache)
    witness = found.point_scores["witness"]
    np.testing.assert_array_equal(np.argsort(witness), np.argsort(found.state["score_"]))
    assert (witness.min(), witness.max()) == (0.0, 1.0)
    assert "witness" not in run(project, RECIPE, cache=cache).point_scores


def _spread(Z):
    return np.linalg.norm(Z - Z.mean(axis=0), axis=1).mean()


def test_a_layout_goes_on_from_the_previous_picture_by_instance(project, cache):
    recipe = with_method("tsne", perplexity=5.0, n_iter=100)
    before = run(project, recipe, cache=cache)
    gone = next(iter(project.labels))
    project.apply(PutLabels(before=[gone], after=[]))
    project.apply(PutLabels(after=[a_box(project, 3, BACKGROUND, 60, 30)]))
    after = run(project, recipe, cache=cache, previous=before)
    assert set(after.ids) != set(before.ids)
    _, here, there = np.intersect1d(after.ids, before.ids, return_indices=True)
    moved = np.linalg.norm(after.Z[here] - before.Z[there], axis=1)
    cold = run(project, recipe, cache=cache)
    cold_moved = np.linalg.norm(cold.Z[here] - before.Z[there], axis=1)
    assert np.median(moved) < 0.5 * _spread(before.Z)
    assert np.median(moved) < np.median(cold_moved)
    assert f"It went on from the embedding of run {before.id}." in after.notes
    assert "It went on" not in " ".join(cold.notes)


@pytest.mark.parametrize(
    "change", [{"seed": 1}, {"params": {"perplexity": 6.0, "n_iter": 30}}, {"method": "pca"}]
)
def test_another_seed_parameter_or_method_starts_afresh(project, cache, change):
    recipe = with_method("tsne", perplexity=5.0, n_iter=30)
    before = run(project, recipe, cache=cache)
    if "method" in change:
        change = {**change, "params": {}}
    other = msgspec.structs.replace(recipe, **change)
    afresh = run(project, other, cache=cache)
    assert same(run(project, other, cache=cache, previous=before).Z, afresh.Z)


def test_a_picture_of_mostly_other_instances_is_no_start(project, cache):
    recipe = with_method("tsne", perplexity=5.0, n_iter=30)
    before = run(project, recipe, cache=cache)
    few = msgspec.structs.replace(
        before,
        ids=np.concatenate(
            [before.ids[: len(before.ids) // 3], -before.ids[len(before.ids) // 3 :]]
        ),
    )
    assert same(run(project, recipe, cache=cache, previous=few).Z, before.Z)


def test_a_classifier_scores_bags_and_instances_it_was_not_fitted_on(project, cache):
    found = run(project, msgspec.structs.replace(RECIPE, classifier="knn"), cache=cache)
    score = found.diagnostics["bag_score"]
    assert score.shape == found.bag_ids.shape
    assert found.metrics["bag_auc_low"] <= found.metrics["bag_auc"] <= found.metrics["bag_auc_high"]
    assert score[found.bag_labels > 0].mean() > score[found.bag_labels < 0].mean()
    assert np.isfinite(found.point_scores["witness"]).all()


def test_other_parameters_of_the_classifier_leave_the_picture_as_it_was(project, cache):
    first = run(project, msgspec.structs.replace(RECIPE, classifier="knn"), cache=cache)
    other = run(
        project,
        msgspec.structs.replace(RECIPE, classifier="knn", classifier_params={"k": 9}),
        cache=cache,
    )
    assert np.array_equal(first.Z, other.Z)


def test_values_that_are_not_given_are_chosen_inside_the_training_folds_and_said(project, cache):
    recipe = msgspec.structs.replace(
        RECIPE,
        classifier="citation-knn",
        classifier_params={"distance": "average"},
        classifier_choose=True,
    )
    (words,) = [note for note in run(project, recipe, cache=cache).notes if "chosen inside" in note]
    assert "references" in words
    assert "distance" not in words


def test_bags_that_size_alone_tells_apart_are_warned_of(project, cache):
    small = [
        a_box(project, frame, BACKGROUND, 8, 56, size=16, place=frame) for frame in range(N_FRAMES)
    ]
    large = [label for label in project.labels if label.class_id != BACKGROUND]
    project.apply(PutLabels(before=list(project.labels), after=large + small))
    found = run(project, msgspec.structs.replace(RECIPE, classifier="knn"), cache=cache)
    assert found.metrics["bag_size_auc"] == 1.0
    assert any("differ in size" in note for note in found.notes)


def test_choosing_is_off_unless_asked_for(project, cache):
    notes = run(project, msgspec.structs.replace(RECIPE, classifier="knn"), cache=cache).notes
    assert not any("chosen inside" in note for note in notes)


@pytest.mark.parametrize(
    "wrong", [{"classifier": "pca"}, {"classifier": "knn", "classifier_params": {"k": 0}}]
)
def test_a_classifier_that_cannot_be_is_refused_before_anything_is_computed(wrong, project, cache):
    with pytest.raises(ParamError):
        run(project, msgspec.structs.replace(RECIPE, **wrong), cache=cache)


def test_a_linear_run_says_what_its_axes_are_made_of(project, cache):
    found = run(project, with_method("lda", n_components=2), cache=cache)
    assert found.diagnostics["loadings"].shape == (len(found.state["feature_names"]), 2)
    assert "loadings" not in run(project, with_method("umap"), cache=cache).diagnostics


@pytest.mark.parametrize("judge", ["citation-knn", "knn"])
def test_a_classifier_leaves_the_witnesses_to_a_method_that_has_its_own(judge, project, cache):
    alone = run(project, with_method("mida"), cache=cache).point_scores
    beside = run(
        project, msgspec.structs.replace(with_method("mida"), classifier=judge), cache=cache
    ).point_scores
    assert np.array_equal(beside["witness"], alone["witness"])
    assert not np.array_equal(beside["classifier"], alone["witness"])


def test_a_method_without_scores_takes_the_witnesses_of_the_classifier(project, cache):
    found = run(
        project, msgspec.structs.replace(with_method("pca"), classifier="knn"), cache=cache
    ).point_scores
    assert "classifier" not in found
    assert np.isfinite(found["witness"]).all()


def test_a_method_that_reads_bags_is_not_told_what_it_is_to_find_out(project, cache):
    made = inputs.prepare(project, RECIPE, cache).made
    assert (known_labels(made, catalogue.method("mi-le")) == np.minimum(made.y, 0)).all()
    assert (known_labels(made, catalogue.method("s-le")) == made.y).all()


def test_a_method_that_holds_bags_back_holds_back_the_clips_that_the_headline_does():
    source, place = np.repeat([1, 2, 3], 2), np.arange(6)
    instances = Instances.at(source, 20 * place, np.stack([place] * 4, axis=1))
    bags = replace(Bags.from_column(place, np.tile([1, -1], 3)), groups=place)
    labels = MadeBags(instances, bags, bags.labels, np.empty(0, np.int64), [], np.zeros(6, bool))
    held = held_together(Labels.of(labels), plan_of(with_method("mi-umap")))
    assert (held.groups.tolist(), held.blocks.tolist()) == ([0, 0, 1, 1, 2, 2], place.tolist())
    assert held_together(Labels.of(labels), plan_of(with_method("mi-le"))) is bags
