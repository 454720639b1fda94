"""VOC files as many tools write them."""

from types import SimpleNamespace

import pytest

from emberscope.base.errors import FormatError
from emberscope.labels import truth
from emberscope.labels.image_names import Named
from emberscope.labels.truth import TruthBox, read_truth

POLYGON = "<polygon><x1>20</x1><y1>20</y1><x2>30</x2><y2>20</y2><x3>30</x3><y3>35</y3></polygon>"
LABELME = (
    "<polygon><pt><x>40</x><y>20</y></pt><pt><x>50</x><y>22</y></pt>"
    "<pt><x>44</x><y>30</y></pt></polygon>"
)


def frames(*names, shape=(48, 64)):
    return SimpleNamespace(
        uri="folder", n_frames=len(names), shape=shape, frame_meta=lambda i: {"name": names[i]}
    )


def bndbox(x0, y0, x1, y1):
    return f"<bndbox><xmin>{x0}</xmin><ymin>{y0}</ymin><xmax>{x1}</xmax><ymax>{y1}</ymax></bndbox>"


def thing(inside, name="Car"):
    return f"<object><name>{name}</name>{inside}</object>"


def read(folder, *objects, top=""):
    """The truth of one picture of 64 x 48 px, and the sentences about it."""
    (folder / "a.xml").write_text(
        f"<annotation>{top}{''.join(objects)}</annotation>", encoding="utf-8"
    )
    notes = []
    return read_truth(folder / "a.xml", frames("a.png"), notes=notes), notes


def test_outlines_become_the_boxes_around_them(tmp_path):
    found, _ = read(tmp_path, thing(POLYGON), thing(LABELME))
    assert [box.box for box in found] == [(20, 20, 30, 35), (40, 20, 50, 30)]


def test_a_box_counts_before_the_outline_of_the_same_object(tmp_path):
    assert read(tmp_path, thing(bndbox(1, 2, 3, 4) + POLYGON))[0][0].box == (1, 2, 3, 4)


def test_a_point_is_a_place_without_extent(tmp_path):
    (found,), _ = read(tmp_path, thing("<point><x>7</x><y>8</y></point>"))
    assert (found.box, found.is_point) == ((7, 8, 7, 8), True)


def test_objects_without_a_place_or_deleted_ones_are_counted(tmp_path):
    found, notes = read(
        tmp_path, thing(""), thing("<deleted>1</deleted>" + bndbox(1, 2, 3, 4)), thing(POLYGON)
    )
    assert len(found) == 1
    around = "1 box was put around outlines, which can be kept as they are drawn."
    assert notes == [
        around,
        "1 object marked as deleted left out.",
        "1 object without a box or outline left out.",
    ]


def test_the_boxes_of_parts_are_not_objects(tmp_path):
    found, _ = read(
        tmp_path, thing(bndbox(1, 2, 3, 4) + f"<part><name>wheel</name>{bndbox(1, 1, 2, 2)}</part>")
    )
    assert [box.box for box in found] == [(1, 2, 3, 4)]


def test_the_same_object_twice_is_one_box(tmp_path):
    found, notes = read(tmp_path, thing(bndbox(1, 2, 3, 4)) * 2)
    assert (len(found), notes) == (1, ["1 box drawn twice left out."])


def test_names_in_a_name_space_are_read(tmp_path):
    text = f'<v:annotation xmlns:v="http://voc">{thing(bndbox(1, 2, 3, 4))}</v:annotation>'
    (tmp_path / "a.xml").write_text(text.replace("<object>", '<object xmlns="http://voc">'))
    assert len(read_truth(tmp_path / "a.xml", frames("a.png"))) == 1


def test_a_document_type_without_entities_is_harmless(tmp_path):
    (tmp_path / "a.xml").write_text(
        f"<!DOCTYPE annotation><annotation>{thing(bndbox(1, 2, 3, 4))}</annotation>"
    )
    assert len(read_truth(tmp_path / "a.xml", frames("a.png"))) == 1


def test_a_comma_may_be_the_decimal_point(tmp_path):
    assert read(tmp_path, thing(bndbox("1,5", "2,0", "3,5", "4,0")))[0][0].box == (1.5, 2, 3.5, 4)


