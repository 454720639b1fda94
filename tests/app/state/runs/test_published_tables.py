"""Published tables: rows go to the worker one by one, come back as they are done, and stay."""

import os
import signal

import pytest
from window_jobs import TABLE_OF_TESTS, EndlessRow

from emberscope.jobs.client import Worker
from emberscope.reproduction.tables import Line, Row, Table, read_table
from emberscope.tasks.measures import MeasureRow
from emberscope_app.state.core.preferences import Preferences
from emberscope_app.state.runs import published_tables
from emberscope_app.state.runs.jobs import Jobs
from emberscope_app.state.runs.published_tables import Published

NAN = float("nan")
PATIENCE = 120_000  # ms; the process imports and compiles, and the machine may be busy


def small():
    rows = [
        Row(name="DD", published=88.0),
        Row(name="MILES"),
        Row(name="lost", unavailable="never published"),
    ]
    return Table(
        title="Small: accuracy", source="s", measure="m", seeds=5, tolerance=4.0, rows=rows
    )


def public():
    return Table(title="Public", source="s", data="musk1", measure="m", rows=[Row(name="DD")])


def line(name, ours=86.6, seeds=5):
    return Line(name, 88.0, ours, 1.0, seeds, "", 4.0)


@pytest.fixture
def jobs(qapp, worker):
    found = Jobs(worker=worker)
    found.start()
    yield found
    found.close()


@pytest.fixture
def tables(jobs):
    return Published(jobs, Preferences(), {"small": small(), "public": public()})


def asked(worker):
    return [found.request.row for found in worker.submitted]


def happen(jobs):
    jobs._poll()


def test_rows_are_empty_until_they_are_measured(tables):
    assert [found.seeds for found in tables.lines("small")] == [0, 0, 0]
    assert tables.count("small") == (0, 2)


def test_the_worker_has_one_row_at_a_time(tables, worker, jobs):
    tables.start("small")
    assert asked(worker) == ["DD"]
    assert type(worker.submitted[0].request) is MeasureRow
    worker.finish(1, line("DD"))
    happen(jobs)
    assert asked(worker) == ["DD", "MILES"]


def test_a_row_is_there_as_soon_as_it_is_measured(tables, worker, jobs):
    tables.start("small")
    worker.finish(1, line("DD"))
    happen(jobs)
    assert tables.lines("small")[0].ours == 86.6
    assert tables.count("small") == (1, 2)


def test_cancel_keeps_the_rows_that_are_done(tables, worker, jobs):
    tables.start("small")
    worker.finish(1, line("DD"))
    happen(jobs)
    tables.cancel("small")
    happen(jobs)
    assert worker.canceled == [2]
    assert not tables.active("small")
    assert tables.count("small") == (1, 2)


def test_run_after_cancel_measures_what_is_left(tables, worker, jobs):
    test_cancel_keeps_the_rows_that_are_done(tables, worker, jobs)
    tables.start("small")
    assert asked(worker) == ["DD", "MILES", "MILES"]


def test_run_when_all_is_measured_measures_all_again(tables, worker, jobs):
    worker.answers[MeasureRow] = lambda request: line(request.row)
    tables.start("small")
    happen(jobs)
    happen(jobs)
    assert tables.count("small") == (2, 2)
    tables.start("small")
    assert tables.count("small") == (0, 2)


def test_a_row_drawn_once_is_measured_again_where_more_draws_are_wanted(tables, worker, jobs):
    worker.answers[MeasureRow] = lambda request: line(request.row, seeds=request.seeds)
    tables.start("small", seeds=1)
    happen(jobs)
    happen(jobs)
    assert tables.left("small", 1) == []
    assert [row.name for row in tables.left("small", 0)] == ["DD", "MILES"]


def test_the_draw_at_work_and_the_rows_that_wait_are_said(tables, worker, jobs):
    tables.start("small")
    worker.start_job(1)
    worker.progress(1, 0.5, "fold 3")
    happen(jobs)
    assert tables.state("small", "DD") == "draw 3 of 5"
    assert tables.state("small", "MILES") == "waiting"
    assert tables.summary("small") == "DD: fold 3"
    assert tables.fraction("small") == pytest.approx(0.25)


def test_a_second_table_waits_for_the_first(tables, worker, jobs, tmp_path):
    (tmp_path / "musk1.data").touch()
    tables.set_folder(str(tmp_path))
    tables.start("small")
    tables.start("public")
    assert asked(worker) == ["DD"]
    assert tables.summary("public") == "Waits for another table"
    tables.cancel("small")
    happen(jobs)
    assert worker.submitted[-1].request.table == "public"


