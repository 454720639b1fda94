"""What a path holds."""

import imagecodecs
import numpy as np
import pytest

from emberscope.base.errors import FormatError
from emberscope.frames import open_source
from emberscope.frames.holdings import SourceAt, apart_in, holdings_of, sources_at

GRAY = np.zeros((12, 16), np.uint8)


def png(path, image=GRAY):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(imagecodecs.png_encode(image))


def names(found, folder):
    return [(str(place.path.relative_to(folder)), *place.options.values()) for place in found]


def test_a_file_is_one_source_whatever_it_is(tmp_path):
    assert sources_at(tmp_path / "none.tif") == [(tmp_path / "none.tif", {})]


def test_images_of_one_size_are_one_source(tmp_path):
    png(tmp_path / "1.png")
    png(tmp_path / "2.png")
    assert names(sources_at(tmp_path), tmp_path) == [(".",)]


def test_images_of_several_sizes_are_a_source_each_and_all_of_them_open(tmp_path):
    for name, image in (("1", GRAY), ("2", GRAY[:6]), ("3", GRAY), ("4", GRAY.astype(np.uint16))):
        png(tmp_path / f"{name}.png", image)
    found = sources_at(tmp_path)
    assert names(found, tmp_path) == [(".", "16x12 uint8"), ("2.png",), ("4.png",)]
    assert sum(open_source(place.path, **place.options).n_frames for place in found) == 4


def test_clips_stacks_and_folders_inside_are_sources_of_their_own(tmp_path):
    np.save(tmp_path / "stack.npy", np.zeros((3, 4, 5), np.uint16))
    (tmp_path / "film.mp4").write_bytes(b"\0\0\0\x18ftypisom")
    png(tmp_path / "run10" / "1.png")
    png(tmp_path / "run2" / "day" / "1.png")
    assert names(sources_at(tmp_path), tmp_path) == [
        ("film.mp4",),
        ("stack.npy",),
        ("run2/day",),
        ("run10",),
    ]


def test_what_is_left_out_is_one_sentence(tmp_path):
    png(tmp_path / "1.png")
    for name in ("a.txt", "inside/b.txt", "inside/deep/c.txt", "inside/deep/d.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("rain")
    notes = []
    sources_at(tmp_path, notes=notes)
    assert notes == [
        "4 files are left out, which no reader knows: a.txt, inside/b.txt, inside/deep/c.txt and 1 "
        "more."
    ]


def test_raw_binary_in_a_folder_is_left_out_by_name(tmp_path):
    png(tmp_path / "1.png")
    for name in ("a.bin", "inside/b.raw"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(bytes(100))
    notes = []
    assert names(sources_at(tmp_path, notes=notes), tmp_path) == [(".",)]
    words = "2 files of raw binary are left out: a.bin, inside/b.raw. "
    assert notes == [words + "Open such a file by itself to say how its frames lie."]


def test_raw_binary_that_is_named_itself_is_a_source(tmp_path):
    assert names(sources_at(tmp_path / "a.bin"), tmp_path) == [("a.bin",)]


def test_a_folder_of_raw_binary_alone_names_it(tmp_path):
    (tmp_path / "a.bin").write_bytes(bytes(100))
    with pytest.raises(
        FormatError, match=r"no frames but raw binary, such as a\.bin\. Open such a file by itself"
    ):
        sources_at(tmp_path)


def test_a_layout_that_is_said_is_one_of_the_raw_binary_of_a_folder_only(tmp_path):
    png(tmp_path / "1.png")
    (tmp_path / "a.bin").write_bytes(bytes(100))
    found = sources_at(SourceAt(tmp_path, {"raw": "10x5,uint8"}))
    assert names(found, tmp_path) == [(".",), ("a.bin", "10x5,uint8")]


def test_a_damaged_image_among_several_sizes_is_named_once(tmp_path):
    png(tmp_path / "1.png")
    png(tmp_path / "2.png", GRAY[:6])
    (tmp_path / "3.png").write_bytes(b"not an image")
    notes = []
    sources_at(tmp_path, notes=notes)
    assert len(notes) == 1
    assert notes[0].startswith("1 file that cannot be read is left out: 3.png: ")


def test_a_folder_that_links_to_itself_ends(tmp_path):
    png(tmp_path / "1.png")
    (tmp_path / "again").symlink_to(tmp_path)
    assert names(sources_at(tmp_path), tmp_path) == [(".",)]


@pytest.mark.parametrize(
    ("name", "what"), [(None, "the folder is empty"), ("a.txt", "it holds no frames")]
)
def test_a_folder_without_frames_says_so(tmp_path, name, what):
    if name:
        (tmp_path / name).write_text("rain")
    with pytest.raises(FormatError, match=what):
        sources_at(tmp_path)


def test_a_folder_whose_images_are_apart_is_known_however_it_is_written(tmp_path):
    apart = apart_in([tmp_path / "night" / ".." / "day"])
    assert apart(tmp_path / "day")
    assert not apart(tmp_path / "night")


def test_masks_of_a_data_set_are_no_frames(tmp_path):
    for folder in ("JPEGImages", "SegmentationClass", "SegmentationObject"):
        png(tmp_path / folder / "1.png")
        png(tmp_path / folder / "2.png")
    (tmp_path / "labelmap.txt").write_text("car:128,0,0::")
    found = holdings_of(tmp_path)
    assert names(found.sources, tmp_path) == [("JPEGImages",)]
    assert [path.parent.name for path in found.others] == ["SegmentationClass"] * 2


def test_masks_that_somebody_points_at_open_as_any_image(tmp_path):
    png(tmp_path / "SegmentationClass" / "1.png")
    assert len(sources_at(tmp_path / "SegmentationClass")) == 1


def test_masks_of_objects_are_truth_where_none_of_classes_lie_beside_them(tmp_path):
    png(tmp_path / "JPEGImages" / "1.png")
    png(tmp_path / "SegmentationObject" / "1.png")
    found = holdings_of(tmp_path)
    assert [path.parent.name for path in found.others] == ["SegmentationObject"]


def test_a_folder_that_is_called_like_masks_and_holds_a_clip_is_looked_through(tmp_path):
    (tmp_path / "segmentation class").mkdir()
    np.save(tmp_path / "segmentation class" / "clip.npy", np.zeros((3, 24, 30), np.uint16))
    assert len(sources_at(tmp_path)) == 1
