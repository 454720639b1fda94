"""Folders of radiometric images: their counts, temperatures and pictures."""

import msgspec
import numpy as np
import pytest

from emberscope.base.errors import FormatError
from emberscope.frames import open_source
from emberscope.project.exchange.sources import describe, has_changed, open_ref

from ...flir_files import fff, write_rjpeg

COUNTS = (14000 + 40 * np.arange(6 * 8).reshape(6, 8)).astype(np.uint16)


@pytest.fixture
def images(tmp_path):
    folder = tmp_path / "day"
    folder.mkdir()
    write_rjpeg(folder / "a1.jpg", COUNTS, emissivity=0.95)
    write_rjpeg(folder / "a2.jpg", COUNTS + 9, emissivity=0.5)
    return folder


def test_the_frames_are_counts(images):
    with open_source(images) as source:
        np.testing.assert_array_equal(source.read(1), COUNTS + 9)
        assert source.meta()["camera"] == {"model": "FLIR T1"}


def test_each_image_has_temperatures_by_its_own_parameters(images):
    with (
        open_source(images, units="degC") as folder,
        open_source(images / "a2.jpg", units="degC") as alone,
    ):
        assert (folder.units, folder.dtype) == ("degC", np.float32)
        np.testing.assert_array_equal(folder.read(1), alone.read(0))


def test_images_without_a_calibration_have_no_temperatures(images):
    with pytest.raises(FormatError, match="does not say how its counts"):
        open_source(images, units="degC", dataset="display")


def test_frames_of_several_fff_files_are_one_source(tmp_path):
    for k in range(3):
        (tmp_path / f"frame_{k}.fff").write_bytes(fff(COUNTS + k))
    with open_source(tmp_path, units="K") as source:
        assert (source.format, source.n_frames, source.units) == ("folder", 3, "K")


@pytest.mark.parametrize("one", [True, False])
def test_what_was_labeled_on_pictures_stays_on_pictures(images, one):
    place = images / "a1.jpg" if one else images
    before = {"format": "jpeg" if one else "folder", "options": {}, "rows": 12, "cols": 16}
    old = msgspec.structs.replace(describe(place, options={"dataset": "display"}), **before)
    with open_ref(old) as source:
        assert source.shape == (12, 16)
    assert not has_changed(old)


@pytest.mark.parametrize("one", [True, False])
def test_what_is_added_now_reads_counts_when_it_is_opened_again(images, one):
    with open_ref(describe(images / "a1.jpg" if one else images)) as source:
        assert source.shape == (6, 8)
