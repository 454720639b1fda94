"""The order in which actions came: the place of each stays."""

from emberscope.labels.side_info import Actions
from emberscope.project import Project, PutSide
from emberscope.project.model.action_order import ORDER, action_order, with_order


def track(key, *actions):
    return Actions(
        id=key, instances=tuple(range(10 * key, 10 * key + len(actions) + 1)), actions=actions
    )


def put(project, *records):
    operation = with_order(project, PutSide(title="Paint", after=list(records)))
    project.apply(operation)
    return operation


def test_an_added_action_comes_after_those_there_are():
    project = Project()
    put(project, track(1, "right", "right"))
    put(project, track(2, "left"))
    assert action_order(project) == ["right", "left"]


def test_actions_without_a_place_go_by_the_alphabet_and_keep_it():
    project = Project()
    project.apply(PutSide(after=[track(1, "up", "", "down")]))
    assert action_order(project) == ["down", "up"]
    put(project, track(2, "across"))
    assert action_order(project) == ["down", "up", "across"]


def test_an_action_that_is_no_longer_in_use_keeps_its_place():
    project = Project()
    first = track(1, "right")
    put(project, first, track(2, "left"))
    project.apply(PutSide(before=[first]))
    assert action_order(project) == ["right", "left"]


def test_known_actions_change_no_setting():
    project = Project()
    put(project, track(1, "right"))
    assert isinstance(put(project, track(2, "right", "")), PutSide)


def test_undo_takes_the_place_of_an_action_back():
    project = Project()
    operation = put(project, track(1, "right"))
    assert operation.title == "Paint"
    operation.revert(project)
    assert (action_order(project), project.settings.get(ORDER)) == ([], None)


def test_what_is_no_name_in_the_setting_is_left_out():
    project = Project()
    project.settings[ORDER] = ["left", 3, None]
    assert action_order(project) == ["left"]
    project.settings[ORDER] = 5
    assert action_order(project) == []
