"""The rule that knows no instances."""

import pytest

from emberscope.base.errors import ParamError
from emberscope.mil.rules.table import select


def test_labels_of_bags_score_no_new_instances(clouds):
    X, bags, _ = clouds
    with pytest.raises(ParamError, match="no new instances"):
        select("bag-label", X, bags, X[:3])
