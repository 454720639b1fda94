"""What runs stages."""

import re

import numpy as np
import pytest
import scipy.linalg  # noqa: F401  (its BLAS is one of those limited)
from threadpoolctl import threadpool_info, threadpool_limits

from emberscope.base.errors import Cancelled
from emberscope.base.monitor import Watch
from emberscope.course.plan import plan_of
from emberscope.course.runner import contents_of, run_stages
from emberscope.course.stage import Cost, Given, Item, Size, Stage
from emberscope.project.model.recipe import Recipe

NUMBER = Item[int]("number")
PLAN = plan_of(Recipe(method="pca"))


class Double(Stage[int]):
    """Twice the number, and how often it was computed."""

    title, inputs, kept = "Doubling", (NUMBER,), dict

    def __init__(self, name="double", seconds=1.0):
        super().__init__(name)
        self.computed, self.seconds = 0, seconds

    def key(self, plan, given):
        return str(given[NUMBER])

    def needed(self, plan, given):
        return given[NUMBER] > 0

    def absent(self, plan, given):
        return 0

    def compute(self, plan, given, monitor):
        monitor.step(0.5)
        self.computed += 1
        return 2 * given[NUMBER]

    def pack(self, value):
        return {"doubled": value}

    def unpack(self, plan, given, record):
        return record["doubled"]

    def cost(self, plan, size):
        return Cost(self.seconds)


class Counting(Double):
    """How many threads BLAS has meanwhile."""

    def compute(self, plan, given, monitor):
        found = [info["num_threads"] for info in threadpool_info() if info["user_api"] == "blas"
                 and re.search("numpy|scipy", info["filepath"])]
        return max(found)


class Peeking(Double):
    """Reads what it does not declare."""

    inputs = ()


class Arrays(Double):
    """Keeps arrays."""

    kept = tuple

    def pack(self, value):
        return (np.array([value]),)

    def unpack(self, plan, given, record):
        return int(record[0][0])


@pytest.mark.parametrize("kind", [Double, Arrays])
def test_a_result_is_computed_once_for_each_key(kind, tmp_path):
    stage = kind()
    found = [
        run_stages(PLAN, [stage], Given().put(NUMBER, number), folder=tmp_path)[stage]
        for number in (3, 3, 4)
    ]
    assert (found, stage.computed) == ([6, 6, 8], 2)


def test_nothing_is_kept_without_a_folder():
    stage = Double()
    for _ in range(2):
        assert run_stages(PLAN, [stage], Given().put(NUMBER, 3))[stage] == 6
    assert stage.computed == 2


def test_stages_of_two_names_keep_results_of_their_own(tmp_path):
    stages = Double("first"), Double("second")
    run_stages(PLAN, stages, Given().put(NUMBER, 3), folder=tmp_path)
    assert [stage.computed for stage in stages] == [1, 1]


def test_what_is_not_needed_is_not_computed_nor_named(tmp_path):
    stage, seen = Double(), []
    watch = Watch(lambda _, message: seen.append(message))
    assert (
        run_stages(PLAN, [stage], Given().put(NUMBER, -1), folder=tmp_path, monitor=watch)[stage]
        == 0
    )
    assert (stage.computed, "Doubling" in seen) == (0, False)


def test_a_stage_cannot_read_what_it_does_not_declare():
    with pytest.raises(LookupError, match="there is no number here"):
        run_stages(PLAN, [Peeking()], Given().put(NUMBER, 3))


def test_the_bar_is_cut_by_what_the_stages_cost():
    seen = []
    stages = Double("short", 1.0), Double("long", 3.0)
    run_stages(
        PLAN,
        stages,
        Given().put(NUMBER, 3),
        size=Size(1, 1, 1),
        monitor=Watch(lambda at, _: seen.append(at)),
    )
    assert seen == pytest.approx([0.0, 0.125, 0.25, 0.625, 1.0])


def test_what_was_computed_before_somebody_stopped_is_kept(tmp_path):
    first, second, given = Double("first"), Double("second"), Given().put(NUMBER, 3)
    with pytest.raises(Cancelled):
        run_stages(
            PLAN,
            [first, second],
            given,
            folder=tmp_path,
            monitor=Watch(stop=lambda: first.computed > 0),
        )
    run_stages(PLAN, [first, second], given, folder=tmp_path)
    assert (first.computed, second.computed) == (1, 1)


def test_no_stages_are_no_course():
    given = Given().put(NUMBER, 3)
    assert run_stages(PLAN, [], given) is given


def test_blas_has_one_thread_in_a_stage_so_that_its_last_bits_do_not_depend_on_how_many():
    stage = Counting("counting")
    with threadpool_limits(2, user_api="blas"):
        assert run_stages(PLAN, [stage], Given().put(NUMBER, 1))[stage] == 1


def test_contents_tell_results_apart_and_name_their_stages():
    stage = Double("twice")
    one, two = (contents_of(PLAN, [stage], run_stages(PLAN, [stage], Given().put(NUMBER, number)))
                for number in (1, 2))
    assert list(one) == ["twice"]
    assert one != two


def test_a_stage_that_had_nothing_to_compute_has_no_content():
    stage = Double()
    assert contents_of(PLAN, [stage], run_stages(PLAN, [stage], Given().put(NUMBER, 0))) == {}
