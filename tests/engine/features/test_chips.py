"""Chips cut out of frames."""

import numpy as np
import pytest

from emberscope.bags.model import Instances
from emberscope.base.errors import Cancelled, DataError
from emberscope.base.monitor import Watch
from emberscope.features.chips import ChipShape, cut_chips, resample, stream_chips


def at(frames, boxes, source=0):
    return Instances.at(np.full(len(frames), source), frames, boxes)


def triangle_twin(line, x0, x1, n):
    """One axis by the definition: every output pixel is a normalized triangle over its
    neighborhood."""
    step = (x1 - x0) / n
    spread = max(step, 1.0)
    out = []
    for o in range(n):
        here = x0 + (o + 0.5) * step - 0.5
        reach = range(int(np.floor(here - spread)), int(np.ceil(here + spread)) + 1)
        weights = np.array([max(0.0, 1 - abs(x - here) / spread) for x in reach])
        out.append(weights @ [line[min(max(x, 0), len(line) - 1)] for x in reach] / weights.sum())
    return np.array(out)


def test_a_support_of_the_chips_size_is_copied():
    frame = np.arange(60 * 80, dtype=np.uint16).reshape(60, 80)
    chip = resample(frame, [[8, 4, 24, 20]], ChipShape(16, 16))[0]
    np.testing.assert_array_equal(chip, frame[4:20, 8:24])


def test_a_cubic_copies_too():
    frame = np.arange(60 * 80, dtype=np.uint16).reshape(60, 80)
    chip = resample(frame, [[8, 4, 24, 20]], ChipShape(16, 16, kernel="cubic"))[0]
    np.testing.assert_allclose(chip, frame[4:20, 8:24], rtol=1e-6)


@pytest.mark.parametrize(
    "box",
    [(3, 5, 9, 14), (2.3, 1.7, 55.1, 40.2), (-6, -3, 4, 9), (70, 50, 95, 75), (31.5, 20, 32, 21)],
)
def test_both_axes_follow_the_triangle_definition(box):
    frame = np.random.default_rng(0).normal(size=(60, 80)).astype(np.float32)
    x0, y0, x1, y1 = box
    x1, x0 = ((x0 + x1) / 2 + side * max(x1 - x0, 1) / 2 for side in (1, -1))
    y1, y0 = ((y0 + y1) / 2 + side * max(y1 - y0, 1) / 2 for side in (1, -1))
    columns = np.array([triangle_twin(row, x0, x1, 12) for row in frame])
    expected = np.array([triangle_twin(column, y0, y1, 7) for column in columns.T]).T
    chip = resample(frame, [box], ChipShape(7, 12, keep_aspect=False))[0]
    np.testing.assert_allclose(chip, expected, atol=1e-5)


@pytest.mark.parametrize("kernel", ["triangle", "cubic"])
def test_shrinking_keeps_the_mean(kernel):
    frame = np.random.default_rng(0).normal(100, 10, (64, 64))
    chip = resample(frame, [[0, 0, 64, 64]], ChipShape(8, 8, kernel=kernel))[0]
    assert chip.mean() == pytest.approx(frame.mean(), abs=0.5)
    assert chip.std() < 3


def test_a_cubic_follows_a_parabola_where_a_triangle_cuts_corners():
    x = np.arange(40) + 0.5
    frame = np.tile(x**2, (40, 1))
    where = 10 + (np.arange(40) + 0.5) / 4
    errors = [
        np.abs(
            resample(frame, [[10, 10, 20, 20]], ChipShape(40, 40, kernel=kernel))[0][0] - where**2
        ).max()
        for kernel in ("triangle", "cubic")
    ]
    assert errors[1] < 0.01 < errors[0]


def test_keep_aspect_extends_the_short_side():
    frame = np.zeros((60, 80))
    frame[20:28, 16:48] = 1.0
    chip = resample(frame, [[16, 20, 48, 28]], ChipShape(32, 32))[0]
    assert chip[12:20].all()
    assert not chip[:12].any()
    assert not chip[20:].any()


