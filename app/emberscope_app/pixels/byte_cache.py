"""A cache bounded by bytes: what was used last stays."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class ByteCache(Generic[K, V]):
    """The entries used last, `budget` bytes in all; the newest stays even where it alone is larger.

    `functools.lru_cache` counts entries and cannot drop those of one source, hence these lines.
    """

    def __init__(self, budget: int, size: Callable[[V], int]) -> None:
        self.budget, self._size = budget, size
        self.bytes = 0
        self._entries: OrderedDict[K, V] = OrderedDict()

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, key: K) -> V | None:
        """The value of a key, which is the one used last from then on; None where it is not
        kept."""
        value = self._entries.get(key)
        if value is not None:
            self._entries.move_to_end(key)
        return value

    def put(self, key: K, value: V) -> None:
        self.drop(key)
        self._entries[key] = value
        self.bytes += self._size(value)
        while self.bytes > self.budget and len(self._entries) > 1:
            self.drop(next(iter(self._entries)))

    def drop(self, key: K) -> None:
        old = self._entries.pop(key, None)
        if old is not None:
            self.bytes -= self._size(old)

    def drop_where(self, gone: Callable[[K, V], bool]) -> None:
        """Drop every entry for which `gone(key, value)` holds. O(entries)."""
        for key in [key for key, value in self._entries.items() if gone(key, value)]:
            self.drop(key)

    def clear(self) -> None:
        self._entries.clear()
        self.bytes = 0
