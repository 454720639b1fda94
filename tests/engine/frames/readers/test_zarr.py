"""Arrays of Zarr."""

import json
import zlib

import imagecodecs
import numpy as np
import pytest

from emberscope.base.errors import FormatError
from emberscope.frames import open_source
from emberscope.frames.holdings import sources_at
from emberscope.project.exchange.sources import describe, has_changed

FRAMES = np.arange(5 * 24 * 30, dtype=np.uint16).reshape(5, 24, 30)
PACK = {
    None: bytes,
    "zlib": zlib.compress,
    "gzip": imagecodecs.gzip_encode,
    "zstd": imagecodecs.zstd_encode,
    "blosc": lambda data: imagecodecs.blosc_encode(data, typesize=2),
    "lz4": lambda data: len(data).to_bytes(4, "little") + imagecodecs.lz4_encode(data),
}


def chunks_of(frames, chunks, order="C"):
    """(place, bytes) of each chunk; those at the edges are filled up."""
    grid = [-(-side // part) for side, part in zip(frames.shape, chunks, strict=True)]
    full = np.zeros([n * part for n, part in zip(grid, chunks, strict=True)], frames.dtype)
    full[tuple(slice(side) for side in frames.shape)] = frames
    for place in np.ndindex(*grid):
        part = full[tuple(slice(at * n, (at + 1) * n) for at, n in zip(place, chunks, strict=True))]
        yield place, part.tobytes(order)


def second(
    folder, frames=FRAMES, *, chunks=(2, 10, 16), packed=None, order="C", dtype="<u2", separator="."
):
    """An array of version 2."""
    folder.mkdir(parents=True)
    said = {
        "zarr_format": 2,
        "shape": frames.shape,
        "chunks": chunks,
        "dtype": dtype,
        "order": order,
        "compressor": {"id": packed} if packed else None,
        "fill_value": 7,
        "filters": None,
        "dimension_separator": separator,
    }
    (folder / ".zarray").write_text(json.dumps(said))
    for place, data in chunks_of(frames.astype(dtype), chunks, order):
        path = folder / separator.join(map(str, place))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(PACK[packed](data))
    return folder


def third(folder, frames=FRAMES, *, chunks=(2, 10, 16), packed="zstd"):
    """An array of version 3."""
    folder.mkdir(parents=True)
    codecs = [
        {"name": "bytes", "configuration": {"endian": "little"}},
        *([{"name": packed}] if packed else []),
    ]
    said = {
        "zarr_format": 3,
        "node_type": "array",
        "shape": frames.shape,
        "data_type": "uint16",
        "fill_value": 7,
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": chunks}},
        "codecs": codecs,
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
    }
    (folder / "zarr.json").write_text(json.dumps(said))
    for place, data in chunks_of(frames, chunks):
        path = folder.joinpath("c", *map(str, place))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(PACK[packed](data))
    return folder


@pytest.mark.parametrize("how", [
    *({"packed": packed} for packed in PACK), {"order": "F"}, {"dtype": ">u2"}, {"separator": "/"},
    {"chunks": (5, 24, 30)}, {"chunks": (1, 24, 30)},
])
def test_frames_of_version_2_come_back(tmp_path, how):
    with open_source(second(tmp_path / "a.zarr", **how)) as source:
        np.testing.assert_array_equal(source.read_many(0, 5), FRAMES)


@pytest.mark.parametrize("packed", [None, "zstd", "gzip", "blosc"])
def test_frames_of_version_3_come_back(tmp_path, packed):
    with open_source(third(tmp_path / "a.zarr", packed=packed)) as source:
        np.testing.assert_array_equal(source.read_many(0, 5), FRAMES)


def test_a_chunk_that_was_never_written_has_the_value_that_it_says(tmp_path):
    folder = second(tmp_path / "a.zarr")
    (folder / "0.0.0").unlink()
    with open_source(folder) as source:
        assert (source.read(0)[:10, :16] == 7).all()


def test_a_frame_of_nothing_that_would_fill_the_memory_is_not_believed(tmp_path):
    folder = second(tmp_path / "a.zarr")
    about = (folder / ".zarray").read_text().replace("[5, 24, 30]", "[1, 60000, 15000]")
    (folder / ".zarray").write_text(about.replace("[2, 10, 16]", "[1, 60000, 15000]"))
    with pytest.raises(FormatError, match="is not believed"):
        open_source(folder)


def test_of_a_group_the_largest_array_is_read_and_the_others_are_named(tmp_path):
    second(tmp_path / "g.zarr/big")
    second(tmp_path / "g.zarr/small", FRAMES[:2])
    (tmp_path / "g.zarr/.zgroup").write_text('{"zarr_format": 2}')
    with open_source(tmp_path / "g.zarr") as source:
        assert source.warnings == [
            "big is read; it also holds small. Add ::small to its name to read another."
        ]
    (place,) = sources_at(f"{tmp_path}/g.zarr::small")
    with open_source(place.path, **place.options) as source:
        assert source.n_frames == 2


def test_beside_other_files_of_a_folder_it_is_one_source(tmp_path):
    second(tmp_path / "a.zarr")
    np.save(tmp_path / "b.npy", FRAMES)
    assert sorted(place.path.name for place in sources_at(tmp_path)) == ["a.zarr", "b.npy"]


def test_a_chunk_that_changes_is_noticed(tmp_path):
    ref = describe(second(tmp_path / "a.zarr"))
    assert not has_changed(ref)
    (tmp_path / "a.zarr/0.0.0").write_bytes(b"other")
    assert has_changed(ref)


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ('"filters": null', '"filters": [{"id": "delta"}]', "filters"),
        ('"<u2"', '"|O"', "not plain numbers"),
        ("[2, 10, 16]", "[2, 10]", "do not fit"),
        ("[5, 24, 30]", "[5, 24, 99999]", "impossible"),
        ('"compressor": null', '"compressor": {"id": "own"}', "packed by own"),
        ("{", "", "damaged"),
    ],
)
def test_what_cannot_be_read_says_why(tmp_path, old, new, what):
    about = second(tmp_path / "a.zarr") / ".zarray"
    about.write_text(about.read_text().replace(old, new, 1))
    with pytest.raises(FormatError, match=what):
        open_source(tmp_path / "a.zarr")


@pytest.mark.parametrize("packed", [None, "zlib", "blosc", "zstd"])
def test_a_damaged_chunk_is_one_error_that_names_it(tmp_path, packed):
    folder = second(tmp_path / "a.zarr", packed=packed)
    (folder / "0.0.0").write_bytes((folder / "0.0.0").read_bytes()[:-9])
    with open_source(folder) as source:
        with pytest.raises(FormatError, match=r"0\.0\.0"):
            source.read(0)
        np.testing.assert_array_equal(source.read(2), FRAMES[2])
