"""What truth says beside boxes comes in as columns, and goes out again."""

import json
from types import SimpleNamespace

import pytest

from emberscope.frames.truth.agt import Agt, Target, TargetUpdate, write_agt
from emberscope.labels.columns import columns_in_name
from emberscope.labels.formats.items import Item, Out, OutClip, OutFrame
from emberscope.labels.formats.table import FORMATS
from emberscope.labels.model import About
from emberscope.labels.truth import read_truth
from emberscope.labels.truth_objects import Facts

CLIP = SimpleNamespace(
    uri="a", n_frames=2, shape=(100, 200), frame_meta=lambda index: {"name": f"a_{index}.png"}
)


def read(path, text=None):
    """What is said of each box, of frames, and of the clip."""
    if text is not None:
        path.write_text(text)
    facts = Facts()
    found = read_truth(path, CLIP, facts=facts)
    return [box.about and box.about.columns for box in found], facts.frames, facts.clip


def test_range_aspect_obscuration_and_keywords_of_agt(tmp_path):
    target = Target(
        type="T72",
        ply_id="7",
        x=20.0,
        y=30.0,
        pix_box=(10, 20, 29, 39),
        range_m=1500.0,
        aspect=90.0,
        keywords={"Speed": (12.5, "km/h")},
        relative={"Obscuration": 30},
    )
    update = TargetUpdate(targets=(target,), hint=1)
    write_agt(tmp_path / "a.agt", Agt(project={"Site": "hill"}, target_updates=(update,)))
    boxes, _, clip = read(tmp_path / "a.agt")
    assert boxes == [{"range": 1500.0, "aspect": 90.0, "Speed": 12.5, "obscuration": 30.0}]
    assert clip == {"site": "hill"}


def test_a_player_without_a_number_is_a_target_id(tmp_path):
    target = Target(type="T72", ply_id="BRAVO", x=20.0, y=30.0)
    write_agt(tmp_path / "a.agt", Agt(target_updates=(TargetUpdate(targets=(target,), hint=1),)))
    assert read(tmp_path / "a.agt")[0] == [{"target id": "BRAVO"}]


def test_difficult_truncated_pose_and_attributes_of_voc(tmp_path):
    said = ("<pose>Left</pose><truncated>1</truncated><difficult>0</difficult>"
            "<attributes><attribute><name>depth</name><value>3</value></attribute></attributes>")
    box = "<bndbox><xmin>1</xmin><ymin>2</ymin><xmax>9</xmax><ymax>8</ymax></bndbox>"
    boxes, _, _ = read(
        tmp_path / "a_0.xml",
        f"<annotation><object><name>Car</name>{said}{box}</object></annotation>",
    )
    assert boxes == [{"pose": "Left", "truncated": True, "difficult": False, "depth": 3.0}]


def test_what_voc_leaves_out_is_missing(tmp_path):
    box = "<bndbox><xmin>1</xmin><ymin>2</ymin><xmax>9</xmax><ymax>8</ymax></bndbox>"
    text = (
        f"<annotation><object><name>Car</name><pose>Unspecified</pose>{box}</object></annotation>"
    )
    assert read(tmp_path / "a_0.xml", text)[0] == [None]


def test_attributes_of_cvat_of_boxes_and_of_whole_images(tmp_path):
    shape = (
        '<box label="car" xtl="1" ytl="2" xbr="9" ybr="8"><attribute '
        'name="moving">true</attribute></box>'
    )
    tag = '<tag label="sky"><attribute name="light">night</attribute></tag>'
    text = (
        '<annotations><version>1.1</version><image '
        f'name="a_0.png">{shape}{tag}</image></annotations>'
    )
    boxes, frames, _ = read(tmp_path / "a.xml", text)
    assert boxes == [{"moving": True}]
    assert frames == {0: {"light": "night"}}


def test_attributes_of_coco_of_boxes_and_of_images(tmp_path):
    image = {"id": 1, "file_name": "a_1.png", "attributes": {"altitude": 60}}
    found = {
        "image_id": 1,
        "bbox": [1, 2, 3, 4],
        "attributes": {"occluded": "yes", "range": "1500", "parts": [1]},
    }
    boxes, frames, _ = read(
        tmp_path / "a.json", json.dumps({"images": [image], "annotations": [found]})
    )
    assert boxes == [{"range": 1500.0}]
    assert frames == {1: {"altitude": 60.0}}


