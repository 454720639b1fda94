"""YOLO, MOT, ATR truth, masks and COCO as other programs write them."""

import json

import numpy as np
import pytest
from imagecodecs import png_encode

from emberscope.base.errors import FormatError
from emberscope.labels.formats.extra import Frames
from emberscope.labels.model import About
from emberscope.labels.truth import TruthBox, read_truth, sniff_truth

from ..test_other_truth import frames

CLIP = Frames(9, 64, 48)


def put(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_a_folder_of_yolo_texts_is_read_by_the_names_of_its_images(tmp_path):
    put(tmp_path / "data.yaml", "names: [person, car]\n")
    put(tmp_path / "labels" / "f1.txt", "1 0.5 0.5 0.25 0.5\n")
    put(tmp_path / "labels" / "f0.txt", "")
    found = read_truth(tmp_path / "labels", frames("f0.png", "f1.png"))
    assert found == [TruthBox(1, 24, 12, 40, 36, "car")]


def test_an_outline_of_yolo_is_the_box_around_it(tmp_path):
    put(tmp_path / "classes.txt", "car\n")
    put(tmp_path / "f0.txt", "0 0.25 0.25 0.5 0.25 0.5 0.5\n")
    assert read_truth(tmp_path, frames("f0.png", "f1.png")) == [TruthBox(0, 16, 12, 32, 24, "car")]


def test_a_text_of_yolo_names_its_classes_in_a_file_beside_it(tmp_path):
    put(tmp_path / "obj.names", "car\n")
    path = put(tmp_path / "f0.txt", "0 0.5 0.5 0.25 0.5\n")
    assert sniff_truth(path) == "yolo"


def test_a_line_of_yolo_that_is_none_is_named(tmp_path):
    put(tmp_path / "classes.txt", "car\n")
    put(tmp_path / "f0.txt", "0 0.5 0.5 0.25 0.5\n0 0.5 x 0.25 0.5\n")
    with pytest.raises(FormatError, match=r"f0\.txt, line 2: a share is 'x'"):
        read_truth(tmp_path, frames("f0.png", "f1.png"))


def test_one_bad_text_of_yolo_costs_that_text(tmp_path):
    put(tmp_path / "classes.txt", "car\n")
    put(tmp_path / "f0.txt", "0 0.5 0.5 0.25\n")
    put(tmp_path / "f1.txt", "0 0.5 0.5 0.25 0.5\n")
    notes = []
    assert [box.frame for box in read_truth(tmp_path / "f1.txt", frames("f0.png", "f1.png"))] == [1]
    assert [box.frame for box in read_truth(tmp_path, frames("f0.png", "f1.png"), notes=notes)] == [
        1
    ]
    assert notes == [
        "f0.txt, line 1 is left out, 1 of 2 files: it is no class and four shares of the image."
    ]


def test_one_bad_mask_costs_that_mask(tmp_path):
    put(tmp_path / "mask-classes.csv", "number,name\n1,car\n")
    (tmp_path / "f0.png").write_bytes(b"no image")
    (tmp_path / "f1.png").write_bytes(png_encode(np.ones((48, 64), np.uint16)))
    notes = []
    assert [box.frame for box in read_truth(tmp_path, frames("f0.png", "f1.png"), notes=notes)] == [
        1
    ]
    assert notes[-1] == "f0.png is left out, 1 of 2 files: the PNG cannot be read."


def test_a_table_of_mot_has_frames_and_pixels_from_1_and_names_beside_it(tmp_path):
    put(tmp_path / "gt" / "labels.txt", "person\ncar\n")
    text = "1,1,11,6,10,4,1,2,1\n2,1,12,6,10,4,1,2,0.3\n2,5,1,1,8,8,0,1,1\n"
    found = read_truth(put(tmp_path / "gt" / "gt.txt", text), CLIP)
    assert found == [TruthBox(0, 10, 5, 20, 9, "car", about=About(track=1)),
                     TruthBox(1, 11, 5, 21, 9, "car", about=About(track=1, occluded=True)),
                     TruthBox(1, 0, 0, 8, 8, "person", ignore=True, about=About(track=5))]


def test_ten_columns_of_mot_end_in_a_place_of_the_world(tmp_path):
    found = read_truth(put(tmp_path / "gt.txt", "1,-1,11,6,10,4,0.9,-1,-1,-1\n"), CLIP)
    assert found == [TruthBox(0, 10, 5, 20, 9, "Target")]


def test_truth_of_an_atr_scorer_has_frames_and_pixels_from_1(tmp_path):
    shape = {"data": [11, 6, 10, 4], "type": "bbox_xywh"}
    found = [
        {"class": "T72", "shape": shape, "range": 1000},
        {"class": "T72", "shape": {"type": "point"}},
    ]
    truth = {"fileUID": "clip", "frameAnnotations": {"f3": {"annotations": found}}}
    notes = []
    found = read_truth(put(tmp_path / "clip.truth.json", json.dumps(truth)), CLIP, notes=notes)
    assert found == [TruthBox(2, 10, 5, 20, 9, "T72", about=About(columns={"range": 1000}))]
    assert notes == ["1 object without a box or outline left out."]


def test_parts_of_a_mask_are_boxes_of_their_classes(tmp_path):
    mask = np.zeros((48, 64), np.uint16)
    mask[5:9, 10:20], mask[30:32, 1:3] = 2, 2
    put(tmp_path / "mask-classes.csv", "number,name\n2,car\n")
    (tmp_path / "f0.png").write_bytes(png_encode(mask))
    notes = []
    found = read_truth(tmp_path, frames("f0.png", "f1.png"), notes=notes)
    assert found == [TruthBox(0, 10, 5, 20, 9, "car"), TruthBox(0, 1, 30, 3, 32, "car")]
    assert "Each connected part of a mask is a box; parts that touch are one." in notes


def test_a_colored_image_is_no_mask(tmp_path):
    put(tmp_path / "mask-classes.csv", "number,name\n")
    (tmp_path / "f0.png").write_bytes(png_encode(np.zeros((48, 64, 3), np.uint8)))
    with pytest.raises(FormatError, match="one whole number per pixel"):
        read_truth(tmp_path, frames("f0.png", "f1.png"))


def test_a_crowd_of_coco_in_runs_costs_no_other_box(tmp_path):
    coco = {
        "images": [{"id": 1, "file_name": "f0.png", "width": 64, "height": 48}],
        "categories": [],
        "annotations": [
            {
                "id": 1,
                "image_id": 1,
                "bbox": [1, 2, 3, 4],
                "iscrowd": 1,
                "segmentation": {"size": [48, 64], "counts": "PPYo0"},
            }
        ],
    }
    found = read_truth(put(tmp_path / "c.json", json.dumps(coco)), frames("f0.png", "f1.png"))
    assert [(box.box, box.ignore) for box in found] == [((1, 2, 4, 6), True)]


def test_a_track_of_coco_that_is_no_number_is_left_out(tmp_path):
    coco = {
        "images": [{"id": 1, "file_name": "f0.png"}],
        "categories": [],
        "annotations": [
            {"id": 1, "image_id": 1, "bbox": [1, 2, 3, 4], "attributes": {"track_id": "x"}}
        ],
    }
    (found,) = read_truth(put(tmp_path / "c.json", json.dumps(coco)), frames("f0.png", "f1.png"))
    assert found.about is None


def test_tracks_and_occluded_stretches_of_a_truth_stay_with_its_labels(tmp_path):
    from emberscope.labels.weaken import Place, Weakening, weaken

    truth = [TruthBox(0, 10, 5, 20, 9, "car", about=About(track=4, occluded=True))]
    place = Place(source=1, frame_shape=(48, 64), classes={"car": 1}, ids=iter(range(1, 9)))
    for kind in ("tight", "relaxed", "spot"):
        (label,) = weaken(truth, Weakening(kind=kind), place)
        assert label.about == About(track=4, occluded=True)
