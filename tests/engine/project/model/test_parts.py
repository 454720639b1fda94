"""Numbers of every clip and class of a run."""

import numpy as np

from emberscope.project import Project, PutRuns
from emberscope.project.model.parts import ALL, Part, packed, parts_of_run
from emberscope.project.store.file import load, save

from ..builders import a_run

DAY, NIGHT, PERSON = 10, 11, 4
AREAS = [
    Part(ALL, ALL, {"method_bag_auc": 0.9, "positive_bags": 7}),
    Part(DAY, PERSON, {"positive_bags": 2}),
]
TRUTHS = [Part(DAY, PERSON, {"witness_found": 0.5, "witness_found_bags": 2})]


def test_areas_and_truth_of_a_part_come_together_and_means_come_first():
    run = a_run(diagnostics=packed("truths", TRUTHS) | packed("areas", AREAS))
    assert parts_of_run(run) == [
        AREAS[0],
        Part(DAY, PERSON, {"positive_bags": 2, "witness_found": 0.5, "witness_found_bags": 2}),
    ]


def test_a_run_of_an_older_version_has_none():
    assert parts_of_run(a_run()) == []
    assert packed("areas", []) == {}


def test_a_table_of_another_shape_than_this_version_knows_is_not_read():
    odd = packed("areas", AREAS) | {"areas": np.zeros((2, 3))}
    assert parts_of_run(a_run(diagnostics=odd)) == []


def test_they_are_in_the_saved_project(tmp_path):
    project = Project()
    run = a_run(diagnostics=packed("areas", AREAS))
    project.apply(PutRuns(after=[run]))
    save(project, tmp_path / "p.ember")
    assert parts_of_run(load(tmp_path / "p.ember").runs[run.id]) == AREAS
