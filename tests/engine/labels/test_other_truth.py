"""Truth of other programs: read with all its objects, or refused in one line that says what it
is."""

import json
from types import SimpleNamespace

import pytest

from emberscope.base.errors import FormatError
from emberscope.labels.truth import TruthBox, read_truth, sniff_truth


def frames(*names, n=3, shape=(48, 64)):
    meta = {"frame_meta": lambda i: {"name": names[i]} if names else {}}
    return SimpleNamespace(uri="folder", n_frames=len(names) or n, shape=shape, **meta)


def written(path, content):
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


COCO = {
    "images": [{"id": 1, "file_name": "f0.png", "width": 64, "height": 48},
               {"id": 2, "file_name": "f1.png", "width": 128, "height": 96}],
    "annotations": [
        {"id": 1, "image_id": 1, "category_id": 3, "bbox": [10, 10, 10, 5]},
        {"id": 2, "image_id": 2, "category_id": 3, "bbox": [20, 20, 20, 20]},
        {"id": 3, "image_id": 1, "category_id": 4, "segmentation": [[1, 2, 5, 2, 5, 9]]},
        {"id": 4, "image_id": 1, "category_id": 3, "bbox": [30, 10, 10, 10], "iscrowd": 1},
        {"id": 5, "image_id": 1, "category_id": 3},
    ],
    "categories": [{"id": 3, "name": "car"}, {"id": 4, "name": "person"}],
}  # fmt: skip


def test_coco_boxes_and_outlines_go_to_the_pictures_they_name(tmp_path):
    notes = []
    found = read_truth(written(tmp_path / "c.json", COCO), frames("f0.png", "f1.png"), notes=notes)
    assert found == [
        TruthBox(0, 10, 10, 20, 15, "car"), TruthBox(0, 1, 2, 5, 9, "person"),
        TruthBox(0, 30, 10, 40, 20, "car", ignore=True), TruthBox(1, 10, 10, 20, 20, "car"),
    ]  # fmt: skip
    assert "1 object without a box or outline left out." in notes


def test_coco_with_tracks_is_not_taken_for_a_tracker_file(tmp_path):
    assert sniff_truth(written(tmp_path / "c.json", {**COCO, "tracks": [{"id": 1}]})) == "coco"


def test_labelme_shapes_become_boxes(tmp_path):
    shapes = [{"label": "car", "points": [[20, 20], [10, 10]], "shape_type": "rectangle"},
              {"label": "hot", "points": [[30, 30], [33, 34]], "shape_type": "circle"},
              {"label": "spot", "points": [[7, 8]], "shape_type": "point"}]
    file = {
        "shapes": shapes,
        "imagePath": "f1.png",
        "imageHeight": 48,
        "imageWidth": 64,
        "imageData": None,
    }
    found = read_truth(written(tmp_path / "x.json", file), frames("f0.png", "f1.png"))
    assert [(box.frame, box.box, box.name) for box in found] == [
        (1, (10, 10, 20, 20), "car"), (1, (25, 25, 35, 35), "hot"), (1, (7, 8, 7, 8), "spot"),
    ]  # fmt: skip


def test_a_folder_of_labelme_files_is_truth_of_its_pictures(tmp_path):
    for k in range(2):
        shape = {"label": "car", "points": [[1, 1], [5, 5]], "shape_type": "rectangle"}
        written(tmp_path / f"f{k}.json", {"shapes": [shape], "imagePath": f"f{k}.png"})
    assert [box.frame for box in read_truth(tmp_path, frames("f0.png", "f1.png"))] == [0, 1]


def test_a_table_of_pictures_has_all_that_voc_has(tmp_path):
    header = "filename,width,height,class,xmin,ymin,xmax,ymax"
    table = f"{header}\nf1.png,128,96,car,20,20,40,40\nf0.png,64,48,,1,2,3,4\n"
    found = read_truth(written(tmp_path / "t.csv", table), frames("f0.png", "f1.png"))
    assert found == [TruthBox(0, 1, 2, 3, 4, "Target"), TruthBox(1, 10, 10, 20, 20, "car")]


