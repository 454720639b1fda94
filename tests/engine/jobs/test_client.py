"""The worker process: results, progress, stopping, killing, crashing."""

import errno
import multiprocessing
import os
import signal
import sys
import threading
import time

import numpy as np
import psutil
import pytest
from worker_questions import Answer, Count, Die, Do, Double, KillItself, Unknown, exit_at_once

from emberscope.base.errors import QuestionError, WorkerError
from emberscope.jobs import (
    Crashed,
    Failed,
    Finished,
    Noted,
    Partial,
    Progress,
    Started,
    Stopped,
    parcels,
)
from emberscope.jobs.client import wait_for_answer
from emberscope.tasks.request import Table

DEADLINE = 60.0  # s; nothing here takes long, but the machine may be busy


def test_a_job_starts_and_brings_its_result(worker, until):
    job = worker.ask(Double(x=21))
    events = until(worker, lambda event: isinstance(event, Finished))
    assert events == [Started(job), Finished(job, Answer(42))]


def test_poll_returns_at_once_while_nothing_happens(worker):
    assert worker.poll() == []
    assert not worker.wait(0)


def test_jobs_run_in_the_order_of_asking(worker, until):
    jobs = [worker.ask(Double(x=i)) for i in range(3)]
    events = until(worker, lambda event: isinstance(event, Finished) and event.job == jobs[-1])
    assert [event.job for event in events if isinstance(event, Finished)] == jobs


@pytest.mark.parametrize("n", [10, 500_000])
def test_small_and_large_arrays_arrive_whole(worker, finish, n):
    job = worker.ask(Double(x=np.arange(n)))
    assert np.array_equal(finish(worker, job).answer.value, 2 * np.arange(n))


def test_large_arrays_leave_no_file_behind(worker, finish, tmp_path):
    finish(worker, worker.ask(Double(x=np.arange(500_000))))
    assert list(tmp_path.rglob("*.bin")) == []


def test_progress_names_every_stage(worker, until):
    worker.ask(Count(n=3))
    events = until(worker, lambda event: isinstance(event, Finished))
    assert [event.message for event in events if isinstance(event, Progress)] == [
        "number 0",
        "number 1",
        "number 2",
    ]


def test_a_live_picture_arrives_as_float32(worker, until):
    worker.ask(Do(what="embedding"))
    Z = until(worker, lambda event: isinstance(event, Partial))[-1].Z
    assert Z.dtype == np.float32
    assert np.array_equal(Z, np.eye(2))


def test_a_job_stops_at_its_next_step_and_the_process_lives_on(worker, until, finish, monkeypatch):
    # A slow machine may take long to the next step
    monkeypatch.setattr("emberscope.jobs.client.PATIENCE", DEADLINE)
    job = worker.ask(Do(what="until_stopped"))
    until(worker, lambda event: isinstance(event, Progress))
    pid = worker.pid
    worker.cancel(job)
    assert finish(worker, job) == Stopped(job)
    assert worker.pid == pid


def test_a_job_that_does_not_listen_loses_its_process_and_a_new_one_goes_on(worker, until, finish):
    job = worker.ask(Do(what="deaf"))
    until(worker, lambda event: isinstance(event, Progress))
    pid = worker.pid
    worker.cancel(job)
    assert finish(worker, job) == Stopped(job)
    assert worker.pid != pid
    assert finish(worker, worker.ask(Double(x=1))).answer == Answer(2)


def test_a_waiting_job_is_stopped_without_ever_starting(worker, until, finish):
    first = worker.ask(Do(what="until_stopped"))
    second = worker.ask(Double(x=1))
    worker.cancel(second)
    assert finish(worker, second) == Stopped(second)
    worker.cancel(first)
    assert finish(worker, first) == Stopped(first)


def test_a_job_that_finished_while_being_stopped_counts_as_stopped(worker, until, finish):
    job = worker.ask(Double(x=1))
    worker.cancel(job)
    assert finish(worker, job) == Stopped(job)


def test_an_error_is_one_line_and_a_traceback(worker, finish):
    event = finish(worker, worker.ask(Do(what="bad_data")))
    assert isinstance(event, Failed)
    assert event.what == "X: there are no rows. Label something."
    assert "raise DataError" in event.traceback


