"""Truth files: what they hold, what is left out, and how bad ones are refused."""

import json
from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest

from emberscope.base.errors import FormatError
from emberscope.frames.registry import open_source
from emberscope.frames.truth.agt import Agt, Target, TargetUpdate, write_agt
from emberscope.labels import truth as truth_module
from emberscope.labels.model import About
from emberscope.labels.truth import TruthBox, read_truth, sniff_truth

from ..peaks import peak_bytes


def frames(n=3, *, names=("a_0.png", "a_1.png", "a_2.png"), shape=(100, 200), uri="folder"):
    """The little a truth reader needs of a source."""
    return SimpleNamespace(
        uri=uri, n_frames=n, shape=shape, frame_meta=lambda i: {"name": names[i]} if names else {}
    )


def voc(name="Car", box=(10, 20, 30, 40), *, difficult=0):
    fields = "".join(
        f"<{k}>{v}</{k}>" for k, v in zip(("xmin", "ymin", "xmax", "ymax"), box, strict=True)
    )
    about = f"<name>{name}</name><difficult>{difficult}</difficult>"
    return f"<object>{about}<bndbox>{fields}</bndbox></object>"


EASY = About(columns={"difficult": False})


def write_voc(path, *objects):
    path.write_text(f"<annotation>{''.join(objects)}</annotation>")
    return path


def test_voc_boxes_are_matched_to_frames_by_name(tmp_path):
    write_voc(tmp_path / "A_2.xml", voc())
    write_voc(tmp_path / "a_0.xml", voc("Person", (1, 2, 3, 4)))
    assert read_truth(tmp_path, frames()) == [
        TruthBox(0, 1, 2, 3, 4, "Person", about=EASY),
        TruthBox(2, 10, 20, 30, 40, "Car", about=EASY),
    ]


def test_one_voc_file_fits_a_single_picture_whatever_its_name(tmp_path):
    file = write_voc(tmp_path / "x.xml", voc())
    assert len(read_truth(file, frames(1, names=(), uri="y.png"))) == 1


def test_classic_voc_counts_pixels_from_one(tmp_path):
    file = write_voc(tmp_path / "a_0.xml", voc())
    assert read_truth(file, frames(), voc_origin=1)[0].box == (9, 19, 30, 40)


def test_dont_care_and_difficult_objects_are_to_be_ignored(tmp_path):
    file = write_voc(tmp_path / "a_0.xml", voc("DontCare"), voc(difficult=1), voc())
    assert [found.ignore for found in read_truth(file, frames())] == [True, True, False]


def test_a_rotated_box_becomes_its_enclosing_box(tmp_path):
    turned = "<cx>50</cx><cy>60</cy><w>20</w><h>10</h><angle>1.5707963267948966</angle>"
    file = write_voc(
        tmp_path / "a_0.xml", f"<object><name>Car</name><robndbox>{turned}</robndbox></object>"
    )
    np.testing.assert_allclose(read_truth(file, frames())[0].box, (45, 50, 55, 70))


def test_boxes_outside_the_frame_or_without_area_are_left_out_and_counted(tmp_path):
    file = write_voc(
        tmp_path / "a_0.xml", voc(box=(300, 0, 310, 9)), voc(box=(30, 20, 30, 40)), voc()
    )
    notes = []
    assert len(read_truth(file, frames(), notes=notes)) == 1
    assert notes == ["1 box outside the frame left out.", "1 box without area left out."]


def test_a_box_drawn_from_another_corner_is_the_same_box_and_counted(tmp_path):
    file = write_voc(tmp_path / "a_0.xml", voc(box=(30, 40, 10, 20)))
    notes = []
    assert read_truth(file, frames(), notes=notes)[0].box == (10, 20, 30, 40)
    assert notes == ["1 box was drawn from another corner."]


def test_files_that_match_no_frame_are_named(tmp_path):
    write_voc(tmp_path / "a_0.xml", voc())
    write_voc(tmp_path / "b_7.xml", voc())
    notes = []
    read_truth(tmp_path, frames(), notes=notes)
    assert notes == ["1 box file matches no frame, for example b_7.xml."]


def test_a_folder_for_other_frames_is_refused(tmp_path):
    write_voc(tmp_path / "b_7.xml", voc())
    with pytest.raises(
        FormatError, match=r"no frame is called b_7\. Frames here are called like: a_0\."
    ):
        read_truth(tmp_path, frames())


def test_a_table_counts_frames_from_zero_and_pixels_from_one(tmp_path):
    file = tmp_path / "IR_BIRD_006_boxes.csv"
    file.write_text("frame,x,y,w,h\n0,,,,\n1,11,21,5.5,6\n9,1,1,2,2\n")
    notes = []
    assert read_truth(file, frames(), notes=notes) == [TruthBox(1, 10, 20, 15.5, 26, "Bird")]
    assert notes == ["1 box past the last frame left out."]


