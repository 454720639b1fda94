"""Every number that is printed has a title and a unit."""

import ast
import re
from pathlib import Path

import pytest

import emberscope
from emberscope.findings.headline import measured_words
from emberscope.findings.measures import (
    ENDS,
    MEASURES,
    base_of,
    lower_is_better,
    measure_of,
    named,
    title_of,
)
from emberscope.project.model.parts import AREAS, CEILINGS, TRUTHS

from ..trees import tree_of

ROOT = Path(emberscope.__file__).parent
# A yes or no; columns of a table
NO_NUMBER = {"made_from_labels", "positive_bags", "negative_bags"}


def metrics_written():
    """Keys of the dicts that stages and pipelines give out as metrics."""
    for path in (
        path for room in ("course", "evaluate", "pipeline") for path in (ROOT / room).rglob("*.py")
    ):
        source = path.read_text(encoding="utf-8")
        for node in ast.walk(tree_of(source)):
            words = (
                {word.arg: word.value for word in node.keywords}
                if isinstance(node, ast.Call)
                else {}
            )
            found = words.get("metrics")
            yield from (
                key.value for key in getattr(found, "keys", ()) if isinstance(key, ast.Constant)
            )
        yield from re.findall(r"""metrics\["(\w+)"\] =""", source)


@pytest.mark.parametrize(
    "key", sorted({*metrics_written(), *AREAS, *TRUTHS, *CEILINGS} - NO_NUMBER)
)
def test_what_a_run_measures_is_in_the_table(key):
    assert measure_of(key) is not None


@pytest.mark.parametrize("key", MEASURES)
def test_a_measure_has_a_title_a_unit_and_a_meaning(key):
    measure = MEASURES[key]
    assert measure.title
    assert measure.unit
    assert measure.means
    assert measure.title != key
    assert not re.search("_", measure.title)
    assert title_of(key) == measure.title


@pytest.mark.parametrize("key", MEASURES)
def test_a_measure_is_printed_with_its_title_and_its_unit(key):
    ((name, words),) = measured_words({key: 7.0, f"{key}_error": 0.25}).items()
    assert name == named(key)
    assert "_" not in name.partition(" (")[0]
    assert words.endswith(MEASURES[key].unit)
    assert "\u00b1 0.2" in words


def test_titles_tell_measures_of_a_run_apart():
    of_a_run = [
        measure.title for key, measure in MEASURES.items() if key not in ("majority", "size_auc")
    ]
    assert len(of_a_run) == len(set(of_a_run))


@pytest.mark.parametrize("end", ENDS)
def test_what_belongs_to_a_number_is_not_printed_beside_it_once_more(end):
    assert base_of(f"trustworthiness_{end}") == "trustworthiness"
    assert len(measured_words({"trustworthiness": 0.9, f"trustworthiness_{end}": 0.1})) == 1
    assert measured_words({f"trustworthiness_{end}": 0.1}) == {}


def test_what_is_counted_has_no_more_digits_than_it_deserves():
    found = measured_words({"bags_missed": 3.0, "intrinsic_dimension": 7.21, "stress": 0.45678})
    assert list(found.values()) == ["3 bags", "7.2 dimensions", "0.457, 0 is perfect"]


def test_what_the_held_out_area_rests_on_is_not_printed_once_more():
    rests = {
        f"method_bag_{name}": 9.0
        for name in ("groups", "by_clip", "clips", "clips_not_judged", "pooled")
    }
    assert list(measured_words({"method_bag_auc": 0.9, **rests})) == [
        "held-out bag AUC (method_bag_auc)"
    ]


def test_a_number_of_two_axes_names_them():
    assert named("r_nx_auc_axes_1_2") == "agreement of axes 1 and 2 (r_nx_auc_axes_1_2)"
    assert measure_of("trustworthiness_axes_1_2_error") is MEASURES["trustworthiness"]


def test_a_number_that_nobody_described_goes_by_its_key():
    assert measured_words({"phase_of_the_moon": 0.5}) == {"phase_of_the_moon": "0.500"}


def test_less_of_an_error_is_better_whatever_its_unit():
    assert all(map(lower_is_better, ("stress", "rmse", "bag_rmse")))
    assert not any(map(lower_is_better, ("r2", "bag_r2", "bag_auc")))
