"""The order in which the actions of a project came, a setting of it: the color of an action goes by
its place there."""

from emberscope.labels.side_info import Actions
from emberscope.project.model.operations import PutSettings, PutSide, Together
from emberscope.project.model.project import Project

ORDER = "actions"  # names, the first first; those that are no longer in use keep their place


def action_order(project: Project) -> list[str]:
    """The actions of a project in the order in which they came; of those that came unnoticed, by
    the alphabet.

    What else stands in the setting is left out.
    """
    kept = project.settings.get(ORDER)
    names = (
        [name for name in kept if isinstance(name, str)] if isinstance(kept, list | tuple) else []
    )
    used = {
        name
        for record in project.side.values()
        if isinstance(record, Actions)
        for name in record.actions
    }
    return list(dict.fromkeys([*names, *sorted(used - {""})]))


def with_order(project: Project, operation: PutSide) -> PutSide | Together:
    """The operation, and in the same step the place of the actions that it brings: after all there
    are."""
    there = action_order(project)
    brought = [
        name
        for record in operation.after
        if isinstance(record, Actions)
        for name in record.actions
        if name
    ]
    names = list(dict.fromkeys([*there, *brought]))
    if names == there:
        return operation
    order = PutSettings(before={ORDER: project.settings.get(ORDER)}, after={ORDER: names})
    return Together(title=operation.title, steps=[order, operation])
