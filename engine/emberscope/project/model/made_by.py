"""How a run was made beside its recipe: what a replay needs and compares with, and what it
found."""

import msgspec

from emberscope.base.plain_text import make_showable


class MadeBy(msgspec.Struct, frozen=True, kw_only=True):
    """What determined a run beside its recipe and its instances.

    code : changes with every line of the engine and every library that computes
        (`course.versions`); "" of a run that does not say it. at_any_cost : whether also what takes
        long was done. went_on_from : id of the run whose embedding it went on from, 0 for none.
    contents : digest of what each stage made, by its name, in the order of the stages; empty of a
        run that kept none.
    """

    code: str = ""
    at_any_cost: bool = False
    went_on_from: int = 0
    contents: dict[str, str] = {}

    def __post_init__(self) -> None:
        make_showable(self, "code", "contents")


class Replayed(msgspec.Struct, frozen=True, kw_only=True):
    """What a replay found.

    run : its id. equal : whether everything that was compared is the same to the bit. differs : the
    first stage with another result, "" where none has. compared : names of what was compared, in
    the order in which it is computed. other : those of them that differ. notes : what may explain a
    difference, and what could not be compared, in sentences.
    """

    run: int
    equal: bool
    differs: str
    compared: list[str]
    other: list[str]
    notes: list[str]

    @property
    def words(self) -> str:
        """The verdict in one sentence."""
        if self.equal:
            return f"Run {self.run} is equal to the bit: {', '.join(self.compared)}."
        return f"Run {self.run} differs: the first stage with another result is {self.differs}."
