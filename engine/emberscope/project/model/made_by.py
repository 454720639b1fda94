"""How a run was made beside its recipe: what a replay needs, and compares with."""

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
