"""Whether witnesses are targets, where truth is known."""

import numpy as np
import pytest

from emberscope.bags import Bags, Instances
from emberscope.base.ids import bag_id
from emberscope.evaluate.held_out import bag_clips
from emberscope.labels import BACKGROUND, Box
from emberscope.pipeline.witnesses import found_in, mean_found, targets, truth_of
from emberscope.project import Project, PutLabels


def a_box(id, *, core=None, looseness=1.0, class_id=1):
    return Box(
        id=id,
        source=1,
        frame=0,
        x0=0,
        y0=0,
        x1=96,
        y1=32,
        core=core,
        looseness=looseness,
        class_id=class_id,
    )


def a_project(*labels):
    project = Project()
    project.apply(PutLabels(after=list(labels)))
    return project


def a_row_of_patches(frame=0):
    """Three patches of 32 px: centers at x = 16, 48, 80."""
    left = 32.0 * np.arange(3)
    box = np.stack([left, 0 * left, left + 32, 0 * left + 32], axis=1)
    return Instances.at(np.ones(3, int), np.full(3, frame), box)


def one_bag(label=10, sign=1):
    return Bags.from_lists([np.arange(3)], np.array([sign]), ids=np.array([bag_id(label)]))


Y, SCORE = np.ones(3, int), np.arange(3.0)
CORE = (44.0, 12.0, 60.0, 20.0)  # holds the center of the second patch


def witnesses_found(project, instances, bags, score, y):
    """As runs judge them: what is known, what was found, the mean over clips."""
    truth = truth_of(project, instances, bags)
    return mean_found(found_in(truth, bags, score, y), bag_clips(instances, bags)[truth.bags])


def test_a_target_has_its_center_in_the_tight_box_grown_by_eight_pixels():
    assert targets(a_project(a_box(10, core=CORE)), a_row_of_patches()).tolist() == [
        False,
        True,
        False,
    ]
    assert targets(a_project(a_box(10, core=(20.0, 12.0, 60.0, 20.0))),
                   a_row_of_patches()).tolist() == [
        True, True, False]  # fmt: skip


def test_truth_of_another_frame_or_of_background_tells_nothing():
    assert not targets(a_project(a_box(10, core=CORE)), a_row_of_patches(frame=1)).any()
    assert not targets(
        a_project(a_box(10, looseness=0, class_id=BACKGROUND)), a_row_of_patches()
    ).any()


def test_a_tight_box_of_a_target_is_truth():
    assert targets(a_project(a_box(10, looseness=0)), a_row_of_patches()).all()


@pytest.mark.parametrize(
    ("score", "share"), [([0.1, 0.9, 0.2], 1.0), ([0.9, 0.1, 0.2], 0.0), ([0.9, 0.9, 0.2], 0.5)]
)
def test_the_first_of_the_bag_is_a_target_or_not_and_ties_share(score, share):
    found = witnesses_found(
        a_project(a_box(10, core=CORE)), a_row_of_patches(), one_bag(), np.array(score), Y
    )
    assert found["witness_found"] == share
    assert found["witness_found_chance"] == pytest.approx(1 / 3)
    assert found["witness_found_low"] < found["witness_found_high"]


def test_what_is_marked_as_background_is_no_witness():
    y = np.array([-1, 1, 1])
    score = np.array([0.9, 0.5, 0.1])
    found = witnesses_found(
        a_project(a_box(10, core=CORE)), a_row_of_patches(), one_bag(), score, y
    )
    assert found["witness_found"] == 1.0


def test_a_bag_without_scores_is_not_found():
    unknown = np.full(3, np.nan)
    found = witnesses_found(
        a_project(a_box(10, core=CORE)), a_row_of_patches(), one_bag(), unknown, Y
    )
    assert found["witness_found"] == 0.0


def test_there_is_no_share_where_no_truth_is_known():
    project = a_project(a_box(10), a_box(11, looseness=0))
    for bags in (one_bag(10), one_bag(11), one_bag(12)):
        assert witnesses_found(project, a_row_of_patches(), bags, SCORE, Y) == {}
    assert (
        witnesses_found(
            a_project(a_box(10, core=CORE)), a_row_of_patches(), one_bag(10, -1), SCORE, Y
        )
        == {}
    )
