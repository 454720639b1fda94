"""The first numbers of a run in words."""

import pytest

from emberscope.project.headline import chance_words, held_out_words, made_from_words, named, with_interval

FOUND = {"method_bag_auc": 0.84, "method_bag_auc_low": 0.612, "method_bag_auc_high": 0.94, "method_bag_groups": 12.0,
         "method_bag_by_clip": 0.0}


def test_a_number_is_said_with_its_interval_where_that_is_known():
    assert with_interval(FOUND, "method_bag_auc") == "0.84 (0.61 – 0.94)"
    assert with_interval({"spread": 0.1}, "spread") == "0.10"
    assert with_interval(FOUND, "knn_balanced") == with_interval({"a": float("nan")}, "a") == ""


def test_what_was_held_out_is_named():
    assert held_out_words(FOUND) == "held out by blocks of frames, 12 blocks"
    assert held_out_words({**FOUND, "method_bag_by_clip": 1.0, "method_bag_groups": 4.0}) == "held out by clip, 4 clips"
    assert held_out_words({}) == ""


def test_the_chance_of_a_witness_is_said_where_truth_is_known():
    assert chance_words({"witness_found": 1.0, "witness_found_chance": 0.44, "witness_found_bags": 120.0}) == (
        "chance 0.44, 120 bags")  # fmt: skip
    assert chance_words(FOUND) == ""


def test_a_picture_made_from_labels_says_so():
    assert made_from_words({"made_from_labels": 1.0}) == "made from these labels"
    assert made_from_words({"made_from_labels": 0.0}) == made_from_words({}) == ""


def test_a_number_goes_by_its_plain_name_with_its_term_beside_it():
    assert named("r_nx_auc") == "agreement (r_nx_auc)"
    assert named("stress") == "stress"
    assert named("knn_balanced_features") == "knn_balanced_features"


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_counts_that_are_no_numbers_are_none(value):
    found = {"witness_found": 1.0, "witness_found_chance": 0.44, "witness_found_bags": value}
    assert chance_words(found) == "chance 0.44, 0 bags"
    assert chance_words({**found, "witness_found": value}) == ""
    assert held_out_words({**FOUND, "method_bag_groups": value}) == "held out by blocks of frames, 0 blocks"
