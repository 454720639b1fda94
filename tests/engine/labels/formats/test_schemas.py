"""Our files of labelme and CVAT against what these programs publish of their formats: which keys,
elements and attributes there are, and how many points a shape has."""

import json
from xml.etree import ElementTree

import pytest

from emberscope.labels.formats.items import Item, Out, OutClip, OutFrame
from emberscope.labels.formats.table import FORMATS
from emberscope.labels.model import About

ITEMS = [
    Item("box", "car", ((10.0, 5.0), (20.5, 9.0)), about=About(track=3, occluded=True)),
    Item("point", "car", ((3.0, 4.0),)),
    Item("line", "road", ((1.0, 1.0), (5.0, 5.5), (9.0, 1.0))),
    Item("polygon", "目标", ((12.0, 6.0), (40.5, 8.0), (30.0, 30.25))),
]
ROUND = Item("ellipse", "car", ((10.0, 5.0), (20.0, 15.0)))

# labelme, label_file.py: keys of a file, keys of a shape, and points of each type of shape.
LABELME = {
    "version": str, "flags": dict, "shapes": list, "imagePath": str, "imageData": (str, type(None)),
    "imageHeight": int, "imageWidth": int,
}  # fmt: skip
SHAPE = {
    "label": str, "points": list, "group_id": (int, type(None)), "description": (str, type(None)),
    "shape_type": str, "flags": dict, "mask": (str, type(None)),
}  # fmt: skip
POINTS = {
    "polygon": (3, 99), "rectangle": (2, 2), "circle": (2, 2), "line": (2, 2), "point": (1, 1),
    "linestrip": (2, 99), "points": (1, 99), "mask": (2, 2),
}  # fmt: skip

# CVAT, XML annotation format 1.1: attributes that each element has to have.
PLACE = {
    "box": {"xtl", "ytl", "xbr", "ybr"}, "polygon": {"points"}, "polyline": {"points"},
    "points": {"points"}, "ellipse": {"cx", "cy", "rx", "ry"},
}  # fmt: skip
ON_IMAGE, IN_TRACK = {"label", "occluded", "z_order"}, {"frame", "outside", "occluded", "keyframe"}
LEAST = {"polygon": 3, "polyline": 2, "points": 1}


def written(form, folder, *items):
    frame = OutFrame(2, "clip/frame_000002.png", "frame_000002", items)
    names = sorted({item.name for item in items})
    FORMATS[form].write(Out([OutClip("clip", 64, 48, 4, [frame])], names), folder)
    return folder


@pytest.mark.parametrize("item", [*ITEMS, ROUND], ids=lambda item: item.shape)
def test_a_labelme_file_has_the_keys_and_points_that_labelme_asks_for(tmp_path, item):
    path = written("labelme", tmp_path, item) / "clip" / "frame_000002.json"
    found = json.loads(path.read_text("utf-8"))
    assert found.keys() == LABELME.keys()
    assert all(isinstance(found[key], kind) for key, kind in LABELME.items())
    (shape,) = found["shapes"]
    assert shape.keys() == SHAPE.keys()
    assert all(isinstance(shape[key], kind) for key, kind in SHAPE.items())
    least, most = POINTS[shape["shape_type"]]
    assert least <= len(shape["points"]) <= most
    assert all(len(point) == 2 for point in shape["points"])


def test_a_circle_of_labelme_is_its_middle_and_a_point_on_its_edge(tmp_path):
    path = written("labelme", tmp_path, ROUND) / "clip" / "frame_000002.json"
    (shape,) = json.loads(path.read_text("utf-8"))["shapes"]
    assert (shape["shape_type"], shape["points"]) == ("circle", [[15, 10], [20, 10]])


def check_place(element):
    assert PLACE[element.tag] <= element.attrib.keys()
    if "points" in PLACE[element.tag]:
        pairs = [pair.split(",") for pair in element.get("points").split(";")]
        assert len(pairs) >= LEAST[element.tag]
        assert all(len([float(value) for value in pair]) == 2 for pair in pairs)
    else:
        assert all(float(element.get(key)) >= 0 for key in PLACE[element.tag])
    assert element.get("occluded") in ("0", "1")


def labels_of(root):
    return [name.text for name in root.findall("meta/task/labels/label/name")]


def test_a_cvat_file_of_images_has_the_elements_that_cvat_asks_for(tmp_path):
    path = written("cvat-images", tmp_path, *ITEMS, ROUND) / "annotations.xml"
    root = ElementTree.parse(path).getroot()
    assert (root.tag, root.findtext("version")) == ("annotations", "1.1")
    (image,) = root.findall("image")
    assert image.attrib.keys() == {"id", "name", "width", "height"}
    assert [shape.tag for shape in image] == ["box", "points", "polyline", "polygon", "ellipse"]
    for shape in image:
        assert shape.attrib.keys() >= ON_IMAGE
        assert shape.get("label") in labels_of(root)
        check_place(shape)


def test_a_cvat_file_of_a_video_has_tracks_of_one_shape_each(tmp_path):
    path = written("cvat-video", tmp_path, *ITEMS, ROUND) / "clip.xml"
    root = ElementTree.parse(path).getroot()
    tracks = root.findall("track")
    assert len(tracks) == len(ITEMS) + 1
    for track in tracks:
        assert track.attrib.keys() >= {"id", "label"}
        assert track.get("label") in labels_of(root)
        assert len({shape.tag for shape in track}) == 1
        for shape in track:
            assert shape.attrib.keys() >= IN_TRACK
            check_place(shape)
