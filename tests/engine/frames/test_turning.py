"""Frames that are stored turned are shown upright."""

import io
from types import SimpleNamespace

import av
import msgspec
import numpy as np
import pytest
from PIL import Image, ImageOps

from emberscope.frames.readers import video
from emberscope.frames.registry import open_source
from emberscope.frames.turning import (
    exif_turn,
    jpeg_turn,
    matrix_turn,
    png_turn,
    turned_box,
    upright,
)
from emberscope.project import Project
from emberscope.project.exchange.sources import add_source, describe, open_ref, relocate

ALL = range(1, 9)
UNIT = 65536


def stored():
    image = np.full((6, 9), 20, np.uint8)
    image[1:3, 2:7], image[0, 0] = 90, 50
    return image


def saved(path, turn, image=None):
    exif = Image.Exif()
    exif[0x0112] = turn
    Image.fromarray(stored() if image is None else image).save(path, exif=exif)
    return path


@pytest.mark.parametrize("turn", ALL)
def test_an_image_is_turned_as_viewers_turn_it(tmp_path, turn):
    with Image.open(saved(tmp_path / "a.png", turn)) as image:
        np.testing.assert_array_equal(
            upright(stored(), turn), np.asarray(ImageOps.exif_transpose(image))
        )


@pytest.mark.parametrize("turn", ALL)
def test_a_box_is_turned_like_its_image(turn):
    x0, y0, x1, y1 = turned_box((2, 1, 7, 3), (9, 6), turn)
    shown = upright(stored(), turn)
    assert (shown[y0:y1, x0:x1] == 90).all()
    assert (x1 - x0) * (y1 - y0) == 10


@pytest.mark.parametrize("suffix", ["png", "jpg", "tif", "webp"])
@pytest.mark.parametrize("turn", [1, 3, 6])
def test_a_reader_shows_the_frame_upright_and_says_so(tmp_path, suffix, turn):
    image = np.kron(stored(), np.ones((8, 8), np.uint8))
    with open_source(saved(tmp_path / f"a.{suffix}", turn, image)) as source:
        wanted = upright(image, turn)
        assert source.shape == wanted.shape
        assert np.abs(source.read(0).astype(int) - wanted).mean() < 4
        said = [words for words in source.meta()["warnings"] if "stored turned" in words]
        assert bool(said) == (turn > 1) == ("turned" in source.frame_meta(0))


def test_a_folder_shows_each_of_its_images_upright(tmp_path):
    saved(tmp_path / "1.png", 6)
    Image.fromarray(np.rot90(stored(), -1).copy()).save(tmp_path / "2.png")
    with open_source(tmp_path) as source:
        assert (source.n_frames, source.shape) == (2, (9, 6))
        np.testing.assert_array_equal(source.read(0), source.read(1))
        assert [source.frame_meta(k).get("turned") for k in (0, 1)] == [6, None]
        assert "1 of its images is stored turned" in source.meta()["warnings"][0]


def test_the_matrix_of_a_frame_is_found_whatever_its_side_data_list():
    half = np.array([-UNIT, 0, 0, 0, -UNIT, 0, 0, 0, 1 << 30], "=i4").tobytes()
    by_name = {"SEI_UNREGISTERED": b"x264", "DISPLAYMATRIX": half}  # as new releases of PyAV
    assert video._turn(SimpleNamespace(side_data=by_name)) == 3
    assert video._turn(SimpleNamespace(side_data={})) == 1


@pytest.mark.parametrize(
    "matrix", [(1, 0, 0, 1), (0, 1, -1, 0), (-1, 0, 0, -1), (0, -1, 1, 0), (-1, 0, 0, 1)]
)
def test_a_video_is_shown_as_its_display_matrix_says(tmp_path, matrix):
    image = np.full((48, 64), 40, np.uint8)
    image[5:15, 40:60] = 200
    path = tmp_path / "v.mp4"
    with av.open(str(path), "w") as out:
        stream = out.add_stream("libx264", rate=10)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        for _ in range(2):
            out.mux(
                stream.encode(
                    av.VideoFrame.from_ndarray(image, format="gray").reformat(format="yuv420p")
                )
            )
        out.mux(stream.encode())
    a, b, c, d = (value * UNIT for value in matrix)
    data = bytearray(path.read_bytes())
    at = data.find(b"tkhd") + 44
    data[at : at + 36] = np.array([a, b, 0, c, d, 0, 0, 0, 1 << 30], ">i4").tobytes()
    path.write_bytes(data)
    turn = matrix_turn(np.array([a, b, 0, c, d, 0, 0, 0, 1 << 30], "=i4").tobytes())
    with open_source(path) as source:
        wanted = upright(image, turn)
        assert source.shape == wanted.shape
        np.testing.assert_allclose(source.read(1), wanted, atol=30)


@pytest.mark.parametrize(
    "data", [b"", b"II*\0", b"II*\0\xff\xff\xff\xff", b"MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03"]
)
def test_damaged_exif_data_turn_nothing(data):
    assert exif_turn(data) == 1


@pytest.mark.parametrize(
    "data", [b"", b"\xff\xd8", b"\xff\xd8\xff\xe1\xff\xff" + b"Exif\0\0" + b"\xff" * 9]
)
def test_a_damaged_jpeg_or_png_turns_nothing(data):
    assert jpeg_turn(data) == png_turn(io.BytesIO(data)) == 1


def test_a_source_of_a_project_of_before_keeps_the_frames_its_labels_were_drawn_on(tmp_path):
    project = Project()
    project.apply(add_source(project, saved(tmp_path / "a.png", 6)))
    (new,) = project.sources.values()
    assert (new.rows, new.cols, new.options) == (9, 6, {"upright": True})
    old = describe(tmp_path / "a.png", options={"upright": False})
    assert (old.rows, old.cols) == (6, 9)
    old = msgspec.structs.replace(old, id=new.id, options={})  # as it was kept
    project.sources[new.id] = old
    with open_ref(old) as source:
        np.testing.assert_array_equal(source.read(0), stored())
    (again,) = relocate(project, new.id, tmp_path / "a.png").after
    assert (again.rows, again.cols, again.options) == (6, 9, {"upright": False})
