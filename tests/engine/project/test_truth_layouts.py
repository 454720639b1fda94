"""Truth goes to its own clip in data sets of every shape, or to none."""

import pytest

from .truth_layouts import given, layout

EACH = 30


@pytest.mark.parametrize("first", range(0, 300, EACH))
def test_no_truth_of_any_data_set_is_on_the_wrong_clip(tmp_path, first):
    right = 0
    for seed in range(first, first + EACH):
        found = layout(tmp_path / str(seed), seed)
        if found.sources and found.owner:
            taken, wrong = given(found)
            assert wrong == [], seed
            right += len(taken)
    assert right > EACH
