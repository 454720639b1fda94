"""Side information leaves a project and comes into another one, whatever ids that one has."""

import numpy as np
import pytest
from msgspec.structs import replace

from emberscope.bags.make import make_bags
from emberscope.base.errors import FormatError, ProjectError
from emberscope.labels import Box
from emberscope.labels.jsonl import read_jsonl
from emberscope.labels.side_info import Actions, Distance, Invariance, Pair
from emberscope.project import Project, PutLabels, PutRuns, PutSide
from emberscope.project.exchange.batch import import_files
from emberscope.project.exchange.label_file import TruthIsThere, import_labels
from emberscope.project.exchange.side_tables import import_table, side_rows, write_questions
from emberscope.project.exchange.sources import add_source
from emberscope.project.model.next_ids import NextIds
from emberscope.project.store.file import load
from emberscope.report.export import export

from ..builders import a_run


def a_project(clip, *, first_id=10):
    """A clip with a box on its first frame, whose patches are the instances."""
    project = Project()
    project.use(NextIds(record=first_id))
    project.apply(add_source(project, clip))
    source = min(project.sources)
    project.apply(PutLabels(after=[Box(id=1, source=source, frame=0, x0=0, y0=0, x1=60, y1=40)]))
    return project


def instances(project):
    return make_bags(
        project.labels, project.classes, project.frame_sizes, project.recipe.bags
    ).instances


@pytest.fixture
def clip(tmp_path):
    np.save(tmp_path / "clip.npy", np.zeros((4, 60, 80), np.uint16))
    return tmp_path / "clip.npy"


@pytest.fixture
def project(clip):
    found = a_project(clip)
    a, b, c = map(int, instances(found).ids[:3])
    found.apply(
        PutSide(
            after=[
                Pair(id=50, a=a, b=b, same=True, origin="lasso", weight=0.5),
                Distance(id=51, a=a, b=c, distance=3, unit="m"),
                Invariance(id=52, family="gain", step=1.05, reach=1.2),
                Actions(id=53, instances=(a, b, c), actions=("", "pan")),
            ]
        )
    )
    return found


@pytest.fixture
def file(project, tmp_path):
    (path,) = export(project, "jsonl", tmp_path / "out", name="p")
    return path


def test_a_project_whose_sources_have_other_ids_knows_the_chips_again(project, file, clip):
    other = a_project(clip, first_id=70)
    other.apply(import_labels(other, file))
    a, b, c = map(int, instances(other).ids[:3])
    assert a not in instances(project).ids
    pair, distance, gain, actions = other.side.values()
    assert (pair.a, pair.b, pair.same, pair.origin, pair.weight) == (a, b, True, "lasso", 0.5)
    assert (distance.a, distance.b, distance.unit) == (a, c, "m")
    assert (gain.family, actions.instances) == ("gain", (a, b, c))


def test_what_the_project_has_is_not_taken_twice(project, file):
    with pytest.raises(TruthIsThere):
        import_labels(project, file)


def test_a_pair_that_was_said_the_other_way_round_is_the_same_pair(project, file):
    pair = project.side[50]
    project.apply(PutSide(before=[pair], after=[replace(pair, a=pair.b, b=pair.a)]))
    with pytest.raises(TruthIsThere):
        import_labels(project, file)


def test_importing_is_one_step_that_undo_takes_back(file, clip):
    other = a_project(clip, first_id=70)
    operation = import_labels(other, file)
    other.apply(operation)
    other.revert(operation)
    assert (other.side, len(other.labels)) == ({}, 1)


def test_chips_that_nothing_knows_the_pixels_of_are_said(project, tmp_path):
    project.apply(PutSide(after=[Pair(id=60, a=1, b=2, same=True)]))
    notes = []
    (path,) = export(project, "jsonl", tmp_path / "out", notes=notes)
    assert notes == [
        "2 chips of side information are in no run and under no label: other projects cannot know "
        "them again."
    ]
    assert len(read_jsonl(path).instances) == 3


def test_chips_of_a_run_are_known_where_their_label_is_gone(project, tmp_path):
    found = instances(project)
    run = a_run(1, len(found), ids=found.ids, source=found.source, frame=found.frame, box=found.box)
    project.apply(PutRuns(after=[run]))
    project.apply(PutLabels(before=list(project.labels)))
    (path,) = export(project, "jsonl", tmp_path / "out")
    assert len(read_jsonl(path).instances) == 3


