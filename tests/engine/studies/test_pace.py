"""The time left of a study, of cells whose durations are planted."""

import heapq
from dataclasses import dataclass
from types import SimpleNamespace

import pytest

from emberscope.project.store.cell_folder import Result
from emberscope.studies.pace import Pace


@dataclass(frozen=True)
class Planted:
    """A cell of a method; took : seconds. guess : those that the plan says."""

    key: str
    method: str
    took: float
    guess: float
    drawn: str = "box"

    @property
    def recipe(self):
        return SimpleNamespace(method=self.method, metric="", classifier="knn",
                               bags=SimpleNamespace(level="instance"))

    @property
    def change(self):
        return SimpleNamespace(drawn=self.drawn)

    @property
    def values(self):
        return {"method": self.method, "drawn": self.drawn, "seed": self.key}


class Clock:
    """The time of a study that nobody waits for."""

    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


def grid(count, **methods):
    """So many cells of each method, which take and are thought to take so many seconds; methods
    take turns."""
    return [Planted(f"{method}{number}", method, took, guess)
            for number in range(count) for method, (took, guess) in methods.items()]


def said(cells, *, at_once=1, there=0, known=True, others=0, start=0.0):
    """(time left, what is said) at each cell that ends. there : cells that were done before.
    others : further processes that nobody knows of. start : s until the first cell begins."""
    clock = Clock()
    pace = Pace(clock)
    pace.at_once = at_once
    pace.expect({cell.key: cell.guess for cell in cells} if known else {})
    results = {cell.key: result(cell) for cell in cells[:there]}
    pace.begin(cells, results)
    ends, todo, seen = [], cells[there:], []
    free = [100.0 + start] * (at_once + others)
    for cell in todo:
        end = heapq.heappop(free) + cell.took
        heapq.heappush(free, end)
        ends.append((end, cell))
    last = max(end for end, _ in ends)
    for end, cell in sorted(ends, key=lambda pair: pair[0]):
        clock.now = end
        results = results | {cell.key: result(cell)}
        pace.see(results)
        seen.append((last - end, pace.left))
    return seen


def result(cell):
    return Result(key=cell.key, values={}, seconds=cell.took)


def worst(seen, after):
    """The largest factor between what was left and what was said, from some cells on, as long as
    more than a cell is left."""
    return max(max(said / left, left / said) for left, said in seen[after:-1] if left > 0)


SLOW_AND_FAST = {"pca": (0.6, 0.1), "mi_umap": (20.0, 60.0), "mida": (3.0, 1.0)}


@pytest.mark.parametrize("at_once", [1, 2, 4])
def test_the_time_left_is_right_within_a_factor_of_two_after_a_few_cells(at_once):
    seen = said(grid(12, **SLOW_AND_FAST), at_once=at_once, start=6.0)
    assert worst(seen[:-at_once], after=2 * at_once + 1) < 2


def test_methods_that_come_one_after_the_other_do_not_mislead():
    slow_last = sorted(grid(12, pca=(0.6, 0.2), mi_umap=(20.0, 60.0)),
                       key=lambda cell: cell.took)
    assert worst(said(slow_last), after=12) < 2


def test_labels_of_another_kind_that_take_longer_than_planned_are_learned_from():
    cells = [Planted(f"{drawn}{number}", "mi_umap", took, 2.0, drawn) for number in range(12)
             for drawn, took in (("spot", 2.0), ("box", 2.0), ("frame", 30.0))]
    assert worst(said(cells), after=3) < 2
    frames_last = sorted(cells, key=lambda cell: cell.took)
    assert worst(said(frames_last), after=26) < 2


def test_without_a_plan_cells_count_by_their_method():
    assert worst(said(grid(12, **SLOW_AND_FAST), known=False), after=3) < 2


def test_cells_that_were_there_say_how_long_the_others_take():
    seen = said(grid(12, **SLOW_AND_FAST), there=30)
    assert worst(seen, after=0) < 2


def test_processes_that_nobody_knows_of_are_noticed():
    assert worst(said(grid(12, **SLOW_AND_FAST), others=1)[:-2], after=4) < 2


def test_cells_that_others_computed_meanwhile_do_not_count_as_work_of_this_call():
    cells = grid(10, pca=(1.0, 1.0))
    clock = Clock()
    pace = Pace(clock)
    pace.begin(cells, {cell.key: result(cell) for cell in cells[:9]})
    assert (pace.fraction, pace.words) == (0.0, "9 of 10 cells, about 1 s left")


def test_a_clock_that_goes_by_the_bar_says_what_is_left():
    cells = grid(4, pca=(5.0, 1.0))
    clock = Clock()
    pace = Pace(clock)
    pace.begin(cells, {})
    clock.now += 5.0
    pace.see({"pca0": result(cells[0])})
    clock.now += 2.0
    assert pace.left == pytest.approx(13.0)
    assert 7.0 * (1 - pace.fraction) / pace.fraction == pytest.approx(13.0)


def test_a_cell_that_takes_longer_than_it_should_does_not_eat_the_time_of_the_others():
    cells = grid(4, pca=(5.0, 5.0))
    clock = Clock()
    pace = Pace(clock)
    pace.expect({cell.key: 5.0 for cell in cells})
    pace.begin(cells, {})
    clock.now += 500.0
    assert pace.left == pytest.approx(15.0)


def test_a_cell_that_cannot_be_computed_is_not_waited_for():
    cells = grid(2, pca=(5.0, 5.0))
    pace = Pace(Clock())
    pace.begin(cells, {})
    pace.see({"pca0": result(cells[0])}, {"pca1": "its frames are gone"})
    assert pace.left == 0.0


def test_later_rounds_take_as_long_as_their_cells():
    cells = grid(2, pca=(5.0, 5.0))
    pace = Pace(Clock())
    pace.expect({cell.key: 5.0 for cell in cells}, later=6)
    pace.begin(cells, {})
    assert pace.left == pytest.approx(40.0)
