"""The report of a study."""

from emberscope.findings.studied.grid import PlaceScore
from emberscope.report.study_page import study_page


def page(*places, answer="Best of 3 places: d 3."):
    notes = ["a note", "a note"]
    return study_page("How many <dimensions>?", answer, places, "method_bag_auc", notes)


def at(d, mean, **more):
    return PlaceScore({"d": d}, mean, 0.5, 1.0, seeds=1, **more)


def test_it_says_the_answer_every_place_and_each_note_once():
    found = page(at(2, 0.8), at(3, 0.9), at(5, None, errors=["too many dimensions"]))
    assert "How many &lt;dimensions&gt;?" in found
    assert "Best of 3 places: d 3." in found
    assert "<td>3</td><td>0.900</td><td>0.500 \u2013 1.000</td>" in found
    assert "too many dimensions" in found
    assert found.count("a note") == 1


def test_it_has_the_grid_and_a_curve_over_numbers_inside_of_it():
    assert page(at(2, 0.8), at(3, 0.9), at(5, 0.7)).count("data:image/png") == 2


def test_without_three_numbers_there_is_no_curve():
    assert page(at(2, 0.8), at(3, 0.9)).count("data:image/png") == 1
