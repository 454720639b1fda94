"""Where labels come from, by the words of their origin."""

import pytest

from emberscope.labels import Spot
from emberscope.labels.model import BETWEEN
from emberscope.labels.origins import IMPORTED, MANUAL, MODEL, PROPAGATED, SAMPLED, code_of
from emberscope.labels.table import LabelTable


@pytest.mark.parametrize(("origin", "code"), [
    ("manual", MANUAL), ("imported", IMPORTED), ("imported, relaxed u=1 seed=4", IMPORTED),
    ("sampled", SAMPLED),
    (BETWEEN, SAMPLED), ("propagated", PROPAGATED), ("model", MODEL), ("model mi-svm", MODEL),
    ("of elsewhere", IMPORTED),
])  # fmt: skip
def test_an_origin_is_known_by_how_it_begins(origin, code):
    assert code_of(origin) == code
    assert code_of(origin) == code


def test_the_columns_of_labels_have_their_origins():
    labels = [Spot(id=k, source=1, frame=0, x=0.0, y=0.0, origin=origin)
              for k, origin in enumerate(("model x", "manual", "propagated"))]
    table = LabelTable.of(labels)
    assert table.origins.tolist() == [MODEL, MANUAL, PROPAGATED]
    assert table.copied.tolist() == [True, False, True]
