"""Masks of Pascal VOC, and of programs that follow it."""

import numpy as np
import pytest
from PIL import Image

from emberscope.base.errors import FormatError
from emberscope.labels.truth import is_truth_folder, read_truth, sniff_truth

from ..test_other_truth import frames

CAR, PERSON, VOID = 7, 15, 255  # as VOC numbers them
GRAY_BLUE, PINK = (128, 128, 128), (192, 128, 128)  # their colors


def mask(*parts, shape=(48, 64)):
    """Numbers at rows and columns: (number, y0, y1, x0, x1)."""
    out = np.zeros(shape, np.uint8)
    for number, y0, y1, x0, x1 in parts:
        out[y0:y1, x0:x1] = number
    return out


def put(path, numbers):
    """Save a mask with a palette, as VOC has it."""
    path.parent.mkdir(exist_ok=True)
    image = Image.fromarray(numbers)
    image.putpalette([k for k in range(256) for _ in range(3)])
    image.save(path)


def boxes(folder, **how):
    found = read_truth(folder, frames("f0.png", "f1.png"), **how)
    return sorted((box.name, *box.box) for box in found)


def test_each_connected_part_of_a_class_is_a_box(tmp_path):
    folder = tmp_path / "SegmentationClass"
    put(folder / "f1.png", mask((CAR, 10, 20, 8, 12), (CAR, 30, 34, 8, 12), (PERSON, 1, 9, 40, 44)))
    assert sniff_truth(folder) == "voc-masks"
    assert boxes(folder) == [
        ("car", 8, 10, 12, 20), ("car", 8, 30, 12, 34), ("person", 40, 1, 44, 9)
    ]  # fmt: skip


def test_objects_that_touch_are_told_apart_by_the_masks_of_objects(tmp_path):
    put(tmp_path / "SegmentationClass" / "f0.png", mask((CAR, 10, 20, 0, 8), (CAR, 10, 20, 8, 16)))
    put(tmp_path / "SegmentationObject" / "f0.png", mask((1, 10, 20, 0, 8), (2, 10, 20, 8, 16)))
    assert boxes(tmp_path / "SegmentationClass") == [("car", 0, 10, 8, 20), ("car", 8, 10, 16, 20)]


def test_the_rim_around_objects_belongs_to_none(tmp_path):
    folder = tmp_path / "SegmentationClass"
    put(folder / "f0.png", mask((VOID, 9, 21, 7, 17), (CAR, 10, 20, 8, 16)))
    assert boxes(folder) == [("car", 8, 10, 16, 20)]


def test_objects_may_be_told_apart_by_colors(tmp_path):
    put(tmp_path / "SegmentationClass" / "f0.png", mask((CAR, 0, 4, 0, 8)))
    image = np.zeros((48, 64, 3), np.uint8)
    image[0:4, 0:4], image[0:4, 4:8] = (0, 0, 255), (9, 9, 9)
    (tmp_path / "SegmentationObject").mkdir()
    Image.fromarray(image).save(tmp_path / "SegmentationObject" / "f0.png")
    assert boxes(tmp_path / "SegmentationClass") == [("car", 0, 0, 4, 4), ("car", 4, 0, 8, 4)]


def test_an_object_in_two_parts_is_one_box(tmp_path):
    put(tmp_path / "SegmentationClass" / "f0.png", mask((CAR, 0, 4, 0, 4), (CAR, 8, 9, 8, 9)))
    put(tmp_path / "SegmentationObject" / "f0.png", mask((3, 0, 4, 0, 4), (3, 8, 9, 8, 9)))
    assert boxes(tmp_path / "SegmentationClass") == [("car", 0, 0, 9, 9)]


def test_colors_are_those_of_the_table_beside_the_masks(tmp_path):
    (tmp_path / "labelmap.txt").write_text(
        "# label:color_rgb:parts:actions\nbackground:0,0,0::\ntank:250,50,83::\n"
    )
    folder = tmp_path / "SegmentationClass"
    folder.mkdir()
    image = np.zeros((48, 64, 3), np.uint8)
    image[3:6, 5:9] = 250, 50, 83
    Image.fromarray(image).save(folder / "f0.png")
    assert boxes(folder) == [("tank", 5, 3, 9, 6)]


