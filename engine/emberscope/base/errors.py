"""Typed errors. Each one says what happened, where, and what to do, in one line."""


class EmberscopeError(Exception):
    """Root of every error that is shown to a person.

    Parameters
    ----------
    what : str. What happened, a sentence without the final full stop.
    where : str, optional. File, parameter or object it happened in.
    hint : str, optional. The next step, a sentence.
    """

    def __init__(self, what: str, *, where: str = "", hint: str = "") -> None:
        super().__init__(what, where, hint)
        self.what = what
        self.where = where
        self.hint = hint

    def __str__(self) -> str:
        text = f"{self.where}: {self.what}" if self.where else self.what
        text = text.rstrip(".")
        return f"{text}. {self.hint}" if self.hint else f"{text}."


class FormatError(EmberscopeError):
    """A file cannot be read as what it claims to be.

    `uri` is the path as the user gave it, `offset` the byte where reading failed
    (None when it has no meaning).
    """

    def __init__(self, uri: str, offset: int | None, what: str, hint: str = "") -> None:
        place = f"{uri}, byte {offset}" if offset is not None else uri
        super().__init__(what, where=place, hint=hint)
        self.uri = uri
        self.offset = offset
        self.args = (uri, offset, what, hint)  # keeps the error picklable across processes


class SourceChanged(FormatError):
    """A file is another one now than when it was opened: re-recorded, cut, copied over."""


class DataError(EmberscopeError, ValueError):
    """Arrays or labels that a method cannot work with."""


class ParamError(EmberscopeError, ValueError):
    """A hyper-parameter outside its declared type, range or choices."""


class MissingLabels(DataError):
    """A supervised method was given no label it can use."""


class NoOutOfSample(EmberscopeError):
    """The method has no rule for instances it was not fitted on."""


class TooLarge(EmberscopeError, MemoryError):
    """The computation does not fit; the hint names the alternative."""


class ProjectError(EmberscopeError):
    """A project file that cannot be read or written."""


class WorkerError(EmberscopeError):
    """The worker process failed; `traceback` holds its text for the log."""

    def __init__(self, what: str, *, where: str = "", hint: str = "", traceback: str = "") -> None:
        super().__init__(what, where=where, hint=hint)
        self.traceback = traceback


class Cancelled(Exception):
    """Raised by `Monitor.step` after the user asked to stop. Not an error."""


def in_words(error: Exception) -> str:
    """What happened, where, what to do, in one line; "" for a defect of the program."""
    if isinstance(error, EmberscopeError):
        return " ".join(str(error).split())
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}." if error.filename else f"{error.strerror}."
    if isinstance(error, MemoryError):
        return "there is not enough memory. Take fewer instances, or smaller features."
    return ""
