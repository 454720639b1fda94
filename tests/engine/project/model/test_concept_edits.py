"""What a person makes of the concepts of a run: each a step that can be taken back, kept with the
project."""

import msgspec
import numpy as np
import pytest

from emberscope.base.errors import ProjectError
from emberscope.findings.concepts import (
    DISTANCES,
    ELLIPSES,
    STARS,
    concepts_from,
    concepts_of,
    concepts_on,
)
from emberscope.project import Project, PutRuns
from emberscope.project.model.concept_edits import (
    HALVES,
    drop_concept,
    edits_key,
    edits_of,
    is_about_concepts,
    merge_concepts,
    rename_concept,
    restore_concepts,
    show_concepts_of,
    shown_source,
    split_concept,
)

from ...findings.test_concepts import FAR, NEAR, concept_run


@pytest.fixture
def run():
    """Instances 0 and 3 are of the halves of concept 0: its witness of bag 1 of the first, that of
    bag 3 of the other.
    """
    found = concept_run()
    halves = np.zeros((8, 2), np.int8)
    halves[:, 0] = [1, 1, 1, 1, 2, 2, 2, 2]
    found.diagnostics.update({HALVES: halves, STARS: np.zeros((2, found.Z.shape[1]), np.float32)})
    return found


@pytest.fixture
def project(run):
    project = Project()
    project.apply(PutRuns(after=[run]))
    return project


def test_a_merged_concept_holds_the_instances_of_both(project, run):
    project.apply(merge_concepts(project, run, [0, 1]))
    found = concepts_of(run, project)
    assert len(found) == 1
    assert found.witnesses(0).tolist() == [0, 3, 4]  # one a bag: the nearest
    assert found.bags(0).tolist() == [0, 1, 2]
    assert found.probability[3] == pytest.approx(np.exp(-NEAR))


def test_halves_share_the_instances_of_a_concept(project, run):
    project.apply(split_concept(project, run, 0))
    found = concepts_of(run, project)
    assert found.numbers == [0, 2, 1]
    assert [found.witnesses(k).tolist() for k in range(2)] == [[0], [4]]
    assert found.distances2[0].tolist() == pytest.approx([NEAR, np.inf, FAR])


def test_a_merged_concept_splits_into_its_parts(project, run):
    project.apply(merge_concepts(project, run, [0, 1]))
    project.apply(split_concept(project, run, 0))
    found = concepts_of(run, project)
    assert [found.witnesses(k).tolist() for k in range(2)] == [[0, 4], [3, 5]]


def test_a_half_is_not_split_again(project, run):
    project.apply(split_concept(project, run, 0))
    assert "cannot be split again" in concepts_of(run, project).why_not_split(0)


def test_a_concept_without_halves_is_not_split(project, run):
    assert concepts_of(run, project).why_not_split(0) == ""
    assert "two different witnesses" in concepts_of(run, project).why_not_split(1)


def test_numbers_stay_when_another_concept_is_dropped(project, run):
    project.apply(drop_concept(project, run, [0]))
    found = concepts_of(run, project)
    assert found.numbers == [1]
    assert found.concept.tolist() == [-1, -1, -1, 0, -1, 0, -1, 0]
    assert found.label(0) == "2"


def test_a_name_stands_behind_the_number(project, run):
    project.apply(rename_concept(project, run, 1, "pickup"))
    assert concepts_of(run, project).table()[1][0] == "2 pickup"


def test_an_untouched_concept_keeps_the_numbers_of_the_run(project, run):
    before = concepts_of(run)
    project.apply(split_concept(project, run, 0))
    found = concepts_of(run, project)
    assert found.coverage[2] == before.coverage[1]
    assert found.purity[2] == before.purity[1]
    np.testing.assert_array_equal(found.stars[2], before.stars[1])


def test_a_half_covers_as_many_bags_as_hold_an_instance_of_it(project, run):
    project.apply(split_concept(project, run, 0))
    found = concepts_of(run, project)
    # One of three positive bags
    assert found.coverage[0] == pytest.approx(np.exp(-NEAR) / 3, abs=1e-3)
    assert found.purity[0] == 1.0


def test_a_half_lies_at_the_mean_of_its_instances(project, run):
    project.apply(split_concept(project, run, 0))
    found = concepts_of(run, project)
    np.testing.assert_allclose(found.stars[0], run.Z[0], atol=1e-2)
    assert np.isfinite(found.placed.shapes[0]).all()


