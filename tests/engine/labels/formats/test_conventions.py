"""How each format counts pixels, frames and classes: one box over pixels 10 to 19 across, 5 to 8
down, on frame 2."""

import json
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from imagecodecs import png_decode

from emberscope.labels.formats.extra import Frames
from emberscope.labels.formats.items import Item, Out, OutClip, OutFrame
from emberscope.labels.formats.table import FORMATS
from emberscope.labels.model import About
from emberscope.labels.truth import TruthBox, read_truth, sniff_truth

BOX = Item("box", "car", ((10.0, 5.0), (20.0, 9.0)))
FRAMES = Frames(4, 64, 48)


def out(*items, number=2, names=("person", "car")):
    frame = OutFrame(number, f"clip/frame_{number:06d}.png", f"frame_{number:06d}", items)
    return Out([OutClip("clip", 64, 48, 4, [frame])], names)


def written(form, folder, *items, **more):
    FORMATS[form].write(out(*items, **more), folder)
    return folder


def test_coco_has_the_corner_from_0_and_the_size(tmp_path):
    found = json.loads((written("coco", tmp_path, BOX) / "annotations.json").read_text())
    assert found["annotations"][0]["bbox"] == [10, 5, 10, 4]
    assert found["annotations"][0]["area"] == 40
    assert found["images"] == [
        {"id": 1, "file_name": "clip/frame_000002.png", "width": 64, "height": 48}
    ]
    assert found["categories"][1] == {"id": 2, "name": "car", "supercategory": ""}


def test_yolo_has_the_middle_and_the_size_as_shares_of_the_frame(tmp_path):
    text = (written("yolo", tmp_path, BOX) / "labels" / "clip" / "frame_000002.txt").read_text()
    assert text == f"1 {15 / 64:.12g} {7 / 48:.12g} {10 / 64:.12g} {4 / 48:.12g}\n"
    assert 'names:\n  0: "person"\n  1: "car"\n' in (tmp_path / "data.yaml").read_text()


def test_voc_counts_pixels_from_1_and_names_the_last_one(tmp_path):
    root = ElementTree.parse(
        written("voc", tmp_path, BOX) / "Annotations" / "clip" / "frame_000002.xml"
    ).getroot()
    corners = [root.findtext(f"object/bndbox/{tag}") for tag in ("xmin", "ymin", "xmax", "ymax")]
    assert corners == ["11", "6", "20", "9"]
    assert root.findtext("corners") == "pixels counted from 1, the last one inside"


def test_voc_files_that_say_how_they_count_are_believed_with_half_pixels_too(tmp_path):
    half = Item("box", "car", ((0.0, 5.5), (20.5, 9.0)))
    written("voc", tmp_path, half)
    assert read_truth(tmp_path / "Annotations" / "clip", FRAMES) == [
        TruthBox(2, 0, 5.5, 20.5, 9, "car")
    ]


def test_cvat_counts_from_0_to_the_far_edge(tmp_path):
    box = ElementTree.parse(written("cvat-images", tmp_path, BOX) / "annotations.xml").find(
        "image/box"
    )
    assert [box.get(key) for key in ("xtl", "ytl", "xbr", "ybr")] == ["10", "5", "20", "9"]


def test_mot_counts_frames_tracks_pixels_and_classes_from_1(tmp_path):
    assert (
        written("mot", tmp_path, BOX) / "clip" / "gt" / "gt.txt"
    ).read_text() == "3,1,11,6,10,4,1,2,1\n"
    assert (tmp_path / "clip" / "gt" / "labels.txt").read_text() == "person\ncar\n"


def test_atr_truth_counts_frames_and_pixels_from_1(tmp_path):
    found = json.loads((written("atr", tmp_path, BOX) / "clip.truth.json").read_text())
    shape = {"data": [11, 6, 10, 4], "type": "bbox_xywh"}
    assert found["frameAnnotations"] == {"f3": {"annotations": [{"class": "car", "shape": shape}]}}


def test_agt_names_the_first_and_the_last_pixel_and_counts_frames_from_1(tmp_path):
    text = (written("agt", tmp_path, BOX) / "clip.agt").read_text()
    assert "PixBox 10 5 19 8" in text
    assert 'Keyword "Frame# 3"' in text
    met = (tmp_path / "clip.bbox_met").read_text().split(",")
    assert (len(met), met[5], met[9:11]) == (18, "3", ["10", "5"])


def test_the_table_counts_frames_from_0_and_pixels_from_1(tmp_path):
    text = (written("boxes", tmp_path, BOX) / "clip.csv").read_text()
    assert text.splitlines() == ["frame,x,y,w,h,name", "2,11,6,10,4,car"]


def test_labelme_has_the_two_corners(tmp_path):
    found = json.loads(
        (written("labelme", tmp_path, BOX) / "clip" / "frame_000002.json").read_text()
    )
    assert found["shapes"][0]["points"] == [[10, 5], [20, 9]]
    assert found["imagePath"] == "../clip/frame_000002.png"


