"""What the rows of the action table about scored clips do."""

from emberscope_app.shell.host import Host
from emberscope_app.state.runs.scored import HEAT, Scored
from emberscope_app.words import counted


def score_clip(window: Host) -> None:
    """Score the clip in focus by the run on show."""
    source = window.session.focus.source
    if source is not None:
        window.session.only(Scored).score([source])


def score_all(window: Host) -> None:
    """Score all clips of the project; what was scored before is not computed again."""
    window.session.only(Scored).score(list(window.session.project.sources))


def toggle_scored(window: Host) -> None:
    """The sheet about scored clips; once more closes it."""
    from emberscope_app.sheets.scored import ScoredSheet

    if isinstance(window.sheet, ScoredSheet):
        window.sheet.close_sheet()
    else:
        window.show_sheet(ScoredSheet(window.session, window))


def go_to_hit(window: Host, *, direction: int) -> None:
    """The next (+1) or previous (-1) frame with a hit."""
    if not window.session.only(Scored).go_to_hit(direction):
        window.session.say("There is no hit further on." if direction > 0 else
                           "There is no hit further back.")


def take(window: Host) -> None:
    """Take the hits of the clip in focus as labels of a detector."""
    session = window.session
    if not session.may_edit():
        return
    count = session.only(Scored).take()
    session.say(f"Took {counted(count, 'detection')} as labels of a detector." if count else
                "Nothing to take: no hit on this clip, or all of them are labeled.")


def toggle_heat(window: Host) -> None:
    """Show the heat map and hits on frames, or hide them."""
    layers = window.session.layers
    layers.switch(HEAT, not layers.is_on(HEAT))
