"""Disks that fail, and what a power cut leaves of a real one."""

import errno
from dataclasses import dataclass, field
from pathlib import Path

from emberscope.project.store.disk import Disk

CALLS = (
    "create",
    "append",
    "write",
    "sync",
    "close",
    "rename",
    "link",
    "remove",
    "make_folder",
    "sync_folder",
    "copy_mode",
)


class FailingDisk(Disk):
    """Fails the n-th call (from 0), or every call from the n-th on; a write that fails has written
    the half."""

    def __init__(self, n, *, for_good=False, error=errno.ENOSPC):
        self.n, self.for_good, self.error, self.count = n, for_good, error, 0

    def fails(self):
        self.count += 1
        return self.count - 1 == self.n or (self.for_good and self.count > self.n)

    @property
    def failed(self):
        return self.count > self.n


def _failing(name):
    real = getattr(Disk, name)

    def call(self, *arguments):
        if not self.fails():
            return real(self, *arguments)
        if name == "write":
            real(self, arguments[0], arguments[1][: len(arguments[1]) // 2])
        if name == "close":  # a failing close still lets go
            real(self, *arguments)
        raise OSError(self.error, "No space left on device")

    return call


for _name in CALLS:
    setattr(FailingDisk, _name, _failing(_name))


@dataclass
class _Content:
    data: bytearray = field(default_factory=bytearray)
    synced: int = 0


class RememberingDisk(Disk):
    """Writes down what it did in one folder, so that every moment can be looked at after a power
    cut."""

    def __init__(self, folder):
        self.folder = folder
        self.before = {
            p.relative_to(folder): p.read_bytes() for p in folder.rglob("*") if p.is_file()
        }
        self.log = []
        self._names = {}

    def create(self, path):
        handle = super().create(path)
        self._names[handle] = path
        self.log.append(("create", handle, path.relative_to(self.folder)))
        return handle

    def append(self, path):
        handle = super().append(path)
        self.log.append(("append", handle, path.relative_to(self.folder)))
        return handle

    def write(self, handle, data):
        super().write(handle, data)
        self.log.append(("write", handle, bytes(data)))

    def sync(self, handle):
        super().sync(handle)
        self.log.append(("sync", handle))

    def rename(self, old, new):
        super().rename(old, new)
        self.log.append(("rename", old.relative_to(self.folder), new.relative_to(self.folder)))

    def link(self, old, new):
        super().link(old, new)
        self.log.append(("link", old.relative_to(self.folder), new.relative_to(self.folder)))

    def remove(self, path):
        super().remove(path)
        self.log.append(("remove", path.relative_to(self.folder)))

    def sync_folder(self, folder):
        super().sync_folder(folder)
        self.log.append(("sync_folder",))

    def after_cut(self, n, *, keeps):
        """{name: bytes} after the first n calls and a power cut.

        keeps : share of what was written and not synced that reached the disk; "names" loses
        instead every new name, rename and removal since the folder was synced last.
        """
        names = {name: _Content(bytearray(data), len(data)) for name, data in self.before.items()}
        durable, handles = dict(names), {}
        for call, *arguments in self.log[:n]:
            _replay(call, arguments, names, handles)
            if call == "sync_folder":
                durable = dict(names)
        kept = durable if keeps == "names" else names
        share = 1.0 if keeps == "names" else keeps
        return {
            name: bytes(c.data[: c.synced + int(share * (len(c.data) - c.synced))])
            for name, c in kept.items()
        }


def _replay(call, arguments, names, handles):
    if call == "create":
        handles[arguments[0]] = names[arguments[1]] = _Content()
    elif call == "append":
        handles[arguments[0]] = names[arguments[1]]
    elif call == "write":
        handles[arguments[0]].data += arguments[1]
    elif call == "sync":
        handles[arguments[0]].synced = len(handles[arguments[0]].data)
    elif call == "rename":
        names[arguments[1]] = names.pop(arguments[0])
    elif call == "link":
        names[arguments[1]] = names[arguments[0]]
    elif call == "remove":
        names.pop(arguments[0])


def laid_out(state, folder):
    """Put {name: bytes} into an empty folder."""
    for name, data in state.items():
        path = Path(folder) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder
