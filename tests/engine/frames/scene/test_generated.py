"""The generated range scene."""

import numpy as np
import pytest

from emberscope.base.errors import Cancelled, ParamError
from emberscope.base.monitor import Watch
from emberscope.frames.readers.arf import ArfSource
from emberscope.frames.scene import generated
from emberscope.frames.scene._vehicles import draw
from emberscope.frames.scene.generated import CODES, RangeScene, write_range
from emberscope.frames.truth.agt import associate, read_agt
from emberscope.frames.truth.agt_boxes import boxes_from_agt

SMALL = (128, 160)


def overlap(a, b):
    """Intersection over union of two boxes."""
    w, h = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
    both = max(w, 0) * max(h, 0)
    return both / ((a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - both)


def expected_width(size, aspect, range_m, ifov):
    """As AGT boxes are made: width in pixels of a box of length and width at an aspect."""
    return (
        (abs(size[1] * np.cos(np.deg2rad(aspect))) + abs(size[0] * np.sin(np.deg2rad(aspect))))
        / range_m
        / ifov
    )


def test_frames_are_14_bit_counts_of_the_sensors_size():
    frame = RangeScene().frame(0)
    assert frame.shape == (512, 640)
    assert frame.dtype == np.uint16
    assert 0 < frame.min() < frame.max() <= 16383


def test_the_same_seed_gives_the_same_frame_in_any_order():
    frames = {i: RangeScene(shape=SMALL).frame(i) for i in (0, 7, 3)}
    again = RangeScene(shape=SMALL)
    for i in (3, 0, 7):
        np.testing.assert_array_equal(again.frame(i), frames[i])


def test_another_seed_is_another_place():
    one, other = (RangeScene(shape=SMALL, seed=seed).frame(0).astype(float) for seed in (0, 1))
    assert np.corrcoef(one.ravel(), other.ravel())[0, 1] < 0.95  # six other draws: 0.35 to 0.60
    assert np.abs(one - other).max() > 100


def test_noise_is_new_in_every_frame_and_has_the_stated_size():
    scene = RangeScene(shape=SMALL, netd=0.05)
    difference = scene.frame(0).astype(float) - scene.frame(1)
    quiet = difference[100:, :]  # the vehicle is elsewhere
    assert quiet.std() == pytest.approx(np.sqrt(2) * 0.05 * 90, rel=0.1)


def test_the_fixed_pattern_is_the_same_in_every_frame():
    with_pattern, without = (
        RangeScene(shape=SMALL, fixed_pattern=factor, netd=0.0) for factor in (1.0, 0.0)
    )
    patterns = [with_pattern.frame(i).astype(float) - without.frame(i) for i in (0, 5)]
    np.testing.assert_allclose(*patterns, atol=1)
    assert patterns[0].std() > 1


@pytest.mark.parametrize("vehicle", list(CODES))
@pytest.mark.parametrize("range_m", [1000, 1500, 2000])
def test_the_box_has_the_size_of_the_vehicle_at_its_range(vehicle, range_m):
    sizes = {"PICKUP": (5.41, 1.80), "SUV": (4.57, 1.73), "BTR70": (7.62, 2.79)}
    scene = RangeScene(vehicle=vehicle, range_m=range_m, n_frames=36)
    for index in range(0, 36, 5):
        (target,) = scene.truth(index)
        width = target.box[2] - target.box[0]
        wanted = expected_width(
            sizes[vehicle], target.aspect, target.range_m, np.deg2rad(3.4) / 640
        )
        assert width == pytest.approx(wanted, rel=0.12)


def test_a_broadside_suv_at_1_km_is_49_pixels_long_and_19_high():
    scene = RangeScene(n_frames=720)
    index = min(range(720), key=lambda i: abs(scene.aspect(i) - 90))
    x0, y0, x1, y1 = scene.truth(index)[0].box
    assert x1 - x0 == pytest.approx(4.57 / 0.0927, abs=2)
    assert y1 - y0 == pytest.approx(1.73 / 0.0927, abs=3)  # its top shows a little


def test_the_mask_fills_its_box():
    scene = RangeScene(vehicle="BTR70")
    for index in (0, 90, 200):
        rows, cols = np.nonzero(scene.mask(index))
        around = (cols.min(), rows.min(), cols.max() + 1, rows.max() + 1)
        assert overlap(around, scene.truth(index)[0].box) > 0.8  # six other draws: 0.95 to 0.98


def test_aspect_is_zero_when_the_vehicle_comes_straight_at_the_camera():
    scene = RangeScene(n_frames=360)
    ahead = min(range(360), key=lambda i: min(scene.aspect(i), 360 - scene.aspect(i)))
    before, after = (scene.truth((ahead + step) % 360)[0] for step in (-1, 1))
    assert after.range_m < before.range_m
    assert after.box[3] > before.box[3]


def test_clockwise_of_facing_the_camera_is_driving_to_the_left():
    scene = RangeScene(n_frames=360)
    left = min(range(360), key=lambda i: abs(scene.aspect(i) - 90))
    before, after = (scene.truth((left + step) % 360)[0].box for step in (-1, 1))
    assert after[0] < before[0]


def test_one_lap_shows_every_aspect_and_stays_in_the_frame():
    scene = RangeScene(range_m=1000, n_frames=72)
    aspects = sorted(scene.aspect(i) for i in range(72))
    assert np.allclose(np.diff(aspects), 5)
    boxes = np.array([scene.truth(i)[0].box for i in range(72)])
    assert boxes.min() > 0
    assert np.all(boxes[:, 2:] < [640, 512])


def test_a_vehicle_that_leaves_the_frame_has_no_truth_and_no_mask():
    scene = RangeScene(circle_m=600.0, n_frames=36, shape=SMALL)
    seen = [bool(scene.truth(i)) for i in range(36)]
    assert {True, False} == set(seen)
    gone = seen.index(False)
    assert not scene.mask(gone).any()
    assert scene.frame(gone).shape == SMALL


@pytest.mark.parametrize("vehicle", list(CODES))
def test_at_night_all_of_the_vehicle_is_warmer_than_the_ground(vehicle):
    scene = RangeScene(vehicle=vehicle)
    frame, mask = scene.frame(30), scene.mask(30)
    ground = np.median(frame[180:300])
    assert (frame[mask] > ground).mean() > 0.9  # six other draws: 0.94 to 1.0
    assert frame[mask].max() > ground + 900


@pytest.mark.parametrize("vehicle", list(CODES))
def test_by_day_a_part_of_the_vehicle_is_colder_than_the_ground(vehicle):
    scene = RangeScene(vehicle=vehicle, night=False)
    ground = np.median(scene.frame(0)[180:300])
    colder = np.mean([(scene.frame(i)[scene.mask(i)] < ground).mean() for i in (0, 90, 180, 270)])
    assert 0.1 < colder < 0.9


def test_polarity_turns_between_day_and_night():
    night, day = RangeScene(), RangeScene(night=False)
    contrast = [
        float(np.median(scene.frame(0)[330:360]) - np.median(scene.frame(0)[270:290]))
        for scene in (night, day)
    ]
    assert contrast[0] > 0 > contrast[1]  # the hedge against the plain


def test_confusers_are_hot_and_no_truth():
    scene = RangeScene(seed=0)
    frame = scene.frame(0).copy()
    frame[scene.mask(0)] = 0
    plain = frame[80:220]
    assert plain.max() > np.median(plain) + 250
    assert len(scene.truth(0)) == 1


def test_frames_stream():
    scene = RangeScene(shape=SMALL, n_frames=10)
    stream = scene.frames(every=3)
    np.testing.assert_array_equal(next(stream), scene.frame(0))
    assert sum(1 for _ in stream) == 3


@pytest.mark.parametrize("index", [-1, 10])
def test_a_frame_that_is_not_there_is_an_index_error(index):
    for call in (
        RangeScene(n_frames=10).frame,
        RangeScene(n_frames=10).truth,
        RangeScene(n_frames=10).mask,
    ):
        with pytest.raises(IndexError, match=f"frame {index} of 10"):
            call(index)


@pytest.mark.parametrize(
    "wrong", [{"vehicle": "T34"}, {"range_m": 5}, {"n_frames": 0}, {"shape": (2, 2)}]
)
def test_what_the_range_does_not_have_is_refused(wrong):
    with pytest.raises(ParamError):
        RangeScene(**wrong)


def test_names_follow_the_range():
    assert RangeScene(vehicle="PICKUP", range_m=1000).name == "cegr01923_0001"
    assert RangeScene(vehicle="SUV", range_m=1500, night=False).name == "cegr02005_0002"
    assert RangeScene(vehicle="BTR70", range_m=2000).name == "cegr01927_0005"


def test_what_is_written_reads_back(tmp_path):
    scene = RangeScene(vehicle="BTR70", range_m=1500, n_frames=6)
    path = scene.write(tmp_path, every=2)
    assert path == tmp_path / "cegr" / "arf" / "cegr01925_0005.arf"
    with ArfSource(str(path)) as source:
        assert (source.n_frames, source.shape) == (3, (512, 640))
        np.testing.assert_array_equal(source.read(1), scene.frame(2))
    agt = read_agt(tmp_path / "cegr" / "agt" / "cegr01925_0005.agt")
    assert agt.warnings == ()
    assert associate(agt, n_frames=3).warnings == []
    boxes = boxes_from_agt(agt, shape=(512, 640), n_frames=3)
    assert [(box.frame, box.name, box.how) for box in boxes] == [
        (i, "BTR70", "pixbox") for i in range(3)
    ]
    for box, index in zip(boxes, (0, 2, 4)):
        (target,) = scene.truth(index)
        assert overlap(box.box, target.box) > 0.85  # six other draws: 0.88 to 0.94
        assert box.aspect == pytest.approx(target.aspect, abs=0.01)
        assert box.range_m == pytest.approx(target.range_m, abs=0.1)


def test_a_vehicle_is_drawn_once_for_each_frame_that_is_written(tmp_path, monkeypatch):
    drawn = []
    monkeypatch.setattr(
        generated, "draw", lambda *shape, **how: drawn.append(how) or draw(*shape, **how))
    RangeScene(n_frames=3, shape=SMALL).write(tmp_path)
    assert len(drawn) == 3


def test_a_range_is_all_its_sequences(tmp_path):
    seen = []
    paths = write_range(
        tmp_path, vehicles=("SUV", "PICKUP"), ranges=(1000,), nights=(True, False), n_frames=2,
        monitor=Watch(lambda fraction, _: seen.append(fraction)),
    )
    assert [path.stem for path in paths] == [
        "cegr01923_0002",
        "cegr01923_0001",
        "cegr02003_0002",
        "cegr02003_0001",
    ]
    assert all(path.stat().st_size == 32 + 2 * 640 * 512 * 2 for path in paths)
    assert seen == sorted(seen)
    assert seen[-1] == 1.0


def test_cancelling_leaves_no_half_written_file(tmp_path):
    with pytest.raises(Cancelled):
        RangeScene(n_frames=3, shape=SMALL).write(tmp_path, monitor=Watch(stop=lambda: True))
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_the_picture_has_the_grain_of_real_frames(shared_data):
    """Slopes of the spectrum along a row of the plain and of the scrub, real against generated."""
    imagecodecs = pytest.importorskip("imagecodecs")
    real = imagecodecs.imread(str(shared_data / "ir" / "dsiac_mwir" / "img_0006.jpg")).astype(float)
    made = RangeScene(vehicle="BTR70", netd=0.0, fixed_pattern=0.0).frame(0).astype(float)

    def slope(rows):
        power = (np.abs(np.fft.rfft(rows - rows.mean(axis=1, keepdims=True), axis=1)) ** 2).mean(
            axis=0
        )
        k = np.arange(3, 100)
        return np.polyfit(np.log(k), np.log(power[3:100]), 1)[0]

    for region in (slice(110, 160), slice(320, 400)):
        assert slope(made[region]) == pytest.approx(slope(real[region]), abs=0.7)
