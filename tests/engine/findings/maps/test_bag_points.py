"""Points that stand for bags."""

import numpy as np
import pytest

from emberscope.findings.maps.bag_points import (
    MEANS,
    POINTS,
    at_means,
    bag_points,
    bag_style,
    hulls,
    with_note,
)
from emberscope.findings.point_looks import style_points
from emberscope.project import Project

from ...project.builders import a_run

SEEN = np.ones(6, bool)


@pytest.fixture
def run():
    """Instances 0, 1, 2 in a positive bag, 2, 3 in a negative one, 4 in none, 5 alone."""
    return a_run(
        n=6, indptr=np.array([0, 3, 5, 6]), members=np.array([0, 1, 2, 2, 3, 5]),
        bag_labels=np.array([1, -1, -1], np.int8), bag_ids=np.array([1, 2, 3]) << 16,
        bag_classes=np.array([1, 2, 2]),
        point_scores={"witness": np.array([0.1, 0.5, 0.9, 0.2, 1, 0.3], np.float32)},
    )  # fmt: skip


def test_a_witness_stands_for_one_bag_and_the_next_best_for_the_other(run):
    found = bag_points(Project(), run)
    assert found.rows.tolist() == [2, 3, 5]
    assert found.bags.tolist() == [0, 1, 2]
    assert found.stands.tolist() == [2, 2, 2, 3, -1, 5]


def test_a_bag_all_of_whose_members_stand_for_others_has_no_point(run):
    both = a_run(n=2, indptr=np.array([0, 1, 2]), members=np.array([0, 0]),
                 bag_labels=np.array([1, 1], np.int8), bag_ids=np.array([1, 2]) << 16,
                 bag_classes=np.array([1, 1]))  # fmt: skip
    assert bag_points(Project(), both).bags.tolist() == [0]


def test_a_point_at_the_mean_leaves_out_members_without_a_place(run):
    Z = np.array([[0, 0], [2, 4], [np.nan, 1], [8, 8], [9, 9], [7, 7]], np.float32)
    out = at_means(Z, run.bags, bag_points(Project(), run))
    assert out[[2, 3, 5]].tolist() == [[1, 2], [8, 8], [7, 7]]
    assert out[[0, 1, 4]].tolist() == Z[[0, 1, 4]].tolist()


def test_a_legend_of_bags_counts_bags(run):
    project = Project()
    found = bag_points(project, run)
    style = style_points(project, run, "class", "light")
    of_bags = bag_style(project, run, style, found, theme="light", by_class=True)
    assert [(e.title, e.count, e.says) for e in of_bags.legend] == [
        ("Target", 1, ""), ("Background", 2, "")]  # fmt: skip
    assert of_bags.slot[found.rows].tolist() == [1, 2, 2]


def test_a_legend_says_what_points_of_bags_are(run):
    style = style_points(Project(), run, "witness", "light")
    assert with_note(style, MEANS).note.endswith("one point a bag, at the mean of its instances")


def test_an_outline_goes_through_the_members_farthest_out_and_needs_three(run):
    places = np.array([[0, 0], [4, 0], [0, 4], [1, 1], [9, 9], [5, 5]], float)
    corners, bags = hulls(places, run.bags, SEEN)
    assert bags.tolist() == [0]
    assert set(corners[0].tolist()) == {0, 1, 2}


def test_an_outline_leaves_out_the_members_inside():
    inside = a_run(n=5, indptr=np.array([0, 5]), members=np.arange(5))
    places = np.array([[0, 0], [4, 0], [4, 4], [0, 4], [2, 2]], float)
    assert set(hulls(places, inside.bags, SEEN[:5])[0][0].tolist()) == {0, 1, 2, 3}


def test_members_that_are_hidden_have_no_part_in_an_outline(run):
    places = np.random.default_rng(0).normal(size=(6, 2))
    assert len(hulls(places, run.bags, np.array([0, 1, 1, 1, 1, 1], bool))[0]) == 0


def test_what_points_can_be_is_told_apart_by_the_first_letters_of_its_name():
    names = [title[:5] for title, _ in POINTS.values()]
    assert len(set(names)) == len(names)