def test_a_table_may_be_separated_by_semicolons_and_written_by_excel(tmp_path):
    (tmp_path / "t.csv").write_bytes("frame;x;y;w;h;name\n1;2;3;4;5;行人\n".encode("utf-16"))
    assert read_truth(tmp_path / "t.csv", frames()) == [TruthBox(1, 1, 2, 5, 7, "行人")]


CVAT_BOX = (
    '<box label="car" frame="{}" outside="{}" keyframe="1" xtl="{}" ytl="10" xbr="{}" ybr="20"/>'
)


def test_cvat_tracks_are_filled_in_between_key_frames_and_end_where_they_say(tmp_path):
    boxes = (
        CVAT_BOX.format(0, 0, 10, 20)
        + CVAT_BOX.format(2, 0, 20, 30)
        + CVAT_BOX.format(3, 1, 20, 30)
    )
    text = (
        '<annotations><version>1.1</version><track id="0" '
        f'label="car">{boxes}</track></annotations>'
    )
    notes = []
    found = read_truth(written(tmp_path / "v.xml", text), frames(n=6), notes=notes)
    assert [(box.frame, box.x0) for box in found] == [(0, 10), (1, 15), (2, 20)]
    assert notes[0] == "1 box between key frames was filled in, as CVAT does."


def test_cvat_images_are_matched_by_their_names(tmp_path):
    outline = '<polygon label="hot" points="5,5;9,5;9,8"/>'
    shapes = f'<box label="car" xtl="1" ytl="2" xbr="3" ybr="4"/>{outline}<tag label="x"/>'
    text = (
        '<annotations><version>1.1</version><image id="0" name="d/f1.png" width="64" '
        f'height="48">{shapes}</image>'
    )
    notes = []
    found = read_truth(
        written(tmp_path / "i.xml", text + "</annotations>"),
        frames("f0.png", "f1.png"),
        notes=notes,
    )
    assert found == [TruthBox(1, 1, 2, 3, 4, "car"), TruthBox(1, 5, 5, 9, 8, "hot")]
    assert notes == ["1 box was put around outlines, which can be kept as they are drawn.",
                     "1 object without a box, as tags of whole images, left out."]


@pytest.mark.parametrize(("name", "content", "what"), [
    ("a.txt", "0 0.234375 0.3125 0.15625 0.208333\n", "a YOLO file"),
    ("groundtruth_rect.txt", "10,10,10,10\n10,11,10,10\n", "one x,y,w,h per frame"),
    ("IR_label.json", {"exist": [1], "gt_rect": [[1, 2, 3, 4]]}, "an Anti-UAV file"),
    ("via.csv",
     "filename,file_size,file_attributes,region_count,region_id,region_shape_attributes\n",
     "VGG Image Ann"),
    ("metadata.jsonl", {"file_name": "f0.png", "objects": {"bbox": []}}, "Hugging Face"),
    ("x.json", {"weather": "rain"}, "JSON of no kind of truth"),
])  # fmt: skip
def test_what_is_not_read_is_called_by_its_name(tmp_path, name, content, what):
    with pytest.raises(FormatError, match=what):
        sniff_truth(written(tmp_path / name, content))


def test_the_objects_of_a_file_are_taken_or_counted_whatever_they_are(tmp_path):
    shapes = [
        {"label": "a", "points": points, "shape_type": "polygon"}
        for points in (
            [[1, 1], [5, 5]],
            [],
            [[90, 90], [95, 95]],
            [[1, 1], [5, 5]],
            [[3, 3], [3, 9]],
        )
    ]
    notes = []
    found = read_truth(written(tmp_path / "f0.json", {"shapes": shapes, "imagePath": "f0.png"}),
                       frames("f0.png"), notes=notes)
    left = sum(int(note.split()[0]) for note in notes if note.endswith("left out."))
    assert len(found) + left == len(shapes)


