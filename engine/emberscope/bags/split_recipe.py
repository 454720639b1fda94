"""Which bags are held out, as a recipe says it: as fields, or as a line of text."""

import csv
import shlex
from collections.abc import Iterable
from itertools import pairwise
from typing import Annotated, Any

import msgspec

from emberscope.base.errors import ParamError
from emberscope.base.plain_text import make_showable

DEFAULT, CLIP, BAGS, HOLD_OUT, COLUMN = "default", "clip", "bags", "hold-out", "column"
KINDS = (DEFAULT, CLIP, BAGS, HOLD_OUT, COLUMN)
SHARED = "shared"
_HELD = "\0"  # a comma that does not part values
_DEALT = (CLIP, BAGS, COLUMN)  # into folds
_AS_IN = "Write it as in clip folds=3, hold-out:night.arf or column:range test=1500."


class SplitRecipe(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How labeled bags are split into those that are learned from and those that judge.

    kind : "default", whole clips where three of them have bags of both kinds and no class is on one
        alone, else blocks of frames, which classifiers always take; "clip", whole clips; "bags",
        bags one by one, those that share an instance together; "hold-out", the clips that are named
        judge, and all others are learned from; "column", bags of one value of a column together.
    folds : how many parts clips, bags or values are dealt into, each of which judges once; 0: 5, or
        as many as there are where these are fewer. sources : names of the sources that are held
        out.
    column : name of a column (help page: columns). test : the values that judge, all in one fold;
        empty: all values, in folds. A number takes what lies within one twentieth of it,
        "1400..1600" what lies from one to the other. train : the values that are learned from,
        where not all others are.
    shared : frames of one clip may lie on both sides of a split by a column.

    Raises ParamError for a kind that is not known, and for a part that it has no use for.
    """

    kind: str = DEFAULT
    folds: Annotated[int, msgspec.Meta(ge=0, lt=2**31)] = 0
    sources: tuple[str, ...] = ()
    column: str = ""
    test: tuple[str, ...] = ()
    train: tuple[str, ...] = ()
    shared: bool = False

    def __post_init__(self) -> None:
        make_showable(self, "kind", "sources", "column", "test", "train")
        if self.kind not in KINDS:
            known = f"Known kinds: {', '.join(KINDS)}."
            raise ParamError(f"there is no kind of split {self.kind!r}", hint=known)
        if self.folds and (self.kind not in _DEALT or self.test):
            what = f"a split of kind {self.kind} has no number of folds"
            what = "a split that names the values that judge has one fold" if self.test else what
            raise ParamError(what, hint=f"Leave folds out, or choose {' or '.join(_DEALT[:2])}.")
        if self.folds == 1:
            raise ParamError("a split of 1 fold learns from nothing", hint="Give 2 folds or more.")
        self._check_names()

    @property
    def names_judges(self) -> bool:
        """Whether it says what judges, once; else everything judges in turn, in folds."""
        return self.kind == HOLD_OUT or bool(self.test)

    def _check_names(self) -> None:
        if self.sources and self.kind != HOLD_OUT:
            hint = f"Leave sources out, or choose {HOLD_OUT}."
            raise ParamError(f"a split of kind {self.kind} names no sources", hint=hint)
        if self.kind == HOLD_OUT and not self.sources:
            hint = 'Name them, as in sources = ["night.arf"].'
            raise ParamError("no source is named that the split holds out", hint=hint)
        if self.kind == COLUMN and not self.column:
            hint = "Name it, as in column:range; `emberscope info --columns` lists them."
            raise ParamError("the split names no column", hint=hint)
        if self.kind != COLUMN and (self.column or self.test or self.train or self.shared):
            hint = f"Leave them out, or choose {COLUMN}."
            raise ParamError(f"a split of kind {self.kind} has no column and no values", hint=hint)
        if self.train and not self.test:
            raise ParamError("the split names values to learn from and none that judge",
                             hint="Name these too, as in test=1500.")


def split_of(text: str) -> SplitRecipe:
    """The split that a line says: "clip", "clip folds=3", "bags", "hold-out:night.arf,dusk.arf",
    "column:light", "column:range test=1500 train=1000,2000 shared".

    Names and values with blanks or commas stand in quotes, as in
    column:site test='"Fort A, north",Yuma'. Raises ParamError.
    """
    try:
        words = _words(text)
    except ValueError as error:
        raise ParamError(f"the split {text!r:.60} cannot be read: {error}", hint=_AS_IN) from error
    head, _, name = (words or [DEFAULT])[0].partition(":")
    given: dict[str, Any] = {"kind": head}
    if head == HOLD_OUT:
        given["sources"] = values_of(name)
    elif name:
        given["column"] = name.replace(_HELD, ",")
    for word in words[1:]:
        key, _, value = word.partition("=")
        if word == SHARED:
            given[SHARED] = True
        elif key in ("test", "train") and value:
            given[key] = values_of(value)
        elif key == "folds" and value.isdigit():
            given[key] = int(value)
        else:
            hint = f"{_AS_IN} A name with a blank stands in quotes: column:\"Range (m)\"."
            raise ParamError(f"the split says {word!r:.40}, which means nothing", hint=hint)
    return SplitRecipe(**given)


def split_text(split: SplitRecipe) -> str:
    """The line that `split_of` reads."""
    names = values_text(split.sources) or split.column
    words = [f"{split.kind}:{names}" if names else split.kind]
    words += [f"{key}={values_text(values)}" for key, values in
              (("test", split.test), ("train", split.train)) if values]
    words += [f"folds={split.folds}"] if split.folds else []
    return " ".join([*map(_quoted, words), *([SHARED] if split.shared else [])])


def _quoted(word: str) -> str:
    """A word in quotes that begin before it, where it needs some."""
    if "'" not in word:
        return shlex.quote(word)
    return '"{}"'.format(word.replace("\\", "\\\\").replace('"', '\\"'))


def values_of(text: str) -> tuple[str, ...]:
    """Values that commas part: of one in double quotes a comma is a part, and two double quotes are
    one."""
    cells = next(csv.reader([text], skipinitialspace=True), [])
    return tuple(cell.replace(_HELD, ",").strip() for cell in cells if cell.strip())


def values_text(values: Iterable[str], between: str = ",") -> str:
    """What `values_of` reads."""
    return between.join('"{}"'.format(value.replace('"', '""'))
                        if "," in value or '"' in value else value for value in values)


def _words(text: str) -> list[str]:
    """Words that blanks part, of which quotes are taken away. A comma in quotes that begin inside
    of a word is `_HELD`: it is a part of a value."""
    out, quote, held = [], "", False
    for before, sign in pairwise(f" {text}"):
        if not quote and sign in "\"'":
            quote, held = sign, not before.isspace()
        elif sign == quote and not (sign == '"' and before == "\\"):
            quote = ""
        out.append(_HELD if sign == "," and quote and held else sign)
    return shlex.split("".join(out))

