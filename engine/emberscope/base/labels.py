"""Labels of instances in the two ways they are given: signs, or names of classes."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emberscope.base.errors import DataError

SIGNS = "Give whole numbers: -1, 0 (unknown), +1."
CLASSES = "Give -1, 0 (unknown) and +1, fractions of them, or classes as whole numbers or words."
_NAMED = 12  # classes that a note spells out


@dataclass(frozen=True, slots=True)
class InstanceLabels:
    """Labels as every method reads them.

    code : (N,) int64, 0 = unknown. weight : (N,) float64 in [0, 1], how far each label is trusted;
    0 where unknown.
    names : (C,) the values given for the codes 1 to C, ascending; None where signs were given,
    whose codes are -1, +1.
    """

    code: NDArray[np.int64]
    weight: NDArray[np.float64]
    names: NDArray | None = None

    @property
    def whole(self) -> bool:
        """Whether every label is wholly known or unknown."""
        return bool(np.isin(self.weight, (0.0, 1.0)).all())

    def told_apart(self) -> "InstanceLabels":
        """The same, or, where they are 0 and 1 only, these as two classes -1 and +1."""
        if self.names is None and self.whole and set(np.unique(self.code).tolist()) == {0, 1}:
            return InstanceLabels(np.where(self.code > 0, 1, -1), np.ones(len(self.code)))
        return self

    def note(self) -> str:
        """Which classes there are, and how many instances without one; "" for signs."""
        if self.names is None:
            return ""
        listed = ", ".join(str(name) for name in self.names[:_NAMED])
        listed += " and more" if len(self.names) > _NAMED else ""
        unknown = int((self.code == 0).sum())
        return f"{len(self.names)} classes: {listed}" + (f"; {unknown} instances without a label."
                                                         if unknown else ".")


def read_labels(y: NDArray) -> InstanceLabels:
    """Labels (N,) of any kind.

    Parameters
    ----------
    y : numbers that all lie in [-1, 1]: the sign is the class, the magnitude how far it is trusted,
        0 is unknown. False and True: -1 and +1, both known. Any other whole numbers, or words:
        classes, all of them known, 0 as well. A value that is missing is unknown in each of them:
        NaN among floats, None among objects, "" among words.

    Notes
    -----
    Signs are the language of the whole program, so they are looked for first; numbers beyond them
    can only be classes. There is no number that means unknown among classes: which one it is would
    have to be guessed (0 here, -1 in scikit-learn), and a guess loses a class. Raises DataError for
    infinities, fractions beyond 1, and anything else.
    """
    if y.dtype.kind == "O":
        y = _plain(y)
    if y.dtype.kind == "b":
        return InstanceLabels(np.where(y, 1, -1), np.ones(len(y)))
    if y.dtype.kind in "US":
        return _classes(y, y != y.dtype.type())
    if y.dtype.kind not in "iuf":
        raise DataError(f"Unknown label type: y holds {y.dtype}", hint=CLASSES)
    known = ~np.isnan(y) if y.dtype.kind == "f" else np.ones(len(y), bool)
    size = np.abs(y[known].astype(np.float64))
    if (size <= 1).all():
        signed = np.where(known, y, 0).astype(np.float64)
        return InstanceLabels(np.sign(signed).astype(np.int64), np.abs(signed))
    if np.isinf(size).any():
        raise DataError("y contains infinity", hint=CLASSES)
    if not np.array_equal(size, np.rint(size)):
        raise DataError(f"y holds {y[known][size != np.rint(size)][0]}", hint=CLASSES)
    return _classes(np.where(known, y, 0).astype(np.int64), known)


def _classes(y: NDArray, known: NDArray[np.bool_]) -> InstanceLabels:
    names, code = np.unique(y[known], return_inverse=True)
    out = np.zeros(len(y), np.int64)
    out[known] = code.ravel() + 1
    return InstanceLabels(out, known.astype(np.float64), names)


def _plain(y: NDArray) -> NDArray:
    """An array of objects as one of words or numbers, None as "" or NaN."""
    given: list[Any] = y.tolist()
    there = [value for value in given if value is not None and value == value]
    if there and all(isinstance(value, str) for value in there):
        return np.array([value if isinstance(value, str) else "" for value in given], np.str_)
    if not all(isinstance(value, bool | int | float | np.generic) for value in there):
        odd = next(value for value in there
                   if not isinstance(value, bool | int | float | np.generic))
        raise DataError(f"Unknown label type: y holds {odd!r}", hint=CLASSES)
    return np.array(there) if len(there) == len(given) else np.array(
        [value if value is not None else np.nan for value in given], np.float64
    )