def test_fields_of_atr_truth_of_boxes_and_of_frames(tmp_path):
    found = {"class": "T72", "shape": {"data": [11, 6, 10, 4]}, "range": 1500}
    truth = {"fileUID": "a", "frameAnnotations": {"f2": {"annotations": [found], "light": "night"}}}
    boxes, frames, _ = read(tmp_path / "a.truth.json", json.dumps(truth))
    assert boxes == [{"range": 1500.0}]
    assert frames == {1: {"light": "night"}}


def test_other_columns_of_a_table_of_boxes(tmp_path):
    text = ("Frame;X;Y;W;H;Name;Range (m);Day/Night;\n"
            "0;3;4;9;8;T72;1510,5;Night;\n1;3;4;9;8;T72;;;\n")
    assert read(tmp_path / "a.csv", text)[0] == [{"Range (m)": 1510.5, "Day/Night": "Night"}, None]


def test_other_columns_of_a_table_of_images(tmp_path):
    text = "filename,class,xmin,ymin,xmax,ymax,aspect\na_1.png,car,1,2,9,8,90\n"
    assert read(tmp_path / "a.csv", text)[0] == [{"aspect": 90.0}]


@pytest.mark.parametrize("text", [
    ",frame,x,y,w,h\n5,0,3,4,9,8\n", ",filename,xmin,ymin,xmax,ymax\n5,a_0.png,1,2,9,8\n",
])  # fmt: skip
def test_numbers_of_rows_in_a_column_without_a_name_are_neither_class_nor_target(tmp_path, text):
    path = tmp_path / "a.csv"
    path.write_text(text)
    (box,) = read_truth(path, CLIP)
    assert (box.name, box.about) == ("Target", None)


@pytest.mark.parametrize(("cell", "track", "columns"), [
    ("7", 7, {}), ("BRAVO", None, {"target id": "BRAVO"}), ("", None, {}),
])  # fmt: skip
def test_target_and_occlusion_of_a_table_of_boxes(tmp_path, cell, track, columns):
    path = tmp_path / "a.csv"
    path.write_text(f"frame,x,y,w,h,Target ID,occluded\n0,3,4,9,8,{cell},yes\n")
    (box,) = read_truth(path, CLIP)
    assert box.about == About(track=track, occluded=True, columns=columns)


@pytest.mark.parametrize(("stem", "columns"), [
    ("cegr02005_0011", {"light": "day", "nominal range": 1500.0}),
    ("CEGR01939_0001", {"light": "night", "nominal range": 5000.0}),
    ("1_130_30_0_09949", {"light": "night", "altitude": 130.0, "camera angle": 30.0}),
    ("0_60_90_0_00001", {"light": "day", "altitude": 60.0, "camera angle": 90.0}),
    ("cegr02004_0011", {}), ("2_60_90_0_00001", {}), ("frame_000001", {}),
])
def test_names_of_two_data_sets_say_light_range_and_place(stem, columns):
    assert columns_in_name(stem) == columns


@pytest.mark.parametrize("form", [row.id for row in FORMATS.values() if "columns" in row.holds])
def test_columns_of_a_label_come_back_from_every_format_that_holds_them(tmp_path, form):
    columns = {"range": 1500.0, "moving": True, "site": "hill", "truncated": False}
    item = Item("box", "Car", ((1.0, 2.0), (9.0, 8.0)), about=About(track=7, columns=columns))
    plain = Item("box", "Car", ((11.0, 2.0), (19.0, 8.0)))
    frame = OutFrame(0, "a_0.png", "a_0", [item, plain])
    FORMATS[form].write(Out([OutClip("a", 200, 100, 2, [frame])], ["Car"]), tmp_path)
    boxes, _, _ = read(tmp_path / FORMATS[form].truth.format("a"))
    assert sorted(boxes, key=bool) in ([None, columns], [{}, columns])


def test_range_and_aspect_come_back_from_agt_and_a_label_without_a_track_gets_none(tmp_path):
    item = Item(
        "box",
        "Car",
        ((1.0, 2.0), (9.0, 8.0)),
        about=About(columns={"range": 1500.0, "aspect": 90.0}),
    )
    frame = OutFrame(0, "a_0.png", "a_0", [item])
    FORMATS["agt"].write(Out([OutClip("a", 200, 100, 2, [frame])], ["Car"]), tmp_path)
    found = read_truth(tmp_path / "a.agt", CLIP)
    assert found[0].about == About(columns={"range": 1500.0, "aspect": 90.0})
