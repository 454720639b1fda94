"""Cost model: seconds and bytes of a fit, as a formula of the size of its data."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Terms = tuple[tuple[float, float, float], ...]


@dataclass(frozen=True, slots=True)
class Cost:
    """About how much a fit costs: sums of ``coefficient * n**p * d**q``, n rows of d features.

    seconds : terms (coefficient, p, q) on two ordinary cores, measured. bytes : the same for the
    peak beside X.
    beyond : (n, cost), where a method works another way with more than n rows.
    where : (parameter, value, cost): what it costs beside with that value.
    """

    seconds: Terms
    bytes: Terms
    beyond: "tuple[int, Cost] | None" = None
    where: "tuple[str, Any, Cost] | None" = None

    def with_values(self, values: Mapping[str, Any]) -> "Cost":
        """The cost with these values of parameters; those that are not given are the usual ones."""
        if self.where is None or values.get(self.where[0]) != self.where[1]:
            return self
        more = self.where[2]
        return Cost(self.seconds + more.seconds, self.bytes + more.bytes, self.beyond)

    def at(self, n: int, d: int) -> tuple[float, float]:
        """Seconds and bytes for n rows of d features."""
        if self.beyond is not None and n > self.beyond[0]:
            return self.beyond[1].at(n, d)
        return _total(self.seconds, n, d), _total(self.bytes, n, d)


# All pairs are edges, whatever weighs them: measured up to 2000 rows.
ALL_PAIRS = ("graph", "full", Cost(((2.5e-7, 2.0, 0.0),), ((100.0, 2.0, 0.0),)))


@dataclass(frozen=True, slots=True)
class Members:
    """A method that fits another one several times.

    base, count : its parameters that say which one, and how often; usual_base, usual_count : their
    values where none are given.
    """

    base: str
    count: str
    usual_base: str
    usual_count: int


def with_search(
    seconds: Terms, bytes: Terms, where: tuple[str, Any, Cost] | None = None
) -> Cost:
    """The cost of a method on top of the shared neighbor search, exact up to 30 000 rows."""
    exact: Terms = (3e-9, 2.0, 0.0), (4e-11, 2.0, 1.0)
    approximate: Terms = ((3.5e-7, 1.5, 0.0),)
    lists: Terms = ((600.0, 1.0, 0.0), (16.0, 1.0, 1.0))
    beyond = Cost(seconds + approximate, bytes + lists)
    return Cost(seconds + exact, bytes + lists, (30_000, beyond), where)


def _total(terms: Terms, n: int, d: int) -> float:
    return sum(coefficient * n**p * d**q for coefficient, p, q in terms)
