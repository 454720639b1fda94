"""What truth says of the held-out scores of a run."""

from itertools import pairwise

import msgspec
import numpy as np
import pytest

from emberscope.findings.judged.levels import BAG, DETECTION, GROUND, INSTANCE, Tally
from emberscope.judging.judge import judge_run
from emberscope.labels.model import About
from emberscope.project import PutLabels

from .conftest import CAR, FRAMES, PATCHES, PERSON


def test_the_target_of_a_box_is_a_target_and_the_ground_in_it_is_not(build):
    level = judge_run(*build()).level(INSTANCE)
    assert int((level.truth == CAR).sum()) == 2 * FRAMES
    assert int((level.truth == GROUND).sum()) == 2 * FRAMES * (2 * PATCHES - 1)
    assert level.area.value == 1.0


def test_bags_are_judged_by_their_labels(build):
    level = judge_run(*build()).level(BAG)
    assert len(level.ids) == 4 * FRAMES
    assert level.area.value == 1.0


def test_a_detection_beside_a_better_one_is_no_false_alarm(build):
    level = judge_run(*build(step=16)).level(DETECTION)
    assert level.frames == 2 * FRAMES
    assert int((level.truth == GROUND).sum()) == 2 * FRAMES * 3  # two of four below, one beside


def test_a_target_that_is_never_the_best_nearby_is_never_found(build):
    level = judge_run(*build(step=16, score=lambda target: 1.0 - target)).level(DETECTION)
    assert np.isneginf(level.score[level.truth != GROUND]).all()


def test_of_two_targets_that_share_their_patches_one_is_not_found(build):
    project, run = build()
    run.members[2 * PATCHES : 3 * PATCHES] = run.members[:PATCHES]
    level = judge_run(project, run).level(DETECTION)
    score = level.score[level.truth != GROUND]
    assert (len(score), int(np.isneginf(score).sum())) == (2 * FRAMES, 1)


def test_without_truth_instances_cannot_be_judged_but_bags_can(build):
    judged = judge_run(*build(known=False))
    assert "No label knows where its target is" in judged.level(INSTANCE).why_not
    assert judged.level(INSTANCE).remedy == "truth"
    assert not judged.level(BAG).why_not


def test_truth_of_half_of_the_bags_is_used_and_the_others_take_no_part(build):
    project, run = build()
    for label in [
        label for label in project.labels if label.frame >= 100 and label.class_id == CAR
    ]:
        bare = type(label)(**{name: getattr(label, name) for name in label.__struct_fields__
                              if name != "core"})
        project.labels.put(bare)
    assert int((judge_run(project, run).level(INSTANCE).truth != GROUND).sum()) == FRAMES


