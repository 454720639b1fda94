"""Who draws: labels that are drawn from now on may carry the name of their author, and the time."""

import getpass

import msgspec

from emberscope.base.plain_text import showable
from emberscope.labels.model import About
from emberscope_app.state.core.preferences import Preferences
from emberscope_app.state.labels.side import now

_AUTHOR = "labels/author"  # "" while labels are not signed
_NAME = "labels/name"  # the name that somebody gave, whether labels are signed or not
LONGEST_NAME = 100  # letters


def author() -> str:
    """The name that new labels carry, "" where they carry none."""
    return Preferences().text(_AUTHOR)


def set_author(name: str) -> None:
    """New labels carry this name from now on, "" for none."""
    Preferences().set_text(_AUTHOR, name)


def own_name() -> str:
    """The name that somebody gave, else the one under which they are logged in; "" where the system
    has none."""
    return Preferences().text(_NAME) or login_name()


def set_own_name(name: str) -> None:
    """Whoever draws is called so from now on, "" as they are logged in; new labels carry the new
    name where they carried one."""
    Preferences().set_text(_NAME, showable(name.strip(), LONGEST_NAME))
    if author():
        set_author(own_name())


def login_name() -> str:
    """The name under which somebody is logged in, "" where the system has none."""
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):  # no such user in a container
        return ""


def signature(about: About | None = None) -> About | None:
    """What is known of a label that is drawn now, besides `about`; None for nothing."""
    about, name = about or About(), author()
    if name:
        about = msgspec.structs.replace(about, author=name, time=now())
    return about if about != About() else None
