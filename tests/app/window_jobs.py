"""What the worker of test_worker_in_window.py is told to do in place of a run."""

import time

import numpy as np


def embeddings_until_canceled(arguments, monitor):
    """Embeddings (N, 2) without an end: however fast the machine, there is time to look and to cancel."""
    points = np.linspace(0, 1, 40).reshape(20, 2)
    while True:
        monitor.step(0.5, "Drawing")
        monitor.partial(points)
        time.sleep(0.01)
