"""The border between targets and ground inside positive bags."""

import numpy as np
import pytest

from emberscope.mil.rules.border import border


def drawn(background, *mixed):
    """Scores and bag labels: background around 0, positive bags of parts (share, center), all with
    spread 1."""
    rng = np.random.default_rng(0)
    parts = [rng.normal(center, 1, round(1000 * share)) for share, center in mixed]
    return np.concatenate([rng.normal(0, 1, background), *parts]), np.repeat(
        [-1, 1], [background, 1000]
    )


def test_the_border_lies_where_targets_and_ground_are_equally_frequent():
    found, alike = border(*drawn(1000, (0.5, 0.0), (0.5, 4.0)))
    assert found == pytest.approx(2.0, abs=0.4)
    assert alike


def test_ground_of_another_kind_is_noticed_and_does_not_count_as_targets():
    found, alike = border(*drawn(1000, (0.6, 2.2), (0.4, 8.0)))
    assert 4 < found < 6  # six other draws: 4.9 to 5.3
    assert not alike


def test_bags_of_nothing_but_targets_are_no_other_ground():
    found, alike = border(*drawn(1000, (1.0, 4.0)))
    assert found < 2.5  # six other draws: 2.0 to 2.1
    assert alike


def test_the_border_is_never_within_what_is_common_in_the_background():
    score, label = (
        np.concatenate([np.linspace(0, 1, 50), np.linspace(2, 9, 50)]),
        np.repeat([1, -1], 50),
    )
    assert border(score, label)[0] >= 2


@pytest.mark.parametrize("parts", [[(0.5, 0.0), (0.5, 4.0)], [(0.6, 2.2), (0.4, 8.0)]])
def test_a_border_is_in_the_units_of_the_scores(parts):
    score, label = drawn(1000, *parts)
    assert border(1e-5 * score, label)[0] == pytest.approx(1e-5 * border(score, label)[0], rel=1e-6)
