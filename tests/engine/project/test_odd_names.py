"""Names that are no UTF-8 and halves of characters are kept: by journal, file and the worker's
copy."""

import json
import shutil
import sys
from pathlib import Path

import msgspec
import numpy as np
import pytest

from emberscope.labels import Spot
from emberscope.labels.jsonl import LabelSource, read_jsonl, write_jsonl
from emberscope.labels.model import TargetClass
from emberscope.labels.side_info import Pair
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
    to_record,
    to_snapshot,
)
from emberscope.project.exchange.sources import add_source, open_ref
from emberscope.project.model.compare import same, same_project
from emberscope.project.model.recipe import read_recipe, to_toml
from emberscope.project.store.file import load, save
from emberscope.project.store.journal import journal_path, read_journal
from emberscope.project.store.lock import Owner, holder, lock_path
from emberscope.project.store.open_project import OpenProject
from emberscope.project.store.own_sources import allow, withheld_sources
from emberscope.report.export import export

from .builders import a_run, a_source

ODD = ["\udcff", "\ud83d", "\U0010ffff\udc80"]
POSIX = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="elsewhere every name is Unicode"
)


@pytest.fixture(autouse=True)
def own_state_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("EMBERSCOPE_STATE", str(tmp_path / "state"))


def operations(odd):
    """One of each table, with such text wherever text is."""
    clip = a_source(path=f"/frames/clip{odd}.npy")
    return [
        PutSources(
            title=f"Add clip{odd}",
            after=[msgspec.structs.replace(clip, name=f"clip{odd}", options={odd: odd})],
        ),
        PutClasses(title=odd, after=[TargetClass(id=12, name=f"Truck{odd}", role=1, slot=3)]),
        PutLabels(
            after=[
                Spot(id=20, source=10, frame=3, x=1.0, y=2.0, class_id=12, origin=f"imported {odd}")
            ]
        ),
        PutSide(after=[Pair(id=30, a=1, b=2, same=True, attribute=odd)]),
        PutSelection(name=f"kept {odd}", after=[1, 2]),
        PutSettings(after={odd: {"a": [odd]}}),
        Together(
            title=odd, steps=[PutLabels(after=[Spot(id=21, source=10, frame=3, x=1.0, y=2.0)])]
        ),
    ]


def made(steps):
    project = Project()
    for operation in steps:
        project.apply(operation)
    return project


@pytest.mark.parametrize("odd", ODD)
def test_an_operation_comes_back_as_it_was(odd):
    assert all(same(from_record(to_record(operation)), operation) for operation in operations(odd))


@pytest.mark.parametrize("odd", ODD)
def test_the_copy_for_the_worker_is_the_project(odd):
    project = made([*operations(odd)[:4], operations(odd)[5]])
    assert same_project(from_snapshot(to_snapshot(project)), project)


@pytest.mark.parametrize("odd", ODD)
def test_a_saved_project_is_the_project(tmp_path, odd):
    project = made(operations(odd))
    run = a_run(notes=[odd], state={"feature_names": [odd]})
    project.apply(PutRuns(after=[run]))
    save(project, tmp_path / "p.ember")
    assert same_project(load(tmp_path / "p.ember"), project)


@pytest.mark.parametrize("odd", ODD)
def test_the_journal_keeps_all_of_them_and_what_comes_after(tmp_path, monkeypatch, odd):
    monkeypatch.setattr(Owner, "is_gone", lambda self: True)
    path = tmp_path / "p.ember"
    save(Project(), path)
    opened = OpenProject.at(path)
    for operation in operations(odd):
        opened.did(operation)
    assert opened.flush()
    assert opened.trouble == ""
    opened._journal.close(keep=True)
    again = OpenProject.at(path)
    assert not again.recoverable.is_damaged
    assert same_project(again.recover(), made(operations(odd)))


def test_a_step_that_no_file_can_keep_stops_the_journal_not_even_where_its_title_is_odd(tmp_path):
    opened = OpenProject()
    opened.did(PutSettings(title="\ud800", after={"a": print}))
    opened.did(PutLabels(title=print, after=[Spot(id=1, source=10, frame=3, x=1.0, y=2.0)]))
    opened.did(PutLabels(after=[Spot(id=2, source=10, frame=3, x=1.0, y=2.0)]))
    assert opened.flush()
    assert [entry.left_out for entry in read_journal(opened._journal.path).entries] == [
        "settings",
        "labels",
        "",
    ]
    opened.close(discard=True)


