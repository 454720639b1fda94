"""NAME.ember: what is saved comes back; what is damaged, foreign or hostile is refused in one
line."""

import contextlib
import json
import os
import shutil
import zlib
from pathlib import Path

import h5py
import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from emberscope.base.errors import ProjectError
from emberscope.labels import (
    Box,
    Ellipse,
    FrameLabel,
    Ignore,
    Polygon,
    Polyline,
    Scribble,
    Spot,
)
from emberscope.labels.model import About
from emberscope.project import (
    Project,
    PutLabels,
    PutRuns,
    PutSelection,
    PutSettings,
    PutSide,
    PutSources,
    mark,
)
from emberscope.project.model.compare import differences, same_project
from emberscope.project.model.next_ids import NextIds
from emberscope.project.store import file as project_file
from emberscope.project.store.file import load, save, to_bytes
from emberscope.project.store.generations import generations

from ..builders import a_run, a_source, side_information

ABOUT = About(
    track=7,
    occluded=True,
    author="Änne",
    time="2026-11-25T10:00:00+00:00",
    note="behind a tree\nor a pole",
    uncertain=True,
    checked=True,
    columns={"range": 1500.0, "moving": True, "site": "hill"},
)
OF_CLIP = {"columns": {"time": "night"}, "frame_columns": {"tilt": [None, 5.0] * 300}}


OUTLINES = [
    Polygon(id=25, source=10, frame=7, points=((0, 0), (4.5, 2), (1, 9.25))),
    Ellipse(id=26, source=10, frame=7, x0=2, y0=3, x1=9.5, y1=5),
    Polyline(id=27, source=10, frame=7, points=((0, 0), (4.5, 2)), width=2.5),
]


def a_project(side=None, about=ABOUT, of_clip=OF_CLIP, outlines=OUTLINES):
    project = Project()
    project.apply(PutSources(after=[msgspec.structs.replace(a_source(), **of_clip)]))
    labels = [
        Spot(id=20, source=10, frame=3, x=1.5, y=2),
        Scribble(id=21, source=10, frame=3, points=((0, 0), (4.5, 2))),
        Box(
            id=22,
            source=10,
            frame=4,
            x0=0,
            y0=0,
            x1=8,
            y1=8,
            looseness=2.0,
            core=(1, 1, 4, 4),
            origin="imported",
            about=about,
        ),
        FrameLabel(id=23, source=10, frame=5, says="complete"),
        Ignore(id=24, source=10, frame=6),
        *outlines,
    ]
    project.apply(PutLabels(after=labels))
    project.apply(mark(project, [2**53 - 1], 2))
    project.apply(PutSide(after=side_information() if side is None else side))
    project.apply(PutSelection(name="odd / ones", after=[3, 1]))
    project.apply(PutSelection(name="", after=[]))
    project.apply(PutSettings(after={"recipe": {"method": "pca"}, "zoom": 1.5}))
    project.apply(PutRuns(after=[a_run()]))
    return project


@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "day.ember"
    save(a_project(), path)
    return path


def test_everything_comes_back(saved):
    assert differences(load(saved), a_project()) == []


@pytest.mark.parametrize("schema", range(1, project_file.VERSION + 1))
def test_a_file_of_every_schema_opens(schema):
    kept = Path(__file__).parents[1] / "files" / f"schema_{schema}.h5"
    side, about = side_information() if schema >= 3 else [], ABOUT if schema >= 4 else None
    if schema == 4:
        about = msgspec.structs.replace(ABOUT, columns={})
    of_clip, outlines = OF_CLIP if schema >= 5 else {}, OUTLINES if schema >= 6 else ()
    found = load(kept)
    wanted = a_project(side=side, about=about, of_clip=of_clip, outlines=outlines)
    if schema < 3:  # labels had their ids from the same count
        assert found.next_id > wanted.next_id
        found.next_ids = wanted.next_ids
    assert differences(found, wanted) == []


def test_an_empty_project_comes_back(tmp_path):
    save(Project(), tmp_path / "a.ember")
    assert same_project(load(tmp_path / "a.ember"), Project())


def test_the_next_id_is_above_every_id_in_the_file(tmp_path):
    project = Project()
    project.apply(PutLabels(after=[Spot(id=50, source=10, frame=0, x=1, y=1)]))
    project.next_ids = NextIds(record=10, label=3, run=1)
    save(project, tmp_path / "a.ember")
    assert load(tmp_path / "a.ember").next_label == 51