def test_a_table_of_frames_may_give_corners(tmp_path):
    file = tmp_path / "boxes.csv"
    file.write_text("frame,xmin,ymin,xmax,ymax,label\n1,10,20,15.5,26,Bird\n2,,,,,\n")
    assert read_truth(file, frames()) == [TruthBox(1, 10, 20, 15.5, 26, "Bird")]


def test_names_of_images_count_more_than_numbers_of_frames(tmp_path):
    file = tmp_path / "boxes.csv"
    file.write_text("frame,filename,xmin,ymin,xmax,ymax\n7,a_0.png,1,2,9,8\n")
    assert [found.frame for found in read_truth(file, frames())] == [0]


def test_a_table_may_name_its_objects(tmp_path):
    file = tmp_path / "boxes.csv"
    file.write_text("Frame, x, y, w, h, name\n0,1,1,2,2,Drone\n0,1,1,2,2,\n")
    assert [found.name for found in read_truth(file, frames())] == ["Drone", "Target"]


def test_tracks_give_one_box_per_position_that_is_not_blank(tmp_path):
    place = {"x": 4, "y": 5, "width": 6, "height": 7}
    positions = [
        {**place, "frame_number": 1, "blank": False},
        {**place, "frame_number": 2, "blank": True},
    ]
    track = {"positions": positions, "predictions": [{"confident_tag": "possum"}]}
    (tmp_path / "p.txt").write_text(json.dumps({"tracks": [track]}))
    assert read_truth(tmp_path / "p.txt", frames()) == [TruthBox(1, 4, 5, 10, 12, "possum")]


def test_agt_truth_is_boxes_where_there_is_one_and_places_elsewhere(tmp_path):
    boxed = Target(type="PICKUP", ply_id="1", x=20.0, y=30.0, pix_box=(10, 20, 29, 39))
    placed = Target(type="SUV", ply_id="2", x=50.0, y=60.0)
    updates = (TargetUpdate(hint=1), TargetUpdate(targets=(boxed, placed), hint=2))
    write_agt(tmp_path / "a.agt", Agt(target_updates=updates))
    truth = read_truth(tmp_path / "a.agt", frames())
    assert truth == [TruthBox(1, 10, 20, 30, 40, "PICKUP", about=About(track=1)),
                     TruthBox(1, 50, 60, 50, 60, "SUV", about=About(track=2))]
    assert [found.is_point for found in truth] == [False, True]


def test_agt_truth_uses_the_box_metrics_beside_it(tmp_path):
    target = Target(type="SUV", ply_id="054", x=50.0, y=60.0)
    write_agt(tmp_path / "a.agt", Agt(target_updates=(TargetUpdate(targets=(target,), hint=1),)))
    row = ["site", "na", "base", "sensor", "scenario", "1", "54", "3", "0", "40", "52", *"1234567"]
    (tmp_path / "a.bbox_met").write_text(",".join(row) + "\n")
    assert read_truth(tmp_path / "a.agt", frames()) == [
        TruthBox(0, 40, 52, 60, 68, "SUV", about=About(track=54))]


