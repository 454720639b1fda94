"""The help page of all methods: an index by family, what they read and cost. Each method has a page
of its own.

`bootstrap.py pages` puts it where the window finds it.
"""

from itertools import groupby

from emberscope import catalogue
from emberscope.catalogue import Method
from emberscope.catalogue.pages import table

SIZES = (1000, 10_000, 100_000)
FEATURES = 50  # what a run reduces to unless set otherwise

_HEAD = """\
# Methods

A method places every instance on the map. Methods differ in what they read: the features alone, a
label per instance, whole bags, or what is known of pairs. The Run panel locks a method while what
it needs is missing, and says what.

{families}

## What they read

{overview}

A bag classifier or ranker places nothing: it scores bags and instances, beside an embedding or by
[classify](commands#classify).

{classifiers}

A label per instance is the label of its bag, spread over the members, unless you marked the
instance: see [Kinds of labels](labels#conflicts). In a positive bag most of these spread labels may
be wrong, which is what loose labels cost; only a method that reads bags knows of it.

## Parameters

The page of a method has a table of its parameters; `emberscope methods ID` prints the same.
**auto** is a value worked out from the data; write `auto` to ask for it. Where *values to try* are
given, `auto` in [classify](commands#classify) chooses among them inside the training folds.
Parameters marked *advanced* lie behind the fold of the Run panel. The Run panel starts with 3
dimensions where a method takes more than 3, so that the 3-D map has something to show; everywhere
else the default counts.

## Cost

About how long a fit takes on two ordinary cores with {features} features, and the memory it takes
beside the features. A run adds the time for features, neighbors and scores; the Run panel shows the
sum before you start.

{costs}
"""

_NEEDS = {
    "none": "no labels",
    "instance": "a label per instance",
    "bag": "bags",
    "positive": "positive bags",
    "classes": "bags of several classes",
    "pairs": "pairs alike or different",
    "distances": "known distances",
    "actions": "actions along a track",
}
_CLASSIFIES = {"instance": "instances", "bag": "whole bags", "embedded": "bags as vectors"}


def methods_page() -> str:
    """The page as Markdown. Imports no class of a method; the same for the same catalogue."""
    families = table(
        ("family", "methods"),
        [
            [family, ", ".join(map(_link, rows))]
            for family, rows in groupby(catalogue.METHODS, lambda m: m.family)
        ],
    )
    overview = table(
        ("method", "family", "reads", "linear", "instances at most"),
        [
            [_link(m), m.family, _NEEDS[m.needs], "yes" if m.linear else "no", _most(m)]
            for m in catalogue.EMBEDDERS
        ],
    )
    classifiers = table(
        ("method", "family", "reads", "classifies", "instances at most"),
        [
            [_link(m), m.family, _NEEDS[m.needs], _CLASSIFIES[m.space], _most(m)]
            for m in catalogue.CLASSIFIERS
        ],
    )
    costs = table(
        ("method", *(f"{_count(n)} instances" for n in SIZES)),
        [[m.short, *(_cost(m, n) for n in SIZES)] for m in catalogue.METHODS],
    )
    return _HEAD.format(
        families=families,
        overview=overview,
        classifiers=classifiers,
        costs=costs,
        features=FEATURES,
    )


def _link(method: Method) -> str:
    return f"[{method.short}](methods/{method.id})"


def _most(method: Method) -> str:
    return _count(method.max_n) if method.max_n else "no limit"


def _cost(method: Method, n: int) -> str:
    if method.max_n is not None and n > method.max_n:
        return "refused"
    seconds, size = catalogue.estimate(method.id, n, FEATURES)
    return f"{_time(seconds)}, {_size(size)}"


def _time(seconds: float) -> str:
    if seconds < 1:
        return "under 1 s"
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"


def _size(size: float) -> str:
    return f"{size / 2**20:.0f} MB" if size < 2**30 else f"{size / 2**30:.1f} GB"


def _count(n: int) -> str:
    return f"{n:,}".replace(",", " ")
