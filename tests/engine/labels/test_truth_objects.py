"""Every object of a truth is a box on the frame it is about, or it is counted with the reason."""

from types import SimpleNamespace

import numpy as np
import pytest
from PIL import Image

from emberscope.frames.registry import open_source
from emberscope.labels.truth import read_truth
from emberscope.labels.truth_objects import Objects, said_yes

HOT = 200


def source(*, cols=64, rows=48, n_frames=3, turned=1):
    return SimpleNamespace(
        shape=(rows, cols), n_frames=n_frames, frame_meta=lambda i: {"turned": turned}
    )


def taken(box, *, size=None, frame=0, **frames):
    """Corners on the frame, None where it was left out; and the sentences about it."""
    objects, notes = Objects(source(**frames)), []
    objects.there = 1
    objects.take(frame, box, "Car", size=size)
    found = objects.finish(notes)
    return found[0].box if found else None, notes


def test_a_box_of_a_larger_picture_is_scaled_and_said():
    box, notes = taken((20, 20, 40, 40), size=(128, 96))
    assert (box, notes) == (
        (10, 10, 20, 20),
        ["1 box was drawn at 128 x 96 px and scaled to 64 x 48 px."],
    )


def test_a_box_of_a_picture_of_another_shape_is_left_out_and_counted():
    box, notes = taken((20, 20, 40, 40), size=(100, 100))
    assert box is None
    assert (
        notes[0] == "1 box drawn on images of 100 x 100 px, where frames have 64 x 48 px, left out."
    )


def test_sizes_that_were_rounded_to_whole_pixels_are_still_of_one_shape():
    assert taken((0, 0, 101, 67), size=(101, 67), cols=51, rows=34)[0] == pytest.approx(
        (0, 0, 51, 34)
    )


def test_without_a_size_a_box_is_on_the_frame_as_it_is_shown():
    assert taken((1, 2, 3, 4), size=(0, 0))[0] == (1, 2, 3, 4)


def test_a_box_drawn_on_a_picture_as_it_is_stored_is_turned_with_it():
    box, notes = taken((40, 8, 56, 18), size=(64, 48), cols=48, rows=64, turned=6)
    assert box == (30, 40, 40, 56)
    assert notes == [
        "1 box was drawn on the images as they are stored, 64 x 48 px, and turned with them."
    ]


def test_a_size_whose_sides_were_swapped_is_seen_from_boxes_that_fit_the_frame_only():
    assert taken((50, 8, 60, 18), size=(48, 64))[0] == (50, 8, 60, 18)
    assert taken((8, 8, 18, 18), size=(48, 64))[0] is None


@pytest.mark.parametrize(("box", "why"), [
    ((0, 0, float("nan"), 1), "1 box beyond all frames left out."),
    ((70, 0, 80, 9), "1 box outside the frame left out."),
    ((-9, 0, 0, 9), "1 box outside the frame left out."),
    ((5, 5, 5, 9), "1 box without area left out."),
    ((-3, 5, -3, 5), "1 box outside the frame left out."),
])  # fmt: skip
def test_what_cannot_be_a_label_is_counted_with_the_reason(box, why):
    assert taken(box) == (None, [why, "The truth names no box on these frames."])


def test_a_box_beyond_the_edge_is_taken_and_said():
    assert taken((-3, -2, 10, 10)) == (
        (-3, -2, 10, 10),
        ["1 box was cut at the edge of the frame."],
    )


def test_an_object_that_is_neither_taken_nor_counted_is_a_defect():
    objects = Objects(source())
    objects.there = 1
    with pytest.raises(AssertionError, match="neither taken nor counted"):
        objects.finish([])


@pytest.mark.parametrize(("text", "yes"), [
    ("1", True), ("1.0", True), ("True", True), ("YES", True), (" y ", True), ("0", False),
    ("0.0", False),
    ("False", False), ("no", False), ("Unspecified", False), ("", False), (None, False),
])  # fmt: skip
def test_yes_is_written_in_many_ways(text, yes):
    assert said_yes(text) is yes


@pytest.mark.parametrize("suffix", [".png", ".jpg", ".tif", ".webp"])
@pytest.mark.parametrize("drawn_on", ["upright", "stored"])
def test_boxes_lie_on_the_target_of_a_picture_that_is_stored_turned(tmp_path, suffix, drawn_on):
    upright = np.full((64, 48), 40, np.uint8)
    upright[40:56, 8:18] = HOT
    exif = Image.Exif()
    exif[0x0112] = 6
    stored = Image.fromarray(np.ascontiguousarray(np.rot90(upright)))
    stored.save(
        tmp_path / f"a{suffix}", exif=exif, **({"lossless": True} if suffix == ".webp" else {})
    )
    size, box = (
        ((48, 64), (8, 40, 18, 56)) if drawn_on == "upright" else ((64, 48), (40, 30, 56, 40))
    )
    corners = "".join(
        f"<{tag}>{value}</{tag}>" for tag, value in zip(("xmin", "ymin", "xmax", "ymax"), box)
    )
    (tmp_path / "a.xml").write_text(
        f"<annotation><size><width>{size[0]}</width><height>{size[1]}</height></size>"
        f"<object><name>Car</name><bndbox>{corners}</bndbox></object></annotation>")
    with open_source(tmp_path / f"a{suffix}") as picture:
        (found,) = read_truth(tmp_path / "a.xml", picture)
        x0, y0, x1, y1 = (int(corner) for corner in found.box)
        assert picture.read(0)[y0:y1, x0:x1].min() > HOT - 20
