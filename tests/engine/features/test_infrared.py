"""Features relative to the surround."""

import numpy as np
import pytest
from skimage.util import view_as_blocks

from emberscope.features.infrared import _GROUPS, NAMES, infrared


def ground(seed=0):
    return np.random.default_rng(seed).normal(0.0, 1.0, (64, 64)).astype(np.float32)


def with_spot(amplitude, *, at=(32, 32), radius=3):
    chip = ground()
    y, x = np.indices(chip.shape)
    chip[np.hypot(y - at[0], x - at[1]) <= radius] += amplitude
    return chip


def named(chip):
    return dict(zip(NAMES, infrared(chip[None])[0].tolist(), strict=True))


def columns(prefix):
    return [i for i, name in enumerate(NAMES) if name.startswith(prefix)]


def test_every_column_has_its_own_name():
    assert infrared(np.stack([ground(), ground(1)])).shape == (2, len(set(NAMES)))


def test_no_chips_give_no_rows():
    assert infrared(np.empty((0, 64, 64), np.float32)).shape == (0, len(NAMES))


@pytest.mark.parametrize("side", [32, 64, 96, 150])
def test_a_constant_chip_of_any_size_is_finite(side):
    assert np.isfinite(infrared(np.full((1, side, side), 7.0, np.float32))).all()


def test_a_hot_spot_raises_the_hottest_and_a_cold_one_lowers_the_coldest():
    hot, cold, none = named(with_spot(20.0)), named(with_spot(-20.0)), named(ground())
    assert hot["spot 4/32 hottest"] > 2 * none["spot 4/32 hottest"] > 0
    assert cold["spot 4/32 coldest"] < 2 * none["spot 4/32 coldest"] < 0


def test_gain_and_offset_of_the_sensor_hardly_move_what_is_relative_to_the_surround():
    chip = with_spot(20.0) * 1000  # so that the floor of the spread does not count
    before, after = infrared(np.stack([chip, 3 * chip + 100]))
    relative = [i for prefix in ("tile", "ring", "spot") for i in columns(prefix)]
    np.testing.assert_allclose(after[relative], before[relative], atol=1e-3)


def test_a_ring_does_not_see_the_chip_turned():
    turned = np.rot90(with_spot(20.0)).copy()
    rings = columns("ring")
    np.testing.assert_allclose(
        infrared(turned[None])[0][rings], infrared(with_spot(20.0)[None])[0][rings], atol=1e-5
    )


def test_a_target_beside_the_patch_is_in_the_outer_rings_only():
    beside, none = named(with_spot(20.0, at=(32, 5))), named(ground())
    assert beside["ring 5 maximum"] > 1.2 * none["ring 5 maximum"]
    assert beside["spot 4/32 hottest"] < none["spot 4/32 hottest"] * 1.2


def test_tiles_are_means_of_blocks_of_the_patch():
    chip = ground()
    median = np.median(chip)
    spread = 1.4826 * np.median(np.abs(chip - median)) + 0.25
    blocks = view_as_blocks(np.arcsinh((chip - median) / spread)[16:48, 16:48], (4, 4)).mean(
        axis=(2, 3)
    )
    np.testing.assert_allclose(
        infrared(chip[None])[0][columns("tile")] * _GROUPS["tiles"], blocks.ravel(), atol=1e-5
    )


def test_the_spots_match_a_twin_that_cuts_every_square():
    chip = ground(3)
    relative = np.arcsinh(
        (chip - np.median(chip)) / (1.4826 * np.median(np.abs(chip - np.median(chip))) + 0.25)
    )

    def mean(r, c, half):
        return relative[max(r - half, 0) : r + half + 1, max(c - half, 0) : c + half + 1].mean()

    found = [mean(r, c, 2) - mean(r, c, 4) for r in range(20, 44) for c in range(20, 44)]
    expected = np.array([max(found), min(found), np.mean(np.abs(found))]) / _GROUPS["spots"]
    np.testing.assert_allclose(infrared(chip[None])[0][columns("spot 2/32")], expected, rtol=1e-4)


def test_the_edges_of_a_vertical_step_are_across_and_in_the_cells_it_crosses():
    chip = np.zeros((64, 64), np.float32)
    chip[:, 30:] = 100.0
    edges = infrared(chip[None])[0][columns("edge")].reshape(4, 4, 9)
    assert (edges[:, 1, 0] > 0).all()
    assert edges[:, [0, 2, 3]].max() == 0
    assert edges[..., 1:].max() == 0


def test_the_rings_match_a_twin_that_picks_the_pixels_of_each():
    chip = ground(5)
    median = np.median(chip)
    relative = np.arcsinh((chip - median) / (1.4826 * np.median(np.abs(chip - median)) + 0.25))
    radius = np.hypot(*(np.indices(chip.shape) - 31.5)) / 32
    ring = relative[(radius >= 0.31) & (radius < 0.5)]
    expected = np.array([ring.mean(), ring.std(), ring.max(), ring.min()]) / _GROUPS["rings"]
    np.testing.assert_allclose(infrared(chip[None])[0][columns("ring 3")], expected, rtol=1e-4)


@pytest.mark.parametrize("side", [64, 50])
def test_a_chip_has_the_same_features_alone_as_among_others(side):
    chips = np.random.default_rng(0).normal(0, 3, (40, side, side)).astype(np.float32)
    np.testing.assert_array_equal(infrared(chips)[37:38], infrared(chips[37:38]))
