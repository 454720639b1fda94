"""Splits by a column: which bags judge and which teach."""

import numpy as np
import pytest

from emberscope.bags import Bags, Instances
from emberscope.bags.folds import LEARNED
from emberscope.bags.split_recipe import split_of
from emberscope.base.errors import MissingLabels, ParamError
from emberscope.base.ids import bag_id
from emberscope.course.labels import Labels
from emberscope.course.split import Split
from emberscope.labels import Box
from emberscope.labels.model import About
from emberscope.project import Project, PutLabels, PutSources, SourceRef

NAMES = ("day_1000", "day_1500", "night_1500", "night_2000")


def a_project(ranges=(1000.0, 1490.0, 1510.0, 2000.0), frames=3):
    """A clip of each range; a target with its range and a background box on each of its frames."""
    project = Project()
    project.apply(PutSources(after=[
        SourceRef(id=10 + k, path=name, name=name, fingerprint="", n_frames=frames, rows=99,
                  cols=99, columns={"light": name.partition("_")[0]})
        for k, name in enumerate(NAMES)]))
    labels = []
    for k in range(4):
        for frame in range(frames):
            about = About(columns={"range": ranges[k] + frame})
            for class_id in (1, 2):
                labels.append(Box(
                    id=len(labels) + 1, source=10 + k, frame=frame, class_id=class_id,
                    x0=0.0, y0=0.0, x1=8.0, y1=8.0, about=about if class_id == 1 else None))
    project.apply(PutLabels(after=labels))
    return project


def labels_of(project):
    """A bag of one instance for every label."""
    every = list(project.labels)
    n = len(every)
    signs = np.array([1 if label.class_id == 1 else -1 for label in every], np.int8)
    bags = Bags(
        np.arange(n + 1),
        np.arange(n),
        signs,
        np.array([bag_id(label.id) for label in every]),
        np.array([label.class_id for label in every]),
    )
    boxes = np.stack([np.arange(n)] * 4, axis=1)
    instances = Instances.at(np.array([label.source for label in every]),
                             np.array([label.frame for label in every]), boxes)
    return Labels(signs, bags, signs, signs, instances)


def folds(project, text):
    """The fold of the bags of each clip, (4, bags)."""
    parts = Split.of(split_of(text), project, seed=0).parts(labels_of(project))
    return parts.fold.reshape(4, -1)


def test_a_range_judges_and_all_others_teach_background_with_the_targets_of_its_frame():
    fold = folds(a_project(), "column:range test=1500")
    assert [set(row) for row in fold.tolist()] == [{LEARNED}, {0}, {0}, {LEARNED}]


@pytest.mark.parametrize("line", ["column:rain", "column:rain test=heavy"])
def test_a_column_of_which_no_label_has_a_value_is_named(line):
    project = a_project()
    project.apply(PutSources(after=[SourceRef(
        id=20, path="wet", name="wet", fingerprint="", n_frames=3, rows=99, cols=99,
        columns={"rain": "heavy"})]))
    with pytest.raises(MissingLabels, match="by rain, of which no label has a value") as raised:
        folds(project, line)
    assert raised.value.hint == "Give labels a value of it, or split by another column."


def test_only_named_ranges_teach_and_the_rest_takes_no_part():
    fold = folds(a_project(), "column:range test=1500 train=1000")
    assert [set(row) for row in fold.tolist()] == [{LEARNED}, {0}, {0}, {-1}]


def test_a_range_is_also_named_by_its_ends():
    fold = folds(a_project(), "column:range test=1495..2100")
    assert [set(row) for row in fold.tolist()] == [{LEARNED}, {LEARNED}, {0}, {0}]


def test_a_text_of_the_clip_decides_for_all_its_bags():
    fold = folds(a_project(), "column:light test=Night")
    assert [set(row) for row in fold.tolist()] == [{LEARNED}, {LEARNED}, {0}, {0}]


def test_folds_by_a_column_hold_out_whole_values_near_numbers_together():
    fold = folds(a_project(), "column:range")
    assert len(np.unique(fold)) == 3
    assert fold[1].tolist() == fold[2].tolist()
    assert all(len(set(row)) == 1 for row in fold.tolist())


def test_a_label_without_a_value_takes_no_part_and_so_does_its_background():
    project = a_project()
    bare = [label for label in project.labels if label.source == 13]
    without = [Box(id=label.id, source=13, frame=label.frame, class_id=label.class_id, x0=0.0,
                   y0=0.0, x1=8.0, y1=8.0) for label in bare]
    project.apply(PutLabels(before=bare, after=without))
    assert set(folds(project, "column:range test=1500")[3].tolist()) == {-1}


def test_frames_of_one_clip_are_on_both_sides_only_where_that_is_asked_for():
    project = a_project(ranges=(1000.0, 1500.0, 1500.0, 2000.0), frames=4)
    mixed = [label for label in project.labels if label.source == 10 and label.class_id == 1]
    far = [Box(id=label.id, source=10, frame=label.frame, x0=0.0, y0=0.0, x1=8.0, y1=8.0,
               about=About(columns={"range": 1000.0 if label.frame < 2 else 1500.0}))
           for label in mixed]
    project.apply(PutLabels(before=mixed, after=far))
    with pytest.raises(
        MissingLabels, match="frames of day_1000 would lie on both sides of the split"
    ):
        folds(project, "column:range test=1500")
    fold = folds(project, "column:range test=1500 shared")
    assert fold[0].tolist() == [LEARNED] * 4 + [0] * 4


@pytest.mark.parametrize(("text", "problem"), [
    ("column:aspect", "the split is by aspect, which is no column"),
    ("column:range test=1500 train=1000..1500", "range 1490 is named to judge and to teach"),
    ("column:range test=9000", "no label has range 9000"),
    ("column:light test=dusk", "no label has light dusk"),
    ("column:light test=day,night", "no label has another light than day or night, which judges"),
])
def test_a_split_that_cannot_be_is_one_error_before_anything_is_computed(text, problem):
    with pytest.raises((MissingLabels, ParamError), match=problem):
        Split.of(split_of(text), a_project(), seed=0)


def test_a_side_of_one_class_is_an_error():
    project = a_project()
    ground = [label for label in project.labels if label.source in (12, 13) and label.class_id == 2]
    project.apply(PutLabels(before=ground))
    with pytest.raises(
        MissingLabels, match="no label of background has light night, which judges"
    ):
        Split.of(split_of("column:light test=night"), project, seed=0)


def test_one_value_on_all_clips_cannot_be_dealt():
    with pytest.raises(MissingLabels, match="2 folds of values of range need 2"):
        folds(a_project(ranges=(1000.0,) * 4), "column:range")


def test_points_have_no_columns():
    with pytest.raises(ParamError, match="the split is by range, which is no column"):
        Split.of(split_of("column:range"), None, seed=0)
