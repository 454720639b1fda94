"""What the replay of a run found. Imports light: the window reads it."""

import msgspec


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