def test_a_color_of_no_class_is_named(tmp_path):
    folder = tmp_path / "SegmentationClass"
    folder.mkdir()
    Image.fromarray(np.full((48, 64, 3), 77, np.uint8)).save(folder / "f0.png")
    with pytest.raises(FormatError, match=r"f0\.png.*no class has the color 77,77,77"):
        boxes(folder)


def test_colors_of_the_palette_of_voc_need_no_table(tmp_path):
    folder = tmp_path / "SegmentationClass"
    folder.mkdir()
    image = np.zeros((48, 64, 3), np.uint8)
    image[3:6, 5:9], image[20:24, 5:9] = GRAY_BLUE, PINK
    Image.fromarray(image).save(folder / "f0.png")
    assert boxes(folder) == [("car", 5, 3, 9, 6), ("person", 5, 20, 9, 24)]


def test_names_of_classes_may_stand_line_by_line_beside_the_masks(tmp_path):
    (tmp_path / "class_names.txt").write_text("_background_\ntruck\n")
    put(tmp_path / "SegmentationClass" / "f0.png", mask((1, 0, 4, 0, 4)))
    assert boxes(tmp_path / "SegmentationClass") == [("truck", 0, 0, 4, 4)]


def test_a_damaged_mask_is_left_out_and_named(tmp_path):
    folder = tmp_path / "SegmentationClass"
    put(folder / "f0.png", mask((CAR, 0, 4, 0, 4)))
    (folder / "f1.png").write_bytes((folder / "f0.png").read_bytes()[:60])
    notes = []
    assert boxes(folder, notes=notes) == [("car", 0, 0, 4, 4)]
    assert any("f1.png is left out" in note for note in notes)


def test_masks_of_objects_alone_are_targets_without_a_class(tmp_path):
    put(tmp_path / "SegmentationObject" / "f0.png", mask((1, 0, 4, 0, 4), (2, 0, 4, 4, 8)))
    found = boxes(tmp_path / "SegmentationObject")
    assert found == [("Target", 0, 0, 4, 4), ("Target", 4, 0, 8, 4)]


def test_masks_of_objects_beside_those_of_classes_are_no_truth_by_themselves(tmp_path):
    put(tmp_path / "SegmentationClass" / "f0.png", mask())
    put(tmp_path / "SegmentationObject" / "f0.png", mask())
    assert [is_truth_folder(tmp_path / name) for name in ("SegmentationClass",
            "SegmentationObject")] == [True, False]  # fmt: skip


def test_a_mask_that_no_mask_of_objects_goes_with_is_cut_into_connected_parts_and_says_so(tmp_path):
    put(tmp_path / "SegmentationClass" / "f0.png", mask((CAR, 10, 20, 0, 8)))
    put(tmp_path / "SegmentationObject" / "other.png", mask((1, 10, 20, 0, 8)))
    notes = []
    assert boxes(tmp_path / "SegmentationClass", notes=notes) == [("car", 0, 10, 8, 20)]
    assert any("objects that touch are one" in note for note in notes)


def test_colors_of_objects_alone_are_not_looked_for_among_those_of_classes(tmp_path):
    (tmp_path / "labelmap.txt").write_text("background:0,0,0::\ncar:64,64,0::\n")
    image = np.zeros((48, 64, 3), np.uint8)
    image[10:20, :8], image[10:20, 8:16] = (128, 0, 0), (0, 128, 7)
    (tmp_path / "SegmentationObject").mkdir()
    Image.fromarray(image).save(tmp_path / "SegmentationObject" / "f0.png")
    found = boxes(tmp_path / "SegmentationObject")
    assert found == [("Target", 0, 10, 8, 20), ("Target", 8, 10, 16, 20)]
