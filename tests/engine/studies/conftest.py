"""A project on frames with a hot blob that tight boxes show, and a small study of it."""

import pytest

from emberscope.project import to_snapshot
from emberscope.project.model.study import Study

from ..blobs import project_with_blobs

RECIPE = {"reduce": 0, "bags": {"patch": 12, "stride": 6},
          "features": {"kind": "statistics", "chip": 12}}  # fmt: skip


def study(**axes):
    return Study(recipe=RECIPE, axes=axes)


@pytest.fixture
def project(tmp_path, few_trees):
    return project_with_blobs(tmp_path / "clip.npy")


@pytest.fixture
def snapshot(project):
    return to_snapshot(project)
