"""Tables of chunks of HDF5 files: what cannot be is refused, in however many parts it is looked
at."""

from typing import NamedTuple

import h5py
import numpy as np
import pytest

from emberscope.base.errors import FormatError
from emberscope.frames.readers import hdf5
from emberscope.frames.readers.hdf5 import _ChunkTable
from emberscope.frames.registry import open_source

FILE = 10_000  # bytes


class Info(NamedTuple):
    """What HDF5 says of a chunk of the data set below: 16 bytes where it is not packed."""

    chunk_offset: tuple[int, int, int]
    filter_mask: int = 0
    byte_offset: int | None = 100
    size: int = 16


@pytest.fixture
def path(tmp_path):
    with h5py.File(tmp_path / "clip.h5", "w") as file:
        file.create_dataset(
            "frames", data=np.arange(50 * 16, dtype=np.uint8).reshape(50, 4, 4), chunks=(1, 4, 4)
        )
        file.create_dataset(
            "packed", data=np.zeros((50, 4, 4), np.uint8), chunks=(1, 4, 4), compression="gzip"
        )
    return tmp_path / "clip.h5"


@pytest.fixture
def table(path):
    with h5py.File(path) as file:
        yield _ChunkTable(file["frames"])


@pytest.mark.parametrize("at_once", [1, 7, 50, 4096])
def test_a_table_may_be_looked_at_in_parts(path, monkeypatch, at_once):
    monkeypatch.setattr(hdf5, "_AT_ONCE", at_once)
    with open_source(path) as source:
        assert source.read(49)[0, 0] == 49 * 16 % 256


@pytest.mark.parametrize("at_once", [1, 7])
def test_a_chunk_that_cannot_be_is_refused_in_whichever_part_it_comes(path, monkeypatch, at_once):
    monkeypatch.setattr(hdf5, "_AT_ONCE", at_once)
    seen, fits = [], _ChunkTable.fits
    monkeypatch.setattr(_ChunkTable, "fits", lambda table, infos, size: (
        seen.extend(infos), fits(table, infos, size) and len(seen) < 40)[1])
    with pytest.raises(FormatError, match="the table of chunks of /frames is damaged"):
        open_source(path)
    assert len(seen) < 50


@pytest.mark.parametrize(
    "wrong",
    [
        Info((2, 0, 1)),
        Info((50, 0, 0)),
        Info((2**63, 0, 0)),
        Info((1, 0, 0)),
        Info((0, 0, 0)),
        Info((2, 0, 0), byte_offset=None),
        Info((2, 0, 0), byte_offset=FILE - 15),
        Info((2, 0, 0), byte_offset=2**63),
        Info((2, 0, 0), size=15),
        Info((2, 0, 0), size=2**40),
    ],
    ids=str,
)
def test_what_cannot_be_of_a_chunk(table, wrong):
    assert table.fits([Info((0, 0, 0)), Info((1, 0, 0))], FILE)
    assert not table.fits([wrong], FILE)


def test_packed_chunks_may_be_short_but_not_empty(path):
    with h5py.File(path) as file:
        packed = _ChunkTable(file["packed"])
        assert packed.fits([Info((0, 0, 0), size=1)], FILE)
        assert not packed.fits([Info((1, 0, 0), filter_mask=1, size=1)], FILE)
        assert not packed.fits([Info((2, 0, 0), size=0)], FILE)


def test_the_name_of_a_data_set_that_is_no_text_is_escaped(tmp_path):
    with h5py.File(tmp_path / "clip.h5", "w") as file:
        file.create_dataset(b"f\xff", data=np.zeros((2, 3, 4), np.uint8))
    with open_source(tmp_path / "clip.h5") as source:
        assert source.meta()["dataset"] == "f\\xff"


