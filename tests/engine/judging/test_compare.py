"""Two runs on what both were judged by."""

import numpy as np
from msgspec.structs import replace

from emberscope.findings.judged.levels import BAG, CLASSIFIER, INSTANCE
from emberscope.findings.judged.pair import changes_of, pair_record
from emberscope.judging.compare import compare_runs
from emberscope.judging.evidence import Evidence
from emberscope.judging.judge import judge_run
from emberscope.project import BagRecipe, Recipe


def worse(target):
    return np.where(target & (np.arange(len(target)) % 3 == 0), 0.0, target).astype(float)


def test_a_run_says_the_same_as_itself(build):
    project, run = build()
    found = compare_runs(project, run, run)
    assert [len(pair.won) + len(pair.lost) for pair in found.pairs] == [0, 0]
    assert "Runs 1 and 1 say the same of all 160 instances." in found.words


def test_what_is_judged_otherwise_is_named_by_its_ids(build):
    project, first = build(score=worse)
    _, second = build(run_id=2)
    pair = compare_runs(project, first, second).pairs[0]
    assert pair.level == INSTANCE
    assert len(pair.won) == pair.only_second > 0
    assert set(pair.won) <= set(second.ids)


def test_a_chance_is_said_of_bags_and_not_of_instances(build):
    project, first = build(score=worse)
    _, second = build(run_id=2)
    of_level = {pair.level: pair for pair in compare_runs(project, first, second).pairs}
    assert np.isnan(of_level[INSTANCE].chance)
    assert 0 <= of_level[BAG].chance <= 1


def test_a_run_without_held_out_scores_is_compared_by_its_settings_alone(build):
    project, first = build(held=False)
    _, second = build(run_id=2)
    found = compare_runs(project, first, second)
    assert found.pairs == []
    assert "kept no held-out scores" in found.words[0]


def test_runs_that_share_no_instance_say_so(build):
    project, first = build()
    _, second = build(run_id=2)
    second.ids[:] = np.arange(len(second.ids)) + 5
    second.bag_ids[:] = np.arange(len(second.bag_ids)) + 10**6
    words = compare_runs(project, first, second).words
    assert "Runs 1 and 2 share no bag that both held out." in words


def test_every_difference_of_areas_has_its_p_beside_the_interval(build):
    project, first = build(score=worse)
    _, second = build(run_id=2)
    of_bags = next(pair for pair in compare_runs(project, first, second).pairs
                   if pair.level == BAG)
    assert 0 <= of_bags.area_chance <= 1
    words = compare_runs(project, first, second).words
    assert any("corrected resampled t" in sentence for sentence in words)
    record = pair_record(of_bags)
    assert record["auc_difference"]["p"] == of_bags.area_chance
    assert record["mcnemar_p"] == of_bags.chance


def test_runs_are_judged_by_their_classifiers_where_these_are_asked_for(build):
    project, run = build(score=lambda target: np.zeros(len(target)))
    kept = {"classifier_held": run.Z[:, 0] * 0 + (run.y > 0),
            "bag_score": run.bag_labels.astype(float),
            "classifier_fold": run.diagnostics["bag_fold"]}
    run = replace(run, diagnostics=run.diagnostics | kept)
    assert "has no classifier" in judge_run(project, run, by=CLASSIFIER).level(BAG).why_not
    run = replace(run, recipe=Recipe(method="pca", classifier="svm-rbf", classifier_reads="map"))
    assert judge_run(project, run).level(BAG).area.value == 0.5
    level = judge_run(project, run, by=CLASSIFIER).level(BAG)
    assert level.area.value == 1.0
    assert level.rests_on.startswith("scores of RBF SVM on the map, 40 bags")


def test_an_instance_that_a_classifier_did_not_score_is_no_witness_of_its_bag(build):
    project, run = build()
    score = np.where(np.arange(len(run.ids)) == run.members[0], np.nan, -3.0)
    kept = {"classifier_held": score, "bag_score": run.bag_labels.astype(float),
            "classifier_fold": run.diagnostics["bag_fold"]}
    run = replace(run, diagnostics=run.diagnostics | kept,
                  recipe=Recipe(method="pca", classifier="svm-rbf"))
    found = Evidence(project, run, CLASSIFIER).bag_entries()
    assert found.instance[0] == run.members[1]


def test_bags_that_one_run_has_alone_are_counted_as_left_out(build):
    project, first = build()
    _, second = build(run_id=2, score=worse)
    kept = second.bag_ids != second.bag_ids[0]
    second.diagnostics["bag_fold"][~kept] = -1  # its label was not there yet
    words = compare_runs(project, first, second).words
    assert "Left out: 1 bag that run 1 alone held out." in words


def test_bags_whose_label_changed_are_counted_as_left_out(build):
    project, first = build()
    _, second = build(run_id=2)
    second.bag_labels[1] = 1
    pair = compare_runs(project, first, second).pairs[-1]
    assert (pair.level, pair.left_out) == (BAG, (0, 0, 1))


def test_runs_of_other_labels_say_how_many_bags_each_has(build):
    _, first = build()
    _, second = build(run_id=2)
    second.bag_ids[0] += 1
    rows = {row.title: (row.before, row.after) for row in changes_of(first, second)}
    assert rows["Bags"] == ("40", "40")
    assert "Bags" not in {row.title for row in changes_of(first, first)}


def test_runs_of_other_patches_say_why_they_share_no_instance(build):
    project, first = build()
    _, second = build(run_id=2)
    second.ids[:] = np.arange(len(second.ids)) + 5
    second = replace(second, recipe=Recipe(method="pca", bags=BagRecipe(patch=24)))
    words = compare_runs(project, first, second).words
    assert any(line.endswith("share no instance that both held out: their patches are others.")
               for line in words)
