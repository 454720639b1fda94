"""Cost model: seconds and bytes of a fit, as a formula of the size of its data."""

from dataclasses import dataclass

Terms = tuple[tuple[float, float, float], ...]


@dataclass(frozen=True, slots=True)
class Cost:
    """About how much a fit costs: sums of ``coefficient * n**p * d**q``, n rows of d features.

    seconds : terms (coefficient, p, q) on two ordinary cores, measured. bytes : the same for the
    peak beside X.
    beyond : (n, cost), where a method works another way with more than n rows.
    """

    seconds: Terms
    bytes: Terms
    beyond: "tuple[int, Cost] | None" = None

    def at(self, n: int, d: int) -> tuple[float, float]:
        """Seconds and bytes for n rows of d features."""
        if self.beyond is not None and n > self.beyond[0]:
            return self.beyond[1].at(n, d)
        return _total(self.seconds, n, d), _total(self.bytes, n, d)


def with_search(seconds: Terms, bytes: Terms) -> Cost:
    """The cost of a method on top of the shared neighbor search, exact up to 30 000 rows."""
    exact: Terms = (3e-9, 2.0, 0.0), (4e-11, 2.0, 1.0)
    approximate: Terms = ((3.5e-7, 1.5, 0.0),)
    lists: Terms = ((600.0, 1.0, 0.0), (16.0, 1.0, 1.0))
    beyond = Cost(seconds + approximate, bytes + lists)
    return Cost(seconds + exact, bytes + lists, (30_000, beyond))


def _total(terms: Terms, n: int, d: int) -> float:
    return sum(coefficient * n**p * d**q for coefficient, p, q in terms)