def packed_by_blosc(folder, mask):
    """A file with one chunk packed by a filter that HDF5 may leave out, which h5py does not bring
    along."""
    with h5py.File(folder / "blosc.h5", "w") as file:
        packing = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        packing.set_chunk((1, 4, 4))
        packing.set_filter(32001, h5py.h5z.FLAG_OPTIONAL)
        space = h5py.h5s.create_simple((1, 4, 4))
        made = h5py.h5d.create(file.id, b"frames", h5py.h5t.STD_U8LE, space, packing)
        made.write_direct_chunk((0, 0, 0), bytes(16), filter_mask=mask)
    return folder / "blosc.h5"


def test_a_filter_that_is_missing_is_named_with_the_way_out(tmp_path):
    with pytest.raises(
        FormatError,
        match=r"HDF5 filter 32001.* which this installation does not have\. Install .* hdf5plugin",
    ) as raised:
        open_source(packed_by_blosc(tmp_path, 0))
    assert "h5repack" in str(raised.value)


def test_a_missing_filter_that_was_not_used_does_not_matter(tmp_path):
    with open_source(packed_by_blosc(tmp_path, 1)) as source:
        assert not source.read(0).any()


HOLES = np.full((3, 4, 6), 40, np.uint16)
HOLES[1, 2, 3:] = 7


@pytest.mark.parametrize("attribute", ["_FillValue", "missing_value", "fillvalue"])
@pytest.mark.parametrize("dtype", ["u1", "u2", "i4", ">f4"])
def test_pixels_that_an_attribute_marks_as_no_data_are_nan(tmp_path, attribute, dtype):
    with h5py.File(tmp_path / "clip.h5", "w") as file:
        file["frames"] = HOLES.astype(dtype)
        file["frames"].attrs[attribute] = np.array([7], dtype)
    with open_source(tmp_path / "clip.h5") as source:
        np.testing.assert_array_equal(np.isnan(source.read_many(0, 3)), HOLES == 7)
        assert any(
            'as "no data": such pixels are read as NaN' in said
            for said in source.meta()["warnings"]
        )


@pytest.mark.parametrize(("fill", "blank"), [(7, True), (0, False)])
def test_pixels_that_were_never_written_are_nan_where_their_value_is_not_0(tmp_path, fill, blank):
    with h5py.File(tmp_path / "clip.h5", "w") as file:
        file.create_dataset("frames", (3, 4, 6), "u2", chunks=(1, 4, 6), fillvalue=fill)[0] = 40
    with open_source(tmp_path / "clip.h5") as source:
        assert np.isnan(source.read(2)).all() == blank
        assert (source.read(0) == 40).all()


@pytest.fixture
def one_per_frame(tmp_path):
    with h5py.File(tmp_path / "a.h5", "w") as file:
        for k in (0, 1, 2, 10, 9):
            file[f"clip/frame_{k}"] = np.full((4, 5), k, np.uint16)
        file["flat"] = np.zeros((4, 5), np.uint16)
    return tmp_path / "a.h5"


def test_data_sets_that_are_numbered_are_frames_in_the_order_of_numbers(one_per_frame):
    with open_source(one_per_frame) as source:
        assert source.read_many(0, 5)[:, 0, 0].tolist() == [0, 1, 2, 9, 10]
        assert source.frame_meta(3) == {"name": "clip/frame_9"}
        assert "flat" in source.warnings[0]


def test_one_of_them_can_be_chosen_and_so_can_all(one_per_frame):
    with open_source(one_per_frame, dataset="clip/frame_9") as source:
        assert (source.n_frames, int(source.read(0)[0, 0])) == (1, 9)
    with open_source(one_per_frame, dataset="clip/frame_*") as source:
        assert source.n_frames == 5


def test_beside_a_clip_numbered_images_are_no_frames(one_per_frame):
    with h5py.File(one_per_frame, "a") as file:
        file["movie"] = np.zeros((7, 4, 5), np.uint16)
    with open_source(one_per_frame) as source:
        assert (source.n_frames, source.meta()["dataset"]) == (7, "movie")
