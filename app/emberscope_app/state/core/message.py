"""What the program tells the user in one line, perhaps with a button."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Message:
    """Something to say: shown as a plate on the frame or map for a moment, or on the bar.

    stays : it is worth a bar, for longer. lasts : until it is settled, what it is about being under
    way.
    details : what a report of it needs, a traceback for example; a button copies it.
    """

    words: str
    level: str = "info"          # info | warn | err
    action: str = ""
    on_action: Callable[[], object] | None = None
    stays: bool = False
    details: str = ""
    lasts: bool = False
