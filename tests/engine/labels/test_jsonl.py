"""JSON Lines keep every label, class and source."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emberscope.base.errors import DataError, FormatError
from emberscope.labels.jsonl import LabelInstance, LabelSource, read_jsonl, schema, write_jsonl
from emberscope.labels.model import (
    DEFAULT_CLASSES,
    Box,
    FrameLabel,
    Ignore,
    Scribble,
    Spot,
    TargetClass,
)
from emberscope.labels.side_info import Actions, Distance, Invariance, Pair

number = st.floats(-1e7, 1e7)
common = {
    "id": st.integers(1, 2**40), "source": st.integers(1, 99), "frame": st.integers(0, 10**6),
    "class_id": st.integers(0, 99), "origin": st.text(max_size=20),
}  # fmt: skip
corners = {"x0": number, "y0": number, "x1": number, "y1": number}
any_label = st.one_of(
    st.builds(Spot, **common, x=number, y=number, rho=number),
    st.builds(
        Scribble, **common, points=st.lists(st.tuples(number, number), min_size=1).map(tuple)
    ),
    st.builds(Box, **common, **corners, core=st.none() | st.tuples(number, number, number, number)),
    st.builds(FrameLabel, **common, says=st.sampled_from(["contains", "empty", "complete"])),
    st.builds(Ignore, **common, **corners) | st.builds(Ignore, **common),
)
SPOT = Spot(id=11, source=3, frame=4, x=1.5, y=2)


@given(st.lists(any_label))
def test_every_label_comes_back_as_it_was(tmp_path_factory, labels):
    path = tmp_path_factory.mktemp("jsonl") / "labels.jsonl"
    write_jsonl(path, labels, classes=DEFAULT_CLASSES)
    assert read_jsonl(path).labels == labels


def test_classes_and_sources_come_back(tmp_path):
    classes = [*DEFAULT_CLASSES, TargetClass(id=12, name="Überwagen", role=1, slot=3)]
    sources = [LabelSource(id=3, name="pass_03.arf", path="/data/pass_03.arf", fingerprint="ab12")]
    write_jsonl(tmp_path / "l.jsonl", [SPOT], classes=classes, sources=sources)
    back = read_jsonl(tmp_path / "l.jsonl")
    assert (back.classes, back.sources) == (classes, sources)


def test_side_information_comes_back_with_the_pixels_of_its_instances(tmp_path):
    instances = [LabelInstance(id=5, source=3, frame=4, box=(1, 2, 9.5, 10)),
                 LabelInstance(id=6, source=3, frame=4, box=(5, 2, 13, 10))]
    side = [
        Pair(id=20, a=5, b=6, same=False, attribute="engine", origin="lasso", weight=0.25),
        Distance(id=21, a=5, b=6, distance=30, unit="deg"),
        Invariance(id=22, family="rotate", step=5, reach=45),
        Actions(id=23, instances=(5, 6), actions=("pan",)),
    ]
    write_jsonl(
        tmp_path / "l.jsonl", [SPOT], classes=DEFAULT_CLASSES, instances=instances, side=side
    )
    back = read_jsonl(tmp_path / "l.jsonl")
    assert (back.labels, back.instances, back.side) == ([SPOT], instances, side)


def test_each_line_is_one_json_object_told_apart_by_kind(tmp_path):
    write_jsonl(tmp_path / "l.jsonl", [SPOT], classes=DEFAULT_CLASSES)
    lines = [json.loads(line) for line in (tmp_path / "l.jsonl").read_text().splitlines()]
    assert [line["kind"] for line in lines] == ["header", "class", "class", "spot"]


def test_the_schema_names_every_kind_of_line():
    found = json.dumps(schema())
    for kind in (
        "header",
        "source",
        "class",
        "spot",
        "scribble",
        "box",
        "frame",
        "ignore",
        "instance",
        "pair",
        "distance",
        "invariance",
        "actions",
    ):
        assert f'"{kind}"' in found


@pytest.mark.parametrize(
    ("lines", "what"),
    [
        (b"", "an empty file"),
        (b"P5 640 512\n", "line 1"),
        (
            b'{"kind":"spot","id":1,"source":1,"frame":0,"x":1,"y":1}\n',
            "the first line is no header",
        ),
        (b'{"kind":"header","version":9}\n', "version 9, known is 3"),
        (b'{"kind":"header"}\n{"kind":"header"}\n', "byte 18: a second header"),
        (b'{"kind":"header"}\n{"kind":"spot","id":"x"}\n', "byte 18: line 2"),
        (b'{"kind":"header"}\n{"kind":"class","id":1,"name":"x","role":1,"slot":300}\n', "slot"),
        (b'{"kind":"header"}\n\xff\xfe\n', "byte 18: line 2"),
        (b'{"kind":"header"}\n' + b"[" * 100_000, "byte 18: line 2"),
    ],
)
def test_a_file_of_something_else_says_where_it_goes_wrong(tmp_path, lines, what):
    (tmp_path / "l.jsonl").write_bytes(lines)
    with pytest.raises(FormatError) as caught:
        read_jsonl(tmp_path / "l.jsonl")
    assert what in str(caught.value)


def test_a_missing_file_is_a_format_error(tmp_path):
    with pytest.raises(FormatError, match="cannot be opened: No such file"):
        read_jsonl(tmp_path / "none.jsonl")


def test_a_failed_write_leaves_the_old_file_and_no_rest(tmp_path):
    path = tmp_path / "l.jsonl"
    write_jsonl(path, [SPOT], classes=DEFAULT_CLASSES)
    with pytest.raises(DataError, match="label 12 has a coordinate that is not finite"):
        write_jsonl(
            path, [Spot(id=12, source=1, frame=0, x=float("nan"), y=0)], classes=DEFAULT_CLASSES
        )
    assert read_jsonl(path).labels == [SPOT]
    assert list(tmp_path.iterdir()) == [path]
