"""A window to end: `python window_to_end.py WHAT PROJECT` adds a label, gets busy, says the process of its worker."""

import sys
import time
from functools import partial

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QMessageBox

from emberscope.jobs import client
from emberscope.labels import Spot
from emberscope.project import PutLabels
from emberscope.project.open_project import OpenProject
from emberscope_app.main import end_when_terminated, open_window
from emberscope_app.shell.questions import Button
from emberscope_app.state.preferences import Preferences
from emberscope_app.theme import look

WAIT = "emberscope.self_test:wait_task"


def main(what: str, path: str) -> None:
    if what != "idle":  # one worker that loads and compiles for seconds when it has to end is enough
        client.Worker = partial(client.Worker, warm=False)
    app = QApplication([])
    look.prepare(app)
    window = open_window(Preferences())
    window.show()
    end_when_terminated(window)
    session = window.session
    session.jobs.start()
    window.files.open([path])
    session.do(PutLabels(title="Add spot", after=[Spot(id=session.project.new_ids()[0], source=10, frame=0, x=1, y=2)]))
    session.opened.flush()
    window.files.ask_losses = lambda lost, doing: Button.Discard
    job = session.jobs.submit(WAIT, {}, title="Wait") if "run" in what else None

    def go_on() -> None:
        if job is not None and job.state != "running":
            QTimer.singleShot(50, go_on)
            return
        print(session.jobs.start().pid, flush=True)
        if what == "question":
            QMessageBox(window).exec()
        elif what == "close in a run":
            window.close()
        elif what == "close in a save":
            write = OpenProject.save
            OpenProject.save = lambda *a, **k: (time.sleep(0.5), write(*a, **k))[1]
            window.files.save()
            window.close()

    QTimer.singleShot(300, go_on)
    sys.exit(app.exec())


if __name__ == "__main__":
    main(*sys.argv[1:])
