"""What sets targets apart in a run."""

import numpy as np
import pytest

from emberscope.findings.learned import BEFORE, GOES_WITH, THROUGH_METRIC, learned_of

from ..project.builders import a_run

NAMES = ["spot 4/32 hottest", "spot 1/32 hottest", "tile 0,0", "lbp 8"]
SHARES, GOES = np.array([0.4, 0.2, 0.3, 0.1]), np.array([0.8, 0.5, 0.0, -0.6])


def ranked(*, state=None, goes=GOES, **changes):
    """Bags {0, 1} and {2, 3} are positive, {4, 5} negative; instances 0 and 1 lie beyond the border
    of targets."""
    score = np.array([0.9, 0.7, 0.3, 0.2, 0.1, 0.0])
    kept = {
        "score_": score, "held_score_": score, "feature_names": NAMES, "feature_shares_": SHARES,
        "rule_names_": ["density", "trees"], "rule_weights_": np.array([0.25, 0.75]),
        "rule_agreement_": np.array([0.2, 0.6]), "rules_about_targets_": True,
    }
    fields = {
        "indptr": np.array([0, 2, 4, 6]),
        "members": np.arange(6),
        "bag_labels": np.array([1, 1, -1], np.int8),
        "bag_ids": np.array([7, 8, 9]) << 16,
        "bag_classes": np.array([1, 1, 2]),
        "point_scores": {"witness": score.astype(np.float32)},
        "state": kept | (state or {}),
        "diagnostics": {GOES_WITH: goes},
    }
    return a_run(n=6, **fields | changes)


def test_features_count_by_groups_beside_what_chance_would_give():
    spots, tiles, texture = learned_of(ranked()).groups
    assert (spots.title, spots.share, spots.usual) == ("spots, hottest", pytest.approx(0.6), 0.5)
    assert spots.strongest == ("spot 4/32 hottest", "spot 1/32 hottest")
    assert [group.goes_words for group in (spots, tiles, texture)] == [
        "higher",
        "both ways",
        "lower",
    ]


def test_shares_of_groups_sum_to_one():
    assert sum(group.share for group in learned_of(ranked()).groups) == pytest.approx(1.0)


def test_rules_come_the_heaviest_first_and_say_why_they_weigh():
    found = learned_of(ranked())
    assert [rule.title for rule in found.rules] == ["randomized trees", "density"]
    assert found.rule_words == (
        "Rules weigh by how they agree with each other about the instances of positive bags. Mean "
        "rank correlation between rules: 0.40. Randomized trees 75%, density 25%."
    )
    about_ground = learned_of(ranked(state={"rules_about_targets_": False}))
    assert about_ground.rules_why.startswith("Rules agreed about ground")


def test_labels_that_changed_from_those_of_bags_are_counted():
    assert learned_of(ranked()).label_words == (
        "Of 4 instances of positive bags 2 count as targets, in 1 of 2 bags; 2 changed from the "
        "label of their bag to ground."
    )


def test_rounds_say_how_many_labels_each_of_them_changed():
    history = np.array(
        [[1, 1, 1, 1, -1, -1], [1, -1, 1, 1, -1, -1], [1, -1, 1, -1, -1, -1]], np.int8
    )
    rounds = {"history_": history, "changes_": np.array([0.25, 0.25]), "kept_round_": 2}
    found = learned_of(ranked(state=rounds))
    assert found.changed == (1, 1)
    assert found.label_words.endswith(
        "2 changed from the label of their bag to ground. Rounds changed 1, 1 labels."
    )


def test_every_positive_bag_has_its_witness():
    run = ranked()
    found = learned_of(run)
    assert found.witnesses.tolist() == [0, 2, -1]
    assert [(one["bag"], one["instance"]) for one in found.to_dict(run)["witnesses"]] == [
        ("7", 1),
        ("8", 3),
    ]


def test_of_principal_components_every_feature_has_its_part():
    axes = np.array([[1.0, 0.0], [0.0, 0.6], [0.0, 0.8], [0.0, 0.0]])
    reduced = {
        "reduction": {"components": axes, "mean": np.zeros(4)},
        "feature_shares_": np.array([0.5, 0.5]),
    }
    groups = {group.title: group.share for group in learned_of(ranked(state=reduced)).groups}
    assert groups == {
        "spots, hottest": pytest.approx(0.68),
        "tiles, rim": pytest.approx(0.32),
        "texture": 0.0,
    }


def test_a_run_of_an_older_version_says_in_one_sentence_what_to_do():
    old = ranked(
        diagnostics={},
        state={
            "rule_names_": [],
            "rule_weights_": np.empty(0),
            "rule_agreement_": np.empty(0),
            "feature_shares_": np.empty(0),
            "feature_names": [],
        },
    )
    found = learned_of(old)
    assert (found.missing, found.groups, found.rules) == (BEFORE, (), ())
    assert BEFORE.count(".") == 1
    assert ": run it again to see" in BEFORE


def test_behind_a_metric_features_are_not_told_and_the_run_says_why():
    found = learned_of(ranked(state={"metric": {"W": np.eye(2)}}))
    assert (found.missing, found.groups) == (THROUGH_METRIC, ())
    assert found.strongest(1) == [("spot 4/32 hottest", 0.8)]


@pytest.mark.parametrize("odd", [
    {"feature_shares_": np.ones((2, 2))}, {"feature_shares_": np.ones(9)},
    {"rule_weights_": np.ones(5)},
    {"reduction": {"components": np.ones((9, 9)), "mean": np.zeros(9)}},
    {"feature_shares_": np.zeros(4)},
])  # fmt: skip
def test_a_state_that_something_else_wrote_is_no_error(odd):
    learned_of(ranked(state=odd)).to_dict(ranked())


def test_a_run_that_ranks_no_instances_has_learned_nothing_of_them():
    assert learned_of(a_run()) is None
