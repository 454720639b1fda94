"""What a person wrote beside a run."""

import pytest

from emberscope.project import Project
from emberscope.project.model.run_notes import SETTING, RunNote, put_run_note, run_note
from emberscope.project.store.file import load, save


def test_a_name_a_note_and_a_pin_stand_beside_each_other():
    project = Project()
    project.apply(put_run_note(project, 7, title="Rename run 7", name="best so far"))
    project.apply(put_run_note(project, 7, title="Pin run 7", pinned=True))
    assert run_note(project, 7) == RunNote(name="best so far", pinned=True)
    assert run_note(project, 8) == RunNote()


def test_what_is_written_is_one_step_back():
    project = Project()
    project.apply(put_run_note(project, 7, title="", note="old"))
    step = put_run_note(project, 7, title="", note="new")
    project.apply(step)
    project.revert(step)
    assert run_note(project, 7).note == "old"


def test_a_note_that_is_empty_again_leaves_nothing():
    project = Project()
    for words in ("x", ""):
        project.apply(put_run_note(project, 7, title="", note=words))
    assert SETTING not in project.settings


def test_it_is_in_the_saved_project(tmp_path):
    project = Project()
    project.apply(put_run_note(project, 7, title="", note="look at night"))
    save(project, tmp_path / "p.ember")
    assert run_note(load(tmp_path / "p.ember"), 7).note == "look at night"


@pytest.mark.parametrize("written", [7, {"7": 3}, {"7": {"name": 4}}, {"7": {"pinned": "yes"}}])
def test_what_another_program_wrote_there_is_no_note(written):
    project = Project()
    project.settings[SETTING] = written
    assert run_note(project, 7) == RunNote()


def test_a_name_of_another_program_is_one_line_of_bounded_length():
    project = Project()
    project.settings[SETTING] = {"7": {"name": "a\nb" * 400}}
    found = run_note(project, 7).name
    assert "\n" not in found
    assert len(found) <= 130