BAD = {
    "empty.xml": b"",
    "cut.xml": b"<annotation><object><name>Car</name>",
    "text.xml": b"<annotation><object><bndbox><xmin>left</xmin></bndbox></object></annotation>",
    "nan.xml": b"<annotation><object><bndbox><xmin>nan</xmin></bndbox></object></annotation>",
    "bomb.xml": b'<!DOCTYPE a [<!ENTITY b "bbbb"><!ENTITY c '
                b'"&b;&b;">]><annotation>&c;</annotation>',
    "deep.xml": b"<a>" * 100_000,
    "binary.xml": bytes(range(256)),
    "word.csv": b"frame,x,y,w,h\nzero,1,2,3,4\n",
    "huge.csv": b"frame,x,y,w,h\n1e999,1,2,3,4\n",
    "other.csv": b"a,b,c\n1,2,3\n",
    "cut.txt": b'{"tracks": [{"positions": [{"x"',
    "shape.txt": b'{"tracks": [1, 2]}',
    "list.txt": b'{"tracks": {"positions": 7}}',
    "half.txt": b'{"tracks": [{"positions": [{"x": 1}]}]}',
    "deep.txt": b'{"tracks": ' + b"[" * 100_000,
    "bad.agt": b"\x00\x01\x02",
    "nothing.dat": b"\x00\x01\x02",
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_truth_file_is_one_format_error_of_one_line(tmp_path, name):
    (tmp_path / name).write_bytes(BAD[name])
    with pytest.raises(FormatError) as caught:
        read_truth(tmp_path / name, frames(1, names=()))
    assert name in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_file_and_an_empty_folder_are_format_errors(tmp_path):
    with pytest.raises(FormatError, match="cannot be opened"):
        read_truth(tmp_path / "none.xml", frames())
    with pytest.raises(FormatError, match=r"no \.xml file in this folder"):
        read_truth(tmp_path, frames())


HIT_UAV = {
    "night_130m_30deg_09949-09977": {"Car": 232},
    "night_130m_50deg_07191-07223": {"Car": 166, "Person": 59},
    "night_60m_30deg_00000-00149": {"Person": 2189, "DontCare": 98},
}


@pytest.mark.parametrize("run", HIT_UAV)
@pytest.mark.parametrize("kind", ["boxes_xml", "rotated_boxes_xml"])
def test_hit_uav_counts(shared_data, run, kind):
    folder = shared_data / "ir" / "hit_uav" / run
    with open_source(folder / "frames") as source:
        truth = read_truth(folder / kind, source)
    counts = Counter(found.name for found in truth)
    assert {name: counts[name] for name in HIT_UAV[run]} == HIT_UAV[run]
    assert {found.name for found in truth if found.ignore} <= {"DontCare"}
    assert max(found.frame for found in truth) < source.n_frames


def test_hit_uav_rotated_boxes_enclose_about_what_the_upright_ones_do(shared_data):
    folder = shared_data / "ir" / "hit_uav" / "night_130m_30deg_09949-09977"
    with open_source(folder / "frames") as source:
        upright, turned = (
            read_truth(folder / kind, source) for kind in ("boxes_xml", "rotated_boxes_xml")
        )

    def on_first_frame(truth):
        return sorted(found.box for found in truth if found.frame == 0)

    np.testing.assert_allclose(on_first_frame(upright), on_first_frame(turned), atol=1.5)


@pytest.mark.parametrize(("clip", "boxes"), [("IR_BIRD_006", 301), ("IR_DRONE_001", 301)])
def test_drone_video_has_one_box_per_frame(shared_data, clip, boxes):
    folder = shared_data / "ir" / "drone_ir_video"
    with open_source(folder / f"{clip}.mp4") as source:
        truth = read_truth(folder / "derived" / f"{clip}_boxes.csv", source)
        assert source.n_frames >= len({found.frame for found in truth})
    assert Counter(found.name for found in truth) == {clip.split("_")[1].capitalize(): len(truth)}
    assert abs(len(truth) - boxes) <= 1


def test_the_possum_walks_through_29_frames(shared_data):
    folder = shared_data / "ir" / "lepton16"
    with open_source(folder / "derived" / "possum_uint16.tif") as source:
        truth = read_truth(folder / "possum.txt", source)
    assert [found.frame for found in truth if found.name == "possum"] == list(range(39, 68))


def test_every_truth_of_the_shared_data_is_recognized(shared_data):
    infrared = shared_data / "ir"
    assert sniff_truth(infrared / "sirst_v2" / "boxes") == "voc"
    assert sniff_truth(infrared / "lepton16" / "possum.txt") == "tracks"
    assert sniff_truth(infrared / "drone_ir_video" / "derived" / "IR_BIRD_006_boxes.csv") == "table"


@pytest.mark.parametrize(("bound", "what"), [
    ("_MOST_BOXES", r"more than 2 boxes\. Split it"),
    ("_MOST_ON_FRAME", r"3 boxes on frame 1, more than 2\. Check that its frames are numbered"),
    ("_MOST_NAMES", r"3 names of classes, more than 2\. Check that its names are those of classes"),
])  # fmt: skip
def test_truth_that_is_about_something_else_is_refused(bound, what, tmp_path, monkeypatch):
    (tmp_path / "boxes.csv").write_text(
        "frame,x,y,w,h,name\n1,1,1,2,2,a\n1,1,1,2,2,b\n1,1,1,2,2,c\n"
    )
    monkeypatch.setattr(truth_module, bound, 2)
    with pytest.raises(FormatError, match=what):
        read_truth(tmp_path / "boxes.csv", frames())


def test_what_tracks_hold_besides_positions_takes_no_memory(tmp_path):
    (tmp_path / "p.txt").write_text('{"tracks": [], "others": [' + "{}," * 200_000 + "{}]}")
    assert peak_bytes(lambda: read_truth(tmp_path / "p.txt", frames())) < 4 << 20


def test_a_file_of_boxes_of_one_frame_has_a_bound_of_its_own(tmp_path):
    (tmp_path / "a_0.xml").write_text("<annotation>" + " " * (8 << 20) + "</annotation>")
    with pytest.raises(FormatError, match="more than 8 MiB of text"):
        read_truth(tmp_path / "a_0.xml", frames())


def test_a_table_whose_rows_are_short_is_read_as_far_as_it_goes(tmp_path):
    (tmp_path / "boxes.csv").write_text("frame,x,y,w,h\n0\n0,1\n1,1,1,2,2\n")
    assert len(read_truth(tmp_path / "boxes.csv", frames())) == 1
