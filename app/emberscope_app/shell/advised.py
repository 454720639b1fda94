"""What notes of a run advise, as the window does it: the right place, class and tool, so that a
person can begin."""

import msgspec

from emberscope.bags.split_recipe import CLIP, SplitRecipe
from emberscope.labels import Box
from emberscope.labels.model import BACKGROUND
from emberscope.project import Project
from emberscope.project.nouns import nouns_of
from emberscope_app.shell.host import Host
from emberscope_app.state.runs.measuring import lacking, start_measuring


def label_background(window: Host) -> None:
    """Background and its box in the hand, on the next frame of this clip that carries no
    background."""
    session = window.session
    frame = next_without(session.project, session.focus.source, session.focus.frame, role=-1)
    window.show_workspace("label")
    if frame is not None:
        session.go(frame=frame)
    session.focus.set(class_id=BACKGROUND, tool="box")


def label_more(window: Host) -> None:
    """The next frame of this clip that carries no label at all, with the box in the hand."""
    session = window.session
    frame = next_without(session.project, session.focus.source, session.focus.frame)
    window.show_workspace("label")
    if frame is None:
        session.say("Every frame of this clip carries a label.")
    else:
        session.go(frame=frame)
        session.focus.set(tool="box")


def draw_closer(window: Host) -> None:
    """The largest box of a target, selected, where it lies."""
    session = window.session
    largest = largest_box(session.project)
    if largest is None:
        session.say("No target has a box. Draw some.")
        return
    window.show_workspace("label")
    session.go(largest.source, largest.frame)
    session.focus.set(tool="select", labels=(largest.id,))


def measure(window: Host) -> None:
    """What the run on show lacks."""
    run = window.session.run
    if run is not None and lacking(run):
        start_measuring(window.session, run)
    else:
        window.session.say("This run lacks no number.")


def show_patches(window: Host) -> None:
    """The fold of the Run dock that says how patches are made."""
    from emberscope_app.docks.run.panel import RunPanel

    window.dock(RunPanel).show_data()


def show_settings(window: Host) -> None:
    """The form of the Run dock with the recipe of the run on show."""
    run = window.session.run
    if run is not None:
        window.session.runs.draft.show(run.recipe)
        from emberscope_app.docks.run.panel import RunPanel

        window.dock(RunPanel).show_settings()


def hold_out_clips(window: Host) -> None:
    """The recipe of the run on show, with a split by clips, as the next one."""
    session = window.session
    run, say = session.run, nouns_of(session.project).say
    if run is None:
        return
    if len({label.source for label in session.project.labels}) < 2:
        session.say(say("Labels are on one clip only. Label another one."), level="warn")
        return
    session.runs.draft.show(msgspec.structs.replace(run.recipe, split=SplitRecipe(kind=CLIP)))
    session.say(say("The next run holds out whole clips."))


def color_by(window: Host, name: str) -> None:
    """The map, colored by what a note says that it shows."""
    window.show_workspace("explore")
    window.session.focus.set(color_by=name)


def largest_box(project: Project) -> Box | None:
    """The largest loose box of a target, else the largest box of one."""
    boxes = [
        label
        for label in project.labels
        if isinstance(label, Box) and project.role(label.class_id) > 0
    ]
    loose = [box for box in boxes if box.looseness]
    return max(loose or boxes, key=lambda box: (box.x1 - box.x0) * (box.y1 - box.y0), default=None)


def next_without(project: Project, source: int | None, frame: int, *, role: int = 0) -> int | None:
    """The next frame of a source, from the one after `frame` on and around, that carries no label;
    with role -1 or +1, none of a class of that role. None where every one does."""
    if source not in project.sources:
        return None
    count = project.sources[source].n_frames
    taken = {
        label.frame
        for label in project.labels
        if label.source == source
        and (not role or project.role(getattr(label, "class_id", 0)) == role)
    }
    return next(
        (at % count for at in range(frame + 1, frame + 1 + count) if at % count not in taken), None
    )
