"""What may go wrong when frames are read, and the message it becomes."""

import traceback
from dataclasses import dataclass

from emberscope.base.errors import EmberscopeError, SourceChanged
from emberscope.project import SourceRef

# What a reader may raise where a file is broken, gone or another one now; anything else is a defect
# of the program.
READ_ERRORS = (EmberscopeError, OSError, ValueError, IndexError, KeyError, MemoryError)


@dataclass(frozen=True, slots=True)
class ReadFailure:
    """A request that ended with an error. `words`: one line; `details`: the traceback of a defect,
    else "".

    `changed`: the file is another one than when it was opened.
    """

    words: str
    details: str = ""
    changed: bool = False


def failure_of(error: Exception, ref: SourceRef | None, frame: int) -> ReadFailure:
    """The message that an error becomes; `frame` is the one that was read, -1 for the source as a
    whole."""
    details = "" if isinstance(error, READ_ERRORS) else "".join(traceback.format_exception(error))
    return ReadFailure(_words(error, ref, frame), details, isinstance(error, SourceChanged))


def _words(error: Exception, ref: SourceRef | None, frame: int) -> str:
    name = ref.name if ref else "the sources"
    if isinstance(error, EmberscopeError):
        return str(error)
    if isinstance(error, IndexError) and frame >= 0:
        return f"{name} has no frame {frame + 1}."
    why = str(error).splitlines()[0] if str(error) else type(error).__name__
    return f"Cannot read {f'frame {frame + 1} of {name}' if frame >= 0 else name}: {why}."
