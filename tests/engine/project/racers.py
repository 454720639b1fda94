"""Processes that want the lock of a project at the same time.

`python racers.py [nolocks] [hasty]` does what its input says: "take PATH" answers "has", "locked"
or "error ..."; "drop" lets go and answers "dropped"; "holder PATH" answers who has it; "end" ends
it. With "nolocks" as on a file system that keeps no locks on open files, with "hasty" it does not
try again and again.
"""

import os
import subprocess
import sys
from pathlib import Path

import msgspec

from emberscope.base.errors import ProjectError
from emberscope.base.process import os_lock
from emberscope.project.store import lock
from emberscope.project.store.lock import Locked, holder, lock_path, take, this_process

GONE = 2**22 + 1  # no process has this number


class Racer:
    """One of them. before : words that start it, for example in another space of process
    numbers."""

    def __init__(self, *more: str, before: tuple[str, ...] = ()) -> None:
        words = [*before, sys.executable, __file__, *more]
        self._process = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def ask(self, words: str) -> None:
        """Say what it is to do; returns at once."""
        self._process.stdin.write(f"{words}\n")
        self._process.stdin.flush()

    def answer(self) -> str:
        """What it answered."""
        return self._process.stdout.readline().strip()

    def does(self, words: str) -> str:
        """Both."""
        self.ask(words)
        return self.answer()

    def end(self) -> None:
        """It goes at once, and lets go of nothing."""
        self._process.kill()
        self._process.wait()
        self._process.stdin.close()
        self._process.stdout.close()


def leave_lock(path: Path) -> None:
    """A lock of a process of this computer that ended."""
    owner = msgspec.structs.replace(this_process(), pid=GONE, started="never", guarded=True)
    part = lock_path(path).with_name("left")
    part.write_bytes(msgspec.json.encode(owner))
    part.replace(lock_path(path))


def holders(racers: list[Racer], path: Path) -> int:
    """How many of them get the lock at the same time, where one was left."""
    leave_lock(path)
    for racer in racers:
        racer.ask(f"take {path}")
    found = sum(racer.answer() == "has" for racer in racers)
    for racer in racers:
        racer.does("drop")
    return found


def main(*how: str) -> None:
    if "hasty" in how:
        lock._PATIENCE = 0.0
    if "nolocks" in how:
        os_lock.hold = lambda handle: False
        os_lock.is_held = lambda handle: None
    mine = None
    for line in sys.stdin:
        what, _, path = line.strip().partition(" ")
        if what == "drop":
            if mine is not None:
                mine.release()
            mine, said = None, "dropped"
        elif what == "end":
            break
        elif what == "holder":
            said = str(holder(path))
        else:
            said = "has"
            try:
                mine = take(path)
            except Locked:
                said = "locked"
            except ProjectError as error:
                said = f"error {error}"
        print(said, flush=True)
    os._exit(0)  # lets go of nothing by itself


if __name__ == "__main__":
    main(*sys.argv[1:])
