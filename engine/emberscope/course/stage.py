"""What a stage is: a name, inputs, a key, a computation, a cost; and what there is when it
begins."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar, cast

from numpy.typing import NDArray

from emberscope.base.monitor import Monitor
from emberscope.course.plan import Plan
from emberscope.labels.side_info import SideInfo

T = TypeVar("T")


class Item(Generic[T]):
    """Something that stages read: it is given, or a stage makes it."""

    def __init__(self, name: str) -> None:
        self.name = name


class Given:
    """What there is: items with their values, and for those that are kept the key of what they were
    made of."""

    def __init__(self) -> None:
        self._values: dict[Item[Any], object] = {}
        self._keys: dict[Item[Any], str] = {}

    def put(self, item: Item[T], value: T, key: str = "") -> "Given":
        """Give an item its value; returns self."""
        self._values[item], self._keys[item] = value, key
        return self

    def __getitem__(self, item: Item[T]) -> T:
        """The value of an item. Raises LookupError for one that is not there."""
        if item not in self._values:
            raise LookupError(f"there is no {item.name} here")
        return cast(T, self._values[item])

    def __contains__(self, item: Item[Any]) -> bool:
        return item in self._values

    def key(self, item: Item[Any]) -> str:
        """The key of an item; "" where nothing was kept of it."""
        return self._keys[item]

    def only(self, items: Iterable[Item[Any]]) -> "Given":
        """The same with these items alone, so that a stage reads nothing but its inputs."""
        part = Given()
        for item in items:
            part.put(item, self[item], self._keys[item])
        return part


@dataclass(frozen=True, slots=True)
class Size:
    """How much there is to do: n instances with `wide` features, `narrow` after the reduction.

    new : instances whose features are not kept yet, on so many frames. several : whether targets
    are of several classes. marked : the changes of chips that do not matter; None for the usual
    ones.
    """

    n: int
    wide: int
    narrow: int
    new: int = 0
    frames: int = 0
    several: bool = False
    marked: SideInfo | None = None


class Cost(NamedTuple):
    """Seconds, and bytes of memory beside the features."""

    seconds: float = 0.0
    bytes: float = 0.0


class Stage(Item[T]):
    """One step of a course. There is one object of each class; it has no state.

    `compute` is a function of the plan and the inputs, and of nothing else. Where `kept` is a
    record, what `pack` makes of a result stays on disk under `key`, and `unpack` makes a result of
    it again; `tuple` means arrays, which are not copied on their way.
    """

    title: ClassVar[str] = ""  # what the progress bar says, unless `says` does; "" for nothing
    inputs: ClassVar[tuple[Item[Any], ...]] = ()
    kept: ClassVar[Any] = None  # the type of the record that is kept; None: a result is not kept

    def says(self, plan: Plan, given: Given) -> str:
        """What the progress bar says while there is something to compute."""
        return self.title

    def key(self, plan: Plan, given: Given) -> str:
        """What the result is made of, see `features.cache.digest`."""
        return ""

    def needed(self, plan: Plan, given: Given) -> bool:
        """Whether there is something to compute."""
        return True

    def absent(self, plan: Plan, given: Given) -> T:
        """The result where there is nothing to compute."""
        raise NotImplementedError(self.name)

    def compute(self, plan: Plan, given: Given, monitor: Monitor) -> T:
        """The result."""
        raise NotImplementedError(self.name)

    def pack(self, value: T) -> object:
        """The record of a result."""
        return value

    def unpack(self, plan: Plan, given: Given, record: Any) -> T:
        """The result of a record."""
        return cast(T, record)

    def content(self, plan: Plan, given: Given) -> object:
        """What a replay compares of the result in `given`, see `features.cache.digest`."""
        return self.pack(given[self])

    def image(self, value: T) -> NDArray | None:
        """(N, d) coordinates to show before all is done; None where there are none."""
        return None

    def cost(self, plan: Plan, size: Size) -> Cost:
        """About what it takes."""
        return Cost()