def test_a_file_that_numbered_labels_with_its_sources_goes_on_above_both(tmp_path):
    project = Project()
    project.use(NextIds(record=60))
    save(project, tmp_path / "a.ember")
    with h5py.File(tmp_path / "a.ember", "r+") as file:
        checksums = json.loads(file["checksums"][()].tobytes())
        rewrite(
            file, "project", {"next_id": 60, "next_run": 1, "runs": [], "settings": {}}, checksums
        )
        rewrite(file, "checksums", checksums, {})
    assert load(tmp_path / "a.ember").new_label_ids() == [60]


def test_two_generations_are_kept(saved):
    save(Project(), saved)
    save(Project(), saved)
    before, oldest = generations(saved)
    assert same_project(load(saved), Project())
    assert same_project(load(before), Project())
    assert same_project(load(oldest), a_project())


def test_a_save_through_a_link_replaces_the_file_behind_it(saved, tmp_path):
    link = tmp_path / "link.ember"
    link.symlink_to(saved)
    save(Project(), link)
    assert link.is_symlink()
    assert same_project(load(saved), Project())


def test_a_save_that_dies_half_way_through_writing_leaves_the_last_good_state(saved):
    project = a_project()
    project.settings["callback"] = print
    with pytest.raises(ProjectError, match="cannot save"):
        save(project, saved)
    assert [path.name for path in saved.parent.iterdir()] == ["day.ember"]
    assert same_project(load(saved), a_project())


def test_a_save_into_no_folder_is_refused(tmp_path):
    with pytest.raises(ProjectError, match="cannot save"):
        save(Project(), tmp_path / "nowhere" / "a.ember")


def test_a_value_that_a_file_cannot_keep_is_named(tmp_path):
    project = Project()
    project.apply(PutRuns(after=[a_run(state={"odd": {1, 2}})]))
    with pytest.raises(ProjectError, match=r"state\.odd is a set"):
        save(project, tmp_path / "a.ember")


# Paths of sources


def test_a_project_moved_together_with_its_data_finds_it(tmp_path):
    old, new = tmp_path / "old", tmp_path / "new"
    (old / "frames").mkdir(parents=True)
    (old / "frames" / "a.arf").touch()
    project = Project()
    project.apply(PutSources(after=[a_source(path=str(old / "frames" / "a.arf"))]))
    save(project, old / "day.ember")
    old.rename(new)
    assert load(new / "day.ember").sources[10].path == str(new / "frames" / "a.arf")


def test_a_project_moved_alone_keeps_the_absolute_path(tmp_path):
    frames = tmp_path / "a.arf"
    frames.touch()
    project = Project()
    project.apply(PutSources(after=[a_source(path=str(frames))]))
    save(project, tmp_path / "day.ember")
    (tmp_path / "far" / "away").mkdir(parents=True)
    shutil.move(tmp_path / "day.ember", tmp_path / "far" / "away")
    assert load(tmp_path / "far" / "away" / "day.ember").sources[10].path == str(frames)


# Files that are no project


def one_line(path):
    with pytest.raises(ProjectError) as caught:
        load(path)
    text = str(caught.value)
    assert "\n" not in text
    assert text.startswith(str(path))
    return text


@pytest.mark.parametrize(
    "content", [b"", b"hello", b"\x89HDF\r\n\x1a\n", b"\x89HDF\r\n\x1a\n" + bytes(2000)]
)
def test_a_foreign_file_is_refused(tmp_path, content):
    path = tmp_path / "a.ember"
    path.write_bytes(content)
    assert "project" in one_line(path)


def test_a_missing_file_is_named(tmp_path):
    assert "there is no such file" in one_line(tmp_path / "a.ember")


def test_an_hdf5_file_of_somebody_else_is_refused(tmp_path):
    path = tmp_path / "a.ember"
    with h5py.File(path, "w") as file:
        file["images"] = np.zeros(3)
    assert "this is not an Emberscope project" in one_line(path)


def test_a_project_of_a_newer_version_says_so(tmp_path, monkeypatch):
    path = tmp_path / "a.ember"
    monkeypatch.setattr(project_file, "VERSION", 9)
    save(Project(), path)
    monkeypatch.undo()
    assert "this project has schema 9" in one_line(path)
    assert "Update Emberscope." in one_line(path)


