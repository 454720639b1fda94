"""What a run says of a map that shows places."""

import numpy as np
import pytest

from emberscope.bags.model import Bags, Instances
from emberscope.course.stages.places import place_scores
from emberscope.findings.notes import weighed


@pytest.fixture
def seen():
    """400 instances of two clips, in positive and negative bags of ten; and what bags say of
    them."""
    n = 400
    source, frame = np.repeat([10, 11], n // 2), np.tile(np.arange(40), n // 40)
    box = np.column_stack([np.arange(n), np.zeros(n), np.arange(n) + 20, np.full(n, 20)])
    return Instances.at(source, frame, box), np.where(np.arange(n) // 10 % 2, 1, -1)


def test_the_axis_that_is_the_place_is_named_with_what_shows_it(seen):
    rng, n = np.random.default_rng(0), 400
    Z = np.column_stack([rng.normal(size=n), seen[0].source - 10.5 + rng.normal(0, 0.1, n)])
    (note,) = place_scores(Z, *seen).notes
    assert note.startswith(
        "Axis 2 is the place: it tells clips apart (AUC 1.00) more than targets from background"
    )
    assert note.endswith("Color by clip or frame.")
    assert weighed([note], {})[0].id == "shows-places"


def test_single_frames_that_lie_apart_are_named_with_their_share():
    rng, n, signs = np.random.default_rng(0), 400, np.tile([1, -1], 20)
    frame, bag = np.repeat(np.arange(10), 40), np.repeat(np.arange(40), 10)
    box = np.column_stack([np.arange(n), np.zeros(n), np.arange(n) + 20, np.full(n, 20)])
    Z = np.column_stack([rng.normal(size=n), np.isin(frame, [1, 4]) + rng.normal(0, 0.05, n)])
    bags = Bags.from_column(bag, signs)
    seen = Instances.at(np.full(n, 10), frame, box), signs[bag]
    (note,) = place_scores(Z, *seen, bags).notes
    assert note.startswith("Axis 2 is the place: it sets single frames apart (")
    assert weighed([note], {})[0].id == "shows-places"


def test_a_map_of_targets_has_no_such_note(seen):
    sign = np.where(np.arange(400) // 10 % 2, 1.0, -1.0)
    Z = np.column_stack([sign, np.zeros(400)]) + np.random.default_rng(0).normal(0, 0.3, (400, 2))
    assert place_scores(Z, *seen).notes == []


def test_a_map_with_places_that_are_no_numbers_says_nothing(seen):
    assert place_scores(np.full((400, 2), np.nan), *seen).notes == []
