"""Labels made worse on purpose: looser, fewer, wrong."""

from datetime import UTC, datetime, timedelta

import msgspec
import numpy as np
import pytest

from emberscope.base.errors import MissingLabels
from emberscope.labels import BACKGROUND, UNKNOWN, Ignore, Spot, kind
from emberscope.labels.model import About
from emberscope.project import PutLabels, from_snapshot, to_snapshot
from emberscope.studies.label_times import USUAL
from emberscope.studies.weakened import Change, change_labels

NONE = frozenset()


def targets(project):
    return [label for label in project.labels if label.class_id == 1]


def grounds(project):
    return [label for label in project.labels if label.class_id == BACKGROUND]


def test_a_loosened_box_holds_its_target_and_knows_it(project):
    change_labels(project, Change(r=3.0), NONE)
    first = targets(project)[0]
    assert first.core == (8, 6, 20, 18)
    assert first.x0 <= 8 < 20 <= first.x1
    assert first.looseness > 0


def test_a_chip_of_u_2_has_twice_the_sides_of_the_largest_target(project):
    change_labels(project, Change(u=2), NONE)
    assert {(label.x1 - label.x0, label.y1 - label.y0) for label in targets(project)} == {(24, 24)}


def test_background_grows_with_the_targets_and_meets_none(project):
    change_labels(project, Change(u=2), NONE, margin=2)
    sides = {(label.x1 - label.x0, label.y1 - label.y0) for label in grounds(project)}
    assert sides == {(28, 28)}
    assert all(label.y0 >= 18 for label in grounds(project))


def test_a_share_keeps_some_of_each_class(project):
    change_labels(project, Change(share=0.25), NONE)
    assert (len(targets(project)), len(grounds(project))) == (3, 3)


def test_a_smaller_share_is_part_of_a_larger_one(project):
    other = from_snapshot(to_snapshot(project))
    change_labels(project, Change(share=0.25), NONE)
    change_labels(other, Change(share=0.5), NONE)
    assert {*project.labels.ids} < {*other.labels.ids}


def test_noise_turns_a_share_of_the_labels_over(project):
    before = {label.id: label.class_id for label in project.labels}
    change_labels(project, Change(noise=0.25), NONE)
    turned = [label.id for label in project.labels if label.class_id != before[label.id]]
    assert len(turned) == 6


@pytest.mark.parametrize("change", [Change(u=1), Change(share=0.5), Change(noise=1.0)])
def test_a_label_of_no_class_keeps_it(project, change):
    (source,) = project.sources
    spot = Spot(id=99, source=source, frame=0, class_id=UNKNOWN, x=9, y=9)
    project.apply(PutLabels(after=[spot]))
    change_labels(project, change, NONE)
    assert project.labels[99] == spot


def test_labels_that_judge_are_neither_left_out_nor_wrong(project):
    judging = frozenset(range(1, 13))
    change_labels(project, Change(share=0.1, noise=1.0), judging)
    kept = [project.labels[number] for number in judging]
    assert [label.class_id for label in kept] == [1, BACKGROUND] * 6


def test_the_same_seed_draws_the_same_labels(project):
    other = from_snapshot(to_snapshot(project))
    for each in (project, other):
        change_labels(each, Change(r=2.0, share=0.5, noise=0.2, seed=3), NONE)
    assert list(project.labels) == list(other.labels)


def test_labels_that_know_no_target_cannot_be_loosened(project):
    spots = [Spot(id=label.id, source=label.source, frame=label.frame, class_id=label.class_id,
                  x=9, y=9) for label in project.labels]
    project.apply(PutLabels(before=list(project.labels), after=spots))
    with pytest.raises(MissingLabels, match="no box knows its target"):
        change_labels(project, Change(u=1), NONE)


def test_boxes_of_looseness_r_are_as_loose_on_average(project):
    change_labels(project, Change(r=1.5), NONE)
    assert np.mean([label.looseness for label in targets(project)]) == pytest.approx(1.5, abs=0.3)


@pytest.mark.parametrize(("drawn", "words"), [("spot", "spot"), ("frame", "frame"),
                                              ("relaxed", "relaxed"), ("box", "box")])
def test_targets_that_teach_are_drawn_as_asked_and_those_that_judge_stay(project, drawn, words):
    judging = frozenset(label.id for label in targets(project)[:4])
    before = {label.id: label for label in project.labels if label.id in judging}
    change_labels(project, Change(drawn=drawn), judging)
    kinds = {kind(label) for label in targets(project) if label.id not in judging}
    assert kinds == {words}
    assert {label.id: label for label in project.labels if label.id in judging} == before


def test_a_spot_stands_in_the_middle_of_its_target(project):
    change_labels(project, Change(drawn="spot"), NONE)
    assert (targets(project)[0].x, targets(project)[0].y) == (14, 12)


@pytest.mark.parametrize("drawn", ["spot", "frame", "relaxed", "box"])
def test_what_is_known_of_a_target_stays_however_it_is_drawn(project, drawn):
    """As its range, by which clips may be held out."""
    known, labels = About(columns={"range": 1000}), targets(project)
    project.apply(PutLabels(before=labels, after=[
        msgspec.structs.replace(label, about=known) for label in labels]))
    change_labels(project, Change(drawn=drawn), NONE)
    assert all(label.about == known for label in targets(project))


def test_minutes_keep_what_is_drawn_in_them_targets_and_background(project):
    change_labels(project, Change(drawn="spot", minutes=0.5), NONE)
    seconds = sum(USUAL[kind(label)] for label in project.labels)
    assert 15 <= seconds <= 30
    assert targets(project)
    assert grounds(project)


def test_labels_take_as_long_as_they_took_before_they_were_changed(project):
    start, labels = datetime(2026, 5, 1, tzinfo=UTC), list(project.labels)
    project.apply(PutLabels(before=labels, after=[
        msgspec.structs.replace(label, about=About(
            author="Ada", time=(start + timedelta(seconds=20 * at)).isoformat()))
        for at, label in enumerate(labels)]))
    change_labels(project, Change(drawn="spot", minutes=2), NONE)
    seconds = USUAL["spot"] * len(targets(project)) + 20 * len(grounds(project))
    assert 100 < seconds <= 120


def test_of_each_class_a_label_is_there_however_short_the_time(project):
    change_labels(project, Change(minutes=0.01), NONE)
    assert (len(targets(project)), len(grounds(project))) == (1, 1)


def test_regions_that_are_left_out_stay_however_short_the_time(project):
    id, first = project.next_ids.label, targets(project)[0]
    left_out = [Ignore(id=id + at, source=first.source, frame=at, class_id=BACKGROUND, x0=50,
                       y0=50, x1=60, y1=60) for at in range(5)]
    project.apply(PutLabels(title="Leave out", after=left_out))
    change_labels(project, Change(minutes=0.01), NONE)
    assert {label.id for label in left_out} <= {label.id for label in project.labels}
    assert len(project.labels) == 7  # and one of either class


def test_labels_of_faster_kinds_are_more_in_the_same_time(project):
    other = from_snapshot(to_snapshot(project))
    change_labels(project, Change(drawn="spot", minutes=1), NONE)
    change_labels(other, Change(drawn="box", minutes=1), NONE)
    assert len(project.labels) > len(other.labels)
