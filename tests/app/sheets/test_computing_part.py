"""The part of the preferences on where studies are computed."""

import pytest

from emberscope.base.errors import WorkerError
from emberscope.findings.studied.load import ClusterLoad
from emberscope.tasks.studies import LookAtCluster
from emberscope_app.shell import commands
from emberscope_app.state.runs.computing import Computing, computing, set_computing
from emberscope_app.theme.look import current

LOAD = ClusterLoad(2, 4, 0.5, 1 << 30, 8 << 30, 1)


def part(window):
    commands.show_preferences(window)
    return window.sheet.computing


def write(part, address):
    part.address.setText(address)
    part.address.textEdited.emit(address)


def test_what_is_chosen_is_kept(window):
    found = part(window)
    found.workers.setValue(2)
    write(found, " tls://head:8786 ")
    found.fall_back.click()
    assert computing() == Computing(2, "tls://head:8786", False)


def test_without_a_cluster_nobody_is_asked(window, worker, qtbot):
    found = part(window)
    found._ask()
    assert worker.asked(LookAtCluster) == []
    assert not found.load.isVisibleTo(found)
    assert not found.fall_back.isEnabled()


def test_it_says_how_busy_the_cluster_is(window, worker, qtbot, screenshot):
    worker.answers[LookAtCluster] = lambda request: LOAD
    found = part(window)
    write(found, "tls://head:8786")
    qtbot.waitUntil(lambda: "2 workers, 50% busy" in found.load.text())
    assert worker.asked(LookAtCluster)[0].request.address == "tls://head:8786"
    screenshot(window, "preferences-computing")


def test_a_cluster_that_is_gone_is_said(window, worker, qtbot):
    def gone(request):
        raise WorkerError("no scheduler answers at tcp://head:1", hint="Start one.")

    worker.answers[LookAtCluster] = gone
    set_computing(Computing(dask="tcp://head:1"))
    found = part(window)
    qtbot.waitUntil(lambda: "no scheduler answers" in found.problem.text())
    assert found.problem.palette().windowText().color().name() == current().err.lower()
    assert not found.load.isVisibleTo(found)


def test_nobody_looks_while_the_worker_does_something_else(window, worker):
    set_computing(Computing(dask="tcp://head:1"))
    window.session.jobs.ask(LookAtCluster(address="x"), title="Something long")
    found = part(window)
    found._ask()
    assert [each.request.address for each in worker.asked(LookAtCluster)] == ["x"]


@pytest.mark.parametrize(("chosen", "words"), [
    (Computing(), ""),
    (Computing(2), "Computed in 2 processes of this computer."),
    (Computing(1, "tls://h:1", False), "Computed on the cluster at tls://h:1."),
    (Computing(1, "tls://h:1"), "Computed on the cluster at tls://h:1; in 1 process of this "
                                "computer, where it is gone."),
])
def test_where_cells_are_computed_is_a_sentence(chosen, words):
    assert chosen.words == words


def test_a_number_of_processes_that_is_none_is_one(window):
    set_computing(Computing(workers=0))
    assert computing().workers == 1