def test_a_mask_has_the_number_of_the_class_on_each_pixel(tmp_path):
    mask = png_decode(
        (written("masks", tmp_path, BOX) / "masks" / "clip" / "frame_000002.png").read_bytes()
    )
    assert mask.dtype == np.uint16
    assert np.argwhere(mask == 2).min(axis=0).tolist() == [5, 10]
    assert np.argwhere(mask == 2).max(axis=0).tolist() == [8, 19]
    assert int((mask > 0).sum()) == 40


@pytest.mark.parametrize("form", FORMATS)
def test_a_box_comes_back_from_the_files_alone_where_it_was(tmp_path, form):
    written(form, tmp_path, BOX)
    path = tmp_path / FORMATS[form].truth.format("clip")
    found = read_truth(path, FRAMES,
                       frames=None if form not in ("coco", "cvat-images") else named(path))
    assert [(box.frame, box.box, box.name) for box in found] == [(2, (10, 5, 20, 9), "car")]


def named(path):
    from emberscope.labels.truth import names_in

    return dict.fromkeys(names_in(path), 2)


@pytest.mark.parametrize("form", FORMATS)
def test_a_region_to_be_left_out_is_one_in_every_format(tmp_path, form):
    region = Item("box", "ignore", ((10.0, 5.0), (20.0, 9.0)), ignore=True)
    written(form, tmp_path, region, names=("ignore",))
    path = tmp_path / FORMATS[form].truth.format("clip")
    found = read_truth(
        path, FRAMES, frames=None if form not in ("coco", "cvat-images") else named(path)
    )
    assert [(box.box, box.ignore) for box in found] == [((10, 5, 20, 9), True)]


@pytest.mark.parametrize("form", [row.id for row in FORMATS.values() if "point" in row.holds])
def test_formats_that_hold_points_give_them_back(tmp_path, form):
    written(form, tmp_path, Item("point", "car", ((7.5, 8.0),)))
    path = tmp_path / FORMATS[form].truth.format("clip")
    found = read_truth(
        path, FRAMES, frames=None if form not in ("coco", "cvat-images") else named(path)
    )
    assert [(box.box, box.is_point) for box in found] == [((7.5, 8, 7.5, 8), True)]


@pytest.mark.parametrize("form", [row.id for row in FORMATS.values() if "occluded" in row.holds])
def test_formats_that_know_occluded_objects_give_it_back(tmp_path, form):
    written(form, tmp_path, BOX._replace(about=About(track=3, occluded=True)))
    path = tmp_path / FORMATS[form].truth.format("clip")
    (found,) = read_truth(
        path, FRAMES, frames=None if form not in ("coco", "cvat-images") else named(path)
    )
    assert found.about == About(track=3 if "track" in FORMATS[form].holds else None, occluded=True)


def test_the_crowd_of_coco_has_the_pixels_of_its_box(tmp_path):
    region = Item("box", "ignore", ((62.0, 46.0), (64.0, 48.0)), ignore=True)
    found = json.loads(
        (written("coco", tmp_path, region, names=("ignore",)) / "annotations.json").read_text()
    )
    runs = found["annotations"][0]["segmentation"]
    assert runs["size"] == [48, 64]
    assert sum(runs["counts"]) == 48 * 64
    pixels = (
        np.concatenate([np.full(count, k % 2) for k, count in enumerate(runs["counts"])])
        .reshape(64, 48)
        .T
    )
    assert np.argwhere(pixels).tolist() == [[46, 62], [46, 63], [47, 62], [47, 63]]


def test_a_folder_of_cvat_files_is_no_folder_of_voc_files(tmp_path):
    written("cvat-video", tmp_path, BOX)
    assert sniff_truth(tmp_path / "clip.xml") == "cvat"
    with pytest.raises(Exception, match=r"no \.xml file in this folder about an image"):
        sniff_truth(tmp_path)


def test_each_name_of_a_class_is_written_so_that_yaml_reads_it(tmp_path):
    from emberscope.labels.formats.yolo import class_names

    names = ("a: b", "#8", "'", '"q"', "目标", "- 7", "null", "1", "back\\slash")
    written("yolo", tmp_path, names=names)
    assert class_names(tmp_path / "data.yaml") == dict(enumerate(names))


@pytest.mark.parametrize("text", [
    "nc: 2\nnames: [person, 'small car']\n", "names:\n- person\n- small car\nnc: 2\n",
    "names: {0: person, 1: small car}\n", "names:\n  0: person\n  1: small car  # of any make\n",
])  # fmt: skip
def test_names_of_classes_are_read_as_people_write_them(tmp_path, text):
    from emberscope.labels.formats.yolo import class_names

    Path(tmp_path / "data.yaml").write_text(text)
    assert class_names(tmp_path / "data.yaml") == {0: "person", 1: "small car"}
