"""A copy of a project, which a thread may read."""

from emberscope.labels import Spot
from emberscope.labels.side_info import Pair
from emberscope.project import Project, PutLabels, PutRuns, PutSettings, PutSide, mark

from .builders import a_run


def test_later_edits_do_not_touch_it():
    project = Project()
    project.apply(PutLabels(after=[Spot(id=7, source=1, frame=0, x=1, y=2)]))
    project.apply(PutSettings(after={"view": {"zoom": 1}}))
    before = project.frozen()
    project.settings["view"]["zoom"] = 2
    for operation in (
        PutLabels(before=list(project.labels)),
        mark(project, [5], 1),
        PutRuns(after=[a_run()]),
        PutSide(after=[Pair(id=11, a=1, b=2, same=True)]),
    ):
        project.apply(operation)
    assert (list(before.labels.ids), dict(before.marks), before.runs, before.side) == (
        [7],
        {},
        {},
        {},
    )
    assert before.settings == {"view": {"zoom": 1}}
