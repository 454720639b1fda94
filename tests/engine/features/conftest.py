"""A source of frames that live in memory and count how often they are read."""

from collections import Counter

import numpy as np
import pytest


class MemorySource:
    uri = "memory"
    format = "memory"

    def __init__(self, frames, *, mask=None):
        self.frames = [np.asarray(frame) for frame in frames]
        self.n_frames = len(frames)
        self.shape = self.frames[0].shape
        self.mask = mask
        self.reads = Counter()
        self.closed = 0

    def read(self, index):
        self.reads[index] += 1
        return self.frames[index]

    def valid_mask(self):
        return self.mask

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.closed += 1


@pytest.fixture
def memory_source():
    return MemorySource


@pytest.fixture
def scene():
    """Three 60 x 80 frames of 16-bit noise with a bright block that moves."""
    rng = np.random.default_rng(0)
    frames = rng.normal(5000, 40, (3, 60, 80))
    for i, frame in enumerate(frames):
        frame[20:30, 10 + 10 * i : 26 + 10 * i] += 600
    return MemorySource(list(frames.astype(np.uint16)))
