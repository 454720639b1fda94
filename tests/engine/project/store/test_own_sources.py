"""Sources outside of the folder of a project are read where this user added or allowed them,
nowhere else."""

import os
import shutil
from pathlib import Path

import msgspec
import numpy as np
import pytest

from emberscope.base.errors import EmberscopeError, FormatError
from emberscope.cli import main
from emberscope.course.plan import plan_of
from emberscope.features.recipe import FeatureRecipe
from emberscope.frames.readers.arf import write_arf
from emberscope.labels import Spot
from emberscope.project import Project, PutLabels, PutSources, from_snapshot, to_snapshot
from emberscope.project.exchange.sources import add_source, has_changed, missing_sources, open_ref
from emberscope.project.exchange.truth import truth_of
from emberscope.project.model.recipe import Recipe
from emberscope.project.store.file import load, save
from emberscope.project.store.generations import fingerprint_of
from emberscope.project.store.journal import Entry, Header, frame, journal_path
from emberscope.project.store.lock import this_process
from emberscope.project.store.open_project import OpenProject
from emberscope.project.store.own_sources import (
    allow,
    withheld_networks,
    withheld_note,
    withheld_sources,
)

from ..builders import a_source


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
    project.apply(
        PutSources(
            after=[a_source(path="/frames/a\0b.npy"), a_source(11, "/frames/" + "x" * 70_000)]
        )
    )
    save(project, tmp_path / "a.ember")
    assert len(missing_sources(load(tmp_path / "a.ember"))) == 2


def test_info_says_what_was_not_read_and_reads_it_when_told(strange, capsys):
    assert main(["info", str(strange)]) == 0
    assert (
        "1 source lies outside of the project's folder and was not read" in capsys.readouterr().err
    )
    assert main(["info", str(strange), "--read-sources"]) == 0
    assert "not read" not in capsys.readouterr().err


# --- networks that recipes name


def saved_with_network(file, path):
    """A project whose next run takes features of a network."""
    project = Project()
    recipe = Recipe(features=FeatureRecipe(kind="cnn", file=str(file)))
    project.settings["recipe"] = msgspec.to_builtins(recipe)
    save(project, path)
    return path


@pytest.fixture
def network(tmp_path):
    """Words that are no network: who reads them says so."""
    (tmp_path / "net.onnx").write_text("what a person wrote")
    return tmp_path / "net.onnx"


@pytest.fixture
def with_network(network, tmp_path):
    """A project that was made elsewhere and names the network, which lies outside of its folder."""
    (tmp_path / "mail").mkdir()
    made = saved_with_network(network, tmp_path / "made.ember")
    return shutil.copy(made, tmp_path / "mail" / "day.ember")


def reads_network(project):
    """Whether it was looked at: it is none, and there may be nothing that reads one."""
    with pytest.raises(EmberscopeError) as found:
        plan_of(project.recipe, project)
    return "commands take --read-sources" not in str(found.value)


def test_a_network_outside_of_a_strange_project_is_not_read(with_network, network):
    project = from_snapshot(to_snapshot(load(with_network)))  # as a worker has it
    assert not reads_network(project)
    assert withheld_networks(project) == [str(network)]
    assert withheld_note(project) == (
        f"1 network lies outside of the project's folder and was not read: {network}.")


def test_a_network_that_a_person_allowed_is_read_from_then_on(with_network):
    project = load(with_network)
    allow(project, with_network)
    assert reads_network(project)
    assert reads_network(load(with_network))


def test_a_network_of_a_project_that_was_saved_here_is_read(network, tmp_path):
    (tmp_path / "mine").mkdir()
    assert reads_network(load(saved_with_network(network, tmp_path / "mine" / "day.ember")))


def test_a_save_does_not_allow_a_network_that_was_withheld(with_network, network):
    save(load(with_network), with_network)
    assert withheld_networks(load(with_network)) == [str(network)]


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_a_network_that_a_link_leads_to_later_is_not_read(with_network, network, tmp_path):
    inside = tmp_path / "mail" / "own.onnx"
    inside.write_text("what came with the project")
    shutil.copy(saved_with_network(inside, tmp_path / "made.ember"), with_network)
    project = load(with_network)
    assert reads_network(project)
    inside.unlink()
    inside.symlink_to(network)
    assert not reads_network(project)


# --- what lies inside and leads out

LINKS = pytest.mark.skipif(os.name == "nt", reason="links need rights there")


@pytest.fixture
def secret(tmp_path):
    """A folder of images of the user, none of which a project from elsewhere names."""
    (tmp_path / "secret").mkdir()
    for number in range(2):
        np.save(tmp_path / "secret" / f"{number}.npy", np.full((8, 8), 40 + number, np.uint8))
    return tmp_path / "secret"


def folder_of_links(folder, secret):
    folder.mkdir()
    for image in secret.iterdir():
        (folder / image.name).symlink_to(image)


def link_to_a_folder(folder, secret):
    folder.symlink_to(secret, target_is_directory=True)


def one_link_among_images(folder, secret):
    folder.mkdir()
    shutil.copy(secret / "0.npy", folder / "0.npy")
    (folder / "1.npy").symlink_to(secret / "1.npy")


def links_by_way_of_links(folder, secret):
    (folder.parent / "between").symlink_to(secret)
    folder.mkdir()
    for image in secret.iterdir():
        (folder / image.name).symlink_to(Path("..") / "between" / image.name)