def test_side_information_about_another_source_is_left_out_and_counted(file, tmp_path):
    text = file.read_text().splitlines()
    extra = ['{"kind":"instance","id":7,"source":99,"frame":0,"box":[0,0,8,8]}',
             '{"kind":"pair","id":90,"a":7,"b":8,"same":true}']
    file.write_text("\n".join([*text, *extra]))
    other = a_project(tmp_path / "clip.npy", first_id=70)
    notes = []
    other.apply(import_labels(other, file, notes=notes))
    assert "1 record of side information left out: about chips of other sources." in notes
    assert len(other.side) == 4


# Tables of pairs and distances


def table(path, *lines):
    path.write_text("\n".join(lines))
    return path


def test_a_table_of_distances_comes_in(project, tmp_path):
    a, b, c = instances(project).ids[:3]
    path = table(
        tmp_path / "d.csv", "a,b,distance,unit,weight", f"{a},{b},12.5,m,", f"{b},{c},0,m,0.5"
    )
    project.apply(import_table(project, path))
    found = list(project.side.values())[-2:]
    assert [(d.a, d.b, d.distance, d.unit, d.weight, d.origin) for d in found] == [
        (a, b, 12.5, "m", 1.0, "imported"), (b, c, 0.0, "m", 0.5, "imported")]


def test_distances_of_instances_that_are_not_there_are_left_out(project, tmp_path):
    a, b, _ = instances(project).ids[:3]
    notes = []
    path = table(tmp_path / "d.csv", "a,b,distance,unit", f"{a},{b},1,m", f"{a},77,2,m")
    assert len(import_table(project, path, notes=notes).after) == 1
    assert notes == ["1 distance left out: about instances that are not of the project."]


def test_what_the_project_says_already_is_left_out_whichever_way_round(project, tmp_path):
    a, b, c = instances(project).ids[:3]
    project.apply(import_table(project, table(tmp_path / "p.csv", f"{a},{b},same,wheels")))
    notes = []
    path = table(
        tmp_path / "q.csv", f"{b},{a},same,wheels", f"{b},{c},same,wheels", f"{c},{b},same,wheels"
    )
    assert len(import_table(project, path, notes=notes).after) == 1
    assert notes == ["2 pairs left out that the project has already."]
    with pytest.raises(ProjectError, match="has its pairs already"):
        import_table(project, tmp_path / "p.csv")


def test_pairs_that_contradict_come_in_and_are_named(project, tmp_path):
    a, b, _ = instances(project).ids[:3]
    notes = []
    import_table(
        project,
        table(tmp_path / "p.csv", f"{a},{b},same,hue", f"{a},{b},different,hue"),
        notes=notes,
    )
    assert len(notes) == 1
    assert notes[0].startswith("Side information contradicts itself: record")


def test_what_contradicted_before_is_not_named_again(project, tmp_path):
    a, b, c = instances(project).ids[:3]
    project.apply(
        import_table(
            project, table(tmp_path / "p.csv", f"{a},{b},same,hue", f"{a},{b},different,hue")
        )
    )
    notes = []
    import_table(project, table(tmp_path / "q.csv", f"{b},{c},same,heat"), notes=notes)
    assert notes == []


def test_distances_of_two_units_come_in_with_a_note(project, tmp_path):
    a, b, c = instances(project).ids[:3]
    notes = []
    path = table(tmp_path / "d.csv", "a,b,distance,unit", f"{a},{b},1,deg", f"{b},{c},1,deg")
    project.apply(PutSide(before=list(project.side.values())))
    project.apply(import_table(project, path, notes=notes))
    assert notes == []
    import_table(
        project, table(tmp_path / "e.csv", "a,b,distance,unit", f"{a},{c},1,m"), notes=notes
    )
    assert len(notes) == 1
    assert notes[0].startswith(
        "Known distances are of several units (deg, m), which no method compares."
    )


def test_a_table_about_other_instances_is_refused(project, tmp_path):
    with pytest.raises(ProjectError, match="none of its instances"):
        import_table(project, table(tmp_path / "d.csv", "a,b,distance", "1,2,3"))


