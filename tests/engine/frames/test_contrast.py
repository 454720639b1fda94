"""Display contrast: the table never falls, targets stand out, noise is not blown up, odd pixels do
not count."""

import numpy as np
import pytest

from emberscope.frames.contrast import Contrast, apply, histogram, lookup_table, smooth

MODES = ("linear", "percentile", "manual", "full", "plateau", "clahe")
DTYPES = (np.uint8, np.uint16, np.int16, np.int32, np.float32)


def scene(dtype=np.uint16, shape=(64, 80)):
    rng = np.random.default_rng(0)
    frame = rng.normal(100, 8, shape)
    frame[10:14, 10:14] = 125
    return frame.astype(dtype)


def shown(frame, **contrast):
    return apply(lookup_table(frame, Contrast(**contrast)), frame)


def test_percentile_separates_a_second_target_at_least_twice_as_well_as_min_max():
    rng = np.random.default_rng(0)
    frame = rng.normal(5000, 60, (512, 640))
    frame[100:104, 100:105] += 3500
    frame[300:310, 300:310] += 900
    frame = frame.astype(np.uint16)

    def separation(mode):
        gray = shown(frame, mode=mode).astype(float)
        return gray[300:310, 300:310].mean() - np.median(gray)

    assert separation("percentile") >= 2 * separation("linear") > 0


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_the_table_never_falls(mode, dtype):
    lut = lookup_table(scene(dtype), Contrast(mode=mode))
    assert np.all(np.diff(lut.table.astype(int)) >= 0)
    if lut.tile_maps is not None:
        assert np.all(np.diff(lut.tile_maps, axis=-1) >= 0)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_black_hot_is_the_exact_reverse(mode, dtype):
    frame = scene(dtype)
    np.testing.assert_array_equal(
        shown(frame, mode=mode, polarity="black_hot"), 255 - shown(frame, mode=mode)
    )


@pytest.mark.parametrize("mode", ["linear", "percentile", "manual", "plateau", "clahe"])
@pytest.mark.parametrize(
    "value", [np.uint8(0), np.uint8(255), np.uint16(65535), np.int16(-5), np.float32(21.5)]
)
def test_a_constant_frame_is_mid_gray(mode, value):
    lut = lookup_table(np.full((16, 16), value), Contrast(mode=mode))
    assert set(np.unique(apply(lut, np.full((16, 16), value)))) <= {127, 128}
    assert np.isfinite([lut.low, lut.high]).all()


def test_noise_on_a_flat_scene_is_not_blown_up():
    frame = np.tile(np.array([7300, 7301], np.uint16), (8, 8))
    assert np.ptp(shown(frame).astype(int)) <= 17  # one count of a span of 16


def test_the_limits_are_the_percentiles_in_counts():
    lut = lookup_table(np.arange(1001, dtype=np.uint16).reshape(7, 143), Contrast(low=1, high=90))
    assert (lut.low, lut.high) == (10, 900)
    assert (lut.table[10], lut.table[455], lut.table[900]) == (0, 128, 255)


def test_manual_limits_hold_in_every_sample_type():
    for dtype in (np.uint16, np.int16, np.float32):
        lut = lookup_table(scene(dtype), Contrast(mode="manual", level_low=90, level_high=110))
        assert (lut.low, lut.high) == pytest.approx((90, 110), abs=0.01)
        assert apply(lut, np.array([[80, 100, 120]], dtype)).tolist() == [[0, 128, 255]]


def test_full_range_is_that_of_the_significant_bits():
    lut = lookup_table(scene(), Contrast(mode="full", bits=14))
    assert (lut.low, lut.high) == (0, 16383)


def test_int16_counts_keep_their_order():
    frame = np.array([[-300, -100, 0, 100, 300]], np.int16)
    assert shown(frame, mode="linear").tolist() == [[0, 85, 128, 170, 255]]


def test_nan_and_infinity_show_and_do_not_count():
    frame = scene(np.float32)
    frame[0, :3] = np.nan, np.inf, -np.inf
    lut = lookup_table(frame, Contrast(mode="linear"))
    assert lut.high == pytest.approx(frame[np.isfinite(frame)].max(), abs=1e-3)
    assert apply(lut, frame)[0, :3].tolist() == [0, 255, 0]


def test_nothing_but_nan_is_shown():
    assert shown(np.full((4, 4), np.nan)).shape == (4, 4)


def test_a_mask_keeps_overlay_lines_out_of_the_limits():
    frame = scene()
    highest = frame[1:].max()
    frame[0] = 60000
    mask = np.ones(frame.shape, bool)
    mask[0] = False
    assert lookup_table(frame, Contrast(mode="linear"), mask=mask).high == highest


def test_plateau_follows_the_rule():
    frame = np.repeat(
        np.arange(100, 110, dtype=np.uint16), [900, 20, 20, 20, 20, 20, 20, 20, 20, 100]
    ).reshape(4, 290)
    lut = lookup_table(frame, Contrast(mode="plateau", tail=0.0, plateau=30 / 1160, max_slope=1000))
    held = np.minimum([900, 20, 20, 20, 20, 20, 20, 20, 20, 100], 30)
    gray = 255 * (np.cumsum(held) - held / 2) / held.sum()
    np.testing.assert_allclose(lut.transfer[100:110], gray, atol=1e-3)


