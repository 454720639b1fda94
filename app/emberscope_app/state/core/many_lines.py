"""Many sentences about one thing: a few are said one by one, of more how many there are."""

from collections.abc import Sequence

from emberscope_app.state.core.log_book import log_book
from emberscope_app.state.core.session import Session
from emberscope_app.words import counted

_MOST_LINES = 3  # said one by one; more are counted, and stand in the log
_MOST_IN_LOG = 50  # of them: a folder can hold some ten thousands of damaged files


def say_lines(session: Session, lines: Sequence[str], *, level: str, summary: str) -> None:
    """Say each of a few lines; of more the summary, which leads to the log that has them."""
    if len(lines) <= _MOST_LINES:
        for words in lines:
            session.say(words, level=level, stays=level == "info")
        return
    for words in lines[:_MOST_IN_LOG]:
        log_book().add(words, level=level)
    if len(lines) > _MOST_IN_LOG:
        log_book().add(
            f"{counted(len(lines) - _MOST_IN_LOG, 'line')} more like these, left out.", level=level
        )
    session.say(summary, level=level, action="Show the log", on_action=session.log_wanted.emit)