def test_without_keep_aspect_the_support_fills_the_chip():
    frame = np.zeros((60, 80))
    frame[20:28, 16:48] = 1.0
    chip = resample(frame, [[16, 20, 48, 28]], ChipShape(32, 32, keep_aspect=False))[0]
    assert chip[2:-2].min() == 1.0


def test_a_support_beyond_the_frame_sees_the_border_replicated():
    frame = np.tile(np.arange(80.0), (60, 1))
    assert np.all(resample(frame, [[200, 10, 216, 26]], ChipShape(8, 8))[0] == 79)
    assert np.all(resample(frame, [[-1e9, -1e9, 1e9, -1e8]], ChipShape(8, 8))[0] >= 0)


def test_supports_of_no_size_are_one_pixel():
    frame = np.zeros((60, 80))
    frame[30, 40] = 1.0
    chips = resample(
        frame, [[40.5, 30.5, 40.5, 30.5], [40, 30, 41, 31], [41, 31, 40, 30]], ChipShape(4, 4)
    )
    assert np.all(chips > 0)
    np.testing.assert_array_equal(chips[0], chips[1])


def test_chips_come_in_the_order_of_the_instances(scene):
    boxes = [[10, 20, 26, 30], [30, 20, 46, 30], [20, 20, 36, 30], [10, 20, 26, 30]]
    chips = cut_chips(at([0, 2, 1, 2], boxes), lambda _: scene, size=8)
    means = chips[:, 3:5].mean(axis=(1, 2))
    assert (means > 5400).tolist() == [True, True, True, False]
    assert chips.shape == (4, 8, 8)
    assert chips.dtype == np.float32


def test_each_frame_is_read_and_prepared_once(scene):
    prepared = []

    def prepare(frame, mask):
        prepared.append(mask)
        return frame

    cut_chips(at([0, 2, 0, 2, 0], [[0, 0, 8, 8]] * 5), lambda _: scene, size=8, prepare=prepare)
    assert scene.reads == {0: 1, 2: 1}
    assert prepared == [None, None]


def test_every_source_is_asked_for_once_and_left_open(memory_source):
    sources = {7: memory_source([np.full((9, 9), 7)]), 3: memory_source([np.full((9, 9), 3)])}
    opened = []

    def open_source(source):
        opened.append(source)
        return sources[source]

    instances = Instances.at([7, 3, 7], [0, 0, 0], [[0, 0, 4, 4], [0, 0, 4, 4], [2, 2, 6, 6]])
    chips = cut_chips(instances, open_source, size=4)
    assert chips[:, 0, 0].tolist() == [7, 3, 7]
    assert sorted(opened) == [3, 7]
    assert [source.closed for source in sources.values()] == [0, 0]


def test_no_instances_give_no_chips(scene):
    assert cut_chips(at([], np.empty((0, 4))), lambda _: scene, size=8).shape == (0, 8, 8)


def test_big_chips_come_in_small_batches(scene):
    shape = ChipShape(510, 720, keep_aspect=False, kernel="cubic")
    batches = [
        len(rows)
        for rows, _ in stream_chips(at([0] * 7, [[0, 0, 51, 12]] * 7), lambda _: scene, shape=shape)
    ]
    assert batches == [5, 2]


def test_progress_rises_to_one_and_cancel_is_heard(scene):
    steps = []
    instances = at([0, 1, 2], [[0, 0, 8, 8]] * 3)
    cut_chips(
        instances,
        lambda _: scene,
        size=8,
        monitor=Watch(lambda fraction, _: steps.append(fraction)),
    )
    assert steps == sorted(steps)
    assert steps[-1] == 1.0
    with pytest.raises(Cancelled):
        cut_chips(instances, lambda _: scene, size=8, monitor=Watch(stop=lambda: True))


def test_a_frame_that_is_not_there_is_named(scene):
    with pytest.raises(DataError, match="frame 9 is not there: the source has 3"):
        cut_chips(at([9], [[0, 0, 8, 8]]), lambda _: scene, size=8)


def test_a_support_that_is_not_finite_is_refused(scene):
    broken = Instances(np.array([1]), np.array([0]), np.array([0]), np.array([[0, 0, np.nan, 4]]))
    with pytest.raises(DataError, match="not finite"):
        cut_chips(broken, lambda _: scene, size=8)
