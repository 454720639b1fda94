"""Which computer this is, which start of it, and whose numbers its processes have: what tells who
left a file.

A name of a host is not enough, since two computers may share one; nor is the number of a process,
since every container counts its own.
"""

import functools
import hashlib
import os
import socket
import sys
import zlib
from pathlib import Path
from typing import NamedTuple

_MACHINE_FILES = ("/etc/machine-id", "/var/lib/dbus/machine-id")


class Here(NamedTuple):
    """machine : a hash of the computer's own id; boot : id of its start; space : that of the
    numbers of processes. "" where the system does not tell; then it is left out of comparisons."""

    host: str
    machine: str
    boot: str
    space: str


@functools.cache
def here() -> Here:
    """Of this process. They stay the same as long as it runs."""
    return Here(socket.gethostname(), _machine(), _read("/proc/sys/kernel/random/boot_id"),
                _space())


@functools.cache
def mark() -> str:
    """All of it in 8 hex digits, as names of temporary files carry it."""
    return f"{zlib.crc32(' '.join(here()).encode('utf-8', 'surrogatepass')):08x}"


def booted_at() -> float:
    """When this computer started, in seconds since 1970 by its clock of now."""
    import psutil

    return psutil.boot_time()


def start_of_this() -> str:
    """What tells this process from earlier and later ones of its number."""
    return _start("self") or _start_elsewhere(os.getpid())


def runs(pid: int, started: str) -> bool:
    """Whether a process of this space runs that started so (see `start_of_this`). One that cannot
    be seen counts as running."""
    if pid == os.getpid():
        return started == start_of_this()
    if not _sees_processes():
        return not sys.platform.startswith("linux") and _start_elsewhere(pid) == started
    found = _start(str(pid))
    return found == started if found is not None else _is_hidden(pid)


def is_running(pid: int) -> bool:
    """Whether a process of this number runs in this space."""
    import psutil

    try:
        return pid == os.getpid() or psutil.pid_exists(pid)
    except OverflowError:  # in the name of a file there may be any
        return False


def _start(process: str) -> str | None:
    """On Linux: this boot, and the ticks from it to the start, which no change of the clock moves;
    "" for one that ended and was not buried yet, None where there is none to be seen."""
    status = _read(f"/proc/{process}/stat").rpartition(")")[2].split()
    if len(status) < 20:
        return None
    return "" if status[0] in "ZX" else f"{here().boot} {status[19]}"


def _start_elsewhere(pid: int) -> str:
    import psutil

    try:
        return f"{psutil.Process(pid).create_time():.0f}"
    except (psutil.Error, OverflowError, ValueError):
        return ""


def _sees_processes() -> bool:
    """Whether /proc shows the processes of this space: it may be that of another one."""
    try:
        return os.readlink("/proc/self") == str(os.getpid())  # noqa: PTH115
    except OSError:
        return False


def _is_hidden(pid: int) -> bool:
    """Whether it is somebody else's, where /proc shows each user his own processes only."""
    if pid <= 0:
        return False
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except (OSError, OverflowError):
        return False
    return _start(str(pid)) is not None


def _space() -> str:
    try:
        return os.readlink("/proc/self/ns/pid").strip("pid:[]")  # noqa: PTH115
    except OSError:
        return ""


def _machine() -> str:
    found = next(filter(None, map(_read, _MACHINE_FILES)), "") or _machine_elsewhere()
    return hashlib.blake2b(found.encode(), digest_size=8,
                           person=b"emberscope").hexdigest() if found else ""


def _machine_elsewhere() -> str:
    if sys.platform == "win32":
        import winreg

        try:
            with winreg.OpenKey(winreg.HKEY_LOCAL_MACHINE,
                                r"SOFTWARE\Microsoft\Cryptography") as key:
                return str(winreg.QueryValueEx(key, "MachineGuid")[0])
        except OSError:
            return ""
    if sys.platform == "darwin":
        import uuid

        node = uuid.getnode()
        return "" if node >> 40 & 1 else str(node)  # that bit: it was drawn at random
    return ""


def _read(path: str) -> str:
    try:
        return Path(path).read_text("utf-8", "replace").strip()
    except OSError:
        return ""
