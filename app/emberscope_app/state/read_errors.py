"""What may go wrong when frames are read, and how that is said."""

from emberscope.base.errors import EmberscopeError
from emberscope.project import SourceRef

# What a reader may raise where a file is broken, gone or another one now.
READ_ERRORS = (EmberscopeError, OSError, ValueError, IndexError, KeyError, MemoryError)


def read_error_words(error: BaseException, ref: SourceRef | None, frame: int) -> str:
    """One line for one of READ_ERRORS."""
    name = ref.name if ref else "The source"
    if isinstance(error, EmberscopeError):
        return str(error)
    if isinstance(error, IndexError):
        return f"{name} has no frame {frame + 1}."
    why = str(error).splitlines()[0] if str(error) else type(error).__name__
    return f"Cannot read frame {frame + 1} of {name}: {why}."
