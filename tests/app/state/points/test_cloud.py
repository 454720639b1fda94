"""The points of the run on show, read once for every map."""

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
