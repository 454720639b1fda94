"""A window to end: `python window_to_end.py WHAT PROJECT` adds a label, gets busy, says the process
of its worker; once the program is over, whether Qt went before the interpreter, and which threads
did not."""

import os
import signal
import sys
import threading
import time
from functools import partial

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QMessageBox

from emberscope.cli import _stop_when_terminated
from emberscope.jobs import client
from emberscope.labels import Spot
from emberscope.project import PutLabels
from emberscope.project.store.open_project import OpenProject
from emberscope.tasks.trial import WaitUntilStopped
from emberscope_app import main as entry
from emberscope_app.shell import ending, window
from emberscope_app.shell.questions import Button
from emberscope_app.when.threads import threads


def main(what: str, path: str) -> None:
    # Whatever the process of the tests ignores
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # One worker that loads and compiles for seconds when it has to end is enough
    if what != "idle":
        client.Worker = partial(client.Worker, warm=False)
    if what == "command":
        _stop_when_terminated()
    if what == "a start that fails":
        window.StatusBar = None  # in the middle of making the window
    begin = entry.begin
    entry.begin = lambda window, paths: (begin(window, paths), work(window, what))
    code = entry.main([path])
    print(QApplication.instance(), threads().end(0.0), flush=True)
    sys.exit(code)


def work(window, what: str) -> None:
    session = window.session
    spot = Spot(id=session.project.new_label_ids()[0], source=10, frame=0, x=1, y=2)
    session.do(PutLabels(title="Add spot", after=[spot]))
    session.opened.flush()
    window.files.ask_losses = lambda lost, doing: Button.Discard
    job = (
        session.jobs.ask(WaitUntilStopped(), title="Wait")
        if "run" in what or "worker" in what
        else None
    )
    if "map" in what:
        window.show_workspace("explore")
    if "thread" in what:
        ending.PATIENCE = 0.2
        threads().begin(threading.Event().wait, name="one that never ends")

    def go_on() -> None:
        if job is not None and job.state != "running":
            QTimer.singleShot(50, go_on)
            return
        pid = session.jobs.start().pid
        if "worker" in what:
            os.kill(pid, signal.SIGKILL)
        print(pid, flush=True)
        if what == "question":
            QMessageBox(window).exec()
        elif what == "close in a run":
            window.close()
        elif what == "close in a save":
            write = OpenProject.save
            OpenProject.save = lambda *a, **k: (time.sleep(0.5), write(*a, **k))[1]
            window.files.save()
            window.close()
        elif "quit" in what:
            window.actions_by_id["file.quit"].trigger()

    QTimer.singleShot(300, go_on)


if __name__ == "__main__":
    main(*sys.argv[1:])
