"""FLIR radiometric JPEG."""

import imagecodecs
import numpy as np
import pytest
import tifffile

from emberscope.base.errors import FormatError
from emberscope.frames import open_source

from ...flir_files import fff, with_flir, write_rjpeg

COUNTS = (14000 + 40 * np.arange(6 * 8).reshape(6, 8)).astype(np.uint16)
PICTURE = np.full((24, 32), 90, np.uint8)


@pytest.mark.parametrize("raw_order", "<>")
@pytest.mark.parametrize("coding", ["plain", "png"])
def test_its_counts_are_read_from_many_segments(tmp_path, raw_order, coding):
    path = write_rjpeg(tmp_path / "a.jpg", COUNTS, raw_order=raw_order, coding=coding)
    with open_source(path) as source:
        np.testing.assert_array_equal(source.read(0), COUNTS)
        assert (source.units, source.warnings) == ("counts", [])


def test_the_picture_beside_the_counts_can_be_chosen(tmp_path):
    path = write_rjpeg(tmp_path / "a.jpg", COUNTS, PICTURE)
    with open_source(path) as source:
        assert source.meta()["other_datasets"] == ["display"]
    with open_source(path, dataset="display") as source:
        assert (source.shape, source.units) == ((24, 32), "display8")


def test_an_image_that_it_does_not_have_is_refused_with_those_it_has(tmp_path):
    with pytest.raises(FormatError, match="raw, display"):
        open_source(write_rjpeg(tmp_path / "a.jpg", COUNTS), dataset="visible")


def test_a_segment_that_is_missing_is_said(tmp_path):
    data = with_flir(imagecodecs.jpeg_encode(PICTURE), fff(COUNTS), 400)
    last = data.rfind(b"\xff\xe1")
    cut = data[:last] + data[last + 2 + int.from_bytes(data[last + 2 : last + 4], "big") :]
    (tmp_path / "a.jpg").write_bytes(cut)
    with pytest.raises(FormatError, match="::display"):
        open_source(tmp_path / "a.jpg")
    with open_source(tmp_path / "a.jpg", dataset="display") as source:
        assert source.shape == (24, 32)


def test_a_flir_part_without_counts_leaves_the_picture_and_says_so(tmp_path):
    (tmp_path / "a.jpg").write_bytes(with_flir(imagecodecs.jpeg_encode(PICTURE), b"zz" * 40))
    with open_source(tmp_path / "a.jpg") as source:
        assert source.shape == (24, 32)
        assert "no raw counts" in source.warnings[0]


def test_bytes_in_the_wrong_order_are_put_right(tmp_path):
    smooth = (14000 + 37 * np.add.outer(np.arange(40), np.arange(50))).astype(np.uint16)
    with open_source(write_rjpeg(tmp_path / "a.jpg", smooth.byteswap())) as source:
        np.testing.assert_array_equal(source.read(0), smooth)
        assert "put right" in source.warnings[0]


@pytest.mark.parametrize("units", ["degC", "K"])
def test_temperatures_agree_with_the_references(shared_data, units):
    place = shared_data / "ir/radiometric/flir_e40bx_test_image"
    reference = tifffile.imread(f"{place}.temp.tif") + (273.15 if units == "K" else 0)
    with open_source(f"{place}.jpg", units=units) as source:
        np.testing.assert_allclose(source.read(0), reference, atol=0.1)
    with open_source(f"{place}.jpg") as source:
        np.testing.assert_array_equal(source.read(0), tifffile.imread(f"{place}.raw.png"))


@pytest.mark.parametrize(
    ("name", "size", "warm"),
    [
        ("03_Thermal_image_of_four_ducks_swimming", (120, 120), 23.2),
        ("11_IR_moving_car", (240, 320), 15.0),
        ("14_Kujawy_wiatrak", (240, 320), 2.5),
        ("flir_sc660_IR_2412", (480, 640), 35.2),
        ("flirone_flir_example", (320, 240), 62.2),
    ],
)
def test_real_images_have_temperatures_that_can_be(shared_data, name, size, warm):
    with open_source(shared_data / f"ir/radiometric/{name}.jpg", units="degC") as source:
        assert source.shape == size
        assert source.read(0).max() == pytest.approx(warm, abs=0.1)
