"""Typed errors. Each one says what happened, where, and what to do, in one line of bounded
length."""

import errno
import re

from emberscope.base.plain_text import middle_out, plain

LONGEST = 300          # characters of a message: what a person reads at a glance
_LONGEST_WORD = 80     # characters of a single word in it: a path, a token of a file
_LONGEST_HINT = 140
_LONGEST_PLACE = 120
_TO_DO = {
    errno.ENOSPC: "Free some space, or write to another disk.",
    errno.EDQUOT: "Free some space, or write to another disk.",
    errno.EROFS: "Choose a folder that you may write to.",
    errno.EACCES: "Choose another place, or ask for the rights to this one.",
}


def shortened(words: str, most: int = LONGEST) -> str:
    """Words as plain text on one line of at most `most` characters; what is too much is left out in
    the middle ("...").

    The end of a path names the file, the end of a message says what to do: both stay.
    """
    line = " ".join(plain(words).split())
    if len(line) <= most:
        return line
    line = re.sub(rf"\S{{{_LONGEST_WORD + 1},}}", lambda word: middle_out(word[0], _LONGEST_WORD),
                  line)
    return middle_out(line, most)


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
        """Plain text of at most 300 characters: what is too long is shortened, the next step least;
        the attributes are whole."""
        whole = plain(self._joined(self.where, self.what, self.hint))
        if len(whole) <= LONGEST:
            return whole
        where, hint = shortened(self.where, _LONGEST_PLACE), shortened(self.hint, _LONGEST_HINT)
        return self._joined(where,
                            shortened(self.what, LONGEST - len(self._joined(where, "", hint))),
                            hint)

    def __reduce__(self) -> tuple[object, ...]:
        """Whatever a kind of error takes when it is made, it comes through a pipe as it was."""
        return _remade, (type(self), self.args), self.__dict__

    @staticmethod
    def _joined(where: str, what: str, hint: str) -> str:
        text = f"{where}: {what}" if where else what
        text = text.rstrip(".")
        return f"{text}. {hint}" if hint else f"{text}."


def _remade(kind: type[EmberscopeError], args: tuple[object, ...]) -> EmberscopeError:
    error = EmberscopeError.__new__(kind)
    error.args = args
    return error


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


class QuestionError(EmberscopeError, TypeError):
    """A question to the engine, or the answer to one, that is not as its types declare it."""


class Cancelled(Exception):
    """Raised by `Monitor.step` after the user asked to stop. Not an error."""


def in_words(error: BaseException) -> str:
    """What happened, where, what to do, in one line of at most 300 characters; "" for a defect of
    the program."""
    if isinstance(error, EmberscopeError):
        return shortened(str(error))
    if isinstance(error, OSError) and error.strerror:
        hint = _TO_DO.get(error.errno or 0, "")
        said = f"{error.filename}: {error.strerror}." if error.filename else f"{error.strerror}."
        return shortened(f"{said} {hint}".rstrip())
    if isinstance(error, MemoryError):
        return "there is not enough memory. Take fewer instances, or smaller features."
    return ""


def defect_in_words(error: BaseException) -> str:
    """What is known of an error that no code expected, in one line of at most 200 characters."""
    lines = str(error).strip().splitlines()
    return shortened(f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__, 200)
