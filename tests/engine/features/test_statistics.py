"""Intensity and texture statistics."""

import numpy as np
import pytest
from scipy import stats

from emberscope.features.statistics import NAMES, statistics


def named(chip):
    return dict(zip(NAMES, statistics(np.asarray(chip)[None])[0].tolist()))


def noise(seed=0):
    return np.random.default_rng(seed).gamma(2.0, 1.0, (32, 32)).astype(np.float32)


def test_every_column_has_its_own_name():
    assert statistics(np.stack([noise(), noise(1)])).shape == (2, len(set(NAMES)))


def test_the_moments_are_those_of_scipy():
    chip = noise()
    found = named(chip)
    assert np.sinh(found["mean"]) == pytest.approx(chip.mean(), rel=1e-5)
    assert np.sinh(found["sd"]) == pytest.approx(chip.std(), rel=1e-5)
    assert np.sinh(found["skewness"]) == pytest.approx(stats.skew(chip.ravel()), rel=1e-4)
    assert np.sinh(found["kurtosis"]) == pytest.approx(stats.kurtosis(chip.ravel()), rel=1e-4)
    assert np.sinh(found["percentile 95"]) == pytest.approx(np.percentile(chip, 95), rel=1e-5)


def test_the_binary_patterns_match_a_pixel_by_pixel_twin():
    chip = np.random.default_rng(0).integers(0, 5, (12, 10)).astype(np.float32)
    shares = np.zeros(10)
    for r in range(1, 11):
        for c in range(1, 9):
            ring = [(r, c + 1), (r - 1, c + 1), (r - 1, c), (r - 1, c - 1)]
            ring += [(r, c - 1), (r + 1, c - 1), (r + 1, c), (r + 1, c + 1)]
            bits = [chip[place] >= chip[r, c] for place in ring]
            changes = sum(bits[i] != bits[i - 1] for i in range(8))
            shares[sum(bits) if changes <= 2 else 9] += 1 / 80
    found = [value for name, value in named(chip).items() if name.startswith("lbp")]
    np.testing.assert_allclose(found, shares, atol=1e-6)


def test_pattern_shares_sum_to_one():
    found = named(noise())
    assert sum(value for name, value in found.items() if name.startswith("lbp")) == pytest.approx(
        1.0
    )


@pytest.mark.parametrize("value", [0.0, -3.5, 1e4])
def test_a_constant_chip_is_finite_and_has_no_texture(value):
    found = named(np.full((16, 16), value, np.float32))
    assert np.isfinite(list(found.values())).all()
    assert [
        found[name] for name in ("sd", "kurtosis", "entropy", "coherence", "gradient", "hot share")
    ] == [0] * 6


def test_a_hot_center_stands_out():
    chip = noise() / 10
    chip[10:22, 10:22] += 5
    found = named(chip)
    assert np.sinh(found["center minus surround"]) > 2
    assert found["hot share"] == pytest.approx(144 / 256, abs=0.05)


def test_a_cold_center_is_the_opposite():
    chip = noise() / 10
    chip[8:24, 8:24] += 5
    assert named(-chip)["center minus surround"] == pytest.approx(
        -named(chip)["center minus surround"], rel=1e-5
    )


def test_stripes_are_coherent_and_know_their_direction():
    across = np.tile(np.sin(np.arange(32.0)), (32, 1))
    found = named(across)
    assert found["coherence"] == pytest.approx(1.0)
    assert found["orientation cos"] == pytest.approx(1.0)
    assert named(across.T)["orientation cos"] == pytest.approx(-1.0)
    assert found["gradient down"] == 0


def test_entropy_of_many_levels_is_higher_than_of_two():
    two = np.tile([0.0, 1.0], (32, 16))
    assert named(two)["entropy"] == pytest.approx(1 / 3, abs=1e-3)  # one of three bits
    assert named(np.random.default_rng(0).random((32, 32)))["entropy"] > 0.9


def test_rows_do_not_depend_on_each_other():
    chips = np.stack([noise(i) for i in range(4)])
    np.testing.assert_array_equal(statistics(chips)[2], statistics(chips[2:3])[0])


def test_no_chips_give_no_rows():
    assert statistics(np.empty((0, 32, 32))).shape == (0, len(NAMES))
