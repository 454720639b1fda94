"""Base of every method: declared parameters, checked data, a state without pickle."""

import json
from collections.abc import Mapping
from typing import Any, ClassVar, Literal, Protocol, Self, dataclass_transform

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from emberscope.base.errors import DataError, MissingLabels
from emberscope.base.fields import all_fields, initializer, not_a_param, own_fields
from emberscope.base.labels import SIGNS, InstanceLabels, read_labels
from emberscope.base.param import Param, check_params, documented

# fourth powers and distances in single precision overflow soon after, and vanish below its inverse
_LARGEST = 1e32
Labels = Literal["ignored", "optional", "required"]


class BagMembers(Protocol):
    """What is read here of `Bags`, which is of a later room."""

    @property
    def members(self) -> NDArray[np.int64]:
        """(M,) rows of the instance table, bag by bag."""

    def instance_labels(self, n: int) -> NDArray:
        """(n,) labels that the bags give their members."""


@dataclass_transform(kw_only_default=True, eq_default=False, field_specifiers=(not_a_param,))
class Estimator(BaseEstimator):
    """Base of embeddings and bag classifiers: ``fit(X, y=None, *, bags=None, side=None,
    monitor=None)``.

    A subclass declares each parameter as a field, ``width: float = param(0.5, low=0)``. From the
    fields come `params` and an ``__init__`` that stores them as given; a base class that reads a
    parameter and leaves its declaration to subclasses annotates it, ``width: float``. `state` names
    the fitted arrays and scalars that make a method whole.

    Attributes
    ----------
    notes_ : list of str. What a person should know about this fit, one sentence each.
    """

    params: ClassVar[tuple[Param, ...]] = ()
    state: ClassVar[tuple[str, ...]] = ()
    # what a fit says beside its state; older versions kept none of it
    told: ClassVar[tuple[str, ...]] = ()
    result: ClassVar[str] = "embedding_"  # the array that every fit leaves, also part of the state
    takes_missing: ClassVar[bool] = False  # NaN in X is a value that is missing, not an error
    # y may name any number of classes, not only target and background
    takes_classes: ClassVar[bool] = False

    def __init_subclass__(cls, **kwargs: object) -> None:
        """Make `params` and `__init__` of the fields, and write the parameters into the docstring
        for `help`."""
        super().__init_subclass__(**kwargs)
        cls.params = all_fields(cls, own_fields(cls))
        if cls.params and "__init__" not in vars(cls):
            cls.__init__ = initializer(cls, cls.params)  # type: ignore[assignment]
        if cls.params and (doc := cls.__dict__.get("__doc__")):
            cls.__doc__ = documented(doc, cls.params)

    @property
    def reads_chips(self) -> bool:
        """Whether rows of X have to be the pixels of chips, and invariances say which changes of
        them do not matter."""
        return False

    def _validate(
        self, X: ArrayLike, y: ArrayLike | None = None, bags: BagMembers | None = None, *,
        labels: Labels = "ignored", min_samples: int = 2,
    ) -> tuple[NDArray, NDArray | None]:
        """`_validate_weighted` for methods that take whole labels only: X and the classes."""
        X, found = self._validate_read(X, y, bags, labels=labels, min_samples=min_samples)
        if found is None:
            return X, None
        if not found.whole:
            odd = (found.code * found.weight)[~np.isin(found.weight, (0.0, 1.0))][0]
            raise DataError(f"y holds {odd}", hint=SIGNS)
        return X, found.code

    def _validate_weighted(
        self, X: ArrayLike, y: ArrayLike | None = None, bags: BagMembers | None = None, *,
        labels: Labels = "required", min_samples: int = 2,
    ) -> tuple[NDArray, NDArray | None, NDArray | None]:
        """Check parameters, then data; return X as (N, D) float, and the classes and weights of
        instance labels.

        Instance labels are `y` where given, else the bag labels spread over the members (an
        instance that also lies in a negative bag is negative). Classes are (N,) int64, 0 unknown:
        the signs of y where all of it lies in -1 to 1, for instance 2 p - 1 of a posterior p, and
        the magnitude is the weight of the label, float64; else the numbers 1 to C of the classes in
        y, which `takes_classes` must allow; see `read_labels`. Where labels of two classes are
        required, y of 0 and 1 without bags names two classes, which is noted: with 0 unknown there
        would be one.

        float32 stays float32; everything else becomes float64. Raises ParamError, DataError,
        MissingLabels.
        """
        X, found = self._validate_read(X, y, bags, labels=labels, min_samples=min_samples)
        return (X, None, None) if found is None else (X, found.code, found.weight)

    def _validate_read(
        self, X: ArrayLike, y: ArrayLike | None, bags: BagMembers | None, *, labels: Labels,
        min_samples: int
    ) -> tuple[NDArray, InstanceLabels | None]:
        """X and the labels, None where there are none or they are ignored; see
        `_validate_weighted`."""
        check_params(self.params, {param.name: getattr(self, param.name) for param in self.params})
        X = self._read(X, reset=True, min_samples=min_samples)
        self.notes_: list[str] = []
        if labels == "ignored":
            return X, None
        if bags is not None:
            check_members(bags, len(X))
        if y is None and bags is not None:
            y = bags.instance_labels(len(X))
        if y is None:
            if labels == "required":
                raise MissingLabels("labels are needed",
                                    hint="Give y, or bags with positive and negative labels.")
            return X, None
        return X, self._read_labels(y, len(X), alone=bags is None, needed=labels == "required")

    def _read_labels(self, y: ArrayLike, n: int, *, alone: bool, needed: bool) -> InstanceLabels:
        """Labels of n instances that this method can use; `alone`: y without bags. Leaves notes on
        classes."""
        y = np.asarray(y)
        if y.shape != (n,):
            raise DataError(f"y has shape {y.shape} for {n} instances",
                            hint="Give one label per row of X.")
        if not self.takes_classes and y.dtype.kind not in "iufb":
            raise DataError(f"y holds {y.dtype}", hint=SIGNS)
        found = read_labels(y)
        if not self.takes_classes and (found.names is not None
                                       or (y.dtype.kind == "f" and np.isnan(y).any())):
            odd = y[~(np.abs(y) <= 1)][0]
            raise DataError(f"y holds {odd}",
                            hint=f"This method tells target from background. {SIGNS}")
        if needed and alone and (two := found.told_apart()) is not found:
            self.notes_.append("y holds 0 and 1: two classes. Unknown is 0 beside -1 and +1, or "
                               "NaN.")
            found = two
        if needed and len(np.unique(found.code[(found.code != 0) & (found.weight > 0)])) < 2:
            raise MissingLabels("labels of two classes are needed",
                                hint="Label some target and some background.")
        if note := found.note():
            self.notes_.append(note)
        self._class_names = found.names
        return found

    def _validate_labeled(
        self, X: ArrayLike, y: ArrayLike | None, bags: BagMembers | None, *, min_samples: int = 2
    ) -> tuple[NDArray, NDArray, NDArray[np.float64]]:
        """`_validate_weighted` with labels of two classes or more: X, classes (N,) int64, weights
        (N,) float64."""
        X, classes, weights = self._validate_weighted(X, y, bags, labels="required",
                                                      min_samples=min_samples)
        assert classes is not None  # labels="required" raises without them
        assert weights is not None
        return X, classes, weights

    def _validate_new(self, X: ArrayLike) -> NDArray:
        """First line of every `transform`: fitted? right number of features? finite?"""
        check_is_fitted(self, self.result)
        return self._read(X, reset=False, min_samples=1)

    def _read(self, X: ArrayLike, *, reset: bool, min_samples: int) -> NDArray:
        """X as a finite C-contiguous float matrix; DataError otherwise."""
        try:
            rows: NDArray = validate_data(
                self, X, reset=reset, dtype=[np.float64, np.float32], order="C",
                ensure_min_samples=min_samples, ensure_all_finite=False,
            )
        except ValueError as error:
            lines = str(error).splitlines()
            # not a row of numbers
            hint = lines[-1] if lines[-1][:1].isalpha() and len(lines) > 1 else ""
            raise DataError(lines[0].rstrip(".:"), hint=hint) from error
        largest = _largest(rows, missing=self.takes_missing)
        if not np.isfinite(largest):
            row, column = (np.argwhere(np.isinf(rows) if largest == np.inf
                                       else ~np.isfinite(rows))[0])
            kind = "NaN" if np.isnan(rows[row, column]) else "inf"
            raise DataError(
                f"X contains {kind}, first in row {row}, feature {column}",
                hint="Remove the row or fill the value."
            )
        if largest > _LARGEST or 0 < largest < 1 / _LARGEST:
            raise DataError(f"the largest value of X is {largest:.3g}",
                            hint="Scale the features to ordinary numbers.")
        return rows

    def to_state(self) -> dict[str, Any]:
        """Everything a fitted method is, as arrays and scalars (no pickle)."""
        check_is_fitted(self, self.result)
        out: dict[str, Any] = {"params": json.dumps(self.get_params(deep=False), sort_keys=True)}
        told = [name for name in self.told if hasattr(self, name)]
        for name in ("n_features_in_", self.result, *self.state, *told):
            out[name] = getattr(self, name)
        out["notes_"] = np.array(self.notes_, dtype=np.str_)
        return out

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Self:
        """The fitted method that `to_state` described, also after a round trip through an .npz
        file."""
        est = cls(**json.loads(str(state["params"])))
        told = [name for name in cls.told if name in state]
        for name in ("n_features_in_", cls.result, *cls.state, *told):
            value = state[name]
            is_scalar = isinstance(value, np.generic | np.ndarray) and not value.shape
            setattr(est, name, value.item() if is_scalar else value)
        est.notes_ = [str(note) for note in state["notes_"]]
        return est


def check_members(bags: BagMembers, n: int) -> None:
    """Raise DataError where bags are no `Bags`, or name rows that are not there."""
    if not hasattr(bags, "members"):
        raise DataError(f"bags is a {type(bags).__name__}",
                        hint="Make them by Bags.from_lists or Bags.from_column.")
    if len(bags.members) and bags.members.max() >= n:
        raise DataError(f"a bag names row {bags.members.max()} of {n}",
                        hint="Give the bags of these instances.")


def _largest(X: NDArray, *, missing: bool) -> float:
    """The largest magnitude in X, without a copy of X; NaN where X holds one, unless these are
    missing values."""
    if missing:
        largest = float(max(np.fmax.reduce(X, axis=None), -np.fmin.reduce(X, axis=None)))
        return 0.0 if np.isnan(largest) else largest
    return float(max(X.max(), -X.min()))
