"""How many concepts there are, from those suggested to those shown."""

import msgspec
import numpy as np
import pytest

from emberscope.findings.concept_counts import counts_of
from emberscope.findings.concepts import HALVES, concepts_of
from emberscope.findings.describe import describe_project
from emberscope.project import Project, PutRuns
from emberscope.project.model.concept_edits import drop_concept, merge_concepts, split_concept

from .test_concepts import concept_run

LEFT_OUT = "Of 5 concepts 2 stay: 1 merged with one that shares its bags, 2 too weak."


def a_project(**changes):
    """Run 11 with two concepts, which can be split."""
    made, project = concept_run(**changes), Project()
    halves = np.tile(np.array([[1], [2]], np.int8), (4, 2))
    run = msgspec.structs.replace(made, diagnostics=made.diagnostics | {HALVES: halves})
    project.apply(PutRuns(after=[run]))
    return project, run


def suggesting(count):
    return {"state": concept_run().state | {"suggested_": count}}


def words(project, run):
    return counts_of(concepts_of(run, project)).words


def test_a_run_that_kept_all_it_looked_for_says_so():
    assert words(*a_project()) == "2 suggested and looked for: 2 found and shown"


def test_those_left_out_and_those_found_are_as_many_as_were_looked_for():
    assert words(*a_project(notes=[LEFT_OUT], **suggesting(6))) == (
        "6 suggested, 5 looked for, 1 merged with one that shares its bags, 2 too weak: 2 found "
        "and shown"
    )


def test_one_of_many_that_tells_nothing_is_no_praise():
    state = suggesting(8)["state"] | {"contrast_": np.array([9.0, 0.977])}
    found = words(*a_project(notes=["Of 8 concepts 2 stay: 6 too weak."], state=state))
    assert (
        found
        == "8 suggested and looked for, 6 too weak: 2 found and shown, of which 1 tells nothing"
    )


def test_what_was_done_by_hand_leads_from_those_found_to_those_shown():
    project, run = a_project()
    project.apply(split_concept(project, run, 0))
    assert "2 found, by hand 1 split in two: 3 shown" in words(project, run)
    project.apply(merge_concepts(project, run, [1, 2]))
    assert "2 found, by hand 1 split in two, 1 merged into another: 2 shown" in words(project, run)
    project.apply(drop_concept(project, run, [0]))
    assert "2 found, by hand 1 split in two, 1 merged into another, 1 dropped: 1 shown" in words(
        project, run
    )


@pytest.mark.parametrize("edits", [
    [], [(drop_concept, [1])], [(split_concept, 1), (drop_concept, [0])],
    [(merge_concepts, [0, 1])],
    [(split_concept, 0), (split_concept, 1), (merge_concepts, [0, 1, 2]), (drop_concept, [3])],
])  # fmt: skip
def test_counts_add_up_whatever_was_done(edits):
    project, run = a_project(notes=[LEFT_OUT], **suggesting(6))
    for edit, what in edits:
        project.apply(edit(project, run, what))
    found = concepts_of(run, project)
    of = counts_of(found)
    assert of.found == of.looked_for - of.merged - of.too_weak
    assert of.shown == of.found + of.split - of.merged_by_hand - of.dropped == len(found)


def test_the_facts_of_a_project_hold_the_counts_of_the_concepts_beside_these():
    project, run = a_project(notes=[LEFT_OUT], **suggesting(6))
    (facts,) = describe_project(project)["runs"]
    assert facts["concept_counts"] == counts_of(concepts_of(run, project)).to_dict()
    assert facts["concept_counts"]["shown"] == len(facts["concepts"])
    assert facts["concept_counts"]["suggested"] == 6
