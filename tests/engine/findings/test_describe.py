"""What a source or a project holds, in a few facts."""

import numpy as np
import pytest

from emberscope.findings.describe import describe_path, describe_project
from emberscope.labels import BACKGROUND, Box, Spot
from emberscope.labels.side_info import Pair
from emberscope.project import Project, PutLabels, PutRuns, PutSettings, PutSide, PutSources, Recipe
from emberscope.project.exchange.sources import add_sources
from emberscope.project.store.file import save

from ..project.builders import a_run, a_source, side_information


def test_a_source_is_told_by_its_size_type_and_range(tmp_path):
    np.save(tmp_path / "a.npy", np.arange(24, dtype=np.uint16).reshape(2, 3, 4))
    found = describe_path(tmp_path / "a.npy")
    assert (found["kind"], found["frames"], found["rows"], found["cols"]) == ("source", 2, 3, 4)
    assert (found["dtype"], found["range of the first frame"], found["warnings"]) == (
        "uint16",
        [0.0, 11.0],
        [],
    )


def test_the_range_leaves_out_what_is_no_number(tmp_path):
    np.save(tmp_path / "a.npy", np.array([[[1, np.nan, np.inf]], [[1, 2, 3]]], np.float32))
    assert describe_path(tmp_path / "a.npy")["range of the first frame"] == [1.0, 1.0]
    np.save(tmp_path / "b.npy", np.full((1, 2, 2), np.nan, np.float32))
    assert describe_path(tmp_path / "b.npy")["range of the first frame"] is None


def test_what_is_odd_about_the_frames_of_a_source_is_told(tmp_path):
    np.save(tmp_path / "a.npy", np.full((2, 3, 4), 9, np.uint16))
    found = describe_path(tmp_path / "a.npy")
    assert found["bits in use"] == 4
    assert [(item["code"], item["frames"]) for item in found["quality"]["findings"]] == [
        ("constant", [0, 1]), ("repeated", [1]),
    ]


def test_a_project_names_the_sources_that_changed_and_those_that_are_gone(tmp_path):
    paths = [tmp_path / f"{name}.npy" for name in "abc"]
    for number, path in enumerate(paths):
        np.save(path, np.full((1, 3, 4), number, np.uint16))
    project = Project()
    project.apply(add_sources(project, paths)[0])
    save(project, tmp_path / "p.ember")
    np.save(paths[1], np.full((1, 3, 4), 99, np.uint16))
    paths[2].unlink()
    found = describe_path(tmp_path / "p.ember")
    assert (found["changed"], found["missing"]) == (["b.npy"], ["c.npy"])
    assert found["warnings"] == [
        "c.npy is not where it was.",
        "b.npy changed since it was added. Its labels stay where they were in the frames.",
    ]


def test_a_project_is_told_by_its_labels_and_runs(tmp_path):
    project = Project()
    project.apply(PutSources(after=[a_source()]))
    labels = [
        Spot(id=20, source=10, frame=0, x=3, y=4),
        Box(id=21, source=10, frame=5, class_id=BACKGROUND, x0=0, y0=0, x1=9, y1=9),
    ]
    project.apply(PutLabels(after=labels))
    project.apply(PutRuns(after=[a_run()]))
    save(project, tmp_path / "p.ember")
    found = describe_path(tmp_path / "p.ember")
    assert (found["kind"], found["sources"], found["frames"]) == ("project", ["pass_03.arf"], 600)
    assert (found["labels"], found["labels by kind"]) == (2, {"spot": 1, "box": 1})
    assert found["fitting sizes"]["patch"] == 24
    assert (
        found["fitting sizes"]["why"]
        == "Targets have the area of squares of about 8 px: patches of 24 px, step 16."
    )
    assert [
        (run["id"], run["method"], run["instances"], run["dimensions"]) for run in found["runs"]
    ] == [(11, "mida", 3, 2)]


def test_a_project_counts_its_side_information():
    project = Project()
    project.apply(PutSide(after=[*side_information(), Pair(id=50, a=1, b=3, same=False)]))
    counted = {"same": 1, "different": 1, "distances": 1, "invariances": 1, "actions": 1}
    assert describe_project(project)["side information"] == counted


def test_a_project_says_where_its_side_information_contradicts_itself():
    project = Project()
    project.apply(
        PutSide(after=[Pair(id=30, a=1, b=2, same=True), Pair(id=31, a=1, b=2, same=False)])
    )
    found = describe_project(project)
    assert found["conflicts"] == [[31, 30]]
    assert found["warnings"] == [
        "Side information contradicts itself: record 31 says that chips 000001 and 000002 "
        "differ, record 30 makes them the same. Remove what is wrong."
    ]


def test_a_folder_is_told_by_the_sources_it_holds(tmp_path):
    np.save(tmp_path / "a.npy", np.zeros((3, 4, 5), np.uint16))
    np.save(tmp_path / "b.npy", np.zeros((2, 6, 7), np.uint16))
    (tmp_path / "notes.txt").write_text("rain")
    found = describe_path(tmp_path)
    assert (found["kind"], found["sources"], found["frames"]) == ("folder", 2, 5)
    assert [(held["source"], held["rows"]) for held in found["holds"]] == [
        ("a.npy", 4),
        ("b.npy", 6),
    ]
    assert found["warnings"] == ["1 file is left out, which no reader knows: notes.txt."]


@pytest.mark.parametrize("recipe", [
    3, {"method": 3}, {"nobody": 1}, {"bags": {"patch": 0}}, {"bags": {"also": [1] * 65}},
])  # fmt: skip
def test_a_recipe_of_another_program_that_cannot_be_read_is_said_and_another_one_taken(recipe):
    project = Project()
    project.apply(PutSettings(after={"recipe": recipe}))
    assert project.recipe == Recipe()
    (note,) = describe_project(project)["warnings"]
    assert note.startswith("The recipe of the next run cannot be read: ")
    assert note.endswith(". One that fits the labels is in its place.")
