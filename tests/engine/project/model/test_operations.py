"""Operations do, undo, and travel as records."""

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from emberscope.base.errors import ProjectError
from emberscope.labels import Box, Spot, TargetClass
from emberscope.project import (
    Project,
    PutClasses,
    PutLabels,
    PutRuns,
    PutSelection,
    PutSettings,
    PutSide,
    PutSources,
    Together,
    from_record,
    from_snapshot,
    mark,
    remove_sources,
    to_record,
    to_snapshot,
)
from emberscope.project.model.compare import differences, same, same_project

from ..builders import a_run, a_source, side_information


def test_reverting_an_edit_brings_the_old_label_back():
    project = Project()
    old = Box(id=20, source=10, frame=3, x0=0, y0=0, x1=8, y1=8)
    new = Box(id=20, source=10, frame=3, x0=0, y0=0, x1=16, y1=8)
    project.apply(PutLabels(after=[old]))
    edit = PutLabels(before=[old], after=[new])
    project.apply(edit)
    project.revert(edit)
    assert project.labels[20] == old


def test_changes_name_the_frames_whose_labels_changed():
    changes = Project().apply(PutLabels(after=[Spot(id=20, source=10, frame=3, x=1, y=2)]))
    assert changes.frames == {(10, 3)}


def test_an_id_that_was_loaded_is_never_handed_out_again():
    project = Project()
    project.apply(PutSources(after=[a_source(99)]))
    assert project.new_ids() == [100]


def test_removing_a_source_takes_its_labels_along_and_gives_them_back():
    project = Project()
    project.apply(PutSources(after=[a_source(10)]))
    project.apply(PutLabels(after=[Spot(id=20, source=10, frame=3, x=1, y=2)]))
    removal = remove_sources(project, [10])
    project.apply(removal)
    assert (len(project.sources), len(project.labels)) == (0, 0)
    project.revert(removal)
    assert (len(project.sources), len(project.labels)) == (1, 1)


def test_a_mark_reverts_to_the_mark_before_it():
    project = Project()
    project.apply(mark(project, [7], 2))
    second = mark(project, [7, 8], 1)
    project.apply(second)
    project.revert(second)
    assert project.marks == {7: 2}


def test_side_information_that_is_removed_comes_back_in_its_place():
    project = Project()
    project.apply(PutSide(after=side_information(30)))
    removal = PutSide(before=side_information(30)[:1])
    assert project.apply(removal).side == {30}
    project.revert(removal)
    assert list(project.side) == [30, 31, 32, 33]


def test_an_id_of_side_information_is_never_handed_out_again():
    project = Project()
    put = PutSide(after=side_information(30))
    project.apply(put)
    project.revert(put)
    assert project.new_ids() == [34]


def test_a_record_gives_back_arrays_at_any_depth_of_a_run():
    run = a_run()
    back = from_record(to_record(Together(title="Run", steps=[PutRuns(after=[run])])))
    assert same(back.steps[0].after[0], run)


def test_numpy_scalars_in_a_record_become_their_values():
    run = a_run(state={"sigma": np.float64(0.5), "n": np.int64(3)})
    assert from_record(to_record(PutRuns(after=[run]))).after[0].state == {"sigma": 0.5, "n": 3}


def test_a_replayed_script_makes_the_same_project():
    project, replay = Project(), Project()
    script = [
        PutSources(after=[a_source()]),
        PutLabels(after=[Spot(id=20, source=10, frame=3, x=1, y=2)]),
        PutRuns(after=[a_run()]),
        PutSelection(name="odd", after=[3, 1, 3]),
        PutSettings(after={"theme": "dark"}),
        PutSide(after=side_information()),
    ]
    for operation in script:
        project.apply(operation)
        replay.apply(from_record(to_record(operation)))
    assert same_project(project, replay)


@pytest.mark.parametrize("record", [b"", b"\x00", b"\xc1\xff", to_record(PutSettings())[:-3]])
def test_bytes_that_are_no_record_are_refused(record):
    with pytest.raises(ProjectError, match="an operation record cannot be read"):
        from_record(record)


def test_an_array_of_objects_does_not_enter_a_record():
    with pytest.raises(TypeError, match="ndarray cannot be stored"):
        to_record(PutRuns(after=[a_run(Z=np.array([object()]))]))


def test_runs_are_counted_from_one_whatever_else_was_numbered():
    project = Project()
    project.apply(PutSources(after=[a_source(99)]))
    assert project.next_run == 1
    project.apply(PutRuns(after=[a_run(1, 2)]))
    assert project.next_run == 2