@pytest.mark.parametrize(("encoding", "a", "b"), [
    ("GBK", "行人", "汽车"), ("windows-1252", "Füße", "Föäe"), ("UTF-16", "person", "car"),
    ("Shift_JIS", "車", "人"),
])  # fmt: skip
def test_classes_have_the_names_of_the_encoding_that_is_declared(tmp_path, encoding, a, b):
    inside = thing(bndbox(1, 2, 3, 4), a) + thing(bndbox(5, 6, 7, 8), b)
    text = f'<?xml version="1.0" encoding="{encoding}"?><annotation>{inside}</annotation>'
    (tmp_path / "a.xml").write_bytes(text.encode(encoding.replace("windows-", "cp")))
    assert [box.name for box in read_truth(tmp_path / "a.xml", frames("a.png"))] == [a, b]


def test_two_classes_in_an_encoding_that_nothing_declares_stay_two_and_it_is_said(tmp_path):
    inside = thing(bndbox(1, 2, 3, 4), "行人") + thing(bndbox(5, 6, 7, 8), "汽车")
    (tmp_path / "a.xml").write_bytes(f"<annotation>{inside}</annotation>".encode("gbk"))
    notes = []
    found = read_truth(tmp_path / "a.xml", frames("a.png"), notes=notes)
    assert len({box.name for box in found}) == 2
    assert notes == [
        "a.xml is neither in UTF-8 nor in an encoding that the file declares; names may look odd."
    ]


def test_one_bad_file_among_twenty_costs_that_file_and_is_named(tmp_path):
    names = [f"f{k:02d}" for k in range(20)]
    for name in names:
        (tmp_path / f"{name}.xml").write_text(
            f"<annotation>{thing(bndbox(1, 2, 3, 4))}</annotation>"
        )
    (tmp_path / "f07.xml").write_text("")
    notes = []
    found = read_truth(tmp_path, frames(*(f"{name}.png" for name in names)), notes=notes)
    assert [box.frame for box in found] == [k for k in range(20) if k != 7]
    assert notes == ["f07.xml is left out, 1 of 20 files: the file is empty."]


def test_where_no_file_can_be_read_the_first_says_why(tmp_path):
    for name in "ab":
        (tmp_path / f"{name}.xml").write_text("<annotation>")
    with pytest.raises(FormatError, match=r"a\.xml: not well-formed xml"):
        read_truth(tmp_path, frames("a.png", "b.png"))


SIZE = "<size><width>64</width><height>48</height></size>"


@pytest.mark.parametrize(("top", "boxes", "first"), [
    ("<source><database>The VOC2007 Database</database></source>", [(11, 11, 20, 20)],
     (10, 10, 20, 20)),
    (SIZE, [(1, 1, 64, 48)], (0, 0, 64, 48)),
    (SIZE, [(1, 1, 64, 40), (0, 5, 9, 9)], (1, 1, 64, 40)),
    (SIZE, [(11, 11, 20, 20)], (11, 11, 20, 20)),
])  # fmt: skip
def test_corners_count_from_one_where_the_files_tell(tmp_path, top, boxes, first):
    found, notes = read(tmp_path, *(thing(bndbox(*box)) for box in boxes), top=top)
    assert found[0].box == first
    assert ("Its corners count pixels from 1, as in the VOC data sets." in notes) == (
        first != boxes[0]
    )


def test_frames_of_a_video_are_named_by_their_numbers_from_zero(tmp_path):
    for number in (0, 7):
        (tmp_path / f"frame_{number:06d}.xml").write_text(
            f"<annotation>{thing(bndbox(1, 2, 3, 4))}</annotation>"
        )
    clip = SimpleNamespace(uri="clip.mp4", n_frames=10, shape=(48, 64), frame_meta=lambda i: {})
    assert read_truth(tmp_path, clip) == [
        TruthBox(0, 1, 2, 3, 4, "Car"),
        TruthBox(7, 1, 2, 3, 4, "Car"),
    ]


def test_an_object_without_a_name_is_a_target_and_it_is_said(tmp_path):
    (found,), notes = read(tmp_path, f"<object>{bndbox(1, 2, 3, 4)}</object>")
    assert (found.name, notes) == ("Target", ["1 box was without a name, and called Target."])


def test_one_image_of_a_folder_of_many_is_read_without_a_list_of_all(tmp_path, monkeypatch):
    read(tmp_path, thing(bndbox(1, 2, 3, 4)))
    listed = []
    monkeypatch.setattr(truth, "box_files", lambda *asked: listed.append(asked) or [])
    mine = {Named(tmp_path / "a.xml", "a.png"): 0}
    (found,) = read_truth(tmp_path, frames("a.png"), frames=mine)
    assert (found.box, listed) == ((1, 2, 3, 4), [])
