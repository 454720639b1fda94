"""Sources outside of the folder of a project are read where this user added or allowed them, nowhere else."""

import os
import shutil

import numpy as np
import pytest

from emberscope.base.errors import FormatError
from emberscope.cli import main
from emberscope.labels import Spot
from emberscope.project import Project, PutLabels, PutSources
from emberscope.project.file import load, save
from emberscope.project.generations import fingerprint_of
from emberscope.project.journal import Entry, Header, frame, journal_path
from emberscope.project.lock import this_process
from emberscope.project.open_project import OpenProject
from emberscope.project.own_sources import allow, withheld_sources
from emberscope.project.sources import add_source, has_changed, missing_sources, open_ref

from .builders import a_source


@pytest.fixture
def clip(tmp_path):
    np.save(tmp_path / "clip.npy", np.arange(128, dtype=np.uint16).reshape(2, 8, 8))
    return tmp_path / "clip.npy"


def project_with(*paths):
    project = Project()
    for path in paths:
        project.apply(add_source(project, path))
    return project


@pytest.fixture
def strange(clip, tmp_path):
    """A project that was made elsewhere and names the clip, which lies outside of its folder."""
    save(project_with(clip), tmp_path / "made.ember")
    (tmp_path / "mail").mkdir()
    return shutil.copy(tmp_path / "made.ember", tmp_path / "mail" / "day.ember")


def the_source(path):
    (ref,) = load(path).sources.values()
    return ref


def test_what_was_saved_here_is_read(clip, tmp_path):
    (tmp_path / "below").mkdir()
    save(project_with(clip), tmp_path / "below" / "a.ember")
    assert not the_source(tmp_path / "below" / "a.ember").withheld


def test_a_source_in_the_folder_of_a_project_is_read_wherever_the_project_came_from(clip, tmp_path):
    save(project_with(clip), tmp_path / "a.ember")
    shutil.move(tmp_path / "a.ember", tmp_path / "b.ember")
    assert not the_source(tmp_path / "b.ember").withheld


def test_a_source_outside_of_a_strange_project_is_neither_opened_nor_compared(strange):
    ref = the_source(strange)
    with pytest.raises(FormatError, match="commands take --read-sources"):
        open_ref(ref)
    assert not has_changed(ref)
    assert missing_sources(load(strange)) == []


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_a_link_that_leads_out_of_the_folder_is_outside(strange, clip, tmp_path):
    (tmp_path / "mail" / "inside.npy").symlink_to(clip)
    project = Project()
    project.apply(PutSources(after=[a_source(path=str(tmp_path / "mail" / "inside.npy"))]))
    save(project, tmp_path / "made.ember")
    shutil.copy(tmp_path / "made.ember", strange)
    assert the_source(strange).withheld


def test_what_a_person_allowed_is_read_from_then_on(strange):
    project = load(strange)
    allow(project, strange)
    assert withheld_sources(project) == []
    assert not the_source(strange).withheld


def test_another_project_in_the_same_place_is_asked_about_again(strange, tmp_path):
    allow(load(strange), strange)
    np.save(tmp_path / "other.npy", np.zeros((2, 8, 8)))
    save(project_with(tmp_path / "other.npy"), tmp_path / "made.ember")
    shutil.copy(tmp_path / "made.ember", strange)
    assert the_source(strange).withheld


def test_a_save_does_not_allow_what_was_withheld(strange):
    project = load(strange)
    project.apply(PutLabels(after=[Spot(id=50, source=10, frame=0, x=1.0, y=1.0)]))
    save(project, strange)
    assert the_source(strange).withheld


def test_a_journal_that_came_with_a_project_brings_no_source_in(strange, clip):
    header = Header(project=str(strange), base=fingerprint_of(strange), owner=this_process())
    added = Entry(what="do", at=1.0, op=PutSources(after=[a_source(77, str(clip))]))
    journal_path(strange).write_bytes(frame(header) + frame(added))
    opened = OpenProject.at(strange)
    opened.recover()
    assert opened.project.sources[77].withheld
    opened.close(discard=True)


def test_a_source_whose_path_no_file_system_can_hold_is_missing(tmp_path):
    project = Project()
    project.apply(PutSources(after=[a_source(path="/frames/a\0b.npy"), a_source(11, "/frames/" + "x" * 70_000)]))
    save(project, tmp_path / "a.ember")
    assert len(missing_sources(load(tmp_path / "a.ember"))) == 2


def test_info_says_what_was_not_read_and_reads_it_when_told(strange, capsys):
    assert main(["info", str(strange)]) == 0
    assert "1 source lies outside of the project's folder and was not read" in capsys.readouterr().err
    assert main(["info", str(strange), "--read-sources"]) == 0
    assert "not read" not in capsys.readouterr().err
