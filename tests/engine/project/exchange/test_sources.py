"""Adding sources, and finding them again."""

import os

import msgspec
import numpy as np
import pytest
from PIL import Image

from emberscope.base.errors import FormatError, ProjectError
from emberscope.frames.readers import folder as folder_module
from emberscope.project import Project, PutSources
from emberscope.project.exchange.sources import (
    OpenSources,
    add_source,
    add_sources,
    changed_note,
    changed_sources,
    missing_note,
    missing_sources,
    open_ref,
    relocate,
)


@pytest.fixture
def frames(tmp_path):
    path = tmp_path / "frames.npy"
    np.save(path, np.arange(3 * 4 * 5, dtype=np.uint16).reshape(3, 4, 5))
    return path


@pytest.fixture
def project(frames):
    project = Project()
    project.apply(add_source(project, frames))
    return project


def only(project):
    return next(iter(project.sources.values()))


def test_a_source_is_described_once(project, frames):
    ref = only(project)
    assert (ref.name, ref.format, ref.n_frames, ref.rows, ref.cols) == (
        "frames.npy",
        "npy",
        3,
        4,
        5,
    )
    assert ref.path == str(frames)


def test_a_relative_path_becomes_absolute(frames, monkeypatch):
    monkeypatch.chdir(frames.parent)
    assert add_source(Project(), "frames.npy").after[0].path == str(frames)


def test_one_bad_file_does_not_stop_the_good_ones(frames, tmp_path):
    (tmp_path / "bad.npy").write_bytes(b"")
    operation, errors = add_sources(
        Project(), [tmp_path / "bad.npy", frames, tmp_path / "none.npy"]
    )
    assert [ref.name for ref in operation.after] == ["frames.npy"]
    assert [type(error) for error in errors] == [FormatError, FormatError]


def test_a_known_file_is_not_added_twice(project, frames):
    assert add_sources(project, [frames, frames]) == (None, [])
    with pytest.raises(ProjectError, match="the project has this source already"):
        add_source(project, frames)


def test_a_source_that_is_gone_stays_in_the_project_and_is_named(project, frames):
    frames.unlink()
    assert missing_sources(project) == [only(project)]
    with pytest.raises(
        FormatError, match=r"the source is not there\. Locate frames\.npy, or remove it"
    ):
        open_ref(only(project))


def test_a_source_whose_content_changed_is_told(project, frames):
    assert changed_sources(project) == []
    np.save(frames, np.ones((3, 4, 5), np.uint16))
    assert changed_sources(project) == [only(project)]


def test_a_copy_with_another_time_of_change_is_the_same_source(project, frames):
    os.utime(frames, ns=(1, 1))
    assert changed_sources(project) == []


def test_a_source_that_is_gone_did_not_change(project, frames):
    frames.unlink()
    assert changed_sources(project) == []


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "clip"
    folder.mkdir()
    for number in range(3):
        np.save(folder / f"{number}.npy", np.full((4, 5), number, np.uint16))
    return folder


def test_a_copied_folder_is_the_same_source(folder):
    project = Project()
    project.apply(add_source(project, folder))
    for path in folder.iterdir():
        os.utime(path, ns=(1, 1))
    assert changed_sources(project) == []


def test_a_folder_with_another_number_of_pictures_changed(folder):
    project = Project()
    project.apply(add_source(project, folder))
    (folder / "1.npy").unlink()
    assert changed_sources(project) == [only(project)]


def test_a_source_taken_as_it_is_now_is_changed_no_longer(project, frames):
    np.save(frames, np.ones((3, 4, 5), np.uint16))
    again = relocate(project, only(project).id, frames)
    assert again.title == "Read frames.npy again"
    project.apply(again)
    assert changed_sources(project) == []


@pytest.fixture
def sizes(tmp_path, monkeypatch):
    """A folder of two images of each of five sizes; and how often its files are listed."""
    (tmp_path / "sizes").mkdir()
    for k in range(10):
        np.save(tmp_path / "sizes" / f"{k}.npy", np.zeros((4, 5 + k // 2), np.uint16))
    listed = []
    monkeypatch.setattr(
        folder_module,
        "_looked_through",
        lambda path, look=folder_module._looked_through: (listed.append(path), look(path))[1],
    )
    return tmp_path / "sizes", listed


def test_a_folder_of_many_sizes_is_looked_through_once_for_all(project, sizes):
    folder, listed = sizes
    operation, _ = add_sources(project, [folder])
    assert (len(operation.after), len(listed)) == (5, 1)


def test_it_is_looked_through_once_to_see_what_changed(project, sizes):
    folder, listed = sizes
    project.apply(add_sources(project, [folder])[0])
    listed.clear()
    assert changed_sources(project) == []
    assert len(listed) == 1


def test_it_is_looked_through_once_while_sources_are_open(project, sizes):
    folder, listed = sizes
    project.apply(add_sources(project, [folder])[0])
    listed.clear()
    with OpenSources(project) as opened:
        assert [opened(key).n_frames for key in project.sources] == [3, 2, 2, 2, 2, 2]
    assert len(listed) == 1


def test_many_sources_are_named_by_the_first_three(project):
    names = "frames.npy, frames.npy, frames.npy"
    assert (
        missing_note(project, [only(project)] * 4)
        == f"4 of 1 sources are not where they were: {names} and 1 more."
    )


def test_nothing_is_said_where_nothing_changed(project):
    assert (changed_note(project, []), missing_note(project, [])) == ("", "")


def test_a_source_that_can_no_longer_be_read_counts_as_changed(project, frames):
    frames.write_bytes(b"")
    assert changed_sources(project) == [only(project)]


def test_a_moved_source_is_found_again(project, frames):
    moved = frames.rename(frames.with_name("moved.npy"))
    operation = relocate(project, only(project).id, moved)
    project.apply(operation)
    assert missing_sources(project) == []
    assert only(project).path == str(moved)


def test_frames_of_another_size_are_another_source(project, tmp_path):
    np.save(tmp_path / "other.npy", np.zeros((3, 9, 9), np.uint16))
    with pytest.raises(ProjectError, match="it has 3 frames of 9 x 9, not 3 frames of 5 x 4"):
        relocate(project, only(project).id, tmp_path / "other.npy")


def test_an_opened_source_is_opened_anew_after_someone_closed_it(project):
    with OpenSources(project) as sources:
        sources(only(project).id).close()
        assert sources(only(project).id).read(2)[0, 0] == 40


def test_what_is_known_of_a_clip_stays_when_it_is_found_elsewhere(tmp_path):
    for name in ("a.npy", "b.npy"):
        np.save(tmp_path / name, np.zeros((2, 4, 4), np.uint16))
    project = Project()
    project.apply(add_source(project, tmp_path / "a.npy"))
    (ref,) = project.sources.values()
    known = msgspec.structs.replace(ref, columns={"light": "night"},
                                    frame_columns={"tilt": [None, 5.0]})
    project.apply(PutSources(before=[ref], after=[known]))
    (found,) = relocate(project, ref.id, tmp_path / "b.npy").after
    assert (found.columns, found.frame_columns) == (known.columns, known.frame_columns)


def test_names_of_images_say_light_altitude_and_angle(tmp_path):
    for name in ("1_130_30_0_09949", "1_60_30_0_09950"):
        Image.fromarray(np.zeros((4, 4), np.uint8)).save(tmp_path / f"{name}.png")
    project = Project()
    project.apply(add_source(project, tmp_path))
    (ref,) = project.sources.values()
    assert ref.columns == {"light": "night", "camera angle": 30.0}
    assert ref.frame_columns == {"altitude": [60.0, 130.0]}
