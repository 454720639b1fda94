"""What a finished run learned."""

import msgspec
import numpy as np

from emberscope.base.monitor import Silent
from emberscope.course.finished import method_of, metric_of, side_known_to
from emberscope.pipeline import run
from emberscope.pipeline.conversion import features_of_run

from .conftest import RECIPE


def test_its_method_places_the_instances_where_they_stand(project, cache):
    found = run(
        project, msgspec.structs.replace(RECIPE, metric="nca", method="pca", reduce=0), cache=cache
    )
    X = features_of_run(project, found, cache, Silent())
    np.testing.assert_allclose(
        method_of(found).transform(metric_of(found).transform(X)), found.Z, atol=1e-3
    )


def test_a_run_without_a_metric_or_side_information_has_neither(project, cache):
    found = run(project, RECIPE, cache=cache)
    assert metric_of(found) is None
    assert side_known_to(found) is None
