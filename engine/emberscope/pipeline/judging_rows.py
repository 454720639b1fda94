"""Labels of single instances of point sets that teach nothing: they only judge."""

import contextlib

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.model import Instances
from emberscope.base.errors import EmberscopeError
from emberscope.datasets.point_source import PointSource
from emberscope.project.exchange.sources import open_ref, same_content
from emberscope.project.model.project import Project, SourceRef


def judging_labels_of(project: Project, instances: Instances) -> NDArray[np.int8]:
    """(N,) labels +1 and -1 of instances of point sets whose labels only judge; 0 for unknown, and
    where a file is gone or has changed."""
    out = np.zeros(len(instances), np.int8)
    for ref in [ref for ref in project.sources.values() if ref.only_judges]:
        own = np.flatnonzero(instances.source == ref.id)
        if len(own):
            with contextlib.suppress(EmberscopeError, OSError):
                out[own] = _labels_of(ref, instances.take(own))
    return out


def _labels_of(ref: SourceRef, instances: Instances) -> NDArray[np.int8]:
    with open_ref(ref) as source:
        assert isinstance(source, PointSource)
        if not same_content(ref, source.fingerprint()):
            return np.zeros(len(instances), np.int8)
        row = instances.box[:, 1].astype(np.int64)
        return source.labels_of(instances.frame.astype(np.int64), row)