def test_a_row_that_fails_stops_its_table_and_says_why(tables, worker, jobs):
    tables.start("small")
    worker.fail(1, "musk1: line 2 is damaged")
    happen(jobs)
    assert not tables.active("small")
    assert tables.summary("small") == "musk1: line 2 is damaged"


def test_a_row_that_could_not_be_measured_says_why_and_is_tried_again(tables, worker, jobs):
    worker.answers[MeasureRow] = lambda request: Line(
        request.row, None, NAN, NAN, 0, "no negative bag", None
    )
    tables.start("small")
    happen(jobs)
    happen(jobs)
    assert tables.lines("small")[0].note == "no negative bag"
    assert tables.count("small") == (0, 2)
    assert len(tables.left("small", 0)) == 2


def test_another_project_does_not_stop_a_table(tables, worker, jobs):
    tables.start("small")
    jobs.abandon()
    worker.finish(1, line("DD"))
    happen(jobs)
    assert tables.count("small") == (1, 2)
    assert tables.active("small")


def test_finished_rows_leave_the_list_of_jobs(tables, worker, jobs):
    worker.answers[MeasureRow] = lambda request: line(request.row)
    tables.start("small")
    happen(jobs)
    happen(jobs)
    assert len(jobs.jobs) == 1


def test_a_table_of_public_data_says_what_it_lacks(tables, tmp_path):
    assert "choose its folder" in tables.lacks("public")
    tables.set_folder(str(tmp_path))
    assert tables.lacks("public") == f"There is no musk1 in {tmp_path}"
    (tmp_path / "musk1.data").touch()
    assert tables.lacks("public") == ""


def test_nothing_is_asked_of_the_worker_without_the_data(tables, worker):
    tables.start("public")
    assert worker.submitted == []


def test_the_folder_is_remembered(tables, jobs, tmp_path):
    tables.set_folder(str(tmp_path))
    assert Published(jobs, Preferences(), {"public": public()}).folder == str(tmp_path)


def test_numbers_belong_to_the_folder_they_were_measured_in(tables, worker, jobs, tmp_path):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "musk1.data").touch()
    worker.answers[MeasureRow] = lambda request: line(request.row, seeds=1)
    tables.set_folder(str(tmp_path / "one"))
    tables.start("public")
    happen(jobs)
    tables.set_folder(str(tmp_path / "two"))
    assert tables.count("public") == (0, 1)
    tables.set_folder(str(tmp_path / "one"))
    assert tables.count("public") == (1, 1)


def test_the_tables_that_come_along_are_there(jobs):
    assert {"surfaces", "musk1", "not-reachable"} <= set(Published(jobs, Preferences()).tables)


@pytest.fixture
def mine(tmp_path):
    """A table of one quick row, and one that cannot be measured."""
    path = tmp_path / "mine.toml"
    path.write_text('''
title = "t"
source = "s"
measure = "map-accuracy"
params = { data = "surfaces", n = 40 }
seeds = 2
[[rows]]
name = "separable"
published = 99
params = { kind = "separable" }
[[rows]]
name = "odd"
params = { kind = "odd" }
''')
    return str(path)


def test_a_worker_process_measures_the_rows(qapp, qtbot, tmp_path, mine):
    jobs = Jobs(worker=Worker(warm=False, folder=tmp_path / "jobs"))
    jobs.start()
    tables = Published(jobs, Preferences(), {mine: read_table(mine)})
    tables.start(mine)
    qtbot.waitUntil(lambda: not tables.active(mine), timeout=PATIENCE)
    jobs.close()
    separable, odd = tables.lines(mine)
    assert separable.seeds == 2
    assert separable.ours > 50
    assert "no surfaces 'odd'" in odd.note


def test_a_killed_worker_stops_its_table_and_the_next_one_is_measured(
    qapp, qtbot, tmp_path, mine, monkeypatch
):
    jobs = Jobs(worker=Worker(table=TABLE_OF_TESTS, warm=False, folder=tmp_path / "jobs"))
    jobs.start()
    tables = Published(jobs, Preferences(), {"small": small(), mine: read_table(mine)})
    with monkeypatch.context() as patched:
        patched.setattr(published_tables, "MeasureRow", EndlessRow)
        tables.start("small")
    tables.start(mine)
    qtbot.waitUntil(lambda: tables._job.state == "running", timeout=PATIENCE)
    os.kill(jobs._worker.pid, signal.SIGKILL)
    qtbot.waitUntil(lambda: not tables.active(mine), timeout=PATIENCE)
    jobs.close()
    assert "killed" in tables.summary("small")
    assert not tables.active("small")
    assert tables.lines(mine)[0].seeds == 2
