"""Columns of clips, frames and labels from a table."""

import msgspec
import numpy as np
import pytest

from emberscope.base.errors import FormatError, ProjectError
from emberscope.labels import Box
from emberscope.labels.model import About
from emberscope.project import Project, PutLabels, PutSources
from emberscope.project.exchange.column_table import columns_words, import_columns

from ..builders import a_source


def a_project(*labels):
    project = Project()
    day = msgspec.structs.replace(a_source(10, path="/frames/day.arf"), name="day.arf", n_frames=4)
    night = msgspec.structs.replace(a_source(20, path="/frames/night.arf"), name="night.arf",
                                    n_frames=4)
    project.apply(PutSources(after=[day, night]))
    project.apply(PutLabels(after=list(labels)))
    return project


def a_box(key, frame=0, source=10, **about):
    return Box(id=key, source=source, frame=frame, x0=0.0, y0=0.0, x1=8.0, y1=8.0,
               about=About(**about) if about else None)


def taken(project, tmp_path, text, notes=None):
    path = tmp_path / "known.csv"
    path.write_text(text)
    operation = import_columns(project, path, notes=notes)
    project.apply(operation)
    return operation


def test_rows_that_name_a_clip_are_about_it_with_or_without_its_ending(tmp_path):
    project = a_project()
    done = taken(project, tmp_path, "clip,light,range\nday,day,1000\nNIGHT.arf,night,\n")
    assert project.sources[10].columns == {"light": "day", "range": 1000.0}
    assert project.sources[20].columns == {"light": "night"}
    assert columns_words(done) == "columns of 2 clips"


def test_a_frame_makes_a_row_about_it_alone(tmp_path):
    project = a_project()
    taken(project, tmp_path, "clip;frame;tilt\nday;0;5\nday;3;7,5\n")
    assert project.sources[10].frame_columns == {"tilt": [5.0, None, None, 7.5]}


def test_a_target_makes_a_row_about_its_labels(tmp_path):
    project = a_project(a_box(1, track=7), a_box(2, frame=1, track=7), a_box(3, track=8),
                        a_box(4, columns={"target id": "Bravo"}))
    taken(project, tmp_path, "clip,track,frame,hidden\nday,007,,no\nday,7,1,yes\nday,bravo,,yes\n")
    hidden = [label.about.columns.get("hidden") for label in project.labels]
    assert hidden == [False, True, None, True]


def test_a_number_of_a_label_makes_a_row_about_it(tmp_path):
    project = a_project(a_box(1), a_box(2))
    done = taken(project, tmp_path, "label,aspect\n2,90\n")
    assert [label.about and label.about.columns for label in project.labels] == [
        None,
        {"aspect": 90.0},
    ]
    assert columns_words(done) == "columns of 1 label"


def test_it_is_one_step_that_is_undone(tmp_path):
    project = a_project(a_box(1))
    operation = taken(project, tmp_path, "clip,label,aspect\nday,,10\nday,1,90\n")
    project.revert(operation)
    assert project.sources[10].columns == {}
    assert project.labels[1].about is None


def test_a_project_of_one_clip_needs_no_name(tmp_path):
    project = a_project()
    project.apply(PutSources(before=[project.sources[20]]))
    taken(project, tmp_path, "frame,tilt\n1,5\n")
    assert project.sources[10].frame_columns == {"tilt": [None, 5.0, None, None]}


def test_images_of_a_folder_are_named_as_its_frames(tmp_path):
    from PIL import Image

    from emberscope.project.exchange.sources import add_sources

    for k in range(2):
        Image.fromarray(np.full((4, 4), 9 * k, np.uint8)).save(tmp_path / f"shot_{k}.png")
    project = Project()
    project.apply(add_sources(project, [tmp_path])[0])
    taken(project, tmp_path, "image,altitude\nshot_1.png,60\n")
    (ref,) = project.sources.values()
    assert ref.frame_columns == {"altitude": [None, 60.0]}


def test_rows_about_something_else_are_counted_with_the_reason(tmp_path):
    notes = []
    text = "clip,frame,label,light\nday,,,day\ndusk,,,x\nday,9,,x\nday,,77,x\n"
    taken(a_project(), tmp_path, text, notes)
    assert notes == ["1 row that names no clip of the project left out.",
                     "1 row about a frame that is not there left out.",
                     "1 row about a label that is not there left out."]


def test_a_table_about_no_clip_of_the_project_is_refused(tmp_path):
    with pytest.raises(ProjectError, match="no row is about the project: a row that names no clip"):
        taken(a_project(), tmp_path, "clip,light\ndusk,x\n")


def test_a_table_without_a_column_to_keep_is_refused(tmp_path):
    with pytest.raises(FormatError, match="no column beside those that name clips"):
        taken(a_project(), tmp_path, "clip,frame\nday,1\n")


def test_a_frame_that_is_no_number_is_named_with_its_line(tmp_path):
    with pytest.raises(
        FormatError, match=r"known\.csv, line 3: frame is 'two', not a whole number"
    ):
        taken(a_project(), tmp_path, "clip,frame,tilt\nday,1,1\nday,two,1\n")
