"""Color as bands: every reader of color images reads one of red, green and blue alone."""

import json
from pathlib import Path

import av
import h5py
import imagecodecs
import numpy as np
import pytest
from PIL import Image

from emberscope.base.errors import FormatError
from emberscope.frames import open_source

COLORS = np.random.default_rng(0).integers(0, 255, (24, 32, 3), dtype=np.uint8)
GRAY = COLORS[..., 0].copy()


def a_png(folder: Path) -> Path:
    path = folder / "one.png"
    path.write_bytes(imagecodecs.png_encode(COLORS))
    return path


def a_bmp(folder: Path) -> Path:
    Image.fromarray(COLORS).save(folder / "one.bmp")
    return folder / "one.bmp"


def a_folder(folder: Path) -> Path:
    inside = folder / "frames"
    inside.mkdir()
    for k in range(2):
        (inside / f"{k}.png").write_bytes(imagecodecs.png_encode(COLORS))
    return inside


def an_npy(folder: Path) -> Path:
    np.save(folder / "one.npy", np.stack([COLORS, COLORS]))
    return folder / "one.npy"


def an_hdf5(folder: Path) -> Path:
    with h5py.File(folder / "one.h5", "w") as file:
        file["frames"] = np.stack([COLORS, COLORS])
    return folder / "one.h5"


MADE = (a_png, a_bmp, a_folder, an_npy, an_hdf5)


@pytest.mark.parametrize("make", MADE)
def test_a_band_of_color_is_read_as_it_is(make, tmp_path):
    with open_source(make(tmp_path), band=2) as source:
        assert np.array_equal(source.read(0), COLORS[..., 1])


@pytest.mark.parametrize("make", MADE)
def test_a_file_of_color_says_that_it_has_three_bands(make, tmp_path):
    path = make(tmp_path)
    for options in ({}, {"band": 1}):
        with open_source(path, **options) as source:
            assert source.meta()["bands"] == 3


@pytest.mark.parametrize("make", MADE)
def test_a_fourth_band_of_color_is_refused(make, tmp_path):
    with pytest.raises(FormatError, match="no band 4"), open_source(
        make(tmp_path), band=4
    ) as source:
        source.read(0)


def test_a_color_of_a_video_is_read_alone(tmp_path):
    path = tmp_path / "clip.mkv"
    with av.open(str(path), "w") as out:
        stream = out.add_stream("ffv1", rate=10)
        stream.width, stream.height, stream.pix_fmt = 32, 24, "bgr0"
        for _ in range(3):
            out.mux(stream.encode(av.VideoFrame.from_ndarray(COLORS, format="rgb24")))
        out.mux(stream.encode())
    with open_source(path, band=3) as source:
        assert np.array_equal(source.read(1), COLORS[..., 2])


def test_a_gray_image_has_one_band(tmp_path):
    path = tmp_path / "gray.png"
    path.write_bytes(imagecodecs.png_encode(GRAY))
    with open_source(path, band=1) as source:
        assert np.array_equal(source.read(0), GRAY)
    with pytest.raises(FormatError, match="it has 1 band, and no band 2"):
        open_source(path, band=2)


def test_a_gray_image_that_is_read_by_its_band_says_that_it_has_no_others(tmp_path):
    folder = tmp_path / "frames"
    folder.mkdir()
    for path in (tmp_path / "gray.png", folder / "0.png", folder / "1.png"):
        path.write_bytes(imagecodecs.png_encode(GRAY))
    Image.fromarray(GRAY).save(tmp_path / "gray.bmp")
    for name in ("gray.png", "gray.bmp", "frames"):
        with open_source(tmp_path / name, band=1) as source:
            assert source.meta().get("bands", 1) == 1, name


def clear(folder: Path, name: str) -> Path:
    """Arrays of color and opacity."""
    values, path = np.zeros((2, 24, 32, 4), np.uint8), folder / name
    if name.endswith(".npy"):
        np.save(path, values)
    elif name.endswith(".h5"):
        with h5py.File(path, "w") as file:
            file["frames"] = values
    else:
        path.mkdir()
        said = {"zarr_format": 2, "shape": values.shape, "chunks": values.shape, "dtype": "|u1",
                "order": "C", "compressor": None, "fill_value": 0, "filters": None}
        (path / ".zarray").write_text(json.dumps(said))
        (path / "0.0.0.0").write_bytes(values.tobytes())
    return path


@pytest.mark.parametrize("name", ["one.npy", "one.h5", "one.zarr"])
def test_opacity_in_an_array_is_no_band(name, tmp_path):
    with open_source(clear(tmp_path, name)) as source:
        assert source.meta()["bands"] == 3


@pytest.mark.parametrize("name", ["one.npy", "one.h5", "one.zarr"])
def test_a_band_that_an_array_has_not_is_refused_as_it_opens(name, tmp_path):
    path = clear(tmp_path, name)
    with pytest.raises(FormatError, match="it has bands 1 to 3, and no band 4"):
        open_source(path, band=4)
