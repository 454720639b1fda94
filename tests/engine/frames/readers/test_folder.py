import imagecodecs
import numpy as np
import pytest
import tifffile
from PIL import Image

from emberscope.base.errors import FormatError
from emberscope.frames import open_source
from emberscope.frames.readers.folder import natural_key

GRAY = (np.arange(12 * 16).reshape(12, 16) % 256).astype(np.uint8)


def png(path, image):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(imagecodecs.png_encode(image))


def test_frames_are_in_natural_order_and_know_their_file(tmp_path):
    for number in (10, 2, 1):
        png(tmp_path / f"frame_{number}.png", GRAY + np.uint8(number))
    with open_source(tmp_path) as source:
        names = [source.frame_meta(i)["name"] for i in range(3)]
        assert names == source.names() == ["frame_1.png", "frame_2.png", "frame_10.png"]
        np.testing.assert_array_equal(source.read(2), GRAY + np.uint8(10))


def test_natural_order_counts_numbers_and_ignores_case():
    names = ["b2", "B10", "a", "b1", "10", "9"]
    assert sorted(names, key=natural_key) == ["9", "10", "a", "b1", "b2", "B10"]


def test_png_jpeg_tiff_and_npy_may_be_mixed(tmp_path):
    png(tmp_path / "1.png", GRAY)
    (tmp_path / "2.jpg").write_bytes(imagecodecs.jpeg_encode(np.full_like(GRAY, 80)))
    tifffile.imwrite(tmp_path / "3.tif", GRAY + np.uint8(1), photometric="minisblack")
    np.save(tmp_path / "4.npy", GRAY + np.uint8(2))
    with open_source(tmp_path) as source:
        assert [int(source.read(i)[0, 0]) for i in range(4)] == [0, 80, 1, 2]


def test_hidden_files_and_other_files_are_passed_over(tmp_path):
    png(tmp_path / "1.png", GRAY)
    (tmp_path / "._1.png").write_bytes(b"resource fork")
    (tmp_path / "notes.txt").write_text("rain")
    with open_source(tmp_path) as source:
        assert source.n_frames == 1


@pytest.mark.parametrize("odd", [GRAY[:6], GRAY.astype(np.uint16)])
def test_a_frame_of_another_size_or_type_is_named(tmp_path, odd):
    png(tmp_path / "1.png", GRAY)
    png(tmp_path / "2.png", odd)
    with pytest.raises(
        FormatError, match=r"2\.png has 16 x .* but 1\.png has 16 x 12 pixels of uint8"
    ):
        open_source(tmp_path)


def test_one_size_can_be_taken_out_of_a_folder_of_several(tmp_path):
    for name, image in (("1", GRAY), ("2", GRAY[:6]), ("3", GRAY)):
        png(tmp_path / f"{name}.png", image)
    with open_source(tmp_path, size="16x12 uint8") as source:
        assert source.names() == ["1.png", "3.png"]
    with pytest.raises(
        FormatError, match=r"no image of 9x9 uint8\. It has 16x12 uint8, 16x6 uint8"
    ):
        open_source(tmp_path, size="9x9 uint8")


def test_one_tiff_among_bitmaps_is_a_frame_among_frames(tmp_path):
    tifffile.imwrite(tmp_path / "0.tif", GRAY, photometric="minisblack")
    for number in range(1, 18):
        Image.fromarray(GRAY + np.uint8(number)).save(tmp_path / f"{number}.bmp")
    with open_source(tmp_path) as source:
        assert [int(source.read(i)[0, 0]) for i in range(source.n_frames)] == list(range(18))


def test_a_file_of_several_frames_is_no_frame_of_the_folder(tmp_path):
    tifffile.imwrite(tmp_path / "1.tif", np.stack([GRAY, GRAY]), photometric="minisblack")
    with pytest.raises(
        FormatError, match=r"the folder holds clips, not single images\. Open 1\.tif"
    ):
        open_source(tmp_path)
    png(tmp_path / "2.png", GRAY)
    with open_source(tmp_path) as source:
        assert source.names() == ["2.png"]


def test_a_damaged_file_is_left_out_and_named(tmp_path):
    png(tmp_path / "1.png", GRAY)
    (tmp_path / "2.png").write_bytes(b"not an image")
    with open_source(tmp_path) as source:
        assert source.names() == ["1.png"]
        (warning,) = source.meta()["warnings"]
    assert warning.startswith("1 file that cannot be read is left out: 2.png")


def test_a_folder_of_nothing_but_a_damaged_file_names_it(tmp_path):
    (tmp_path / "2.png").write_bytes(b"not an image")
    with pytest.raises(FormatError, match=r"2\.png"):
        open_source(tmp_path)


def test_an_empty_folder_says_so(tmp_path):
    with pytest.raises(FormatError, match="the folder is empty"):
        open_source(tmp_path)


def test_a_folder_of_folders_names_the_one_to_open(tmp_path):
    png(tmp_path / "run1" / "1.png", GRAY)
    with pytest.raises(FormatError, match=r"the folder holds no image\. Open its folder run1"):
        open_source(tmp_path)


def test_a_file_that_changes_size_after_opening_is_named(tmp_path):
    png(tmp_path / "1.png", GRAY)
    png(tmp_path / "2.png", GRAY)
    with open_source(tmp_path) as source:
        png(tmp_path / "2.png", GRAY[:6])
        with pytest.raises(FormatError, match=r"2\.png: it has changed"):
            source.read(1)


def test_a_file_that_vanishes_after_opening_is_one_message(tmp_path):
    png(tmp_path / "1.png", GRAY)
    with open_source(tmp_path) as source:
        (tmp_path / "1.png").unlink()
        with pytest.raises(FormatError, match=r"1\.png: there is no such file"):
            source.read(0)
