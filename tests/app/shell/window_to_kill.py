"""A window that is killed: `python window_to_kill.py COUNT [PROJECT]` draws COUNT boxes, says so,
and waits.

With --removed behind it, the folder of the project is removed before the last box.
"""

import shutil
import sys
from pathlib import Path

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from emberscope.labels import Box
from emberscope.project import PutLabels
from emberscope_app.main import open_window
from emberscope_app.shell.questions import Button
from emberscope_app.state.core.preferences import Preferences
from emberscope_app.theme import look


def main(count: int, paths: list[str]) -> None:
    app = QApplication([])
    look.prepare(app)
    window = open_window(Preferences())
    window.show()
    window.files.left.ask = lambda work: Button.Yes
    window.files.open(paths[:1])
    session = window.session
    for number in range(count):
        if paths[1:] == ["--removed"] and number == count - 1:
            assert session.opened.flush()
            shutil.rmtree(Path(paths[0]).parent)
        key = session.project.new_label_ids()[0]
        box = Box(id=key, source=10, frame=0, x0=1, y0=2, x1=30, y1=40)
        session.do(PutLabels(title="Add box", after=[box]))
    session.undo_stack.undo()
    QTimer.singleShot(
        2500 if paths[1:] else 500, lambda: print(len(session.project.labels), flush=True)
    )
    app.exec()


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
