"""Labels whose numbers came from numpy are those of Python, so that a file keeps them; what is no
number is refused."""

import numpy as np
import pytest

from emberscope.base.errors import DataError
from emberscope.labels import Box, FrameLabel, Ignore, Scribble, Spot
from emberscope.labels.side_info import Actions, Distance, Invariance, Pair
from emberscope.project import Project, PutLabels, from_record, to_record
from emberscope.project.store.file import load, save

F, K = np.float32(12.5), np.int64(7)
AT = {"id": K, "source": np.int32(1), "frame": np.uint16(3), "class_id": np.int8(1)}
LABELS = [
    Box(**AT, x0=F, y0=np.float64(3), x1=np.float16(40), y1=K, looseness=F,
        core=np.array([1, 2, 3, 4.0])),
    Spot(**AT, x=F, y=K, rho=np.float32(5)),
    Scribble(**AT, points=np.array([[1, 2], [3.5, 4]]), rho=F, certain=np.True_),
    FrameLabel(**AT), Ignore(**AT, x0=F, y0=F, x1=K * 9, y1=K * 9), Ignore(**AT),
]  # fmt: skip
SIDE = [
    Pair(id=K, a=np.int64(1), b=np.int64(2), same=np.True_),
    Distance(id=K, a=K, b=np.int64(2), distance=F),
    Invariance(id=K, family="translate", step=np.float32(1), reach=F),
    Actions(id=K, instances=np.arange(2), actions=["pan"]),
]  # fmt: skip


def kinds(value):
    """Types of all values in a record."""
    if isinstance(value, tuple):
        return set().union(*map(kinds, value)) if value else set()
    return {type(value)}


@pytest.mark.parametrize("record", [*LABELS, *SIDE], ids=lambda record: type(record).__name__)
def test_a_record_made_of_numbers_of_numpy_holds_those_of_python(record):
    found = set().union(*(kinds(getattr(record, name)) for name in record.__struct_fields__))
    assert found <= {int, float, str, bool, type(None)}


@pytest.mark.parametrize("label", LABELS, ids=lambda label: type(label).__name__)
def test_such_a_label_is_journaled_saved_and_read_back(label, tmp_path):
    operation, project = PutLabels(after=[label]), Project()
    assert from_record(to_record(operation)).after == [label]
    project.apply(operation)
    save(project, tmp_path / "p.ember")
    assert list(load(tmp_path / "p.ember").labels) == [label]


def test_numbers_of_numpy_are_the_same_label_as_those_of_python():
    of_numpy = Box(
        id=7, source=1, frame=3, x0=np.float32(1), y0=np.float64(2), x1=np.int64(3), y1=4.0
    )
    assert of_numpy == Box(id=7, source=1, frame=3, x0=1.0, y0=2.0, x1=3, y1=4.0)


@pytest.mark.parametrize(("made", "words"), [
    (lambda: Box(id=1, source=1, frame=0, x0="4", y0=0.0, x1=9.0, y1=9.0), "Box: x0 is '4'"),
    (lambda: Spot(id=1, source=1, frame=0, x=[4], y=0.0), "Spot: x is"),
    (lambda: Ignore(id=1, source=1, frame=1.5), "Ignore: frame is 1.5"),
    (lambda: FrameLabel(id=1, source="a", frame=0), "FrameLabel: source is 'a'"),
])  # fmt: skip
def test_what_is_no_number_is_refused_when_the_label_is_made(made, words):
    with pytest.raises(DataError, match=words) as refused:
        made()
    assert "Give a " in refused.value.hint
