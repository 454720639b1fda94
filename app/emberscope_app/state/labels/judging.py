"""Whether labels of single instances of point sets teach, or only judge."""

from emberscope.base.errors import EmberscopeError
from emberscope_app.state.core.session import Session


def toggle_judging(session: Session, source: int) -> None:
    """Labels of instances in bags of a point set teach nothing from now on, or teach again: one
    undo step."""
    from emberscope.project.exchange.points import let_judge

    only = not session.project.sources[source].only_judges
    try:
        session.do(let_judge(session.project, source, only=only))
    except EmberscopeError as error:
        session.say(str(error), level="err")