def test_a_truncated_project_points_to_the_generation_before_it(saved):
    save(a_project(), saved)
    os.truncate(saved, saved.stat().st_size // 2)
    assert "the file ends too early. The generation before it is day.ember~" in one_line(saved)


def replace(path, name, write):
    """Change one element of a project file as a stranger would."""
    with h5py.File(path, "r+") as file:
        del file[name]
        write(file)


def test_an_external_link_is_not_followed(saved, tmp_path):
    with h5py.File(tmp_path / "other.h5", "w") as other:
        other["labels"] = np.zeros(3, np.uint8)
    link = h5py.ExternalLink(tmp_path / "other.h5", "labels")
    replace(saved, "labels", lambda file: file.__setitem__("labels", link))
    assert "labels is a link" in one_line(saved)


def test_a_soft_link_is_not_followed(saved):
    replace(saved, "labels", lambda file: file.__setitem__("labels", h5py.SoftLink("/sources")))
    assert "labels is a link" in one_line(saved)


def test_data_that_lies_in_another_file_is_not_read(saved, tmp_path):
    (tmp_path / "secret").write_bytes(bytes(100))
    replace(
        saved, "labels",
        lambda file: file.create_dataset("labels", (100,), "u1",
                                         external=[(str(tmp_path / "secret"), 0, 100)]),
    )  # fmt: skip
    assert "labels is stored in an unexpected way" in one_line(saved)


def test_a_virtual_data_set_is_not_read(saved, tmp_path):
    layout = h5py.VirtualLayout((3,), "u1")
    layout[:] = h5py.VirtualSource(str(tmp_path / "other.h5"), "labels", (3,))
    replace(saved, "labels", lambda file: file.create_virtual_dataset("labels", layout))
    assert "labels is stored in an unexpected way" in one_line(saved)


@pytest.mark.parametrize(
    "options", [{"chunks": (2**20,)}, {"chunks": (2**20,), "compression": "gzip"}, {}]
)
def test_a_small_file_that_claims_terabytes_is_refused_before_allocation(saved, options):
    replace(
        saved, "marks/ids", lambda file: file.create_dataset("marks/ids", (2**42,), "i8", **options)
    )
    assert "marks/ids is stored in an unexpected way" in one_line(saved)


def test_objects_are_not_read(saved):
    replace(
        saved,
        "labels",
        lambda file: file.create_dataset("labels", data=["x"], dtype=h5py.string_dtype()),
    )
    assert "labels is stored in an unexpected way" in one_line(saved)


def test_one_data_set_under_many_names_does_not_multiply_in_memory(saved):
    with h5py.File(saved, "r+") as file:
        record = json.loads(file["runs/11/record"][()].tobytes())
        checksums = json.loads(file["checksums"][()].tobytes())
        file["runs/11/a"] = np.zeros(5_000)
        crc = zlib.crc32(bytes(40_000))
        for i in range(9):
            file[f"runs/11/z{i}"] = file["runs/11/a"]
            record["state"][f"z{i}"] = {"$array": f"z{i}"}
            checksums[f"runs/11/z{i}"] = crc
        rewrite(file, "runs/11/record", record, checksums)
        rewrite(file, "checksums", checksums, {})
    assert "claims more data than the file has" in one_line(saved)


@pytest.mark.parametrize(
    "place",
    [["<f8", [2**40], 0], ["<f8", [1], 2**40], ["<f8", [1], -64], ["<f8", [1], 8], ["O", [1], 0],
     ["<f8", [-1], 0], 3],
)  # fmt: skip
def test_an_array_that_lies_outside_of_its_run_is_refused(saved, place):
    with h5py.File(saved, "r+") as file:
        record = json.loads(file["runs/11/record"][()].tobytes())
        record["state"]["W"] = {"$array": place}
        checksums = json.loads(file["checksums"][()].tobytes())
        rewrite(file, "runs/11/record", record, checksums)
        rewrite(file, "checksums", checksums, {})
    one_line(saved)


def rewrite(file, name, value, checksums):
    raw = json.dumps(value).encode()
    del file[name]
    file[name] = np.frombuffer(raw, np.uint8)
    checksums[name] = zlib.crc32(raw)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("labels", [{"kind": "spot"}]), ("labels", {}), ("labels", [{"kind": "bomb", "id": 1}]),
        ("sources", [3]),
        ("classes", None), ("project", {}),
        ("project", {"next_id": -1, "settings": {}, "runs": []}),
        ("project", {"next_id": 1, "settings": {}, "runs": ["../x"]}),
        ("project", {"next_id": 1, "settings": {}, "runs": [12]}),
        ("side", [{"kind": "pair", "id": 1, "a": 2, "b": 2, "same": True}]), ("side", {}),
        ("selections/names", ["a"]), ("runs/11/record", {}), ("runs/11/record", {"$array": "Z"}),
    ],
)  # fmt: skip
def test_well_formed_nonsense_is_refused(saved, name, value):
    with h5py.File(saved, "r+") as file:
        checksums = json.loads(file["checksums"][()].tobytes())
        rewrite(file, name, value, checksums)
        rewrite(file, "checksums", checksums, {})
    one_line(saved)