def test_plateau_slope_is_limited_and_centered():
    lut = lookup_table(scene(), Contrast(mode="plateau", max_slope=2.0))
    assert np.diff(lut.transfer).max() <= 2.0 + 1e-4
    assert lut.transfer[0] + lut.transfer[-1] == pytest.approx(255, abs=1e-3)


def test_a_small_plateau_is_linear_over_the_occupied_bins():
    frame = np.repeat(np.array([10, 20, 30, 1000], np.uint16), [500, 30, 2, 5])[None]
    lut = lookup_table(frame, Contrast(mode="plateau", tail=0.0, plateau=1e-9, max_slope=1000))
    np.testing.assert_allclose(np.diff(lut.transfer[[10, 20, 30, 1000]]), 255 / 4, rtol=1e-5)


def test_clahe_lifts_local_detail_that_the_percentile_picture_loses():
    frame = np.full((128, 128), 1000, np.uint16)
    frame[:, 64:] = 9000
    rng = np.random.default_rng(0)
    frame += rng.integers(0, 40, frame.shape).astype(np.uint16)
    detail = {mode: shown(frame, mode=mode)[40:80, 8:30].std() for mode in ("percentile", "clahe")}
    assert detail["clahe"] > 2 * detail["percentile"]


def test_clahe_has_no_steps_between_tiles():
    ramp = np.tile(np.linspace(1000, 5000, 160).astype(np.uint16), (128, 1))
    gray = shown(ramp, mode="clahe").astype(int)
    assert np.abs(np.diff(gray, axis=1)).max() <= 12


def test_clahe_matches_a_pixel_by_pixel_twin():
    frame = scene(shape=(37, 50))
    lut = lookup_table(frame, Contrast(mode="clahe", tiles=4))
    flat = apply(lookup_table(frame, Contrast(mode="percentile")), frame)
    expected = np.empty(frame.shape)
    for r in range(37):
        for c in range(50):
            y, x = (r + 0.5) * 4 / 37 - 0.5, (c + 0.5) * 4 / 50 - 0.5
            i, j = int(np.floor(y)), int(np.floor(x))
            corner = lut.tile_maps[:, :, flat[r, c]][
                np.ix_(np.clip([i, i + 1], 0, 3), np.clip([j, j + 1], 0, 3))
            ]
            expected[r, c] = (
                np.array([1 - (y - i), y - i]) @ corner @ np.array([1 - (x - j), x - j])
            )
    assert np.abs(apply(lut, frame) - expected).max() <= 0.51  # six other draws: 0.50


def test_more_tiles_than_pixels_is_no_error():
    assert shown(np.arange(12, dtype=np.uint8).reshape(3, 4), mode="clahe", tiles=8).shape == (3, 4)


def test_a_locked_table_shows_other_frames_on_the_same_scale():
    lut = lookup_table(scene(), Contrast(mode="linear"))
    assert apply(lut, np.array([[0, 60000]], np.uint16)).tolist() == [[0, 255]]


def test_a_table_of_floats_shows_frames_beyond_its_range():
    lut = lookup_table(scene(np.float32), Contrast())
    assert apply(lut, np.array([[-1e30, 1e30, np.nan]], np.float32)).tolist() == [[0, 255, 0]]


@pytest.mark.parametrize("dtype", [np.uint16, np.float32])
def test_smoothing_goes_a_part_of_the_way(dtype):
    old = lookup_table(scene(dtype), Contrast(mode="manual", level_low=80, level_high=120))
    new = lookup_table(scene(dtype), Contrast(mode="manual", level_low=100, level_high=140))
    half = smooth(old, new, weight=0.5)
    assert (half.low, half.high) == pytest.approx((90, 130), abs=0.01)
    assert apply(half, np.array([[100]], dtype))[0, 0] == 64
    assert smooth(None, new) is new


def test_smoothing_arrives():
    old = lookup_table(scene(), Contrast(mode="manual", level_low=80, level_high=120))
    new = lookup_table(scene(), Contrast(mode="manual", level_low=90, level_high=121))
    for _ in range(60):
        old = smooth(old, new)
    np.testing.assert_array_equal(old.table, new.table)


def test_the_curve_runs_between_the_limits():
    lut = lookup_table(
        scene(), Contrast(mode="manual", level_low=0, level_high=255, polarity="black_hot")
    )
    counts, gray = lut.curve(0, 255, points=256)
    np.testing.assert_allclose(gray, 255 - counts, atol=1e-3)


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_histogram_counts_like_numpy(dtype):
    frame = scene(dtype)
    counts, low, high = histogram(frame, bins=16)
    assert (low, high) == pytest.approx((frame.min(), frame.max()))
    assert counts.sum() == frame.size
    # Floats near a bin edge
    assert np.abs(counts - np.histogram(frame.astype(float), 16, (low, high))[0]).sum() <= 4


def test_the_histogram_leaves_out_what_lies_outside_its_range():
    counts, low, high = histogram(np.array([[1, 2, 3, 50]], np.uint16), bins=3, low=1, high=4)
    assert (counts.tolist(), low, high) == ([1, 1, 1], 1, 4)


def test_the_histogram_of_a_constant_or_empty_frame_is_finite():
    assert histogram(np.full((3, 3), 7, np.uint16), bins=4)[0].tolist() == [9, 0, 0, 0]
    assert histogram(np.full((3, 3), np.nan), bins=4)[0].sum() == 0
