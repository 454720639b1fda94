"""Readers of public multiple-instance benchmark files, recognized by what they hold.

A new one is a module with `begins(first line)` and `read(path)` and a row of TEXTS, or a layout of
`matlab_bags`.
"""

from pathlib import Path
from typing import Protocol

from emberscope.base.errors import FormatError
from emberscope.datasets.arff import ARFF
from emberscope.datasets.matlab_bags import is_matlab_bags, read_matlab_bags
from emberscope.datasets.model import Points
from emberscope.datasets.named_columns import HEADER
from emberscope.datasets.text_lines import first_line
from emberscope.datasets.text_rows import C45, NUMBERED, SPARSE, TABLE

_KNOWN = (
    "Known: C4.5, sparse, comma- or blank-separated text, tables with a header line bag,label, "
    "ARFF, MATLAB files."
)


class Text(Protocol):
    """A text format. Lines are stripped; comments and empty lines come never."""

    @property
    def name(self) -> str:
        """What an error calls the format."""

    def begins(self, line: str) -> bool:
        """Whether a file whose first line is this one is of the format; it may still be damaged
        further on."""

    def read(self, path: Path) -> Points:
        """Raises FormatError, with the number of the line."""


TEXTS: tuple[Text, ...] = (C45, TABLE, NUMBERED, SPARSE, HEADER, ARFF)


def is_benchmark(path: str | Path) -> bool:
    """Whether a file or folder begins like a benchmark; it may still be damaged further on."""
    path = Path(path)
    try:
        return is_matlab_bags(path) or (path.is_file() and _text_format(path) is not None)
    except OSError:
        return False


def read_benchmark(path: str | Path) -> Points:
    """Instances (float64), their labels where the file has them, and bags in order of first
    appearance.

    Raises FormatError, with the number of the line.
    """
    path = Path(path)
    try:
        if is_matlab_bags(path):
            return read_matlab_bags(path)
        form = None if path.is_dir() else _text_format(path)
        if form is None:
            raise FormatError(str(path), None, "not a multiple-instance benchmark", _KNOWN)
        return form.read(path)
    except OSError as error:
        raise FormatError(str(path), None, (error.strerror or str(error)).lower(),
                          "Check the path.") from error


def _text_format(path: Path) -> Text | None:
    line = first_line(path)
    return next((form for form in TEXTS if form.begins(line)), None)