@pytest.mark.parametrize(
    ("function", "what"),
    [
        ("bug", "IndexError: list index out of range"),
        ("out_of_memory", "there is not enough memory. Take fewer instances, or smaller features."),
        ("no_such_file", "gone/points.npz: No such file or directory."),
    ],
)
def test_any_failure_is_told_in_one_line(worker, finish, function, what):
    assert finish(worker, worker.ask(Do(what=function))).what == what


def test_a_result_that_cannot_travel_is_a_failure(worker, finish):
    assert isinstance(finish(worker, worker.ask(Do(what="unsendable"))), Failed)


def test_a_process_that_dies_is_reported_and_replaced(worker, finish):
    job = worker.ask(Die(code=7))
    assert finish(worker, job) == Crashed(job, "The worker ended by itself (exit code 7).")
    assert isinstance(finish(worker, worker.ask(Double(x=1))), Finished)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signals")
@pytest.mark.parametrize(
    ("number", "what"),
    [
        (signal.SIGSEGV, "The worker crashed (SIGSEGV)."),
        (
            getattr(signal, "SIGKILL", 9),
            "The worker was killed by the system, most likely because the memory ran out.",
        ),
    ],
)
def test_a_crash_is_told_in_plain_words(worker, finish, number, what):
    job = worker.ask(KillItself(signal=number))
    assert finish(worker, job) == Crashed(job, what)


def test_the_jobs_behind_a_crash_still_run(worker, finish):
    worker.ask(Die(code=1))
    second = worker.ask(Double(x=4))
    assert finish(worker, second).answer == Answer(8)


def test_a_process_that_never_comes_up_is_given_up(worker, finish, monkeypatch):
    monkeypatch.setattr("emberscope.jobs.worker.main", exit_at_once)
    event = finish(worker, worker.ask(Double(x=1)))
    assert (
        event.what
        == "The worker ended by itself (exit code 3). It does not start; the log says more."
    )


def test_where_no_process_can_be_made_the_job_crashes_and_the_next_one_runs(
    worker, finish, monkeypatch
):
    with monkeypatch.context() as nothing_left:
        nothing_left.setattr(multiprocessing.context.SpawnProcess, "start", no_memory)
        event = finish(worker, worker.ask(Double(x=1)))
    assert event.what == "The worker cannot be started: Cannot allocate memory."
    assert isinstance(finish(worker, worker.ask(Double(x=1))), Finished)


def no_memory(process):
    raise OSError(errno.ENOMEM, os.strerror(errno.ENOMEM))


@pytest.fixture
def slow_disk(monkeypatch):
    """A disk that writes once the event is set."""
    go, write = threading.Event(), parcels.write_parts
    monkeypatch.setattr(
        parcels, "write_parts", lambda path, parts: (go.wait(DEADLINE), write(path, parts))[1]
    )
    yield go
    go.set()


def test_whoever_asks_does_not_wait_until_large_arguments_are_written(
    worker, until, finish, slow_disk
):
    job = worker.ask(Double(x=np.arange(1 << 20)))
    small = worker.ask(Double(x=1))
    assert worker.poll() == []
    slow_disk.set()
    events = until(worker, lambda event: isinstance(event, Finished) and event.job == small)
    assert [event.job for event in events if isinstance(event, Started)] == [job, small]


def test_a_job_that_is_canceled_while_its_arguments_are_written_leaves_no_file(
    worker, slow_disk, tmp_path
):
    worker.cancel(worker.ask(Double(x=np.arange(1 << 20))))
    slow_disk.set()
    for writer in worker._writers:
        writer.join(DEADLINE)
    assert list(tmp_path.rglob("*.bin")) == []


def test_arguments_without_room_on_the_disk_crash_the_job_and_leave_no_file(
    worker, finish, monkeypatch, tmp_path
):
    monkeypatch.setattr(parcels, "write_parts", half_written)
    event = finish(worker, worker.ask(Double(x=np.zeros(1 << 20))))
    assert (
        "data of the job cannot be written: No space left on device. Free some room there"
        in event.what
    )
    assert not list(tmp_path.rglob("*.bin"))


def test_a_result_without_room_on_the_disk_is_a_failure_in_words(worker, finish):
    event = finish(worker, worker.ask(Do(what="full_disk")))
    assert (
        "data of the job cannot be written: No space left on device. Free some room there"
        in event.what
    )


