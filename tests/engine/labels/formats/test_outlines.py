"""Outlines in files of other programs: the boxes around them, or as they are drawn where asked."""

import json

import numpy as np
import pytest
from imagecodecs import png_decode

from emberscope.labels.formats.extra import Frames
from emberscope.labels.formats.items import Item, Out, OutClip, OutFrame
from emberscope.labels.formats.table import FORMATS
from emberscope.labels.truth import TruthBox, names_in, read_truth

from ..test_other_truth import frames

TRIANGLE = ((12.0, 6.0), (40.5, 8.0), (30.0, 30.25))
AROUND = (12, 6, 40.5, 30.25)
SAID = "1 box was put around outlines, which can be kept as they are drawn."


def labelme(folder, shape_type, points):
    shape = {"label": "car", "points": points, "shape_type": shape_type}
    size = {"imageWidth": 64, "imageHeight": 48, "imagePath": "f0.png"}
    (folder / "f0.json").write_text(json.dumps({"shapes": [shape], **size}))
    return folder / "f0.json"


def coco(folder, segmentation, bbox=(12, 6, 28.5, 24.25)):
    one = {"id": 1, "image_id": 1, "category_id": 1, "bbox": bbox, "segmentation": segmentation}
    image = {"id": 1, "file_name": "f0.png", "width": 64, "height": 48}
    found = {"images": [image], "annotations": [one], "categories": [{"id": 1, "name": "car"}]}
    (folder / "a.json").write_text(json.dumps(found))
    return folder / "a.json"


def cvat(folder, shape):
    image = f'<image id="0" name="f0.png" width="64" height="48">{shape}</image>'
    text = f"<annotations><version>1.1</version>{image}</annotations>"
    (folder / "a.xml").write_text(text)
    return folder / "a.xml"


def track(folder, *shapes):
    size = "<meta><original_size><width>64</width><height>48</height></original_size></meta>"
    text = f'<annotations><version>1.1</version>{size}<track id="0" label="car">{"".join(shapes)}'
    (folder / "t.xml").write_text(f"{text}</track></annotations>")
    return folder / "t.xml"


def voc(folder, outline):
    size = "<size><width>64</width><height>48</height></size>"
    text = f"<annotation><filename>f0.png</filename>{size}<object><name>car</name>{outline}"
    (folder / "f0.xml").write_text(f"{text}</object></annotation>")
    return folder / "f0.xml"


def yolo(folder):
    (folder / "classes.txt").write_text("car\n")
    (folder / "f0.txt").write_text("0 0.25 0.25 0.5 0.25 0.5 0.5\n")
    return folder / "f0.txt"


def kept(path, **more):
    (found,) = read_truth(path, frames("f0.png"), outlines=True, **more)
    return found.shape, found.points or found.box


