"""Draws of a published table that a folder keeps."""

import threading

from emberscope.base.errors import DataError
from emberscope.reproduction.kept import KeptDraws
from emberscope.reproduction.tables import Row, Table, fill_in

TABLE = Table(title="t", source="s", measure="m", unit="", seeds=2, rows=[
    Row(name="first", params={"k": 1}), Row(name="second", params={"k": 2})])  # fmt: skip


class Measuring:
    """A measure that remembers its draws: ten times k, and the seed."""

    def __init__(self):
        self.calls = []

    def __call__(self, *, seed, monitor, points, k):
        self.calls.append((k, seed))
        return 10.0 * k + seed


def filled(measure, folder, **more):
    kept = KeptDraws(folder, TABLE, {"m": measure}, **more)
    lines = list(fill_in(TABLE, kept.measures, **more))
    return [line.ours for line in lines], kept.write_table().read_text().splitlines()


def test_a_draw_that_is_kept_is_not_measured_again(tmp_path):
    first, second = Measuring(), Measuring()
    assert filled(first, tmp_path)[0] == filled(second, tmp_path)[0] == [10.5, 20.5]
    assert first.calls == [(1, 0), (1, 1), (2, 0), (2, 1)]
    assert second.calls == []


def test_more_draws_cost_those_alone(tmp_path):
    filled(Measuring(), tmp_path)
    more = Measuring()
    filled(more, tmp_path, seeds=3)
    assert more.calls == [(1, 2), (2, 2)]


def test_the_table_of_the_folder_has_a_row_for_each_draw(tmp_path):
    rows = filled(Measuring(), tmp_path, only="second")[1]
    assert rows[0] == "measure,k,seed,value,seconds,error,cell"
    assert [row.split(",")[:4] for row in rows[1:]] == [
        ["m", "2", "0", "20"], ["m", "2", "1", "21"]]


def test_a_draw_that_fails_is_measured_again(tmp_path):
    def fails(*, seed, monitor, points, k):
        raise DataError("it cannot be measured")

    assert "it cannot be measured" in next(iter(fill_in(
        TABLE, KeptDraws(tmp_path, TABLE, {"m": fails}).measures))).note
    again = Measuring()
    assert filled(again, tmp_path)[0] == [10.5, 20.5]
    assert len(again.calls) == 4


def test_what_another_process_is_at_is_waited_for_while_others_are_measured(tmp_path):
    """The first draw is taken; this process measures the other three before it gets that one."""
    other, mine = KeptDraws(tmp_path, TABLE, {}), Measuring()
    key = other._draw("m", {"k": 1}, 0, None).key
    taken, free = threading.Event(), threading.Event()

    def hold():
        with other._folder.lease(key) as got:
            assert got
            taken.set()
            free.wait()

    class UntilThree(Measuring):
        def __call__(self, **asked):
            found = super().__call__(**asked)
            if len(self.calls) == 3:
                free.set()
            return found

    mine = UntilThree()
    holder = threading.Thread(target=hold)
    holder.start()
    taken.wait()
    assert filled(mine, tmp_path)[0] == [10.5, 20.5]
    holder.join()
    assert sorted(mine.calls[:3]) == [(1, 1), (2, 0), (2, 1)]
    assert mine.calls[3] == (1, 0)


def test_a_number_that_is_none_is_measured_once_while_another_process_is_waited_for(tmp_path):
    kept, asked = KeptDraws(tmp_path, TABLE, {"m": lambda **asked: float("nan")}), []
    for _ in range(6):
        asked.append(kept._one_ahead(None, None))
    assert asked == [True] * 4 + [False] * 2


def test_a_number_that_is_none_is_not_kept(tmp_path):
    kept = KeptDraws(tmp_path, TABLE, {"m": lambda *, seed, monitor, points, k: float("nan")})
    list(fill_in(TABLE, kept.measures))
    assert list((tmp_path / "cells").iterdir()) == []