def half_written(path, parts):
    path.touch()
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_only_questions_of_the_table_are_asked(worker):
    with pytest.raises(WorkerError, match="Unknown is no question that the engine answers"):
        worker.ask(Unknown())


def test_the_worker_refuses_what_its_own_table_has_not(worker, finish):
    worker.start()
    worker._table = Table({Unknown: None})  # as if whoever asks were of another version
    event = finish(worker, worker.ask(Unknown()))
    assert event.what.startswith("Unknown is no question that the engine answers.")


def test_a_field_of_another_type_is_refused_before_it_is_sent(worker):
    with pytest.raises(QuestionError, match=r"Count\.n: expected `int`, got `str`"):
        worker.ask(Count(n="three"))
    assert worker.pid is None


def test_an_answer_that_is_not_as_declared_is_a_defect_of_the_worker(worker, finish):
    event = finish(worker, worker.ask(Do(what="another_answer")))
    assert isinstance(event, Failed)
    assert event.what == (
        "the answer to Do is not as declared, a defect of the worker: Answer: expected `Answer`, "
        "got `dict`."
    )


def test_what_the_process_prints_is_in_the_log(worker, finish):
    finish(worker, worker.ask(Do(what="write")))
    assert worker.log().splitlines() == ["printed", "written by a C library"]


def test_a_warning_of_the_engine_comes_to_the_parent_and_is_in_the_log(worker, until):
    worker.ask(Do(what="warn"))
    *_, noted = until(worker, lambda event: isinstance(event, Noted))
    assert noted.words == "a damaged file was removed"
    assert worker.log().splitlines() == ["a damaged file was removed"]


def test_close_ends_a_busy_process_and_removes_its_files(worker, until, tmp_path):
    worker.ask(Do(what="deaf"))
    until(worker, lambda event: isinstance(event, Progress))
    process = psutil.Process(worker.pid)
    worker.close()
    process.wait(DEADLINE)
    assert list((tmp_path / "jobs").iterdir()) == []


def test_close_twice_and_before_start_is_fine(make_worker):
    worker = make_worker()
    worker.close()
    worker.close()
    assert worker.poll() == []


def test_files_of_a_program_that_was_killed_are_removed_by_the_next_one(make_worker, tmp_path):
    left = tmp_path / "jobs" / "worker-999999999-abc"
    left.mkdir(parents=True)
    make_worker().start()
    assert not left.exists()


def test_the_process_ends_when_its_parent_does(tmp_path):
    code = (
        "if __name__ == '__main__':\n"
        "    from emberscope.jobs.client import Worker\n"
        f"    worker = Worker(folder={str(tmp_path / 'jobs')!r}, warm=False)\n"
        "    worker.start()\n"
        "    print(worker.pid, flush=True)\n"
        "    import os, signal; os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    script = tmp_path / "parent.py"
    script.write_text(code)
    import subprocess

    pid = int(subprocess.run([sys.executable, script], capture_output=True, text=True).stdout)
    end = time.monotonic() + DEADLINE
    while not has_ended(pid) and time.monotonic() < end:
        time.sleep(0.01)
    assert has_ended(pid)


def has_ended(pid):
    """It is gone, or what is left waits for whoever adopted it to take note."""
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


@pytest.mark.skipif(sys.platform == "win32", reason="niceness is a Unix word")
def test_the_window_goes_before_the_worker(worker, finish):
    assert finish(worker, worker.ask(Do(what="about_me"))).answer.value["nice"] >= min(
        os.nice(0) + 5, 19
    )


def test_the_environment_of_this_process_stays_as_it_was(worker, finish):
    before = dict(os.environ)
    about = finish(worker, worker.ask(Do(what="about_me"))).answer.value
    assert about["OPENBLAS_NUM_THREADS"] is not None
    assert dict(os.environ) == before


def test_who_waits_gets_the_answer(worker):
    seen = []
    assert wait_for_answer(Count(n=2), worker=worker, on_event=seen.append) == Answer(2)
    assert isinstance(seen[0], Started)


def test_who_waits_is_told_what_went_wrong(worker):
    with pytest.raises(WorkerError, match="there are no rows"):
        wait_for_answer(Do(what="bad_data"), worker=worker)