@pytest.mark.parametrize("name", ["frame_000002", "frame_000002.PNG"])
def test_images_named_by_the_frames_of_a_video_are_its_frames(tmp_path, name):
    box = '<box label="car" xtl="1" ytl="2" xbr="3" ybr="4"/>'
    text = (
        f'<annotations><version>1.1</version><image id="0" name="{name}" width="64" '
        f'height="48">{box}</image>'
    )
    found = read_truth(written(tmp_path / "i.xml", text + "</annotations>"), frames())
    assert found == [TruthBox(2, 1, 2, 3, 4, "car")]


@pytest.mark.parametrize(("content", "what"), [
    ('{"images": [], "annotations": [{"image_id"', "it is cut off, or no JSON"),
    ('{"images": [{"file_name": "a"}], "annotations": []}',
     r"its lists are not as expected at images\[0\]"),
    ('{"shapes": 7, "imagePath": "f0.png"}', "it is not as expected at shapes"),
])  # fmt: skip
def test_damaged_truth_says_where_in_plain_words(tmp_path, content, what):
    with pytest.raises(FormatError, match=what):
        read_truth(written(tmp_path / "f0.json", content), frames("f0.png"))


PLAIN = "frame,x,y,w,h\n0,11,11,10,10\n2,11,11,10,10\n"


@pytest.mark.parametrize(
    "data",
    [
        b"# boxes of clip\n" + PLAIN.encode(),
        b"% exported, by hand\n\n// twice\n" + PLAIN.encode(),
        b"# " + PLAIN.encode(),
        b"sep=;\n" + PLAIN.replace(",", ";").encode(),
        PLAIN.replace(",", "|").encode(),
        PLAIN.replace(",", "  ").encode(),
        PLAIN.replace("\n", "\r").encode(),
        PLAIN.replace("\n2,", "\nframe,x,y,w,h\n2,").encode(),
        PLAIN.replace("\n2,", "\n# the second half\n2,").encode(),
        PLAIN.encode("utf-16-le"),
        PLAIN.encode("utf-16-be"),
    ],
    ids=["comment", "comments", "commented-header", "excel", "bars", "blanks", "old-mac",
         "header-again", "comment-between", "utf-16-le", "utf-16-be"],
)  # fmt: skip
def test_a_table_of_boxes_is_read_however_it_is_written(tmp_path, data):
    (tmp_path / "boxes.csv").write_bytes(data)
    found = read_truth(tmp_path / "boxes.csv", frames())
    assert [(box.frame, box.box) for box in found] == [
        (0, (10.0, 10.0, 20.0, 20.0)), (2, (10.0, 10.0, 20.0, 20.0)),
    ]  # fmt: skip


def test_a_row_without_all_of_its_numbers_is_counted(tmp_path):
    (tmp_path / "boxes.csv").write_text(PLAIN + "1,5,5,4,\n1,,,,\n")
    notes = []
    read_truth(tmp_path / "boxes.csv", frames(), notes=notes)
    assert notes == ["1 box of which a number is missing left out."]


def test_a_table_of_other_columns_is_refused_by_their_names(tmp_path):
    file = written(tmp_path / "clip.csv", "frame;left;top\n0;1;2\n")
    with pytest.raises(FormatError, match="not a truth file: its columns are frame, left, top"):
        sniff_truth(file)


def test_an_empty_file_is_said_to_be_empty(tmp_path):
    with pytest.raises(FormatError, match="an empty file, not a truth file"):
        sniff_truth(written(tmp_path / "clip.csv", ""))


@pytest.mark.parametrize(("numbers", "said"), [
    ((1, 2, 3), True), ((0, 1, 3), False), ((1, 2), False), ((1, 2, 4), False),
])
def test_a_table_whose_frames_seem_to_count_from_1_says_so(numbers, said, tmp_path):
    notes = []
    rows = "".join(f"{number},11,11,10,10\n" for number in numbers)
    read_truth(written(tmp_path / "clip.csv", f"frame,x,y,w,h\n{rows}"), frames(n=3), notes=notes)
    assert any("seem to count from 1" in note for note in notes) == said
