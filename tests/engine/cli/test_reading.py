"""How a source is read, said in the command: data set, axis, band, units, object parameters."""

import json

import h5py
import numpy as np
import pytest

from emberscope.cli import main
from emberscope.project.exchange.sources import open_ref
from emberscope.project.store.file import load

from ..flir_files import fff, write_rjpeg

COUNTS = (14000 + 40 * np.arange(6 * 8).reshape(6, 8)).astype(np.uint16)


@pytest.fixture
def place(tmp_path, monkeypatch):
    for name in ("STATE", "CACHE", "CONFIG"):
        monkeypatch.setenv(f"EMBERSCOPE_{name}", str(tmp_path / name))
    (tmp_path / "a.fff").write_bytes(fff(COUNTS))
    return tmp_path


def told(capsys, *arguments):
    assert main([*map(str, arguments), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def sources(place):
    return list(load(place / "p.ember").sources.values())


def test_info_reads_temperatures(place, capsys):
    found = told(
        capsys, "info", place / "a.fff", "--units", "degC", "--set-object", "emissivity=0.5"
    )
    assert (found["units"], found["meta"]["object"]["emissivity"]) == ("degC", 0.5)


def test_the_project_keeps_how_a_source_is_read(place, capsys):
    told(capsys, "import", place / "p.ember", place / "a.fff", "--units", "K")
    (ref,) = sources(place)
    with open_ref(ref) as source:
        assert source.units == "K"


def test_a_source_that_is_there_is_read_in_another_way_and_not_added_again(place, capsys):
    told(capsys, "import", place / "p.ember", place / "a.fff")
    for again, words in (
        ("degC", "read as degC, emissivity 0.5"),
        ("degC", "already in the project"),
    ):
        said = told(
            capsys,
            "import",
            place / "p.ember",
            place / "a.fff",
            "--units",
            again,
            "--set-object",
            "emissivity=0.5",
        )
        assert words in said["lines"][0]
    told(capsys, "import", place / "p.ember", place / "a.fff", "--set-object", "distance=9")
    (ref,) = sources(place)
    assert ref.options == {"units": "degC", "emissivity": 0.5, "distance": 9.0}


def test_an_object_parameter_that_is_none_is_refused(place, capsys):
    assert main(["info", str(place / "a.fff"), "--set-object", "color=1"]) == 1
    assert "emissivity" in capsys.readouterr().err


@pytest.fixture
def sets(place):
    with h5py.File(place / "a.h5", "w") as file:
        file["big"], file["small"] = np.zeros((5, 40, 60)), np.zeros((3, 40, 60))
    np.savez(place / "a.npz", big=np.zeros((5, 40, 60)), small=np.zeros((3, 40, 60)))
    return place


@pytest.mark.parametrize("name", ["a.h5", "a.npz"])
def test_a_data_set_is_named_behind_the_file_and_kept_in_the_project(sets, capsys, name):
    found = told(capsys, "info", sets / name)
    assert any("::small" in note for note in found["warnings"])
    assert told(capsys, "info", sets / f"{name}::small")["frames"] == 3
    told(capsys, "import", sets / "p.ember", sets / f"{name}::small")
    (ref,) = sources(sets)
    with open_ref(ref) as source:
        assert source.n_frames == 3


def test_a_file_may_have_the_two_colons_in_its_name(place, capsys):
    np.save(place / "a::b.npy", np.zeros((4, 40, 60)))
    assert told(capsys, "info", place / "a::b.npy")["frames"] == 4


def test_the_axis_that_counts_frames_can_be_chosen_as_the_note_says(place, capsys):
    np.save(place / "a.npy", np.zeros((48, 64, 3)))
    assert any("--axis 0" in note for note in told(capsys, "info", place / "a.npy")["warnings"])
    assert told(capsys, "info", place / "a.npy", "--axis", 0)["frames"] == 48
    told(capsys, "import", place / "p.ember", place / "a.npy", "--axis", 2)
    assert [ref.options for ref in sources(place)] == [{"axis": 2}]


def test_what_h5write_wrote_can_be_put_in_order_as_the_note_says(place, capsys):
    with h5py.File(place / "a.h5", "w") as file:
        file["cube"] = np.zeros((20, 64, 48), np.uint16)
    notes = told(capsys, "info", place / "a.h5")["warnings"]
    assert any("--columns-first" in note for note in notes)
    assert told(capsys, "info", place / "a.h5", "--columns-first")["cols"] == 64
    told(capsys, "import", place / "p.ember", place / "a.h5", "--columns-first")
    assert [ref.options for ref in sources(place)] == [{"columns_first": True}]


@pytest.mark.parametrize("inside", [False, True])
def test_the_picture_of_a_radiometric_image_is_named_like_a_data_set(place, capsys, inside):
    folder = place / "day"
    folder.mkdir()
    for name in ("1.jpg", "2.jpg"):
        write_rjpeg(folder / name, COUNTS)
    named = folder if inside else folder / "1.jpg"
    assert told(capsys, "info", named)["rows"] == 6
    assert told(capsys, "info", f"{named}::display")["rows"] == 12


def test_info_tells_camera_and_object_in_its_table(place, capsys):
    assert main(["info", str(place / "a.fff")]) == 0
    out = capsys.readouterr().out
    assert "FLIR T1" in out
    assert "emissivity 0.95" in out


@pytest.mark.parametrize("units", ["counts", "degC"])
def test_a_sequence_whose_first_frame_is_damaged_is_told_and_imported(place, capsys, units):
    first = bytearray(fff(COUNTS))
    first[24:32] = b"\xff" * 8
    (place / "a.seq").write_bytes(bytes(first) + fff(COUNTS) + fff(COUNTS))
    found = told(capsys, "info", place / "a.seq", "--units", units)
    assert (found["frames"], found["range of the first frame"]) == (3, None)
    assert any("byte 0" in note for note in found["warnings"])
    told(capsys, "import", place / "p.ember", place / "a.seq", "--units", units)
    assert [ref.n_frames for ref in sources(place)] == [3]
