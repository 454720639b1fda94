"""What the worker of tests is asked in place of a run and of a row of a table."""

import time

import numpy as np

from emberscope.tasks.measures import MeasureRow
from emberscope.tasks.runs import MakeRun
from emberscope.tasks.table import TABLE


class EndlessRun(MakeRun, frozen=True, kw_only=True):
    """A run that never ends."""


class EndlessRow(MeasureRow, frozen=True, kw_only=True):
    """A row that is never measured."""


def embeddings_until_canceled(request, monitor):
    """Embeddings (N, 2) without an end: however fast the machine, there is time to look and to
    cancel."""
    points = np.linspace(0, 1, 40).reshape(20, 2)
    while True:
        monitor.step(0.5, "Drawing")
        monitor.partial(points)
        time.sleep(0.01)


TABLE_OF_TESTS = TABLE | {
    EndlessRun: embeddings_until_canceled,
    EndlessRow: embeddings_until_canceled,
}