@pytest.mark.parametrize(
    "changes",
    [
        {"Z": np.zeros((4, 2), np.float32)}, {"y": np.zeros(1, np.int8)},
        {"members": np.array([0, 1, 9])},
        {"members": np.array([0.0, 1.0, 2.0])},
        {"indptr": np.array([0, 2])}, {"point_scores": {"score": np.zeros(2)}},
        {"ids": np.zeros((3, 1))},
        {"diagnostics": {"ellipses": np.zeros((3, 3, 2))}},
        {"diagnostics": {"bag_purity": np.zeros(2)}},
        {"diagnostics": {"curve_k": np.arange(3), "q_nx": np.zeros(2)}},
        {"diagnostics": {"marks": np.zeros(3, np.int64)}},
        {"diagnostics": {"shepard_local": np.zeros((4, 4)), "shepard_edges_x": np.zeros(4)}},
    ],
)  # fmt: skip
def test_a_run_whose_arrays_disagree_is_refused(tmp_path, changes):
    project = Project()
    project.apply(PutRuns(after=[a_run(**changes)]))
    save(project, tmp_path / "a.ember")
    one_line(tmp_path / "a.ember")


def test_a_run_of_an_older_file_has_no_diagnostics(saved):
    with h5py.File(saved, "r+") as file:
        checksums = json.loads(file["checksums"][()].tobytes())
        record = json.loads(file["runs/11/record"][()].tobytes())
        assert record.pop("diagnostics") == {}
        rewrite(file, "runs/11/record", record, checksums)
        rewrite(file, "checksums", checksums, {})
    assert load(saved).runs[11].diagnostics == {}


def test_diagnostics_are_kept_with_the_run(tmp_path):
    kept = {
        "ellipses": np.ones((3, 2, 2), np.float32),
        "curve_k": np.arange(1, 4),
        "q_nx": np.ones(3),
    }
    project = Project()
    project.apply(PutRuns(after=[a_run(diagnostics=kept)]))
    save(project, tmp_path / "a.ember")
    found = load(tmp_path / "a.ember").runs[11].diagnostics
    assert found.keys() == kept.keys()
    assert all(np.array_equal(found[name], values) for name, values in kept.items())


@pytest.fixture(scope="module")
def whole():
    """The bytes of one saved project: the time in it makes each save a little different."""
    return bytes(to_bytes(a_project(), Path("/frames")))


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_one_wrong_byte_is_noticed_or_harmless(tmp_path_factory, whole, data):
    path = tmp_path_factory.mktemp("flip") / "a.ember"
    raw = bytearray(whole)
    raw[data.draw(st.integers(0, len(raw) - 1))] ^= data.draw(st.integers(1, 255))
    path.write_bytes(raw)
    with contextlib.suppress(ProjectError):
        assert same_project(load(path), a_project())


def test_a_save_into_no_folder_says_so_in_few_words(tmp_path):
    with pytest.raises(ProjectError, match=r"cannot save: No such file or directory\."):
        save(Project(), tmp_path / "nowhere" / "p.ember")


def test_the_bytes_of_a_project_outlive_the_file_in_memory_that_they_were_written_into(tmp_path):
    """A view that BytesIO lends ends some Pythons when both become garbage."""
    assert isinstance(to_bytes(Project(), tmp_path).obj, bytes)
