"""Truth as weak labels: one operation."""

import numpy as np
import pytest

from emberscope.bags.make import make_bags
from emberscope.bags.recipe import BagRecipe
from emberscope.base.errors import FormatError, ProjectError
from emberscope.labels import BACKGROUND, Box, Spot
from emberscope.project import Project
from emberscope.project.compare import same_project
from emberscope.project.sources import add_source
from emberscope.project.truth import import_truth, renumber, truth_of


@pytest.fixture
def project(tmp_path):
    np.save(tmp_path / "frames.npy", np.zeros((4, 200, 200), np.uint16))
    project = Project()
    project.apply(add_source(project, tmp_path / "frames.npy"))
    return project


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "truth.csv"
    path.write_text("frame,x,y,w,h,name\n0,11,21,30,20,Car\n1,51,61,30,20,target\n9,1,1,5,5,Car\n")
    return path


def test_a_name_without_a_class_becomes_a_class(project, table):
    project.apply(import_truth(project, min(project.sources), table, kind="tight"))
    assert sorted(found.name for found in project.classes.values()) == ["Background", "Car", "Target"]
    names = [project.classes[label.class_id].name for label in project.labels]
    assert names == ["Car", "Target"]


def test_one_undo_takes_everything_back(project, table):
    operation = import_truth(project, min(project.sources), table, n_background=2)
    project.apply(operation)
    project.revert(operation)
    assert (len(project.labels), sorted(project.classes)) == (0, [1, BACKGROUND])


def test_relaxed_boxes_know_their_core(project, table):
    project.apply(import_truth(project, min(project.sources), table, kind="relaxed", u=2))
    assert [label.core for label in project.labels] == [(10, 20, 40, 40), (50, 60, 80, 80)]
    assert {label.looseness for label in project.labels} == {2.0}


def test_the_same_seed_draws_the_same_labels(project, table):
    source, again = min(project.sources), Project()
    again.sources, again.next_id = dict(project.sources), project.next_id
    for found in (project, again):
        found.apply(import_truth(found, source, table, kind="spot", n_background=1, seed=5))
    assert same_project(project, again)


def test_every_second_frame(project, table):
    project.apply(import_truth(project, min(project.sources), table, every=2, kind="spot"))
    assert [(type(label), label.frame) for label in project.labels] == [(Spot, 0)]


def test_chips_per_frame_are_drawn_again_and_again_from_the_targets(project, table):
    operation = import_truth(project, min(project.sources), table, per_frame=3, u=1, n_background=2)
    project.apply(operation)
    targets = [label for label in project.labels if label.class_id != BACKGROUND]
    assert len(targets) == 6
    assert all(isinstance(label, Box) for label in project.labels)


def test_what_was_left_out_is_noted(project, table):
    notes = []
    import_truth(project, min(project.sources), table, kind="tight", notes=notes)
    assert notes == ["1 box past the last frame left out."]


def test_renumbered_labels_collide_with_nothing_drawn_meanwhile(project, table):
    operation = import_truth(project, min(project.sources), table, kind="tight")
    project.next_id = 10
    project.apply(operation)
    again = renumber(operation, project)
    project.apply(again)
    assert len(project.labels) == 4
    assert {label.class_id for label in project.labels} <= project.classes.keys()


def test_without_a_truth_file_the_hint_is_to_name_one(project):
    with pytest.raises(FormatError, match=r"there is no \.agt file that goes with it\. Name the truth file"):
        truth_of(project.sources[min(project.sources)])


def test_an_unknown_source_is_refused(project, table):
    with pytest.raises(ProjectError, match="there is no source 999"):
        import_truth(project, 999, table)


def test_a_note_says_where_background_was_drawn_and_why(project, table):
    notes = []
    import_truth(project, min(project.sources), table, n_background=1, rule="same-place", notes=notes)
    assert notes[-1] == "Background: 2 boxes at places of targets on other frames (2 frames); as asked."


def test_bags_of_background_are_as_large_as_those_of_targets(project, table):
    table.write_text("frame,x,y,w,h,name\n0,81,91,30,20,Car\n1,71,61,30,20,Car\n")
    project.apply(import_truth(project, min(project.sources), table, u=2, n_background=1))
    (ref,) = project.sources.values()
    made = make_bags(project.labels, project.classes, {ref.id: (4, 200, 200)}, BagRecipe(stride=1))
    target, background = made.bags.sizes[made.bags.labels > 0], made.bags.sizes[made.bags.labels < 0]
    np.testing.assert_allclose(background / target, 1.0, atol=0.06)
