"""Actions of a point set: what `embed` writes of a walk that turns, seen with noise."""

import numpy as np
import pytest

from emberscope.base.errors import DataError, ParamError
from emberscope.datasets.imagebot import texture, walk
from emberscope.datasets.model import Points
from emberscope.findings.motions import in_turn
from emberscope.point_tasks import embed_points


@pytest.fixture(scope="module")
def walked():
    """16 turns to the right and 8 to the left, and three new views of frames 5 to 7."""
    found = walk("turn", texture(2.2, shape=(512, 1280)))
    rng = np.random.default_rng(0)
    X, new = (rows + 0.05 * found.X.std() * rng.normal(size=rows.shape)
              for rows in (found.X, found.X[5:8]))
    return found, Points(X, side=found.side, X_new=new, new_actions=("turn right", ""))


@pytest.fixture(scope="module")
def embedded(walked):
    return embed_points(walked[1], method="are", settings={}, ways=[(0, 12)],
                        together=["turn right, turn right"])


def test_motions_lead_from_row_to_row(embedded):
    arrays, report = embedded
    right = arrays["action_name"].tolist().index("turn right")
    there = arrays["places"][:15] @ arrays["action_turn"][right] + arrays["action_shift"][right]
    np.testing.assert_allclose(there, arrays["places"][1:16], atol=0.1)
    np.testing.assert_allclose(arrays["places"][:, :2], arrays["Z"], atol=1e-6)
    record = report["actions"][right]
    assert (record["count"], record["undone by"]) == (16, "turn left")
    assert record["degrees"] == pytest.approx(22.5, abs=1)
    assert arrays["undone_by"].tolist() == [["turn left", "turn right"]]


def test_what_comes_next_is_the_view_that_the_action_leads_to(walked, embedded):
    expected, places, result = embedded[0]["action_next"], walked[0].places, walked[0].result
    asked = result >= 0
    assert (places[expected][asked] == result[asked]).mean() > 0.95


def test_the_way_has_its_actions_its_places_and_the_view_it_reaches(embedded):
    arrays, report = embedded
    (way,) = report["ways"]
    assert (way["from"], way["to"], way["actions"], way["row"]) == (0, 12, "turn left x4", 12)
    assert arrays["way_1"].shape == (5, 2)
    assert way["miss"] <= 0.5


def test_actions_in_turn_are_one_motion(embedded):
    (record,) = embedded[1]["together"]
    assert record["degrees"] == pytest.approx(45, abs=2)
    assert embedded[0]["together_turn"].shape == (1, 2, 2)


def test_new_views_are_located(walked, embedded):
    np.testing.assert_array_equal(walked[0].places[embedded[0]["located"]], [5, 6, 7])
    assert embedded[0]["located_sure"].shape == (3,)


def test_a_method_that_knows_no_actions_has_no_ways(walked):
    plain = Points(walked[1].X)
    with pytest.raises(ParamError, match="knows no actions"):
        embed_points(plain, method="pca", settings={}, ways=[(0, 1)])
    assert "actions" not in embed_points(plain, method="pca", settings={})[1]


def test_a_row_that_is_not_there_is_named(walked):
    with pytest.raises(DataError, match="from row 0 to row 99 of 25"):
        embed_points(walked[1], method="are", settings={}, ways=[(0, 99)])


def test_actions_are_said_in_turn_with_how_often():
    assert in_turn(["a", "a", "b", "a"]) == "a x2, b, a"
    assert in_turn([]) == "nothing to do"
