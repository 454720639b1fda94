"""Real bags for the classifiers, where they lie beside the checkout."""

import numpy as np
import pytest

from emberscope.bags.model import Bags


@pytest.fixture(scope="session")
def musk(shared_data):
    """Musk1: 92 molecules, 476 shapes of 166 features. (X, bags)."""
    lines = (shared_data / "mil" / "musk1" / "musk1.data").read_text().split()
    rows = [line.split(",") for line in lines]
    names, bag = np.unique([row[0] for row in rows], return_inverse=True)
    labels = np.full(len(names), -1)
    labels[bag[[row[-1] == "1." for row in rows]]] = 1
    return np.array([row[2:-1] for row in rows], float), Bags.from_column(bag, labels)