@pytest.fixture
def folder(tmp_path):
    """A folder with a clip, neither of whose names is UTF-8."""
    folder = tmp_path / "day\udcff"
    folder.mkdir()
    np.save(tmp_path / "clip.npy", np.zeros((3, 24, 32), np.uint16))
    shutil.move(tmp_path / "clip.npy", folder / "clip\udcfe.npy")
    return folder


@POSIX
def test_a_source_is_read_under_its_name_and_shown_with_the_byte_in_words(folder):
    project = Project()
    project.apply(add_source(project, folder / "clip\udcfe.npy"))
    (ref,) = project.sources.values()
    assert (ref.name, Path(ref.path)) == ("clip\\xfe.npy", folder / "clip\udcfe.npy")
    with open_ref(from_snapshot(to_snapshot(project)).sources[ref.id]) as source:
        assert source.n_frames == 3


@POSIX
def test_a_project_at_such_a_place_is_locked_worked_on_recovered_and_saved(folder, monkeypatch):
    path = folder / "p\udcfd.ember"
    save(Project(), path)
    opened = OpenProject.at(path)
    assert holder(path) is not None
    opened.did(PutSettings(after={"a": 1}))
    assert opened.flush()
    opened._journal.close(keep=True)
    monkeypatch.setattr(Owner, "is_gone", lambda self: True)
    again = OpenProject.at(path)
    assert (again.recoverable.facts()["project"], again.recover().settings) == (str(path), {"a": 1})
    again.save(again.project, again.position)
    again.close()
    assert (load(path).settings, journal_path(path).exists()) == ({"a": 1}, False)


@POSIX
def test_such_a_source_outside_of_the_folder_is_asked_about_once(folder, tmp_path):
    project = Project()
    project.apply(add_source(project, folder / "clip\udcfe.npy"))
    (tmp_path / "other").mkdir()
    path = tmp_path / "other" / "p.ember"
    save(project, path)
    shutil.rmtree(tmp_path / "state")
    found = load(path)
    assert len(withheld_sources(found)) == 1
    allow(found, path)
    assert withheld_sources(load(path)) == []


def test_a_lock_of_a_user_with_such_a_name_is_read(tmp_path, monkeypatch):
    monkeypatch.setattr("getpass.getuser", lambda: "ann\udcff")
    opened = OpenProject()
    opened.save(Project(), 0, tmp_path / "p.ember")
    assert holder(tmp_path / "p.ember").user == "ann\udcff"
    assert json.loads(lock_path(tmp_path / "p.ember").read_bytes())["user"] == "ann\udcff"
    opened.close()


@pytest.mark.parametrize("odd", ODD)
def test_labels_keep_such_names_in_their_file(tmp_path, odd):
    clip = LabelSource(id=10, name=f"clip{odd}", path=f"/clip{odd}")
    kind = TargetClass(id=12, name=odd, role=1, slot=3)
    write_jsonl(tmp_path / "a.jsonl", [], classes=[kind], sources=[clip])
    found = read_jsonl(tmp_path / "a.jsonl")
    assert (found.sources, found.classes) == ([clip], [kind])


@pytest.mark.parametrize(
    ("form", "sign"),
    [
        ("jsonl", "/frames/clip\\udcff.npy"),
        ("csv", "clip\\xff"),
        ("side", "\\xff"),
        ("html", "\\xff"),
        ("npz", ""),
        ("png", ""),
    ],
)
def test_everything_is_exported_as_text_that_every_program_reads(tmp_path, form, sign):
    project = made(operations("\udcff"))
    project.runs[11] = a_run(
        11, notes=["\udcff"], bag_ids=np.array([20 << 16]), source=np.full(3, 10)
    )
    paths = export(project, form, tmp_path / "out", name="p")
    assert sign in "".join(path.read_bytes().decode("latin-1") for path in paths)


def test_a_recipe_with_such_text_is_a_whole_file(tmp_path):
    recipe = msgspec.structs.replace(Project().recipe, params={"a": "x\udcff"})
    (tmp_path / "r.toml").write_text(to_toml(recipe), encoding="utf-8")
    assert read_recipe(tmp_path / "r.toml", None).params == {"a": "x\\xff"}