def test_truth_of_half_of_the_bags_says_of_how_many(build):
    project, run = build()
    labels = [label for label in project.labels if label.looseness][: FRAMES // 2]
    bare = [msgspec.structs.replace(label, core=None) for label in labels]
    project.apply(PutLabels(before=labels, after=bare))
    found = judge_run(project, run)
    words = f"{len(found.level(INSTANCE).ids)} instances with known truth, those of 15 of 20 "
    assert found.level(INSTANCE).rests_on.startswith(f"{words}positive bags, 2 clips")
    assert "those of" not in found.level(BAG).rests_on


def test_a_run_of_a_version_without_held_out_scores_says_so(build):
    level = judge_run(*build(held=False)).level(BAG)
    assert level.why_not == ("Run 1 is of a version that kept no held-out scores. "
                             "Run it again.")
    assert level.remedy == "again"


def test_a_run_that_had_no_time_to_hold_bags_out_says_what_it_takes(build):
    project, run = build(held=False)
    run.notes.append("Bags are not held out: the method would have to be fitted 5 times more.")
    run.metrics["method_bag_auc_seconds"] = 6.0
    level = judge_run(project, run).level(BAG)
    assert "would have to be fitted 5 times more" in level.why_not
    assert level.remedy == "measure"


def test_where_all_that_is_held_out_is_ground_nothing_can_be_judged(build):
    project, run = build()
    run.diagnostics["bag_fold"][np.flatnonzero(run.bag_labels > 0)] = -1
    assert judge_run(project, run).level(BAG).why_not == (
        "Nothing that was held out shows a target. Label some.")


def test_what_a_target_is_said_to_be_comes_from_other_folds(build):
    level = judge_run(*build(persons_by_night=True)).level(INSTANCE)
    assert set(level.said.tolist()) <= {CAR, PERSON}
    assert set(level.truth.tolist()) == {GROUND, CAR, PERSON}


def test_targets_can_be_sliced_by_clip_and_class(build):
    level = judge_run(*build(persons_by_night=True)).level(INSTANCE)
    assert {"class", "clip", "part"} <= {axis.id for axis in level.axes}
    kinds = next(axis for axis in level.axes if axis.id == "class")
    assert kinds.code[level.truth == GROUND].tolist() == [-1] * int((level.truth == GROUND).sum())


def test_detections_begin_at_one_false_alarm_per_frame(build):
    rng = np.random.default_rng(0)
    level = judge_run(*build(score=lambda target: target * 0.3 + rng.random(len(target)))
                      ).level(DETECTION)
    assert Tally(level).at(level.start).false <= 1.0


@pytest.mark.parametrize("name", [INSTANCE, BAG, DETECTION])
def test_the_order_of_scores_alone_counts(build, name):
    rng = np.random.default_rng(3)
    noise = rng.random(2 * FRAMES * 2 * PATCHES)
    found = [judge_run(*build(score=lambda target, f=f: f(target * 0.5 + noise))).level(name)
             for f in (np.asarray, lambda v: 3 * v)]
    if name != BAG:  # the score of a bag is a mean
        assert np.allclose(found[0].found.y, found[1].found.y)
    assert found[0].found.x.tolist() == found[1].found.x.tolist()


@pytest.fixture
def small_slices(monkeypatch):
    """Two targets are enough for a slice: the project has twenty in all."""
    monkeypatch.setattr("emberscope.evaluate.slices.LEAST", 2)


def by_chance(target):
    return np.random.default_rng(0).random(len(target))


def test_slices_whose_intervals_say_nothing_come_after_the_others(build, small_slices):
    level = judge_run(*build(score=by_chance)).level(INSTANCE)
    unsure = [one.unsure for one in level.weakest if not one.weak]
    assert unsure == sorted(unsure)
    assert set(unsure) == {False, True}
    lowest = min(level.weakest, key=lambda one: one.area.value)
    assert lowest.unsure  # and would be the first


def test_a_slice_by_two_names_is_looked_at_once(build, small_slices):
    # a clip has one class
    level = judge_run(*build(persons_by_night=True, score=by_chance)).level(BAG)
    titles = [one.title for one in level.weakest]
    assert "Person" in titles
    assert not [title for title in titles if title in ("Person, 2", "Target, 1")]


def ranged(build, range_of):
    """The slices by range of a project whose targets say theirs, by (source, frame)."""
    project, run = build()
    for label in list(project.labels):
        if project.role(label.class_id) > 0:
            columns = {"range": range_of(label.source, label.frame)}
            project.apply(PutLabels(before=[label], after=[
                msgspec.structs.replace(label, about=About(columns=columns))]))
    level = judge_run(project, run).level(INSTANCE)
    return next((axis for axis in level.axes if axis.id == "range"), None)


def test_slices_by_range_are_those_that_were_driven_and_not_parts_of_them(build):
    axis = ranged(build, lambda source, frame: 1000.0 * source + frame / 20)
    assert axis.names == ["1000\u20131009", "2000\u20132009"]


def test_ends_of_slices_are_written_with_no_more_digits_than_tell_them_apart(build):
    axis = ranged(build, lambda source, frame: 12.27 + frame * 1.713 + 4.1 * source)
    ends = ("16", "79", "141", "204", "266", "329")
    assert axis.names == ["\u2013".join(two) for two in pairwise(ends)]


def test_where_all_targets_have_about_one_range_there_is_nothing_to_slice_by(build):
    assert ranged(build, lambda source, frame: 1500.0 + frame / 20 + source) is None