def test_labels_are_counted_from_one_whatever_else_was_numbered():
    project = Project()
    project.apply(PutSources(after=[a_source(99)]))
    assert project.new_label_ids(2) == [1, 2]


def test_ids_that_no_operation_uses_stay_free():
    project = Project()
    assert project.new_ids(2) == project.new_ids(2) == [10, 11]
    assert project.new_label_ids() == project.new_label_ids() == [1]
    assert same_project(project, Project())


def test_the_number_of_a_removed_run_is_not_used_again():
    project = Project()
    put = PutRuns(after=[a_run(1, 2)])
    project.apply(put)
    project.revert(put)
    assert project.next_run == 2


KINDS = st.integers(0, 3)  # of records of side information
SOME = st.sets(st.integers(10, 14))  # ids that may be there, and ids that may not


def drawn_table(draw, there, made):
    """Records that are removed, replaced and added: (before, after)."""
    ids = sorted(draw(SOME))
    kept = draw(SOME)
    return [there[i] for i in ids if i in there], [made(i) for i in ids if i in kept]


def a_spot(number):
    return Spot(id=number, source=10, frame=number % 3, x=float(number), y=2.0)


DRAW = {
    "sources": lambda draw, p: PutSources(
        **sides(drawn_table(draw, p.sources, lambda i: a_source(i, f"/new/{i}")))
    ),
    "classes": lambda draw, p: PutClasses(**sides(drawn_table(draw, p.classes, a_class))),
    "labels": lambda draw, p: PutLabels(
        **sides(drawn_table(draw, {label.id: label for label in p.labels}, a_spot))
    ),
    "side": lambda draw, p: PutSide(
        **sides(drawn_table(draw, p.side, lambda i: known(i, draw(KINDS))))
    ),
    "runs": lambda draw, p: PutRuns(**sides(drawn_table(draw, p.runs, lambda i: a_run(i, 2)))),
    "marks": lambda draw, p: mark(
        p, draw(st.lists(st.integers(1, 4))), draw(st.sampled_from([None, 0, 1]))
    ),
    "selection": lambda draw, p: drawn_selection(draw, p),
    "settings": lambda draw, p: drawn_settings(draw, p),
    "together": lambda draw, p: drawn_steps(draw, p),
    "remove": lambda draw, p: remove_sources(p, sorted(draw(SOME) & p.sources.keys())),
}


def known(number, kind):
    return msgspec.structs.replace(side_information()[kind], id=number)


def sides(pair):
    return {"before": pair[0], "after": pair[1]}


def a_class(number):
    return TargetClass(id=number, name=f"class {number}", role=1, slot=3)


def drawn_selection(draw, project):
    name = draw(st.sampled_from("ab"))
    before = project.selections.get(name)
    before = None if before is None else before.tolist()
    return PutSelection(
        name=name, before=before, after=draw(st.none() | st.lists(st.integers(1, 4)))
    )


def drawn_settings(draw, project):
    after = draw(st.dictionaries(st.sampled_from("ab"), st.none() | st.integers(0, 2)))
    return PutSettings(before={key: project.settings.get(key) for key in after}, after=after)


def drawn_steps(draw, project):
    """Steps that each start from where the one before ended."""
    there, steps = from_snapshot_with_runs(project), []
    for kind in draw(st.lists(st.sampled_from(sorted(DRAW.keys() - {"together"})), max_size=3)):
        steps.append(DRAW[kind](draw, there))
        there.apply(steps[-1])
    return Together(steps=steps)


def from_snapshot_with_runs(project):
    copy = from_snapshot(to_snapshot(project))
    copy.runs, copy.selections = dict(project.runs), dict(project.selections)
    return copy


@pytest.mark.parametrize("kind", sorted(DRAW))
@settings(max_examples=40)
@given(data=st.data())
def test_undo_is_the_exact_inverse_of_every_kind_of_operation(kind, data):
    project = Project()
    for earlier in data.draw(st.lists(st.sampled_from(sorted(DRAW)), max_size=8)):
        project.apply(DRAW[earlier](data.draw, project))
    before = from_snapshot_with_runs(project)
    operation = DRAW[kind](data.draw, project)
    project.apply(operation)
    after = from_snapshot_with_runs(project)
    project.revert(operation)
    assert set(differences(project, before)) <= {"next_ids"}
    for table in ("sources", "side", "runs"):
        assert list(getattr(project, table)) == list(getattr(before, table))
    project.apply(operation)
    assert differences(project, after) == []
