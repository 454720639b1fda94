"""Which class bags are of, out of fold, as a report."""

import numpy as np
import pytest

from emberscope.bags.model import Bags
from emberscope.base.errors import ParamError
from emberscope.catalogue import load
from emberscope.course.class_report import class_report
from emberscope.evaluate.bag_validation import Model


def test_no_repeat_is_refused():
    bags = Bags.from_lists([[0], [1], [2], [3]], [1, 1, -1, -1])
    with pytest.raises(ParamError, match="0 times"):
        class_report(Model(load("knn"), {}, {}), np.eye(4), bags, groups=np.arange(4), seeds=())