def links_below_a_folder(folder, secret):
    (folder / "frames").mkdir(parents=True)
    (folder / "frames" / "1.npy").symlink_to(secret / "1.npy")


@LINKS
@pytest.mark.parametrize("make", [
    folder_of_links, link_to_a_folder, one_link_among_images, links_by_way_of_links,
    links_below_a_folder,
])  # fmt: skip
def test_a_folder_whose_images_lead_out_of_that_of_a_strange_project_is_withheld(
    strange, secret, tmp_path, make
):
    frames = tmp_path / "mail" / "frames"
    make(frames, secret)
    project = Project()
    project.apply(PutSources(after=[a_source(path=str(frames))]))
    save(project, tmp_path / "made.ember")
    shutil.copy(tmp_path / "made.ember", strange)
    ref = the_source(strange)
    assert ref.withheld
    assert f"{frames}, which leads to {secret}" in withheld_note(load(strange))
    with pytest.raises(FormatError, match="commands take --read-sources"):
        open_ref(ref)
    project = load(strange)
    allow(project, strange)
    assert not the_source(strange).withheld


@LINKS
def test_a_link_that_is_put_into_a_source_later_is_not_followed(strange, secret, tmp_path):
    frames = tmp_path / "mail" / "frames"
    shutil.copytree(secret, frames)
    save(project_with(frames), tmp_path / "made.ember")
    shutil.copy(tmp_path / "made.ember", strange)
    # As a worker has it
    ref = from_snapshot(to_snapshot(load(strange))).sources[the_source(strange).id]
    with open_ref(ref) as source:
        assert source.n_frames == 2
    (frames / "1.npy").unlink()
    (frames / "1.npy").symlink_to(secret / "1.npy")
    with pytest.raises(FormatError, match="outside of the folder of a project from elsewhere"):
        open_ref(ref)
    assert not has_changed(ref)


@LINKS
def test_a_folder_of_links_that_was_saved_here_is_read(secret, tmp_path):
    (tmp_path / "mine").mkdir()
    folder_of_links(tmp_path / "mine" / "frames", secret)
    save(project_with(tmp_path / "mine" / "frames"), tmp_path / "mine" / "day.ember")
    with open_ref(the_source(tmp_path / "mine" / "day.ember")) as source:
        assert source.read(1)[0, 0] == 41


def test_a_path_that_goes_up_and_down_is_where_it_ends(strange, clip, tmp_path):
    project = Project()
    project.apply(PutSources(after=[a_source(path=str(tmp_path / "mail" / ".." / "clip.npy"))]))
    save(project, tmp_path / "made.ember")
    shutil.copy(tmp_path / "made.ember", strange)
    assert the_source(strange).withheld


@LINKS
@pytest.mark.parametrize(
    "place", ["arf/day.agt", "agt/day.agt", "arf/day.bbox_met", "../agt/day.agt"]
)
def test_truth_beside_a_source_that_leads_out_is_not_read(strange, tmp_path, place):
    arf, agt = (tmp_path / "mail" / "arf" / f"day.{kind}" for kind in ("arf", "agt"))
    arf.parent.mkdir()
    write_arf(arf, [np.zeros((8, 8), np.uint16)], n_frames=1, shape=(8, 8))
    if place.endswith("met"):
        agt.write_text("what came with the project")
    there, secret = tmp_path / "mail" / place, tmp_path / "secret.agt"
    secret.write_text("what a person wrote")
    there.parent.mkdir(exist_ok=True)
    there.symlink_to(secret)  # the last one lies outside by itself
    save(project_with(arf), tmp_path / "made.ember")
    shutil.copy(tmp_path / "made.ember", strange)
    with pytest.raises(FormatError, match="it leads out of the folder of a project from elsewhere"):
        truth_of(the_source(strange))


@LINKS
def test_truth_that_a_person_named_is_read_where_it_lies_and_through_no_link_of_the_strange_folder(
    strange, tmp_path
):
    arf = tmp_path / "mail" / "day.arf"
    write_arf(arf, [np.zeros((8, 8), np.uint16)], n_frames=1, shape=(8, 8))
    (tmp_path / "mine.csv").write_text("frame,x,y,w,h\n0,1,1,2,2\n")
    (tmp_path / "mail" / "link.csv").symlink_to(tmp_path / "mine.csv")
    save(project_with(arf), tmp_path / "made.ember")
    shutil.copy(tmp_path / "made.ember", strange)
    assert len(truth_of(the_source(strange), tmp_path / "mine.csv")) == 1
    with pytest.raises(FormatError, match="it leads out of the folder"):
        truth_of(the_source(strange), tmp_path / "mail" / "link.csv")


def test_truth_beside_the_folder_of_a_project_that_was_saved_here_is_read(tmp_path):
    arf, agt = tmp_path / "arf" / "day.arf", tmp_path / "agt" / "day.agt"
    for path in (arf, agt):
        path.parent.mkdir()
    write_arf(arf, [np.zeros((8, 8), np.uint16)], n_frames=1, shape=(8, 8))
    agt.write_text("no truth")
    save(project_with(arf), tmp_path / "arf" / "day.ember")
    with pytest.raises(FormatError, match="this is not an AGT file"):
        truth_of(the_source(tmp_path / "arf" / "day.ember"))
