"""The columns of labels, clips, frames, bags and instances."""

import msgspec
import numpy as np
import pytest

from emberscope.bags.model import Bags, Instances
from emberscope.base.errors import DataError
from emberscope.base.ids import bag_id
from emberscope.labels import Box
from emberscope.labels.model import About
from emberscope.project import Project, PutLabels, PutSources
from emberscope.project.columns import (
    columns_of_bags,
    columns_of_frames,
    columns_of_instances,
    columns_of_labels,
    columns_of_sources,
    wordings,
)

from .builders import a_source


def a_box(key, frame=0, class_id=1, source=10, **columns):
    about = About(columns=columns) if columns else None
    return Box(id=key, source=source, frame=frame, class_id=class_id, x0=0.0, y0=0.0, x1=8.0,
               y1=2.0, about=about)


@pytest.fixture
def project():
    found = Project()
    day = msgspec.structs.replace(a_source(10), n_frames=3, columns={"time": "day"},
                                  frame_columns={"tilt": [5.0, None, 7.0]})
    night = msgspec.structs.replace(a_source(20), name="b.arf", n_frames=3,
                                    columns={"time": "night"})
    found.apply(PutSources(after=[day, night]))
    found.apply(PutLabels(after=[
        a_box(1, range=1000), a_box(2, frame=1, range=2000, time="dusk"), a_box(3, class_id=2),
        a_box(4, source=20, class_id=2)]))
    return found


def words(column):
    return [column.words(value) for value in column.values]


def test_a_label_has_its_own_values_then_those_of_its_frame_then_of_its_clip(project):
    found = columns_of_labels(project, project.labels)
    assert words(found["range"]) == ["1000", "2000", "none", "none"]
    assert words(found["tilt"]) == ["5", "none", "5", "none"]
    assert words(found["time"]) == ["day", "dusk", "day", "night"]


def test_a_label_has_size_looseness_and_clip_without_saying_so(project):
    found = columns_of_labels(project, project.labels)
    assert words(found["size"])[0] == "4"
    assert words(found["looseness"])[0] == "0"
    assert words(found["clip"]) == ["pass_03.arf"] * 3 + ["b.arf"]


def test_a_clip_has_what_its_labels_agree_on(project):
    found = columns_of_sources(project)
    assert words(found["range"]) == ["none", "none"]
    project.apply(PutLabels(before=[project.labels[2]]))
    assert words(columns_of_sources(project)["range"]) == ["1000", "none"]


def test_a_frame_has_what_is_said_of_it_else_what_its_labels_agree_on(project):
    found = columns_of_frames(project, project.sources[10])
    assert words(found["range"]) == ["1000", "2000", "none"]
    assert words(found["time"]) == ["day", "day", "day"]
    assert words(found["tilt"]) == ["5", "none", "7"]


def bags_of(project):
    """Bag 0 of label 1 has rows 0 and 1, bag 1 of background label 3 rows 1 and 2, bag 2 of 4."""
    bags = Bags(np.array([0, 2, 4, 5]), np.array([0, 1, 1, 2, 3]), np.array([1, -1, -1], np.int8),
                np.array([bag_id(1), bag_id(3), bag_id(4)]), np.array([1, 2, 2]))
    instances = Instances(np.arange(1, 5), np.array([10, 10, 10, 20]), np.zeros(4, np.int32),
                          np.zeros((4, 4), np.float32))
    return instances, bags


def test_an_instance_has_what_the_label_of_its_bag_says(project):
    found = columns_of_instances(project, *bags_of(project))
    assert words(found["range"]) == ["1000", "1000", "none", "none"]
    assert words(found["time"]) == ["day", "day", "day", "night"]


def test_filled_background_has_the_range_of_the_targets_of_its_frame_and_never_of_another_clip(
        project):
    found = columns_of_instances(project, *bags_of(project), filled=True)
    assert words(found["range"]) == ["1000", "1000", "1000", "none"]
    bags = columns_of_bags(project, bags_of(project)[1].ids, filled=True)
    assert words(bags["range"]) == ["1000", "1000", "none"]


def test_a_bag_whose_label_is_gone_has_no_value(project):
    ids = bags_of(project)[1].ids
    project.apply(PutLabels(before=[project.labels[1]]))
    assert words(columns_of_bags(project, ids)["time"]) == ["none", "day", "night"]


def test_columns_of_every_project_come_first(project):
    assert list(wordings(project)) == ["clip", "size", "looseness", "range", "tilt", "time"]


def test_a_column_of_frames_has_a_value_for_each():
    with pytest.raises(DataError, match="column tilt has 2 values for the 600 frames"):
        msgspec.structs.replace(a_source(), frame_columns={"tilt": [1.0, 2.0]})
