"""The edge histogram against its definition and on chips of one edge."""

import numpy as np
import pytest

from emberscope.features.ehd import NAMES, THRESHOLD, ehd

MASKS = {
    "horizontal": [[1, 2, 1], [0, 0, 0], [-1, -2, -1]],
    "vertical": [[1, 0, -1], [2, 0, -2], [1, 0, -1]],
    "diagonal": [[2, 1, 0], [1, 0, -1], [0, -1, -2]],
    "antidiagonal": [[0, 1, 2], [-1, 0, 1], [-2, -1, 0]],
}


def twin(chip, threshold=THRESHOLD):
    side = len(chip)
    direction = {}
    for r in range(1, side - 1):
        for c in range(1, side - 1):
            around = chip[r - 1 : r + 2, c - 1 : c + 2].astype(float)
            answers = {
                name: abs((np.array(mask) * around).sum()) / 4 for name, mask in MASKS.items()
            }
            strongest = max(answers, key=answers.get)
            direction[r, c] = strongest if answers[strongest] > threshold else "none"
    out, cell = [], side // 4
    for y in range(4):
        for x in range(4):
            seen = [
                what for (r, c), what in direction.items()
                if y * cell - cell // 2 <= r < (y + 1) * cell + cell // 2
                and x * cell - cell // 2 <= c < (x + 1) * cell + cell // 2
            ]
            out += [seen.count(what) / len(seen) for what in [*MASKS, "none"]]
    return np.array(out)


def share_of(chip, what):
    X = ehd(chip[None])[0]
    return np.mean(
        [value for name, value in zip(NAMES, X, strict=True) if name.endswith(f" {what}")]
    )


@pytest.mark.parametrize("side", [16, 32])
def test_it_is_that_of_its_definition(side):
    chips = np.random.default_rng(0).normal(scale=0.7, size=(3, side, side)).astype(np.float32)
    np.testing.assert_allclose(ehd(chips), [twin(chip) for chip in chips], atol=1e-6)


@pytest.mark.parametrize(
    ("what", "rise"),
    [("horizontal", (1, 0)), ("vertical", (0, 1)), ("diagonal", (1, 1)), ("antidiagonal", (1, -1))],
)
def test_a_slope_is_all_edge_of_its_direction(what, rise):
    y, x = np.mgrid[:32, :32]
    assert share_of((rise[0] * y + rise[1] * x).astype(np.float32), what) == 1.0


def test_a_hot_and_a_cold_target_have_the_same_edges():
    chip = np.random.default_rng(0).normal(scale=2, size=(1, 32, 32))
    np.testing.assert_array_equal(ehd(chip), ehd(-chip))


def test_a_faint_chip_has_no_edges():
    faint = np.random.default_rng(0).normal(scale=0.05, size=(32, 32)).astype(np.float32)
    assert share_of(faint, "none") == 1.0


def test_the_shares_of_a_window_add_up_to_one():
    chips = np.random.default_rng(0).normal(size=(2, 37, 29))
    np.testing.assert_allclose(ehd(chips).reshape(2, 16, 5).sum(axis=2), 1.0, atol=1e-6)


def test_no_chips_have_no_features():
    assert ehd(np.empty((0, 32, 32))).shape == (0, 80)
