"""The points of the run on show, read once for every map."""

import msgspec
import numpy as np

from emberscope.project import PutRuns
from emberscope_app.state.points.cloud import cloud_of


def test_points_are_not_read_again_when_another_run_goes_even_run_1(session, build_run):
    first = build_run(run_id=1)
    session.do(PutRuns(after=[first]))
    session.focus.set(run=11)
    received = []
    cloud_of(session).changed.connect(received.append)
    session.do(PutRuns(before=[first]))
    assert received == []


def test_the_bag_of_the_row_asked_for_is_that_of_the_run_on_show(session, build_run):
    cloud = cloud_of(session)
    row = 5
    assert cloud.bag_of(row) == session.run.bags.first_of(row) >= 0
    one_bag = msgspec.structs.replace(
        build_run(run_id=1), indptr=np.array([0, 1]), members=np.array([7]),
        bag_labels=np.ones(1, np.int8), bag_ids=np.array([3]), bag_classes=np.ones(1, np.int64),
    )  # fmt: skip
    session.do(PutRuns(after=[one_bag]))
    session.focus.set(run=1)
    assert cloud.bag_of(row) == -1
    assert cloud.bag_of(7) == 0
