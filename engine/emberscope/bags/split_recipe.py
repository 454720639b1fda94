"""Which bags are held out, as a recipe says it."""

from typing import Annotated

import msgspec

from emberscope.base.errors import ParamError
from emberscope.base.plain_text import make_showable

DEFAULT, CLIP, BAGS, HOLD_OUT = "default", "clip", "bags", "hold-out"
KINDS = (DEFAULT, CLIP, BAGS, HOLD_OUT)
_DEALT = (CLIP, BAGS)  # into folds


class SplitRecipe(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How labeled bags are split into those that are learned from and those that judge.

    kind : "default", whole clips where three of them have bags of both kinds and no class is on one
        alone, else blocks of frames, which classifiers always take; "clip", whole clips; "bags",
        bags one by one, those that share an instance together; "hold-out", the clips that are named
        judge, and all others are learned from.
    folds : how many parts clips or bags are dealt into, each of which judges once; 0: 5, or as many
        as there are where these are fewer. sources : names of the sources that are held out.

    Raises ParamError for a kind that is not known, and for a part that it has no use for.
    """

    kind: str = DEFAULT
    folds: Annotated[int, msgspec.Meta(ge=0, lt=2**31)] = 0
    sources: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        make_showable(self, "kind", "sources")
        if self.kind not in KINDS:
            known = f"Known kinds: {', '.join(KINDS)}."
            raise ParamError(f"there is no kind of split {self.kind!r}", hint=known)
        if self.folds and self.kind not in _DEALT:
            hint = f"Leave folds out, or choose {' or '.join(_DEALT)}."
            raise ParamError(f"a split of kind {self.kind} has no number of folds", hint=hint)
        if self.folds == 1:
            raise ParamError("a split of 1 fold learns from nothing", hint="Give 2 folds or more.")
        if self.sources and self.kind != HOLD_OUT:
            hint = f"Leave sources out, or choose {HOLD_OUT}."
            raise ParamError(f"a split of kind {self.kind} names no sources", hint=hint)
        if self.kind == HOLD_OUT and not self.sources:
            hint = 'Name them, as in sources = ["night.arf"].'
            raise ParamError("no source is named that the split holds out", hint=hint)