CORNERS = [list(point) for point in TRIANGLE]
FLAT = [value for point in TRIANGLE for value in point]
POINTS = "12,6;40.5,8;30,30.25"
PTS = "".join(f"<pt><x>{x}</x><y>{y}</y></pt>" for x, y in TRIANGLE)
CASES = {
    "labelme polygon": (lambda f: labelme(f, "polygon", CORNERS), ("polygon", TRIANGLE)),
    "labelme without a type": (lambda f: labelme(f, None, CORNERS), ("polygon", TRIANGLE)),
    "labelme linestrip": (lambda f: labelme(f, "linestrip", CORNERS), ("line", TRIANGLE)),
    "labelme line": (lambda f: labelme(f, "line", CORNERS[:2]), ("line", TRIANGLE[:2])),
    "labelme circle": (
        lambda f: labelme(f, "circle", [[20, 20], [23, 24]]), ("ellipse", (15, 15, 25, 25)),
    ),
    "coco polygon": (lambda f: coco(f, [FLAT]), ("polygon", TRIANGLE)),
    "cvat polygon": (
        lambda f: cvat(f, f'<polygon label="car" points="{POINTS}"/>'), ("polygon", TRIANGLE),
    ),
    "cvat polyline": (
        lambda f: cvat(f, f'<polyline label="car" points="{POINTS}"/>'), ("line", TRIANGLE),
    ),
    "cvat ellipse": (
        lambda f: cvat(f, '<ellipse label="car" cx="20" cy="20" rx="8" ry="4"/>'),
        ("ellipse", (12, 16, 28, 24)),
    ),
    "cvat turned box": (
        lambda f: cvat(f, '<box label="car" xtl="10" ytl="10" xbr="30" ybr="20" rotation="180"/>'),
        ("polygon", ((30, 20), (10, 20), (10, 10), (30, 10))),
    ),
    "voc polygon": (lambda f: voc(f, f"<polygon>{PTS}</polygon>"), ("polygon", TRIANGLE)),
    "voc line": (lambda f: voc(f, f"<polyline>{PTS}</polyline>"), ("line", TRIANGLE)),
    "yolo outline": (yolo, ("polygon", ((16, 12), (32, 12), (32, 24)))),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_an_outline_is_kept_as_it_is_drawn_where_that_is_asked_for(tmp_path, case):
    write, (shape, place) = CASES[case]
    found_shape, found = kept(write(tmp_path))
    assert found_shape == shape
    np.testing.assert_allclose(found, place, atol=1e-9)


@pytest.mark.parametrize("case", CASES)
def test_without_being_asked_it_is_the_box_around_it_and_that_is_said(tmp_path, case):
    write, (_, place) = CASES[case]
    notes = []
    (found,) = read_truth(write(tmp_path), frames("f0.png"), notes=notes)
    corners = np.array(place).reshape(-1, 2)
    around = [*corners.min(axis=0), *corners.max(axis=0)]
    assert (found.shape, found.points) == ("box", ())
    np.testing.assert_allclose(found.box, around, atol=1e-9)
    assert SAID in notes


NO_OUTLINE = {
    "a rectangle of coco": lambda f: coco(f, [[12, 6, 40.5, 6, 40.5, 30.25, 12, 30.25]]),
    "an object of coco in two parts": lambda f: coco(f, [FLAT, [12, 6, 20, 6, 20, 20]]),
    "a box of coco that was moved alone": lambda f: coco(f, [FLAT], bbox=(2, 6, 28.5, 24.25)),
    "a rectangle of labelme": lambda f: labelme(f, "rectangle", [[12, 6], [40.5, 30.25]]),
    "a rectangle of LabelMe in xml": lambda f: voc(f, (
        "<polygon><pt><x>12</x><y>6</y></pt><pt><x>40</x><y>6</y></pt><pt><x>40</x><y>30</y></pt>"
        "<pt><x>12</x><y>30</y></pt></polygon>")),
}  # fmt: skip


@pytest.mark.parametrize("case", NO_OUTLINE)
def test_what_is_a_box_stays_one(tmp_path, case):
    assert kept(NO_OUTLINE[case](tmp_path))[0] == "box"


def test_a_region_to_be_left_out_is_the_box_around_it(tmp_path):
    path = cvat(tmp_path, f'<polygon label="ignore" points="{POINTS}"/>')
    (found,) = read_truth(path, frames("f0.png"), outlines=True)
    assert (found.ignore, found.shape, found.box) == (True, "box", AROUND)


def test_two_outlines_with_one_box_around_them_are_two_objects(tmp_path):
    other = "12,6;40.5,30.25;12,30.25"
    shapes = f'<polygon label="car" points="{POINTS}"/><polygon label="car" points="{other}"/>'
    path = cvat(tmp_path, shapes)
    assert len(read_truth(path, frames("f0.png"), outlines=True)) == 2


def test_an_outline_of_an_image_of_another_size_is_scaled(tmp_path):
    path = cvat(tmp_path, f'<polygon label="car" points="{POINTS}"/>')
    path.write_text(path.read_text().replace('width="64" height="48"', 'width="128" height="96"'))
    assert kept(path) == ("polygon", ((6, 3), (20.25, 4), (15, 15.125)))


def test_a_level_line_has_no_area_and_is_a_line(tmp_path):
    path = cvat(tmp_path, '<polyline label="car" points="3,9;30,9"/>')
    assert kept(path) == ("line", ((3, 9), (30, 9)))
    assert read_truth(path, frames("f0.png")) == []


def keyed(frame, points):
    return f'<polygon frame="{frame}" outside="0" points="{points}"/>'


def test_between_key_frames_a_polygon_moves_corner_by_corner(tmp_path):
    path = track(tmp_path, keyed(0, "0,0;10,0;0,10"), keyed(2, "4,0;14,0;4,10"))
    found = read_truth(path, Frames(9, 64, 48), outlines=True)
    assert found[1].points == ((2, 0), (12, 0), (2, 10))


def test_between_polygons_of_other_corners_it_is_the_box_that_moves(tmp_path):
    path = track(tmp_path, keyed(0, "0,0;10,0;0,10"), keyed(2, "4,0;14,0;4,10;4,5"))
    found = read_truth(path, Frames(9, 64, 48), outlines=True)
    assert (found[1].shape, found[1].box) == ("box", (2, 0, 12, 10))


# ---- writing -------------------------------------------------------------------------------------

ITEMS = {
    "polygon": Item("polygon", "car", TRIANGLE), "line": Item("line", "car", TRIANGLE),
    "ellipse": Item("ellipse", "car", ((10.0, 6.0), (30.0, 20.0))),
    "circle": Item("ellipse", "car", ((10.0, 6.0), (24.0, 20.0))),
}  # fmt: skip


@pytest.mark.parametrize(
    ("form", "shape"),
    [(form, shape) for form, row in FORMATS.items() for shape in ITEMS
     if shape in row.holds and form != "masks"],
)  # fmt: skip
def test_a_shape_comes_back_from_the_files_alone(tmp_path, form, shape):
    item = ITEMS[shape]
    frame = OutFrame(2, "clip/frame_000002.png", "frame_000002", [item])
    FORMATS[form].write(Out([OutClip("clip", 64, 48, 4, [frame])], ["car"]), tmp_path)
    path = tmp_path / FORMATS[form].truth.format("clip")
    images = dict.fromkeys(names_in(path), 2) or None
    (found,) = read_truth(path, Frames(4, 64, 48), frames=images, outlines=True)
    wanted = TruthBox(2, *item.box, name="car", shape=item.shape,
                      points=() if item.shape == "ellipse" else item.points)  # fmt: skip
    assert (found.frame, found.name, found.shape, found.points, found.box) == (
        wanted.frame, wanted.name, wanted.shape, wanted.points, wanted.box,
    )  # fmt: skip


@pytest.mark.parametrize(("item", "filled"), [
    (Item("polygon", "car", ((10.0, 5.0), (20.0, 5.0), (10.0, 15.0))), 55),
    (Item("ellipse", "car", ((10.0, 5.0), (20.0, 15.0))), 80),
])  # fmt: skip
def test_a_mask_has_the_pixels_whose_middle_lies_in_the_outline(tmp_path, item, filled):
    frame = OutFrame(2, "clip/f.png", "f", [item])
    FORMATS["masks"].write(Out([OutClip("clip", 64, 48, 4, [frame])], ["car"]), tmp_path)
    mask = png_decode((tmp_path / "masks" / "clip" / "f.png").read_bytes())
    assert abs(int((mask == 1).sum()) - filled) <= 10
    assert mask[14, 19] == 0