def test_every_step_can_be_taken_back_exactly(project, run):
    steps = [
        lambda: split_concept(project, run, 0),
        lambda: merge_concepts(project, run, [1, 2]),
        lambda: rename_concept(project, run, 1, "van"),
        lambda: drop_concept(project, run, [0]),
    ]
    done, states = [], [dict(project.settings)]
    for step in steps:
        done.append(step())
        project.apply(done[-1])
        states.append(dict(project.settings))
    for operation, state in zip(done[::-1], states[-2::-1], strict=True):
        project.revert(operation)
        assert project.settings == state


def test_back_to_what_the_run_found_nothing_is_kept(project, run):
    project.apply(rename_concept(project, run, 0, "van"))
    project.apply(restore_concepts(project, run))
    assert not project.settings
    project.apply(rename_concept(project, run, 0, "van"))
    project.apply(rename_concept(project, run, 0, ""))
    assert not project.settings


def test_one_name_of_two_that_are_merged_stays(project, run):
    project.apply(rename_concept(project, run, 1, "van"))
    project.apply(merge_concepts(project, run, [0, 1]))
    assert edits_of(project, run)[0].name == "van"


@pytest.mark.parametrize("entry", [
    "nonsense", [], [{"number": 0, "parts": []}], [{"number": 0, "parts": [[5, 0]]}],
    [{"number": 0, "parts": [[0, 0]]}, {"number": 0, "parts": [[1, 0]]}],
    [{"number": 0, "parts": [[0, 3]]}],
])  # fmt: skip
def test_an_entry_that_does_not_fit_the_run_is_refused(project, run, entry):
    project.settings[edits_key(run.id)] = entry
    with pytest.raises(ProjectError, match=f"concepts of run {run.id}"):
        edits_of(project, run)


def test_the_key_of_a_run_is_told_from_other_settings():
    assert is_about_concepts(edits_key(12))
    assert not is_about_concepts("recipe")
    assert not is_about_concepts("concepts of run x")


def test_edits_and_distances_are_saved_with_the_project(project, run, tmp_path):
    from emberscope.project.store.file import load, save

    project.apply(merge_concepts(project, run, [0, 1]))
    save(project, tmp_path / "a.ember")
    again = load(tmp_path / "a.ember")
    assert edits_of(again, again.runs[run.id]) == edits_of(project, run)


def test_ellipses_of_the_run_are_those_of_untouched_concepts(project, run):
    d = run.Z.shape[1]
    run.diagnostics[ELLIPSES] = np.stack([np.eye(d), 4 * np.eye(d)]).astype(np.float32)
    project.apply(split_concept(project, run, 0))
    np.testing.assert_array_equal(concepts_of(run, project).placed.shapes[2], 4 * np.eye(d))


def test_distances_of_the_run_stay_as_they_are(project, run):
    before = run.diagnostics[DISTANCES].copy()
    project.apply(merge_concepts(project, run, [0, 1]))
    concepts_of(run, project)
    np.testing.assert_array_equal(run.diagnostics[DISTANCES], before)


def test_edited_concepts_lie_at_the_mean_of_their_instances_on_another_map_too(project, run):
    other = msgspec.structs.replace(run, id=5, Z=run.Z[:, ::-1].copy())
    project.apply(split_concept(project, run, 0))
    placed = concepts_on(run, other, project)
    assert len(placed.stars) == 3
    np.testing.assert_allclose(placed.stars[0], other.Z[0], atol=1e-2)
    np.testing.assert_array_equal(placed.stars[2], concepts_on(run, other).stars[1])


def test_concepts_of_one_run_are_shown_with_another_by_the_instances_both_hold(project, run):
    other = msgspec.structs.replace(
        run, id=5, ids=np.concatenate([[900], run.ids[1:]]), diagnostics={}, state={}
    )
    project.apply(PutRuns(after=[other]))
    project.apply(show_concepts_of(project, run, other))
    assert shown_source(project, other) is run
    found = concepts_from(run, other, project)
    # Instance 900 is unknown to the run with concepts
    assert found.concept[:4].tolist() == [-1, -1, -1, 1]
    assert found.source is run
    assert found.run is other


def test_a_run_shows_its_own_concepts_again(project, run):
    project.apply(show_concepts_of(project, run, run))
    assert not project.settings
    project.settings["concepts shown with run 3"] = 77  # a run that is gone
    assert shown_source(project, run) is run


def test_runs_without_a_common_instance_show_no_concepts_of_each_other(project, run):
    assert concepts_from(run, msgspec.structs.replace(run, id=5, ids=run.ids + 10_000)) is None
