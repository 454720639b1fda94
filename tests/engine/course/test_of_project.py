"""The stages of a project's run."""

from emberscope.course.of_project import STAGES
from emberscope.course.stage import Stage


def test_every_stage_comes_after_those_that_it_reads():
    before = set()
    for stage in STAGES:
        assert {item for item in stage.inputs if isinstance(item, Stage)} <= before
        before.add(stage)


def test_every_stage_has_a_name_of_its_own():
    assert len({stage.name for stage in STAGES}) == len(STAGES)
