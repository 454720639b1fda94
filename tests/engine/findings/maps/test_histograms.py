"""How many points of each group lie where along an edge."""

import numpy as np

from emberscope.findings.maps.histograms import BINS, edge_counts


def test_points_of_each_group_are_counted_where_they_lie():
    values, group = np.array([0.0, 0.01, 0.99, 2.0, np.nan]), np.array([3, 1, 3, 3, 3])
    found = edge_counts(values, group, [3, 1], (0.0, 1.0))
    assert np.argwhere(found).tolist() == [[0, 0], [0, BINS - 1], [1, 0]]


def test_a_group_without_a_key_does_not_count():
    assert edge_counts(np.array([0.5, 0.5]), np.array([1, 2]), [2], (0.0, 1.0)).sum() == 1


def test_no_groups_have_no_histogram():
    assert edge_counts(np.array([0.5]), np.array([1]), [], (0.0, 1.0)).shape == (0, BINS)