@pytest.mark.parametrize(("lines", "what"), [
    (["a,b", "1,2"], "no column kind or distance"), (["a,b,distance"], "without a distance"),
    ([""], "no column a"),
    (["a,b,distance", "1,2,far"], "line 2: the distance is 'far', not a number"),
    (["a,b,distance", "1,2,-4"], "line 2"),
    (["a,b,distance", "5,5,1"], "line 2: .*with itself"), (["a,b,distance", "1,2,nan"], "line 2"),
    (["a,b,distance", "1"], "line 2"), (["a,b,distance", "1,2,3,4,5"], "none of its instances"),
])
def test_what_is_no_table_of_distances_says_where(project, tmp_path, lines, what):
    with pytest.raises((FormatError, ProjectError), match=what):
        import_table(project, table(tmp_path / "d.csv", *lines))


def test_the_command_line_brings_distances_into_a_project(project, tmp_path, clip):
    from emberscope.project.store.file import save

    save(project, tmp_path / "p.ember")
    a, b, _ = instances(project).ids[:3]
    path = table(tmp_path / "d.csv", "a,b,distance,unit", f"{a},{b},12.5,m")
    lines, failed = import_files(tmp_path / "p.ember", [], tables=[path])
    assert (failed, lines[0]) == ([], f"{path}: 1 distance")
    assert len(load(tmp_path / "p.ember").side) == 5


def test_a_table_of_pairs_comes_in_with_or_without_names_of_columns(project, tmp_path):
    a, b, c = instances(project).ids[:3]
    named = table(
        tmp_path / "p.csv",
        "a,b,kind,attribute,weight",
        f"{a},{b},same,type,0.5",
        f"{b},{c},Different,,",
    )
    plain = table(tmp_path / "q.csv", f"{a},{b},same", f"{b},{c},different,type")
    found = [import_table(project, path).after for path in (named, plain)]
    assert [[(p.same, p.attribute, p.weight, p.origin) for p in pairs] for pairs in found] == [
        [(True, "type", 0.5, "imported"), (False, "", 1.0, "imported")],
        [(True, "", 1.0, "imported"), (False, "type", 1.0, "imported")]]


@pytest.mark.parametrize(("lines", "what"), [
    (["a,b,kind", "1,2,alike"], "line 2: 'alike' is neither same nor different"),
    (["1,2,same", "1,x,same"], "line 2: 'x' is no id of an instance"),
    (["1,2,same", "3,3,same"], "line 2: .*with itself"),
    (["1,2"], "line 1: '' is neither"), (["a,b,kind"], "without a pair"),
    (["a,b,kind", "1,2,same", "", "1,2,same,more,cells", "1,2"], "line 5"),
])
def test_what_is_no_table_of_pairs_says_in_which_line(project, tmp_path, lines, what):
    with pytest.raises(FormatError, match=what):
        import_table(project, table(tmp_path / "p.csv", *lines))


def test_pairs_and_distances_come_back_from_the_tables_they_were_written_to(project, tmp_path):
    a, b, c = instances(project).ids[:3]
    path = table(tmp_path / "p.csv", f"{a},{b},same,type,0.5", f"{b},{c},different")
    project.apply(import_table(project, path))
    written = export(project, "side", tmp_path / "out")
    assert [path.name for path in written] == ["project_pairs.csv", "project_distances.csv"]
    before, records = side_rows(project), list(project.side.values())
    project.apply(PutSide(before=records))
    for path in written:
        project.apply(import_table(project, path))
    assert side_rows(project) == before


def test_a_project_without_pairs_has_no_table_of_them(project, tmp_path):
    project.apply(PutSide(before=list(project.side.values())))
    with pytest.raises(ProjectError, match="no pairs and no distances"):
        export(project, "side", tmp_path / "out")


def test_questions_without_an_answer_are_left_out_and_counted(project, tmp_path):
    a, b, c = map(int, instances(project).ids[:3])
    notes = []
    path = table(tmp_path / "q.csv", "a,b,kind", f"{a},{c},same", f"{b},{c}, ")
    assert [(pair.a, pair.b) for pair in import_table(project, path, notes=notes).after] == [(a, c)]
    assert notes == ["1 pair left out: without an answer."]


def test_questions_without_any_answer_are_refused(project, tmp_path):
    path = tmp_path / "q.csv"
    write_questions(path, [(1, 2)], {1: "clip.npy, 1", 2: "clip.npy, 3"})
    with pytest.raises(FormatError, match="no question has an answer"):
        import_table(project, path)
