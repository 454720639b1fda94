"""What the data and a spectrum say."""

import numpy as np
import pytest

from emberscope.course.plan import plan_of
from emberscope.course.runner import run_stages
from emberscope.course.stage import Given
from emberscope.course.stages.advice import ADVICE, advice, alike_notes, gap_notes, kept_advice
from emberscope.course.stages.distances import SEEN
from emberscope.course.stages.graph import GRAPH
from emberscope.course.stages.reduce import Seen
from emberscope.neighbors.graph import knn
from emberscope.project.model.recipe import Recipe

# Steps of one length, turns 2 pi apart
SPIRAL = np.sqrt(np.linspace((1.5 * np.pi) ** 2, (4.5 * np.pi) ** 2, 164))
SPIRAL = np.stack([SPIRAL * np.cos(SPIRAL), SPIRAL * np.sin(SPIRAL)], axis=1)
SPIRAL += np.random.default_rng(0).normal(0, 0.002, SPIRAL.shape)


def advice_of(X, k):
    return advice(X, knn(X, 32), k)


def test_instances_without_any_detail_are_said():
    blank, varied = np.zeros((7, 4), np.float32), np.arange(12, dtype=np.float32).reshape(3, 4)
    (note,) = alike_notes(np.concatenate([blank, varied]))
    assert note.startswith("7 of 10 instances look exactly alike: their pixels are NaN or infinite")
    assert alike_notes(np.concatenate([blank[:3], varied])) == []


def test_a_line_has_one_dimension():
    found = advice_of(SPIRAL, 12)
    assert found.metrics["intrinsic_dimension"] == pytest.approx(1, abs=0.2)
    assert found.notes[0].startswith("Locally the data have about 1 dimension")


def test_the_k_that_jumps_between_turns_is_told_and_a_smaller_one_is_advised():
    joined, apart = advice_of(SPIRAL, 12), advice_of(SPIRAL, 11)
    assert joined.metrics["short_circuits"] >= 1
    assert "try k = 11" in joined.notes[1]
    assert (apart.metrics["short_circuits"], len(apart.notes)) == (0.0, 1)


def test_copies_do_not_change_what_is_said():
    copied = np.vstack([SPIRAL, SPIRAL[:20], SPIRAL[:20]])
    assert advice_of(copied, 12) == advice_of(SPIRAL, 12)


def test_nothing_is_said_of_instances_that_are_all_the_same():
    assert advice(np.ones((9, 2)), knn(np.ones((9, 2)), 8), 12).notes == []


def test_what_was_found_is_on_disk_for_every_k_that_it_does_not_depend_on(tmp_path):
    some, fewer = (plan_of(Recipe(method="isomap", params={"n_neighbors": k})) for k in (12, 11))
    assert kept_advice("key", some, tmp_path) == []
    near = knn(SPIRAL, 32)
    given = Given().put(SEEN, Seen(SPIRAL), "key").put(GRAPH, near)
    run_stages(some, ADVICE, given, folder=tmp_path)
    found = advice(SPIRAL, near, 12)
    assert [given[stage].notes for stage in ADVICE] == [[note] for note in found.notes]
    assert kept_advice("key", some, tmp_path) == found.notes
    assert kept_advice("key", fewer, tmp_path) == found.notes[:1]
    assert kept_advice("other", some, tmp_path) == []


def test_a_clear_fall_tells_how_many_dimensions_there_are():
    (note,) = gap_notes([9.0, 4.0, 0.1, 0.09], 2)
    assert (
        note
        == "The spectrum falls most after value 2, to 1 / 40: 2 dimensions hold nearly all of it."
    )


def test_a_fall_to_nothing_is_not_divided_by():
    (note,) = gap_notes([9.0, 0.0, -1e-20], 2)
    assert note.endswith(
        "after value 1, to less than a thousandth: 1 dimension holds nearly all of it."
    )


def test_equal_values_among_the_axes_shown_are_named():
    assert gap_notes([4.0, 4.0, 3.0, 3.0], 2) == [
        "Axes 1 and 2 are interchangeable: their eigenvalues agree."
    ]


@pytest.mark.parametrize(
    "spectrum", [[], [1.0], [0.0, 0.0], [0.1, 0.2, 5.0], [3.0, 2.0, 1.0], [float("nan"), 1.0]]
)
def test_nothing_is_said_of_a_slow_fall_or_of_no_spectrum(spectrum):
    assert gap_notes(spectrum, 2) == []
