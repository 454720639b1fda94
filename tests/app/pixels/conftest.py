"""Sources in memory: what was read in which order, reads that wait for the test, readers that
fail."""

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import pytest

from emberscope.project import Project, SourceRef
from emberscope_app.state.core.session import Session

SHAPE = (4, 5)  # 40 bytes of uint16 a frame


@dataclass
class Clip:
    """Stands in for a reader: frame k is full of k."""

    disk: "Disk"
    ref: SourceRef
    fps: float | None = 25.0
    units: str = "counts"

    def read(self, index: int) -> np.ndarray:
        self.disk.begun.append((self.ref.id, index))
        if index in self.disk.slow:
            self.disk.go_on.wait()
        error = self.disk.errors.get((self.ref.id, index))
        if error is not None:
            raise error
        return np.full(SHAPE, index, np.uint16)

    def close(self) -> None:
        self.disk.closed.append(self.ref.id)


@dataclass
class Disk:
    """What happened to the clips, and what is to happen."""

    # (source, frame) in the order of reading
    begun: list[tuple[int, int]] = field(default_factory=list)
    closed: list[int] = field(default_factory=list)
    slow: set[int] = field(default_factory=set)                  # frames that wait for `go_on`
    go_on: threading.Event = field(default_factory=threading.Event)
    errors: dict[tuple[int, int], Exception] = field(default_factory=dict)


def clip_ref(key: int, *, n_frames: int = 100) -> SourceRef:
    rows, cols = SHAPE
    return SourceRef(
        id=key,
        path=f"/clip_{key}.npy",
        name=f"clip_{key}.npy",
        fingerprint="",
        n_frames=n_frames,
        rows=rows,
        cols=cols,
        format="npy",
    )


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Iterator[Disk]:
    """Clips are opened here, not on the disk."""
    disk = Disk()
    monkeypatch.setattr("emberscope.project.exchange.sources.open_ref", lambda ref: Clip(disk, ref))
    yield disk
    disk.go_on.set()


@pytest.fixture
def clips(empty_session: Session, disk: Disk) -> Session:
    """A session with the clips 1 and 2, 100 frames each."""
    project = Project()
    project.sources = {key: clip_ref(key) for key in (1, 2)}
    empty_session.replace(project, None)
    return empty_session
