"""Labels of a project that are probably wrong."""

import msgspec
import numpy as np
import pytest

from emberscope.labels import BACKGROUND, TargetClass
from emberscope.pipeline.doubtful import DOUBTFUL, doubtful_labels
from emberscope.project import PutClasses, PutLabels
from emberscope.project.model.about_labels import say_about
from emberscope.project.model.doubtful_labels import ACCEPT, KEEP, change, reason, reviewed

from .conftest import RECIPE


@pytest.fixture
def found(project, cache, monkeypatch):
    """Doubtful labels of a project in which the first target and the last background are swapped,
    and which these are."""
    monkeypatch.setenv("EMBERSCOPE_CACHE", str(cache))
    labels = list(project.labels)
    target = next(label for label in labels if label.class_id == 1)
    ground = next(label for label in labels[::-1] if label.class_id == BACKGROUND)
    project.apply(PutLabels(before=[target, ground], after=[
        msgspec.structs.replace(target, class_id=BACKGROUND),
        msgspec.structs.replace(ground, class_id=1)]))
    return doubtful_labels(project, RECIPE), target.id, ground.id


def test_swapped_labels_are_first_and_the_change_is_proposed(project, found):
    doubts, target, ground = found
    first = {row.label: row for row in doubts.rows[:2]}
    assert first.keys() == {target, ground}
    assert (first[target].kind, change(first[target], project)) == (
        "target in background", "Background to Target")
    assert (first[ground].kind, change(first[ground], project)) == (
        "no target", "Target to Background")
    assert reason(first[ground], project) == \
        "Nothing in it looks like a target of other frames, only like background."
    assert min(row.wrong for row in first.values()) > 0.5


def test_all_labels_are_judged_and_those_that_are_doubtful_sorted_by_doubt(project, found):
    doubts = found[0]
    wrong = [row.wrong for row in doubts.rows]
    assert doubts.judged == len(project.labels) > len(wrong)
    assert wrong == sorted(wrong, reverse=True)
    assert min(wrong) >= DOUBTFUL
    assert doubts.notes == []


def test_where_no_label_is_doubtful_that_is_said(project, cache, monkeypatch):
    monkeypatch.setenv("EMBERSCOPE_CACHE", str(cache))
    doubts = doubtful_labels(project, RECIPE)
    assert doubts.rows == []
    assert doubts.judged == len(project.labels)
    assert doubts.notes == [f"None of {len(project.labels)} labels that were judged is doubtful: "
                            "each is wrong with a probability of less than 5 %."]


def test_a_review_is_one_step_that_comes_back(project, found):
    doubts, target, ground = found
    before = {label.id: label for label in project.labels}
    step = reviewed(project, before, doubts.rows, {target: ACCEPT, ground: KEEP})
    assert step.title == "Review of 2 labels"
    project.apply(step)
    assert project.labels[target].class_id == 1
    assert project.labels[ground].class_id == 1
    assert project.labels[ground].about.checked
    project.revert(step)
    assert {label.id: label for label in project.labels} == before


def test_nothing_decided_is_no_step(project, found):
    assert reviewed(project, {}, found[0].rows, {}) is None


def test_a_checked_label_is_not_listed_and_it_is_said(project, found):
    _, target, _ = found
    project.apply(say_about([project.labels[target]], checked=True))
    doubts = doubtful_labels(project, RECIPE)
    assert target not in {row.label for row in doubts.rows}
    assert doubts.notes == ["1 label that somebody checked is left out of the list."]


def test_a_class_of_few_labels_is_not_compared_and_it_is_said(project, cache, monkeypatch):
    monkeypatch.setenv("EMBERSCOPE_CACHE", str(cache))
    project.apply(PutClasses(after=[TargetClass(id=7, name="Truck", role=1, slot=3)]))
    first = [label for label in project.labels if label.class_id == 1][:2]
    project.apply(PutLabels(before=first, after=[
        msgspec.structs.replace(label, class_id=7) for label in first]))
    doubts = doubtful_labels(project, RECIPE)
    assert not [row for row in doubts.rows if row.kind == "other class"]
    assert doubts.notes == [
        "None of 24 labels that were judged is doubtful: each is wrong with a probability of less "
        "than 5 %.",
        "No other class is proposed for Target, Truck: each has fewer than 10 labels, or all of "
        "them are on one clip that holds no other class. Label them on another clip."]


def test_few_labels_are_not_judged_and_it_is_said(project, cache, monkeypatch):
    monkeypatch.setenv("EMBERSCOPE_CACHE", str(cache))
    project.apply(PutLabels(before=[label for label in project.labels if label.frame > 3]))
    doubts = doubtful_labels(project, RECIPE)
    assert (doubts.rows, doubts.judged) == ([], 0)
    assert doubts.notes[0].startswith("Doubts are left out: 4 bags of one kind can be held out")
    assert np.size(doubts.rows) == 0


def test_a_box_beside_its_target_is_moved_there(project, cache, monkeypatch):
    monkeypatch.setenv("EMBERSCOPE_CACHE", str(cache))
    label = next(label for label in project.labels if label.class_id == 1 and label.frame == 5)
    beside = msgspec.structs.replace(label, x0=48, x1=80)  # the target is at 8 to 40
    project.apply(PutLabels(before=[label], after=[beside]))
    row = doubtful_labels(project, RECIPE).rows[0]
    assert (row.label, row.kind, change(row, project)) == (label.id, "beside", "Move Target")
    moved = reviewed(project, {}, [row], {label.id: ACCEPT}).after[0]
    assert abs(moved.x0 - 8) <= 16
    assert moved.class_id == 1
    assert moved.x1 - moved.x0 == 32


def test_a_box_with_no_target_around_stays_where_it_is(project, found):
    doubts, _, ground = found
    row = next(row for row in doubts.rows if row.label == ground)
    assert (row.kind, row.box) == ("no target", None)
